// Evaluates custom calls that select the first elements of an order.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/eval/custom_call.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// An instruction of another opcode that is evaluated in place of the call.
class Substitute {
 public:
  Substitute(const Instruction& call, Opcode opcode, Shape shape,
             absl::Span<const Literal> operands)
      : module_("substitute") {
    Computation* computation = module_.AddComputation("entry");
    std::vector<Instruction*> parameters;
    parameters.reserve(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      parameters.push_back(computation->AddParameter(static_cast<int64_t>(i),
                                                     operands[i].shape()));
    }
    instruction_ = computation->Add(opcode, std::move(shape));
    instruction_->set_name(call.name());
    for (Instruction* parameter : parameters) {
      instruction_->AppendOperand(parameter);
    }
  }

  Instruction& instruction() { return *instruction_; }

 private:
  Module module_;
  Instruction* instruction_ = nullptr;
};

// Whether the comparator asks for the smallest elements.
bool WantsSmallest(const Instruction& call) {
  for (const Computation* computation : call.called_computations()) {
    const Instruction* root = computation->root();
    if (root->opcode() != Opcode::kCompare) continue;
    const bool is_less = root->direction() == ComparisonDirection::kLt ||
                         root->direction() == ComparisonDirection::kLe;
    const bool is_swapped = root->operand(0)->opcode() == Opcode::kParameter &&
                            root->operand(0)->parameter_number() % 2 == 1;
    return is_less != is_swapped;
  }
  return false;
}

// The dimension that the selection shortens: as the configuration says
// ("reduction_dim": 1, or = 1), else where the shapes differ, else the last.
int64_t ReductionDimension(const Instruction& call, const Shape& result) {
  const Shape& operand = call.operand_shape(0);
  const absl::string_view config = call.backend_config();
  constexpr absl::string_view kKey = "reduction_dim";
  size_t position = config.find(kKey);
  if (position != absl::string_view::npos) {
    position = config.find_first_of("-0123456789", position + kKey.size());
    const size_t end = config.find_first_not_of("-0123456789", position);
    int64_t dimension = 0;
    if (position != absl::string_view::npos &&
        absl::SimpleAtoi(config.substr(position, end - position), &dimension)) {
      return dimension < 0 ? dimension + operand.rank() : dimension;
    }
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (operand.dimension(i) != result.dimension(i)) return i;
  }
  return operand.rank() - 1;
}

// Error unless `count` operands and as many initial values fit the results.
absl::Status CheckApproximateTopK(const Instruction& call,
                                  absl::Span<const Literal> operands,
                                  size_t count) {
  if (operands.empty() || operands.size() != 2 * count) {
    return InvalidArgument("expected as many initial values as operands, got ",
                           operands.size(), " in all");
  }
  const size_t results =
      call.shape().IsTuple() ? call.shape().elements().size() : 1;
  if (results != count || call.called_computations().size() != 1) {
    return InvalidArgument("expected one result for each of ", count,
                           " operands, and one comparator");
  }
  const Computation& comparator = *call.called_computations()[0];
  if (comparator.parameter_count() != static_cast<int64_t>(2 * count)) {
    return InvalidArgument("the comparator has ", comparator.parameter_count(),
                           " parameters, expected ", 2 * count);
  }
  for (size_t i = 0; i < count; ++i) {
    const Shape& operand = operands[i].shape();
    const Shape& result = ResultShape(call, static_cast<int64_t>(i));
    if (!operand.IsArray() || operand.rank() == 0 ||
        !SameDimensions(operand, operands[0].shape()) || !result.IsArray() ||
        result.rank() != operand.rank() ||
        result.element_type() != operand.element_type() ||
        !Compatible(operands[count + i].shape(),
                    Shape::Scalar(operand.element_type()))) {
      return InvalidArgument("operand ", i, " is ", ToString(operand),
                             ", its result ", ToString(result));
    }
  }
  return absl::OkStatus();
}

