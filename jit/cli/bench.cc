// hilo bench: measures compiling and running.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"

#include "hlo/analysis/cost.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "jit/cli/commands.h"
#include "jit/cli/compilation_files.h"
#include "jit/cli/console.h"
#include "jit/cli/execution_options.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/input_options.h"
#include "jit/cli/module_files.h"
#include "jit/cli/option_kinds.h"
#include "jit/cli/timing.h"
#include "jit/client.h"
#include "jit/executable.h"
#include "jit/files.h"
#include "jit/machine_limits.h"
#include "passes/simplify/trip_count.h"
#include "runtime/base/status.h"

namespace hilo::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
  std::vector<std::string> files;
  ExecutionOptions execution;
  double min_time_s = 1;
  std::string compare_with;
  bool is_json = false;
};

struct Measurement {
  std::string file;
  double compile_s = 0;
  RunTimes run;
  int64_t argument_bytes = 0;
  int64_t result_bytes = 0;
  hlo::Cost cost;
  // The time that the machine needs at least for so much arithmetic, and for
  // reading the arguments and writing the results.
  double least_s = 0;
  // The median of --compare-with.
  std::optional<double> baseline_run_s;

  double operations_per_second() const {
    return cost.operations / run.median_s;
  }
  double bytes_per_second() const {
    return static_cast<double>(argument_bytes + result_bytes) / run.median_s;
  }
  double roofline_share() const { return least_s / run.median_s; }
};

std::optional<int64_t> TripCountOf(const hlo::Instruction& loop) {
  const std::optional<passes::CountedLoop> counted =
      passes::FindCountedLoop(loop);
  if (!counted) return std::nullopt;
  return counted->trip_count;
}

int64_t BytesOf(const std::vector<Buffer>& buffers) {
  int64_t bytes = 0;
  for (const Buffer& buffer : buffers) bytes += buffer.size_bytes();
  return bytes;
}

// Runs once to warm up, then until the time is over. The first run counts only
// where another one would take far longer than was asked for.
absl::Status MeasureRuns(const Executable& executable,
                         const std::vector<Buffer>& arguments,
                         double min_time_s, Measurement* measurement) {
  constexpr size_t kMaxRuns = 1000000;
  constexpr double kPatience = 10;
  std::vector<double> seconds;
  Clock::time_point start = Clock::now();
  {
    ASSIGN_OR_RETURN(const std::vector<Buffer> results,
                     executable.Run(arguments));
    seconds.push_back(SecondsSince(start));
    measurement->result_bytes = BytesOf(results);
  }
  if (seconds[0] >= kPatience * min_time_s) {
    measurement->run = Summarize(std::move(seconds));
    return absl::OkStatus();
  }
  seconds.clear();
  const Clock::time_point begin = Clock::now();
  do {
    start = Clock::now();
    const absl::StatusOr<std::vector<Buffer>> results =
        executable.Run(arguments);
    const double run_s = SecondsSince(start);
    RETURN_IF_ERROR(results.status());
    seconds.push_back(run_s);
  } while (SecondsSince(begin) < min_time_s && seconds.size() < kMaxRuns);
  measurement->run = Summarize(std::move(seconds));
  return absl::OkStatus();
}

