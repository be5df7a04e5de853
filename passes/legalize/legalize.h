// Rewriting what no backend has an emitter for.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/instruction.h"
#include "passes/rewriter.h"

namespace hilo::passes {

// How an opcode becomes others.
struct Expansion {
  absl::string_view name;
  hlo::Opcode opcode;
  absl::string_view doc;
  // What stands for `instruction` from now on; null where it may stay. Errors:
  // Unimplemented for forms that have no meaning here, without the place.
  absl::StatusOr<hlo::Instruction*> (*apply)(hlo::Instruction& instruction,
                                             Rewriter& rewriter) = nullptr;
};

// The table of expansions, legalize/expansions.def.
absl::Span<const Expansion> Expansions();

#define HILO_EXPANSION(Function, name, opcode, doc)                         \
  absl::StatusOr<hlo::Instruction*> Function(hlo::Instruction& instruction, \
                                             Rewriter& rewriter);
#include "passes/legalize/expansions.def"
#undef HILO_EXPANSION

// Whether elements take as many bits in an array; pred, which takes a byte with
// one bit of it in use, is as wide as both.
bool HaveSameWidth(hlo::ElementType a, hlo::ElementType b);

// The value's bits as numbers of another type of the same width.
hlo::Instruction* SameBits(hlo::Instruction* value, hlo::ElementType type,
                           Rewriter& rewriter);

// Whether map's computation can be applied to whole arrays.
bool IsElementwiseBody(const hlo::Computation& body);

// Errors, naming the instruction, unless a backend may be asked for code.
absl::Status CheckIsLegal(const hlo::Instruction& instruction);

}  // namespace hilo::passes
