// Rules about gather, scatter and slices at run-time indices.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
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
using hlo::SliceDimensions;

// The start indices of operands `first` and up, clamped so that `sizes` fit
// into `shape`; nullopt unless all are known.
std::optional<DimensionVector> KnownStarts(const Instruction& instruction,
                                           int64_t first,
                                           const hlo::Shape& shape,
                                           absl::Span<const int64_t> sizes) {
  if (instruction.operand_count() - first != shape.rank()) return std::nullopt;
  DimensionVector starts;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t limit = shape.dimension(i) - sizes[i];
    const Instruction* index = instruction.operand(first + i);
    if (limit == 0) {
      starts.push_back(0);
      continue;
    }
    if (!index->shape().IsScalar()) return std::nullopt;
    const std::optional<int64_t> value = IntegerConstant(index);
    if (!value) return std::nullopt;
    starts.push_back(std::clamp<int64_t>(*value, 0, limit));
  }
  return starts;
}

SliceDimensions SliceAt(absl::Span<const int64_t> starts,
                        absl::Span<const int64_t> sizes) {
  SliceDimensions slice;
  for (size_t i = 0; i < starts.size(); ++i) {
    slice.push_back(
        {.start = starts[i], .limit = starts[i] + sizes[i], .stride = 1});
  }
  return slice;
}

Instruction* DynamicSliceAtConstant(Instruction& instruction,
                                    Rewriter& rewriter) {
  Instruction* operand = instruction.operand(0);
  const std::optional<DimensionVector> starts = KnownStarts(
      instruction, 1, operand->shape(), instruction.shape().dimensions());
  if (!starts || operand->shape().IsDynamic()) return nullptr;
  return rewriter.Slice(operand,
                        SliceAt(*starts, instruction.shape().dimensions()));
}

Instruction* DynamicSliceOfBroadcast(Instruction& instruction,
                                     Rewriter& rewriter) {
  const Instruction* broadcast = instruction.operand(0);
  if (broadcast->opcode() != Opcode::kBroadcast ||
      instruction.operand_count() - 1 != broadcast->shape().rank()) {
    return nullptr;
  }
  std::vector<Instruction*> operands = {broadcast->operand(0)};
  DimensionVector sizes;
  for (const int64_t d : broadcast->dimensions()) {
    operands.push_back(instruction.operand(d + 1));
    sizes.push_back(instruction.shape().dimension(d));
  }
  Instruction* operand = broadcast->operand(0);
  if (operand->shape().rank() > 0) {
    operand = rewriter.Add(
        Opcode::kDynamicSlice,
        hlo::Shape::Array(instruction.shape().element_type(), sizes), operands,
        {With::dynamic_slice_sizes(sizes)});
  }
  return rewriter.Broadcast(operand, instruction.shape().dimensions(),
                            broadcast->dimensions());
}

// A slice of dimension d of an iota of one dimension is its start.
Instruction* DynamicSliceOfIota(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* iota = instruction.operand(0);
  if (iota->opcode() != Opcode::kIota || iota->shape().rank() != 1 ||
      instruction.shape().dimension(0) != 1 ||
      !hlo::IsInteger(iota->shape().element_type())) {
    return nullptr;
  }
  Instruction* index = instruction.operand(1);
  const hlo::ElementType type = index->shape().element_type();
  const int64_t last = iota->shape().dimension(0) - 1;
  const int bits = hlo::InfoOf(type).bits;
  if (!index->shape().IsScalar() ||
      (bits < 64 && last >= int64_t{1} << (bits - 1))) {
    return nullptr;
  }
  Instruction* clamped =
      rewriter.Add(Opcode::kClamp, {rewriter.IntegerScalar(type, 0), index,
                                    rewriter.IntegerScalar(type, last)});
  return rewriter.Reshape(
      rewriter.Convert(clamped, iota->shape().element_type()), {1});
}

// An update of the whole array.
Instruction* UpdateOfAll(Instruction& instruction, Rewriter& /*rewriter*/) {
  Instruction* update = instruction.operand(1);
  return SameDimensions(update->shape(), instruction.shape()) &&
                 !instruction.shape().IsDynamic()
             ? update
             : nullptr;
}

Instruction* UpdateOfNothing(Instruction& instruction, Rewriter& /*rewriter*/) {
  return instruction.operand_shape(1).ElementCount() == 0
             ? instruction.operand(0)
             : nullptr;
}

