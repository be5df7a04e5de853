// List scheduling with fixed ranks, and with what memory is freed.
#include "passes/scheduling/list_order.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "hlo/ir/instruction.h"
#include "passes/scheduling/computation_memory.h"
#include "passes/scheduling/dependency_graph.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;
using hlo::InstructionId;

// Greedy scheduling. The score of an instruction rises when it becomes the
// last user of a group, and only then; it is queued again with the new score,
// and older entries are skipped.
class MemoryScheduler {
 public:
  MemoryScheduler(const DependencyGraph& graph, const ComputationMemory& memory,
                  const std::vector<int32_t>& ranks)
      : graph_(graph),
        memory_(memory),
        ranks_(ranks),
        waits_for_(graph.predecessor_counts()),
        is_done_(waits_for_.size(), false) {
    for (const ComputationMemory::Group& group : memory.groups()) {
      users_left_.push_back(group.user_count);
    }
    is_in_use_.resize(users_left_.size(), false);
    id_sums_.resize(users_left_.size(), 0);
    for (size_t id = 0; id < waits_for_.size(); ++id) {
      for (const int32_t group :
           memory.groups_of(static_cast<InstructionId>(id))) {
        id_sums_[group] += static_cast<int64_t>(id);
      }
    }
  }

  std::vector<Instruction*> Run() && {
    std::vector<Instruction*> order;
    order.reserve(waits_for_.size());
    for (size_t id = 0; id < waits_for_.size(); ++id) {
      if (waits_for_[id] == 0) Queue(static_cast<InstructionId>(id));
    }
    while (!queue_.empty()) {
      const InstructionId id = std::get<2>(queue_.top());
      queue_.pop();
      if (is_done_[id]) continue;
      is_done_[id] = true;
      order.push_back(graph_.computation().instruction(id));
      Account(id);
      for (const InstructionId next : graph_.successors(id)) {
        if (--waits_for_[next] == 0) Queue(next);
      }
    }
    return order;
  }

 private:
  // Bytes that running the instruction now frees, less those that it takes.
  int64_t Score(InstructionId id) const {
    // What costs nothing only makes more instructions ready.
    if (memory_.groups_of(id).empty() && memory_.work_bytes(id) == 0) {
      return std::numeric_limits<int64_t>::max();
    }
    int64_t score = 0;
    for (const int32_t group : memory_.groups_of(id)) {
      const ComputationMemory::Group& facts = memory_.groups()[group];
      if (!is_in_use_[group]) score -= facts.bytes;
      if (users_left_[group] == 1 && !facts.is_kept) score += facts.bytes;
    }
    return score;
  }

  void Queue(InstructionId id) { queue_.emplace(Score(id), -ranks_[id], id); }

  void Account(InstructionId id) {
    for (const int32_t group : memory_.groups_of(id)) {
      is_in_use_[group] = true;
      id_sums_[group] -= id;
      if (--users_left_[group] == 1) QueueLastUser(group);
    }
  }

  // The sum of the ids that are left is the last user's id.
  void QueueLastUser(int32_t group) {
    const auto last = static_cast<InstructionId>(id_sums_[group]);
    if (waits_for_[last] == 0 && !is_done_[last]) Queue(last);
  }

  const DependencyGraph& graph_;
  const ComputationMemory& memory_;
  const std::vector<int32_t>& ranks_;
  // By instruction id.
  std::vector<int32_t> waits_for_;
  std::vector<bool> is_done_;
  // By group.
  std::vector<int32_t> users_left_;
  std::vector<bool> is_in_use_;
  std::vector<int64_t> id_sums_;
  // Score, negated rank, instruction.
  std::priority_queue<std::tuple<int64_t, int32_t, InstructionId>> queue_;
};

}  // namespace

std::vector<Instruction*> OrderByRank(const DependencyGraph& graph,
                                      const std::vector<int32_t>& ranks) {
  using Entry = std::pair<int32_t, InstructionId>;
  std::vector<int32_t> waits_for = graph.predecessor_counts();
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<Instruction*> order;
  order.reserve(waits_for.size());
  for (size_t id = 0; id < waits_for.size(); ++id) {
    if (waits_for[id] == 0) {
      queue.emplace(ranks[id], static_cast<InstructionId>(id));
    }
  }
  while (!queue.empty()) {
    const InstructionId id = queue.top().second;
    queue.pop();
    order.push_back(graph.computation().instruction(id));
    for (const InstructionId next : graph.successors(id)) {
      if (--waits_for[next] == 0) queue.emplace(ranks[next], next);
    }
  }
  return order;
}

std::vector<Instruction*> OrderByMemory(const DependencyGraph& graph,
                                        const ComputationMemory& memory,
                                        const std::vector<int32_t>& ranks) {
  return MemoryScheduler(graph, memory, ranks).Run();
}

}  // namespace hilo::passes
