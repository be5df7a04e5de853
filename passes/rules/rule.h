// Rewrite rules: rows with a name, a declared exactness, and what they do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "passes/pass_context.h"
#include "passes/rewriter.h"

namespace hilo::passes {

// How the result of a rule compares with what it replaces.
enum class Exactness : uint8_t {
  // The same bits, except for those of NaNs.
  kExact,
  // Within the error that the rows of the opcodes allow.
  kWithinBound,
  // True over the reals only: applied with fast_math.
  kRealNumbers,
};
absl::string_view NameOf(Exactness exactness);

// One rule. It either is text, "multiply(x, 1) => x" (see rule_text.h), or a
// function that does what the text says.
struct Rule {
  absl::string_view name;
  absl::string_view text;
  // Where the rule is tried: at one opcode, or at those that `at_opcodes`
  // accepts. Text says it by itself.
  std::optional<hlo::Opcode> opcode = {};
  bool (*at_opcodes)(hlo::Opcode opcode) = nullptr;
  // Element types of text rules.
  hlo::TypeClasses types = hlo::kAnyTypes;
  Exactness exactness = Exactness::kExact;
  // What stands for `instruction` from now on; the instruction itself when it
  // was changed in place; null when the rule does not fit.
  hlo::Instruction* (*apply)(hlo::Instruction& instruction,
                             Rewriter& rewriter) = nullptr;
};

// All rules, family by family, in the order in which they are tried.
absl::Span<const Rule> Rules();

// The families, each in a file of its own.
absl::Span<const Rule> ArithmeticRules();
absl::Span<const Rule> LogicRules();
absl::Span<const Rule> ConversionRules();
absl::Span<const Rule> StructureRules();
absl::Span<const Rule> ShapeRules();
absl::Span<const Rule> BroadcastRules();
absl::Span<const Rule> SliceRules();
absl::Span<const Rule> IndexingRules();
absl::Span<const Rule> ReductionRules();
absl::Span<const Rule> ContractionRules();

// Questions that many rules ask.

// The scalar that `instruction` repeats: its operand when it is a broadcast of
// a scalar, itself when it is one. Null otherwise.
hlo::Instruction* SplatScalar(const hlo::Instruction* instruction);
// The value of SplatScalar where that is a constant; null otherwise.
const hlo::Literal* SplatConstant(const hlo::Instruction* instruction);
// Whether the value is the number, which the type can hold. Zeros of floats
// are told apart by their signs.
bool IsNumber(const hlo::Literal& scalar, double number);
bool IsSplatOf(const hlo::Instruction* instruction, double number);
// A constant, or a repeated scalar constant.
bool IsConstant(const hlo::Instruction* instruction);
// The integer of a scalar integer constant; nullopt for anything else, and for
// unsigned numbers that int64_t cannot hold.
std::optional<int64_t> IntegerConstant(const hlo::Instruction* instruction);

// The opcode of a computation (x, y) -> opcode(x, y) of scalars, in either
// order where that does not matter.
std::optional<hlo::Opcode> ScalarOperationOf(const hlo::Computation& reducer);

bool IsElementwise(hlo::Opcode opcode);

}  // namespace hilo::passes
