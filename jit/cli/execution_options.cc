// Declares the options of running, and makes clients of them.
#include "jit/cli/execution_options.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "backends/cache_statistics.h"
#include "hlo/ir/literal.h"
#include "jit/cli/console.h"
#include "jit/cli/input_options.h"
#include "jit/cli/option_kinds.h"
#include "jit/client.h"
#include "jit/executable.h"
#include "runtime/base/status.h"

namespace hilo::cli {

void AddExecutionOptions(CLI::App& command, ExecutionOptions& options) {
  AddOption(command, {.name = "--backend",
                      .target = &options.backend,
                      .doc = "What runs the module: see hilo list backends",
                      .value_name = "NAME",
                      .shows_default = true});
  AddOption(command, {.name = "--threads",
                      .target = &options.threads,
                      .doc = "Threads; 0 is one per core",
                      .value_name = "N",
                      .shows_default = true});
  AddOption(command,
            {.name = "--memory-limit",
             .target = &options.memory_limit,
             .doc = "Memory for values: bytes, 512M, 4G, or a share of the "
                    "machine's",
             .value_name = "SIZE",
             .shows_default = true});
  AddOption(command, {.name = "--seed",
                      .target = &options.seed,
                      .doc = "Seeds generated inputs and random opcodes",
                      .value_name = "N",
                      .shows_default = true});
  AddOption(command, {.name = "--cache-dir",
                      .target = &options.cache_directory,
                      .doc = "Keeps compiled code there for the next time",
                      .value_name = "DIR"});
  AddOption(command, {.name = "--cache-limit",
                      .target = &options.cache_limit,
                      .doc = "What --cache-dir may hold; the least recently "
                             "used goes first",
                      .value_name = "SIZE",
                      .shows_default = true});
  AddOption(command,
            {.name = "--cache-stats",
             .target = &options.prints_cache_statistics,
             .doc = "Says what was found in --cache-dir, and why not"});
  AddInputOptions(command, options.inputs);
  AddElidedConstants(command, options.elided_constants);
  AddArgumentSizes(command, options.argument_sizes);
}

void AddOptimizationLevel(CLI::App& command, int64_t& level) {
  AddOption(command, {.name = "--optimization-level,-O",
                      .target = &level,
                      .doc = "-O0: nothing beyond what code needs; -O1: "
                             "simplification; -O2: fusion, too",
                      .choices = {"0", "1", "2"},
                      .shows_default = true});
}

void AddTargetCpu(CLI::App& command, std::string& target_cpu) {
  AddOption(command, {.name = "--target-cpu",
                      .target = &target_cpu,
                      .doc = "The processor, by LLVM's name (x86-64-v3, "
                             "znver4) [this machine's]",
                      .value_name = "NAME"});
}

absl::StatusOr<std::unique_ptr<Client>> CreateClient(
    const ExecutionOptions& options) {
  ASSIGN_OR_RETURN(const int64_t memory_limit_bytes,
                   ParseMemorySize(options.memory_limit));
  ASSIGN_OR_RETURN(const int64_t cache_limit_bytes,
                   ParseMemorySize(options.cache_limit));
  return Client::Create(
      {.backend = options.backend,
       .threads = options.threads,
       .memory_limit_bytes = memory_limit_bytes,
       .profiles = options.profiles,
       .seed = options.seed,
       .optimization_level = static_cast<int>(options.optimization_level),
       .target_cpu = options.target_cpu,
       .cache_directory = options.cache_directory,
       .cache_limit_bytes = cache_limit_bytes});
}

void PrintCacheStatistics(const Client& client, const ExecutionOptions& options,
                          Console& console) {
  if (!options.prints_cache_statistics) return;
  const backends::CacheStatistics statistics = client.cache_statistics();
  console.PrintNote(absl::StrCat(
      "cache: ", statistics.hits, " objects found, ", statistics.misses_new,
      " new, ", statistics.misses_other_context,
      " made for another processor or version, ", statistics.misses_damaged,
      " damaged; ", statistics.stored, " stored, ", statistics.evicted,
      " removed"));
}

absl::StatusOr<std::vector<Buffer>> ToBuffers(
    const Executable& executable, std::vector<hlo::Literal> literals) {
  std::vector<Buffer> buffers;
  buffers.reserve(literals.size());
  for (size_t i = 0; i < literals.size(); ++i) {
    hlo::Literal literal =
        std::move(literals[i]).WithShape(executable.argument_leaves()[i].shape);
    ASSIGN_OR_RETURN(Buffer buffer, Buffer::FromLiteral(std::move(literal)));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

}  // namespace hilo::cli
