// Reads, matches and builds rules that are text.
#include "passes/rules/rule_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"

namespace hilo::passes {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using Kind = RulePattern::Kind;

namespace {

// Reads one side of a rule.
class PatternReader {
 public:
  PatternReader(absl::string_view text, std::vector<std::string>* names)
      : rest_(text), names_(names) {}

  absl::StatusOr<RulePattern> Read() {
    ASSIGN_OR_RETURN(RulePattern pattern, ReadTerm());
    if (!rest_.empty()) return InvalidArgument("'", rest_, "' is left over");
    return pattern;
  }

 private:
  absl::string_view ReadWord() {
    const size_t end = rest_.find_first_of("(), ");
    const absl::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(word.size());
    return word;
  }

  void SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  bool Consume(char c) {
    SkipBlanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    SkipBlanks();
    return true;
  }

  absl::StatusOr<RulePattern> ReadTerm() {
    const absl::string_view word = ReadWord();
    if (word.empty()) return InvalidArgument("a term is missing");
    if (Consume('(')) return ReadOperation(word);
    SkipBlanks();
    return ReadLeaf(word);
  }

  absl::StatusOr<RulePattern> ReadOperation(absl::string_view word) {
    RulePattern pattern;
    pattern.kind = Kind::kOperation;
    const std::vector<absl::string_view> parts = absl::StrSplit(word, '.');
    const std::optional<Opcode> opcode = hlo::OpcodeFromText(parts[0]);
    if (!opcode) return InvalidArgument("'", parts[0], "' is no opcode");
    pattern.opcode = *opcode;
    if (parts.size() == 2) {
      const auto direction =
          hlo::EnumFromText<hlo::ComparisonDirection>(parts[1]);
      if (!direction) return InvalidArgument("'", parts[1], "': no direction");
      pattern.direction = *direction;
    }
    do {
      ASSIGN_OR_RETURN(RulePattern operand, ReadTerm());
      pattern.operands.push_back(std::move(operand));
    } while (Consume(','));
    if (!Consume(')')) return InvalidArgument("')' is missing");
    return pattern;
  }

  absl::StatusOr<RulePattern> ReadLeaf(absl::string_view word) {
    RulePattern pattern;
    if (word == "lowest" || word == "highest") {
      pattern.kind = word == "lowest" ? Kind::kLowest : Kind::kHighest;
      return pattern;
    }
    if (word == "true" || word == "false") {
      pattern.kind = Kind::kNumber;
      pattern.number = word == "true" ? 1 : 0;
      pattern.is_predicate = true;
      return pattern;
    }
    if (absl::SimpleAtod(word, &pattern.number)) {
      pattern.kind = Kind::kNumber;
      return pattern;
    }
    pattern.kind = Kind::kVariable;
    if (word[0] == 'c') pattern.kind = Kind::kConstantVariable;
    if (word[0] == 'v') pattern.kind = Kind::kNonConstantVariable;
    const auto found = std::ranges::find(*names_, word);
    pattern.variable = static_cast<int>(found - names_->begin());
    if (found == names_->end()) names_->emplace_back(word);
    return pattern;
  }

  absl::string_view rest_;
  std::vector<std::string>* names_;
};

// The lowest or highest value; infinities where the type has them.
hlo::Literal Extreme(ElementType type, bool highest) {
  hlo::Literal literal(hlo::Shape::Scalar(type));
  hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (NumericTraits<T>::has_infinity) {
      const double inf = std::numeric_limits<double>::infinity();
      literal.mutable_data<T>()[0] = ConvertElement<T>(highest ? inf : -inf);
    } else if constexpr (!NumericTraits<T>::is_complex) {
      literal.mutable_data<T>()[0] =
          highest ? NumericTraits<T>::highest() : NumericTraits<T>::lowest();
    }
  });
  return literal;
}

// Whether the type computes as IEEE types do: with NaN, zeros and a sign.
bool IsOrdinary(ElementType type) {
  switch (type) {
    case ElementType::kF4E2M1FN:
    case ElementType::kF6E2M3FN:
    case ElementType::kF6E3M2FN:
    case ElementType::kF8E8M0FNU:
      return false;
    default:  // NOLINT: all other types
      return true;
  }
}

bool SameBits(const hlo::Literal& a, const hlo::Literal& b) {
  return Compatible(a.shape(), b.shape()) &&
         std::equal(a.untyped_data(), a.untyped_data() + a.size_bytes(),
                    b.untyped_data());
}

class Matcher {
 public:
  Matcher(const Instruction& root, size_t name_count)
      : root_(root), values_(name_count, nullptr) {}

