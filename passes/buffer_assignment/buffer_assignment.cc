// Orders a module, joins what shares memory and packs the rest.
#include "passes/buffer_assignment/buffer_assignment.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/array_leaves.h"
#include "hlo/analysis/leaf_values.h"
#include "hlo/analysis/sequential_computations.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/buffer_assignment/arena_packing.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "passes/buffer_assignment/live_ranges.h"
#include "passes/buffer_assignment/shared_memory.h"
#include "passes/buffer_assignment/timeline.h"
#include "passes/scheduling/schedule.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::LeafId;
using hlo::Shape;

// Whether memory of one array shape can be read as the other.
bool HaveSameForm(const Shape& a, const Shape& b) {
  return a.layout().minor_to_major == b.layout().minor_to_major &&
         a.BufferElementBits() == b.BufferElementBits();
}

absl::Status CheckForm(const Shape& own, const Shape& callers,
                       const Instruction& instruction) {
  const std::vector<const Shape*> own_leaves = hlo::ArrayLeaves(own);
  const std::vector<const Shape*> caller_leaves = hlo::ArrayLeaves(callers);
  for (size_t i = 0; i < own_leaves.size(); ++i) {
    if (i < caller_leaves.size() &&
        HaveSameForm(*own_leaves[i], *caller_leaves[i])) {
      continue;
    }
    return absl::FailedPreconditionError(absl::StrCat(
        TextOf(instruction.opcode()), " ", instruction.name(), ": array ", i,
        " has another layout than callers use: ", ToString(own), " and ",
        ToString(callers)));
  }
  return absl::OkStatus();
}

// Whether the arrays of the entry are as callers give and take them.
absl::Status CheckEntry(const hlo::Module& module) {
  const hlo::EntryComputationLayout layout = module.entry_layout();
  const Computation& entry = *module.entry();
  for (const Instruction* parameter : entry.parameters()) {
    RETURN_IF_ERROR(CheckForm(parameter->shape(),
                              layout.parameters[parameter->parameter_number()],
                              *parameter));
  }
  return CheckForm(entry.root()->shape(), layout.result, *entry.root());
}

class Assigner {
 public:
  Assigner(const ScheduledValues& scheduled, const BufferOptions& options)
      : scheduled_(scheduled),
        options_(options),
        ranges_(scheduled),
        memory_(scheduled, ranges_, options) {}

  absl::StatusOr<BufferAssignment::Tables> Run() && {
    RETURN_IF_ERROR(JoinFlows());
    JoinDyingOperands();
    AddCallerAllocations();
    AddConstants();
    AddSets();
    AddScratch();
    Pack();
    FillSlices();
    FillDonations();
    tables_.schedules = scheduled_.schedule.orders;
    return std::move(tables_);
  }

 private:
  const hlo::LeafTable& leaves() const { return scheduled_.leaves; }
  LeafId ValueAt(const Instruction& instruction, int64_t leaf) const {
    return scheduled_.values.value(
        static_cast<LeafId>(leaves().first_leaf(instruction) + leaf));
  }
  template <typename F>
  void ForEachInstruction(F&& f) const {
    for (const Computation* computation :
         scheduled_.computations.callers_first()) {
      for (const Instruction* instruction :
           scheduled_.schedule.orders[computation->id()]) {
        f(*instruction);
      }
    }
  }

  // Everything that must lie together.
  absl::Status JoinFlows() {
    for (const Flow& flow : FindFlows(scheduled_)) {
      if (memory_.TryJoin(flow.source, flow.target)) continue;
      const Instruction& source = *leaves().instruction(flow.source);
      return absl::FailedPreconditionError(
          absl::StrCat(TextOf(source.opcode()), " ", source.name(),
                       " needs a copy in ", flow.computation->name(), " for ",
                       flow.user == nullptr ? "the root" : flow.user->name()));
    }
    return absl::OkStatus();
  }

  // What may lie together and saves memory: results over operands that are
  // read for the last time.
  void JoinDyingOperands() {
    ForEachInstruction([&](const Instruction& instruction) {
      if (!hlo::RunsCode(instruction)) return;
      for (int64_t out = 0; out < leaves().leaf_count(instruction); ++out) {
        JoinOneOperand(instruction, out);
      }
    });
  }

