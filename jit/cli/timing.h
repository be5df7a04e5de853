// Measured times and how they are told.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace hilo::cli {

// What many runs of the same thing took.
struct RunTimes {
  int64_t runs = 0;
  double median_s = 0;
  double min_s = 0;
  double max_s = 0;
  // Half of the runs are within this distance of the median.
  double deviation_s = 0;
};

// `seconds` has one entry per run, and at least one.
RunTimes Summarize(std::vector<double> seconds);

// "12.3 us", three significant digits.
std::string FormatSeconds(double seconds);

inline double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace hilo::cli