  bool Match(const RulePattern& pattern, Instruction* value) {
    switch (pattern.kind) {
      case Kind::kVariable:
        return Bind(pattern, value);
      case Kind::kConstantVariable:
        return SplatConstant(value) != nullptr && Bind(pattern, value);
      case Kind::kNonConstantVariable:
        return !IsConstant(value) && Bind(pattern, value);
      case Kind::kNumber:
        return IsSplatOf(value, pattern.number);
      case Kind::kLowest:
      case Kind::kHighest: {
        const hlo::Literal* scalar = SplatConstant(value);
        return scalar != nullptr &&
               SameBits(*scalar, Extreme(scalar->shape().element_type(),
                                         pattern.kind == Kind::kHighest));
      }
      case Kind::kOperation:
        return MatchOperation(pattern, value);
    }
    return false;
  }

  absl::Span<Instruction* const> values() const { return values_; }

 private:
  bool Bind(const RulePattern& pattern, Instruction* value) {
    Instruction*& bound = values_[pattern.variable];
    if (bound == nullptr) bound = value;
    if (bound == value) return true;
    const hlo::Literal* a = SplatConstant(bound);
    const hlo::Literal* b = SplatConstant(value);
    return a != nullptr && b != nullptr && SameBits(*a, *b);
  }

  bool MatchOperation(const RulePattern& pattern, Instruction* value) {
    if (value->opcode() != pattern.opcode ||
        value->operand_count() !=
            static_cast<int64_t>(pattern.operands.size())) {
      return false;
    }
    for (int64_t i = 0; i < value->operand_count(); ++i) {
      if (!SameDimensions(value->operand_shape(i), root_.shape())) return false;
    }
    if (pattern.opcode == Opcode::kCompare &&
        (value->direction() != pattern.direction ||
         value->comparison_type() !=
             hlo::DefaultComparisonType(
                 value->operand_shape(0).element_type()))) {
      return false;
    }
    const std::vector<Instruction*> before = values_;
    if (MatchOperands(pattern, *value, /*swapped=*/false)) return true;
    values_ = before;
    if (!hlo::InfoOf(pattern.opcode).Has(hlo::kCommutative)) return false;
    if (MatchOperands(pattern, *value, /*swapped=*/true)) return true;
    values_ = before;
    return false;
  }

  // Leaves first: they bind the names that decide the order of the others.
  bool MatchOperands(const RulePattern& pattern, const Instruction& value,
                     bool swapped) {
    const auto count = static_cast<int64_t>(pattern.operands.size());
    for (const bool leaves : {true, false}) {
      for (int64_t i = 0; i < count; ++i) {
        const RulePattern& operand = pattern.operands[i];
        if ((operand.kind != Kind::kOperation) != leaves) continue;
        if (!Match(operand, value.operand(swapped ? count - 1 - i : i))) {
          return false;
        }
      }
    }
    return true;
  }

  const Instruction& root_;
  std::vector<Instruction*> values_;
};

// The element type of a pattern, as far as its names say it.
std::optional<ElementType> TypeOf(const RulePattern& pattern,
                                  absl::Span<Instruction* const> values) {
  switch (pattern.kind) {
    case Kind::kVariable:
    case Kind::kConstantVariable:
    case Kind::kNonConstantVariable:
      return values[pattern.variable]->shape().element_type();
    case Kind::kNumber:
      if (pattern.is_predicate) return ElementType::kPred;
      return std::nullopt;
    case Kind::kLowest:
    case Kind::kHighest:
      return std::nullopt;
    case Kind::kOperation:
      break;
  }
  if (pattern.opcode == Opcode::kCompare) return ElementType::kPred;
  const size_t first = pattern.opcode == Opcode::kSelect ? 1 : 0;
  for (size_t i = first; i < pattern.operands.size(); ++i) {
    const std::optional<ElementType> type = TypeOf(pattern.operands[i], values);
    if (!type) continue;
    const bool is_component =
        hlo::InfoOf(pattern.opcode).Has(hlo::kComponentResult);
    return is_component ? hlo::ComponentType(*type) : *type;
  }
  return std::nullopt;
}

// The type of operand `i` of an operation whose result has type `type`.
ElementType OperandType(const RulePattern& pattern, size_t i, ElementType type,
                        absl::Span<Instruction* const> values) {
  const std::optional<ElementType> own = TypeOf(pattern.operands[i], values);
  if (own) return *own;
  if (pattern.opcode == Opcode::kSelect && i == 0) return ElementType::kPred;
  if (pattern.opcode != Opcode::kCompare) return type;
  for (const RulePattern& operand : pattern.operands) {
    const std::optional<ElementType> other = TypeOf(operand, values);
    if (other) return *other;
  }
  return type;
}