  void JoinOneOperand(const Instruction& instruction, int64_t output_leaf) {
    const LeafId output = ValueAt(instruction, output_leaf);
    const int64_t bytes = hlo::StoredBytes(leaves().shape(output));
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const Instruction& operand = *instruction.operand(i);
      for (int64_t leaf = 0; leaf < leaves().leaf_count(operand); ++leaf) {
        const LeafId value = ValueAt(operand, leaf);
        if (memory_.fixed_place(value).IsReadOnly() ||
            hlo::StoredBytes(leaves().shape(value)) != bytes) {
          continue;
        }
        const bool can_share =
            IsPlainCopy(instruction) ||
            (options_.can_share != nullptr &&
             options_.can_share(instruction, i, leaf, output_leaf));
        if (can_share && memory_.TryJoin(output, value)) return;
      }
    }
  }

  void AddCallerAllocations() {
    const Computation& entry = *scheduled_.module->entry();
    const auto add = [&](AllocationKind kind, const Instruction& of) {
      for (int64_t leaf = 0; leaf < leaves().leaf_count(of); ++leaf) {
        const auto id = static_cast<LeafId>(leaves().first_leaf(of) + leaf);
        int64_t& count =
            kind == AllocationKind::kArgument ? argument_count_ : result_count_;
        tables_.allocations.push_back(
            {.kind = kind,
             .number = count++,
             .size_bytes = hlo::StoredBytes(leaves().shape(id))});
      }
    };
    for (const Instruction* parameter : entry.parameters()) {
      add(AllocationKind::kArgument, *parameter);
    }
    add(AllocationKind::kResult, *entry.root());
  }

  void AddConstants() {
    constants_.resize(leaves().leaf_count(), -1);
    ForEachInstruction([&](const Instruction& instruction) {
      if (instruction.opcode() != hlo::Opcode::kConstant) return;
      for (int64_t leaf = 0; leaf < leaves().leaf_count(instruction); ++leaf) {
        const LeafId value = ValueAt(instruction, leaf);
        constants_[value] = static_cast<int32_t>(tables_.allocations.size());
        tables_.allocations.push_back(
            {.kind = AllocationKind::kConstant,
             .number = leaf,
             .constant = &instruction,
             .size_bytes = hlo::StoredBytes(leaves().shape(value))});
      }
    });
  }

  // One item of the arena for every set that has no other place.
  void AddSets() {
    items_of_places_.resize(memory_.place_count(), -1);
    sizes_of_places_.resize(memory_.place_count(), 0);
    for (LeafId leaf = 0; leaf < leaves().leaf_count(); ++leaf) {
      const int32_t place = memory_.Find(scheduled_.values.value(leaf));
      int64_t& bytes = sizes_of_places_[place];
      bytes = std::max(bytes, hlo::StoredBytes(leaves().shape(leaf)));
      if (memory_.fixed_place(place).kind != FixedPlace::Kind::kNone) continue;
      if (items_of_places_[place] < 0) {
        items_of_places_[place] = static_cast<int32_t>(items_.size());
        items_.push_back(Lifetime(memory_.segments(place)));
      }
      items_[items_of_places_[place]].bytes = bytes;
    }
  }

  static ArenaItem Lifetime(const std::vector<Segment>& segments) {
    ArenaItem item;
    if (segments.empty()) return item;
    item.start = segments.front().start;
    for (const Segment& segment : segments) {
      item.end = std::max(item.end, segment.end);
    }
    return item;
  }

  void AddScratch() {
    if (options_.scratch_bytes == nullptr) return;
    ForEachInstruction([&](const Instruction& instruction) {
      if (!hlo::RunsCode(instruction)) return;
      const int64_t bytes = options_.scratch_bytes(instruction);
      if (bytes <= 0) return;
      const Time time = scheduled_.timeline.at(instruction);
      scratches_.emplace_back(&instruction,
                              static_cast<int32_t>(items_.size()));
      items_.push_back({.start = time, .end = time, .bytes = bytes});
    });
  }

  void Pack() {
    layout_ = PackArena(items_);
    tables_.peak_bytes = layout_.peak_bytes;
    tables_.lower_bound_bytes = layout_.lower_bound_bytes;
    arena_ = static_cast<int32_t>(tables_.allocations.size());
    if (!items_.empty()) {
      tables_.allocations.push_back({.kind = AllocationKind::kTemporary,
                                     .size_bytes = layout_.peak_bytes});
    }
  }

  Slice SliceOf(LeafId leaf) const {
    const LeafId value = scheduled_.values.value(leaf);
    const int32_t place = memory_.Find(value);
    const FixedPlace& fixed = memory_.fixed_place(place);
    Slice slice = {.allocation = arena_,
                   .offset_bytes = 0,
                   .size_bytes = hlo::StoredBytes(leaves().shape(leaf))};
    switch (fixed.kind) {
      case FixedPlace::Kind::kNone:
        slice.offset_bytes = layout_.offsets[items_of_places_[place]];
        break;
      case FixedPlace::Kind::kArgument:
        slice.allocation = static_cast<int32_t>(fixed.number);
        break;
      case FixedPlace::Kind::kResult:
        slice.allocation = static_cast<int32_t>(argument_count_ + fixed.number);
        break;
      case FixedPlace::Kind::kConstant:
        slice.allocation = constants_[fixed.number];
        break;
    }
    return slice;
  }

  void FillSlices() {
    const hlo::Module& module = *scheduled_.module;
    tables_.first_slices.resize(module.computation_count());
    tables_.scratch_slices.resize(module.computation_count());
    for (const Computation* computation :
         scheduled_.computations.callers_first()) {
      std::vector<int32_t>& first = tables_.first_slices[computation->id()];
      for (const auto& instruction : computation->instructions()) {
        first.push_back(leaves().first_leaf(*instruction));
      }
      tables_.scratch_slices[computation->id()].resize(first.size(), -1);
    }
    for (LeafId leaf = 0; leaf < leaves().leaf_count(); ++leaf) {
      tables_.slices.push_back(SliceOf(leaf));
    }
    for (const auto& [instruction, item] : scratches_) {
      tables_.scratch_slices[instruction->parent()->id()][instruction->id()] =
          static_cast<int32_t>(tables_.slices.size());
      tables_.slices.push_back({.allocation = arena_,
                                .offset_bytes = layout_.offsets[item],
                                .size_bytes = items_[item].bytes});
    }
  }

  // Which results may be written over the arguments they are aliased with.
  void FillDonations() {
    tables_.may_share_argument.resize(result_count_, false);
    const Computation& entry = *scheduled_.module->entry();
    for (const hlo::InputOutputAlias& alias :
         scheduled_.module->header().input_output_alias) {
      const hlo::ArrayLeafRange results =
          hlo::ArrayLeavesAt(entry.root()->shape(), alias.output_index);
      const Instruction& parameter = *entry.parameter(alias.parameter_number);
      const hlo::ArrayLeafRange arguments =
          hlo::ArrayLeavesAt(parameter.shape(), alias.parameter_index);
      for (int64_t i = 0; i < results.count && i < arguments.count; ++i) {
        const LeafId argument = ValueAt(parameter, arguments.first + i);
        const auto root = static_cast<LeafId>(
            leaves().first_leaf(*entry.root()) + results.first + i);
        const auto place =
            static_cast<int32_t>(leaves().leaf_count() + results.first + i);
        tables_.may_share_argument[results.first + i] =
            HaveSameForm(leaves().shape(argument), leaves().shape(root)) &&
            memory_.CanOverlay(argument, place);
      }
    }
  }

  const ScheduledValues& scheduled_;
  const BufferOptions& options_;
  LiveRanges ranges_;
  SharedMemory memory_;
  BufferAssignment::Tables tables_;
  int64_t argument_count_ = 0;
  int64_t result_count_ = 0;
  int32_t arena_ = 0;
  // By value: the allocation of a constant.
  std::vector<int32_t> constants_;
  // By place: the item of a set in the arena, or -1, and its bytes.
  std::vector<int32_t> items_of_places_;
  std::vector<int64_t> sizes_of_places_;
  // Scratch memory and its items.
  std::vector<std::pair<const Instruction*, int32_t>> scratches_;
  std::vector<ArenaItem> items_;
  ArenaLayout layout_;
};

}  // namespace

