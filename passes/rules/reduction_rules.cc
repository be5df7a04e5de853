// Rules about reductions, windows and sorting.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/rewriter.h"
#include "passes/rules/dimensions.h"
#include "passes/rules/rule.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;

// Whether op(x, x) = x.
bool IsIdempotent(Opcode opcode) {
  return opcode == Opcode::kMaximum || opcode == Opcode::kMinimum ||
         opcode == Opcode::kAnd || opcode == Opcode::kOr;
}

// Whether the order in which elements are folded does not matter, to the bit.
bool IsOrderFree(Opcode opcode, hlo::ElementType type) {
  if (!hlo::InfoOf(opcode).Has(hlo::kAssociative)) return false;
  return hlo::IsInteger(type) || type == hlo::ElementType::kPred ||
         IsIdempotent(opcode);
}

// The operation of a reduce of one array, in one element type.
std::optional<Opcode> OperationOf(const Instruction& reduce) {
  if (reduce.operand_count() != 2) return std::nullopt;
  const std::optional<Opcode> operation = ScalarOperationOf(*reduce.to_apply());
  const hlo::ElementType type = reduce.shape().element_type();
  if (reduce.operand_shape(0).element_type() != type ||
      reduce.operand_shape(1).element_type() != type ||
      reduce.to_apply()->root()->shape().element_type() != type) {
    return std::nullopt;
  }
  return operation;
}

// No element to fold: only the initial value is left.
Instruction* ReduceOfNothing(Instruction& instruction, Rewriter& rewriter) {
  if (instruction.operand_count() != 2 ||
      instruction.operand_shape(0).ElementCount() != 0 ||
      instruction.operand_shape(1).element_type() !=
          instruction.shape().element_type()) {
    return nullptr;
  }
  return rewriter.Splat(instruction.operand(1), instruction.shape());
}

// One element each: the operation is applied once.
Instruction* ReduceOfUnitDimensions(Instruction& instruction,
                                    Rewriter& rewriter) {
  const std::optional<Opcode> operation = OperationOf(instruction);
  if (!operation || instruction.operand_shape(0).IsDynamic()) return nullptr;
  for (const int64_t d : instruction.dimensions()) {
    if (instruction.operand_shape(0).dimension(d) != 1) return nullptr;
  }
  Instruction* value = rewriter.Reshape(instruction.operand(0),
                                        instruction.shape().dimensions());
  Instruction* init =
      rewriter.Splat(instruction.operand(1), instruction.shape());
  return rewriter.Binary(*operation, init, value);
}

// Dimensions of size 1 need no reducing.
Instruction* ReduceFewerDimensions(Instruction& instruction,
                                   Rewriter& rewriter) {
  const hlo::Shape& shape = instruction.operand_shape(0);
  if (instruction.operand_count() != 2 || shape.IsDynamic()) return nullptr;
  DimensionVector sizes;
  DimensionVector dimensions;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const bool is_reduced = Contains(instruction.dimensions(), i);
    if (is_reduced && shape.dimension(i) == 1) continue;
    if (is_reduced) dimensions.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(shape.dimension(i));
  }
  if (dimensions.size() == instruction.dimensions().size() ||
      dimensions.empty()) {
    return nullptr;
  }
  Instruction* operand = rewriter.Reshape(instruction.operand(0), sizes);
  Instruction* result =
      rewriter.Like(instruction, WithoutLayout(instruction.shape()),
                    {operand, instruction.operand(1)});
  result->set_dimensions(std::move(dimensions));
  return result;
}

