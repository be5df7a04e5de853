// Chooses the kernel of an instruction.
#include "backends/cpu/kernel.h"

#include <algorithm>

#include "backends/codegen/element_emitter.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// An opcode with a kernel of its own; all others compute element by element.
struct KernelRow {
  Opcode opcode;
  absl::StatusOr<Kernel> (*emit)(const Instruction& instruction,
                                 absl::string_view name,
                                 KernelContext& context);
};

constexpr KernelRow kKernels[] = {
    {.opcode = Opcode::kConvolution, .emit = &EmitConvolutionKernel},
    {.opcode = Opcode::kDot, .emit = &EmitDotKernel},
    {.opcode = Opcode::kScatter, .emit = &EmitScatterKernel},
    {.opcode = Opcode::kSelectAndScatter, .emit = &EmitSelectAndScatterKernel},
};

}  // namespace

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

absl::StatusOr<Kernel> EmitKernel(const Instruction& instruction,
                                  absl::string_view name,
                                  KernelContext& context) {
  for (const KernelRow& row : kKernels) {
    if (row.opcode == instruction.opcode()) {
      return row.emit(instruction, name, context);
    }
  }
  if (UpdateOf(instruction) != nullptr) {
    return EmitUpdateKernel(instruction, name, context);
  }
  if (IsConcatenation(instruction)) {
    return EmitConcatenateKernel(instruction, name, context);
  }
  if (IsTiledTranspose(instruction)) {
    return EmitTransposeKernel(instruction, name, context);
  }
  if (IsScan(instruction)) {
    return EmitScanKernel(instruction, name, context);
  }
  if (IsRowFusion(instruction, context.traits)) {
    return EmitRowFusion(instruction, name, context);
  }
  if (IsRowReduction(instruction)) {
    return EmitRowReduction(instruction, name, context);
  }
  if (IsColumnReduction(instruction)) {
    return EmitColumnReduction(instruction, name, context);
  }
  if (HasElementForm(instruction)) {
    return EmitLoopKernel(instruction, name, context);
  }
  return Unimplemented(hlo::TextOf(instruction.opcode()), " '",
                       instruction.name(), "' of type ",
                       hlo::ToString(instruction.shape(), false),
                       " is not supported by the CPU backend yet");
}

}  // namespace hilo::backends
