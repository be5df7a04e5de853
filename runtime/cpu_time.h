// Processor time, which does not pass while others have the processor.
#pragma once

#include <algorithm>
#include <ctime>

namespace hilo::runtime {

// Seconds that this thread has run.
inline double ThreadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

// The least time of `turns` calls, in seconds of this thread.
template <typename F>
double LeastSeconds(int turns, F call) {
  double least = 1e9;
  for (int i = 0; i < turns; ++i) {
    const double start = ThreadSeconds();
    call();
    least = std::min(least, ThreadSeconds() - start);
  }
  return least;
}

}  // namespace hilo::runtime
