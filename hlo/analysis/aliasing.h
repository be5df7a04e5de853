// Which results lie where operands lie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/ir/instruction.h"

namespace hilo::hlo {

// Whether the instruction runs computations whose values have memory of their
// own: while, conditional and call.
bool IsSequentialCall(const Instruction& instruction);

// What a sequential call runs, in the order in which it does: the condition
// and the body of a while; the branches; the callee. Empty for others.
std::vector<Computation*> SequentialCallees(const Instruction& instruction);

// Whether code runs that writes the results: not for sequential calls,
// parameters, constants, and what gives its operands another form only.
bool RunsCode(const Instruction& instruction);

// One array leaf of one operand.
struct OperandLeaf {
  int64_t operand = 0;
  int64_t leaf = 0;
  friend bool operator==(const OperandLeaf&, const OperandLeaf&) = default;
};

// For instructions that only give operands another form (tuple,
// get-tuple-element, bitcast, opt-barrier, add-dependency, domain): the operand
// leaf that each result leaf is. Empty for all others.
std::vector<OperandLeaf> ForwardedLeaves(const Instruction& instruction);

// An output leaf that lies where an operand leaf lies, by definition.
struct InPlacePair {
  OperandLeaf input;
  int64_t output_leaf = 0;
};

// The in-place pairs of an instruction that runs code: operand 0 of
// dynamic-update-slice, the operands of scatter, and what
// output_to_operand_aliasing says.
std::vector<InPlacePair> InPlacePairs(const Instruction& instruction);

}  // namespace hilo::hlo
