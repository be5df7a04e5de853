// Operations with regions, and calls.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/attribute_text.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

}  // namespace

hlo::Computation* Converter::ConvertRegion(const Operation& operation,
                                           size_t region,
                                           absl::string_view name) {
  if (region >= operation.regions.size()) {
    Error(operation.offset, absl::StrCat(operation.name, " needs a region"));
    return nullptr;
  }
  const Region& body = operation.regions[region];
  Scope scope = {.computation = module_->AddComputation(std::string(name)),
                 .outer = scope_};
  scope.computation->set_source_offset(body.offset);
  scope_ = &scope;
  std::vector<Instruction*> results;
  const bool is_good = AddParameters(body) && ConvertBody(body, &results);
  if (is_good) {
    scope.computation->set_root(MakeRoot(results, body.offset, false));
  }
  scope_ = scope.outer;
  return is_good ? scope.computation : nullptr;
}

hlo::Computation* Converter::ConvertTupleRegion(
    const Region& region, const std::vector<ValueId>& captured,
    absl::string_view name, bool returns_captured, bool is_tuple) {
  Scope scope = {.computation = module_->AddComputation(std::string(name)),
                 .outer = scope_};
  scope.computation->set_source_offset(region.offset);
  std::vector<ValueId> ids = region.arguments;
  ids.insert(ids.end(), captured.begin(), captured.end());
  scope_ = &scope;
  bool is_good = true;
  std::vector<Shape> shapes(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    is_good = ShapeOf(ids[i], region.offset, &shapes[i]) && is_good;
  }
  Instruction* parameter =
      scope.computation->AddParameter(0, Shape::Tuple(std::move(shapes)));
  parameter->set_name("state");
  parameter->set_source_offset(region.offset);
  for (size_t i = 0; i < ids.size(); ++i) {
    scope.values[ids[i]] =
        AddElement(parameter, static_cast<int64_t>(i), region.offset);
  }
  std::vector<Instruction*> results;
  is_good = is_good && ConvertBody(region, &results);
  if (is_good) {
    if (returns_captured) {
      for (const ValueId id : captured) results.push_back(scope.values[id]);
    }
    scope.computation->set_root(MakeRoot(results, region.offset, is_tuple));
  }
  scope_ = scope.outer;
  return is_good ? scope.computation : nullptr;
}

// Values of outside that are no constants, in the order of their uses.
void Converter::FindCaptured(const Region& region,
                             std::vector<ValueId>* captured) const {
  absl::flat_hash_set<ValueId> inside;
  absl::flat_hash_set<ValueId> seen(captured->begin(), captured->end());
  const auto visit = [&](const Region& inner, const auto& self) -> void {
    inside.insert(inner.arguments.begin(), inner.arguments.end());
    for (const Operation& operation : inner.operations) {
      for (const ValueId id : operation.operands) {
        if (inside.contains(id) || !seen.insert(id).second) continue;
        const Instruction* value = Find(id);
        const bool is_constant =
            value != nullptr && value->opcode() == Opcode::kConstant;
        if (!is_constant) captured->push_back(id);
      }
      for (const Region& nested : operation.regions) self(nested, self);
      inside.insert(operation.results.begin(), operation.results.end());
    }
  };
  visit(region, visit);
}

// What HLO computes itself; the decomposition says what others mean.
bool Converter::ConvertComposite(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const std::string name = reader.String("name");
  const Attribute* attributes =
      operation.attributes.Find("composite_attributes");
  constexpr std::array<absl::string_view, 11> kKnown = {
      "chlo.acos",       "chlo.acosh", "chlo.asin", "chlo.asinh",
      "chlo.atanh",      "chlo.cosh",  "chlo.erf",  "chlo.mulhi",
      "chlo.ragged_dot", "chlo.sinh",  "chlo.top_k"};
  absl::string_view needed;
  if (name == "chlo.top_k") needed = "k";
  if (name == "chlo.ragged_dot") needed = "ragged_dot_dimension_numbers";
  const bool is_complete =
      needed.empty() ||
      (attributes != nullptr && attributes->Find(needed) != nullptr);
  if (std::ranges::find(kKnown, name) != kKnown.end() && is_complete) {
    Operation known = operation;
    known.name = name;
    known.attributes = attributes == nullptr ? Attribute() : *attributes;
    return Dispatch(known);
  }
  if (!operation.regions.empty()) {
    reader.Error("regions are not supported");
    return false;
  }
  if (!reader.ok() || !CallFunction(operation, "decomposition")) return false;
  if (operation.results.empty()) return true;
  Instruction* call = scope_->values[operation.results[0]];
  if (call->opcode() == Opcode::kGetTupleElement) call = call->operand(0);
  call->set_is_composite(true);
  call->set_frontend_attributes(
      {{"composite.attributes",
        attributes == nullptr ? "{}" : AttributeText(*attributes)},
       {"composite.name", name},
       {"composite.version", absl::StrCat(reader.Integer("version", 0))}});
  return true;
}

