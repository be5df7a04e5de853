// Functions, values and checks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/special_functions.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Names of values that are more than a number are kept.
bool IsGoodName(absl::string_view name) { return HloName(name) == name; }

// "stablehlo.add" and the like: those that are rows of the opcodes' table.
std::vector<std::string> ElementwiseNames() {
  std::vector<std::string> names;
  for (int i = 0; i < hlo::kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (!hlo::IsElementwiseUnary(opcode) && !hlo::IsElementwiseBinary(opcode)) {
      continue;
    }
    std::string& name =
        names.emplace_back(absl::StrCat("stablehlo.", hlo::TextOf(opcode)));
    std::ranges::replace(name, '-', '_');
  }
  return names;
}

}  // namespace

bool Converter::Error(int64_t offset, std::string message, std::string remedy) {
  Diagnostic& error =
      diagnostics_->Error(offset, std::move(message), std::move(remedy));
  const hlo::Metadata& place = MetadataOfLocation();
  if (!place.op_name.empty() || !place.source_file.empty()) {
    const std::string file =
        place.source_file.empty()
            ? ""
            : absl::StrCat(place.source_file, ":", place.source_line);
    error.notes.push_back(
        {.severity = Severity::kNote,
         .offset = -1,
         .message = absl::StrCat("it comes from ", place.op_name,
                                 file.empty() ? "" : " ", file),
         .remedy = "",
         .notes = {}});
  }
  return false;
}

const hlo::Metadata& Converter::MetadataOfLocation() {
  const auto [entry, is_new] = metadata_.try_emplace(location_);
  if (is_new) entry->second = MetadataOf(syntax_, location_);
  return entry->second;
}

bool Converter::Run() {
  for (const Function& function : syntax_.functions) {
    functions_[function.name] = &function;
  }
  const Function* entry = FindEntry();
  if (entry == nullptr || !ConvertEntry(*entry)) return false;
  module_->UniquifyNames();
  return !diagnostics_->has_errors();
}

const Function* Converter::FindEntry() {
  const Function* only = nullptr;
  int64_t count = 0;
  for (const Function& function : syntax_.functions) {
    if (function.name == "main") return &function;
    if (function.is_private) continue;
    only = &function;
    ++count;
  }
  if (count == 1) return only;
  Error(syntax_.functions.front().offset,
        absl::StrCat("the module has ", count,
                     " public functions and none is named 'main'"),
        "name the one to run 'main', or make the others private");
  return nullptr;
}

bool Converter::ConvertEntry(const Function& function) {
  hlo::Computation* computation =
      module_->AddComputation(HloName(function.name));
  computation->set_source_offset(function.offset);
  module_->set_entry(computation);
  Scope scope = {.computation = computation};
  scope_ = &scope;
  std::vector<Instruction*> results;
  const bool is_good = ConvertFunctionBody(function, &results);
  if (is_good) {
    // Checked arrays come last.
    const bool is_tuple = !checked_.empty();
    results.insert(results.end(), checked_.begin(), checked_.end());
    computation->set_root(MakeRoot(results, function.offset, is_tuple));
    AddParameterAttributes(function);
    // Callees come before callers.
    module_->MoveToEnd(computation);
  }
  scope_ = nullptr;
  return is_good;
}

// Donated arguments.
void Converter::AddParameterAttributes(const Function& function) {
  const bool is_tuple = function.results.size() + checked_.size() != 1;
  for (size_t i = 0; i < function.argument_attributes.size(); ++i) {
    const Attribute& attributes = function.argument_attributes[i];
    const Attribute* output = attributes.Find("tf.aliasing_output");
    const auto number = static_cast<int64_t>(i);
    if (output != nullptr && output->kind == AttributeKind::kInteger &&
        output->integer >= 0 &&
        output->integer < static_cast<int64_t>(function.results.size())) {
      hlo::InputOutputAlias& alias =
          module_->header().input_output_alias.emplace_back();
      if (is_tuple) alias.output_index.push_back(output->integer);
      alias.parameter_number = number;
    } else if (attributes.Find("jax.buffer_donor") != nullptr) {
      module_->header().buffer_donor.emplace_back().parameter_number = number;
    }
  }
}

Instruction* Converter::MakeRoot(const std::vector<Instruction*>& values,
                                 int64_t offset, bool is_tuple) {
  if (values.size() == 1 && !is_tuple) return values[0];
  std::vector<Shape> shapes;
  for (const Instruction* value : values) shapes.push_back(value->shape());
  return Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), values, offset);
}

