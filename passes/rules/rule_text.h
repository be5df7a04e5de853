// Rules as text: a pattern and what takes its place.
//
//   "multiply(x, 1) => x"
//   "compare.LT(c, v) => compare.GT(v, c)"
//
// A name that begins with c stands for a repeated constant, with v for
// anything else, with any other letter for any value; equal names for the same
// value. Numbers, lowest, highest, inf, true and false are repeated constants;
// "-0" is the negative zero, -1 all ones in unsigned types. Element-wise
// operations only, all of one shape, compared in the usual order of their
// types. Commutative operations match in either order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/instruction.h"
#include "passes/rewriter.h"

namespace hilo::passes {

// A pattern or replacement, as a tree.
struct RulePattern {
  enum class Kind : uint8_t {
    kVariable,
    kConstantVariable,
    kNonConstantVariable,
    kNumber,
    kLowest,
    kHighest,
    kOperation,
  };
  Kind kind = Kind::kVariable;
  // kVariable & co: position among the names.
  int variable = 0;
  // kNumber; the pattern was "true" or "false" where is_predicate.
  double number = 0;
  bool is_predicate = false;
  // kOperation.
  hlo::Opcode opcode = hlo::Opcode::kAdd;
  hlo::ComparisonDirection direction = hlo::ComparisonDirection::kEq;
  std::vector<RulePattern> operands;
};

// A rule that was read.
struct TextRule {
  RulePattern pattern;
  RulePattern replacement;
  std::vector<std::string> names;
};

// Errors: InvalidArgument that says what is wrong with the text.
absl::StatusOr<TextRule> ParseTextRule(absl::string_view text);

// The opcode at the root of the pattern, without reading the rest of the rule;
// nothing if there is none.
std::optional<hlo::Opcode> OpcodeOfTextRule(absl::string_view text);

// What stands for `instruction`, when the pattern fits and its element type
// (of its operands, for comparisons) is in `types`; null otherwise.
hlo::Instruction* ApplyTextRule(const TextRule& rule, hlo::TypeClasses types,
                                hlo::Instruction& instruction,
                                Rewriter& rewriter);

// Instructions for a pattern, with values for its names: `type` and `sizes`
// are those of its result. Null where the type lacks a number.
hlo::Instruction* BuildPattern(const RulePattern& pattern,
                               hlo::ElementType type,
                               absl::Span<const int64_t> sizes,
                               absl::Span<hlo::Instruction* const> values,
                               Rewriter& rewriter);

// The type that decides whether a rule is tried.
hlo::ElementType DecidingType(const hlo::Instruction& instruction);

}  // namespace hilo::passes
