// Emits kernels that are not known yet, a dozen to an LLVM module.
#include "backends/cpu/program_kernels.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "backends/codegen/target_facts.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_key.h"
#include "backends/cpu/kernel_library.h"
#include "backends/cpu/program_emitter.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;

// New kernels of one LLVM module: fewer cost more fixed time each, more leave
// nothing to compile side by side. The first module holds the entry code, too.
constexpr size_t kKernelsPerModule = 12;

}  // namespace

ProgramKernels::ProgramKernels(const passes::TargetTraits& traits,
                               const EmissionOptions& options,
                               EmittedProgram& program)
    : traits_(traits), options_(options), program_(program) {
  AddModule("entry");
}

const GivenPlan* ProgramKernels::GivenFor(
    const Instruction& instruction) const {
  if (options_.plans == nullptr) return nullptr;
  return options_.plans->Find(instruction.name());
}

absl::StatusOr<const Kernel*> ProgramKernels::KernelOf(
    const Instruction& instruction) {
  const GivenPlan* given = GivenFor(instruction);
  std::string key = KernelKey(instruction);
  if (given != nullptr) absl::StrAppend(&key, "\n", given->ToString());
  const auto known = kernels_.find(key);
  if (known != kernels_.end()) {
    ++program_.shared_kernel_count;
    program_.plans.emplace_back(instruction.name(), known->second->plan);
    return known->second;
  }
  std::shared_ptr<const LoadedKernel> loaded =
      options_.library == nullptr ? nullptr : options_.library->Find(key);
  if (loaded != nullptr) {
    const Kernel* kernel = &loaded->kernel;
    program_.plans.emplace_back(instruction.name(), kernel->plan);
    kernels_.emplace(std::move(key), kernel);
    program_.imported_kernels.push_back(std::move(loaded));
    return kernel;
  }
  return Emit(instruction, given, key);
}

void ProgramKernels::AddModule(absl::string_view name) {
  // Processors have half precision wherever they have wider vectors.
  program_.modules.emplace_back(name);
  SetTargetFacts({.has_f16c = traits_.vector_bytes > 16},
                 *program_.modules.back().module);
}

absl::StatusOr<const Kernel*> ProgramKernels::Emit(
    const Instruction& instruction, const GivenPlan* given,
    const std::string& key) {
  const size_t count = program_.kernels.size();
  const bool is_full = count > 0 && count % kKernelsPerModule == 0;
  if (is_full && !options_.is_one_module) {
    AddModule(absl::StrCat("kernels_", program_.modules.size()));
  }
  KernelPlan plan(given);
  KernelContext context{.module = *program_.modules.back().module,
                        .traits = traits_,
                        .plan = plan};
  ASSIGN_OR_RETURN(
      Kernel kernel,
      EmitKernel(instruction, KernelName(instruction, key), context));
  program_.kernels.push_back({.key = key,
                              .kernel = std::move(kernel),
                              .module = program_.modules.size() - 1});
  const Kernel* result = &program_.kernels.back().kernel;
  program_.plans.emplace_back(instruction.name(), result->plan);
  kernels_.emplace(key, result);
  return result;
}

}  // namespace hilo::backends
