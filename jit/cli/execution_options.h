// What run and bench have in common: the backend and the inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/text/parser.h"
#include "jit/cli/console.h"
#include "jit/cli/input_options.h"
#include "jit/cli/module_files.h"
#include "jit/cli/option_kinds.h"
#include "jit/client.h"
#include "passes/optimization_level.h"

namespace CLI {
class App;
}

namespace hilo::cli {

struct ExecutionOptions {
  std::string backend = "cpu";
  int64_t threads = 0;
  std::string memory_limit = "80%";
  uint64_t seed = 0;
  int64_t optimization_level = passes::kMaxOptimizationLevel;
  std::string target_cpu;
  std::string elided_constants = "counter";
  std::vector<std::string> argument_sizes;
  std::string cache_directory;
  std::string cache_limit = "1G";
  bool prints_cache_statistics = false;
  bool profiles = false;
  // See compilation_files.h.
  std::string plan;
  std::string dump;
  InputOptions inputs;

  ReadOptions read_options() const {
    return {.text = {.elided_constants = ToElidedConstants(elided_constants)},
            .argument_sizes = argument_sizes};
  }
};

// Declares --backend, --threads, --memory-limit, --seed, --inputs, --input,
// --elided-constants, --argument-sizes, --cache-dir, --cache-limit and
// --cache-stats.
void AddExecutionOptions(CLI::App& command, ExecutionOptions& options);

// Declares -O and --target-cpu, for what is compiled.
void AddOptimizationLevel(CLI::App& command, int64_t& level);
void AddTargetCpu(CLI::App& command, std::string& target_cpu);

// Errors: InvalidArgument for values that make no sense.
absl::StatusOr<std::unique_ptr<Client>> CreateClient(
    const ExecutionOptions& options);

// Prints what the cache has done to standard error, if --cache-stats is given.
void PrintCacheStatistics(const Client& client, const ExecutionOptions& options,
                          Console& console);

// Converts literals to arguments in the executable's layouts.
absl::StatusOr<std::vector<Buffer>> ToBuffers(
    const Executable& executable, std::vector<hlo::Literal> literals);

}  // namespace hilo::cli
