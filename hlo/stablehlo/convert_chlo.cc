// Operations of CHLO that are not in StableHLO.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/element_math.h"
#include "hlo/stablehlo/special_functions.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/convert_element.h"

namespace hilo::stablehlo {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Real and imaginary parts.
struct Parts {
  Term real;
  Term imag;
};

Parts PartsOf(ElementMath& math, const Shape& part, Instruction* z) {
  return {.real = {&math, math.Add(Opcode::kReal, part, {z})},
          .imag = {&math, math.Add(Opcode::kImag, part, {z})}};
}

// Of operands whose last dimensions belong to each other.
Shape BroadcastShape(const std::vector<Instruction*>& operands,
                     ElementType type) {
  DimensionVector sizes;
  for (const Instruction* operand : operands) {
    const Shape& shape = operand->shape();
    const int64_t missing = shape.rank() - static_cast<int64_t>(sizes.size());
    if (missing > 0) sizes.insert(sizes.begin(), missing, 1);
    const int64_t first = static_cast<int64_t>(sizes.size()) - shape.rank();
    for (int64_t d = 0; d < shape.rank(); ++d) {
      int64_t& size = sizes[static_cast<size_t>(first + d)];
      if (size == 1) size = shape.dimension(d);
    }
  }
  return Shape::Array(type, sizes);
}

// A scalar of any type; parts of complex numbers are real.
hlo::Literal NumberOf(const Attribute& value, ElementType type) {
  hlo::Literal literal(Shape::Scalar(type));
  hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    T& element = literal.mutable_data<T>()[0];
    if (value.kind == AttributeKind::kFloat) {
      element = ConvertElement<T>(value.number);
    } else {
      element = ConvertElement<T>(value.integer);
    }
  });
  return literal;
}

}  // namespace

// Operands of less dimensions are those of the result that the attribute
// names, or its last ones; dimensions of size 1 are stretched.
bool Converter::ConvertBroadcasting(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const DimensionVector given = reader.IntegersOrNone("broadcast_dimensions");
  Shape shape;
  std::vector<Instruction*> operands;
  if (!reader.ok() || !HasOneResult(operation) ||
      !UseOperands(operation, &operands)) {
    return false;
  }
  const Type& type = TypeOf(operation.results[0]);
  if (HasOpenSizes(type.shape) &&
      !Refine(operation, operation.results[0],
              BroadcastShape(operands, type.shape.element_type()))) {
    return false;
  }
  if (!ResultShape(operation, &shape)) return false;
  for (Instruction*& operand : operands) {
    const int64_t rank = operand->shape().rank();
    DimensionVector dimensions;
    for (int64_t d = 0; d < rank; ++d) {
      dimensions.push_back(shape.rank() - rank + d);
    }
    if (rank < shape.rank() && std::cmp_equal(given.size(), rank)) {
      dimensions = given;
    }
    const Shape wanted =
        hlo::WithElementType(shape, operand->shape().element_type());
    if (hlo::Compatible(operand->shape(), wanted)) continue;
    operand = AddBroadcast(operation, operand, wanted, dimensions);
    if (operand == nullptr) return false;
  }
  const absl::string_view base =
      absl::StripPrefix(operation.name, "chlo.broadcast_");
  Operation elementwise = operation;
  elementwise.name = absl::StrCat("chlo.", base);
  if (!SpecialFunctions().contains(elementwise.name)) {
    elementwise.name = absl::StrCat("stablehlo.", base);
  }
  return DispatchAs(elementwise, operands, {shape});
}

bool Converter::ConvertConjugate(const Operation& operation) {
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ReadOperation(operation, 1, &operands, &shape)) return false;
  Instruction* z = operands[0];
  const ElementType type = shape.element_type();
  if (!hlo::IsComplex(type)) {
    return SetResults(operation,
                      Add(Opcode::kCopy, shape, {z}, operation.offset));
  }
  const Shape part = hlo::WithElementType(shape, hlo::ComponentType(type));
  ElementMath math(scope_->computation, part, operation.offset);
  const Parts parts = PartsOf(math, part, z);
  return SetResults(operation,
                    math.Add(Opcode::kComplex, shape,
                             {parts.real.value(), (-parts.imag).value()}));
}

