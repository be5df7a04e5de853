// Special functions of CHLO, as operations of HLO.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"

namespace hilo::stablehlo {

// Appends what computes one function of float arrays, element by element.
// `offset` is the place that errors of the new instructions name.
using SpecialFunction = hlo::Instruction* (*)(hlo::Computation * computation,
                                              hlo::Instruction* operand,
                                              int64_t offset);

// By name: "chlo.lgamma". Results of types below 32 bits are computed in f32
// and rounded. The operand has elements of f16, bf16, f32 or f64.
const absl::flat_hash_map<absl::string_view, SpecialFunction>&
SpecialFunctions();

// The next number from x in the direction of y.
hlo::Instruction* EmitNextAfter(hlo::Computation* computation,
                                hlo::Instruction* x, hlo::Instruction* y,
                                int64_t offset);

}  // namespace hilo::stablehlo
