// The positions of a sliding window, taken for many outputs at a time.
#include "hlo/eval/window_lanes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/eval/index.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// A minor dimension of this size is taken as lanes even if others are larger.
constexpr int64_t kEnoughLanes = 64;

int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - static_cast<int64_t>(a % b < 0);
}
int64_t CeilDivide(int64_t a, int64_t b) {
  return a / b + static_cast<int64_t>(a % b > 0);
}

struct Progression {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 0;
};

// A place in an input dimension with holes: coefficient * t + constant.
struct Place {
  int64_t coefficient = 1;
  int64_t constant = 0;
};

// The t in [low, high) whose place is on one of `size` elements that lie
// `spacing` apart.
Progression FindElements(Place place, int64_t size, int64_t spacing,
                         int64_t low, int64_t high) {
  if (size == 0) return {};
  const int64_t last = (size - 1) * spacing;
  low = std::max(low, CeilDivide(-place.constant, place.coefficient));
  high =
      std::min(high, FloorDivide(last - place.constant, place.coefficient) + 1);
  if (low >= high) return {};
  if (spacing == 1) return {.first = low, .step = 1, .count = high - low};
  const int64_t step = spacing / std::gcd(place.coefficient, spacing);
  const int64_t end = std::min(high, low + step);
  while (low < end &&
         (place.coefficient * low + place.constant) % spacing != 0) {
    ++low;
  }
  if (low == end) return {};
  return {.first = low, .step = step, .count = (high - low - 1) / step + 1};
}

bool IsTrivialWindow(const WindowDimension& window) {
  return window.size == 1 && window.stride == 1 && window.padding_low == 0 &&
         window.padding_high == 0 && window.base_dilation == 1;
}

// Whether all places fit in 62 bits.
bool CanCompute(const WindowDimension& window, int64_t input_size,
                int64_t output_size) {
  constexpr __int128 kLimit = __int128{1} << 61;
  const __int128 padding = std::max(window.padding_low, -window.padding_low);
  const __int128 input =
      static_cast<__int128>(input_size) * window.base_dilation;
  const __int128 output = static_cast<__int128>(output_size) * window.stride;
  const __int128 extent =
      static_cast<__int128>(window.size) * window.window_dilation;
  return padding < kLimit && input < kLimit && output < kLimit &&
         extent < kLimit;
}

}  // namespace

absl::StatusOr<WindowLanes> WindowLanes::Create(const Shape& input,
                                                const Shape& output,
                                                const Window& window) {
  WindowLanes lanes;
  lanes.has_outputs_ = output.ElementCount() > 0;
  if (!lanes.has_outputs_) return lanes;
  const DimensionVector input_strides = RowMajorStrides(input.dimensions());
  const DimensionVector output_strides = RowMajorStrides(output.dimensions());
  for (int64_t i = 0; i < input.rank(); ++i) {
    Dimension next;
    if (std::cmp_less(i, window.dimensions.size())) {
      next.window = window.dimensions[i];
    }
    next.input_size = input.dimension(i);
    next.input_stride = input_strides[i];
    next.output_size = output.dimension(i);
    next.output_stride = output_strides[i];
    if (!CanCompute(next.window, next.input_size, next.output_size)) {
      return InvalidArgument("window of dimension ", i, " is too large");
    }
    const bool is_trivial = IsTrivialWindow(next.window);
    if (is_trivial && !lanes.dimensions_.empty() &&
        IsTrivialWindow(lanes.dimensions_.back().window)) {
      next.input_size *= lanes.dimensions_.back().input_size;
      next.output_size *= lanes.dimensions_.back().output_size;
      lanes.dimensions_.pop_back();
    }
    lanes.dimensions_.push_back(next);
  }
  if (lanes.dimensions_.empty()) lanes.dimensions_.emplace_back();
  lanes.ChooseLaneDimension();
  return lanes;
}

void WindowLanes::ChooseLaneDimension() {
  lane_dim_ = dimensions_.size() - 1;
  if (dimensions_[lane_dim_].output_size < kEnoughLanes) {
    for (size_t i = 0; i < dimensions_.size(); ++i) {
      if (dimensions_[i].output_size > dimensions_[lane_dim_].output_size) {
        lane_dim_ = i;
      }
    }
  }
  output_position_.resize(dimensions_.size(), 0);
  step_position_.resize(dimensions_.size(), 0);
  offsets_.resize(dimensions_.size());
}

