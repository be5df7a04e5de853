// Special functions of CHLO, as operations of HLO.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/stablehlo/element_math.h"

namespace hilo::stablehlo {

// A function of arrays of one type and size, element by element.
struct SpecialFunction {
  size_t operand_count = 1;
  // Appends what computes it. `offset` is the place that errors of the new
  // instructions name.
  hlo::Instruction* (*emit)(hlo::Computation* computation,
                            absl::Span<hlo::Instruction* const> operands,
                            int64_t offset) = nullptr;
};

// By name: "chlo.lgamma". Operands have elements of f16, bf16, f32 or f64;
// types below 32 bits are computed in f32 and rounded.
const absl::flat_hash_map<absl::string_view, SpecialFunction>&
SpecialFunctions();

// log|gamma(x)|.
Term LogGamma(Term x);
// Its derivative.
Term Digamma(Term x);
// The sum of 1 / (q + k)^x over k >= 0. Infinite for x = 1, NaN for smaller x;
// of q <= 0, poles at integers, and NaN where x is no integer.
Term HurwitzZeta(Term x, Term q);
// The derivative number n of Digamma; NaN where n is no whole number.
Term Polygamma(Term n, Term x);

}  // namespace hilo::stablehlo
