// Tests the rules about element types on all combinations of types.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "jit/generated_inputs.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"
#include "tests/passes/compare_literals.h"

namespace hilo::passes {
namespace {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;
using hlo::Shape;

const Rule& RuleNamed(absl::string_view name) {
  for (const Rule& rule : Rules()) {
    if (rule.name == name) return rule;
  }
  FAIL("there is no rule " << name);
  return Rules().front();
}

std::vector<ElementType> ArrayTypes() {
  std::vector<ElementType> types;
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (hlo::IsArrayType(type)) types.push_back(type);
  }
  return types;
}

bool MayConvert(ElementType from, ElementType to) {
  return !hlo::IsComplex(from) || hlo::IsComplex(to);
}

Literal ValueOf(hlo::Module& module, Instruction* root,
                const std::vector<Literal>& arguments) {
  module.entry()->set_root(root);
  absl::StatusOr<Literal> value = hlo::Evaluate(module, arguments);
  INFO(value.status());
  REQUIRE(value.ok());
  return *std::move(value);
}

// What the rule changes in the value of `module`'s root; nullopt where it does
// not fit.
std::optional<std::string> DifferenceBy(absl::string_view rule,
                                        hlo::Module& module,
                                        const std::vector<Literal>& arguments) {
  Instruction* before = module.entry()->root();
  Rewriter rewriter(*before);
  Instruction* after = RuleNamed(rule).apply(*before, rewriter);
  if (after == nullptr) return {};
  const Literal want = ValueOf(module, before, arguments);
  return DifferenceOf(want, ValueOf(module, after, arguments));
}

TEST_CASE("one convert in place of two is true to the bit") {
  constexpr int64_t kElements = 96;
  int tried = 0;
  for (const ElementType first : ArrayTypes()) {
    const Shape shape = Shape::Array(first, {kElements});
    const std::vector<std::vector<Literal>> inputs = {
        {EdgeInput(shape)},
        {IotaInput(shape)},
        {GenerateInput(shape, 0, 1, {.scale = 50, .offset = 0, .range = {}})}};
    for (const ElementType middle : ArrayTypes()) {
      for (const ElementType last : ArrayTypes()) {
        if (!MayConvert(first, middle) || !MayConvert(middle, last)) continue;
        for (const std::vector<Literal>& arguments : inputs) {
          hlo::Module module("converts");
          module.set_entry(module.AddComputation("e"));
          Rewriter rewriter(module.entry());
          Instruction* value = module.entry()->AddParameter(0, shape);
          module.entry()->set_root(
              rewriter.Convert(rewriter.Convert(value, middle), last));
          if (module.entry()->root()->opcode() != Opcode::kConvert) continue;
          const std::optional<std::string> difference =
              DifferenceBy("convert-twice", module, arguments);
          if (!difference) break;
          ++tried;
          CAPTURE(hlo::TextOf(first), hlo::TextOf(middle), hlo::TextOf(last));
          CHECK(*difference == kNoDifference);
        }
      }
    }
  }
  CHECK(tried > 1000);
}

TEST_CASE("a converted iota counts in the other type to the bit") {
  int tried = 0;
  for (const ElementType from : ArrayTypes()) {
    for (const ElementType to : ArrayTypes()) {
      if (!MayConvert(from, to) || hlo::IsComplex(from)) continue;
      for (const int64_t size : {1, 2, 3, 8, 9, 128, 300, 70'000}) {
        if (from == ElementType::kPred && size > 2) break;
        hlo::Module module("iotas");
        module.set_entry(module.AddComputation("e"));
        Rewriter rewriter(module.entry());
        Instruction* iota = rewriter.Iota(Shape::Array(from, {size}), 0);
        module.entry()->set_root(rewriter.Convert(iota, to));
        if (module.entry()->root()->opcode() != Opcode::kConvert) continue;
        const std::optional<std::string> difference =
            DifferenceBy("convert-iota", module, {});
        if (!difference) continue;
        ++tried;
        CAPTURE(hlo::TextOf(from), hlo::TextOf(to), size);
        CHECK(*difference == kNoDifference);
      }
    }
  }
  CHECK(tried > 1000);
}

}  // namespace
}  // namespace hilo::passes
