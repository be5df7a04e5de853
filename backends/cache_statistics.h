// What a cache of compiled code has done so far.
#pragma once

#include <cstdint>

namespace hilo::backends {

// Counts of objects; all zero for backends and clients without a cache.
struct CacheStatistics {
  int64_t hits = 0;
  // Misses by their reason: code that is new, code that is there for another
  // processor, version or set of options, files that were damaged.
  int64_t misses_new = 0;
  int64_t misses_other_context = 0;
  int64_t misses_damaged = 0;
  int64_t stored = 0;
  int64_t evicted = 0;
};

}  // namespace hilo::backends
