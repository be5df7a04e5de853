// Prints profiles.
#include "jit/cli/profile.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

#include "backends/backend.h"
#include "hlo/analysis/cost.h"
#include "jit/cli/console.h"
#include "jit/cli/timing.h"
#include "jit/machine_limits.h"
#include "runtime/base/status.h"

namespace hilo::cli {
namespace {

using Entry = backends::ProgramProfile::Entry;

// The share of the time that the machine would need at least.
double RooflineShare(const Entry& entry, MachineLimits& limits) {
  const hlo::Cost& cost = entry.code.cost;
  const double least =
      std::max(cost.operations / limits.operations_per_second(),
               cost.bytes / limits.bytes_per_second(cost.bytes));
  return least * static_cast<double>(entry.calls) / entry.seconds;
}

std::string RowOf(const Entry& entry, double total, MachineLimits& limits) {
  const auto calls = static_cast<double>(entry.calls);
  return absl::StrFormat(
      "%8s %5.1f%% %9d %8.4g %8.4g %8.1f%%  %s: %s\n",
      FormatSeconds(entry.seconds), 100 * entry.seconds / total, entry.calls,
      entry.code.cost.operations * calls / entry.seconds / 1e9,
      entry.code.cost.bytes * calls / entry.seconds / 1e9,
      100 * RooflineShare(entry, limits), entry.code.instruction,
      entry.code.plan);
}

}  // namespace

absl::Status PrintProfile(const backends::ProgramProfile& profile,
                          int64_t threads, Console& console) {
  std::vector<Entry> entries;
  double rest = profile.seconds;
  for (const Entry& entry : profile.entries) {
    if (entry.calls == 0) continue;
    entries.push_back(entry);
    rest -= entry.seconds;
  }
  if (profile.runs == 0) {
    return InvalidArgument(
        "there is nothing to profile: this backend has no kernels");
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return a.seconds > b.seconds;
  });
  MachineLimits limits(threads);
  std::string table =
      absl::StrFormat("%8s %6s %9s %8s %8s %9s  %s\n", "time", "share", "calls",
                      "GFLOP/s", "GB/s", "roofline", "instruction: plan");
  for (Entry& entry : entries) {
    entry.seconds = std::max(entry.seconds, 1e-9);
    table += RowOf(entry, profile.seconds, limits);
  }
  table += absl::StrFormat("%8s %5.1f%%  in the entry code between them\n",
                           FormatSeconds(std::max(rest, 0.0)),
                           100 * std::max(rest, 0.0) / profile.seconds);
  console.PrintNote(absl::StrFormat("%d runs, %s in all", profile.runs,
                                    FormatSeconds(profile.seconds)));
  console.PrintDiagnostics(table);
  return absl::OkStatus();
}

}  // namespace hilo::cli
