// What a backend says about the memory of instructions.
#pragma once

#include <cstdint>
#include <functional>

#include "hlo/ir/instruction.h"

namespace hilo::passes {

// Facts about a backend's code that copy insertion, scheduling and buffer
// assignment need. All three must be given the same ones.
struct BufferOptions {
  // Bytes of work memory that an instruction needs while it runs; null: none.
  // Asked for instructions that run code of their own: not for while,
  // conditional, call, and what only aliases (runs_no_code).
  std::function<int64_t(const hlo::Instruction&)> scratch_bytes;
  // Whether writing array leaf `output_leaf` over array leaf `operand_leaf` of
  // operand number `operand`, from the same first byte on, gives the same
  // result as writing it elsewhere. Only then may the bytes of an operand that
  // is read for the last time become those of the result. Null: never. Not
  // asked for outputs that lie in place by definition (InPlacePairs).
  std::function<bool(const hlo::Instruction&, int64_t operand,
                     int64_t operand_leaf, int64_t output_leaf)>
      can_share;
};

}  // namespace hilo::passes
