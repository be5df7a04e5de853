// Loops that count.
#include "passes/simplify/trip_count.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "passes/rules/rule.h"

namespace hilo::passes {
namespace {

using hlo::ComparisonDirection;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// The position of the carried value that `value` reads; -1 for none.
int64_t CarryIndex(const Instruction* value, const Computation& computation) {
  const bool is_carry = value->opcode() == Opcode::kGetTupleElement &&
                        value->operand(0) == computation.parameter(0);
  return is_carry ? value->index() : -1;
}

bool IsInvariant(const Computation& body, int64_t index) {
  const Instruction* root = body.root();
  return root->opcode() == Opcode::kTuple &&
         CarryIndex(root->operand(index), body) == index;
}

const Instruction* InitialValue(const Instruction& loop, int64_t index) {
  const Instruction* init = loop.operand(0);
  return init->opcode() == Opcode::kTuple ? init->operand(index) : nullptr;
}

// The constant that `value` of the condition is in every turn.
std::optional<int64_t> BoundOf(const Instruction& loop,
                               const Instruction* value) {
  const std::optional<int64_t> constant = IntegerConstant(value);
  if (constant) return constant;
  const int64_t index = CarryIndex(value, *loop.condition());
  if (index < 0 || !IsInvariant(*loop.body(), index)) return std::nullopt;
  const Instruction* initial = InitialValue(loop, index);
  return initial == nullptr ? std::nullopt : IntegerConstant(initial);
}

// What the body adds to carry `index`; nullopt when that is no constant.
std::optional<int64_t> StepOf(const Computation& body, int64_t index) {
  const Instruction* root = body.root();
  if (root->opcode() != Opcode::kTuple) return std::nullopt;
  const Instruction* next = root->operand(index);
  const bool subtracts = next->opcode() == Opcode::kSubtract;
  if (next->opcode() != Opcode::kAdd && !subtracts) return std::nullopt;
  if (CarryIndex(next->operand(0), body) == index) {
    const std::optional<int64_t> step = IntegerConstant(next->operand(1));
    if (!step || *step == std::numeric_limits<int64_t>::min()) {
      return std::nullopt;
    }
    return subtracts ? -*step : *step;
  }
  if (!subtracts && CarryIndex(next->operand(1), body) == index) {
    return IntegerConstant(next->operand(0));
  }
  return std::nullopt;
}

ComparisonDirection Swapped(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kLt:
      return ComparisonDirection::kGt;
    case ComparisonDirection::kLe:
      return ComparisonDirection::kGe;
    case ComparisonDirection::kGt:
      return ComparisonDirection::kLt;
    case ComparisonDirection::kGe:
      return ComparisonDirection::kLe;
    case ComparisonDirection::kEq:
    case ComparisonDirection::kNe:
      break;
  }
  return direction;
}

// Turns from `start` while it is below (or, for negative steps, above)
// `limit`.
std::optional<int64_t> TurnsTo(int64_t start, int64_t limit, int64_t step) {
  using Wide = __int128;
  const Wide distance = step > 0 ? Wide{limit} - start : Wide{start} - limit;
  const Wide stride = step > 0 ? Wide{step} : -Wide{step};
  if (distance <= 0) return 0;
  const Wide turns = (distance + stride - 1) / stride;
  if (turns > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<int64_t>(turns);
}

std::optional<int64_t> CountTurns(int64_t start, int64_t limit, int64_t step,
                                  ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kLt:
      if (start >= limit) return 0;
      return step > 0 ? TurnsTo(start, limit, step) : std::nullopt;
    case ComparisonDirection::kLe:
      if (start > limit) return 0;
      if (limit == std::numeric_limits<int64_t>::max()) return std::nullopt;
      return step > 0 ? TurnsTo(start, limit + 1, step) : std::nullopt;
    case ComparisonDirection::kGt:
      if (start <= limit) return 0;
      return step < 0 ? TurnsTo(start, limit, step) : std::nullopt;
    case ComparisonDirection::kGe:
      if (start < limit) return 0;
      if (limit == std::numeric_limits<int64_t>::min()) return std::nullopt;
      return step < 0 ? TurnsTo(start, limit - 1, step) : std::nullopt;
    case ComparisonDirection::kNe:
      if (start == limit) return 0;
      if (step == 0 || (__int128{limit} - start) % step != 0) {
        return std::nullopt;
      }
      if ((limit > start) != (step > 0)) return std::nullopt;
      return TurnsTo(start, limit, step);
    case ComparisonDirection::kEq:
      return start != limit ? std::optional<int64_t>(0) : std::nullopt;
  }
  return std::nullopt;
}

// Whether the counter's last value, one step past the limit, fits its type.
bool FitsType(const CountedLoop& counted, hlo::ElementType type) {
  const int bits = hlo::InfoOf(type).bits;
  const __int128 last =
      counted.start + static_cast<__int128>(counted.step) * counted.trip_count;
  const bool is_signed = hlo::IsSignedInteger(type);
  const __int128 highest =
      (static_cast<__int128>(1) << (is_signed ? bits - 1 : bits)) - 1;
  const __int128 lowest = is_signed ? -highest - 1 : 0;
  return last >= lowest && last <= highest;
}

}  // namespace

std::optional<CountedLoop> FindCountedLoop(const Instruction& loop) {
  if (!loop.shape().IsTuple()) return std::nullopt;
  const Instruction* compare = loop.condition()->root();
  if (compare->opcode() != Opcode::kCompare) return std::nullopt;
  int64_t index = CarryIndex(compare->operand(0), *loop.condition());
  const Instruction* bound = compare->operand(1);
  ComparisonDirection direction = compare->direction();
  const bool counts_left = index >= 0 && !IsInvariant(*loop.body(), index);
  if (!counts_left) {
    index = CarryIndex(compare->operand(1), *loop.condition());
    bound = compare->operand(0);
    direction = Swapped(direction);
  }
  if (index < 0) return std::nullopt;
  const Instruction* initial = InitialValue(loop, index);
  if (initial == nullptr) return std::nullopt;
  const std::optional<int64_t> start = IntegerConstant(initial);
  const std::optional<int64_t> limit = BoundOf(loop, bound);
  std::optional<int64_t> step = StepOf(*loop.body(), index);
  if (!start || !limit) return std::nullopt;
  CountedLoop counted{.index = index, .start = *start};
  // A loop that does not begin needs no step.
  counted.step = step.value_or(0);
  const std::optional<int64_t> turns =
      CountTurns(*start, *limit, counted.step, direction);
  if (!turns || (!step && *turns != 0)) return std::nullopt;
  counted.trip_count = *turns;
  if (!FitsType(counted, initial->shape().element_type())) return std::nullopt;
  return counted;
}

}  // namespace hilo::passes
