// Evaluates scatter.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/convert_floats.h"
#include "hlo/eval/fold_kernel.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/scalar_body.h"
#include "hlo/eval/start_indices.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Where an index component puts a window, and how much room there is.
struct WindowComponent {
  int64_t last_start = 0;
  int64_t stride = 0;
};
struct WindowBatch {
  int64_t result_stride = 0;
  int64_t update_stride = 0;
};

// Finds the windows of a scatter, in order: row-major over the indices.
class ScatterWindows {
 public:
  ScatterWindows(const Instruction& instruction, const Shape& operand,
                 const Literal& indices, const Shape& updates);

  // The loops within a window: source is the update, destination the result.
  const StridedDimensions& loops() const { return loops_; }
  // Whether windows that start at 0 where no index component says otherwise
  // are inside the operand.
  bool CanFit() const { return can_fit_; }
  // Places the current window; nullopt if it leaves the operand.
  std::optional<int64_t> ResultOffset() const;
  int64_t UpdateOffset() const;
  bool Next() { return starts_.Next(); }

 private:
  void AddWindow(const Instruction& instruction, const Shape& operand,
                 const Shape& updates);
  void AddBatches(const Instruction& instruction);

  StartIndices starts_;
  DimensionVector operand_strides_;
  DimensionVector update_strides_;
  StridedDimensions loops_;
  absl::InlinedVector<WindowComponent, 4> component_terms_;
  absl::InlinedVector<WindowBatch, 4> batch_terms_;
  bool can_fit_ = true;
};

ScatterWindows::ScatterWindows(const Instruction& instruction,
                               const Shape& operand, const Literal& indices,
                               const Shape& updates)
    : starts_(indices, instruction.index_vector_dim()),
      operand_strides_(RowMajorStrides(operand.dimensions())),
      update_strides_(RowMajorStrides(updates.dimensions())) {
  AddWindow(instruction, operand, updates);
  AddBatches(instruction);
}

void ScatterWindows::AddWindow(const Instruction& instruction,
                               const Shape& operand, const Shape& updates) {
  DimensionVector window_sizes(operand.rank(), 1);
  StridedDimensions loops;
  size_t next_window_dim = 0;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (Contains(instruction.inserted_window_dims(), i)) continue;
    if (Contains(instruction.input_batching_dims(), i)) continue;
    const int64_t update_dim =
        instruction.update_window_dims()[next_window_dim++];
    window_sizes[i] = updates.dimension(update_dim);
    loops.push_back({.size = window_sizes[i],
                     .source_stride = update_strides_[update_dim],
                     .destination_stride = operand_strides_[i]});
  }
  loops_ = SimplifyLoops(loops);
  for (int64_t i = 0; i < operand.rank(); ++i) {
    can_fit_ = can_fit_ && window_sizes[i] <= operand.dimension(i);
  }
  for (const int64_t i : instruction.scatter_dims_to_operand_dims()) {
    component_terms_.push_back(
        {.last_start = operand.dimension(i) - window_sizes[i],
         .stride = operand_strides_[i]});
  }
}

void ScatterWindows::AddBatches(const Instruction& instruction) {
  for (size_t i = 0; i < update_strides_.size(); ++i) {
    const auto dimension = static_cast<int64_t>(i);
    if (Contains(instruction.update_window_dims(), dimension)) continue;
    batch_terms_.push_back(
        {.result_stride = 0, .update_stride = update_strides_[i]});
  }
  const DimensionVector& operand_dims = instruction.input_batching_dims();
  const DimensionVector& indices_dims =
      instruction.scatter_indices_batching_dims();
  for (size_t i = 0; i < operand_dims.size(); ++i) {
    batch_terms_[starts_.BatchDimensionOf(indices_dims[i])].result_stride +=
        operand_strides_[operand_dims[i]];
  }
}

