// Evaluates topk.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/ordered_keys.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

using KeyAndIndex = std::pair<uint64_t, int32_t>;

// Writes the indices of the `k` first elements of one row, in order.
void SelectRow(absl::Span<const uint64_t> keys, int64_t k, bool largest,
               std::vector<KeyAndIndex>& entries, int32_t* indices) {
  const auto size = static_cast<int64_t>(keys.size());
  for (int64_t i = 0; i < size; ++i) {
    entries[i] = {largest ? ~keys[i] : keys[i], static_cast<int32_t>(i)};
  }
  if (k < size) {
    std::nth_element(entries.begin(), entries.begin() + k, entries.end());
  }
  std::sort(entries.begin(), entries.begin() + k);
  for (int64_t i = 0; i < k; ++i) indices[i] = entries[i].second;
}

}  // namespace

absl::StatusOr<Literal> EvaluateTopK(const Instruction& instruction,
                                     absl::Span<Literal> operands,
                                     EvaluationContext& context) {
  const Literal& operand = operands[0];
  const ElementType type = operand.shape().element_type();
  if (IsComplex(type)) {
    return Unimplemented(TextOf(type), " has no order");
  }
  Literal values(ResultShape(instruction, 0));
  Literal indices(ResultShape(instruction, 1));
  const int64_t k = instruction.k();
  if (values.element_count() > 0) {
    const int64_t size = operand.shape().dimension(operand.shape().rank() - 1);
    RETURN_IF_ERROR(context.CheckMemory(
        instruction,
        size * static_cast<int64_t>(sizeof(KeyAndIndex) + sizeof(uint64_t))));
    const int64_t bytes = StorageBytes(type);
    std::vector<uint64_t> keys(size);
    std::vector<KeyAndIndex> entries(size);
    int32_t* index = indices.mutable_data<int32_t>().data();
    const int64_t rows = values.element_count() / k;
    std::byte* value = values.mutable_untyped_data();
    for (int64_t row = 0; row < rows; ++row) {
      const std::byte* elements = operand.untyped_data() + row * size * bytes;
      FillOrderedKeys(type, ComparisonType::kTotalOrder, elements, size,
                      keys.data());
      SelectRow(keys, k, instruction.largest(), entries, index);
      for (int64_t i = 0; i < k; ++i) {
        GatherElements(value + i * bytes, elements + index[i] * bytes, 1, 1,
                       static_cast<int>(bytes));
      }
      value += k * bytes;
      index += k;
    }
  }
  std::vector<Literal> results;
  results.push_back(std::move(values));
  results.push_back(std::move(indices));
  return Literal::Tuple(std::move(results));
}

}  // namespace hilo::hlo