// Writing back what was read there.
Instruction* UpdateWithItself(Instruction& instruction,
                              Rewriter& /*rewriter*/) {
  const Instruction* update = instruction.operand(1);
  if (update->opcode() != Opcode::kDynamicSlice ||
      update->operand(0) != instruction.operand(0) ||
      update->operand_count() + 1 != instruction.operand_count()) {
    return nullptr;
  }
  for (int64_t i = 1; i < update->operand_count(); ++i) {
    if (update->operand(i) != instruction.operand(i + 1)) return nullptr;
  }
  return instruction.operand(0);
}

// An update of a repeated scalar at known indices is a padded update.
Instruction* UpdateOfSplat(Instruction& instruction, Rewriter& rewriter) {
  Instruction* scalar = SplatScalar(instruction.operand(0));
  const Instruction* update = instruction.operand(1);
  if (scalar == nullptr || instruction.shape().IsDynamic()) return nullptr;
  const std::optional<DimensionVector> starts = KnownStarts(
      instruction, 2, instruction.shape(), update->shape().dimensions());
  if (!starts || instruction.shape().rank() == 0) return nullptr;
  hlo::PaddingConfig padding;
  for (int64_t i = 0; i < instruction.shape().rank(); ++i) {
    const int64_t low = (*starts)[i];
    padding.push_back({.low = low,
                       .high = instruction.shape().dimension(i) - low -
                               update->shape().dimension(i),
                       .interior = 0});
  }
  return rewriter.Pad(instruction.operand(1), scalar, std::move(padding));
}

// The components of the only index vector of a gather; empty when there are
// several.
std::vector<Instruction*> OnlyIndexVector(Instruction* indices,
                                          int64_t index_vector_dim,
                                          Rewriter& rewriter) {
  const hlo::Shape& shape = indices->shape();
  const int64_t count =
      index_vector_dim < shape.rank() ? shape.dimension(index_vector_dim) : 1;
  if (shape.ElementCount() != count) return {};
  Instruction* line = rewriter.Reshape(indices, {count});
  std::vector<Instruction*> components;
  for (int64_t i = 0; i < count; ++i) {
    Instruction* one =
        count == 1 ? line
                   : rewriter.Slice(line, {{.start = i, .limit = i + 1}});
    components.push_back(rewriter.Reshape(one, {}));
  }
  return components;
}

// A gather of one slice is a dynamic-slice.
Instruction* GatherOfOneSlice(Instruction& instruction, Rewriter& rewriter) {
  Instruction* operand = instruction.operand(0);
  Instruction* indices = instruction.operand(1);
  if (!instruction.operand_batching_dims().empty() ||
      operand->shape().ElementCount() == 0 ||
      instruction.shape().ElementCount() == 0) {
    return nullptr;
  }
  const int64_t rank = indices->shape().rank();
  const int64_t count =
      instruction.index_vector_dim() < rank
          ? indices->shape().dimension(instruction.index_vector_dim())
          : 1;
  if (count == 0 || indices->shape().ElementCount() != count) return nullptr;
  const std::vector<Instruction*> components =
      OnlyIndexVector(indices, instruction.index_vector_dim(), rewriter);
  std::vector<Instruction*> operands = {operand};
  for (int64_t i = 0; i < operand->shape().rank(); ++i) {
    const int64_t k = PositionIn(instruction.start_index_map(), i);
    operands.push_back(
        k >= 0 ? components[k]
               : rewriter.IntegerScalar(indices->shape().element_type(), 0));
  }
  Instruction* slice = rewriter.Add(
      Opcode::kDynamicSlice,
      hlo::Shape::Array(operand->shape().element_type(),
                        instruction.slice_sizes()),
      operands, {With::dynamic_slice_sizes(instruction.slice_sizes())});
  return rewriter.Reshape(slice, instruction.shape().dimensions());
}