hlo::Computation* Converter::ComputationOf(const std::string& name,
                                           int64_t offset) {
  const auto known = callees_.find(name);
  if (known != callees_.end()) {
    if (known->second.is_being_built) {
      Error(offset, absl::StrCat("'@", name, "' calls itself"));
      return nullptr;
    }
    return known->second.computation;
  }
  const auto found = functions_.find(name);
  if (found == functions_.end()) {
    std::vector<absl::string_view> candidates;
    for (const Function& other : syntax_.functions) {
      candidates.push_back(other.name);
    }
    Error(offset, absl::StrCat("there is no function '@", name, "'"),
          SuggestNearest(name, candidates));
    return nullptr;
  }
  const Function* function = found->second;
  constexpr int kMaxDepth = 200;
  if (depth_ >= kMaxDepth) {
    Error(offset, absl::StrCat("calls are nested more than ", kMaxDepth,
                               " levels deep"));
    return nullptr;
  }
  callees_[name] = {.is_being_built = true};
  Scope* const outer = scope_;
  ++depth_;
  hlo::Computation* computation = module_->AddComputation(HloName(name));
  computation->set_source_offset(function->offset);
  Scope scope = {.computation = computation};
  scope_ = &scope;
  std::vector<Instruction*> results;
  const bool is_good = ConvertFunctionBody(*function, &results);
  if (is_good) {
    computation->set_root(MakeRoot(results, function->offset, false));
  }
  scope_ = outer;
  --depth_;
  callees_[name] = {.computation = is_good ? computation : nullptr};
  return is_good ? computation : nullptr;
}

bool Converter::AddParameters(const Region& region) {
  bool is_good = true;
  int64_t number = 0;
  for (const ValueId id : region.arguments) {
    const Value& value = syntax_.values[static_cast<size_t>(id)];
    Shape shape;
    is_good = ShapeOf(id, value.offset, &shape) && is_good;
    Instruction* parameter = scope_->computation->AddParameter(number++, shape);
    parameter->set_name(IsGoodName(value.name) ? value.name : "parameter");
    parameter->set_source_offset(value.offset);
    scope_->values[id] = parameter;
  }
  return is_good;
}

bool Converter::ConvertFunctionBody(const Function& function,
                                    std::vector<Instruction*>* results) {
  if (!AddParameters(function.body) || !ConvertBody(function.body, results)) {
    return false;
  }
  const Operation& end = function.body.operations.back();
  bool is_same = end.operands.size() == function.results.size();
  for (size_t i = 0; is_same && i < end.operands.size(); ++i) {
    is_same =
        TypeOf(end.operands[i]).ToString() == function.results[i].ToString();
  }
  return is_same ||
         Error(end.offset, absl::StrCat("'@", function.name,
                                        "' returns other values than it "
                                        "declares"));
}

bool Converter::ConvertBody(const Region& region,
                            std::vector<Instruction*>* root) {
  bool is_good = true;
  for (const Operation& operation : region.operations) {
    const bool is_last = &operation == &region.operations.back();
    if (absl::EndsWith(operation.name, ".return") && is_last) {
      return UseOperands(operation, root) && is_good;
    }
    if (!ConvertOperation(operation)) {
      is_good = false;
      // What depends on it would be reported, too.
      for (const ValueId id : operation.results) {
        scope_->values[id] = nullptr;
      }
    }
  }
  return Error(region.operations.empty() ? region.offset
                                         : region.operations.back().offset,
               "a region ends with 'return'");
}

bool Converter::ConvertOperation(const Operation& operation) {
  const LocationId outer = std::exchange(location_, operation.location);
  const bool is_good = Dispatch(operation);
  location_ = outer;
  return is_good;
}

bool Converter::Dispatch(const Operation& operation) {
  // Of poisoned operands.
  for (const ValueId id : operation.operands) {
    const auto known = scope_->values.find(id);
    if (known != scope_->values.end() && known->second == nullptr) return false;
  }
  const auto handler = Handlers().find(operation.name);
  if (handler != Handlers().end()) return (this->*handler->second)(operation);
  if (SpecialFunctions().contains(operation.name)) {
    return ConvertSpecialFunction(operation);
  }
  const size_t dot = operation.name.find('.');
  const absl::string_view dialect =
      absl::string_view(operation.name).substr(0, dot);
  if (dialect == "stablehlo" || dialect == "chlo") {
    std::string text = operation.name.substr(dot + 1);
    std::ranges::replace(text, '_', '-');
    const std::optional<Opcode> opcode = hlo::OpcodeFromText(text);
    if (opcode && (hlo::IsElementwiseUnary(*opcode) ||
                   hlo::IsElementwiseBinary(*opcode))) {
      return ConvertElementwise(operation, *opcode);
    }
  }
  const std::vector<std::string> elementwise = ElementwiseNames();
  std::vector<absl::string_view> candidates(elementwise.begin(),
                                            elementwise.end());
  for (const auto& entry : Handlers()) candidates.push_back(entry.first);
  return Error(operation.offset,
               absl::StrCat("'", operation.name, "' is not supported yet"),
               SuggestNearest(operation.name, candidates));
}

bool Converter::ShapeOf(ValueId id, int64_t offset, Shape* shape) {
  const Type& type = TypeOf(id);
  if (type.kind != TypeKind::kTensor && type.kind != TypeKind::kTuple &&
      type.kind != TypeKind::kToken) {
    return Error(offset, absl::StrCat("values of type ", type.ToString(),
                                      " are not supported"));
  }
  if (type.shape.IsDynamic()) {
    return Error(offset,
                 absl::StrCat("sizes that are not known, as in ",
                              type.ToString(), ", are not supported"),
                 "export the program for arguments of fixed sizes");
  }
  *shape = type.shape;
  return true;
}