// A reshape that only adds or drops unit dimensions that are kept, or that
// are reduced away.
Instruction* ReduceOfUnitReshape(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* reshape = instruction.operand(0);
  if (instruction.operand_count() != 2 ||
      reshape->opcode() != Opcode::kReshape || reshape->shape().IsDynamic() ||
      instruction.shape().IsDynamic()) {
    return nullptr;
  }
  const std::optional<UnitReshape> map =
      MatchUnitReshape(reshape->operand_shape(0), reshape->shape());
  if (!map) return nullptr;
  DimensionVector dimensions;
  for (const int64_t d : instruction.dimensions()) {
    if (map->to_operand[d] >= 0) dimensions.push_back(map->to_operand[d]);
  }
  std::ranges::sort(dimensions);
  if (dimensions.empty()) return nullptr;
  Instruction* operand = reshape->operand(0);
  Instruction* reduced = rewriter.Like(
      instruction,
      hlo::Shape::Array(instruction.shape().element_type(),
                        SizesWithout(operand->shape(), dimensions)),
      {operand, instruction.operand(1)});
  reduced->set_dimensions(dimensions);
  return rewriter.Reshape(reduced, instruction.shape().dimensions());
}

// A reduce of a transpose that keeps the order of what is folded, or whose
// order does not matter. What is left is transposed where it changes its order.
Instruction* ReduceOfTranspose(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* transpose = instruction.operand(0);
  if (transpose->opcode() != Opcode::kTranspose ||
      instruction.operand_count() != 2) {
    return nullptr;
  }
  DimensionVector reduced;
  DimensionVector kept;
  for (int64_t i = 0; i < transpose->shape().rank(); ++i) {
    const int64_t source = transpose->dimensions()[i];
    (Contains(instruction.dimensions(), i) ? reduced : kept).push_back(source);
  }
  const std::optional<Opcode> operation = OperationOf(instruction);
  const bool any_order =
      operation && IsOrderFree(*operation, instruction.shape().element_type());
  if (!any_order && !IsAscending(reduced)) return nullptr;
  std::ranges::sort(reduced);
  DimensionVector order = kept;
  std::ranges::sort(order);
  DimensionVector permutation;
  DimensionVector sizes;
  for (const int64_t d : kept) permutation.push_back(PositionIn(order, d));
  for (const int64_t d : order) {
    sizes.push_back(transpose->operand_shape(0).dimension(d));
  }
  Instruction* result = rewriter.Like(
      instruction,
      IsAscending(kept)
          ? WithoutLayout(instruction.shape())
          : hlo::Shape::Array(instruction.shape().element_type(), sizes),
      {transpose->operand(0), instruction.operand(1)});
  result->set_dimensions(reduced);
  return IsAscending(kept) ? result : rewriter.Transpose(result, permutation);
}

// What is repeated along reduced dimensions counts once, for max and the like.
Instruction* ReduceOfBroadcast(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* broadcast = instruction.operand(0);
  const std::optional<Opcode> operation = OperationOf(instruction);
  if (broadcast->opcode() != Opcode::kBroadcast || !operation ||
      !IsIdempotent(*operation) || broadcast->shape().ElementCount() == 0 ||
      !IsAscending(broadcast->dimensions())) {
    return nullptr;
  }
  DimensionVector inner;
  DimensionVector targets;
  for (size_t i = 0; i < broadcast->dimensions().size(); ++i) {
    const int64_t d = broadcast->dimensions()[i];
    if (Contains(instruction.dimensions(), d)) {
      inner.push_back(static_cast<int64_t>(i));
      continue;
    }
    int64_t before = 0;
    for (const int64_t r : instruction.dimensions()) before += r < d ? 1 : 0;
    targets.push_back(d - before);
  }
  if (inner.size() == instruction.dimensions().size()) return nullptr;
  Instruction* value =
      rewriter.Reduce(broadcast->operand(0), instruction.operand(1), inner,
                      instruction.to_apply());
  return rewriter.Broadcast(value, instruction.shape().dimensions(), targets);
}