// Dimensions of which every gathered slice takes the same start are no
// business of the gather: repeated indices make a broadcast of one slice.
Instruction* GatherOfRepeatedIndex(Instruction& instruction,
                                   Rewriter& rewriter) {
  Instruction* scalar = SplatScalar(instruction.operand(1));
  const hlo::Shape& indices = instruction.operand_shape(1);
  Instruction* operand = instruction.operand(0);
  if (scalar == nullptr || !instruction.operand_batching_dims().empty() ||
      indices.ElementCount() <= 1 || operand->shape().ElementCount() == 0 ||
      instruction.shape().ElementCount() == 0) {
    return nullptr;
  }
  std::vector<Instruction*> operands = {operand};
  for (int64_t i = 0; i < operand->shape().rank(); ++i) {
    const bool is_indexed = Contains(instruction.start_index_map(), i);
    operands.push_back(is_indexed
                           ? scalar
                           : rewriter.IntegerScalar(indices.element_type(), 0));
  }
  Instruction* slice = rewriter.Add(
      Opcode::kDynamicSlice,
      hlo::Shape::Array(operand->shape().element_type(),
                        instruction.slice_sizes()),
      operands, {With::dynamic_slice_sizes(instruction.slice_sizes())});
  DimensionVector sizes;
  for (const int64_t d : instruction.offset_dims()) {
    sizes.push_back(instruction.shape().dimension(d));
  }
  return rewriter.Broadcast(rewriter.Reshape(slice, sizes),
                            instruction.shape().dimensions(),
                            instruction.offset_dims());
}

// Nothing is scattered.
Instruction* ScatterOfNothing(Instruction& instruction, Rewriter& rewriter) {
  const int64_t count = (instruction.operand_count() - 1) / 2;
  if (instruction.operand_shape(count + 1).ElementCount() != 0) return nullptr;
  if (count == 1) return instruction.operand(0);
  std::vector<Instruction*> operands = instruction.operands();
  operands.resize(count);
  return rewriter.Tuple(operands);
}

// The size of a scatter's window along each dimension of its operand.
DimensionVector WindowSizes(const Instruction& scatter) {
  const hlo::Shape& operand = scatter.operand_shape(0);
  const hlo::Shape& updates = scatter.operand_shape(2);
  DimensionVector sizes;
  size_t next = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    sizes.push_back(
        Contains(scatter.inserted_window_dims(), d)
            ? 1
            : updates.dimension(scatter.update_window_dims()[next++]));
  }
  return sizes;
}

// What a scatter's computation makes of the old elements and the updates; null
// when it is more than one operation.
Instruction* CombineOldAndNew(const Instruction& scatter, Instruction* old,
                              Instruction* update, Rewriter& rewriter) {
  const hlo::Computation& combiner = *scatter.to_apply();
  const hlo::ElementType type = scatter.shape().element_type();
  if (update->shape().element_type() != type ||
      combiner.root()->shape().element_type() != type) {
    return nullptr;
  }
  if (combiner.root() == combiner.parameter(1)) return update;
  const std::optional<Opcode> operation = ScalarOperationOf(combiner);
  return operation ? rewriter.Binary(*operation, old, update) : nullptr;
}

// Whether 0 <= index <= last, as a scalar.
Instruction* IsWithin(Instruction* index, int64_t last, Rewriter& rewriter) {
  const hlo::ElementType type = index->shape().element_type();
  const int bits = hlo::InfoOf(type).bits - (IsSignedInteger(type) ? 1 : 0);
  Instruction* is_within =
      IsSignedInteger(type)
          ? rewriter.Compare(hlo::ComparisonDirection::kGe, index,
                             rewriter.IntegerScalar(type, 0))
          : nullptr;
  // A type that cannot hold more than `last` has none that lie beyond.
  if (bits < 63 && last >= (int64_t{1} << bits) - 1) {
    return is_within != nullptr
               ? is_within
               : rewriter.IntegerScalar(hlo::ElementType::kPred, 1);
  }
  Instruction* is_below = rewriter.Compare(
      hlo::ComparisonDirection::kLe, index,
      rewriter.IntegerScalar(type, static_cast<uint64_t>(last)));
  return is_within == nullptr
             ? is_below
             : rewriter.Binary(Opcode::kAnd, is_within, is_below);
}

bool IsScatterOfOneWindow(const Instruction& scatter) {
  // More elements are not worth reading the old ones for.
  constexpr int64_t kMaxElements = 4096;
  if (scatter.operand_count() != 3 || scatter.shape().IsDynamic() ||
      !scatter.input_batching_dims().empty()) {
    return false;
  }
  const hlo::Shape& indices = scatter.operand_shape(1);
  const int64_t vector = scatter.index_vector_dim();
  const int64_t count = vector < indices.rank() ? indices.dimension(vector) : 1;
  const int64_t elements = scatter.operand_shape(2).ElementCount();
  return count > 0 && indices.ElementCount() == count && elements > 0 &&
         elements <= kMaxElements && scatter.shape().ElementCount() > 0;
}