// Cuts or extends one dimension to the size that `shape` has.
absl::StatusOr<Literal> Resize(const Instruction& call, const Shape& shape,
                               int64_t dimension, Literal operand,
                               const Literal& initial,
                               EvaluationContext& context) {
  PaddingConfig padding(shape.rank());
  padding[dimension].high =
      shape.dimension(dimension) - operand.shape().dimension(dimension);
  std::vector<Literal> operands;
  operands.push_back(std::move(operand));
  operands.push_back(initial);
  Substitute pad(call, Opcode::kPad, shape, operands);
  pad.instruction().set_padding(std::move(padding));
  return EvaluatePad(pad.instruction(), absl::MakeSpan(operands), context);
}

}  // namespace

// operand -> (values, indices) of the last dimension.
absl::StatusOr<Literal> EvaluateTopKCall(const Instruction& instruction,
                                         absl::Span<Literal> operands,
                                         EvaluationContext& context) {
  const Shape& shape = instruction.shape();
  if (operands.size() != 1 || !operands[0].shape().IsArray() ||
      operands[0].shape().rank() == 0 || !shape.IsTuple() ||
      shape.element_count() != 2) {
    return InvalidArgument("expected an array, and values and indices of it");
  }
  const Shape& operand = operands[0].shape();
  Shape expected = WithoutLayout(operand);
  const int64_t last = operand.rank() - 1;
  const Shape& values = shape.element(0);
  const int64_t k =
      values.IsArray() && values.rank() > last ? values.dimension(last) : 0;
  expected.set_dimension(last, k);
  if (k > operand.dimension(last) || !Compatible(values, expected) ||
      !Compatible(shape.element(1),
                  WithElementType(expected, ElementType::kS32))) {
    return InvalidArgument("the result of ", ToString(operand), " is ",
                           ToString(shape));
  }
  Substitute topk(instruction, Opcode::kTopK, shape, operands);
  topk.instruction().set_k(k);
  topk.instruction().set_largest(!WantsSmallest(instruction));
  return EvaluateTopK(topk.instruction(), operands, context);
}

// (operands..., initial values...) -> the first elements of each, exactly.
absl::StatusOr<Literal> EvaluateApproximateTopK(const Instruction& instruction,
                                                absl::Span<Literal> operands,
                                                EvaluationContext& context) {
  const size_t count = operands.size() / 2;
  RETURN_IF_ERROR(CheckApproximateTopK(instruction, operands, count));
  const int64_t dimension =
      ReductionDimension(instruction, ResultShape(instruction, 0));
  if (dimension < 0 || dimension >= operands[0].shape().rank()) {
    return InvalidArgument("reduction_dim is ", dimension, ", the rank is ",
                           operands[0].shape().rank());
  }
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count; ++i) {
    shapes.push_back(WithoutLayout(operands[i].shape()));
    Shape cut = shapes.back();
    const Shape& result = ResultShape(instruction, static_cast<int64_t>(i));
    cut.set_dimension(dimension, result.dimension(dimension));
    if (!Compatible(cut, result)) {
      return InvalidArgument("operand ", i, " is ", ToString(shapes.back()),
                             ", its result ", ToString(result));
    }
  }
  const absl::Span<Literal> arrays = operands.first(count);
  Substitute sort(instruction, Opcode::kSort,
                  count == 1 ? shapes[0] : Shape::Tuple(shapes), arrays);
  sort.instruction().set_dimensions({dimension});
  sort.instruction().set_is_stable(true);
  sort.instruction().set_to_apply(instruction.called_computations()[0]);
  ASSIGN_OR_RETURN(Literal sorted,
                   EvaluateSort(sort.instruction(), arrays, context));
  std::vector<Literal> results;
  if (count == 1) {
    results.push_back(std::move(sorted));
  } else {
    results = std::move(sorted).TakeElements();
  }
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(
        results[i],
        Resize(instruction, ResultShape(instruction, static_cast<int64_t>(i)),
               dimension, std::move(results[i]), operands[count + i], context));
  }
  if (!instruction.shape().IsTuple()) return std::move(results[0]);
  return Literal::Tuple(std::move(results));
}

}  // namespace hilo::hlo
