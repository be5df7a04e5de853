// Makes two reductions of those that give few elements of many.
//
// One reduction to a scalar is a single chain of work. In two steps, of rows
// first and then of the rows' results, the first step has a row for every
// thread. Whether a reduction is split depends on its shape alone, not on the
// number of threads, so that results do not either.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/call_graph.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

constexpr const char kSplitPass[] = "reduction-splitting";

// With more results than this there is work for every thread as it is.
constexpr int64_t kFewResults = 32;
// Below this two loops take longer than one.
constexpr int64_t kManyElements = int64_t{1} << 18;
// How many parts make enough work, and how many are too many.
constexpr int64_t kLeastParts = 8;
constexpr int64_t kMostParts = 4096;

// A number that changes nothing, to begin the parts with; null where there is
// none, or none that is certain.
Instruction* NeutralElement(Opcode operation, const Instruction& reduce,
                            Rewriter& rewriter) {
  const ElementType type = reduce.shape().element_type();
  switch (operation) {
    case Opcode::kAdd:
      // +0 would make +0 of a sum of negative zeros.
      if (hlo::IsFloat(type)) return rewriter.Scalar(type, -0.0);
      return hlo::IsInteger(type) ? rewriter.IntegerScalar(type, 0) : nullptr;
    case Opcode::kMultiply:
      if (hlo::IsFloat(type)) return rewriter.Scalar(type, 1);
      return hlo::IsInteger(type) ? rewriter.IntegerScalar(type, 1) : nullptr;
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
      // Counts as often as one likes.
      return reduce.operand(1);
    default:  // NOLINT: nothing is known of the others
      return nullptr;
  }
}

// The reduced dimension along which the parts lie, and their number.
struct Parts {
  int64_t dimension = 0;
  int64_t count = 0;
};

// Reshaping stands between a loop and what it would take in.
bool IsInMemory(const Instruction& operand) {
  return operand.opcode() == Opcode::kParameter ||
         operand.opcode() == Opcode::kGetTupleElement;
}

std::optional<Parts> FindParts(const Instruction& reduce) {
  const Shape& shape = reduce.operand_shape(0);
  DimensionVector dimensions = reduce.dimensions();
  std::ranges::sort(dimensions);
  for (const int64_t d : dimensions) {
    const int64_t size = shape.dimension(d);
    const bool leaves_rows = dimensions.size() > 1;
    if (leaves_rows && size >= kLeastParts && size <= kMostParts) {
      return Parts{.dimension = d, .count = size};
    }
    if (!IsInMemory(*reduce.operand(0))) continue;
    for (int64_t count = kMostParts / 16; count >= kLeastParts; --count) {
      if (size % count == 0 && size > count) {
        return Parts{.dimension = d, .count = count};
      }
    }
  }
  return std::nullopt;
}

bool IsSuitable(const Instruction& reduce) {
  const Shape& operand = reduce.operand_shape(0);
  return reduce.operand_count() == 2 && !operand.IsDynamic() &&
         reduce.shape().IsArray() &&
         operand.element_type() == reduce.shape().element_type() &&
         reduce.operand_shape(1).element_type() ==
             reduce.shape().element_type() &&
         reduce.shape().ElementCount() <= kFewResults &&
         operand.ElementCount() >= kManyElements;
}

// The two reductions; null when the instruction stays as it is.
Instruction* Split(const Instruction& reduce) {
  if (!IsSuitable(reduce)) return nullptr;
  const std::optional<Opcode> operation = ScalarOperationOf(*reduce.to_apply());
  const std::optional<Parts> parts = FindParts(reduce);
  if (!operation || !parts) return nullptr;
  Rewriter rewriter(reduce);
  Instruction* neutral = NeutralElement(*operation, reduce, rewriter);
  if (neutral == nullptr) return nullptr;

  Instruction* operand = reduce.operand(0);
  const bool is_cut =
      operand->shape().dimension(parts->dimension) != parts->count;
  DimensionVector sizes(operand->shape().dimensions().begin(),
                        operand->shape().dimensions().end());
  DimensionVector inner;
  for (const int64_t d : reduce.dimensions()) {
    if (d == parts->dimension && !is_cut) continue;
    inner.push_back(is_cut && d >= parts->dimension ? d + 1 : d);
  }
  if (is_cut) {
    int64_t& size = sizes[static_cast<size_t>(parts->dimension)];
    size /= parts->count;
    sizes.insert(sizes.begin() + parts->dimension, parts->count);
    operand = rewriter.Reshape(operand, sizes);
  }
  std::ranges::sort(inner);
  Instruction* partial =
      rewriter.Reduce(operand, neutral, inner, reduce.to_apply());
  // Where the parts lie once the inner dimensions are gone.
  const int64_t outer =
      parts->dimension - std::ranges::count_if(inner, [&](int64_t d) {
        return d < parts->dimension;
      });
  return rewriter.Reduce(partial, reduce.operand(1), {outer},
                         reduce.to_apply());
}

}  // namespace

absl::StatusOr<bool> SplitReductions(hlo::Module& module,
                                     const PassContext& context) {
  bool changed = false;
  for (hlo::Computation* computation : ReachableComputations(module)) {
    for (Instruction* instruction : computation->PostOrder()) {
      if (instruction->opcode() != Opcode::kReduce) continue;
      Instruction* split = Split(*instruction);
      if (split == nullptr) continue;
      context.Remember(kSplitPass, *instruction,
                       "split in two: it gives few elements of many");
      instruction->ReplaceAllUsesWith(split);
      if (computation->root() == instruction) computation->set_root(split);
      changed = true;
    }
  }
  // The originals have no users any more.
  if (changed) {
    RETURN_IF_ERROR(EliminateDeadCode(module, context).status());
  }
  return changed;
}

}  // namespace hilo::passes
