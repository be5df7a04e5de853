// Sums of products over common axes of two arrays: what the dots share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {

// One loop, with its stride in each array, in elements; 0 where it does not
// occur.
struct ContractionAxis {
  int64_t size = 0;
  int64_t lhs_stride = 0;
  int64_t rhs_stride = 0;
  int64_t result_stride = 0;
};
using ContractionAxes = std::vector<ContractionAxis>;

// result[batch, rows, columns] =
//     sum over depth of lhs[batch, rows, depth] * rhs[batch, columns, depth].
// A list of axes is walked in row-major order.
struct Contraction {
  ContractionAxes batch;
  ContractionAxes rows;
  ContractionAxes columns;
  ContractionAxes depth;
};

// Element types and first elements of the arrays of a contraction.
struct ContractionArrays {
  ElementType lhs_type = ElementType::kF32;
  ElementType rhs_type = ElementType::kF32;
  ElementType result_type = ElementType::kF32;
  const std::byte* lhs = nullptr;
  const std::byte* rhs = nullptr;
  std::byte* result = nullptr;

  // Moves the first elements by numbers of elements.
  ContractionArrays Advanced(int64_t lhs_offset, int64_t rhs_offset,
                             int64_t result_offset) const;
};

// Computes all of the result. Products are summed in the type that
// DispatchComputeType gives, in ascending depth, and rounded or wrapped once.
// Takes less than 2 MB of scratch.
void Contract(const Contraction& contraction, const ContractionArrays& arrays);

// The contraction that the dimension numbers of a dot describe. rhs dimensions
// in `skipped_rhs_dims` do not occur. Result strides are set for an array of
// batch, rows and columns, in this order.
Contraction DotContraction(const Instruction& dot, const Shape& lhs,
                           const Shape& rhs,
                           absl::Span<const int64_t> skipped_rhs_dims = {});

// The dot of two arrays by the dimension numbers of `dot`, as its result type.
Literal ComputeDot(const Instruction& dot, const Literal& lhs,
                   const Literal& rhs);

}  // namespace hilo::hlo
