// The loops of a convolution, in one form for all kinds and layouts.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/instruction.h"
#include "runtime/host/padded_convolution.h"

namespace hilo::backends {

using runtime::SpatialLoop;

// output[group, batch, position, column] = sum over window elements and depth
// of lhs[group, batch, input position, depth] *
// rhs[group, element, depth, column].
struct ConvolutionLoops {
  std::vector<SpatialLoop> spatial;
  MatmulLoop groups;
  MatmulLoop batch;
  MatmulLoop depth;
  MatmulLoop columns;
  // Places of the first elements: not 0 in reversed dimensions.
  int64_t rhs_offset = 0;
  int64_t output_offset = 0;

  bool NeedsPadding() const;
  // Some dimension that is summed over is empty.
  bool HasNoProducts() const;
};

// The loops of a verified convolution. Gradients are expressed as the
// convolutions that they are.
ConvolutionLoops LoopsOfConvolution(const hlo::Instruction& convolution);

}  // namespace hilo::backends
