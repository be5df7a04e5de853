// A stable merge sort that compares many pairs of elements at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"

#include "hlo/eval/scalar_program.h"

namespace hilo::hlo {

// Sets is_before[l] to whether element a[l] comes before element b[l], for at
// most MergeSort::kMaxLanes lanes.
using LaneComparator = absl::FunctionRef<absl::Status(
    absl::Span<const int64_t> a, absl::Span<const int64_t> b, bool* is_before)>;

// Sorts rows of equal length bottom-up. Merges advance in lockstep, one
// comparison each; long merges are divided where they would end up anyway, so
// that there are always many. A comparator that is not a strict weak order
// gives some permutation.
class MergeSort {
 public:
  static constexpr int64_t kMaxLanes = ScalarProgram::kMaxLanes;

  MergeSort(int64_t row_count, int64_t row_size);

  // Returns, row by row, the elements' numbers in order; numbers count across
  // rows. Errors: the comparator's.
  absl::Status Run(LaneComparator comparator);
  absl::Span<const int64_t> order() const { return order_; }

  // Memory that an instance takes.
  static int64_t ScratchBytes(int64_t element_count) {
    return 2 * static_cast<int64_t>(sizeof(int64_t)) * element_count;
  }

 private:
  // Places to merge: [left, left_end) with [right, right_end), to output on.
  struct Merge {
    int64_t left = 0;
    int64_t left_end = 0;
    int64_t right = 0;
    int64_t right_end = 0;
    int64_t output = 0;
  };

  absl::Status RunLevel(int64_t width, LaneComparator comparator);
  void FindMerges(int64_t width);
  absl::Status DivideMerges(LaneComparator comparator);
  absl::Status FindDivisions(absl::Span<const Merge> merges,
                             absl::Span<const int64_t> diagonals,
                             LaneComparator comparator,
                             std::vector<int64_t>& lefts);
  absl::Status RunMerges(LaneComparator comparator);
  // Copies what needs no comparison; whether the merge is done.
  bool FinishMerge(const Merge& merge);

  int64_t row_count_;
  int64_t row_size_;
  std::vector<int64_t> order_;
  std::vector<int64_t> merged_;
  std::vector<Merge> merges_;
};

}  // namespace hilo::hlo
