// Rows: the fastest dimensions of arrays, which reductions make one value of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"

namespace hilo::passes {

// Arrays of one shape, cut into rows. Dimensions of size 1 are of no account.
struct RowSpace {
  const hlo::Shape* shape = nullptr;
  // Dimensions from this one on make up a row.
  int64_t kept_rank = 0;

  int64_t rows() const;
  int64_t row_elements() const;
};

// The rows that a reduction of one array makes values of; none where it keeps
// a faster dimension than it reduces.
std::optional<RowSpace> RowSpaceOf(const hlo::Instruction& reduction);

bool IsSameSpace(const RowSpace& a, const RowSpace& b);

// The rows of all reductions of a computation; none if they differ, if a
// reduction is all that there is, or if there are no elements.
std::optional<RowSpace> CommonRows(const hlo::Computation& computation);

// What a computation gives: its root, or the elements of that tuple.
std::vector<const hlo::Instruction*> OutputsOf(
    const hlo::Computation& computation);

// Whether a broadcast gives all elements of a row one value.
bool IsUniformInRows(const hlo::Instruction& broadcast, const RowSpace& space);
// The same, from an array that holds one value for each row, in their order.
bool SpreadsOverRows(const hlo::Instruction& broadcast, const RowSpace& space);

// Which elements of an operand a loop reads for one element of its own.
enum class ReadAt : uint8_t {
  // The one at the same index.
  kOwnElement,
  // The one of the same row.
  kOwnRow,
  // Others.
  kElsewhere,
};

// Where `user`, whose own element is read at `user_at`, reads the operand.
// `space` is that of the loop's rows; null: it has none.
ReadAt ReadAtThrough(const hlo::Instruction& user, int64_t operand,
                     ReadAt user_at, const RowSpace* space);

// Where a loop over the rows that gives a computation's outputs reads each
// instruction, by id. None if an output has neither the elements of the rows
// nor one for each row.
std::optional<std::vector<ReadAt>> ReadsInRows(
    const hlo::Computation& computation, const RowSpace& space);

}  // namespace hilo::passes
