// Every element-wise opcode on every type computes what the evaluator does.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "catch2/catch.hpp"

#include "backends/codegen/element_value.h"
#include "backends/codegen/scalar_emitter.h"
#include "backends/codegen/target_facts.h"
#include "hlo/eval/evaluator.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "tests/backends/codegen/compiled_element.h"
#include "tests/backends/codegen/element_samples.h"

namespace hilo::backends {
namespace {

using hlo::ElementType;
using hlo::Opcode;

constexpr std::array kLanes = {1, 4, 16};

std::vector<ElementType> ArrayTypes() {
  std::vector<ElementType> types;
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (hlo::IsArrayType(type)) types.push_back(type);
  }
  return types;
}

bool IsWide(ElementType type) {
  return type == ElementType::kF64 || type == ElementType::kC128;
}

// One instruction, compiled for some numbers of lanes.
struct Case {
  std::string name;
  std::unique_ptr<hlo::Module> module;
  std::vector<hlo::Literal> operands;
  ElementTolerance tolerance;
};

// `instruction` without its shape, such as "add(x, y)".
Case MakeCase(absl::string_view instruction, ElementType result,
              const std::vector<ElementType>& types,
              std::vector<hlo::Literal> operands, ElementTolerance tolerance) {
  const int64_t count = operands[0].element_count();
  const std::string text =
      absl::StrCat(hlo::TextOf(result), "[", count, "] ", instruction);
  std::string name = text;
  for (const ElementType type : types) {
    absl::StrAppend(&name, " ", hlo::TextOf(type));
  }
  return {.name = name,
          .module = ModuleOf(text, types, count),
          .operands = std::move(operands),
          .tolerance = tolerance};
}

std::string FunctionName(const Case& test, int lanes) {
  return absl::StrCat(test.name, " x", lanes);
}

ElementType TypeOf(const hlo::Literal& literal) {
  return literal.shape().element_type();
}

void AddTo(CompiledElements& compiled, const Case& test, int lanes) {
  const hlo::Instruction& root = *test.module->entry()->root();
  std::vector<ElementType> types;
  types.reserve(test.operands.size());
  for (const hlo::Literal& operand : test.operands) {
    types.push_back(TypeOf(operand));
  }
  compiled.Add(
      FunctionName(test, lanes), types, root.shape().element_type(), lanes,
      [&](ScalarEmitter& emitter, llvm::IRBuilderBase&,
          absl::Span<const ElementValue> operands) {
        absl::StatusOr<ElementValue> value = emitter.Emit(root, operands);
        INFO(test.name);
        REQUIRE(value.ok());
        return *value;
      });
}

// Compiles and runs all cases; the number of lanes goes round.
void CheckCases(const std::vector<Case>& cases, TargetFacts facts = {}) {
  CompiledElements compiled(facts);
  int next = 0;
  for (const Case& test : cases) AddTo(compiled, test, kLanes[next++ % 3]);
  compiled.Compile();
  next = 0;
  for (const Case& test : cases) {
    const absl::StatusOr<hlo::Literal> want =
        hlo::Evaluate(*test.module, test.operands);
    INFO(test.name);
    REQUIRE(want.ok());
    const hlo::Literal got = compiled.Run(
        FunctionName(test, kLanes[next++ % 3]), test.operands, TypeOf(*want));
    const std::string difference = FindDifference(got, *want, test.tolerance);
    CAPTURE(difference);
    CHECK(difference.empty());
  }
}

// Math functions may err by their row's bound, and so may the C library.
ElementTolerance ToleranceOf(Opcode opcode, ElementType type) {
  const hlo::OpcodeInfo& info = hlo::InfoOf(opcode);
  // Products of complex numbers cancel.
  const double error = IsWide(type) ? 1e-13 : 1e-5;
  // The modulus is not correctly rounded.
  if (info.max_ulps == 0) {
    return {.ulps = hlo::IsComplex(type) ? 1 : 0, .error = error};
  }
  const bool is_native = type == ElementType::kF32 || IsWide(type);
  return {.ulps = is_native ? info.max_ulps + 2 : 1, .error = error};
}

ElementType ResultType(Opcode opcode, ElementType type) {
  const hlo::OpcodeInfo& info = hlo::InfoOf(opcode);
  if (info.Has(hlo::kPredicateResult)) return ElementType::kPred;
  if (info.Has(hlo::kComponentResult)) return hlo::ComponentType(type);
  return type;
}

void CheckRows(const std::vector<ElementType>& types, int lanes_phase) {
  std::vector<Case> cases;
  for (const ElementType type : types) {
    for (int i = 0; i < hlo::kOpcodeCount; ++i) {
      const auto opcode = static_cast<Opcode>(i);
      const bool is_binary = hlo::IsElementwiseBinary(opcode);
      if (!is_binary && !hlo::IsElementwiseUnary(opcode)) continue;
      if (!hlo::Contains(hlo::InfoOf(opcode).types, type)) continue;
      const int arity = is_binary ? 2 : 1;
      // Signs of zeros choose a side of the branch cut there.
      const bool has_edges = !hlo::IsComplex(type) || opcode != Opcode::kAtan2;
      cases.push_back(MakeCase(
          absl::StrCat(hlo::TextOf(opcode), is_binary ? "(x, y)" : "(x)"),
          ResultType(opcode, type), std::vector<ElementType>(arity, type),
          SampleOperands(type, arity, has_edges), ToleranceOf(opcode, type)));
    }
    for (int i = 0; i < lanes_phase; ++i) {
      std::ranges::rotate(cases, cases.begin() + 1);
    }
  }
  CheckCases(cases);
}

}  // namespace