absl::StatusOr<Measurement> Measure(const Client& client,
                                    std::unique_ptr<hlo::Module> module,
                                    const ModuleText& text,
                                    const BenchOptions& options,
                                    CompilationFiles& files,
                                    MachineLimits& limits, Console& console) {
  Measurement measurement;
  measurement.file = text.label;
  measurement.cost = hlo::CostOf(*module, &TripCountOf);
  CompileOptions compile_options = files.OptionsFor(module->name());
  // Verification is a part of compiling.
  compile_options.is_verified = false;
  const Clock::time_point start = Clock::now();
  ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable,
                   client.Compile(std::move(module), compile_options));
  measurement.compile_s = SecondsSince(start);
  ASSIGN_OR_RETURN(
      std::vector<hlo::Literal> inputs,
      ReadInputs(options.execution.inputs, options.execution.seed,
                 text.source->text(), executable->argument_leaves(), console));
  ASSIGN_OR_RETURN(const std::vector<Buffer> arguments,
                   ToBuffers(*executable, std::move(inputs)));
  measurement.argument_bytes = BytesOf(arguments);
  RETURN_IF_ERROR(
      MeasureRuns(*executable, arguments, options.min_time_s, &measurement));
  const auto bytes = static_cast<double>(measurement.argument_bytes +
                                         measurement.result_bytes);
  measurement.least_s =
      std::max(measurement.cost.operations / limits.operations_per_second(),
               bytes / limits.bytes_per_second(bytes));
  return measurement;
}

void PrintJson(const Measurement& measurement, const Client& client,
               Console& console) {
  nlohmann::ordered_json json = {
      {"file", measurement.file},
      {"backend", std::string(client.backend_name())},
      {"compile_s", measurement.compile_s},
      {"run_s", measurement.run.median_s},
      {"run_min_s", measurement.run.min_s},
      {"run_max_s", measurement.run.max_s},
      {"run_deviation_s", measurement.run.deviation_s},
      {"runs", measurement.run.runs},
      {"argument_bytes", measurement.argument_bytes},
      {"result_bytes", measurement.result_bytes},
      {"operations", measurement.cost.operations},
      {"transcendentals", measurement.cost.transcendentals},
      {"is_lower_bound", measurement.cost.is_lower_bound},
      {"gflops", measurement.operations_per_second() / 1e9},
      {"gbytes_per_s", measurement.bytes_per_second() / 1e9},
      {"roofline_share", measurement.roofline_share()}};
  if (measurement.baseline_run_s) {
    json["baseline_run_s"] = *measurement.baseline_run_s;
    json["speedup"] = *measurement.baseline_run_s / measurement.run.median_s;
  }
  // File names may be any bytes.
  console.Print(
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  console.Print("\n");
}

void PrintHeading(bool has_baseline, Console& console) {
  console.Print(absl::StrFormat("%-40s %10s %10s %10s %10s %8s %9s %8s %9s%s\n",
                                "module", "compile", "run", "deviation",
                                "fastest", "runs", "GFLOP/s", "GB/s",
                                "roofline", has_baseline ? "  speedup" : ""));
}

void PrintRow(const Measurement& measurement, Console& console) {
  const RunTimes& run = measurement.run;
  const std::string speedup =
      measurement.baseline_run_s
          ? absl::StrFormat("%8.2fx",
                            *measurement.baseline_run_s / run.median_s)
          : "";
  console.Print(
      absl::StrFormat("%-40s %10s %10s %10s %10s %8d %s%8.4g %8.4g %8.1f%%%s\n",
                      measurement.file, FormatSeconds(measurement.compile_s),
                      FormatSeconds(run.median_s),
                      FormatSeconds(run.deviation_s), FormatSeconds(run.min_s),
                      run.runs, measurement.cost.is_lower_bound ? ">" : " ",
                      measurement.operations_per_second() / 1e9,
                      measurement.bytes_per_second() / 1e9,
                      100 * measurement.roofline_share(), speedup));
}

// Median run times by file, from what --json has printed before.
absl::StatusOr<std::map<std::string, double>> ReadBaseline(
    const std::string& path) {
  std::map<std::string, double> baseline;
  if (path.empty()) return baseline;
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const nlohmann::json json =
        nlohmann::json::parse(line.begin(), line.end(), nullptr,
                              /*allow_exceptions=*/false);
    const bool has_keys = json.is_object() && json.contains("file") &&
                          json["file"].is_string() && json.contains("run_s") &&
                          json["run_s"].is_number();
    if (!has_keys) {
      return InvalidArgument(
          path, ": not what hilo bench --json prints: ", line.substr(0, 80));
    }
    baseline[json["file"].get<std::string>()] = json["run_s"].get<double>();
  }
  return baseline;
}

