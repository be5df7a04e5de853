// The checks that the shape rules share.
#include "hlo/ops/checks.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// "float, complex".
std::string ClassTexts(TypeClasses classes) {
  constexpr auto kTexts =
      std::to_array<std::pair<ElementClass, absl::string_view>>({
          {ElementClass::kPredicate, "pred"},
          {ElementClass::kSigned, "signed integer"},
          {ElementClass::kUnsigned, "unsigned integer"},
          {ElementClass::kFloat, "float"},
          {ElementClass::kComplex, "complex"},
      });
  std::vector<absl::string_view> texts;
  for (const auto& [element_class, text] : kTexts) {
    if ((classes & ClassBit(element_class)) != 0) texts.push_back(text);
  }
  return absl::StrJoin(texts, ", ");
}

absl::Status CheckBounded(const Shape& shape, absl::string_view what) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.IsUnboundedDimension(i)) {
      return Unimplemented("dimension ", i, " of ", what, " ", ShapeText(shape),
                           " is unbounded; state a bound");
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string ShapeText(const Shape& shape) {
  return ToString(shape, /*with_layout=*/false);
}

absl::Status CheckArrayOperand(const Instruction& instruction, int64_t i) {
  const Shape& shape = instruction.operand_shape(i);
  if (!shape.IsArray()) {
    return InvalidArgument("operand ", i, " is ", ShapeText(shape),
                           ", expected an array");
  }
  return CheckBounded(shape, absl::StrCat("operand ", i));
}

absl::Status CheckArrayOperands(const Instruction& instruction) {
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckArrayOperand(instruction, i));
  }
  return absl::OkStatus();
}

absl::Status CheckTokenOperand(const Instruction& instruction, int64_t i) {
  if (instruction.operand_shape(i).IsToken()) return absl::OkStatus();
  return InvalidArgument("operand ", i, " is ",
                         ShapeText(instruction.operand_shape(i)),
                         ", expected a token");
}

absl::Status CheckScalarOperand(const Instruction& instruction, int64_t i) {
  if (instruction.operand_shape(i).IsScalar()) return absl::OkStatus();
  return InvalidArgument("operand ", i, " is ",
                         ShapeText(instruction.operand_shape(i)),
                         ", expected a scalar");
}

absl::Status CheckOperandType(const Instruction& instruction, int64_t i,
                              TypeClasses classes) {
  const ElementType type = instruction.operand_shape(i).element_type();
  if (Contains(classes, type)) return absl::OkStatus();
  return InvalidArgument("operand ", i, " has element type ", TextOf(type),
                         ", expected one of: ", ClassTexts(classes));
}

absl::Status CheckMinimumOperands(const Instruction& instruction,
                                  int64_t count) {
  if (instruction.operand_count() >= count) return absl::OkStatus();
  return InvalidArgument("got ", instruction.operand_count(),
                         " operands, expected at least ", count);
}

absl::Status CheckSameDimensions(const Instruction& instruction, int64_t i,
                                 int64_t j) {
  const Shape& a = instruction.operand_shape(i);
  const Shape& b = instruction.operand_shape(j);
  if (SameDimensions(a, b)) return absl::OkStatus();
  return InvalidArgument("operand dimensions differ: operand ", i, " is ",
                         ShapeText(a), ", operand ", j, " is ", ShapeText(b));
}

absl::Status CheckSameElementType(const Instruction& instruction, int64_t i,
                                  int64_t j) {
  const Shape& a = instruction.operand_shape(i);
  const Shape& b = instruction.operand_shape(j);
  if (a.element_type() == b.element_type()) return absl::OkStatus();
  return InvalidArgument("operand types differ: operand ", i, " is ",
                         ShapeText(a), ", operand ", j, " is ", ShapeText(b),
                         "; convert one of them");
}

absl::Status CheckDeclaredArray(const Instruction& instruction) {
  if (!instruction.shape().IsArray()) {
    return InvalidArgument("the result is declared ",
                           ShapeText(instruction.shape()),
                           ", expected an array");
  }
  return CheckBounded(instruction.shape(), "the result");
}

absl::Status CheckDeclaredType(const Instruction& instruction,
                               ElementType type) {
  const ElementType declared = instruction.shape().element_type();
  if (declared == type) return absl::OkStatus();
  return InvalidArgument("the result has element type ", TextOf(declared),
                         ", expected ", TextOf(type));
}

absl::Status CheckDimension(int64_t dimension, int64_t rank,
                            absl::string_view what) {
  if (dimension >= 0 && dimension < rank) return absl::OkStatus();
  return InvalidArgument(what, " ", dimension, " is out of range for rank ",
                         rank);
}

absl::Status CheckDimensions(absl::Span<const int64_t> dimensions, int64_t rank,
                             absl::string_view what) {
  std::bitset<Shape::kMaxRank> seen;
  for (const int64_t dimension : dimensions) {
    RETURN_IF_ERROR(CheckDimension(dimension, rank, what));
    if (seen[dimension]) {
      return InvalidArgument(what, " ", dimension, " is listed twice");
    }
    seen[dimension] = true;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> OnlyDimension(const Instruction& instruction,
                                      int64_t rank) {
  const DimensionVector& dimensions = instruction.dimensions();
  if (dimensions.size() != 1) {
    return InvalidArgument("dimensions lists ", dimensions.size(),
                           " dimensions, expected 1");
  }
  RETURN_IF_ERROR(CheckDimension(dimensions[0], rank, "dimension"));
  return dimensions[0];
}

Shape ArrayLike(const Shape& shape, ElementType type) {
  Shape result = WithElementType(shape, type);
  result.ClearLayout();
  return result;
}

void CopyDynamic(const Shape& shape, int64_t dimension, Shape* result,
                 int64_t result_dimension) {
  if (dimension >= Shape::kMaxRank || result_dimension >= Shape::kMaxRank) {
    return;
  }
  if (shape.IsDynamicDimension(dimension)) {
    result->set_dynamic_dimension(result_dimension, true);
  }
}

}  // namespace hilo::hlo
