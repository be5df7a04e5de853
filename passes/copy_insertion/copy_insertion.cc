// Decides which flows need copies, and inserts them.
#include "passes/copy_insertion/copy_insertion.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/analysis/array_leaves.h"
#include "hlo/analysis/sequential_computations.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "passes/buffer_assignment/live_ranges.h"
#include "passes/buffer_assignment/shared_memory.h"
#include "passes/copy_insertion/access_order.h"
#include "passes/copy_insertion/flatten_calls.h"
#include "passes/copy_insertion/forward_forms.h"
#include "passes/copy_insertion/parallel_copies.h"
#include "passes/copy_insertion/tuple_editor.h"
#include "passes/pass_context.h"
#include "passes/scheduling/schedule.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;

constexpr absl::string_view kCopyInsertion = "copy-insertion";

// How often a loop is taken to run.
constexpr double kTripCount = 16;

absl::StatusOr<ScheduledValues> Analyse(const hlo::Module& module,
                                        Schedule schedule) {
  ASSIGN_OR_RETURN(hlo::SequentialComputations computations,
                   hlo::SequentialComputations::Of(module));
  return ScheduledValues(module, std::move(computations), std::move(schedule));
}

// What copying costs: bytes, times how often.
double CopyCost(const ScheduledValues& scheduled, const Flow& flow) {
  constexpr double kCallBytes = 64;
  double cost = kCallBytes + static_cast<double>(hlo::StoredBytes(
                                 scheduled.leaves.shape(flow.source)));
  for (int64_t i = scheduled.computations.loop_depth(*flow.computation); i > 0;
       --i) {
    cost *= kTripCount;
  }
  return cost;
}

// Joins as much as possible, what costs most first; returns the other flows in
// their old order.
std::vector<Flow> FlowsThatNeedCopies(const ScheduledValues& scheduled,
                                      SharedMemory& memory) {
  const std::vector<Flow> flows = FindFlows(scheduled);
  std::vector<std::pair<double, size_t>> order;
  order.reserve(flows.size());
  for (size_t i = 0; i < flows.size(); ++i) {
    order.emplace_back(-CopyCost(scheduled, flows[i]), i);
  }
  std::ranges::sort(order);
  std::vector<bool> needs_copy(flows.size(), false);
  for (const auto& [cost, i] : order) {
    needs_copy[i] = !memory.TryJoin(flows[i].source, flows[i].target);
  }
  std::vector<Flow> result;
  for (size_t i = 0; i < flows.size(); ++i) {
    if (needs_copy[i]) result.push_back(flows[i]);
  }
  return result;
}

absl::string_view ReasonFor(FlowKind kind) {
  switch (kind) {
    case FlowKind::kLoopInit:
      return "the loop changes it, and its old value is needed or read-only";
    case FlowKind::kRoot:
      return "it must lie where its computation's result is expected";
    case FlowKind::kResult:
      return "a result needs memory of its own";
    case FlowKind::kInPlace:
      return "it is changed in place, and its old value is needed or read-only";
  }
  return "";
}

// Inserts copies for flows, and keeps the schedule complete.
class CopyInserter {
 public:
  CopyInserter(const ScheduledValues& scheduled, const SharedMemory& memory,
               const PassContext& context)
      : memory_(memory), context_(context), schedule_(scheduled.schedule) {}

  // All flows of one copying place: of one user and operand, or of one root.
  void Insert(absl::Span<const Flow> flows) {
    const Flow& first = flows.front();
    TupleEditor editor(first.computation);
    Instruction* value = first.user != nullptr
                             ? first.user->operand(first.operand)
                             : first.computation->root();
    const absl::flat_hash_map<int64_t, Instruction*> copies =
        CopyLeaves(flows, value, editor);
    Instruction* replacement = editor.WithLeaves(value, copies);
    if (first.user != nullptr) {
      first.user->ReplaceOperand(first.operand, replacement);
    } else {
      first.computation->set_root(replacement);
    }
    std::vector<Instruction*>& added =
        added_[{first.computation->id(),
                first.user == nullptr ? -1 : first.user->id()}];
    added.insert(added.end(), editor.added().begin(), editor.added().end());
  }

  // The schedule with all that was added.
  Schedule TakeSchedule() && {
    for (size_t id = 0; id < schedule_.orders.size(); ++id) {
      std::vector<Instruction*>& order = schedule_.orders[id];
      std::vector<Instruction*> longer;
      const auto append = [&](hlo::InstructionId before) {
        const auto found =
            added_.find({static_cast<hlo::ComputationId>(id), before});
        if (found == added_.end()) return;
        longer.insert(longer.end(), found->second.begin(), found->second.end());
      };
      for (Instruction* instruction : order) {
        append(instruction->id());
        longer.push_back(instruction);
      }
      append(-1);
      order = std::move(longer);
    }
    return std::move(schedule_);
  }