TEST_CASE("codegen: rows of integers and pred compute as the evaluator does") {
  std::vector<ElementType> types;
  for (const ElementType type : ArrayTypes()) {
    if (!hlo::IsFloat(type) && !hlo::IsComplex(type)) types.push_back(type);
  }
  CheckRows(types, 0);
}

TEST_CASE("codegen: rows of narrow floats compute as the evaluator does") {
  std::vector<ElementType> types;
  for (const ElementType type : ArrayTypes()) {
    if (hlo::IsFloat(type) && hlo::StorageBytes(type) < 4) {
      types.push_back(type);
    }
  }
  CheckRows(types, 0);
}

TEST_CASE("codegen: rows of native floats compute as the evaluator does") {
  for (int phase = 0; phase < 3; ++phase) {
    CheckRows({ElementType::kF32}, phase);
    CheckRows({ElementType::kF64}, phase);
  }
}

TEST_CASE("codegen: rows of complex numbers compute as the evaluator does") {
  CheckRows({ElementType::kC64, ElementType::kC128}, 0);
}

TEST_CASE("codegen: compare, clamp and select compute as the evaluator does") {
  std::vector<Case> cases;
  for (const ElementType type : ArrayTypes()) {
    const std::vector<hlo::Literal> pairs = SampleOperands(type, 2);
    for (const char* direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
      const std::string call =
          absl::StrCat("compare(x, y), direction=", direction);
      cases.push_back(
          MakeCase(call, ElementType::kPred, {type, type}, pairs, {}));
      if (!hlo::IsFloat(type)) continue;
      cases.push_back(MakeCase(absl::StrCat(call, ", type=TOTALORDER"),
                               ElementType::kPred, {type, type}, pairs, {}));
    }
    const std::vector<hlo::Literal> triples = SampleOperands(type, 3);
    if (!hlo::IsComplex(type)) {
      cases.push_back(
          MakeCase("clamp(x, y, z)", type, {type, type, type}, triples, {}));
    }
    std::vector<hlo::Literal> selected = triples;
    selected[0] = SampleOperands(ElementType::kPred, 3)[0];
    cases.push_back(MakeCase("select(x, y, z)", type,
                             {ElementType::kPred, type, type}, selected, {}));
  }
  CheckCases(cases);
}

TEST_CASE("codegen: convert computes as the evaluator does") {
  for (const ElementType from : ArrayTypes()) {
    std::vector<Case> cases;
    for (const ElementType to : ArrayTypes()) {
      if (hlo::IsComplex(from) && !hlo::IsComplex(to)) continue;
      cases.push_back(
          MakeCase("convert(x)", to, {from}, SampleOperands(from, 1), {}));
    }
    CheckCases(cases);
  }
}

TEST_CASE("codegen: half precision instructions round as the evaluator does") {
  if (!CompiledElements().HasAllFacts()) return;
  std::vector<Case> cases;
  for (const ElementType type : ArrayTypes()) {
    if (hlo::IsComplex(type)) continue;
    cases.push_back(MakeCase("convert(x)", ElementType::kF16, {type},
                             SampleOperands(type, 1), {}));
    cases.push_back(MakeCase("convert(x)", type, {ElementType::kF16},
                             SampleOperands(ElementType::kF16, 1), {}));
  }
  for (const char* opcode : {"add", "multiply", "divide"}) {
    cases.push_back(MakeCase(absl::StrCat(opcode, "(x, y)"), ElementType::kF16,
                             {ElementType::kF16, ElementType::kF16},
                             SampleOperands(ElementType::kF16, 2), {}));
  }
  CheckCases(cases, {.has_f16c = true});
}

TEST_CASE("codegen: reduce-precision computes as the evaluator does") {
  std::vector<Case> cases;
  for (const ElementType type : ArrayTypes()) {
    if (!hlo::IsFloat(type)) continue;
    for (const int exponent_bits : {1, 2, 4, 5, 8, 11}) {
      for (const int mantissa_bits : {0, 1, 3, 7, 10, 23, 52}) {
        cases.push_back(MakeCase(
            absl::StrCat("reduce-precision(x), exponent_bits=", exponent_bits,
                         ", mantissa_bits=", mantissa_bits),
            type, {type}, SampleOperands(type, 1), {}));
      }
    }
  }
  CheckCases(cases);
}

TEST_CASE(
    "codegen: bitcast-convert and complex compute as the evaluator does") {
  std::vector<Case> cases;
  for (const ElementType from : ArrayTypes()) {
    for (const ElementType to : ArrayTypes()) {
      if (hlo::InfoOf(from).bits != hlo::InfoOf(to).bits) continue;
      if (hlo::IsComplex(from) != hlo::IsComplex(to)) continue;
      if (from == ElementType::kPred || to == ElementType::kPred) continue;
      cases.push_back(MakeCase("bitcast-convert(x)", to, {from},
                               SampleOperands(from, 1), {}));
    }
  }
  for (const ElementType type : {ElementType::kC64, ElementType::kC128}) {
    const ElementType part = hlo::ComponentType(type);
    cases.push_back(MakeCase("complex(x, y)", type, {part, part},
                             SampleOperands(part, 2), {}));
  }
  CheckCases(cases);
}

}  // namespace hilo::backends
