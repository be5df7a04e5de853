// Shape rules of opcodes that rearrange elements.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

absl::Status CheckSameElementCount(const Shape& from, const Shape& to) {
  if (from.ElementCount() == to.ElementCount()) return absl::OkStatus();
  return InvalidArgument("element counts differ: operand 0 ", ShapeText(from),
                         " has ", from.ElementCount(), ", the result ",
                         ShapeText(to), " has ", to.ElementCount());
}

// Bits of one stored element; a pred takes a byte.
int64_t StoredBits(ElementType type) {
  return type == ElementType::kPred ? 8 : InfoOf(type).bits;
}

// The dimensions of a bitcast-convert's result.
absl::StatusOr<DimensionVector> BitcastDimensions(const Shape& from,
                                                  ElementType to) {
  const int64_t from_bits = StoredBits(from.element_type());
  const int64_t to_bits = StoredBits(to);
  DimensionVector dimensions(from.dimensions().begin(),
                             from.dimensions().end());
  if (from_bits == to_bits) return dimensions;
  if (from_bits > to_bits && from_bits % to_bits == 0) {
    dimensions.push_back(from_bits / to_bits);
    return dimensions;
  }
  if (from_bits < to_bits && to_bits % from_bits == 0 && from.rank() > 0 &&
      dimensions.back() == to_bits / from_bits) {
    dimensions.pop_back();
    return dimensions;
  }
  return InvalidArgument("the bits of ", ShapeText(from), " are no array of ",
                         TextOf(to), "; its last dimension must hold ", to_bits,
                         " bits");
}

// n + (n - 1) * interior + low + high.
absl::StatusOr<int64_t> PaddedSize(int64_t size, const PaddingDimension& pad,
                                   int64_t dimension) {
  if (pad.interior < 0) {
    return InvalidArgument("interior padding of dimension ", dimension,
                           " is negative: ", pad.interior);
  }
  int64_t holes = 0;
  int64_t padded = 0;
  const bool overflow =
      (size > 1 && __builtin_mul_overflow(size - 1, pad.interior, &holes)) ||
      __builtin_add_overflow(size, holes, &padded) ||
      __builtin_add_overflow(padded, pad.low, &padded) ||
      __builtin_add_overflow(padded, pad.high, &padded);
  if (overflow || padded < 0) {
    return InvalidArgument(
        "padding ", pad.low, "_", pad.high, "_", pad.interior, " of dimension ",
        dimension, " with ", size, " elements gives ",
        overflow ? "more than 2^63-1" : "fewer than 0", " elements");
  }
  return padded;
}

absl::StatusOr<int64_t> SlicedSize(int64_t size, const SliceDimension& slice,
                                   int64_t dimension) {
  if (slice.start < 0 || slice.limit < slice.start || slice.limit > size) {
    return InvalidArgument("slice [", slice.start, ":", slice.limit,
                           "] of dimension ", dimension, " is not within its ",
                           size, " elements");
  }
  if (slice.stride < 1) {
    return InvalidArgument("stride of dimension ", dimension, " is ",
                           slice.stride, ", expected at least 1");
  }
  const int64_t length = slice.limit - slice.start;
  return length / slice.stride + (length % slice.stride != 0 ? 1 : 0);
}

// The layout that moves no element: result dimension i is dimension
// permutation[i] of an array laid out as `layout`.
Layout PermuteLayout(const Layout& layout,
                     absl::Span<const int64_t> permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[permutation[i]] = static_cast<int64_t>(i);
  }
  Layout result = layout;
  for (int64_t& dimension : result.minor_to_major) {
    dimension = inverse[dimension];
  }
  return result;
}

}  // namespace

absl::StatusOr<Shape> InferBitcast(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckDeclaredArray(instruction));
  const Shape& from = instruction.operand_shape(0);
  const Shape& to = instruction.shape();
  int64_t from_bits = 0;
  int64_t to_bits = 0;
  const bool overflow =
      __builtin_mul_overflow(from.ElementCount(), from.BufferElementBits(),
                             &from_bits) ||
      __builtin_mul_overflow(to.ElementCount(), to.BufferElementBits(),
                             &to_bits);
  if (overflow || from_bits != to_bits) {
    return InvalidArgument("buffer sizes differ: operand 0 is ", ToString(from),
                           ", the result is ", ToString(to));
  }
  return to;
}

absl::StatusOr<Shape> InferBitcastConvert(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckDeclaredArray(instruction));
  const Shape& from = instruction.operand_shape(0);
  const ElementType to = instruction.shape().element_type();
  if (from.element_type() != to &&
      (IsComplex(from.element_type()) || IsComplex(to))) {
    return InvalidArgument("cannot reinterpret ", TextOf(from.element_type()),
                           " as ", TextOf(to));
  }
  ASSIGN_OR_RETURN(const DimensionVector dimensions,
                   BitcastDimensions(from, to));
  return Shape::Array(to, dimensions);
}

absl::StatusOr<Shape> InferBroadcast(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckDeclaredArray(instruction));
  const Shape& from = instruction.operand_shape(0);
  const Shape& to = instruction.shape();
  RETURN_IF_ERROR(CheckDeclaredType(instruction, from.element_type()));
  const DimensionVector& dimensions = instruction.dimensions();
  if (static_cast<int64_t>(dimensions.size()) != from.rank()) {
    return InvalidArgument("dimensions lists ", dimensions.size(),
                           " dimensions, but operand 0 is ", ShapeText(from));
  }
  RETURN_IF_ERROR(CheckDimensions(dimensions, to.rank(), "dimension"));
  for (int64_t i = 0; i < from.rank(); ++i) {
    if (from.dimension(i) == to.dimension(dimensions[i])) continue;
    return InvalidArgument("sizes differ: operand dimension ", i, " is ",
                           from.dimension(i), ", result dimension ",
                           dimensions[i], " is ", to.dimension(dimensions[i]));
  }
  return to;
}

