// How fast this machine can be: what measured speeds are compared with.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/thread_pool.h"

namespace hilo {

// Measures the machine's limits on a number of threads, each when it is asked
// for first. Not thread-safe.
class MachineLimits {
 public:
  // `threads` 0: as many as the process may use.
  explicit MachineLimits(int64_t threads) : pool_(threads) {}

  // Multiply-adds of f32 in registers, two operations each: operations per
  // second with the widest vectors that the processor has.
  double operations_per_second();

  // Bytes per second that can be read and written, half of each, when
  // `working_set_bytes` are touched again and again: a cache's speed for
  // what fits there. Measured for the next power of two.
  double bytes_per_second(double working_set_bytes);

 private:
  runtime::ThreadPool pool_;
  double operations_per_second_ = 0;
  // By working set.
  std::map<int64_t, double> bytes_per_second_;
};

}  // namespace hilo
