// Kernels: the functions that a program's entry code calls, one per
// instruction that computes something.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/plan/kernel_plan.h"
#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"

namespace llvm {
class IRBuilderBase;
class Module;
class Value;
}  // namespace llvm

namespace hilo::backends {

// An emitted function `void name(ptr arguments, i64 begin, i64 end)`.
//
// `arguments` is an array of pointers: the array leaves of the instruction's
// operands in order, those of its result, and its scratch memory if it has
// any. [begin, end) are units of independent work; each call is for one chunk
// of at most `grain` units that begins at a multiple of it.
struct Kernel {
  std::string name;
  int64_t units = 1;
  int64_t grain = 1;
  // Threads that may run chunks at once.
  int64_t slots = INT64_MAX;
  // Of all slots together.
  int64_t scratch_bytes = 0;
  // How it is computed, as KernelPlan::ToString tells it.
  std::string plan = {};
};

// Code into which a small kernel is written, instead of a function of its own.
struct InlineTarget {
  llvm::IRBuilderBase& builder;
  // What `arguments` would point to.
  std::vector<llvm::Value*> addresses;
};

// Where kernels go and what they may use.
struct KernelContext {
  llvm::Module& module;
  const passes::TargetTraits& traits;
  // Takes the decisions.
  KernelPlan& plan;
  // Null for kernels that are called.
  const InlineTarget* inline_target = nullptr;
};

// Whether EmitKernel can write the instruction's kernel into other code, where
// that is worth it: for loops over few elements.
bool FitsInline(const hlo::Instruction& instruction,
                const passes::TargetTraits& traits);

// Emits the kernel of an instruction under `name`. Errors: Unimplemented,
// naming the instruction, for what has no kernel; InvalidArgument for decisions
// that are given and impossible.
absl::StatusOr<Kernel> EmitKernel(const hlo::Instruction& instruction,
                                  absl::string_view name,
                                  KernelContext& context);

// The families, by the form of their loops.

// Every result element on its own, from operands' elements.
absl::StatusOr<Kernel> EmitLoopKernel(const hlo::Instruction& instruction,
                                      absl::string_view name,
                                      KernelContext& context);
// The dynamic-update-slice that the instruction is, or that is its fusion's
// root; null when there is none.
const hlo::Instruction* UpdateOf(const hlo::Instruction& instruction);
// dynamic-update-slice onto its operand's memory.
absl::StatusOr<Kernel> EmitUpdateKernel(const hlo::Instruction& instruction,
                                        absl::string_view name,
                                        KernelContext& context);
// A concatenation, alone or as the root of a fusion: one loop per piece.
bool IsConcatenation(const hlo::Instruction& instruction);
absl::StatusOr<Kernel> EmitConcatenateKernel(
    const hlo::Instruction& instruction, absl::string_view name,
    KernelContext& context);

// Reductions whose rows lie in a piece and are long enough to be walked one by
// one, alone or as the root of a fusion.
bool IsRowReduction(const hlo::Instruction& instruction);
absl::StatusOr<Kernel> EmitRowReduction(const hlo::Instruction& instruction,
                                        absl::string_view name,
                                        KernelContext& context);

// Fusions with several reductions of the same rows, or with reductions whose
// values are used in the same rows.
bool IsRowFusion(const hlo::Instruction& instruction,
                 const passes::TargetTraits& traits);
absl::StatusOr<Kernel> EmitRowFusion(const hlo::Instruction& instruction,
                                     absl::string_view name,
                                     KernelContext& context);
int64_t RowFusionScratchBytes(const hlo::Instruction& instruction,
                              const passes::TargetTraits& traits,
                              KernelPlan& plan);

// Reductions that keep enough of the fastest dimension, likewise.
bool IsColumnReduction(const hlo::Instruction& instruction);
absl::StatusOr<Kernel> EmitColumnReduction(const hlo::Instruction& instruction,
                                           absl::string_view name,
                                           KernelContext& context);
// Transposes, and copies to another layout, that turn the fastest dimension.
bool IsTiledTranspose(const hlo::Instruction& instruction);
absl::StatusOr<Kernel> EmitTransposeKernel(const hlo::Instruction& instruction,
                                           absl::string_view name,
                                           KernelContext& context);
// reduce-window over everything up to (or from) each element.
bool IsScan(const hlo::Instruction& instruction);
absl::StatusOr<Kernel> EmitScanKernel(const hlo::Instruction& instruction,
                                      absl::string_view name,
                                      KernelContext& context);
// The dot or convolution that the instruction is, or whose result its fusion
// works on; null when there is none.
const hlo::Instruction* ProductOf(const hlo::Instruction& instruction);
absl::StatusOr<Kernel> EmitProductKernel(const hlo::Instruction& instruction,
                                         absl::string_view name,
                                         KernelContext& context);
// Products of rows made of another product's rows, block by block.
bool IsAttention(const hlo::Instruction& instruction,
                 const passes::TargetTraits& traits);
absl::StatusOr<Kernel> EmitAttentionKernel(const hlo::Instruction& instruction,
                                           absl::string_view name,
                                           KernelContext& context);
int64_t AttentionScratchBytes(const hlo::Instruction& instruction,
                              const passes::TargetTraits& traits,
                              KernelPlan& plan);
// Whether results are written only once, when all that is read at the same
// place has been.
bool StoresProductsOnce(const hlo::Instruction& instruction,
                        const passes::TargetTraits& traits,
                        KernelPlan& decisions);
// Updates onto the operands' memory.
absl::StatusOr<Kernel> EmitScatterKernel(const hlo::Instruction& instruction,
                                         absl::string_view name,
                                         KernelContext& context);
absl::StatusOr<Kernel> EmitSelectAndScatterKernel(
    const hlo::Instruction& instruction, absl::string_view name,
    KernelContext& context);

// Bytes of scratch memory that the kernel of an instruction will ask for. The
// plan takes those decisions that it depends on.
int64_t KernelScratchBytes(const hlo::Instruction& instruction,
                           const passes::TargetTraits& traits,
                           KernelPlan& decisions);

// Units per chunk so that a chunk is worth handing to another thread, and
// every core gets a few. `unit_nanoseconds` is the time of one on one core.
int64_t ChooseGrain(int64_t units, double unit_nanoseconds,
                    const passes::TargetTraits& traits);

// Threads that run chunks at once, each with scratch memory of its own.
int64_t CountSlots(int64_t units, int64_t grain,
                   const passes::TargetTraits& traits);

// Decides on the grain; `chosen` is what ChooseGrain gives.
int64_t DecideGrain(int64_t units, int64_t chosen, KernelPlan& plan);

}  // namespace hilo::backends
