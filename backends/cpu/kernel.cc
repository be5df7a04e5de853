// Chooses the kernel of an instruction.
#include "backends/cpu/kernel.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/codegen/element_emitter.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/analysis/cost.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;

template <Opcode opcode>
bool Is(const Instruction& instruction,
        const passes::TargetTraits& /*traits*/) {
  return instruction.opcode() == opcode;
}

// Predicates that need no traits, as ones that take them.
template <bool (*predicate)(const Instruction&)>
bool Suits(const Instruction& instruction,
           const passes::TargetTraits& /*traits*/) {
  return predicate(instruction);
}

bool IsUpdate(const Instruction& instruction) {
  return UpdateOf(instruction) != nullptr;
}

template <Opcode opcode>
bool HasProduct(const Instruction& instruction,
                const passes::TargetTraits& /*traits*/) {
  const Instruction* product = ProductOf(instruction);
  return product != nullptr && product->opcode() == opcode;
}

// A family of kernels. An instruction has the first one that suits it.
struct KernelKind {
  absl::string_view name;
  bool (*suits)(const Instruction& instruction,
                const passes::TargetTraits& traits);
  absl::StatusOr<Kernel> (*emit)(const Instruction& instruction,
                                 absl::string_view name,
                                 KernelContext& context);
  // Whether all of its loops are ElementLoops.
  bool can_be_inline = false;
};

constexpr auto kKernelKinds = std::to_array<KernelKind>({
    {"attention", &IsAttention, &EmitAttentionKernel},
    {"convolution", &HasProduct<Opcode::kConvolution>, &EmitProductKernel},
    {"dot", &HasProduct<Opcode::kDot>, &EmitProductKernel},
    {"scatter", &Is<Opcode::kScatter>, &EmitScatterKernel},
    {"select-and-scatter", &Is<Opcode::kSelectAndScatter>,
     &EmitSelectAndScatterKernel},
    {"update", &Suits<&IsUpdate>, &EmitUpdateKernel, true},
    {"concatenate", &Suits<&IsConcatenation>, &EmitConcatenateKernel, true},
    {"transpose", &Suits<&IsTiledTranspose>, &EmitTransposeKernel},
    {"scan", &Suits<&IsScan>, &EmitScanKernel},
    {"row-fusion", &IsRowFusion, &EmitRowFusion},
    {"row-reduction", &Suits<&IsRowReduction>, &EmitRowReduction},
    {"column-reduction", &Suits<&IsColumnReduction>, &EmitColumnReduction},
    {"loop", &Suits<&HasElementForm>, &EmitLoopKernel, true},
});

const KernelKind* KindOf(const Instruction& instruction,
                         const passes::TargetTraits& traits) {
  const auto* kind =
      std::ranges::find_if(kKernelKinds, [&](const KernelKind& candidate) {
        return candidate.suits(instruction, traits);
      });
  return kind == kKernelKinds.end() ? nullptr : kind;
}

}  // namespace

bool FitsInline(const Instruction& instruction,
                const passes::TargetTraits& traits) {
  // A call takes as long as some tens of these.
  constexpr int64_t kMaxElements = 128;
  // Few elements may still be reductions of many.
  constexpr double kMaxOperations = 64 * kMaxElements;
  int64_t elements = 0;
  for (const hlo::Shape* leaf : instruction.shape().Leaves()) {
    if (!leaf->IsArray() || leaf->IsDynamic()) return false;
    elements += leaf->ElementCount();
  }
  const Instruction* update = UpdateOf(instruction);
  if (update != nullptr) elements = update->operand_shape(1).ElementCount();
  const KernelKind* kind = KindOf(instruction, traits);
  if (elements == 0 || elements > kMaxElements || kind == nullptr ||
      !kind->can_be_inline) {
    return false;
  }
  const hlo::Cost cost = hlo::CostOf(
      instruction, [](const Instruction&) { return std::optional<int64_t>(); });
  return cost.operations <= kMaxOperations;
}

int64_t ChooseGrain(int64_t units, double unit_nanoseconds,
                    const passes::TargetTraits& traits) {
  // A shorter chunk is not worth another core's cache misses.
  constexpr double kLeastChunkNanoseconds = 3000;
  constexpr int64_t kChunksPerCore = 4;
  const auto worthwhile =
      static_cast<int64_t>(kLeastChunkNanoseconds /
                           std::max(unit_nanoseconds, 0.01)) +
      1;
  if (traits.cores == 1 || units < 2 * worthwhile) {
    return std::max<int64_t>(units, 1);
  }
  const int64_t chunks = traits.cores * kChunksPerCore;
  return std::max(worthwhile, (units + chunks - 1) / chunks);
}

int64_t CountSlots(int64_t units, int64_t grain,
                   const passes::TargetTraits& traits) {
  return std::clamp<int64_t>((units + grain - 1) / grain, 1, traits.cores);
}

int64_t DecideGrain(int64_t units, int64_t chosen, KernelPlan& plan) {
  const int64_t most = std::max<int64_t>(units, 1);
  return plan.Decide("grain", std::clamp<int64_t>(chosen, 1, most),
                     {.minimum = 1, .maximum = most});
}

absl::StatusOr<Kernel> EmitKernel(const Instruction& instruction,
                                  absl::string_view name,
                                  KernelContext& context) {
  const KernelKind* kind = KindOf(instruction, context.traits);
  if (kind == nullptr) {
    return Unimplemented(hlo::TextOf(instruction.opcode()), " '",
                         instruction.name(), "' of type ",
                         hlo::ToString(instruction.shape(), false),
                         " is not supported by the CPU backend yet");
  }
  KernelPlan& plan = context.plan;
  plan.set_kind(kind->name);
  ASSIGN_OR_RETURN(Kernel kernel, kind->emit(instruction, name, context));
  // Those whose scratch memory depends on it have decided before.
  kernel.grain = DecideGrain(kernel.units, kernel.grain, plan);
  if (context.inline_target != nullptr) plan.Note("inline", 1);
  plan.Note("units", kernel.units);
  plan.Note("chunks", (kernel.units + kernel.grain - 1) / kernel.grain);
  plan.Note("scratch_bytes", kernel.scratch_bytes);
  RETURN_IF_ERROR(plan.Check());
  kernel.plan = plan.ToString();
  return kernel;
}

}  // namespace hilo::backends
