// Shape rules of reductions and of map.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/called_computations.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/shape_inference.h"
#include "hlo/ops/windows.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// The operands of a reduction: arrays of the same dimensions, then as many
// scalars.
struct ReductionOperands {
  std::vector<Shape> inputs;
  std::vector<Shape> inits;
};

absl::StatusOr<ReductionOperands> SplitOperands(
    const Instruction& instruction) {
  const int64_t count = instruction.operand_count();
  if (count == 0 || count % 2 != 0) {
    return InvalidArgument("got ", count,
                           " operands, expected arrays and as many initial "
                           "values");
  }
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  ReductionOperands operands;
  for (int64_t i = 0; i < count / 2; ++i) {
    RETURN_IF_ERROR(CheckSameDimensions(instruction, 0, i));
    RETURN_IF_ERROR(CheckScalarOperand(instruction, count / 2 + i));
    operands.inputs.push_back(instruction.operand_shape(i));
    operands.inits.push_back(instruction.operand_shape(count / 2 + i));
  }
  return operands;
}

// One array, or a tuple of arrays, with the dimensions of `shape`.
Shape ResultOf(const Shape& shape, const std::vector<ElementType>& types) {
  if (types.size() == 1) return ArrayLike(shape, types[0]);
  std::vector<Shape> results;
  results.reserve(types.size());
  for (const ElementType type : types) {
    results.push_back(ArrayLike(shape, type));
  }
  return Shape::Tuple(std::move(results));
}

// `shape` after the window; dynamic dimensions stay dynamic.
absl::StatusOr<Shape> WindowShape(const Shape& shape, const Window& window) {
  RETURN_IF_ERROR(CheckWindow(window, shape.rank()));
  Shape result = ArrayLike(shape, shape.element_type());
  for (int64_t i = 0; i < shape.rank(); ++i) {
    ASSIGN_OR_RETURN(
        const int64_t size,
        WindowOutputSize(shape.dimension(i), window.dimensions[i]));
    result.set_dimension(i, size);
  }
  return result;
}

absl::Status CheckMapDimensions(const Instruction& instruction, int64_t rank) {
  const DimensionVector& dimensions = instruction.dimensions();
  if (dimensions.empty()) return absl::OkStatus();
  DimensionVector all(rank);
  std::iota(all.begin(), all.end(), 0);
  if (dimensions == all) return absl::OkStatus();
  return InvalidArgument("dimensions must list all ", rank,
                         " dimensions in order");
}

}  // namespace

absl::StatusOr<Shape> InferMap(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 1));
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  // Scalars go with any array.
  int64_t widest = 0;
  std::vector<Shape> parameters;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape& shape = instruction.operand_shape(i);
    if (shape.rank() > instruction.operand_shape(widest).rank()) widest = i;
    parameters.push_back(Shape::Scalar(shape.element_type()));
  }
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (instruction.operand_shape(i).IsScalar()) continue;
    RETURN_IF_ERROR(CheckSameDimensions(instruction, widest, i));
  }
  const Shape& shape = instruction.operand_shape(widest);
  RETURN_IF_ERROR(CheckMapDimensions(instruction, shape.rank()));
  const Computation& function = *instruction.to_apply();
  RETURN_IF_ERROR(CheckParameters(function, "to_apply", parameters,
                                  FloatPrecision::kExact));
  ASSIGN_OR_RETURN(const Shape root, RootShape(function, "to_apply"));
  if (!root.IsScalar()) {
    return InvalidArgument("the root of to_apply is ", ShapeText(root),
                           ", expected a scalar");
  }
  return ArrayLike(shape, root.element_type());
}

absl::StatusOr<Shape> InferReduce(const Instruction& instruction) {
  ASSIGN_OR_RETURN(const ReductionOperands operands,
                   SplitOperands(instruction));
  ASSIGN_OR_RETURN(const std::vector<ElementType> types,
                   CheckReducer(*instruction.to_apply(), "to_apply",
                                operands.inputs, operands.inits));
  const Shape& input = operands.inputs[0];
  const DimensionVector& reduced = instruction.dimensions();
  RETURN_IF_ERROR(CheckDimensions(reduced, input.rank(), "dimension"));
  std::vector<bool> is_reduced(input.rank(), false);
  for (const int64_t dimension : reduced) is_reduced[dimension] = true;
  DimensionVector kept;
  DimensionVector sizes;
  for (int64_t i = 0; i < input.rank(); ++i) {
    if (is_reduced[i]) continue;
    kept.push_back(i);
    sizes.push_back(input.dimension(i));
  }
  Shape result = Shape::Array(types[0], sizes);
  for (size_t i = 0; i < kept.size(); ++i) {
    CopyDynamic(input, kept[i], &result, static_cast<int64_t>(i));
  }
  return ResultOf(result, types);
}

absl::StatusOr<Shape> InferReduceWindow(const Instruction& instruction) {
  ASSIGN_OR_RETURN(const ReductionOperands operands,
                   SplitOperands(instruction));
  ASSIGN_OR_RETURN(const std::vector<ElementType> types,
                   CheckReducer(*instruction.to_apply(), "to_apply",
                                operands.inputs, operands.inits));
  ASSIGN_OR_RETURN(const Shape result,
                   WindowShape(operands.inputs[0], instruction.window()));
  return ResultOf(result, types);
}

absl::StatusOr<Shape> InferSelectAndScatter(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckScalarOperand(instruction, 2));
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 2));
  const Shape& operand = instruction.operand_shape(0);
  const Shape& source = instruction.operand_shape(1);
  for (const WindowDimension& d : instruction.window().dimensions) {
    if (d.base_dilation == 1 && d.window_dilation == 1) continue;
    return InvalidArgument("the window is dilated by ", d.base_dilation,
                           " and ", d.window_dilation, ", expected 1 and 1");
  }
  ASSIGN_OR_RETURN(const Shape windows,
                   WindowShape(operand, instruction.window()));
  if (!SameDimensions(windows, source)) {
    return InvalidArgument("the source is ", ShapeText(source),
                           ", but the windows of operand 0 give ",
                           ShapeText(windows));
  }
  const Shape& element = instruction.operand_shape(2);
  const std::vector<Shape> pair = {element, element};
  RETURN_IF_ERROR(CheckParameters(*instruction.select(), "select", pair,
                                  FloatPrecision::kExact));
  RETURN_IF_ERROR(CheckRoot(*instruction.select(), "select",
                            Shape::Scalar(ElementType::kPred),
                            FloatPrecision::kExact));
  RETURN_IF_ERROR(CheckParameters(*instruction.scatter(), "scatter", pair,
                                  FloatPrecision::kExact));
  RETURN_IF_ERROR(CheckRoot(*instruction.scatter(), "scatter", element,
                            FloatPrecision::kExact));
  return ArrayLike(operand, operand.element_type());
}

}  // namespace hilo::hlo