bool Converter::CallRegion(const Operation& operation) {
  hlo::Computation* body = ConvertRegion(operation, 0, "body");
  if (body == nullptr) return false;
  Instruction* call = AddSimple(operation, Opcode::kCall);
  if (call == nullptr) return false;
  call->set_to_apply(body);
  return SetResults(operation, call);
}

bool Converter::ConvertWhile(const Operation& operation) {
  if (operation.regions.size() != 2 ||
      operation.regions[0].arguments.size() != operation.operands.size() ||
      operation.regions[1].arguments.size() != operation.operands.size() ||
      operation.results.size() != operation.operands.size()) {
    return Error(operation.offset,
                 "a loop has a condition and a body, both of all its values");
  }
  std::vector<ValueId> captured;
  FindCaptured(operation.regions[0], &captured);
  FindCaptured(operation.regions[1], &captured);
  std::vector<Instruction*> state;
  if (!UseOperands(operation, &state)) return false;
  for (const ValueId id : captured) {
    Instruction* value = Use(id, operation.offset);
    if (value == nullptr) return false;
    state.push_back(value);
  }
  for (size_t i = 0; i < operation.results.size(); ++i) {
    const Shape& shape = state[i]->shape();
    if (!Refine(operation, operation.results[i], shape) ||
        !Refine(operation, operation.regions[0].arguments[i], shape) ||
        !Refine(operation, operation.regions[1].arguments[i], shape)) {
      return false;
    }
  }
  hlo::Computation* condition =
      ConvertTupleRegion(operation.regions[0], captured, "condition",
                         /*returns_captured=*/false, /*is_tuple=*/false);
  hlo::Computation* body =
      ConvertTupleRegion(operation.regions[1], captured, "body",
                         /*returns_captured=*/true, /*is_tuple=*/true);
  if (condition == nullptr || body == nullptr) return false;
  Instruction* init = MakeRoot(state, operation.offset, true);
  Instruction* loop =
      Add(Opcode::kWhile, init->shape(), {init}, operation.offset);
  loop->set_condition(condition);
  loop->set_body(body);
  for (size_t i = 0; i < operation.results.size(); ++i) {
    scope_->values[operation.results[i]] =
        AddElement(loop, static_cast<int64_t>(i), operation.offset);
  }
  return true;
}

bool Converter::ConvertIf(const Operation& operation) {
  return ConvertBranches(operation, /*is_predicate=*/true);
}

bool Converter::ConvertCase(const Operation& operation) {
  return ConvertBranches(operation, /*is_predicate=*/false);
}

bool Converter::ConvertBranches(const Operation& operation, bool is_predicate) {
  if (!HasOperands(operation, 1)) return false;
  if (operation.regions.empty() ||
      (is_predicate && operation.regions.size() != 2)) {
    return Error(operation.offset,
                 absl::StrCat(operation.name, " needs its branches"));
  }
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ResultShape(operation, &shape) || !UseOperands(operation, &operands)) {
    return false;
  }
  std::vector<hlo::Computation*> branches;
  for (const Region& region : operation.regions) {
    std::vector<ValueId> captured;
    FindCaptured(region, &captured);
    std::vector<Instruction*> values;
    for (const ValueId id : captured) {
      values.push_back(Use(id, operation.offset));
      if (values.back() == nullptr) return false;
    }
    operands.push_back(MakeRoot(values, operation.offset, true));
    branches.push_back(ConvertTupleRegion(region, captured, "branch",
                                          /*returns_captured=*/false,
                                          /*is_tuple=*/false));
    if (branches.back() == nullptr) return false;
  }
  Instruction* conditional =
      Add(Opcode::kConditional, std::move(shape), operands, operation.offset);
  if (is_predicate) {
    conditional->set_true_computation(branches[0]);
    conditional->set_false_computation(branches[1]);
  } else {
    conditional->set_branch_computations(branches);
  }
  return SetResults(operation, conditional);
}