const Slice& BufferAssignment::slice(const Instruction& instruction,
                                     int64_t leaf) const {
  const int32_t first =
      tables_.first_slices[instruction.parent()->id()][instruction.id()];
  return tables_.slices[first + leaf];
}

const Slice* BufferAssignment::scratch(const Instruction& instruction) const {
  const int32_t place =
      tables_.scratch_slices[instruction.parent()->id()][instruction.id()];
  return place < 0 ? nullptr : &tables_.slices[place];
}

const std::vector<Instruction*>& BufferAssignment::schedule(
    const Computation& computation) const {
  return tables_.schedules[computation.id()];
}

absl::StatusOr<BufferAssignment> AssignBuffers(const hlo::Module& module,
                                               const BufferOptions& options) {
  RETURN_IF_ERROR(CheckEntry(module));
  ASSIGN_OR_RETURN(hlo::SequentialComputations computations,
                   hlo::SequentialComputations::Of(module));
  ASSIGN_OR_RETURN(Schedule schedule, ScheduleModule(module, options));
  const ScheduledValues scheduled(module, std::move(computations),
                                  std::move(schedule));
  ASSIGN_OR_RETURN(BufferAssignment::Tables tables,
                   Assigner(scheduled, options).Run());
  return BufferAssignment(std::move(tables));
}

}  // namespace hilo::passes
