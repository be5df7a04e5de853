// Appends operations, collects errors and finishes modules.
#include "hlo/ops/builder.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace internal {

// What the builders of one module share.
struct BuilderState {
  struct Progress {
    Builder::Location began;
    bool is_finished = false;
  };

  // Null once it has been built.
  std::unique_ptr<Module> module;
  // By computation id.
  std::vector<Progress> progress;
  std::vector<std::string> errors;
  absl::StatusCode first_error_code = absl::StatusCode::kInvalidArgument;
};

}  // namespace internal

namespace {

// A bound on parameter numbers, so that a wrong one takes no memory.
constexpr int64_t kMaxParameters = 1'000'000;

// `name` with what the text format does not allow in names replaced by "_".
std::string SanitizeName(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 128 || (std::isalnum(byte) == 0 && c != '.' && c != '-')) {
      c = '_';
    }
  }
  const bool is_bad_start =
      name.empty() || (std::isalpha(static_cast<unsigned char>(name[0])) == 0 &&
                       name[0] != '_');
  if (is_bad_start) name.insert(name.begin(), '_');
  if (ElementTypeFromText(name)) name.push_back('_');
  return name;
}

// How `opcode` uses an attribute among those of its row.
bool TakesAttribute(Opcode opcode, AttributeId id) {
  const absl::Span<const AttributeUse> uses = InfoOf(opcode).attributes;
  const bool is_listed = std::ranges::any_of(
      uses, [id](const AttributeUse& use) { return use.id == id; });
  if (is_listed || id < kFirstCommonAttribute) return is_listed;
  return FindAttribute(opcode, TextOf(id)).has_value();
}

// The computations that an attribute names.
std::vector<const Computation*> CalledBy(const Attribute& attribute) {
  const AttributeKind kind = InfoOf(attribute.id).kind;
  if (kind == AttributeKind::kComputation) {
    return {ValueAs<AttributeKind::kComputation>(attribute.value)};
  }
  if (kind != AttributeKind::kComputationList) return {};
  const auto& list = ValueAs<AttributeKind::kComputationList>(attribute.value);
  return {list.begin(), list.end()};
}

}  // namespace

bool Value::ok() const {
  return instruction_ != nullptr && state_->module != nullptr;
}

const Shape& Value::shape() const {
  static const Shape kEmptyTuple;
  return ok() ? instruction_->shape() : kEmptyTuple;
}

Builder::Builder(std::string name)
    : state_(std::make_shared<internal::BuilderState>()) {
  name = SanitizeName(std::move(name));
  state_->module = std::make_unique<Module>(name);
  computation_ = state_->module->AddComputation(name);
  state_->module->set_entry(computation_);
  state_->progress.emplace_back();
}

Builder Builder::Computation(std::string name, const Location& location) {
  if (state_->module == nullptr) {
    Fail(location, "computation", CheckUsable());
    return {state_, computation_};
  }
  hlo::Computation* computation =
      state_->module->AddComputation(SanitizeName(std::move(name)));
  state_->progress.push_back({.began = location, .is_finished = false});
  return {state_, computation};
}

Callee Builder::Finish(const Value& root, const Location& location) {
  const bool is_entry =
      state_->module != nullptr && computation_ == state_->module->entry();
  if (is_entry) {
    Fail(location, "finish",
         InvalidArgument("the entry computation is finished by Build()"));
    return {state_, nullptr};
  }
  if (!Close(root, location)) return {state_, nullptr};
  return {state_, computation_};
}

absl::StatusOr<std::unique_ptr<Module>> Builder::Build(
    const Value& root, const Location& location) {
  if (state_->module == nullptr) return CheckUsable();
  if (computation_ != state_->module->entry()) {
    return InvalidArgument("computation %", computation_->name(),
                           " is not the entry; end it with Finish()");
  }
  Close(root, location);
  for (size_t id = 0; id < state_->progress.size(); ++id) {
    const internal::BuilderState::Progress& progress = state_->progress[id];
    if (progress.is_finished) continue;
    Fail(
        progress.began, "computation",
        InvalidArgument(
            "computation %",
            state_->module->computation(static_cast<ComputationId>(id))->name(),
            " was not finished"));
  }
  if (!state_->errors.empty()) {
    return {absl::Status(state_->first_error_code,
                         absl::StrJoin(state_->errors, "\n"))};
  }
  state_->module->UniquifyNames();
  return std::move(state_->module);
}