std::optional<int64_t> ScatterWindows::ResultOffset() const {
  int64_t offset = 0;
  for (size_t k = 0; k < component_terms_.size(); ++k) {
    const int64_t start = starts_.Component(static_cast<int64_t>(k));
    if (start < 0 || start > component_terms_[k].last_start) {
      return std::nullopt;
    }
    offset += start * component_terms_[k].stride;
  }
  for (size_t i = 0; i < batch_terms_.size(); ++i) {
    offset += starts_.position()[i] * batch_terms_[i].result_stride;
  }
  return offset;
}

int64_t ScatterWindows::UpdateOffset() const {
  int64_t offset = 0;
  for (size_t i = 0; i < batch_terms_.size(); ++i) {
    offset += starts_.position()[i] * batch_terms_[i].update_stride;
  }
  return offset;
}

// An array that is scattered into.
struct WindowTarget {
  std::byte* result = nullptr;
  const std::byte* update = nullptr;
  int element_bytes = 0;
  // Elements of one run of a window, where they are not dense.
  std::vector<std::byte> current;
  std::vector<std::byte> updates;
};

// Whether the body returns the updates, whatever the current values are.
bool Overwrites(const Computation& body, int64_t count) {
  const Instruction& root = *body.root();
  const auto is_update = [&](const Instruction& value, int64_t i) {
    return value.opcode() == Opcode::kParameter &&
           value.parameter_number() == count + i;
  };
  if (root.opcode() != Opcode::kTuple) return count == 1 && is_update(root, 0);
  if (root.operand_count() != count) return false;
  for (int64_t i = 0; i < count; ++i) {
    if (!is_update(*root.operand(i), i)) return false;
  }
  return true;
}

// Calls f(result offset, update offset) for each window that is inside.
template <typename F>
absl::Status ForEachWindow(ScatterWindows& windows, F&& f) {
  do {
    const std::optional<int64_t> offset = windows.ResultOffset();
    if (!offset) continue;
    RETURN_IF_ERROR(f(*offset, windows.UpdateOffset()));
  } while (windows.Next());
  return absl::OkStatus();
}

absl::Status OverwriteWindows(ScatterWindows& windows,
                              absl::Span<const WindowTarget> targets) {
  std::vector<CopyPlan> plans;
  for (const WindowTarget& target : targets) {
    plans.emplace_back(windows.loops(), target.element_bytes);
  }
  return ForEachWindow(windows, [&](int64_t to, int64_t from) {
    for (size_t i = 0; i < targets.size(); ++i) {
      const WindowTarget& target = targets[i];
      plans[i].Run(target.result + to * target.element_bytes,
                   target.update + from * target.element_bytes);
    }
    return absl::OkStatus();
  });
}

absl::Status FoldWindows(ScatterWindows& windows, const FoldKernel& kernel,
                         const WindowTarget& target) {
  const StridedDimension& run = windows.loops().back();
  const int64_t bytes = target.element_bytes;
  return ForEachWindow(windows, [&](int64_t to, int64_t from) {
    ForEachRun(windows.loops(), [&](int64_t update, int64_t result) {
      std::byte* accumulators = target.result + (to + result) * bytes;
      const std::byte* elements = target.update + (from + update) * bytes;
      if (run.destination_stride == 1) {
        kernel.fold_lanes(accumulators, elements, run.size, run.source_stride);
        return;
      }
      for (int64_t i = 0; i < run.size; ++i) {
        kernel.fold_run(accumulators + i * run.destination_stride * bytes,
                        elements + i * run.source_stride * bytes, 1, 1);
      }
    });
    return absl::OkStatus();
  });
}

