// Ways to use opcodes, as rows of HLO text that fit many element types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"

namespace hilo::tests {

// How results are compared with the evaluator's.
enum class Tolerance : uint8_t {
  // Exact; element-wise rows of opcodes.def by their own error bound.
  kExact,
  // By the roundings that operations may do otherwise: order of sums, math
  // functions, factorisations.
  kRoundings,
};

// One use of an opcode.
//
// In texts, $T stands for the element type, $P for the type of its parts ($T
// where it has none), $C for the complex type of such parts, $R for the
// unsigned type of its width, $S for the sizes of one of the shapes that
// element-wise opcodes are tested on; $0, $1, … for operands, $name for a value
// of the row, @name for a computation (see computations.h).
struct Row {
  hlo::Opcode opcode;
  // A shape and, behind a colon, the kind of its values (see inputs.h).
  std::vector<std::string> operands;
  // Instructions, one a line; the last has no name.
  std::string body;
  Tolerance tolerance = Tolerance::kExact;
  // Types for $T.
  hlo::TypeClasses types = hlo::kArrayTypes;
};

// The tables, by subject.
std::vector<Row> ElementwiseRows();
std::vector<Row> StructureRows();
std::vector<Row> MovementRows();
std::vector<Row> IndexingRows();
std::vector<Row> ReductionRows();
std::vector<Row> LinearAlgebraRows();
std::vector<Row> ControlRows();
std::vector<Row> CommunicationRows();

std::vector<Row> AllRows();

// An opcode that the CPU backend does not run, and why. It is refused as
// Unimplemented.
struct RefusedRow {
  Row row;
  absl::string_view reason;
};
std::vector<RefusedRow> RefusedRows();

}  // namespace hilo::tests
