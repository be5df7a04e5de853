// From when to when values are needed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/analysis/leaf_values.h"
#include "passes/buffer_assignment/timeline.h"

namespace hilo::passes {

// A stretch of time, both ends included, in which a value is needed within one
// computation.
struct Segment {
  Time start = 0;
  Time end = 0;
  // -1: a place is kept for what is copied there.
  hlo::LeafId value = -1;
  hlo::ComputationId computation = 0;
};

// A scheduled module with what is known of its values. Refers to the module.
struct ScheduledValues {
  ScheduledValues(const hlo::Module& of_module,
                  hlo::SequentialComputations of_computations,
                  Schedule of_schedule)
      : module(&of_module),
        computations(std::move(of_computations)),
        schedule(std::move(of_schedule)),
        leaves(of_module, computations),
        values(leaves, computations),
        timeline(of_module, computations, schedule) {}

  const hlo::Module* module;
  hlo::SequentialComputations computations;
  Schedule schedule;
  hlo::LeafTable leaves;
  hlo::LeafValues values;
  Timeline timeline;
};

// Whether what a call gives as its array leaf `number` is a value of its own,
// into which roots of its callees go.
bool DefinesResult(const ScheduledValues& scheduled,
                   const hlo::Instruction& call, int64_t number);

// The segments of every value, by computation. A value that code writes is
// needed at least when it is written. What a loop carries along is needed until
// the end of the condition and, when unchanged, of the body.
class LiveRanges {
 public:
  explicit LiveRanges(const ScheduledValues& scheduled);

  // In order of time. Segments of one value do not overlap.
  absl::Span<const Segment> segments(hlo::LeafId value) const {
    return absl::MakeConstSpan(segments_).subspan(
        first_segments_[value],
        first_segments_[value + 1] - first_segments_[value]);
  }

 private:
  // Of all values, one value after the other.
  std::vector<Segment> segments_;
  // By value, with the end.
  std::vector<int32_t> first_segments_;
};

}  // namespace hilo::passes