// Two reductions in a row are one, where order does not matter.
Instruction* ReduceOfReduce(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* inner = instruction.operand(0);
  if (inner->opcode() != Opcode::kReduce || inner->uses().size() != 1) {
    return nullptr;
  }
  const std::optional<Opcode> outer_operation = OperationOf(instruction);
  const std::optional<Opcode> inner_operation = OperationOf(*inner);
  const hlo::ElementType type = instruction.shape().element_type();
  if (!outer_operation || outer_operation != inner_operation ||
      !IsOrderFree(*outer_operation, type)) {
    return nullptr;
  }
  // The inner initial value counts once for each partial result: it must not
  // matter.
  const bool is_neutral = inner->operand(1) == instruction.operand(1) &&
                          IsIdempotent(*outer_operation);
  const bool is_zero =
      *outer_operation == Opcode::kAdd && IsSplatOf(inner->operand(1), 0);
  const bool is_one =
      *outer_operation == Opcode::kMultiply && IsSplatOf(inner->operand(1), 1);
  if (!is_neutral && !is_zero && !is_one) return nullptr;
  DimensionVector left;
  for (int64_t i = 0; i < inner->operand_shape(0).rank(); ++i) {
    if (!Contains(inner->dimensions(), i)) left.push_back(i);
  }
  DimensionVector dimensions = inner->dimensions();
  for (const int64_t d : instruction.dimensions()) {
    dimensions.push_back(left[d]);
  }
  std::ranges::sort(dimensions);
  return rewriter.Reduce(inner->operand(0), instruction.operand(1), dimensions,
                         instruction.to_apply());
}

// A window of one element everywhere.
Instruction* ReduceWindowOfOne(Instruction& instruction, Rewriter& rewriter) {
  if (instruction.operand_count() != 2 ||
      !Compatible(instruction.operand_shape(0), instruction.shape())) {
    return nullptr;
  }
  const std::optional<Opcode> operation =
      ScalarOperationOf(*instruction.to_apply());
  if (!operation || instruction.to_apply()->root()->shape().element_type() !=
                        instruction.shape().element_type()) {
    return nullptr;
  }
  for (const hlo::WindowDimension& d : instruction.window().dimensions) {
    if (d.size != 1 || d.stride != 1 || d.padding_low != 0 ||
        d.padding_high != 0 || d.base_dilation != 1) {
      return nullptr;
    }
  }
  Instruction* init =
      rewriter.Splat(instruction.operand(1), instruction.shape());
  return rewriter.Binary(*operation, init, instruction.operand(0));
}

// One element or none has its order already.
Instruction* SortOfOne(Instruction& instruction, Rewriter& rewriter) {
  const int64_t dimension = instruction.dimensions()[0];
  if (instruction.operand_shape(0).dimension(dimension) > 1) return nullptr;
  if (instruction.operand_count() == 1) return instruction.operand(0);
  return rewriter.Tuple(instruction.operands());
}

// Whether each element counts the place along the last dimension.
bool CountsLastDimension(const Instruction* instruction) {
  const int64_t last = instruction->shape().rank() - 1;
  if (instruction->shape().element_type() != hlo::ElementType::kS32) {
    return false;
  }
  if (instruction->opcode() == Opcode::kIota) {
    return instruction->iota_dimension() == last;
  }
  return instruction->opcode() == Opcode::kBroadcast &&
         instruction->operand(0)->opcode() == Opcode::kIota &&
         instruction->operand_shape(0).rank() == 1 &&
         instruction->dimensions()[0] == last;
}

// The direction in which topk orders as the sort does; nullopt when it does
// not, or gives other arrays.
std::optional<hlo::ComparisonDirection> TopKDirection(const Instruction& sort) {
  const Instruction& root = *sort.to_apply()->root();
  const hlo::ElementType type = sort.operand_shape(0).element_type();
  if (sort.operand_count() > 2 ||
      sort.dimensions()[0] != sort.operand_shape(0).rank() - 1 ||
      root.opcode() != Opcode::kCompare ||
      root.operand(0) != sort.to_apply()->parameter(0) ||
      root.operand(1) != sort.to_apply()->parameter(1)) {
    return std::nullopt;
  }
  const bool has_order =
      hlo::IsInteger(type) ||
      (hlo::IsFloat(type) &&
       root.comparison_type() == hlo::ComparisonType::kTotalOrder);
  const bool is_strict = root.direction() == hlo::ComparisonDirection::kGt ||
                         root.direction() == hlo::ComparisonDirection::kLt;
  if (!has_order || !is_strict) return std::nullopt;
  if (sort.operand_count() == 2 && !CountsLastDimension(sort.operand(1))) {
    return std::nullopt;
  }
  return root.direction();
}

