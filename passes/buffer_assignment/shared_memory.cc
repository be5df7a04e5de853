// Joins sets of values whose segments do not disturb each other.
#include "passes/buffer_assignment/shared_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/leaf_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "passes/buffer_assignment/live_ranges.h"
#include "passes/buffer_assignment/timeline.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::LeafId;

bool StartsBefore(const Segment& a, const Segment& b) {
  return std::pair(a.start, a.end) < std::pair(b.start, b.end);
}

}  // namespace

bool IsPlainCopy(const Instruction& instruction) {
  return instruction.opcode() == hlo::Opcode::kCopy &&
         instruction.shape() == instruction.operand_shape(0);
}

SharedMemory::SharedMemory(const ScheduledValues& scheduled,
                           const LiveRanges& ranges,
                           const BufferOptions& options)
    : scheduled_(scheduled), options_(options) {
  const Computation& entry = *scheduled.module->entry();
  int64_t argument_count = 0;
  for (const Instruction* parameter : entry.parameters()) {
    argument_numbers_.push_back(argument_count);
    argument_count += scheduled.leaves.leaf_count(*parameter);
  }
  const int64_t value_count = scheduled.leaves.leaf_count();
  const int64_t result_count = scheduled.leaves.leaf_count(*entry.root());
  parents_.resize(value_count + result_count);
  std::iota(parents_.begin(), parents_.end(), 0);
  sets_.resize(parents_.size());
  for (LeafId value = 0; value < value_count; ++value) {
    const absl::Span<const Segment> segments = ranges.segments(value);
    sets_[value].segments.assign(segments.begin(), segments.end());
    sets_[value].fixed = FixedPlaceOf(value);
    sets_[value].is_written = !sets_[value].fixed.IsReadOnly();
  }
  for (int64_t result = 0; result < result_count; ++result) {
    sets_[value_count + result].fixed = {.kind = FixedPlace::Kind::kResult,
                                         .number = result};
  }
  for (const Computation* computation :
       scheduled.computations.callers_first()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == hlo::Opcode::kWhile) AddLoop(*instruction);
    }
  }
  for (const Flow& flow : FindFlows(scheduled)) AddMarkers(flow);
}

int32_t SharedMemory::Find(int32_t place) const {
  while (parents_[place] != place) {
    parents_[place] = parents_[parents_[place]];
    place = parents_[place];
  }
  return place;
}

bool SharedMemory::TryJoin(int32_t a, int32_t b) {
  int32_t from = Find(a);
  int32_t into = Find(b);
  if (from == into) return true;
  if (sets_[from].segments.size() > sets_[into].segments.size()) {
    std::swap(from, into);
  }
  if (!CanJoin(sets_[from], sets_[into])) return false;
  Unite(from, into);
  return true;
}

// What a loop carries and changes is in one place from begin to end.
void SharedMemory::AddLoop(const Instruction& loop) {
  const hlo::LeafTable& leaves = scheduled_.leaves;
  const LeafId result = leaves.first_leaf(loop);
  const LeafId in_body = leaves.first_leaf(*loop.body()->parameter(0));
  const LeafId in_condition =
      leaves.first_leaf(*loop.condition()->parameter(0));
  const auto count = static_cast<LeafId>(leaves.leaf_count(loop));
  for (LeafId i = 0; i < count; ++i) {
    if (!scheduled_.values.IsDefined(result + i)) continue;
    Unite(Find(in_body + i), Find(result + i));
    Unite(Find(in_condition + i), Find(result + i));
  }
}

// Keeps the moments at which copies would have been made.
void SharedMemory::AddMarkers(const Flow& flow) {
  if (flow.kind == FlowKind::kInPlace) return;
  const Time time = flow.kind == FlowKind::kLoopInit
                        ? scheduled_.timeline.enter_copied(*flow.user)
                        : scheduled_.timeline.end(*flow.computation);
  std::vector<Segment>& segments = sets_[Find(flow.target)].segments;
  const Segment marker = {.start = time,
                          .end = time,
                          .value = -1,
                          .computation = flow.computation->id()};
  segments.insert(std::ranges::lower_bound(segments, marker, StartsBefore),
                  marker);
}

