// Native programs that can be run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "backends/backend.h"
#include "backends/cpu/arena_pool.h"
#include "backends/cpu/cpu_compiler.h"
#include "backends/cpu/program_loader.h"

namespace hilo::backends {

// A compiled module with its code, its constants and its work memory.
class CpuProgram : public Program {
 public:
  CpuProgram(CpuCompilation compilation, ProgramSignature signature,
             LoadedProgram code);

  const ProgramSignature& signature() const override { return signature_; }

  absl::StatusOr<std::vector<Buffer>> Run(
      std::vector<ProgramArgument> arguments,
      const RunOptions& options) const override;

  absl::Status RunOnto(absl::Span<const std::byte* const> arguments,
                       absl::Span<std::byte* const> results,
                       const RunOptions& options) const override;

  ProgramProfile profile() const override;

 private:
  // An argument that the entry code finds in its table of addresses.
  struct Argument {
    int32_t allocation = 0;
    int64_t offset_bytes = 0;
  };

  absl::Status CheckMemory(const RunOptions& options) const;
  // RunOnto for results that lie nowhere else than arguments only where
  // may_share_argument_ says so.
  absl::Status RunApart(absl::Span<const std::byte* const> arguments,
                        absl::Span<std::byte* const> results,
                        const RunOptions& options) const;
  // Calls the entry code.
  void Enter(void** table, RunContext context) const;
  // Runs with addresses in `table`, which has room for table_size_.
  void Call(absl::Span<const std::byte* const> arguments,
            absl::Span<std::byte* const> results, void* arena, void** table,
            const RunOptions& options) const;
  absl::StatusOr<std::shared_ptr<std::byte>> ResultMemory(
      size_t number, const std::vector<ProgramArgument>& arguments) const;
  bool CanTakeArgument(size_t number,
                       const std::vector<ProgramArgument>& arguments) const;
  absl::StatusOr<std::vector<Buffer>> ToBuffers(
      std::vector<std::shared_ptr<std::byte>> results,
      std::vector<ProgramArgument>& arguments) const;

  // Owns the constants.
  std::unique_ptr<hlo::Module> module_;
  ProgramSignature signature_;
  std::vector<bool> may_share_argument_;
  std::vector<HostFunction> host_functions_;
  bool is_profiled_;
  std::vector<ProfiledCode> profiled_;
  size_t random_state_count_;
  // Constants stand behind arguments and results.
  std::vector<void*> constants_;
  std::vector<Argument> arguments_;
  size_t table_size_ = 0;
  bool has_arena_ = false;
  // Of results and temporaries.
  int64_t memory_bytes_ = 0;
  LoadedProgram code_;
  mutable ArenaPool arenas_;
  // Of all runs: RunContext::profile, how many they are, and nanoseconds.
  mutable std::mutex profile_mutex_;
  mutable std::vector<uint64_t> profile_;
  mutable int64_t profiled_runs_ = 0;
  mutable uint64_t profiled_nanoseconds_ = 0;
};

}  // namespace hilo::backends