Instruction* Converter::Find(ValueId id) const {
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    const auto known = scope->values.find(id);
    if (known != scope->values.end()) return known->second;
  }
  return nullptr;
}

Instruction* Converter::Use(ValueId id, int64_t offset) {
  const auto known = scope_->values.find(id);
  if (known != scope_->values.end()) return known->second;
  const Instruction* outside = Find(id);
  if (outside == nullptr) return nullptr;
  Instruction* clone = CloneConstant(*outside, 0);
  if (clone == nullptr) {
    Error(offset,
          absl::StrCat("'%", syntax_.values[static_cast<size_t>(id)].name,
                       "' is computed outside of this region, which may use "
                       "constants of outside only"));
    return nullptr;
  }
  scope_->values[id] = clone;
  return clone;
}

bool Converter::UseOperands(const Operation& operation,
                            std::vector<Instruction*>* operands) {
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    Instruction* operand =
        Use(operation.operands[i], operation.operand_offsets[i]);
    if (operand == nullptr) return false;
    operands->push_back(operand);
  }
  return true;
}

// Constants and what is computed of one; null for others.
Instruction* Converter::CloneConstant(const Instruction& instruction,
                                      int depth) {
  constexpr int kMaxDepth = 8;
  const Opcode opcode = instruction.opcode();
  const bool is_leaf = opcode == Opcode::kConstant || opcode == Opcode::kIota;
  const bool is_step = opcode == Opcode::kBroadcast ||
                       opcode == Opcode::kReshape || opcode == Opcode::kConvert;
  if ((!is_leaf && !is_step) || depth > kMaxDepth) return nullptr;
  std::vector<Instruction*> operands;
  for (const Instruction* operand : instruction.operands()) {
    operands.push_back(CloneConstant(*operand, depth + 1));
    if (operands.back() == nullptr) return nullptr;
  }
  Instruction* clone =
      Add(opcode, instruction.shape(), operands, instruction.source_offset());
  for (const hlo::Attribute& attribute : instruction.attributes()) {
    clone->SetAttribute(attribute.id, attribute.value);
  }
  return clone;
}

Instruction* Converter::Add(Opcode opcode, Shape shape,
                            absl::Span<Instruction* const> operands,
                            int64_t offset) {
  Instruction* instruction = scope_->computation->Add(opcode, std::move(shape));
  instruction->set_name(std::string(hlo::TextOf(opcode)));
  instruction->set_source_offset(offset);
  for (Instruction* operand : operands) instruction->AppendOperand(operand);
  const hlo::Metadata& metadata = MetadataOfLocation();
  if (metadata != hlo::Metadata()) instruction->set_metadata(metadata);
  return instruction;
}

Instruction* Converter::AddScalarConstant(hlo::Literal literal,
                                          int64_t offset) {
  Instruction* constant = Add(Opcode::kConstant, literal.shape(), {}, offset);
  constant->set_value(std::move(literal));
  return constant;
}

Instruction* Converter::AddElement(Instruction* tuple, int64_t index,
                                   int64_t offset) {
  Instruction* element = Add(Opcode::kGetTupleElement,
                             tuple->shape().element(index), {tuple}, offset);
  element->set_index(index);
  return element;
}

bool Converter::HasOperands(const Operation& operation, size_t count) {
  if (operation.operands.size() == count) return true;
  return Error(operation.offset,
               absl::StrCat(operation.name, " takes ", count,
                            count == 1 ? " operand" : " operands", ", not ",
                            operation.operands.size()));
}

bool Converter::HasOneResult(const Operation& operation) {
  if (operation.results.size() == 1) return true;
  return Error(operation.offset,
               absl::StrCat(operation.name, " has one result, not ",
                            operation.results.size()));
}

bool Converter::ResultShape(const Operation& operation, Shape* shape) {
  std::vector<Shape> shapes(operation.results.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!ShapeOf(operation.results[i], operation.offset, &shapes[i])) {
      return false;
    }
  }
  *shape = shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
  return true;
}

Instruction* Converter::AddSimple(const Operation& operation, Opcode opcode) {
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ResultShape(operation, &shape) || !UseOperands(operation, &operands)) {
    return nullptr;
  }
  return Add(opcode, std::move(shape), operands, operation.offset);
}

bool Converter::SetResults(const Operation& operation,
                           Instruction* instruction) {
  if (instruction == nullptr) return false;
  const size_t count = operation.results.size();
  if (count != 1 &&
      (!instruction->shape().IsTuple() ||
       instruction->shape().element_count() != static_cast<int64_t>(count))) {
    return HasOneResult(operation);
  }
  if (count == 1) {
    const Value& value =
        syntax_.values[static_cast<size_t>(operation.results[0])];
    if (IsGoodName(value.name)) instruction->set_name(value.name);
    scope_->values[operation.results[0]] = instruction;
    return true;
  }
  for (size_t i = 0; i < operation.results.size(); ++i) {
    scope_->values[operation.results[i]] =
        AddElement(instruction, static_cast<int64_t>(i), operation.offset);
  }
  return true;
}

}  // namespace hilo::stablehlo
