// Medians and units.
#include "jit/cli/timing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"

namespace hilo::cli {
namespace {

double MedianOf(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(),
                   values.begin() + static_cast<int64_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  const double lower = *std::max_element(
      values.begin(), values.begin() + static_cast<int64_t>(middle));
  return (lower + upper) / 2;
}

}  // namespace

RunTimes Summarize(std::vector<double> seconds) {
  RunTimes times;
  times.runs = static_cast<int64_t>(seconds.size());
  times.median_s = MedianOf(seconds);
  times.min_s = *std::ranges::min_element(seconds);
  times.max_s = *std::ranges::max_element(seconds);
  for (double& value : seconds) value = std::abs(value - times.median_s);
  times.deviation_s = MedianOf(std::move(seconds));
  return times;
}

std::string FormatSeconds(double seconds) {
  struct Unit {
    double seconds;
    const char* name;
  };
  constexpr std::array kUnits = {Unit{.seconds = 1, .name = "s"},
                                 Unit{.seconds = 1e-3, .name = "ms"},
                                 Unit{.seconds = 1e-6, .name = "us"}};
  for (const Unit& unit : kUnits) {
    if (seconds < unit.seconds) continue;
    return absl::StrFormat("%#.3g %s", seconds / unit.seconds, unit.name);
  }
  return absl::StrFormat("%.0f ns", seconds * 1e9);
}

}  // namespace hilo::cli