 private:
  // Copies in an order in which none overwrites what another one reads.
  absl::flat_hash_map<int64_t, Instruction*> CopyLeaves(
      absl::Span<const Flow> flows, Instruction* value, TupleEditor& editor) {
    std::vector<PlaceCopy> places;
    places.reserve(flows.size());
    for (const Flow& flow : flows) {
      places.push_back({.source_place = memory_.Find(flow.source),
                        .target_place = memory_.Find(flow.target)});
    }
    absl::flat_hash_map<int64_t, Instruction*> copies;
    for (const CopyStep& step : OrderCopies(places)) {
      const Flow& flow = flows[step.copy];
      const auto temporary = copies.find(flow.leaf);
      Instruction* source = temporary != copies.end()
                                ? temporary->second
                                : editor.Leaf(value, flow.leaf);
      Instruction* copy = editor.Copy(source);
      copies[flow.leaf] = copy;
      context_.Remember(
          kCopyInsertion, *source, "copied",
          flow.user == nullptr ? std::string(" at the end of ")
                               : std::string(" before "),
          flow.user == nullptr ? flow.computation->name() : flow.user->name(),
          ": ", ReasonFor(flow.kind));
    }
    return copies;
  }

  const SharedMemory& memory_;
  const PassContext& context_;
  Schedule schedule_;
  // By computation id and the id of the instruction before which they run; -1:
  // at the end.
  std::map<std::pair<hlo::ComputationId, hlo::InstructionId>,
           std::vector<Instruction*>>
      added_;
};

bool IsOnePlace(const Flow& a, const Flow& b) {
  return a.kind == b.kind && a.user == b.user && a.operand == b.operand &&
         a.computation == b.computation;
}

Schedule InsertFor(const ScheduledValues& scheduled, const SharedMemory& memory,
                   const std::vector<Flow>& flows, const PassContext& context) {
  CopyInserter inserter(scheduled, memory, context);
  for (size_t begin = 0; begin < flows.size();) {
    size_t end = begin + 1;
    while (end < flows.size() && IsOnePlace(flows[begin], flows[end])) ++end;
    inserter.Insert(absl::MakeConstSpan(flows).subspan(begin, end - begin));
    begin = end;
  }
  return std::move(inserter).TakeSchedule();
}

// Joins everything that must lie together, and pins the order.
absl::StatusOr<int64_t> PinOrder(const ScheduledValues& scheduled,
                                 const BufferOptions& options) {
  const LiveRanges ranges(scheduled);
  SharedMemory memory(scheduled, ranges, options);
  for (const Flow& flow : FindFlows(scheduled)) {
    if (memory.TryJoin(flow.source, flow.target)) continue;
    const Instruction& source = *scheduled.leaves.instruction(flow.source);
    return absl::InternalError(absl::StrCat(
        TextOf(source.opcode()), " ", source.name(), " cannot lie where ",
        flow.user == nullptr ? "the root" : flow.user->name(), " of ",
        flow.computation->name(), " needs it"));
  }
  return KeepAccessOrder(scheduled, memory);
}

}  // namespace

absl::StatusOr<bool> InsertCopies(hlo::Module& module,
                                  const PassContext& context,
                                  const BufferOptions& options) {
  ASSIGN_OR_RETURN(bool has_changed, FlattenCalls(module));
  ASSIGN_OR_RETURN(const hlo::SequentialComputations computations,
                   hlo::SequentialComputations::Of(module));
  has_changed |= ForwardForms(computations.callers_first());
  ASSIGN_OR_RETURN(Schedule schedule, ScheduleModule(module, options));
  {
    ASSIGN_OR_RETURN(const ScheduledValues scheduled,
                     Analyse(module, std::move(schedule)));
    const LiveRanges ranges(scheduled);
    SharedMemory memory(scheduled, ranges, options);
    const std::vector<Flow> flows = FlowsThatNeedCopies(scheduled, memory);
    has_changed |= !flows.empty();
    schedule = InsertFor(scheduled, memory, flows, context);
  }
  ASSIGN_OR_RETURN(const ScheduledValues scheduled,
                   Analyse(module, std::move(schedule)));
  ASSIGN_OR_RETURN(const int64_t predecessor_count,
                   PinOrder(scheduled, options));
  has_changed |= predecessor_count > 0;
  if (has_changed) {
    // The order of the text is the schedule no longer.
    module.header().is_scheduled = false;
    module.UniquifyNames();
  }
  return has_changed;
}

absl::StatusOr<bool> InsertCopies(hlo::Module& module,
                                  const PassContext& context) {
  return InsertCopies(module, context, BufferOptions{});
}

}  // namespace hilo::passes
