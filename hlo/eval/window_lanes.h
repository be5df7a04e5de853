// The positions of a sliding window, taken for many outputs at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/eval/scalar_program.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {

// One window position, for those lanes of a block where it is on an element of
// the input (neither on padding nor in a hole). Offsets in elements.
struct WindowStep {
  int64_t first_lane = 0;
  int64_t lane_step = 1;
  int64_t count = 0;
  int64_t input_offset = 0;
  int64_t input_step = 0;
};

// Walks over blocks of outputs along one dimension; in each block, over the
// window positions in row-major order:
//
//   while (lanes.NextBlock()) {
//     while (lanes.NextStep(step)) ...
//   }
class WindowLanes {
 public:
  static constexpr int64_t kMaxLanes = ScalarProgram::kMaxLanes;

  // Dimensions that `window` does not name have trivial windows. Errors:
  // InvalidArgument when sizes are too large to be computed with.
  static absl::StatusOr<WindowLanes> Create(const Shape& input,
                                            const Shape& output,
                                            const Window& window);

  // Goes to the next block of outputs; false if there is none.
  bool NextBlock();
  int64_t lane_count() const { return lane_count_; }
  // Lane i is output element output_offset() + i * output_step().
  int64_t output_offset() const;
  int64_t output_step() const { return dimensions_[lane_dim_].output_stride; }

  // Goes to the next window position that some lane of the block can use.
  bool NextStep(WindowStep& step);

 private:
  struct Dimension {
    WindowDimension window;
    int64_t input_size = 1;
    int64_t input_stride = 0;
    int64_t output_size = 1;
    int64_t output_stride = 0;
  };

  WindowLanes() = default;
  void ChooseLaneDimension();
  bool AdvanceBlock();
  void StartSteps();
  static void FindOffsets(const Dimension& dimension, int64_t output,
                          std::vector<int64_t>& offsets);

  std::vector<Dimension> dimensions_;
  size_t lane_dim_ = 0;
  bool started_ = false;
  bool has_outputs_ = true;
  // The block: a position, of which the lane dimension's is its first lane.
  std::vector<int64_t> output_position_;
  int64_t lane_count_ = 0;
  // Per dimension: input offsets of the usable window positions; for the lane
  // dimension, the window positions that may be usable.
  std::vector<std::vector<int64_t>> offsets_;
  std::vector<int64_t> step_position_;
  bool has_steps_ = false;
};

}  // namespace hilo::hlo