// Of complex numbers, (x - y) (x + y) + 2 x y i: no square overflows that the
// result does not have.
bool Converter::ConvertSquare(const Operation& operation) {
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ReadOperation(operation, 1, &operands, &shape)) return false;
  Instruction* z = operands[0];
  const ElementType type = shape.element_type();
  if (!hlo::IsComplex(type)) {
    return SetResults(operation,
                      Add(Opcode::kMultiply, shape, {z, z}, operation.offset));
  }
  const Shape part = hlo::WithElementType(shape, hlo::ComponentType(type));
  ElementMath math(scope_->computation, part, operation.offset);
  const auto [x, y] = PartsOf(math, part, z);
  // Sums of large parts may overflow where the difference is nothing.
  const Term is_nothing = math.And(IsFinite(x), Abs(x) == Abs(y));
  const Term real = Select(is_nothing, math.Number(0), (x - y) * (x + y));
  const Term product = x * y;
  return SetResults(operation,
                    math.Add(Opcode::kComplex, shape,
                             {real.value(), (product + product).value()}));
}

bool Converter::ConvertIsInfinite(const Operation& operation) {
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ReadOperation(operation, 1, &operands, &shape)) return false;
  const Shape& from = operands[0]->shape();
  if (!hlo::IsFloat(from.element_type())) {
    return Error(operation.offset,
                 absl::StrCat(operation.name, " of ", ToString(from, false)));
  }
  ElementMath math(scope_->computation, from, operation.offset);
  Term x(&math, operands[0]);
  double infinity = std::numeric_limits<double>::infinity();
  if (operation.name == "chlo.is_inf") x = Abs(x);
  if (operation.name == "chlo.is_neg_inf") infinity = -infinity;
  return SetResults(operation, (x == infinity).value());
}

bool Converter::ConvertConstantLike(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const Attribute* value = operation.attributes.Find("value");
  Shape shape;
  std::vector<Instruction*> operands;
  if (!HasOperands(operation, 1) || !HasOneResult(operation) ||
      !UseOperands(operation, &operands)) {
    return false;
  }
  if (value == nullptr || (value->kind != AttributeKind::kFloat &&
                           value->kind != AttributeKind::kInteger &&
                           value->kind != AttributeKind::kBool)) {
    reader.Error("'value' is no number");
    return false;
  }
  // Sizes are the operand's, the type is the result's.
  shape = hlo::WithElementType(
      operands[0]->shape(), TypeOf(operation.results[0]).shape.element_type());
  Instruction* number = AddScalarConstant(
      NumberOf(*value, shape.element_type()), operation.offset);
  if (!Refine(operation, operation.results[0], shape)) return false;
  return SetResults(operation, Add(Opcode::kBroadcast, std::move(shape),
                                   {number}, operation.offset));
}

// Operands are the arrays, then the initial values of what is carried along.
bool Converter::ConvertScan(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t dimension = reader.Integer("dimension");
  const hlo::DimensionVector segments = reader.Integers("operandSegmentSizes");
  if (!reader.ok()) return false;
  const auto count = static_cast<int64_t>(operation.operands.size());
  if (segments.size() != 2 || segments[0] < 0 || segments[0] > count ||
      segments[1] != count - segments[0]) {
    reader.Error("'operandSegmentSizes' are not those of its operands");
    return false;
  }
  hlo::Computation* body = ConvertRegion(operation, 0, "body");
  Instruction* scan = AddSimple(operation, Opcode::kScan);
  if (body == nullptr || scan == nullptr) return false;
  scan->set_dimensions({dimension});
  scan->set_num_carries(segments[1]);
  scan->set_is_reverse(reader.Bool("is_reverse"));
  scan->set_is_associative(reader.Bool("is_associative"));
  scan->set_to_apply(body);
  return reader.ok() && SetResults(operation, scan);
}

bool Converter::ConvertRaggedDot(const Operation& operation) {
  AttributeReader reader = Read(operation);
  AttributeReader numbers = reader.Structure("ragged_dot_dimension_numbers");
  hlo::PrecisionList precision = ReadPrecision(operation, &reader);
  Instruction* dot = AddSimple(operation, Opcode::kRaggedDot);
  if (dot == nullptr || !HasOperands(operation, 3)) return false;
  SetDotDimensions(&numbers, *dot);
  dot->set_lhs_ragged_dims(numbers.IntegersOrNone("lhs_ragged_dimensions"));
  dot->set_rhs_group_dims(numbers.IntegersOrNone("rhs_group_dimensions"));
  if (!precision.empty()) dot->set_operand_precision(std::move(precision));
  return reader.ok() && numbers.ok() && SetResults(operation, dot);
}

}  // namespace hilo::stablehlo
