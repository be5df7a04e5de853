// Element-wise operations: all rows of opcodes.def.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/builder.h"
#include "jit/fuzzing/families.h"
#include "jit/fuzzing/scope.h"

namespace hilo::fuzzing {
namespace {

using hlo::ElementType;
using hlo::Opcode;
using hlo::Shape;
using hlo::Value;

// The opcodes that `is_wanted` accepts, in the table's order.
std::vector<Opcode> OpcodesWhere(bool (*is_wanted)(Opcode opcode)) {
  std::vector<Opcode> opcodes;
  for (int i = 0; i < hlo::kOpcodeCount; ++i) {
    if (is_wanted(static_cast<Opcode>(i))) {
      opcodes.push_back(static_cast<Opcode>(i));
    }
  }
  return opcodes;
}

// f8e8m0fnu has neither sign nor zero: it is only moved and converted.
bool HasArithmetic(ElementType type) { return type != ElementType::kF8E8M0FNU; }

void GenerateUnary(Scope& scope) {
  const Opcode opcode =
      scope.random().Pick(OpcodesWhere(&hlo::IsElementwiseUnary));
  const Value operand = scope.AnyArray(hlo::InfoOf(opcode).types);
  if (!HasArithmetic(operand.shape().element_type())) return;
  scope.Keep(scope.builder().Add(opcode, {}, {operand}));
}

void GenerateBinary(Scope& scope) {
  const Opcode opcode =
      scope.random().Pick(OpcodesWhere(&hlo::IsElementwiseBinary));
  const Value lhs = scope.AnyArray(hlo::InfoOf(opcode).types);
  if (!HasArithmetic(lhs.shape().element_type())) return;
  const Value rhs = scope.Operand(lhs.shape());
  scope.Keep(scope.builder().Add(opcode, {}, {lhs, rhs}));
}

// add, multiply and subtract: what models are made of.
void GenerateArithmetic(Scope& scope) {
  constexpr std::array kOpcodes = {Opcode::kAdd, Opcode::kMultiply,
                                   Opcode::kSubtract, Opcode::kMaximum};
  const Opcode opcode = scope.random().Pick(kOpcodes);
  const Value lhs = scope.AnyArray(hlo::kNumericTypes);
  if (!HasArithmetic(lhs.shape().element_type())) return;
  const Value rhs = scope.Operand(lhs.shape());
  scope.Keep(scope.builder().Add(opcode, {}, {lhs, rhs}));
}

void GenerateClamp(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kFloatTypes | hlo::kIntegerTypes);
  const Shape& shape = operand.shape();
  if (!HasArithmetic(shape.element_type())) return;
  const Shape bound =
      scope.random().Chance(50) ? shape : Shape::Scalar(shape.element_type());
  scope.Keep(scope.builder().Clamp(scope.Operand(bound), operand,
                                   scope.Operand(bound)));
}

void GenerateCompare(Scope& scope) {
  const Value lhs = scope.AnyArray();
  const ElementType type = lhs.shape().element_type();
  if (!HasArithmetic(type)) return;
  const int64_t count = hlo::IsComplex(type) ? 2 : 6;
  const auto direction =
      static_cast<hlo::ComparisonDirection>(scope.random().Below(count));
  std::optional<hlo::ComparisonType> comparison;
  if (hlo::IsFloat(type) && scope.random().Chance(25)) {
    comparison = hlo::ComparisonType::kTotalOrder;
  }
  scope.Keep(scope.builder().Compare(lhs, scope.Operand(lhs.shape()), direction,
                                     comparison));
}

void GenerateSelect(Scope& scope) {
  const Value on_true = scope.AnyArray();
  const bool is_scalar = scope.random().Chance(25);
  const Shape predicate =
      is_scalar
          ? Shape::Scalar(ElementType::kPred)
          : Shape::Array(ElementType::kPred, on_true.shape().dimensions());
  scope.Keep(scope.builder().Select(scope.Operand(predicate), on_true,
                                    scope.Operand(on_true.shape())));
}

void GenerateConvert(Scope& scope) {
  const Value operand = scope.AnyArray();
  const bool is_complex = hlo::IsComplex(operand.shape().element_type());
  const ElementType type =
      scope.NewType(is_complex ? hlo::kComplexTypes : hlo::kArrayTypes);
  scope.Keep(scope.builder().Convert(operand, type));
}

void GenerateComplex(Scope& scope) {
  const ElementType type =
      scope.random().Chance(70) ? ElementType::kF32 : ElementType::kF64;
  const Shape shape = Shape::Array(type, scope.NewDimensions(0));
  scope.Keep(
      scope.builder().Complex(scope.Operand(shape), scope.Operand(shape)));
}

void GenerateReducePrecision(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kFloatTypes);
  if (!HasArithmetic(operand.shape().element_type())) return;
  scope.Keep(scope.builder().ReducePrecision(
      operand, scope.random().Between(2, 11), scope.random().Between(0, 23)));
}

// Some operations on one shape, as a fused loop has them.
void GenerateChain(Scope& scope) {
  Value value = scope.AnyArray(hlo::kFloatTypes);
  if (!HasArithmetic(value.shape().element_type())) return;
  constexpr std::array kUnary = {
      Opcode::kTanh,   Opcode::kExponential, Opcode::kNegate, Opcode::kLogistic,
      Opcode::kAbs,    Opcode::kSqrt,        Opcode::kRsqrt,  Opcode::kFloor,
      Opcode::kCosine, Opcode::kSign};
  constexpr std::array kBinary = {Opcode::kAdd, Opcode::kMultiply,
                                  Opcode::kSubtract, Opcode::kDivide,
                                  Opcode::kMinimum};
  const int64_t length = scope.random().Between(2, 6);
  for (int64_t i = 0; i < length; ++i) {
    if (scope.random().Chance(50)) {
      value = scope.builder().Add(scope.random().Pick(kUnary), {}, {value});
    } else {
      value = scope.builder().Add(scope.random().Pick(kBinary), {},
                                  {value, scope.Operand(value.shape())});
    }
  }
  scope.Keep(value);
}

constexpr std::array kElementwiseFamilies = {
    Family{.name = "unary", .weight = 12, .generate = &GenerateUnary},
    Family{.name = "binary", .weight = 12, .generate = &GenerateBinary},
    Family{.name = "arithmetic", .weight = 8, .generate = &GenerateArithmetic},
    Family{.name = "chain", .weight = 5, .generate = &GenerateChain},
    Family{.name = "clamp", .weight = 2, .generate = &GenerateClamp},
    Family{.name = "compare", .weight = 5, .generate = &GenerateCompare},
    Family{.name = "select", .weight = 5, .generate = &GenerateSelect},
    Family{.name = "convert", .weight = 6, .generate = &GenerateConvert},
    Family{.name = "complex", .weight = 1, .generate = &GenerateComplex},
    Family{.name = "reduce-precision",
           .weight = 1,
           .generate = &GenerateReducePrecision},
};

}  // namespace

absl::Span<const Family> ElementwiseFamilies() { return kElementwiseFamilies; }

}  // namespace hilo::fuzzing