// Combines one dense or strided run of at most kMaxLanes elements.
absl::Status CombineRun(ScalarBody& body, absl::Span<WindowTarget> targets,
                        const StridedDimension& run, int64_t to, int64_t from) {
  absl::InlinedVector<const void*, 8> arguments(2 * targets.size());
  absl::InlinedVector<void*, 4> results(targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    WindowTarget& target = targets[i];
    GatherElements(target.current.data(),
                   target.result + to * target.element_bytes,
                   run.destination_stride, run.size, target.element_bytes);
    GatherElements(target.updates.data(),
                   target.update + from * target.element_bytes,
                   run.source_stride, run.size, target.element_bytes);
    arguments[i] = target.current.data();
    arguments[targets.size() + i] = target.updates.data();
    results[i] = target.current.data();
  }
  RETURN_IF_ERROR(body.Run(run.size, arguments, results));
  for (const WindowTarget& target : targets) {
    ScatterElements(target.result + to * target.element_bytes,
                    run.destination_stride, target.current.data(), run.size,
                    target.element_bytes);
  }
  return absl::OkStatus();
}

// Places that a block of lanes works on, each at most once.
class PlaceSet {
 public:
  // Adds a place; false if it is there already.
  bool Insert(int64_t place) {
    size_t slot = (static_cast<uint64_t>(place) * kMultiplier) >> kShift;
    while (blocks_[slot] == block_) {
      if (places_[slot] == place) return false;
      slot = (slot + 1) % kSlots;
    }
    blocks_[slot] = block_;
    places_[slot] = place;
    return true;
  }
  // Removes all places.
  void Clear() { ++block_; }

 private:
  // Four slots for each lane.
  static constexpr int kShift = 53;
  static constexpr size_t kSlots = size_t{1} << (64 - kShift);
  static_assert(kSlots >= 4 * ScalarBody::kMaxLanes);
  // 2^64 divided by the golden ratio spreads neighbours.
  static constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;

  std::vector<int64_t> places_ = std::vector<int64_t>(kSlots);
  // A slot is taken if it was filled for the current block.
  std::vector<int64_t> blocks_ = std::vector<int64_t>(kSlots, 0);
  int64_t block_ = 1;
};

// Combines elements one by one in effect, but many different ones at a time.
class ElementCombiner {
 public:
  ElementCombiner(ScalarBody& body, absl::Span<WindowTarget> targets)
      : body_(body), targets_(targets) {}

  absl::Status Add(int64_t to, int64_t from) {
    if (static_cast<int64_t>(to_.size()) == ScalarBody::kMaxLanes ||
        !places_.Insert(to)) {
      RETURN_IF_ERROR(Flush());
      places_.Insert(to);
    }
    to_.push_back(to);
    from_.push_back(from);
    return absl::OkStatus();
  }

  absl::Status Flush();

 private:
  ScalarBody& body_;
  absl::Span<WindowTarget> targets_;
  PlaceSet places_;
  std::vector<int64_t> to_;
  std::vector<int64_t> from_;
};

absl::Status ElementCombiner::Flush() {
  if (to_.empty()) return absl::OkStatus();
  absl::InlinedVector<const void*, 8> arguments(2 * targets_.size());
  absl::InlinedVector<void*, 4> results(targets_.size());
  for (size_t i = 0; i < targets_.size(); ++i) {
    WindowTarget& target = targets_[i];
    GatherPermuted(target.current.data(), target.result, to_,
                   target.element_bytes);
    GatherPermuted(target.updates.data(), target.update, from_,
                   target.element_bytes);
    arguments[i] = target.current.data();
    arguments[targets_.size() + i] = target.updates.data();
    results[i] = target.current.data();
  }
  RETURN_IF_ERROR(
      body_.Run(static_cast<int64_t>(to_.size()), arguments, results));
  for (const WindowTarget& target : targets_) {
    ScatterElementsAt(target.result, to_, target.current.data(),
                      target.element_bytes);
  }
  to_.clear();
  from_.clear();
  places_.Clear();
  return absl::OkStatus();
}

