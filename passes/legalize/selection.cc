// Expansions of the selection of first elements: topk and its custom calls.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/legalize/legalize.h"
#include "passes/rewriter.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// The first elements of one dimension.
Instruction* FirstOf(Instruction* array, int64_t dimension, int64_t count,
                     Rewriter& rewriter) {
  hlo::SliceDimensions slice;
  for (int64_t i = 0; i < array->shape().rank(); ++i) {
    const int64_t size = array->shape().dimension(i);
    slice.push_back(
        {.start = 0, .limit = i == dimension ? count : size, .stride = 1});
  }
  return rewriter.Slice(array, std::move(slice));
}

// Whether the comparator asks for the smallest elements.
bool WantsSmallest(const Instruction& call) {
  for (const hlo::Computation* computation : call.called_computations()) {
    const Instruction* root = computation->root();
    if (root->opcode() != Opcode::kCompare) continue;
    const bool is_less = root->direction() == ComparisonDirection::kLt ||
                         root->direction() == ComparisonDirection::kLe;
    const bool is_swapped = root->operand(0)->opcode() == Opcode::kParameter &&
                            root->operand(0)->parameter_number() % 2 == 1;
    return is_less != is_swapped;
  }
  return false;
}

// The dimension that the selection shortens: as the configuration says
// ("reduction_dim": 1, or = 1), else where the shapes differ, else the last.
int64_t ReductionDimension(const Instruction& call, const Shape& result) {
  const Shape& operand = call.operand_shape(0);
  const absl::string_view config = call.backend_config();
  constexpr absl::string_view kKey = "reduction_dim";
  size_t position = config.find(kKey);
  if (position != absl::string_view::npos) {
    position = config.find_first_of("-0123456789", position + kKey.size());
    const size_t end = config.find_first_not_of("-0123456789", position);
    int64_t dimension = 0;
    if (position != absl::string_view::npos &&
        absl::SimpleAtoi(config.substr(position, end - position), &dimension)) {
      return dimension < 0 ? dimension + operand.rank() : dimension;
    }
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (operand.dimension(i) != result.dimension(i)) return i;
  }
  return operand.rank() - 1;
}

// Cuts or extends one dimension to `size`.
Instruction* Resize(Instruction* array, Instruction* initial, int64_t dimension,
                    int64_t size, Rewriter& rewriter) {
  const int64_t before = array->shape().dimension(dimension);
  if (size <= before) return FirstOf(array, dimension, size, rewriter);
  hlo::PaddingConfig padding(array->shape().rank());
  padding[dimension].high = size - before;
  return rewriter.Pad(array, initial, std::move(padding));
}

const Shape& ResultShape(const Instruction& call, int64_t i) {
  return call.shape().IsTuple() ? call.shape().element(i) : call.shape();
}

bool IsApproximateTopK(const Instruction& call) {
  if (call.custom_call_target() != "ApproxTopK" &&
      call.custom_call_target() != "PartialReduce") {
    return false;
  }
  const int64_t count = call.operand_count() / 2;
  const int64_t results =
      call.shape().IsTuple() ? call.shape().element_count() : 1;
  return count > 0 && call.operand_count() % 2 == 0 && results == count &&
         call.called_computations().size() == 1 &&
         call.operand_shape(0).rank() > 0 &&
         ResultShape(call, 0).rank() == call.operand_shape(0).rank();
}

}  // namespace

absl::StatusOr<Instruction*> ExpandTopKCall(Instruction& instruction,
                                            Rewriter& rewriter) {
  if (instruction.custom_call_target() != "TopK") return nullptr;
  const Shape& shape = instruction.shape();
  if (instruction.operand_count() != 1 || !shape.IsTuple() ||
      shape.element_count() != 2 || instruction.operand_shape(0).rank() == 0 ||
      shape.element(0).rank() != instruction.operand_shape(0).rank()) {
    return InvalidArgument("expected an array, and values and indices of it");
  }
  const int64_t last = instruction.operand_shape(0).rank() - 1;
  const int64_t k = shape.element(0).dimension(last);
  if (k > instruction.operand_shape(0).dimension(last)) {
    return InvalidArgument("k is ", k, ", but the last dimension has ",
                           instruction.operand_shape(0).dimension(last),
                           " elements");
  }
  return rewriter.Add(Opcode::kTopK, {instruction.operand(0)},
                      {With::k(k), With::largest(!WantsSmallest(instruction))});
}

absl::StatusOr<Instruction*> ExpandApproximateTopK(Instruction& instruction,
                                                   Rewriter& rewriter) {
  if (!IsApproximateTopK(instruction)) return nullptr;
  const int64_t count = instruction.operand_count() / 2;
  const int64_t dimension =
      ReductionDimension(instruction, ResultShape(instruction, 0));
  if (dimension < 0 || dimension >= instruction.operand_shape(0).rank()) {
    return InvalidArgument("reduction_dim is ", dimension, ", the rank is ",
                           instruction.operand_shape(0).rank());
  }
  std::vector<Instruction*> operands = instruction.operands();
  operands.resize(count);
  Instruction* sort =
      rewriter.Add(Opcode::kSort, operands,
                   {With::dimensions({dimension}), With::is_stable(true),
                    With::to_apply(instruction.called_computations()[0])});
  std::vector<Instruction*> results;
  for (int64_t i = 0; i < count; ++i) {
    Instruction* sorted = count == 1 ? sort : rewriter.GetTupleElement(sort, i);
    results.push_back(Resize(sorted, instruction.operand(count + i), dimension,
                             ResultShape(instruction, i).dimension(dimension),
                             rewriter));
  }
  return instruction.shape().IsTuple() ? rewriter.Tuple(results) : results[0];
}

}  // namespace hilo::passes
