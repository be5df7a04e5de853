// Emits a whole program: kernels, and the entry code that calls them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/backend.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/host_function.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_library.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// What emitted code knows of the run it belongs to.
struct RunContext {
  // For hilo_parallel_for; null: one thread.
  void* loop_workers = nullptr;
  // EmittedProgram::host_functions.
  const HostFunction* host_functions = nullptr;
  // Two words for each rng-get-and-update-state, low one first.
  uint64_t* random_states = nullptr;
  // Two words for each of EmittedProgram::profiled: nanoseconds, and calls.
  uint64_t* profile = nullptr;
};

// A kernel that was made for a program.
struct EmittedKernel {
  // KernelKey.
  std::string key;
  Kernel kernel;
  // Where it is: EmittedProgram::modules.
  size_t module = 0;
};

// LLVM modules that make up one program. The function kEntryName of the first,
// `void (ptr addresses, ptr run_context)`, runs it: `addresses` holds the
// address of every allocation of the buffer assignment, then that of each of
// `arguments`. The entry code may change the latter.
struct EmittedProgram {
  static constexpr char kEntryName[] = "hilo_entry";
  std::vector<LlvmModule> modules;
  // What kernels are called with, call by call.
  std::vector<passes::Slice> arguments;
  // In the order in which they were made; they do not move.
  std::deque<EmittedKernel> kernels;
  // Kernels of other programs.
  std::vector<std::shared_ptr<const LoadedKernel>> imported_kernels;
  // What the entry code calls by number.
  std::vector<HostFunction> host_functions;
  int64_t random_state_count = 0;
  // Kernels that were needed again and shared.
  int64_t shared_kernel_count = 0;
  // Whether runs are timed, and what in them.
  bool is_profiled = false;
  std::vector<ProfiledCode> profiled;
  // The instructions that have kernels, with their plans.
  std::vector<std::pair<std::string, std::string>> plans;
};

// What code is emitted.
struct EmissionOptions {
  // Plans given by hand for some kernels; null: none.
  const GivenPlans* plans = nullptr;
  // Kernels that are not emitted again; null: none.
  const KernelLibrary* library = nullptr;
  // The code times what it calls.
  bool profiles = false;
  // One LLVM module holds everything, instead of several to compile side by
  // side.
  bool is_one_module = false;
};

// Emits the code of a module that has been through all passes. Errors:
// Unimplemented, naming an instruction; InvalidArgument for plans that cannot
// be followed, or that no instruction follows.
absl::StatusOr<EmittedProgram> EmitProgram(
    const hlo::Module& module, const passes::BufferAssignment& buffers,
    const passes::TargetTraits& traits, const EmissionOptions& options);

}  // namespace hilo::backends

// Runs host function `number` of the run's program: for entry code.
extern "C" void hilo_call_host_function(
    const hilo::backends::RunContext* context, int64_t number,
    void* const* arguments);

// Nanoseconds since some moment: for entry code that is timed.
extern "C" uint64_t hilo_profile_clock();
