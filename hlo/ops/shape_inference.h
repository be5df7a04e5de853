// Result shapes and operand checks of every opcode.
#pragma once

#include "absl/status/statusor.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {

// Returns the shape that opcode, operands, called computations and attributes
// of `instruction` imply, after checking all of them and that
// instruction.shape() is compatible with it. Where the shape must be declared
// (kShapeRequired), returns instruction.shape(); where only its element type
// is free (dot, convolution), takes that from it.
//
// Errors: InvalidArgument or Unimplemented without place and opcode, in the
// form "contracting sizes differ: lhs dimension 1 is 64, rhs dimension 0 is
// 32". Never fails on a CHECK: any operands and attributes may be there, but
// operand shapes satisfy ValidateShape. The result does, too.
absl::StatusOr<Shape> InferShape(const Instruction& instruction);

// The same for an instruction whose text states no shape: instruction.shape()
// is still the empty tuple. Errors also when the opcode needs a stated shape.
absl::StatusOr<Shape> InferUndeclaredShape(const Instruction& instruction);

// Like InferUndeclaredShape, but for all opcodes whose operands and attributes
// say the shape, whether or not the text must state it (slice, fusion). Of
// instruction.shape(), only the element type may count, and only where that is
// free: dot, convolution, bitcast-convert.
absl::StatusOr<Shape> InferImpliedShape(const Instruction& instruction);

// One rule per HLO_OP row; defined by family in hlo/ops/*.cc.
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc)
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc)
#define HLO_OP(Name, text, arity, traits, attributes, doc) \
  absl::StatusOr<Shape> Infer##Name(const Instruction& instruction);
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP

}  // namespace hilo::hlo
