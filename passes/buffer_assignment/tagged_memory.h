// Memory that knows which value each byte belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "passes/buffer_assignment/buffer_assignment.h"

namespace hilo::passes {

// Names the content of an array. 0: nothing in particular.
using Tag = int64_t;

// For each allocation, the tags of its bytes.
class TaggedMemory {
 public:
  explicit TaggedMemory(size_t allocation_count) : chunks_(allocation_count) {}

  // Makes every byte of the slice belong to `tag`.
  void Write(const Slice& slice, Tag tag);
  // Whether every byte of the slice belongs to `tag`.
  bool Holds(const Slice& slice, Tag tag) const;
  // Forgets what `other` does not hold as well.
  void IntersectWith(const TaggedMemory& other);

 private:
  // By begin: end and tag. Chunks do not overlap.
  using Chunks = std::map<int64_t, std::pair<int64_t, Tag>>;

  static void Erase(Chunks& chunks, int64_t begin, int64_t end);

  std::vector<Chunks> chunks_;
};

}  // namespace hilo::passes
