// Shape rules of decompositions, solves, Fourier transforms and batch
// normalisation.
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

constexpr TypeClasses kFieldTypes = kFloatTypes | kComplexTypes;

// Error unless operand i is a batch of square matrices over a field.
absl::Status CheckSquareMatrices(const Instruction& instruction, int64_t i) {
  RETURN_IF_ERROR(CheckArrayOperand(instruction, i));
  RETURN_IF_ERROR(CheckOperandType(instruction, i, kFieldTypes));
  const Shape& shape = instruction.operand_shape(i);
  const int64_t rank = shape.rank();
  if (rank >= 2 && shape.dimension(rank - 2) == shape.dimension(rank - 1)) {
    return absl::OkStatus();
  }
  return InvalidArgument("operand ", i, " is ", ShapeText(shape),
                         ", expected square matrices in the last two "
                         "dimensions");
}

// Error unless operand i is a vector of `size` elements, with the element
// type of operand 0 up to precision.
absl::Status CheckFeatureVector(const Instruction& instruction, int64_t i,
                                int64_t size) {
  RETURN_IF_ERROR(CheckOperandType(instruction, i, kFloatTypes));
  const Shape& shape = instruction.operand_shape(i);
  if (shape.rank() == 1 && shape.dimension(0) == size) return absl::OkStatus();
  return InvalidArgument("operand ", i, " is ", ShapeText(shape),
                         ", expected one value for each of ", size,
                         " features");
}

// What a batch normalisation has per feature.
struct Features {
  // The vector, in the element type of the input.
  Shape vector;
  int64_t count = 0;
};

absl::StatusOr<Features> ReadFeatures(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckOperandType(instruction, 0, kFloatTypes));
  const Shape& input = instruction.operand_shape(0);
  const int64_t dimension = instruction.feature_index();
  RETURN_IF_ERROR(CheckDimension(dimension, input.rank(), "feature_index"));
  const int64_t count = input.dimension(dimension);
  return Features{.vector = Shape::Array(input.element_type(), {count}),
                  .count = count};
}

// Error unless the transformed dimension `dimension` has `size` elements.
absl::Status CheckLength(const Shape& operand, int64_t dimension, int64_t size,
                         int64_t length) {
  if (length < 0) {
    return InvalidArgument("fft_length ", length, " is negative");
  }
  if (operand.dimension(dimension) == size) return absl::OkStatus();
  return InvalidArgument("fft_length ", length, " needs ", size,
                         " elements in operand dimension ", dimension,
                         ", which has ", operand.dimension(dimension));
}

// Elements of the last dimension of a real transform's complex side.
int64_t HalfSize(int64_t length) { return length == 0 ? 0 : length / 2 + 1; }

absl::StatusOr<ElementType> TransformedType(FftType type, ElementType operand) {
  const bool is_real = type == FftType::kRfft;
  if (is_real && operand == ElementType::kF32) return ElementType::kC64;
  if (is_real && operand == ElementType::kF64) return ElementType::kC128;
  if (is_real) {
    return InvalidArgument("RFFT takes f32 or f64, the operand is ",
                           TextOf(operand));
  }
  if (!IsComplex(operand)) {
    return InvalidArgument(TextOf(type), " takes c64 or c128, the operand is ",
                           TextOf(operand));
  }
  return type == FftType::kIrfft ? ComponentType(operand) : operand;
}

}  // namespace

absl::StatusOr<Shape> InferCholesky(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckSquareMatrices(instruction, 0));
  const Shape& operand = instruction.operand_shape(0);
  return ArrayLike(operand, operand.element_type());
}

absl::StatusOr<Shape> InferTriangularSolve(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckSquareMatrices(instruction, 0));
  RETURN_IF_ERROR(CheckArrayOperand(instruction, 1));
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
  const Shape& a = instruction.operand_shape(0);
  const Shape& b = instruction.operand_shape(1);
  const int64_t rank = a.rank();
  if (b.rank() != rank ||
      a.dimensions().first(rank - 2) != b.dimensions().first(rank - 2)) {
    return InvalidArgument("batch dimensions differ: operand 0 is ",
                           ShapeText(a), ", operand 1 is ", ShapeText(b));
  }
  const int64_t dimension = instruction.left_side() ? rank - 2 : rank - 1;
  if (a.dimension(dimension) != b.dimension(dimension)) {
    return InvalidArgument("sizes differ: the matrix has ",
                           a.dimension(dimension), " rows, dimension ",
                           dimension, " of operand 1 is ",
                           b.dimension(dimension));
  }
  return ArrayLike(b, b.element_type());
}

absl::StatusOr<Shape> InferFft(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperand(instruction, 0));
  const Shape& operand = instruction.operand_shape(0);
  const FftType fft_type = instruction.fft_type();
  ASSIGN_OR_RETURN(const ElementType type,
                   TransformedType(fft_type, operand.element_type()));
  const absl::Span<const int64_t> lengths = instruction.fft_length();
  const auto count = static_cast<int64_t>(lengths.size());
  if (count < 1 || count > 3) {
    return InvalidArgument("fft_length has ", count,
                           " entries, expected 1 to 3");
  }
  const int64_t first = operand.rank() - count;
  if (first < 0) {
    return InvalidArgument("fft_length has ", count,
                           " entries, the operand has rank ", operand.rank());
  }
  Shape result = ArrayLike(operand, type);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t length = lengths[i];
    const bool is_last = i == count - 1;
    const bool is_half = is_last && fft_type == FftType::kIrfft;
    RETURN_IF_ERROR(CheckLength(operand, first + i,
                                is_half ? HalfSize(length) : length, length));
    if (is_half) result.set_dimension(first + i, length);
    if (is_last && fft_type == FftType::kRfft) {
      result.set_dimension(first + i, HalfSize(length));
    }
  }
  return result;
}

absl::StatusOr<Shape> InferBatchNormTraining(const Instruction& instruction) {
  ASSIGN_OR_RETURN(const Features features, ReadFeatures(instruction));
  RETURN_IF_ERROR(CheckFeatureVector(instruction, 1, features.count));
  RETURN_IF_ERROR(CheckFeatureVector(instruction, 2, features.count));
  const Shape& input = instruction.operand_shape(0);
  return Shape::Tuple({ArrayLike(input, input.element_type()), features.vector,
                       features.vector});
}

absl::StatusOr<Shape> InferBatchNormInference(const Instruction& instruction) {
  ASSIGN_OR_RETURN(const Features features, ReadFeatures(instruction));
  for (int64_t i = 1; i < 5; ++i) {
    RETURN_IF_ERROR(CheckFeatureVector(instruction, i, features.count));
  }
  const Shape& input = instruction.operand_shape(0);
  return ArrayLike(input, input.element_type());
}

absl::StatusOr<Shape> InferBatchNormGrad(const Instruction& instruction) {
  ASSIGN_OR_RETURN(const Features features, ReadFeatures(instruction));
  for (int64_t i = 1; i < 4; ++i) {
    RETURN_IF_ERROR(CheckFeatureVector(instruction, i, features.count));
  }
  RETURN_IF_ERROR(CheckOperandType(instruction, 4, kFloatTypes));
  RETURN_IF_ERROR(CheckSameDimensions(instruction, 0, 4));
  const Shape& input = instruction.operand_shape(0);
  return Shape::Tuple({ArrayLike(input, input.element_type()), features.vector,
                       features.vector});
}

}  // namespace hilo::hlo
