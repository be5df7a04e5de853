// Which values lie in one place, and where that takes a copy.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "passes/buffer_assignment/buffer_options.h"
#include "passes/buffer_assignment/live_ranges.h"

namespace hilo::passes {

// Why a value must lie where another one does.
enum class FlowKind : uint8_t {
  // A loop begins with it.
  kLoopInit,
  // A loop's body, a branch or a callee ends with it.
  kRoot,
  // The program ends with it.
  kResult,
  // An instruction changes it in place.
  kInPlace,
};

// That a value must lie where another one does, unless it is copied there.
struct Flow {
  FlowKind kind = FlowKind::kInPlace;
  hlo::LeafId source = 0;
  // The place: a value, or leaf_count() + the number of a result.
  hlo::LeafId target = 0;
  // The loop, or the instruction that works in place; null for roots.
  hlo::Instruction* user = nullptr;
  // Which leaf of which operand of `user`; of roots, the leaf.
  int64_t operand = 0;
  int64_t leaf = 0;
  // Where the copy would be.
  hlo::Computation* computation = nullptr;
};

// All flows, in order of computations, callers first.
std::vector<Flow> FindFlows(const ScheduledValues& scheduled);

// Memory that one place of values has, other than in the arena.
struct FixedPlace {
  enum class Kind : uint8_t { kNone, kArgument, kResult, kConstant };
  Kind kind = Kind::kNone;
  // Arguments and results: which leaf. Constants: the value.
  int64_t number = 0;

  bool IsReadOnly() const {
    return kind == Kind::kArgument || kind == Kind::kConstant;
  }
  friend bool operator==(const FixedPlace&, const FixedPlace&) = default;
};

// Whether the instruction is a copy in the same form, which does nothing when
// both arrays lie in one place.
bool IsPlainCopy(const hlo::Instruction& instruction);

// Puts values together that can share memory.
//
// At first every value is alone, but for those of one loop: parameters of body
// and condition, and result. In no place are two values needed at one time,
// except that an instruction may read one for the last time while it writes
// the other, if that is safe.
class SharedMemory {
 public:
  SharedMemory(const ScheduledValues& scheduled, const LiveRanges& ranges,
               const BufferOptions& options);

  // Places are values, and leaf_count() + r for result r.
  int64_t place_count() const { return static_cast<int64_t>(parents_.size()); }
  // One place of each set that lies together.
  int32_t Find(int32_t place) const;

  // Puts two places together if that can be; whether they are together now.
  bool TryJoin(int32_t a, int32_t b);

  // Whether the values of `place` would leave `value` alone for as long as it
  // is needed, if they were written where it lies.
  bool CanOverlay(hlo::LeafId value, int32_t place) const;

  const FixedPlace& fixed_place(int32_t place) const {
    return sets_[Find(place)].fixed;
  }
  // When the values of a set are needed, by start.
  const std::vector<Segment>& segments(int32_t place) const {
    return sets_[Find(place)].segments;
  }

 private:
  struct Set {
    std::vector<Segment> segments;
    FixedPlace fixed;
    // Whether anything but a caller writes there.
    bool is_written = true;
  };

  void AddLoop(const hlo::Instruction& loop);
  void AddMarkers(const Flow& flow);
  FixedPlace FixedPlaceOf(hlo::LeafId value) const;
  bool CanJoin(const Set& a, const Set& b) const;
  bool CanJoin(const Segment& segment, const Set& set) const;
  bool CanFollow(const Segment& first, const Segment& second) const;
  bool CanOverwrite(const hlo::Instruction& writer, int64_t output_leaf,
                    hlo::LeafId value) const;
  void Unite(int32_t from, int32_t into);

  const ScheduledValues& scheduled_;
  const BufferOptions& options_;
  std::vector<int64_t> argument_numbers_;
  // By place.
  mutable std::vector<int32_t> parents_;
  std::vector<Set> sets_;
};

}  // namespace hilo::passes
