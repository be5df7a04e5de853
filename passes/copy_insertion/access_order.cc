// Finds who follows whom in each place.
#include "passes/copy_insertion/access_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/leaf_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "passes/buffer_assignment/live_ranges.h"
#include "passes/buffer_assignment/shared_memory.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::LeafId;

class AccessOrder {
 public:
  AccessOrder(const ScheduledValues& scheduled, const SharedMemory& memory)
      : scheduled_(scheduled), memory_(memory) {
    depths_.resize(scheduled.module->computation_count(), 0);
    for (const Computation* computation :
         scheduled.computations.callers_first()) {
      const Instruction* caller = scheduled.computations.caller(*computation);
      if (caller == nullptr) continue;
      depths_[computation->id()] = depths_[caller->parent()->id()] + 1;
    }
    FindReaders();
  }

  int64_t Run() {
    for (int32_t place = 0; place < memory_.place_count(); ++place) {
      if (memory_.Find(place) == place) OrderPlace(place);
    }
    int64_t count = 0;
    for (auto& [writer, before] : before_) {
      count += AddPredecessors(writer, before);
    }
    return count;
  }

 private:
  using Key = std::pair<LeafId, ComputationId>;

  void FindReaders() {
    for (const Computation* computation :
         scheduled_.computations.callers_first()) {
      for (Instruction* instruction :
           scheduled_.schedule.orders[computation->id()]) {
        if (!hlo::RunsCode(*instruction) &&
            !hlo::IsSequentialCall(*instruction)) {
          continue;
        }
        for (const Instruction* operand : instruction->operands()) {
          AddReader(instruction, *operand);
        }
      }
    }
  }

  void AddReader(Instruction* reader, const Instruction& operand) {
    const LeafId first = scheduled_.leaves.first_leaf(operand);
    const auto count =
        static_cast<LeafId>(scheduled_.leaves.leaf_count(operand));
    for (LeafId leaf = first; leaf < first + count; ++leaf) {
      std::vector<Instruction*>& list =
          readers_[{scheduled_.values.value(leaf), reader->parent()->id()}];
      if (list.empty() || list.back() != reader) list.push_back(reader);
    }
  }

  // Neighbours in time; what lies further apart follows.
  void OrderPlace(int32_t place) {
    const std::vector<Segment>& segments = memory_.segments(place);
    const Segment* last = nullptr;
    for (const Segment& segment : segments) {
      if (segment.value < 0) continue;
      if (last != nullptr && HasSeveralValues(segments)) {
        OrderPair(*last, segment);
      }
      last = &segment;
    }
  }

  static bool HasSeveralValues(const std::vector<Segment>& segments) {
    LeafId first = -1;
    for (const Segment& segment : segments) {
      if (segment.value < 0) continue;
      if (first >= 0 && segment.value != first) return true;
      first = segment.value;
    }
    return false;
  }

  void OrderPair(const Segment& first, const Segment& second) {
    const Computation* common = CommonCaller(first, second);
    Instruction* writer = Lift(second.computation, common);
    if (writer == nullptr) {
      writer = scheduled_.leaves.instruction(second.value);
      if (writer->parent() != common) return;
    }
    for (Instruction* reader : Anchors(first, common)) {
      if (reader == writer) continue;
      before_[writer].push_back(reader);
    }
  }

  // The innermost computation that contains both.
  const Computation* CommonCaller(const Segment& first,
                                  const Segment& second) const {
    const hlo::Module& module = *scheduled_.module;
    const Computation* a = module.computation(first.computation);
    const Computation* b = module.computation(second.computation);
    while (a != b) {
      const Computation*& deeper = depths_[a->id()] >= depths_[b->id()] ? a : b;
      deeper = scheduled_.computations.caller(*deeper)->parent();
    }
    return a;
  }

  // The call in `common` that runs a computation; null when that is it.
  Instruction* Lift(ComputationId id, const Computation* common) const {
    const Computation* at = scheduled_.module->computation(id);
    Instruction* call = nullptr;
    while (at != common) {
      call = scheduled_.computations.caller(*at);
      at = call->parent();
    }
    return call;
  }

  // Instructions in `common` after which a segment is over.
  std::vector<Instruction*> Anchors(const Segment& segment,
                                    const Computation* common) const {
    if (Instruction* call = Lift(segment.computation, common);
        call != nullptr) {
      return {call};
    }
    const auto found = readers_.find({segment.value, segment.computation});
    if (found != readers_.end()) return found->second;
    Instruction* writer = scheduled_.leaves.instruction(segment.value);
    if (writer->parent() != common ||
        (!hlo::RunsCode(*writer) && !hlo::IsSequentialCall(*writer))) {
      return {};
    }
    return {writer};
  }

  static int64_t AddPredecessors(Instruction* writer,
                                 std::vector<Instruction*>& before) {
    std::vector<Instruction*> all = writer->control_predecessors();
    const size_t count = all.size();
    const auto by_id = [](const Instruction* a, const Instruction* b) {
      return a->id() < b->id();
    };
    std::ranges::sort(before, by_id);
    const auto rest = std::ranges::unique(before);
    before.erase(rest.begin(), rest.end());
    const std::vector<Instruction*> operands = writer->operands();
    for (Instruction* reader : before) {
      const auto is_listed = [&](const std::vector<Instruction*>& list) {
        return std::ranges::find(list, reader) != list.end();
      };
      if (!is_listed(operands) && !is_listed(all)) all.push_back(reader);
    }
    const auto added = static_cast<int64_t>(all.size() - count);
    if (added > 0) writer->set_control_predecessors(std::move(all));
    return added;
  }

  const ScheduledValues& scheduled_;
  const SharedMemory& memory_;
  // By computation id: how many calls deep.
  std::vector<int32_t> depths_;
  absl::flat_hash_map<Key, std::vector<Instruction*>> readers_;
  // Who must run before an instruction.
  absl::flat_hash_map<Instruction*, std::vector<Instruction*>> before_;
};

}  // namespace

int64_t KeepAccessOrder(const ScheduledValues& scheduled,
                        const SharedMemory& memory) {
  return AccessOrder(scheduled, memory).Run();
}

}  // namespace hilo::passes
