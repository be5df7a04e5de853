// Orders copies by who reads what others overwrite.
#include "passes/copy_insertion/parallel_copies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace hilo::passes {
namespace {

class CopyOrder {
 public:
  explicit CopyOrder(absl::Span<const PlaceCopy> copies) : copies_(copies) {
    for (size_t i = 0; i < copies.size(); ++i) {
      ++readers_[copies[i].source_place];
      writers_[copies[i].target_place].push_back(static_cast<int64_t>(i));
    }
    is_done_.resize(copies.size(), false);
    has_temporary_.resize(copies.size(), false);
  }

  std::vector<CopyStep> Run() && {
    for (size_t i = 0; i < copies_.size(); ++i) {
      if (IsFree(static_cast<int64_t>(i))) {
        ready_.push_back(static_cast<int64_t>(i));
      }
    }
    CopyReady();
    for (size_t i = 0; i < copies_.size(); ++i) {
      if (is_done_[i] || !IsAwaited(copies_[i].source_place)) continue;
      has_temporary_[i] = true;
      steps_.push_back({.copy = static_cast<int64_t>(i), .to_temporary = true});
      Release(copies_[i].source_place);
      CopyReady();
    }
    return std::move(steps_);
  }

 private:
  // Whether nobody else still reads what the copy overwrites.
  bool IsFree(int64_t i) const {
    const auto found = readers_.find(copies_[i].target_place);
    const int64_t count = found == readers_.end() ? 0 : found->second;
    const bool reads_itself = !has_temporary_[i] && copies_[i].source_place ==
                                                        copies_[i].target_place;
    return count == (reads_itself ? 1 : 0);
  }

  // Whether a copy to the place is still to be made.
  bool IsAwaited(int32_t place) const {
    const auto found = writers_.find(place);
    return found != writers_.end() &&
           std::ranges::any_of(found->second, [&](int64_t writer) {
             return !is_done_[writer];
           });
  }

  void CopyReady() {
    while (!ready_.empty()) {
      const int64_t i = ready_.back();
      ready_.pop_back();
      if (is_done_[i]) continue;
      is_done_[i] = true;
      steps_.push_back({.copy = i});
      if (!has_temporary_[i]) Release(copies_[i].source_place);
    }
  }

  // One reader less of a place.
  void Release(int32_t place) {
    --readers_[place];
    const auto found = writers_.find(place);
    if (found == writers_.end()) return;
    for (const int64_t writer : found->second) {
      if (!is_done_[writer] && IsFree(writer)) ready_.push_back(writer);
    }
  }

  absl::Span<const PlaceCopy> copies_;
  absl::flat_hash_map<int32_t, int64_t> readers_;
  absl::flat_hash_map<int32_t, std::vector<int64_t>> writers_;
  std::vector<bool> is_done_;
  std::vector<bool> has_temporary_;
  std::vector<int64_t> ready_;
  std::vector<CopyStep> steps_;
};

}  // namespace

std::vector<CopyStep> OrderCopies(absl::Span<const PlaceCopy> copies) {
  return CopyOrder(copies).Run();
}

}  // namespace hilo::passes
