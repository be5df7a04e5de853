// Tests every rule that is text against the evaluator, for each element type.
#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "catch2/catch.hpp"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "jit/generated_inputs.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"
#include "passes/rules/rule_text.h"
#include "tests/passes/compare_literals.h"

namespace hilo::passes {
namespace {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;
using hlo::Shape;
using Kind = RulePattern::Kind;

constexpr int64_t kElements = 2048;

uint64_t Mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Special and ordinary values of a type, in no order.
Literal MixedValues(ElementType type, int64_t count, uint64_t seed) {
  constexpr int64_t kPool = 32;
  const Shape pool_shape = Shape::Array(type, {kPool});
  const std::array pools = {
      EdgeInput(pool_shape), IotaInput(pool_shape),
      GenerateInput(pool_shape, 0, seed,
                    {.scale = 3, .offset = 0, .range = {}})};
  Literal result(Shape::Array(type, {count}));
  const int bytes = hlo::StorageBytes(type);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t random = Mixed(seed * 0x9E3779B97F4A7C15 + i);
    // Special values more often than others.
    const Literal& pool = pools[random % 4 < 2 ? 0 : random % 4 - 1];
    const auto element = static_cast<int64_t>((random >> 8) % kPool);
    std::memcpy(result.mutable_untyped_data() + i * bytes,
                pool.untyped_data() + element * bytes, bytes);
  }
  return result;
}

// What each name of a rule stands for.
struct Names {
  std::vector<ElementType> types;
  std::vector<Kind> kinds;
};

// The complex type of real components, where a rule is about such.
ElementType WithComponent(ElementType type) {
  if (type == ElementType::kF32) return ElementType::kC64;
  return type == ElementType::kF64 ? ElementType::kC128 : type;
}

void FindNames(const RulePattern& pattern, ElementType type, bool is_inner,
               Names* names) {
  switch (pattern.kind) {
    case Kind::kVariable:
    case Kind::kConstantVariable:
    case Kind::kNonConstantVariable:
      names->types[pattern.variable] = type;
      names->kinds[pattern.variable] = pattern.kind;
      return;
    case Kind::kNumber:
    case Kind::kLowest:
    case Kind::kHighest:
      return;
    case Kind::kOperation:
      break;
  }
  for (size_t i = 0; i < pattern.operands.size(); ++i) {
    ElementType operand = type;
    if (pattern.opcode == Opcode::kSelect && i == 0)
      operand = ElementType::kPred;
    if (pattern.opcode == Opcode::kComplex) operand = hlo::ComponentType(type);
    if (is_inner &&
        (pattern.opcode == Opcode::kReal || pattern.opcode == Opcode::kImag)) {
      operand = WithComponent(operand);
    }
    FindNames(pattern.operands[i], operand, /*is_inner=*/true, names);
  }
}

ElementType ResultType(const RulePattern& pattern, ElementType type) {
  const hlo::OpcodeInfo& info = hlo::InfoOf(pattern.opcode);
  if (pattern.opcode == Opcode::kCompare || info.Has(hlo::kPredicateResult)) {
    return ElementType::kPred;
  }
  return info.Has(hlo::kComponentResult) ? hlo::ComponentType(type) : type;
}

// One instance of a rule: both sides on the same arguments.
class Instance {
 public:
  Instance(const Rule& rule, const TextRule& text, ElementType type,
           uint64_t seed)
      : module_("rule"), rule_(rule), text_(text) {
    computation_ = module_.AddComputation("e");
    module_.set_entry(computation_);
    Names names;
    names.types.resize(text.names.size());
    names.kinds.resize(text.names.size());
    FindNames(text.pattern, type, /*is_inner=*/false, &names);
    Rewriter rewriter(computation_);
    std::vector<Instruction*> values;
    for (size_t i = 0; i < text.names.size(); ++i) {
      const bool is_constant = names.kinds[i] == Kind::kConstantVariable;
      Literal literal = MixedValues(names.types[i], is_constant ? 1 : kElements,
                                    seed * 31 + i);
      if (is_constant) {
        const Shape shape = Shape::Array(names.types[i], {kElements});
        values.push_back(rewriter.Splat(
            rewriter.Constant(literal.WithShape(Shape::Scalar(names.types[i]))),
            shape));
        continue;
      }
      values.push_back(computation_->AddParameter(
          static_cast<int64_t>(arguments_.size()), literal.shape()));
      values.back()->set_name(text.names[i]);
      arguments_.push_back(std::move(literal));
    }
    before_ = BuildPattern(text.pattern, ResultType(text.pattern, type),
                           {kElements}, values, rewriter);
  }