FixedPlace SharedMemory::FixedPlaceOf(LeafId value) const {
  if (!scheduled_.values.IsDefined(value)) return {};
  const Instruction& source = *scheduled_.leaves.instruction(value);
  if (source.opcode() == hlo::Opcode::kConstant) {
    return {.kind = FixedPlace::Kind::kConstant, .number = value};
  }
  if (source.opcode() == hlo::Opcode::kParameter &&
      source.parent() == scheduled_.module->entry()) {
    return {.kind = FixedPlace::Kind::kArgument,
            .number = argument_numbers_[source.parameter_number()] +
                      scheduled_.leaves.number(value)};
  }
  return {};
}

bool SharedMemory::CanJoin(const Set& a, const Set& b) const {
  const FixedPlace none;
  if (a.fixed != none && b.fixed != none && a.fixed != b.fixed) return false;
  if ((a.fixed.IsReadOnly() && b.is_written) ||
      (b.fixed.IsReadOnly() && a.is_written)) {
    return false;
  }
  return std::ranges::all_of(
      a.segments, [&](const Segment& segment) { return CanJoin(segment, b); });
}

bool SharedMemory::CanJoin(const Segment& segment, const Set& set) const {
  // Segments of a set do not overlap: their ends are in order, too.
  auto at =
      std::ranges::lower_bound(set.segments, segment.start, {}, &Segment::end);
  for (; at != set.segments.end() && at->start <= segment.end; ++at) {
    const bool can = StartsBefore(*at, segment) ? CanFollow(*at, segment)
                                                : CanFollow(segment, *at);
    if (!can) return false;
  }
  return true;
}

bool SharedMemory::CanFollow(const Segment& first,
                             const Segment& second) const {
  if (first.end < second.start) return true;
  if (first.end > second.start || first.start == second.start) return false;
  if (first.value < 0 || second.value < 0) return false;
  const Instruction& writer = *scheduled_.leaves.instruction(second.value);
  if (scheduled_.timeline.running(second.start) != &writer) return false;
  return CanOverwrite(writer, scheduled_.leaves.number(second.value),
                      first.value);
}

// Whether `writer` may write its leaf over `value`, wherever it reads that.
bool SharedMemory::CanOverwrite(const Instruction& writer, int64_t output_leaf,
                                LeafId value) const {
  if (IsPlainCopy(writer)) return true;
  const std::vector<hlo::InPlacePair> pairs = hlo::InPlacePairs(writer);
  const hlo::InPlacePair* own_pair = nullptr;
  for (const hlo::InPlacePair& pair : pairs) {
    if (pair.output_leaf == output_leaf) own_pair = &pair;
  }
  bool is_own = false;
  for (int64_t i = 0; i < writer.operand_count(); ++i) {
    const LeafId first = scheduled_.leaves.first_leaf(*writer.operand(i));
    const int64_t count = scheduled_.leaves.leaf_count(*writer.operand(i));
    for (int64_t leaf = 0; leaf < count; ++leaf) {
      if (scheduled_.values.value(static_cast<LeafId>(first + leaf)) != value) {
        continue;
      }
      if (own_pair != nullptr &&
          own_pair->input == hlo::OperandLeaf{.operand = i, .leaf = leaf}) {
        is_own = true;
        continue;
      }
      if (options_.can_share == nullptr ||
          !options_.can_share(writer, i, leaf, output_leaf)) {
        return false;
      }
    }
  }
  return own_pair == nullptr || is_own;
}

bool SharedMemory::CanOverlay(LeafId value, int32_t place) const {
  const std::vector<Segment>& segments = this->segments(value);
  return std::ranges::all_of(segments, [&](const Segment& segment) {
    return CanJoin(segment, sets_[Find(place)]);
  });
}

void SharedMemory::Unite(int32_t from, int32_t into) {
  if (from == into) return;
  Set& source = sets_[from];
  Set& target = sets_[into];
  std::vector<Segment>& segments = target.segments;
  if (!source.segments.empty()) {
    const auto middle = static_cast<std::ptrdiff_t>(segments.size());
    segments.insert(segments.end(), source.segments.begin(),
                    source.segments.end());
    // Most sets grow at their end.
    std::inplace_merge(
        std::lower_bound(segments.begin(), segments.begin() + middle,
                         source.segments.front(), StartsBefore),
        segments.begin() + middle, segments.end(), StartsBefore);
  }
  if (source.fixed != FixedPlace{}) target.fixed = source.fixed;
  target.is_written = target.is_written || source.is_written;
  source.segments = {};
  parents_[from] = into;
}

}  // namespace hilo::passes