// How many of the first elements of the last dimension a slice takes, and
// nothing else; 0 for other instructions.
int64_t PrefixLength(const Instruction& slice) {
  if (slice.opcode() != Opcode::kSlice) return 0;
  const int64_t last = slice.shape().rank() - 1;
  for (int64_t i = 0; i <= last; ++i) {
    const hlo::SliceDimension& d = slice.slice()[static_cast<size_t>(i)];
    const bool is_whole = d.limit == slice.operand_shape(0).dimension(i);
    if (d.start != 0 || d.stride != 1 || (i < last && !is_whole)) return 0;
  }
  return slice.shape().dimension(last);
}

// Whether everybody who reads an array of the sort reads a short prefix of it.
bool OnlyPrefixesAreRead(const Instruction& array) {
  // Half of the elements in order cost as much as all of them.
  constexpr int64_t kLeastRatio = 4;
  const int64_t size = array.shape().dimension(array.shape().rank() - 1);
  if (&array == array.parent()->root()) return false;
  return std::ranges::all_of(array.uses(), [&](const Instruction::Use& use) {
    const int64_t length = PrefixLength(*use.user);
    return length > 0 && length <= size / kLeastRatio;
  });
}

// The beginning of a sorted array, when nobody needs the rest of it.
Instruction* SliceOfSort(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* sort = instruction.operand(0);
  int64_t index = 0;
  if (sort->opcode() == Opcode::kGetTupleElement) {
    index = sort->index();
    sort = sort->operand(0);
  }
  if (sort->opcode() != Opcode::kSort) return nullptr;
  const std::optional<hlo::ComparisonDirection> direction =
      TopKDirection(*sort);
  if (!direction || sort == sort->parent()->root()) return nullptr;
  const bool has_prefixes =
      sort->operand_count() == 1
          ? OnlyPrefixesAreRead(*sort)
          : std::ranges::all_of(sort->uses(), [](const Instruction::Use& use) {
              return use.user->opcode() == Opcode::kGetTupleElement &&
                     OnlyPrefixesAreRead(*use.user);
            });
  if (!has_prefixes) return nullptr;
  Instruction* first = rewriter.Add(
      Opcode::kTopK, {sort->operand(0)},
      {With::k(PrefixLength(instruction)),
       With::largest(*direction == hlo::ComparisonDirection::kGt)});
  return rewriter.GetTupleElement(first, index);
}