Value Builder::Add(Opcode opcode, std::optional<Shape> shape,
                   absl::Span<const Value> operands,
                   std::vector<Attribute> attributes,
                   const Location& location) {
  if (opcode == Opcode::kParameter) {
    return Fail(location, TextOf(opcode),
                InvalidArgument("parameters are made by Parameter()"));
  }
  if (shape) {
    return EmitDeclared(opcode, *shape, operands, std::move(attributes),
                        location);
  }
  return Emit(opcode, {}, operands, std::move(attributes), location);
}

void Builder::SetAttribute(const Value& value, Attribute attribute,
                           const Location& location) {
  if (!CanEmit(Opcode::kTuple, {value}, {}, location)) return;
  Instruction* instruction = value.instruction_;
  const absl::string_view operation = TextOf(instruction->opcode());
  if (const absl::Status status =
          CheckAttribute(instruction->opcode(), attribute);
      !status.ok()) {
    Fail(location, operation, status);
    return;
  }
  instruction->SetAttribute(attribute.id, std::move(attribute.value));
  const absl::StatusOr<Shape> shape = InferShape(*instruction);
  if (!shape.ok()) Fail(location, operation, shape.status());
}

void Builder::AddControlDependency(const Value& before, const Value& after,
                                   const Location& location) {
  if (!CanEmit(Opcode::kTuple, {before, after}, {}, location)) return;
  if (before.instruction_->id() >= after.instruction_->id()) {
    Fail(location, "control dependency",
         InvalidArgument("the operation that runs before must be the older "
                         "one, but is ",
                         TextOf(before.instruction_->opcode()), " number ",
                         before.instruction_->id(), " against ",
                         after.instruction_->id()));
    return;
  }
  std::vector<Instruction*> predecessors =
      after.instruction_->control_predecessors();
  predecessors.push_back(before.instruction_);
  after.instruction_->set_control_predecessors(std::move(predecessors));
}

Value Builder::Parameter(int64_t number, const Shape& shape, std::string name,
                         const Location& location) {
  constexpr absl::string_view kOperation = "parameter";
  if (!CanEmit(Opcode::kParameter, {}, {}, location)) return Poisoned();
  if (number < 0 || number >= kMaxParameters) {
    return Fail(location, kOperation,
                InvalidArgument("number ", number, " is not in 0 ... ",
                                kMaxParameters - 1));
  }
  if (number < computation_->parameter_count() &&
      computation_->parameter(number) != nullptr) {
    return Fail(location, kOperation,
                InvalidArgument("number ", number, " is already taken by %",
                                computation_->parameter(number)->name()));
  }
  if (const absl::Status status = ValidateShape(shape); !status.ok()) {
    return Fail(location, kOperation, status);
  }
  Instruction* parameter = computation_->AddParameter(number, shape);
  parameter->set_name(SanitizeName(std::move(name)));
  return {state_, parameter};
}

Value Builder::Emit(Opcode opcode, const Shape& hint,
                    absl::Span<const Value> operands,
                    std::vector<Attribute> attributes,
                    const Location& location) {
  if (!CanEmit(opcode, operands, attributes, location)) return Poisoned();
  Instruction* instruction =
      Append(opcode, hint, operands, std::move(attributes));
  absl::StatusOr<Shape> shape = InferImpliedShape(*instruction);
  if (!shape.ok()) return Fail(location, TextOf(opcode), shape.status());
  instruction->set_shape(*std::move(shape));
  return {state_, instruction};
}

Value Builder::EmitDeclared(Opcode opcode, const Shape& shape,
                            absl::Span<const Value> operands,
                            std::vector<Attribute> attributes,
                            const Location& location) {
  if (!CanEmit(opcode, operands, attributes, location)) return Poisoned();
  Instruction* instruction =
      Append(opcode, shape, operands, std::move(attributes));
  const absl::StatusOr<Shape> inferred = InferShape(*instruction);
  if (!inferred.ok()) return Fail(location, TextOf(opcode), inferred.status());
  return {state_, instruction};
}

Value Builder::Fail(const Location& location, absl::string_view operation,
                    const absl::Status& status) {
  if (state_->errors.empty()) state_->first_error_code = status.code();
  state_->errors.push_back(absl::StrCat(location.file_name(), ":",
                                        location.line(), ": ", operation, ": ",
                                        status.message()));
  return Poisoned();
}

bool Builder::CanEmit(Opcode opcode, absl::Span<const Value> operands,
                      absl::Span<const Attribute> attributes,
                      const Location& location) {
  if (const absl::Status status = CheckUsable(); !status.ok()) {
    Fail(location, TextOf(opcode), status);
    return false;
  }
  bool is_poisoned = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (const absl::Status status = CheckValue(operands[i]); !status.ok()) {
      Fail(location, TextOf(opcode),
           InvalidArgument("operand ", i, " ", status.message()));
      return false;
    }
    is_poisoned |= !operands[i].ok();
  }
  if (is_poisoned) return false;
  return std::ranges::all_of(attributes, [&](const Attribute& attribute) {
    const absl::Status status = CheckAttribute(opcode, attribute);
    if (!status.ok()) Fail(location, TextOf(opcode), status);
    return status.ok();
  });
}

