// The entry to Hilo: makes executables of modules.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/backend.h"
#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "jit/executable.h"
#include "passes/optimization_level.h"
#include "runtime/thread_pool.h"

namespace hilo {

struct ClientOptions {
  // A name of `hilo list backends`.
  std::string backend = "cpu";
  // Threads for asynchronous runs; 0: one per core.
  int64_t threads = 0;
  // Bytes of values alive at once in a run; 0: 80 % of the machine's memory.
  int64_t memory_limit_bytes = 0;
  // Executables time their kernels: see Executable::profile().
  bool profiles = false;
  // Seeds the random opcodes that have no state of their own.
  uint64_t seed = 0;
  // For backends that compile: how much they optimise (0 to
  // kMaxOptimizationLevel), and for which processor, by LLVM's name; empty:
  // this machine's.
  int optimization_level = passes::kMaxOptimizationLevel;
  std::string target_cpu = {};
  // Where compiled code is kept for other processes; empty: nowhere.
  std::string cache_directory = {};
  // Bytes that it may take there; the least recently used goes first.
  int64_t cache_limit_bytes = int64_t{1} << 30;
};

struct CompileOptions {
  // The caller has verified the module already.
  bool is_verified = false;
  // Instead of the client's. Executables of different levels share the code of
  // the kernels that they have in common.
  std::optional<int> optimization_level = {};
  // Plans given by hand for some kernels, by instruction; null: none. Outlives
  // the call.
  const backends::GivenPlans* plans = nullptr;
  // Told what each step of compilation makes, the module as it was given first;
  // null: nobody is. See DumpDirectory.
  backends::DumpFunction dump = nullptr;
};

// Compiles modules for one backend. Thread-safe; executables may outlive it.
class Client {
 public:
  // Errors: InvalidArgument, with the backends there are, for unknown ones and
  // for options out of range or a cache directory that cannot be used.
  static absl::StatusOr<std::unique_ptr<Client>> Create(
      const ClientOptions& options = {});

  // Makes an executable of `module`. Errors: InvalidArgument with all
  // diagnostics when the module is not well formed, or a plan cannot be
  // followed; Unimplemented for what the backend cannot run.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(
      std::unique_ptr<hlo::Module> module,
      const CompileOptions& options = {}) const;

  // The same from HLO text. `name` stands for the file in diagnostics.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(
      absl::string_view text, absl::string_view name = "<text>",
      const hlo::ParseOptions& options = {}) const;

  absl::string_view backend_name() const { return backend_->name(); }
  const ClientOptions& options() const { return options_; }
  // What the cache on disk has done so far.
  backends::CacheStatistics cache_statistics() const {
    return backend_->cache_statistics();
  }

 private:
  Client(ClientOptions options,
         std::shared_ptr<runtime::ThreadPool> thread_pool,
         std::unique_ptr<backends::Backend> backend);

  ClientOptions options_;
  // Shared with executables, which may outlive the client.
  std::shared_ptr<runtime::ThreadPool> thread_pool_;
  // Uses the pool.
  std::unique_ptr<backends::Backend> backend_;
};

}  // namespace hilo
