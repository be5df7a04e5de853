// Finds attention: a product of rows that are made of another product's rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/ir/instruction.h"

namespace hilo::passes {

// A loop over rows of scores, with its strides in elements in each array, all
// of them row-major; 0 where an array does not depend on it.
struct AttentionLoop {
  int64_t size = 1;
  int64_t query_stride = 0;
  int64_t key_stride = 0;
  int64_t value_stride = 0;
  int64_t output_stride = 0;

  friend bool operator==(const AttentionLoop&, const AttentionLoop&) = default;
};

// product(rows(scores(queries, keys)), values): each row of the product needs
// one row of the scores only. What lies between the three gives arrays another
// form, and takes elements of tuples.
struct Attention {
  // A dot of queries and keys, or a fusion around it, whose result has a row
  // for each query.
  const hlo::Instruction* scores = nullptr;
  // The fusion that makes weights of rows of scores, in their place.
  const hlo::Instruction* rows = nullptr;
  // A dot of the weights and the values, or a fusion around it.
  const hlo::Instruction* product = nullptr;
  // All from the scores to the weights, the scores first.
  std::vector<const hlo::Instruction*> chain;
  // The operand of `rows` that holds the scores, the operand of `product` that
  // holds the weights, and the output of `rows` that they are.
  int64_t scores_operand = 0;
  int64_t weights_operand = 0;
  int64_t weights_output = 0;
  // From the outermost on, in the order of the rows.
  std::vector<AttentionLoop> loops;
  // The loop that can be cut into blocks: keys and values are the same for all
  // of it, and of the loops inside.
  int64_t block_loop = 0;
  int64_t row_elements = 0;
};

// The dot that a product is, or around which it is a fusion whose first two
// parameters are the dot's operands; null: it is neither.
const hlo::Instruction* DotOf(const hlo::Instruction& product);

// What FindAttention found: neither, where no fusion of rows goes into a dot.
struct AttentionMatch {
  std::optional<Attention> attention;
  // Why there is none.
  const char* why_not = nullptr;
};

// The attention that `product`, a dot or a fusion with one, is the end of. It
// may be fused already: the root of a fusion that holds it all.
AttentionMatch FindAttention(const hlo::Instruction& product);

}  // namespace hilo::passes