Instruction* BuildScalar(hlo::Literal literal, absl::Span<const int64_t> sizes,
                         Rewriter& rewriter) {
  const hlo::Shape shape =
      hlo::Shape::Array(literal.shape().element_type(), sizes);
  return rewriter.Splat(rewriter.Constant(std::move(literal)), shape);
}

}  // namespace

std::optional<Opcode> OpcodeOfTextRule(absl::string_view text) {
  return hlo::OpcodeFromText(text.substr(0, text.find_first_of(".(")));
}

absl::StatusOr<TextRule> ParseTextRule(absl::string_view text) {
  const std::vector<absl::string_view> sides = absl::StrSplit(text, " => ");
  if (sides.size() != 2) return InvalidArgument("' => ' does not occur once");
  TextRule rule;
  ASSIGN_OR_RETURN(rule.pattern, PatternReader(sides[0], &rule.names).Read());
  const size_t bound = rule.names.size();
  ASSIGN_OR_RETURN(rule.replacement,
                   PatternReader(sides[1], &rule.names).Read());
  if (rule.names.size() != bound) {
    return InvalidArgument("'", rule.names[bound], "' is not in the pattern");
  }
  if (rule.pattern.kind != Kind::kOperation) {
    return InvalidArgument("the pattern is no operation");
  }
  return rule;
}

ElementType DecidingType(const Instruction& instruction) {
  const hlo::OpcodeInfo& info = hlo::InfoOf(instruction.opcode());
  const bool by_operand = instruction.opcode() == Opcode::kCompare ||
                          info.Has(hlo::kPredicateResult) ||
                          info.Has(hlo::kComponentResult);
  return by_operand ? instruction.operand_shape(0).element_type()
                    : instruction.shape().element_type();
}

Instruction* BuildPattern(const RulePattern& pattern, ElementType type,
                          absl::Span<const int64_t> sizes,
                          absl::Span<Instruction* const> values,
                          Rewriter& rewriter) {
  switch (pattern.kind) {
    case Kind::kVariable:
    case Kind::kConstantVariable:
    case Kind::kNonConstantVariable:
      return values[pattern.variable];
    case Kind::kNumber: {
      hlo::Literal literal =
          hlo::IsInteger(type) || type == ElementType::kPred
              ? IntegerLiteral(type, static_cast<uint64_t>(
                                         static_cast<int64_t>(pattern.number)))
              : ScalarLiteral(type, pattern.number);
      if (!IsNumber(literal, pattern.number)) return nullptr;
      return BuildScalar(std::move(literal), sizes, rewriter);
    }
    case Kind::kLowest:
    case Kind::kHighest:
      return BuildScalar(Extreme(type, pattern.kind == Kind::kHighest), sizes,
                         rewriter);
    case Kind::kOperation:
      break;
  }
  std::vector<Instruction*> operands;
  for (size_t i = 0; i < pattern.operands.size(); ++i) {
    operands.push_back(BuildPattern(pattern.operands[i],
                                    OperandType(pattern, i, type, values),
                                    sizes, values, rewriter));
    if (operands.back() == nullptr) return nullptr;
  }
  if (pattern.opcode == Opcode::kCompare) {
    return rewriter.Compare(pattern.direction, operands[0], operands[1]);
  }
  return rewriter.Add(pattern.opcode, operands);
}

Instruction* ApplyTextRule(const TextRule& rule, hlo::TypeClasses types,
                           Instruction& instruction, Rewriter& rewriter) {
  if (instruction.opcode() != rule.pattern.opcode ||
      !instruction.shape().IsArray() ||
      !hlo::Contains(types, DecidingType(instruction)) ||
      !IsOrdinary(DecidingType(instruction))) {
    return nullptr;
  }
  Matcher matcher(instruction, rule.names.size());
  if (!matcher.Match(rule.pattern, &instruction)) return nullptr;
  // Magnitudes of complex numbers are floats, as the rule wants them; what it
  // makes of the numbers may not exist.
  const bool has_complex =
      std::ranges::any_of(matcher.values(), [](const Instruction* value) {
        return value != nullptr && value->shape().IsArray() &&
               hlo::IsComplex(value->shape().element_type());
      });
  if (has_complex && !hlo::Contains(types, ElementType::kC64)) return nullptr;
  Instruction* result = BuildPattern(
      rule.replacement, instruction.shape().element_type(),
      instruction.shape().dimensions(), matcher.values(), rewriter);
  // Parts of real numbers are real: complex(real(x), imag(x)) may not be x.
  const bool fits =
      result != nullptr && Compatible(result->shape(), instruction.shape());
  return fits ? result : nullptr;
}

}  // namespace hilo::passes