bool WindowLanes::AdvanceBlock() {
  for (size_t i = dimensions_.size(); i-- > 0;) {
    output_position_[i] += i == lane_dim_ ? kMaxLanes : 1;
    if (output_position_[i] < dimensions_[i].output_size) return true;
    output_position_[i] = 0;
  }
  return false;
}

bool WindowLanes::NextBlock() {
  if (!has_outputs_) return false;
  if (started_) has_outputs_ = AdvanceBlock();
  started_ = true;
  if (has_outputs_) StartSteps();
  return has_outputs_;
}

int64_t WindowLanes::output_offset() const {
  int64_t offset = 0;
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    offset += output_position_[i] * dimensions_[i].output_stride;
  }
  return offset;
}

void WindowLanes::FindOffsets(const Dimension& dimension, int64_t output,
                              std::vector<int64_t>& offsets) {
  const WindowDimension& window = dimension.window;
  const Place place{.coefficient = window.window_dilation,
                    .constant = output * window.stride - window.padding_low};
  const Progression positions = FindElements(
      place, dimension.input_size, window.base_dilation, 0, window.size);
  for (int64_t i = 0; i < positions.count; ++i) {
    const int64_t position = positions.first + i * positions.step;
    const int64_t index =
        (place.coefficient * position + place.constant) / window.base_dilation;
    offsets.push_back(index * dimension.input_stride);
  }
}

void WindowLanes::StartSteps() {
  has_steps_ = true;
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    step_position_[i] = 0;
    offsets_[i].clear();
    if (i != lane_dim_) {
      FindOffsets(dimensions_[i], output_position_[i], offsets_[i]);
      has_steps_ = has_steps_ && !offsets_[i].empty();
    }
  }
  const Dimension& lanes = dimensions_[lane_dim_];
  const WindowDimension& window = lanes.window;
  const int64_t first = output_position_[lane_dim_];
  lane_count_ = std::min(kMaxLanes, lanes.output_size - first);
  if (lanes.input_size == 0) has_steps_ = false;
  if (!has_steps_) return;
  // From where the last lane meets the first element to where the first lane
  // meets the last.
  const int64_t last = (lanes.input_size - 1) * window.base_dilation;
  const int64_t low =
      CeilDivide(window.padding_low - (first + lane_count_ - 1) * window.stride,
                 window.window_dilation);
  const int64_t high =
      FloorDivide(last + window.padding_low - first * window.stride,
                  window.window_dilation) +
      1;
  for (int64_t w = std::max<int64_t>(low, 0); w < std::min(high, window.size);
       ++w) {
    offsets_[lane_dim_].push_back(w);
  }
  has_steps_ = !offsets_[lane_dim_].empty();
}

bool WindowLanes::NextStep(WindowStep& step) {
  const Dimension& lanes = dimensions_[lane_dim_];
  const WindowDimension& window = lanes.window;
  const int64_t first = output_position_[lane_dim_];
  while (has_steps_) {
    int64_t offset = 0;
    for (size_t i = 0; i < dimensions_.size(); ++i) {
      if (i != lane_dim_) offset += offsets_[i][step_position_[i]];
    }
    const int64_t position = offsets_[lane_dim_][step_position_[lane_dim_]];
    const Place place{
        .coefficient = window.stride,
        .constant = position * window.window_dilation - window.padding_low};
    const Progression outputs =
        FindElements(place, lanes.input_size, window.base_dilation, first,
                     first + lane_count_);
    has_steps_ = false;
    for (size_t i = dimensions_.size(); i-- > 0 && !has_steps_;) {
      has_steps_ = std::cmp_less(++step_position_[i], offsets_[i].size());
      if (!has_steps_) step_position_[i] = 0;
    }
    if (outputs.count == 0) continue;
    const int64_t index =
        (window.stride * outputs.first + place.constant) / window.base_dilation;
    step = {.first_lane = outputs.first - first,
            .lane_step = outputs.step,
            .count = outputs.count,
            .input_offset = offset + index * lanes.input_stride,
            .input_step = window.stride * outputs.step / window.base_dilation *
                          lanes.input_stride};
    return true;
  }
  return false;
}

}  // namespace hilo::hlo