// Arrays that neither the comparator nor anybody else looks at.
Instruction* SortOfUnused(Instruction& instruction, Rewriter& rewriter) {
  const int64_t count = instruction.operand_count();
  if (count == 1 || &instruction == instruction.parent()->root()) {
    return nullptr;
  }
  std::vector<bool> is_used(count, false);
  for (const Instruction::Use& use : instruction.uses()) {
    if (use.user->opcode() != Opcode::kGetTupleElement) return nullptr;
    is_used[use.user->index()] = true;
  }
  const hlo::Computation& comparator = *instruction.to_apply();
  for (int64_t i = 0; i < count; ++i) {
    if (comparator.parameter(2 * i)->HasUses() ||
        comparator.parameter(2 * i + 1)->HasUses() ||
        comparator.root()->opcode() == Opcode::kParameter) {
      is_used[i] = true;
    }
  }
  std::vector<Instruction*> operands;
  std::vector<hlo::Shape> shapes;
  for (int64_t i = 0; i < count; ++i) {
    if (!is_used[i]) continue;
    operands.push_back(instruction.operand(i));
    shapes.push_back(instruction.shape().element(i));
  }
  if (std::cmp_equal(operands.size(), count) || operands.empty()) {
    return nullptr;
  }
  hlo::Computation* narrow =
      rewriter.module().AddComputation(comparator.name());
  InstructionCopies copies;
  for (int64_t i = 0; i < count; ++i) {
    if (!is_used[i]) continue;
    for (const int64_t number : {2 * i, 2 * i + 1}) {
      const Instruction* parameter = comparator.parameter(number);
      Instruction* copy =
          narrow->AddParameter(narrow->parameter_count(), parameter->shape());
      copy->set_name(parameter->name());
      copies[parameter->id()] = copy;
    }
  }
  narrow->set_root(CopyInto(*comparator.root(), copies, narrow));
  const bool is_single = operands.size() == 1;
  Instruction* sorted = rewriter.Like(
      instruction, is_single ? shapes[0] : hlo::Shape::Tuple(shapes), operands);
  sorted->set_to_apply(narrow);
  std::vector<Instruction*> results;
  int64_t next = 0;
  results.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    if (!is_used[i]) {
      // Nobody looks at what stands for an unused result.
      results.push_back(instruction.operand(i));
    } else if (is_single) {
      results.push_back(sorted);
    } else {
      results.push_back(rewriter.GetTupleElement(sorted, next++));
    }
  }
  return rewriter.Tuple(results);
}

constexpr auto kReductionRules = std::to_array<Rule>({
    {.name = "reduce-of-nothing",
     .text = "reduce({}, a) => broadcast(a)",
     .opcode = Opcode::kReduce,
     .apply = &ReduceOfNothing},
    {.name = "reduce-of-unit-dimensions",
     .text = "reduce(x, a) of single elements => op(a, x)",
     .opcode = Opcode::kReduce,
     .apply = &ReduceOfUnitDimensions},
    {.name = "reduce-fewer-dimensions",
     .text = "reduce(x) => reduce(reshape(x)) without unit dimensions",
     .opcode = Opcode::kReduce,
     .apply = &ReduceFewerDimensions},
    {.name = "reduce-of-unit-reshape",
     .text = "reduce(reshape(x)) => reshape(reduce(x))",
     .opcode = Opcode::kReduce,
     .apply = &ReduceOfUnitReshape},
    {.name = "reduce-of-transpose",
     .text = "reduce(transpose(x)) => reduce(x)",
     .opcode = Opcode::kReduce,
     .apply = &ReduceOfTranspose},
    {.name = "reduce-of-broadcast",
     .text = "reduce(broadcast(x)) => broadcast(reduce(x)) for max, min, and, "
             "or",
     .opcode = Opcode::kReduce,
     .apply = &ReduceOfBroadcast},
    {.name = "reduce-of-reduce",
     .text = "reduce(reduce(x)) => reduce(x)",
     .opcode = Opcode::kReduce,
     .apply = &ReduceOfReduce},
    {.name = "reduce-window-of-one",
     .text = "reduce-window(x, a) of single elements => op(a, x)",
     .opcode = Opcode::kReduceWindow,
     .apply = &ReduceWindowOfOne},
    {.name = "sort-of-one",
     .text = "sort(x) of one element => x",
     .opcode = Opcode::kSort,
     .apply = &SortOfOne},
    {.name = "slice-of-sort",
     .text = "slice(sort(x)) => topk(x)",
     .opcode = Opcode::kSlice,
     .apply = &SliceOfSort},
    {.name = "sort-of-unused",
     .text = "sort(x, y) => sort(x) where y is not used",
     .opcode = Opcode::kSort,
     .apply = &SortOfUnused},
});

}  // namespace

absl::Span<const Rule> ReductionRules() { return kReductionRules; }

}  // namespace hilo::passes