hlo::Computation* Converter::MakeReducer(hlo::ElementType type,
                                         int64_t offset) {
  const Shape scalar = Shape::Scalar(type);
  hlo::Computation* reducer = module_->AddComputation("reducer");
  reducer->set_source_offset(offset);
  Instruction* accumulator = reducer->AddParameter(0, scalar);
  accumulator->set_name("accumulator");
  Instruction* element = reducer->AddParameter(1, scalar);
  element->set_name("element");
  Instruction* folded = reducer->Add(
      type == hlo::ElementType::kPred ? Opcode::kAnd : Opcode::kAdd, scalar);
  folded->set_name("folded");
  folded->AppendOperand(accumulator);
  folded->AppendOperand(element);
  reducer->set_root(folded);
  return reducer;
}

Instruction* Converter::AddReduce(Instruction* operand,
                                  const hlo::DimensionVector& dimensions,
                                  int64_t offset) {
  const Shape& from = operand->shape();
  const hlo::ElementType type = from.element_type();
  hlo::DimensionVector kept;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (!absl::c_linear_search(dimensions, d))
      kept.push_back(from.dimension(d));
  }
  hlo::Literal initial(Shape::Scalar(type));
  if (type == hlo::ElementType::kPred) initial.mutable_data<bool>()[0] = true;
  Instruction* reduce =
      Add(Opcode::kReduce, Shape::Array(type, kept),
          {operand, AddScalarConstant(std::move(initial), offset)}, offset);
  reduce->set_dimensions(dimensions);
  reduce->set_to_apply(MakeReducer(type, offset));
  return reduce;
}

bool Converter::ConvertReduce(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const hlo::DimensionVector dimensions = reader.Integers("dimensions");
  hlo::Computation* reducer = ConvertRegion(operation, 0, "reducer");
  if (!reader.ok() || reducer == nullptr) return false;
  Instruction* reduce = AddFold(operation, Opcode::kReduce);
  if (reduce == nullptr) return false;
  reduce->set_dimensions(dimensions);
  reduce->set_to_apply(reducer);
  return SetResults(operation, reduce);
}

// Folds in the types of the region's arguments, which may be wider.
Instruction* Converter::AddFold(const Operation& operation, Opcode opcode) {
  const std::vector<ValueId>& arguments = operation.regions[0].arguments;
  const size_t count = operation.operands.size();
  Shape shape;
  std::vector<Instruction*> operands;
  if (arguments.size() != count) return AddSimple(operation, opcode);
  if (!UseOperands(operation, &operands)) return nullptr;
  bool is_promoted = false;
  for (size_t i = 0; i < count; ++i) {
    // Accumulators come first, and initial values last.
    const Type& type = TypeOf(arguments[(i + count / 2) % count]);
    const Shape& given = operands[i]->shape();
    if (type.kind != TypeKind::kTensor || !given.IsArray() ||
        type.shape.element_type() == given.element_type()) {
      continue;
    }
    operands[i] = Add(Opcode::kConvert,
                      hlo::WithElementType(given, type.shape.element_type()),
                      {operands[i]}, operation.offset);
    is_promoted = true;
  }
  if (!is_promoted) return AddSimple(operation, opcode);
  if (!ResultShape(operation, &shape)) return nullptr;
  return Add(opcode, std::move(shape), operands, operation.offset);
}

hlo::Window Converter::ReadWindow(const Operation& operation,
                                  AttributeReader* reader,
                                  const hlo::DimensionVector& sizes) {
  const auto rank = static_cast<int64_t>(sizes.size());
  const bool is_convolution = operation.name == "stablehlo.convolution";
  const hlo::DimensionVector strides =
      reader->PerDimension("window_strides", rank, 1);
  const hlo::DimensionVector base = reader->PerDimension(
      is_convolution ? "lhs_dilation" : "base_dilations", rank, 1);
  const hlo::DimensionVector dilations = reader->PerDimension(
      is_convolution ? "rhs_dilation" : "window_dilations", rank, 1);
  const hlo::DimensionVector padding =
      reader->PerDimension("padding", 2 * rank, 0);
  const hlo::DimensionVector reversed =
      reader->PerDimension("window_reversal", rank, 0);
  hlo::Window window;
  for (size_t i = 0; i < sizes.size(); ++i) {
    window.dimensions.push_back({.size = sizes[i],
                                 .stride = strides[i],
                                 .padding_low = padding[2 * i],
                                 .padding_high = padding[2 * i + 1],
                                 .base_dilation = base[i],
                                 .window_dilation = dilations[i],
                                 .reversed = reversed[i] != 0});
  }
  return window;
}

