// Shape rules of sort, topk and scan.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/called_computations.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// `shape` without or with dimension `along`, dynamic dimensions kept.
Shape RemoveDimension(const Shape& shape, int64_t along) {
  DimensionVector sizes;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i != along) sizes.push_back(shape.dimension(i));
  }
  Shape result = Shape::Array(shape.element_type(), sizes);
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i != along) CopyDynamic(shape, i, &result, i < along ? i : i - 1);
  }
  return result;
}

Shape InsertDimension(const Shape& shape, int64_t along, int64_t size) {
  DimensionVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.insert(sizes.begin() + along, size);
  Shape result = Shape::Array(shape.element_type(), sizes);
  for (int64_t i = 0; i < shape.rank(); ++i) {
    CopyDynamic(shape, i, &result, i < along ? i : i + 1);
  }
  return result;
}

// What a scan iterates over and carries.
struct ScanOperands {
  int64_t along = 0;
  int64_t length = 0;
  int64_t carry_count = 0;
  // The parameters of the body: a slice of each input, then the carries.
  std::vector<Shape> parameters;
};

absl::StatusOr<ScanOperands> SplitScanOperands(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  ScanOperands scan;
  scan.carry_count = instruction.num_carries();
  const int64_t count = instruction.operand_count();
  if (scan.carry_count < 0 || scan.carry_count >= count) {
    return InvalidArgument("num_carries is ", scan.carry_count,
                           ", but there are ", count,
                           " operands, one of them at least an input");
  }
  const Shape& first = instruction.operand_shape(0);
  ASSIGN_OR_RETURN(scan.along, OnlyDimension(instruction, first.rank()));
  scan.length = first.dimension(scan.along);
  const int64_t input_count = count - scan.carry_count;
  for (int64_t i = 0; i < input_count; ++i) {
    const Shape& input = instruction.operand_shape(i);
    if (scan.along >= input.rank() ||
        input.dimension(scan.along) != scan.length) {
      return InvalidArgument("lengths along dimension ", scan.along,
                             " differ: operand 0 is ", ShapeText(first),
                             ", operand ", i, " is ", ShapeText(input));
    }
    scan.parameters.push_back(RemoveDimension(input, scan.along));
  }
  for (int64_t i = input_count; i < count; ++i) {
    scan.parameters.push_back(WithoutLayout(instruction.operand_shape(i)));
  }
  return scan;
}

// The result of a scan whose body gives `values`: outputs, then carries.
absl::StatusOr<std::vector<Shape>> ScanResults(
    const ScanOperands& scan, const std::vector<Shape>& values) {
  const auto count = static_cast<int64_t>(values.size());
  if (count < scan.carry_count) {
    return InvalidArgument("the root of to_apply has ", count,
                           " values, but num_carries is ", scan.carry_count);
  }
  const int64_t output_count = count - scan.carry_count;
  const auto first_carry =
      static_cast<int64_t>(scan.parameters.size()) - scan.carry_count;
  std::vector<Shape> results;
  for (int64_t i = 0; i < count; ++i) {
    if (!values[i].IsArray()) {
      return InvalidArgument("value ", i, " of to_apply is ",
                             ShapeText(values[i]), ", expected an array");
    }
    if (i < output_count) {
      if (scan.along > values[i].rank()) {
        return InvalidArgument(
            "output ", i, " of to_apply is ", ShapeText(values[i]),
            ", which has no place for dimension ", scan.along);
      }
      results.push_back(InsertDimension(values[i], scan.along, scan.length));
      continue;
    }
    const Shape& carry = scan.parameters[first_carry + i - output_count];
    if (!Compatible(values[i], carry)) {
      return InvalidArgument("carry ", i - output_count, " is ",
                             ShapeText(carry), " and becomes ",
                             ShapeText(values[i]));
    }
    results.push_back(carry);
  }
  return results;
}

}  // namespace

absl::StatusOr<Shape> InferScan(const Instruction& instruction) {
  ASSIGN_OR_RETURN(const ScanOperands scan, SplitScanOperands(instruction));
  const Computation& body = *instruction.to_apply();
  RETURN_IF_ERROR(CheckParameters(body, "to_apply", scan.parameters,
                                  FloatPrecision::kExact));
  ASSIGN_OR_RETURN(const Shape root, RootShape(body, "to_apply"));
  std::vector<Shape> values =
      root.IsTuple() ? root.elements() : std::vector<Shape>{root};
  ASSIGN_OR_RETURN(std::vector<Shape> results, ScanResults(scan, values));
  if (!root.IsTuple()) return results[0];
  return Shape::Tuple(std::move(results));
}

absl::StatusOr<Shape> InferSort(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 1));
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  std::vector<Shape> parameters;
  std::vector<Shape> results;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckSameDimensions(instruction, 0, i));
    const Shape& operand = instruction.operand_shape(i);
    parameters.insert(parameters.end(), 2,
                      Shape::Scalar(operand.element_type()));
    results.push_back(ArrayLike(operand, operand.element_type()));
  }
  RETURN_IF_ERROR(
      OnlyDimension(instruction, instruction.operand_shape(0).rank()).status());
  const Computation& comparator = *instruction.to_apply();
  RETURN_IF_ERROR(CheckParameters(comparator, "to_apply", parameters,
                                  FloatPrecision::kExact));
  RETURN_IF_ERROR(CheckRoot(comparator, "to_apply",
                            Shape::Scalar(ElementType::kPred),
                            FloatPrecision::kExact));
  if (results.size() == 1) return results[0];
  return Shape::Tuple(std::move(results));
}

absl::StatusOr<Shape> InferTopK(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckOperandType(
      instruction, 0, kPredicateTypes | kIntegerTypes | kFloatTypes));
  const Shape& operand = instruction.operand_shape(0);
  if (operand.rank() == 0) {
    return InvalidArgument("operand 0 is ", ShapeText(operand),
                           ", expected at least one dimension");
  }
  const int64_t last = operand.rank() - 1;
  const int64_t k = instruction.k();
  if (k < 0 || k > operand.dimension(last)) {
    return InvalidArgument("k is ", k, ", but the last dimension has ",
                           operand.dimension(last), " elements");
  }
  Shape values = ArrayLike(operand, operand.element_type());
  values.set_dimension(last, k);
  values.set_dynamic_dimension(last, false);
  const Shape indices = WithElementType(values, ElementType::kS32);
  return Shape::Tuple({values, indices});
}

}  // namespace hilo::hlo