absl::StatusOr<Shape> InferConcatenate(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 1));
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const Shape& first = instruction.operand_shape(0);
  ASSIGN_OR_RETURN(const int64_t along,
                   OnlyDimension(instruction, first.rank()));
  Shape result = ArrayLike(first, first.element_type());
  for (int64_t i = 1; i < instruction.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckSameElementType(instruction, 0, i));
    const Shape& shape = instruction.operand_shape(i);
    if (shape.rank() != first.rank()) {
      return InvalidArgument("ranks differ: operand 0 is ", ShapeText(first),
                             ", operand ", i, " is ", ShapeText(shape));
    }
    int64_t total = result.dimension(along);
    if (__builtin_add_overflow(total, shape.dimension(along), &total)) {
      return InvalidArgument(
          "the result has more than 2^63-1 elements along "
          "dimension ",
          along);
    }
    result.set_dimension(along, total);
    for (int64_t d = 0; d < shape.rank(); ++d) {
      CopyDynamic(shape, d, &result, d);
      if (d == along || shape.dimension(d) == first.dimension(d)) continue;
      return InvalidArgument("sizes of dimension ", d, " differ: operand 0 is ",
                             ShapeText(first), ", operand ", i, " is ",
                             ShapeText(shape));
    }
  }
  return result;
}

absl::StatusOr<Shape> InferCopy(const Instruction& instruction) {
  return WithoutLayout(instruction.operand_shape(0));
}

absl::StatusOr<Shape> InferCopyDone(const Instruction& instruction) {
  const Shape& started = instruction.operand_shape(0);
  if (!started.IsTuple() || started.element_count() == 0) {
    return InvalidArgument("operand 0 is ", ShapeText(started),
                           ", expected what copy-start gives");
  }
  return started.element(0);
}

absl::StatusOr<Shape> InferCopyStart(const Instruction& instruction) {
  const Shape& source = instruction.operand_shape(0);
  return Shape::Tuple({source, source, Shape::Scalar(ElementType::kU32)});
}

absl::StatusOr<Shape> InferPad(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckScalarOperand(instruction, 1));
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
  const Shape& operand = instruction.operand_shape(0);
  const PaddingConfig& padding = instruction.padding();
  if (static_cast<int64_t>(padding.size()) != operand.rank()) {
    return InvalidArgument("padding has ", padding.size(),
                           " dimensions, but operand 0 is ",
                           ShapeText(operand));
  }
  Shape result = ArrayLike(operand, operand.element_type());
  for (int64_t i = 0; i < operand.rank(); ++i) {
    ASSIGN_OR_RETURN(const int64_t size,
                     PaddedSize(operand.dimension(i), padding[i], i));
    result.set_dimension(i, size);
  }
  return result;
}

absl::StatusOr<Shape> InferReshape(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckDeclaredArray(instruction));
  const Shape& operand = instruction.operand_shape(0);
  RETURN_IF_ERROR(CheckDeclaredType(instruction, operand.element_type()));
  RETURN_IF_ERROR(CheckSameElementCount(operand, instruction.shape()));
  if (instruction.has_inferred_dimension()) {
    RETURN_IF_ERROR(CheckDimension(instruction.inferred_dimension(),
                                   instruction.shape().rank(),
                                   "inferred_dimension"));
  }
  return instruction.shape();
}

absl::StatusOr<Shape> InferReverse(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const Shape& operand = instruction.operand_shape(0);
  RETURN_IF_ERROR(
      CheckDimensions(instruction.dimensions(), operand.rank(), "dimension"));
  return ArrayLike(operand, operand.element_type());
}

absl::StatusOr<Shape> InferSlice(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const Shape& operand = instruction.operand_shape(0);
  const SliceDimensions& slice = instruction.slice();
  if (static_cast<int64_t>(slice.size()) != operand.rank()) {
    return InvalidArgument("slice has ", slice.size(),
                           " dimensions, but operand 0 is ",
                           ShapeText(operand));
  }
  Shape result = ArrayLike(operand, operand.element_type());
  for (int64_t i = 0; i < operand.rank(); ++i) {
    ASSIGN_OR_RETURN(const int64_t size,
                     SlicedSize(operand.dimension(i), slice[i], i));
    if (size != operand.dimension(i)) result.set_dynamic_dimension(i, false);
    result.set_dimension(i, size);
  }
  return result;
}

absl::StatusOr<Shape> InferTranspose(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const Shape& operand = instruction.operand_shape(0);
  const DimensionVector& permutation = instruction.dimensions();
  if (static_cast<int64_t>(permutation.size()) != operand.rank()) {
    return InvalidArgument("dimensions lists ", permutation.size(),
                           " dimensions, but operand 0 is ",
                           ShapeText(operand));
  }
  RETURN_IF_ERROR(CheckDimensions(permutation, operand.rank(), "dimension"));
  DimensionVector dimensions;
  for (const int64_t dimension : permutation) {
    dimensions.push_back(operand.dimension(dimension));
  }
  Shape result = Shape::Array(operand.element_type(), dimensions);
  for (int64_t i = 0; i < operand.rank(); ++i) {
    CopyDynamic(operand, permutation[i], &result, i);
  }
  result.set_layout(PermuteLayout(operand.layout(), permutation));
  return result;
}

}  // namespace hilo::hlo