bool Converter::ConvertReduceWindow(const Operation& operation) {
  AttributeReader reader = Read(operation);
  hlo::Window window =
      ReadWindow(operation, &reader, reader.Integers("window_dimensions"));
  hlo::Computation* reducer = ConvertRegion(operation, 0, "reducer");
  if (!reader.ok() || reducer == nullptr) return false;
  Instruction* reduce = AddFold(operation, Opcode::kReduceWindow);
  if (reduce == nullptr) return false;
  reduce->set_window(std::move(window));
  reduce->set_to_apply(reducer);
  return SetResults(operation, reduce);
}

bool Converter::ConvertSelectAndScatter(const Operation& operation) {
  AttributeReader reader = Read(operation);
  hlo::Window window =
      ReadWindow(operation, &reader, reader.Integers("window_dimensions"));
  hlo::Computation* select = ConvertRegion(operation, 0, "select");
  hlo::Computation* scatter = ConvertRegion(operation, 1, "scatter");
  if (!reader.ok() || select == nullptr || scatter == nullptr) return false;
  Instruction* result = AddSimple(operation, Opcode::kSelectAndScatter);
  if (result == nullptr) return false;
  result->set_window(std::move(window));
  result->set_select(select);
  result->set_scatter(scatter);
  return SetResults(operation, result);
}

bool Converter::ConvertScatter(const Operation& operation) {
  AttributeReader reader = Read(operation);
  AttributeReader numbers = reader.Structure("scatter_dimension_numbers");
  hlo::Computation* combiner = ConvertRegion(operation, 0, "combiner");
  Instruction* scatter = AddSimple(operation, Opcode::kScatter);
  if (combiner == nullptr || scatter == nullptr) return false;
  scatter->set_update_window_dims(numbers.IntegersOrNone("update_window_dims"));
  scatter->set_inserted_window_dims(
      numbers.IntegersOrNone("inserted_window_dims"));
  scatter->set_input_batching_dims(
      numbers.IntegersOrNone("input_batching_dims"));
  scatter->set_scatter_indices_batching_dims(
      numbers.IntegersOrNone("scatter_indices_batching_dims"));
  scatter->set_scatter_dims_to_operand_dims(
      numbers.IntegersOrNone("scatter_dims_to_operand_dims"));
  scatter->set_index_vector_dim(numbers.Integer("index_vector_dim", 0));
  scatter->set_indices_are_sorted(reader.Bool("indices_are_sorted"));
  scatter->set_unique_indices(reader.Bool("unique_indices"));
  scatter->set_to_apply(combiner);
  return reader.ok() && numbers.ok() && SetResults(operation, scatter);
}

bool Converter::ConvertSort(const Operation& operation) {
  AttributeReader reader = Read(operation);
  int64_t dimension = reader.Integer("dimension", -1);
  const bool is_stable = reader.Bool("is_stable");
  hlo::Computation* comparator = ConvertRegion(operation, 0, "comparator");
  Instruction* sort = AddSimple(operation, Opcode::kSort);
  if (!reader.ok() || comparator == nullptr || sort == nullptr) return false;
  if (sort->operand_count() == 0) return HasOperands(operation, 1);
  if (dimension < 0) dimension += sort->operand_shape(0).rank();
  sort->set_dimensions({dimension});
  sort->set_is_stable(is_stable);
  sort->set_to_apply(comparator);
  return SetResults(operation, sort);
}

bool Converter::ConvertMap(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const hlo::DimensionVector dimensions = reader.Integers("dimensions");
  hlo::Computation* function = ConvertRegion(operation, 0, "function");
  Instruction* map = AddSimple(operation, Opcode::kMap);
  if (!reader.ok() || function == nullptr || map == nullptr) return false;
  map->set_dimensions(dimensions);
  map->set_to_apply(function);
  return SetResults(operation, map);
}

}  // namespace hilo::stablehlo
