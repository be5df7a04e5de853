// A stable merge sort that compares many pairs of elements at a time.
#include "hlo/eval/merge_sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Merges shorter than this are not divided.
constexpr int64_t kMinDividedElements = 64;

}  // namespace

MergeSort::MergeSort(int64_t row_count, int64_t row_size)
    : row_count_(row_count),
      row_size_(row_size),
      order_(row_count * row_size),
      merged_(row_count * row_size) {
  std::iota(order_.begin(), order_.end(), int64_t{0});
}

absl::Status MergeSort::Run(LaneComparator comparator) {
  for (int64_t width = 1; width < row_size_; width *= 2) {
    RETURN_IF_ERROR(RunLevel(width, comparator));
  }
  return absl::OkStatus();
}

absl::Status MergeSort::RunLevel(int64_t width, LaneComparator comparator) {
  FindMerges(width);
  if (static_cast<int64_t>(merges_.size()) < kMaxLanes) {
    RETURN_IF_ERROR(DivideMerges(comparator));
  }
  RETURN_IF_ERROR(RunMerges(comparator));
  std::swap(order_, merged_);
  return absl::OkStatus();
}

// Runs without a partner are merged with nothing, that is, copied.
void MergeSort::FindMerges(int64_t width) {
  merges_.clear();
  for (int64_t row = 0; row < row_count_; ++row) {
    const int64_t row_start = row * row_size_;
    const int64_t row_end = row_start + row_size_;
    for (int64_t start = row_start; start < row_end; start += 2 * width) {
      const int64_t middle = std::min(start + width, row_end);
      const int64_t end = std::min(start + 2 * width, row_end);
      merges_.push_back({.left = start,
                         .left_end = middle,
                         .right = middle,
                         .right_end = end,
                         .output = start});
    }
  }
}

absl::Status MergeSort::DivideMerges(LaneComparator comparator) {
  const auto merge_count = static_cast<int64_t>(merges_.size());
  const int64_t size = merges_[0].right_end - merges_[0].left;
  const int64_t parts =
      std::min(kMaxLanes / merge_count, size / kMinDividedElements);
  if (parts < 2) return absl::OkStatus();
  // Where each part but the first starts.
  std::vector<Merge> divided;
  std::vector<int64_t> diagonals;
  for (const Merge& merge : merges_) {
    for (int64_t part = 1; part < parts; ++part) {
      divided.push_back(merge);
      diagonals.push_back((merge.right_end - merge.left) * part / parts);
    }
  }
  std::vector<int64_t> lefts;
  RETURN_IF_ERROR(FindDivisions(divided, diagonals, comparator, lefts));
  std::vector<Merge> result;
  for (int64_t i = 0; i < merge_count; ++i) {
    Merge rest = merges_[i];
    const Merge whole = rest;
    for (int64_t part = 1; part < parts; ++part) {
      const int64_t index = i * (parts - 1) + part - 1;
      const int64_t diagonal = diagonals[index];
      // A comparator without order must not make parts overlap.
      const int64_t left =
          std::clamp(whole.left + lefts[index], rest.left,
                     std::min(whole.left_end, whole.left + diagonal -
                                                  (rest.right - whole.right)));
      const int64_t right = whole.right + diagonal - (left - whole.left);
      result.push_back({.left = rest.left,
                        .left_end = left,
                        .right = rest.right,
                        .right_end = right,
                        .output = rest.output});
      rest = {.left = left,
              .left_end = whole.left_end,
              .right = right,
              .right_end = whole.right_end,
              .output = whole.output + diagonal};
    }
    result.push_back(rest);
  }
  merges_ = std::move(result);
  return absl::OkStatus();
}

// For each merge, finds how many of the first `diagonal` outputs come from the
// left: a binary search, all in lockstep.
absl::Status MergeSort::FindDivisions(absl::Span<const Merge> merges,
                                      absl::Span<const int64_t> diagonals,
                                      LaneComparator comparator,
                                      std::vector<int64_t>& lefts) {
  const size_t count = merges.size();
  lefts.resize(count);
  std::vector<int64_t> highs(count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t right_size = merges[i].right_end - merges[i].right;
    lefts[i] = std::max<int64_t>(0, diagonals[i] - right_size);
    highs[i] = std::min(diagonals[i], merges[i].left_end - merges[i].left);
  }
  std::vector<size_t> active;
  std::vector<int64_t> a;
  std::vector<int64_t> b;
  std::array<bool, kMaxLanes> is_before;
  while (true) {
    active.clear();
    a.clear();
    b.clear();
    for (size_t i = 0; i < count; ++i) {
      if (lefts[i] >= highs[i]) continue;
      const int64_t middle = (lefts[i] + highs[i]) / 2;
      active.push_back(i);
      a.push_back(order_[merges[i].right + diagonals[i] - middle - 1]);
      b.push_back(order_[merges[i].left + middle]);
    }
    if (active.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(comparator(a, b, is_before.data()));
    for (size_t lane = 0; lane < active.size(); ++lane) {
      const size_t i = active[lane];
      const int64_t middle = (lefts[i] + highs[i]) / 2;
      if (is_before[lane]) {
        highs[i] = middle;
      } else {
        lefts[i] = middle + 1;
      }
    }
  }
}

bool MergeSort::FinishMerge(const Merge& merge) {
  if (merge.left < merge.left_end && merge.right < merge.right_end) {
    return false;
  }
  const auto output =
      std::copy(order_.begin() + merge.left, order_.begin() + merge.left_end,
                merged_.begin() + merge.output);
  std::copy(order_.begin() + merge.right, order_.begin() + merge.right_end,
            output);
  return true;
}

absl::Status MergeSort::RunMerges(LaneComparator comparator) {
  std::array<Merge, kMaxLanes> lanes;
  std::array<int64_t, kMaxLanes> a;
  std::array<int64_t, kMaxLanes> b;
  std::array<bool, kMaxLanes> is_before;
  size_t lane_count = 0;
  size_t next = 0;
  while (true) {
    while (lane_count < kMaxLanes && next < merges_.size()) {
      const Merge& merge = merges_[next++];
      if (!FinishMerge(merge)) lanes[lane_count++] = merge;
    }
    if (lane_count == 0) return absl::OkStatus();
    for (size_t i = 0; i < lane_count; ++i) {
      a[i] = order_[lanes[i].right];
      b[i] = order_[lanes[i].left];
    }
    RETURN_IF_ERROR(comparator(absl::MakeConstSpan(a).first(lane_count),
                               absl::MakeConstSpan(b).first(lane_count),
                               is_before.data()));
    size_t kept = 0;
    for (size_t i = 0; i < lane_count; ++i) {
      Merge merge = lanes[i];
      merged_[merge.output++] = is_before[i] ? a[i] : b[i];
      merge.right += is_before[i] ? 1 : 0;
      merge.left += is_before[i] ? 0 : 1;
      if (!FinishMerge(merge)) lanes[kept++] = merge;
    }
    lane_count = kept;
  }
}

}  // namespace hilo::hlo