bool Builder::CanCall(Opcode opcode, absl::Span<const Callee> callees,
                      const Location& location) {
  bool is_poisoned = false;
  for (const Callee& callee : callees) {
    if (callee.state_ != state_) {
      Fail(location, TextOf(opcode),
           InvalidArgument(callee.state_ == nullptr
                               ? "a callee is empty"
                               : "a callee belongs to another module"));
      return false;
    }
    is_poisoned |= callee.computation_ == nullptr;
  }
  return !is_poisoned;
}

absl::Status Builder::CheckUsable() const {
  if (state_->module == nullptr) {
    return InvalidArgument("the module was already built");
  }
  if (state_->progress[computation_->id()].is_finished) {
    return InvalidArgument("computation %", computation_->name(),
                           " is already finished");
  }
  return absl::OkStatus();
}

absl::Status Builder::CheckValue(const Value& value) const {
  if (value.state_ == nullptr) return InvalidArgument("is an empty Value");
  if (value.state_ != state_) {
    return InvalidArgument("belongs to another module");
  }
  if (value.ok() && value.instruction_->parent() != computation_) {
    return InvalidArgument(
        "belongs to computation %", value.instruction_->parent()->name(),
        "; pass it to computation %", computation_->name(), " as an argument");
  }
  return absl::OkStatus();
}

absl::Status Builder::CheckAttribute(Opcode opcode,
                                     const Attribute& attribute) const {
  const absl::string_view text = TextOf(attribute.id);
  if (attribute.id == AttributeId::kParameterNumber) {
    return InvalidArgument("parameters are numbered by Parameter()");
  }
  if (attribute.id == AttributeId::kControlPredecessors) {
    return InvalidArgument(text, " are added by AddControlDependency()");
  }
  if (!TakesAttribute(opcode, attribute.id)) {
    return InvalidArgument("attribute ", text, " does not belong to ",
                           TextOf(opcode));
  }
  const auto kind = attribute.value.kind();
  if (kind != InfoOf(attribute.id).kind) {
    return InvalidArgument("attribute ", text, " is a ", NameOf(kind),
                           ", expected a ", NameOf(InfoOf(attribute.id).kind));
  }
  for (const hlo::Computation* called : CalledBy(attribute)) {
    RETURN_IF_ERROR(CheckCalled(called));
  }
  return absl::OkStatus();
}

absl::Status Builder::CheckCalled(const hlo::Computation* computation) const {
  const auto& all = state_->module->computations();
  const auto place = std::ranges::find_if(
      all,
      [computation](const auto& other) { return other.get() == computation; });
  if (place == all.end()) {
    return InvalidArgument(
        "a called computation is of no builder of this "
        "module");
  }
  // Only what is finished can be called: there is no recursion.
  if (!state_->progress[computation->id()].is_finished) {
    return InvalidArgument("called computation %", computation->name(),
                           " is not finished");
  }
  return absl::OkStatus();
}

Instruction* Builder::Append(Opcode opcode, const Shape& shape,
                             absl::Span<const Value> operands,
                             std::vector<Attribute> attributes) {
  Instruction* instruction = computation_->Add(opcode, shape);
  instruction->set_name(std::string(TextOf(opcode)));
  for (const Value& operand : operands) {
    instruction->AppendOperand(operand.instruction_);
  }
  for (Attribute& attribute : attributes) {
    instruction->SetAttribute(attribute.id, std::move(attribute.value));
  }
  return instruction;
}

bool Builder::Close(const Value& root, const Location& location) {
  constexpr absl::string_view kOperation = "root";
  absl::Status status = CheckUsable();
  if (status.ok()) {
    state_->progress[computation_->id()].is_finished = true;
    status = CheckValue(root);
  }
  for (int64_t i = 0; status.ok() && i < computation_->parameter_count(); ++i) {
    if (computation_->parameter(i) != nullptr) continue;
    status = InvalidArgument("computation %", computation_->name(), " has ",
                             computation_->parameter_count(),
                             " parameters, but none with number ", i);
  }
  if (!status.ok()) Fail(location, kOperation, status);
  if (!status.ok() || !root.ok()) return false;
  computation_->set_root(root.instruction_);
  return true;
}

}  // namespace hilo::hlo
