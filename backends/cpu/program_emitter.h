// Emits a whole program: kernels, and the entry code that calls them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/cpu/code_compiler.h"
#include "backends/cpu/host_function.h"
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
};

// LLVM modules that make up one program. The function kEntryName,
// `void (ptr allocations, ptr run_context)`, runs it: `allocations` holds the
// address of every allocation of the buffer assignment.
struct EmittedProgram {
  static constexpr char kEntryName[] = "hilo_entry";
  std::vector<LlvmModule> modules;
  // What the entry code calls by number.
  std::vector<HostFunction> host_functions;
  int64_t random_state_count = 0;
  int64_t kernel_count = 0;
  // Kernels that were needed again and shared.
  int64_t shared_kernel_count = 0;
  // The instructions that have kernels, with their plans.
  std::vector<std::pair<std::string, std::string>> plans;
};

// Emits the code of a module that has been through all passes. Errors:
// Unimplemented, naming an instruction; InvalidArgument for plans that cannot
// be followed, or that no instruction follows.
absl::StatusOr<EmittedProgram> EmitProgram(
    const hlo::Module& module, const passes::BufferAssignment& buffers,
    const passes::TargetTraits& traits, const GivenPlans& plans);

}  // namespace hilo::backends

// Runs host function `number` of the run's program: for entry code.
extern "C" void hilo_call_host_function(
    const hilo::backends::RunContext* context, int64_t number,
    void* const* arguments);
