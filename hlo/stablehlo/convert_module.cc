// Functions, values and checks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/shape_inference.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Names of values that are more than a number are kept.
bool IsGoodName(absl::string_view name) { return HloName(name) == name; }

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
         .message = absl::StrCat(
             "it comes from ", place.op_name,
             place.op_name.empty() || file.empty() ? "" : ", ", file),
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
  const auto read_count = [&](absl::string_view key, int64_t* count) {
    const Attribute* value = syntax_.attributes.Find(key);
    if (value != nullptr && value->integer > 0) *count = value->integer;
  };
  read_count("mhlo.num_replicas", &module_->header().replica_count);
  read_count("mhlo.num_partitions", &module_->header().num_partitions);
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
  const bool is_good =
      RefineEntryArguments(function) && ConvertFunctionBody(function, &results);
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

// Gives arguments the sizes that the caller says.
bool Converter::RefineEntryArguments(const Function& function) {
  Operation entry;
  entry.name = absl::StrCat("an argument of '@", function.name, "'");
  entry.offset = function.offset;
  const std::vector<ValueId>& ids = function.body.arguments;
  for (const auto& [number, sizes] : options_.argument_sizes) {
    if (number < 0 || std::cmp_greater_equal(number, ids.size())) {
      return Error(
          function.offset,
          absl::StrCat("'@", function.name, "' has ", ids.size(),
                       " arguments, and sizes are given for number ", number));
    }
    const ValueId id = ids[static_cast<size_t>(number)];
    const Type& type = TypeOf(id);
    const Shape shape = type.kind == TypeKind::kTensor
                            ? Shape::Array(type.shape.element_type(), sizes)
                            : Shape();
    if (type.kind != TypeKind::kTensor || !hlo::ValidateShape(shape).ok()) {
      return Error(syntax_.values[static_cast<size_t>(id)].offset,
                   absl::StrCat("{", absl::StrJoin(sizes, ","),
                                "} are no sizes of ", type.ToString()));
    }
    if (!Refine(entry, id, shape)) return false;
  }
  return true;
}

// Donated arguments, and frontend attributes.
void Converter::AddParameterAttributes(const Function& function) {
  const bool is_tuple = function.results.size() + checked_.size() != 1;
  for (size_t i = 0; i < function.argument_attributes.size(); ++i) {
    const Attribute& attributes = function.argument_attributes[i];
    const Attribute* output = attributes.Find("tf.aliasing_output");
    const auto number = static_cast<int64_t>(i);
    AddFrontendAttributes(attributes, function.offset,
                          *module_->entry()->parameter(number));
    if (output != nullptr && output->kind == AttributeKind::kInteger &&
        output->integer >= 0 &&
        std::cmp_less(output->integer, function.results.size())) {
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
  shapes.reserve(values.size());
  for (const Instruction* value : values) shapes.push_back(value->shape());
  return Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), values, offset);
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
      // No program is refused without a reason.
      if (!diagnostics_->has_errors()) {
        Error(operation.offset,
              absl::StrCat("'", operation.name, "' cannot be converted"));
      }
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

bool Converter::ShapeOf(ValueId id, int64_t offset, Shape* shape) {
  const auto known = shapes_.find(id);
  if (known != shapes_.end()) {
    *shape = known->second;
    return true;
  }
  const Type& type = TypeOf(id);
  if (type.kind != TypeKind::kTensor && type.kind != TypeKind::kTuple &&
      type.kind != TypeKind::kToken) {
    return Error(offset, absl::StrCat("values of type ", type.ToString(),
                                      " are not supported"));
  }
  if (HasOpenSizes(type.shape)) {
    return Error(offset,
                 absl::StrCat("sizes that are not known, as in ",
                              type.ToString(), ", are not supported"),
                 "give the arguments sizes, --argument-sizes=0=4x3, or export "
                 "the program for fixed ones");
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
  if (outside == nullptr) {
    // Values of operations with errors are null, and were reported.
    if (!diagnostics_->has_errors()) {
      Error(offset,
            absl::StrCat("'%", syntax_.values[static_cast<size_t>(id)].name,
                         "' is used before it is computed"));
    }
    return nullptr;
  }
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

bool Converter::ReadOperation(const Operation& operation, size_t operand_count,
                              std::vector<Instruction*>* operands,
                              Shape* shape) {
  return HasOperands(operation, operand_count) && HasOneResult(operation) &&
         ResultShape(operation, shape) && UseOperands(operation, operands);
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
  // The sizes are found when all is there that they depend on.
  const bool is_open = operation.results.size() == 1 &&
                       HasOpenSizes(TypeOf(operation.results[0]).shape) &&
                       !shapes_.contains(operation.results[0]);
  if (is_open) {
    shape = TypeOf(operation.results[0]).shape;
  } else if (!ResultShape(operation, &shape)) {
    return nullptr;
  }
  if (!UseOperands(operation, &operands)) return nullptr;
  return Add(opcode, std::move(shape), operands, operation.offset);
}

bool Converter::HasOpenSizes(const Shape& shape) {
  if (shape.IsTuple()) {
    return std::ranges::any_of(shape.elements(), &Converter::HasOpenSizes);
  }
  return std::ranges::any_of(shape.dimensions(), [](int64_t size) {
    return size == Shape::kUnboundedSize;
  });
}

bool Converter::Refine(const Operation& operation, ValueId id,
                       const Shape& shape) {
  const Shape& declared = TypeOf(id).shape;
  bool is_same = shape.rank() == declared.rank() &&
                 shape.element_type() == declared.element_type();
  for (int64_t d = 0; is_same && d < declared.rank(); ++d) {
    is_same = declared.IsUnboundedDimension(d) ||
              declared.dimension(d) == shape.dimension(d);
  }
  if (!is_same) {
    return Error(operation.offset,
                 absl::StrCat(operation.name, " gives ", ToString(shape, false),
                              ", not ", TypeOf(id).ToString()));
  }
  if (HasOpenSizes(declared)) shapes_[id] = shape;
  return true;
}

bool Converter::RefineShape(const Operation& operation,
                            Instruction* instruction) {
  if (!HasOpenSizes(instruction->shape())) return true;
  const ValueId id = operation.results[0];
  const absl::StatusOr<Shape> implied = hlo::InferImpliedShape(*instruction);
  // Says that the sizes are not known.
  if (!implied.ok() || !implied->IsArray() || HasOpenSizes(*implied)) {
    Shape shape;
    return ShapeOf(id, operation.offset, &shape);
  }
  if (!Refine(operation, id, *implied)) return false;
  instruction->set_shape(*implied);
  return true;
}

bool Converter::SetResults(const Operation& operation,
                           Instruction* instruction) {
  if (instruction == nullptr || !RefineShape(operation, instruction)) {
    return false;
  }
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
