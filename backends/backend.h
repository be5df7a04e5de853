// What a backend is: it makes executable programs of modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/buffer.h"
#include "backends/cache_statistics.h"
#include "backends/program_signature.h"
#include "hlo/analysis/cost.h"
#include "hlo/ir/module.h"
#include "passes/optimization_level.h"

namespace hilo::runtime {
class LoopWorkers;
class ThreadPool;
}  // namespace hilo::runtime

namespace hilo::backends {

class GivenPlans;

// Code that a profile tells apart: a kernel, or a library function.
struct ProfiledCode {
  // The instruction that it computes, and how.
  std::string instruction;
  std::string plan;
  // Of one call.
  hlo::Cost cost;
};

// Where the time of a program has gone so far.
struct ProgramProfile {
  struct Entry {
    ProfiledCode code;
    int64_t calls = 0;
    double seconds = 0;
  };

  // In the order of the program.
  std::vector<Entry> entries;
  int64_t runs = 0;
  // Of all runs. What the entries do not add up to is spent between them, on
  // instructions that are computed in the entry code.
  double seconds = 0;
};

// How a backend makes programs, and what it may use.
struct BackendOptions {
  // 0: nothing beyond what code needs; 1: simplification; 2: fusion, too.
  int optimization_level = passes::kMaxOptimizationLevel;
  // The processor whose instructions may be used, by LLVM's name
  // ("x86-64-v3"); empty: this machine's.
  std::string target_cpu = {};
  // Where compiled code is kept for other processes; empty: nowhere.
  std::string cache_directory = {};
  // Bytes that it may take there; the least recently used goes first.
  int64_t cache_limit_bytes = int64_t{1} << 30;
  // Helps to compile; null: the caller's thread does everything. Outlives the
  // backend.
  runtime::ThreadPool* thread_pool = nullptr;
  // Programs time their kernels, which takes some time itself.
  bool profiles = false;
};

// Told what a step of compilation has made: the name of the step with an ending
// that says what it is ("fusion.hlo", "entry.ll"), and the text itself. An
// error ends the compilation.
using DumpFunction = std::function<absl::Status(absl::string_view name,
                                                absl::string_view contents)>;

// How one module is compiled.
struct ModuleOptions {
  // Instead of the backend's.
  std::optional<int> optimization_level = {};
  // Plans given by hand for some kernels; null: none. Outlives the call.
  const GivenPlans* plans = nullptr;
  // Null: nobody is told.
  DumpFunction dump = nullptr;
};

// Facts about one run.
struct RunOptions {
  // Seeds the random opcodes that have no state of their own.
  uint64_t seed = 0;
  // Bytes of values alive at once; 0: 80 % of the machine's memory.
  int64_t memory_limit_bytes = 0;
  // Threads for the loops of one run; null: the caller's only.
  runtime::LoopWorkers* loop_workers = nullptr;
};

// One array that a program reads, in the form of its signature.
struct ProgramArgument {
  // Shared with the buffer it comes from, which may be given away meanwhile.
  std::shared_ptr<std::byte> memory;
  // Nobody else reads the memory: results may be written to it.
  bool is_donated = false;
};

// A compiled module.
class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;

  virtual const ProgramSignature& signature() const = 0;

  // Runs on one argument per signature().arguments, in order; returns one
  // buffer per signature().results. A result takes the memory of the argument
  // it is aliased with where that is donated; otherwise no result shares
  // memory with an argument or another result. Thread-safe.
  // Errors: as hlo::Evaluate.
  virtual absl::StatusOr<std::vector<Buffer>> Run(
      std::vector<ProgramArgument> arguments,
      const RunOptions& options) const = 0;

  // The same onto memory of the caller's: one address per argument and per
  // result, with room for what signature() says there, aligned to elements.
  // Results overlap neither each other nor arguments, except that a result may
  // lie where the argument is that it is aliased with.
  virtual absl::Status RunOnto(absl::Span<const std::byte* const> arguments,
                               absl::Span<std::byte* const> results,
                               const RunOptions& options) const = 0;

  // What BackendOptions::profiles asks for; empty where it does not.
  virtual ProgramProfile profile() const { return {}; }
};

// Makes programs for one kind of device. Thread-safe; programs may outlive it.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // As users type it: "interpreter".
  virtual absl::string_view name() const = 0;

  // Compiles a verified module. Errors: Unimplemented, naming the instruction,
  // for what the backend cannot run; InvalidArgument for plans that cannot be
  // followed; those of ModuleOptions::dump.
  virtual absl::StatusOr<std::unique_ptr<Program>> Compile(
      std::unique_ptr<hlo::Module> module,
      const ModuleOptions& options) const = 0;

  // What the cache of BackendOptions has done so far.
  virtual CacheStatistics cache_statistics() const { return {}; }
};

}  // namespace hilo::backends
