// Checks that test programs make of their own results.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/element_math.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

using hlo::Instruction;
using hlo::Shape;

// What custom calls compare by.
struct CheckRow {
  absl::string_view target;
  CheckKind kind;
  double tolerance = 0;
  uint64_t max_ulps = 0;
};

constexpr auto kCheckCalls = std::to_array<CheckRow>({
    {.target = "check.eq", .kind = CheckKind::kAlmostEqual, .tolerance = 1e-4},
    {.target = "check.expect_almost_eq",
     .kind = CheckKind::kAlmostEqual,
     .tolerance = 1e-3},
    {.target = "check.expect_close", .kind = CheckKind::kClose, .max_ulps = 3},
    {.target = "check.expect_eq", .kind = CheckKind::kEqual},
});

}  // namespace

// A result says whether the check holds.
bool Converter::ConvertCheckCall(const Operation& operation,
                                 const std::string& target) {
  StableHloCheck check = {.name = target, .offset = operation.offset};
  const CheckRow* found = nullptr;
  for (const CheckRow& row : kCheckCalls) {
    if (row.target == target) found = &row;
  }
  if (found == nullptr) {
    return Error(operation.offset,
                 absl::StrCat("'", target, "' is not supported"));
  }
  check.kind = found->kind;
  check.tolerance = found->tolerance;
  check.max_ulps = found->max_ulps;
  std::vector<Instruction*> operands;
  if (!HasOperands(operation, 2) || !UseOperands(operation, &operands) ||
      !AddCheck(operation, check, operands)) {
    return false;
  }
  if (operation.results.empty()) return true;
  if (check.kind == CheckKind::kClose) {
    return Error(operation.offset,
                 absl::StrCat("'", target, "' has no result"));
  }
  Shape shape;
  if (!ResultShape(operation, &shape)) return false;
  if (shape != Shape::Scalar(hlo::ElementType::kPred)) {
    return Error(operation.offset, absl::StrCat("'", target,
                                                "' has a result of type i1, "
                                                "not ",
                                                ToString(shape, false)));
  }
  return SetResults(operation, AddComparison(check, operands[0], operands[1]));
}

// Operations of the check dialect. Source: the defaults of its definition.
bool Converter::ConvertCheckOperation(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const absl::string_view name = absl::StripSuffix(operation.name, "_const");
  const bool is_constant = name != operation.name;
  StableHloCheck check = {.name = operation.name, .offset = operation.offset};
  if (name == "check.expect_almost_eq") {
    check.kind = CheckKind::kAlmostEqual;
    check.tolerance =
        reader.Has("tolerance") ? reader.Float("tolerance") : 1e-4;
  } else if (name == "check.expect_close") {
    check.kind = CheckKind::kClose;
    check.min_ulps =
        static_cast<uint64_t>(reader.Integer("min_ulp_difference", 0));
    check.max_ulps =
        static_cast<uint64_t>(reader.Integer("max_ulp_difference", 1));
  }
  std::vector<Instruction*> operands;
  if (!reader.ok() || !HasOperands(operation, is_constant ? 1 : 2) ||
      !UseOperands(operation, &operands)) {
    return false;
  }
  if (is_constant) {
    operands.push_back(AddDense(operation, operands[0]->shape()));
    if (operands[1] == nullptr) return false;
  }
  return AddCheck(operation, std::move(check), operands);
}

bool Converter::AddCheck(const Operation& operation, StableHloCheck check,
                         const std::vector<Instruction*>& operands) {
  if (scope_->computation != module_->entry()) {
    return Error(operation.offset,
                 "checks outside of the entry function are not supported");
  }
  if (!operands[0]->shape().IsArray() ||
      !hlo::Compatible(operands[0]->shape(), operands[1]->shape())) {
    return Error(
        operation.offset,
        absl::StrCat(check.name, ": ", ToString(operands[0]->shape(), false),
                     " cannot equal ", ToString(operands[1]->shape(), false)));
  }
  if (!options_.has_checks) return true;
  checks_.push_back(std::move(check));
  checked_.insert(checked_.end(), operands.begin(), operands.end());
  return true;
}

// Whether all elements are equal, or near each other.
Instruction* Converter::AddComparison(const StableHloCheck& check,
                                      Instruction* got, Instruction* want) {
  const Shape& shape = got->shape();
  const hlo::ElementType type = shape.element_type();
  ElementMath math(scope_->computation, shape, check.offset);
  const Term x(&math, got);
  const Term y(&math, want);
  Term is_right = x == y;
  if (hlo::IsFloat(type) || hlo::IsComplex(type)) {
    is_right = math.Or(is_right, math.And(x != x, y != y));
    const Shape real = hlo::WithElementType(shape, hlo::ComponentType(type));
    ElementMath reals(scope_->computation, real, check.offset);
    const Term distance(&reals,
                        reals.Add(hlo::Opcode::kAbs, real, {(x - y).value()}));
    if (check.kind == CheckKind::kAlmostEqual) {
      is_right = math.Or(is_right, distance <= check.tolerance);
    }
  }
  hlo::DimensionVector all;
  for (int64_t d = 0; d < shape.rank(); ++d) all.push_back(d);
  return AddReduce(is_right.value(), all, check.offset);
}

bool Converter::ConvertSerializedCheck(const Operation& operation) {
  return Error(operation.offset,
               absl::StrCat(operation.name,
                            " compares with a file that no "
                            "program of Hilo writes"),
               "compare with the value itself, by check.expect_eq");
}

}  // namespace hilo::stablehlo