// A scatter of one window is an update: with the old elements where the window
// does not fit.
Instruction* ScatterOfOneWindow(Instruction& instruction, Rewriter& rewriter) {
  if (!IsScatterOfOneWindow(instruction)) return nullptr;
  Instruction* operand = instruction.operand(0);
  Instruction* indices = instruction.operand(1);
  const DimensionVector sizes = WindowSizes(instruction);
  const std::vector<Instruction*> components =
      OnlyIndexVector(indices, instruction.index_vector_dim(), rewriter);
  std::vector<Instruction*> starts;
  Instruction* fits = nullptr;
  for (int64_t d = 0; d < operand->shape().rank(); ++d) {
    const int64_t k = PositionIn(instruction.scatter_dims_to_operand_dims(), d);
    if (k < 0) {
      starts.push_back(
          rewriter.IntegerScalar(indices->shape().element_type(), 0));
      continue;
    }
    starts.push_back(components[k]);
    Instruction* is_within = IsWithin(
        components[k], operand->shape().dimension(d) - sizes[d], rewriter);
    fits = fits == nullptr ? is_within
                           : rewriter.Binary(Opcode::kAnd, fits, is_within);
  }
  std::vector<Instruction*> operands = {operand};
  operands.insert(operands.end(), starts.begin(), starts.end());
  Instruction* old =
      rewriter.Add(Opcode::kDynamicSlice,
                   hlo::Shape::Array(operand->shape().element_type(), sizes),
                   operands, {With::dynamic_slice_sizes(sizes)});
  Instruction* update = CombineOldAndNew(
      instruction, old, rewriter.Reshape(instruction.operand(2), sizes),
      rewriter);
  if (update == nullptr) return nullptr;
  if (fits != nullptr) {
    update = rewriter.Select(
        rewriter.Splat(fits, hlo::Shape::Array(hlo::ElementType::kPred, sizes)),
        update, old);
  }
  operands.insert(operands.begin() + 1, update);
  return rewriter.Add(Opcode::kDynamicUpdateSlice, operands);
}

constexpr auto kIndexingRules = std::to_array<Rule>({
    {.name = "dynamic-slice-at-constant",
     .text = "dynamic-slice(x, c...) => slice(x)",
     .opcode = Opcode::kDynamicSlice,
     .apply = &DynamicSliceAtConstant},
    {.name = "dynamic-slice-of-broadcast",
     .text = "dynamic-slice(broadcast(x), i...) => "
             "broadcast(dynamic-slice(x, i...))",
     .opcode = Opcode::kDynamicSlice,
     .apply = &DynamicSliceOfBroadcast},
    {.name = "dynamic-slice-of-iota",
     .text = "dynamic-slice(iota, i) => clamp(0, i, last)",
     .opcode = Opcode::kDynamicSlice,
     .apply = &DynamicSliceOfIota},
    {.name = "update-of-all",
     .text = "dynamic-update-slice(x, update) => update",
     .opcode = Opcode::kDynamicUpdateSlice,
     .apply = &UpdateOfAll},
    {.name = "update-of-nothing",
     .text = "dynamic-update-slice(x, {}) => x",
     .opcode = Opcode::kDynamicUpdateSlice,
     .apply = &UpdateOfNothing},
    {.name = "update-with-itself",
     .text = "dynamic-update-slice(x, dynamic-slice(x, i), i) => x",
     .opcode = Opcode::kDynamicUpdateSlice,
     .apply = &UpdateWithItself},
    {.name = "update-of-splat",
     .text = "dynamic-update-slice(broadcast(a), update, c...) => "
             "pad(update, a)",
     .opcode = Opcode::kDynamicUpdateSlice,
     .apply = &UpdateOfSplat},
    {.name = "gather-of-one-slice",
     .text = "gather(x, {i}) => dynamic-slice(x, i)",
     .opcode = Opcode::kGather,
     .apply = &GatherOfOneSlice},
    {.name = "gather-of-repeated-index",
     .text = "gather(x, broadcast(i)) => broadcast(dynamic-slice(x, i))",
     .opcode = Opcode::kGather,
     .apply = &GatherOfRepeatedIndex},
    {.name = "scatter-of-nothing",
     .text = "scatter(x, i, {}) => x",
     .opcode = Opcode::kScatter,
     .apply = &ScatterOfNothing},
    {.name = "scatter-of-one-window",
     .text = "scatter(x, i, u) => dynamic-update-slice(x, f(x[i], u), i)",
     .opcode = Opcode::kScatter,
     .apply = &ScatterOfOneWindow},
});

}  // namespace

absl::Span<const Rule> IndexingRules() { return kIndexingRules; }

}  // namespace hilo::passes