absl::Status CombineWindows(ScatterWindows& windows, ScalarBody& body,
                            absl::Span<WindowTarget> targets) {
  for (WindowTarget& target : targets) {
    target.current.resize(ScalarBody::kMaxLanes * target.element_bytes);
    target.updates.resize(ScalarBody::kMaxLanes * target.element_bytes);
  }
  const StridedDimension& run = windows.loops().back();
  if (windows.loops().size() == 1 && run.size == 1) {
    ElementCombiner combiner(body, targets);
    RETURN_IF_ERROR(ForEachWindow(windows, [&](int64_t to, int64_t from) {
      return combiner.Add(to, from);
    }));
    return combiner.Flush();
  }
  return ForEachWindow(windows, [&](int64_t to, int64_t from) {
    absl::Status status;
    ForEachRun(windows.loops(), [&](int64_t update, int64_t result) {
      for (int64_t i = 0; i < run.size; i += ScalarBody::kMaxLanes) {
        StridedDimension part = run;
        part.size = std::min(ScalarBody::kMaxLanes, run.size - i);
        if (!status.ok()) return;
        status = CombineRun(body, targets, part,
                            to + result + i * run.destination_stride,
                            from + update + i * run.source_stride);
      }
    });
    return status;
  });
}

// The operand in the result's type, to be written into.
Literal TakeOperand(Literal& operand, const Shape& shape) {
  if (operand.shape().element_type() != shape.element_type()) {
    operand = ConvertFloats(operand, shape.element_type());
  }
  return std::move(operand).WithShape(shape);
}

absl::Status ScatterInto(const Instruction& instruction,
                         absl::Span<Literal> results,
                         absl::Span<const Literal> inputs,
                         EvaluationContext& context) {
  const auto count = static_cast<int64_t>(results.size());
  const Literal& indices = inputs[0];
  const absl::Span<const Literal> updates = inputs.subspan(1);
  if (updates[0].element_count() == 0) return absl::OkStatus();
  ScatterWindows windows(instruction, results[0].shape(), indices,
                         updates[0].shape());
  if (!windows.CanFit()) return absl::OkStatus();
  std::vector<WindowTarget> targets(count);
  ElementTypes types;
  AppendElementTypes(results, types);
  bool same_types = true;
  for (int64_t i = 0; i < count; ++i) {
    targets[i].result = results[i].mutable_untyped_data();
    targets[i].update = updates[i].untyped_data();
    targets[i].element_bytes = StorageBytes(types[i]);
    same_types = same_types && updates[i].shape().element_type() == types[i];
  }
  const Computation& computation = *instruction.to_apply();
  if (same_types && Overwrites(computation, count)) {
    return OverwriteWindows(windows, targets);
  }
  if (same_types && count == 1) {
    if (const auto kernel = FindFoldKernel(computation, types[0])) {
      return FoldWindows(windows, *kernel, targets[0]);
    }
  }
  const ElementTypes result_types = types;
  AppendElementTypes(results, types);
  ASSIGN_OR_RETURN(ScalarBody body, ScalarBody::Create(computation, types,
                                                       result_types, context));
  return CombineWindows(windows, body, absl::MakeSpan(targets));
}

}  // namespace

absl::StatusOr<Literal> EvaluateScatter(const Instruction& instruction,
                                        absl::Span<Literal> operands,
                                        EvaluationContext& context) {
  const int64_t count = static_cast<int64_t>(operands.size() - 1) / 2;
  std::vector<Literal> results;
  for (int64_t i = 0; i < count; ++i) {
    const Shape& shape = ResultShape(instruction, i);
    results.push_back(TakeOperand(operands[i], shape));
    // Updates combine with results of the same type.
    Literal& update = operands[count + 1 + i];
    if (IsFloat(shape.element_type()) &&
        IsFloat(update.shape().element_type())) {
      update = ConvertFloats(update, shape.element_type());
    }
  }
  RETURN_IF_ERROR(ScatterInto(instruction, absl::MakeSpan(results),
                              operands.subspan(count), context));
  if (!instruction.shape().IsTuple()) return std::move(results[0]);
  return Literal::Tuple(std::move(results));
}

}  // namespace hilo::hlo
