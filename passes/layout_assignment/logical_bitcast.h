// What a bitcast between two layouts means.
#pragma once

#include "absl/status/statusor.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/shape.h"

namespace hilo::passes {

// Whether a bitcast of memory in the form of `from` to the form of `to` is a
// bitcast also when both are row-major with whole bytes per element.
bool IsRowMajorBitcast(const hlo::Shape& from, const hlo::Shape& to);

// Adds instructions with default layouts that compute from `operand` what
// bitcast makes of it: `from` is the operand's shape with the layout it had,
// `to` the result's. Returns the last one. Errors: Unimplemented, as
// AssignLayouts.
absl::StatusOr<hlo::Instruction*> AddLogicalBitcast(hlo::Instruction* operand,
                                                    const hlo::Shape& from,
                                                    const hlo::Shape& to);

}  // namespace hilo::passes