  bool exists() const { return before_ != nullptr; }

  // Null when the rule does not fit.
  Instruction* Apply() {
    Rewriter rewriter(*before_);
    return ApplyTextRule(text_, rule_.types, *before_, rewriter);
  }

  Literal Evaluate(Instruction* root) {
    computation_->set_root(root);
    absl::StatusOr<Literal> value = hlo::Evaluate(module_, arguments_);
    INFO(value.status());
    REQUIRE(value.ok());
    return *std::move(value);
  }

  Instruction* before() const { return before_; }

 private:
  hlo::Module module_;
  const Rule& rule_;
  const TextRule& text_;
  hlo::Computation* computation_ = nullptr;
  Instruction* before_ = nullptr;
  std::vector<Literal> arguments_;
};

TEST_CASE("rules that are text are true to the bit") {
  for (const Rule& rule : Rules()) {
    if (rule.apply != nullptr || rule.exactness != Exactness::kExact) continue;
    absl::StatusOr<TextRule> text = ParseTextRule(rule.text);
    REQUIRE(text.ok());
    int tried = 0;
    for (int t = 0; t < hlo::kElementTypeCount; ++t) {
      const auto type = static_cast<ElementType>(t);
      if (!hlo::Contains(rule.types, type) || !hlo::IsArrayType(type)) continue;
      for (uint64_t seed = 0; seed < 6; ++seed) {
        Instance instance(rule, *text, type, seed);
        if (!instance.exists()) continue;
        Instruction* after = instance.Apply();
        if (after == nullptr) continue;
        ++tried;
        const std::string difference = DifferenceOf(
            instance.Evaluate(instance.before()), instance.Evaluate(after));
        INFO(rule.name << ": " << rule.text << " for " << hlo::TextOf(type));
        CHECK(difference == kNoDifference);
        if (!difference.empty()) break;
      }
    }
    INFO(rule.name << ": " << rule.text);
    CHECK(tried > 0);
  }
}

TEST_CASE("rules have names of their own and read well") {
  std::set<std::string> names;
  for (const Rule& rule : Rules()) {
    CAPTURE(std::string(rule.name));
    CHECK(names.insert(std::string(rule.name)).second);
    if (rule.apply == nullptr) {
      const absl::StatusOr<TextRule> text = ParseTextRule(rule.text);
      CHECK(text.status() == absl::OkStatus());
      CHECK(OpcodeOfTextRule(rule.text) == text->pattern.opcode);
    } else {
      CHECK((rule.opcode.has_value() || rule.at_opcodes != nullptr));
    }
  }
  CHECK(names.size() >= 150);
}

TEST_CASE("text that is no rule is refused") {
  struct Row {
    std::string text;
    std::string error;
  };
  for (const Row& row : {
           Row{"add(x, 0)", "' => ' does not occur once"},
           Row{"add(x, 0) => y", "'y' is not in the pattern"},
           Row{"ad(x, 0) => x", "'ad' is no opcode"},
           Row{"compare.XX(x, 0) => x", "'XX': no direction"},
           Row{"add(x, 0 => x", "')' is missing"},
           Row{"x => x", "the pattern is no operation"},
       }) {
    CAPTURE(row.text);
    CHECK(ParseTextRule(row.text).status().message() == row.error);
  }
}

}  // namespace
}  // namespace hilo::passes
