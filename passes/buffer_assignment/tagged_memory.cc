// Interval maps of tags.
#include "passes/buffer_assignment/tagged_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "passes/buffer_assignment/buffer_assignment.h"

namespace hilo::passes {

void TaggedMemory::Write(const Slice& slice, Tag tag) {
  if (slice.size_bytes == 0) return;
  Chunks& chunks = chunks_[slice.allocation];
  const int64_t end = slice.offset_bytes + slice.size_bytes;
  Erase(chunks, slice.offset_bytes, end);
  if (tag != 0) chunks[slice.offset_bytes] = {end, tag};
}

bool TaggedMemory::Holds(const Slice& slice, Tag tag) const {
  if (slice.size_bytes == 0) return true;
  const Chunks& chunks = chunks_[slice.allocation];
  int64_t at = slice.offset_bytes;
  const int64_t end = slice.offset_bytes + slice.size_bytes;
  auto chunk = chunks.upper_bound(at);
  if (chunk == chunks.begin()) return false;
  for (--chunk; chunk != chunks.end() && chunk->first <= at; ++chunk) {
    const auto& [chunk_end, chunk_tag] = chunk->second;
    if (chunk_end <= at || chunk_tag != tag) return false;
    at = chunk_end;
    if (at >= end) return true;
  }
  return false;
}

void TaggedMemory::IntersectWith(const TaggedMemory& other) {
  for (size_t i = 0; i < chunks_.size(); ++i) {
    Chunks common;
    auto a = chunks_[i].cbegin();
    auto b = other.chunks_[i].cbegin();
    while (a != chunks_[i].cend() && b != other.chunks_[i].cend()) {
      const int64_t begin = std::max(a->first, b->first);
      const int64_t end = std::min(a->second.first, b->second.first);
      if (begin < end && a->second.second == b->second.second) {
        common[begin] = {end, a->second.second};
      }
      const bool a_ends_first = a->second.first <= b->second.first;
      ++(a_ends_first ? a : b);
    }
    chunks_[i] = std::move(common);
  }
}

void TaggedMemory::Erase(Chunks& chunks, int64_t begin, int64_t end) {
  auto chunk = chunks.lower_bound(begin);
  if (chunk != chunks.begin()) --chunk;
  while (chunk != chunks.end() && chunk->first < end) {
    const int64_t chunk_begin = chunk->first;
    const auto [chunk_end, tag] = chunk->second;
    if (chunk_end <= begin) {
      ++chunk;
      continue;
    }
    chunk = chunks.erase(chunk);
    if (chunk_begin < begin) chunks[chunk_begin] = {begin, tag};
    if (chunk_end > end) chunk = chunks.insert({end, {chunk_end, tag}}).first;
  }
}

}  // namespace hilo::passes
