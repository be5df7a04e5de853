// Derives result shapes and element types.
#include "hlo/ops/result_types.h"

#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Facts by which element types are ordered, most important first.
struct TypeRank {
  bool is_complex = false;
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bits = 0;
  bool is_signed = false;

  auto Tie() const {
    return std::tie(is_complex, exponent_bits, mantissa_bits, bits, is_signed);
  }
};

TypeRank RankOf(ElementType type) {
  const ElementType component = ComponentType(type);
  return DispatchElementType(component, [&](auto tag) {
    using Traits = NumericTraits<typename decltype(tag)::type>;
    return TypeRank{.is_complex = IsComplex(type),
                    .exponent_bits = Traits::exponent_bits,
                    .mantissa_bits = Traits::mantissa_bits,
                    .bits = InfoOf(component).bits,
                    .is_signed = IsSignedInteger(component)};
  });
}

}  // namespace

Shape ShapeOrTuple(std::vector<Shape> shapes) {
  if (shapes.size() == 1) return std::move(shapes.front());
  return Shape::Tuple(std::move(shapes));
}

absl::StatusOr<Shape> CheckDeclaredShape(const Instruction& instruction,
                                         const Shape& expected) {
  const Shape& declared = instruction.shape();
  if (CompatibleIgnoringFloatPrecision(declared, expected)) return declared;
  return InvalidArgument("the result is declared ", ShapeText(declared),
                         ", expected ", ShapeText(expected));
}

ElementType HigherPrecisionType(ElementType a, ElementType b) {
  return RankOf(a).Tie() < RankOf(b).Tie() ? b : a;
}

absl::StatusOr<ElementType> ProductType(const Instruction& instruction) {
  const ElementType implied =
      HigherPrecisionType(instruction.operand_shape(0).element_type(),
                          instruction.operand_shape(1).element_type());
  if (!instruction.shape().IsArray()) return implied;
  const ElementType declared = instruction.shape().element_type();
  const bool loses_imaginary = IsComplex(implied) && !IsComplex(declared);
  const bool loses_bits =
      !IsFloat(implied) && InfoOf(declared).bits < InfoOf(implied).bits;
  if (loses_imaginary || loses_bits) {
    return InvalidArgument("result type ", TextOf(declared),
                           " cannot hold products of ", TextOf(implied));
  }
  return declared;
}

}  // namespace hilo::hlo