// One bench of all files.
class Bench {
 public:
  Bench(const BenchOptions& options, const Client& client,
        CompilationFiles files, std::map<std::string, double> baseline,
        Console& console)
      : options_(options),
        client_(client),
        files_(std::move(files)),
        baseline_(std::move(baseline)),
        console_(console),
        limits_(options.execution.threads) {}

  int Run() {
    for (const std::string& file : options_.files) {
      const absl::StatusOr<std::vector<ModuleText>> texts =
          ReadModuleTexts(file);
      if (!texts.ok()) {
        Note(console_.Fail(texts.status()));
        continue;
      }
      for (const ModuleText& text : *texts) Note(RunOne(text));
    }
    return exit_status_;
  }

 private:
  void Note(int status) { exit_status_ = std::max(exit_status_, status); }

  int RunOne(const ModuleText& text) {
    std::unique_ptr<hlo::Module> module =
        ParseModule(text, options_.execution.read_options(),
                    /*verify=*/false, console_);
    if (module == nullptr) return kDiagnostics;
    absl::StatusOr<Measurement> measurement = Measure(
        client_, std::move(module), text, options_, files_, limits_, console_);
    if (!measurement.ok()) {
      return console_.Fail(measurement.status(), text.label);
    }
    const auto known = baseline_.find(measurement->file);
    if (known != baseline_.end()) measurement->baseline_run_s = known->second;
    if (options_.is_json) {
      PrintJson(*measurement, client_, console_);
      return kSuccess;
    }
    if (!has_heading_) PrintHeading(!baseline_.empty(), console_);
    has_heading_ = true;
    PrintRow(*measurement, console_);
    return kSuccess;
  }

  const BenchOptions& options_;
  const Client& client_;
  CompilationFiles files_;
  std::map<std::string, double> baseline_;
  Console& console_;
  MachineLimits limits_;
  bool has_heading_ = false;
  int exit_status_ = kSuccess;
};

int RunBench(const BenchOptions& options, Console& console) {
  const absl::StatusOr<std::unique_ptr<Client>> client =
      CreateClient(options.execution);
  if (!client.ok()) return console.FailUsage(client.status().message());
  absl::StatusOr<std::map<std::string, double>> baseline =
      ReadBaseline(options.compare_with);
  if (!baseline.ok()) return console.Fail(baseline.status());
  absl::StatusOr<CompilationFiles> files =
      CompilationFiles::Open(options.execution.plan, options.execution.dump);
  if (!files.ok()) return console.Fail(files.status());
  const int status =
      Bench(options, **client, *std::move(files), *std::move(baseline), console)
          .Run();
  PrintCacheStatistics(**client, options.execution, console);
  return status;
}

}  // namespace

CommandAction DeclareBench(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto options = std::make_shared<BenchOptions>();
  AddFiles(command, options->files);
  AddExecutionOptions(command, options->execution);
  AddOptimizationLevel(command, options->execution.optimization_level);
  AddTargetCpu(command, options->execution.target_cpu);
  AddPlan(command, options->execution.plan);
  AddDump(command, options->execution.dump);
  AddOption(command,
            {.name = "--min-time",
             .target = &options->min_time_s,
             .doc = "Measures each module for so long; one run at least",
             .value_name = "SECONDS",
             .check = &CheckNotNegative,
             .shows_default = true});
  AddOption(command,
            {.name = "--compare-with",
             .target = &options->compare_with,
             .doc = "Tells the speedup over an earlier output of --json",
             .value_name = "FILE"});
  AddOption(command, {.name = "--json",
                      .target = &options->is_json,
                      .doc = "Prints one object a module"});
  return [options](Console& console) { return RunBench(*options, console); };
}

}  // namespace hilo::cli
