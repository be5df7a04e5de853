// Collects the uses of every value, computation by computation.
#include "passes/buffer_assignment/live_ranges.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/leaf_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "passes/buffer_assignment/timeline.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::LeafId;

// Finds the segments in one computation after the other.
class SegmentCollector {
 public:
  explicit SegmentCollector(const ScheduledValues& scheduled)
      : scheduled_(scheduled), places_(scheduled.leaves.leaf_count(), -1) {}

  std::vector<Segment> Run() && {
    for (const Computation* computation :
         scheduled_.computations.callers_first()) {
      first_here_ = static_cast<int32_t>(segments_.size());
      for (const auto& instruction : computation->instructions()) {
        Visit(*instruction);
      }
      VisitBorders(*computation);
    }
    return std::move(segments_);
  }

 private:
  template <typename F>
  void ForEachLeaf(const Instruction& instruction, F&& f) const {
    const LeafId first = scheduled_.leaves.first_leaf(instruction);
    const auto count =
        static_cast<LeafId>(scheduled_.leaves.leaf_count(instruction));
    for (LeafId leaf = first; leaf < first + count; ++leaf) f(leaf);
  }

  void Visit(const Instruction& instruction) {
    const Timeline& timeline = scheduled_.timeline;
    const bool is_call = hlo::IsSequentialCall(instruction);
    if (!is_call && !hlo::RunsCode(instruction)) return;
    const Computation& computation = *instruction.parent();
    const Time read =
        is_call ? timeline.enter(instruction) : timeline.at(instruction);
    for (const Instruction* operand : instruction.operands()) {
      ForEachLeaf(*operand, [&](LeafId leaf) { Use(leaf, read, computation); });
    }
    ForEachLeaf(instruction, [&](LeafId leaf) {
      if (!scheduled_.values.IsDefined(leaf)) return;
      Use(leaf, timeline.at(instruction), computation);
    });
  }

  // What roots give, and what stays while a condition runs.
  void VisitBorders(const Computation& computation) {
    const Timeline& timeline = scheduled_.timeline;
    const Instruction* caller = scheduled_.computations.caller(computation);
    const bool is_condition = caller != nullptr &&
                              caller->opcode() == hlo::Opcode::kWhile &&
                              caller->condition() == &computation;
    const LeafId first = scheduled_.leaves.first_leaf(*computation.root());
    ForEachLeaf(*computation.root(), [&](LeafId leaf) {
      const bool flows_on =
          !is_condition && (caller == nullptr ||
                            DefinesResult(scheduled_, *caller, leaf - first));
      Use(leaf,
          flows_on ? timeline.read_root(computation)
                   : timeline.end(computation),
          computation);
    });
    if (!is_condition) return;
    ForEachLeaf(*computation.parameter(0), [&](LeafId leaf) {
      Use(leaf, timeline.end(computation), computation);
    });
  }

  void Use(LeafId leaf, Time time, const Computation& computation) {
    const LeafId value = scheduled_.values.value(leaf);
    int32_t& place = places_[value];
    if (place < first_here_) {
      place = static_cast<int32_t>(segments_.size());
      const Time start = StartIn(computation, value);
      segments_.push_back({.start = start,
                           .end = start,
                           .value = value,
                           .computation = computation.id()});
    }
    segments_[place].end = std::max(segments_[place].end, time);
  }

  Time StartIn(const Computation& computation, LeafId value) const {
    const Instruction& source = *scheduled_.leaves.instruction(value);
    if (source.parent() == &computation &&
        (hlo::RunsCode(source) || hlo::IsSequentialCall(source))) {
      return scheduled_.timeline.at(source);
    }
    return scheduled_.timeline.begin(computation);
  }

  const ScheduledValues& scheduled_;
  // By value: its newest segment.
  std::vector<int32_t> places_;
  std::vector<Segment> segments_;
  // The first segment of the computation that is being visited.
  int32_t first_here_ = 0;
};

}  // namespace

bool DefinesResult(const ScheduledValues& scheduled, const Instruction& call,
                   int64_t number) {
  return scheduled.values.IsDefined(
      static_cast<LeafId>(scheduled.leaves.first_leaf(call) + number));
}

LiveRanges::LiveRanges(const ScheduledValues& scheduled)
    : segments_(SegmentCollector(scheduled).Run()) {
  std::ranges::sort(segments_, [](const Segment& a, const Segment& b) {
    return std::pair(a.value, a.start) < std::pair(b.value, b.start);
  });
  // What a value is needed for inside a call counts only if it is not needed
  // after it.
  size_t count = 0;
  for (const Segment& segment : segments_) {
    const bool is_inside = count > 0 &&
                           segments_[count - 1].value == segment.value &&
                           segment.end <= segments_[count - 1].end;
    if (!is_inside) segments_[count++] = segment;
  }
  segments_.resize(count);
  first_segments_.resize(scheduled.leaves.leaf_count() + 1, 0);
  for (const Segment& segment : segments_) {
    ++first_segments_[segment.value + 1];
  }
  for (size_t i = 1; i < first_segments_.size(); ++i) {
    first_segments_[i] += first_segments_[i - 1];
  }
}

}  // namespace hilo::passes
