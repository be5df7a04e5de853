// sort by library functions: by key where the comparator says no more than
// that, else by the comparator as compiled code.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/cpu/host_function.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"
#include "runtime/host/sort.h"

namespace hilo::backends {
namespace {

using hlo::ComparisonDirection;
using hlo::ComparisonType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// One side of a comparison: a parameter, perhaps with all zeros and all NaNs
// made equal before.
struct ComparedSide {
  int64_t parameter = 0;
  bool merges_zeros = false;
  bool merges_nans = false;
};

bool IsZero(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kConstant) return false;
  const hlo::Literal& value = instruction.value();
  return value.shape().IsScalar() && value == hlo::Literal(value.shape());
}

bool IsNan(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kConstant ||
      !instruction.shape().IsScalar()) {
    return false;
  }
  const hlo::ElementType type = instruction.shape().element_type();
  if (!hlo::IsFloat(type)) return false;
  return hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (!std::is_convertible_v<T, double> &&
                  !std::is_constructible_v<double, T>) {
      return false;
    } else {
      const auto value = static_cast<double>(instruction.value().data<T>()[0]);
      return value != value;
    }
  });
}

// Whether `condition` is compare(value, value) or compare(value, 0).
bool IsTest(const Instruction& condition, const Instruction& value,
            ComparisonDirection direction, bool with_zero) {
  if (condition.opcode() != Opcode::kCompare ||
      condition.direction() != direction || condition.operand(0) != &value) {
    return false;
  }
  return with_zero ? IsZero(*condition.operand(1))
                   : condition.operand(1) == &value;
}

std::optional<ComparedSide> SideOf(const Instruction* instruction) {
  ComparedSide side;
  while (instruction->opcode() == Opcode::kSelect) {
    const Instruction& condition = *instruction->operand(0);
    const Instruction& replacement = *instruction->operand(1);
    const Instruction& value = *instruction->operand(2);
    if (IsTest(condition, value, ComparisonDirection::kNe, false) &&
        IsNan(replacement)) {
      side.merges_nans = true;
    } else if (IsTest(condition, value, ComparisonDirection::kEq, true) &&
               IsZero(replacement)) {
      side.merges_zeros = true;
    } else {
      return std::nullopt;
    }
    instruction = &value;
  }
  if (instruction->opcode() != Opcode::kParameter) return std::nullopt;
  side.parameter = instruction->parameter_number();
  return side;
}

// The key that the comparator looks at; nullopt when it is no plain one.
std::optional<runtime::SortKey> KeyOf(const hlo::Computation& comparator) {
  const Instruction& root = *comparator.root();
  if (root.opcode() != Opcode::kCompare) return std::nullopt;
  const bool is_less = root.direction() == ComparisonDirection::kLt;
  if (!is_less && root.direction() != ComparisonDirection::kGt) {
    return std::nullopt;
  }
  const std::optional<ComparedSide> lhs = SideOf(root.operand(0));
  const std::optional<ComparedSide> rhs = SideOf(root.operand(1));
  if (!lhs || !rhs || lhs->parameter / 2 != rhs->parameter / 2 ||
      lhs->parameter == rhs->parameter ||
      lhs->merges_zeros != rhs->merges_zeros ||
      lhs->merges_nans != rhs->merges_nans) {
    return std::nullopt;
  }
  const hlo::ElementType type = root.operand_shape(0).element_type();
  if (hlo::IsComplex(type)) return std::nullopt;
  const bool is_swapped = lhs->parameter % 2 == 1;
  const bool is_descending = is_less == is_swapped;
  runtime::SortKey key{.operand = lhs->parameter / 2,
                       .type = CodeOf(type),
                       .order = runtime::SortOrder::kTotal,
                       .is_descending = is_descending ? 1 : 0};
  if (!hlo::IsFloat(type)) return key;
  const bool is_total = root.comparison_type() == ComparisonType::kTotalOrder;
  if (lhs->merges_zeros != lhs->merges_nans) return std::nullopt;
  if (is_total && !lhs->merges_zeros) return key;
  key.order = is_total && is_descending ? runtime::SortOrder::kNanFirst
                                        : runtime::SortOrder::kNanLast;
  return key;
}

runtime::SortRows RowsOf(const Instruction& sort,
                         const passes::TargetTraits& traits) {
  const Shape& shape = sort.operand_shape(0);
  const int64_t dimension =
      sort.dimensions().empty() ? 0 : sort.dimensions()[0];
  runtime::SortRows rows{.row_size = shape.dimension(dimension),
                         .operand_count = sort.operand_count(),
                         .slots = traits.cores};
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d < dimension) rows.outer_count *= shape.dimension(d);
    if (d > dimension) rows.row_stride *= shape.dimension(d);
  }
  rows.inner_count = rows.row_stride;
  rows.inner_stride = 1;
  rows.outer_stride = rows.row_size * rows.row_stride;
  return rows;
}

}  // namespace

absl::StatusOr<HostFunction> PlanSort(const Instruction& instruction,
                                      const passes::TargetTraits& traits) {
  const auto count = static_cast<size_t>(instruction.operand_count());
  const runtime::SortRows rows = RowsOf(instruction, traits);
  std::vector<int64_t> element_bytes;
  for (const Instruction* operand : instruction.operands()) {
    element_bytes.push_back(hlo::StorageBytes(operand->shape().element_type()));
  }
  HostFunction function;
  if (const std::optional<runtime::SortKey> key =
          KeyOf(*instruction.to_apply())) {
    function.scratch_bytes =
        runtime::SortScratchBytes(rows, *key, element_bytes);
    function.run = [rows, key = *key, element_bytes, count,
                    has_scratch = function.scratch_bytes > 0](
                       void* workers, void* const* arguments) {
      hilo_sort_by_key(workers, &rows, &key, element_bytes.data(), arguments,
                       arguments + count,
                       has_scratch ? arguments[2 * count] : nullptr);
    };
    return function;
  }
  function.scratch_bytes = runtime::SortScratchBytes(rows, element_bytes);
  function.comparator = instruction.to_apply();
  function.run = [rows, element_bytes, count,
                  has_scratch = function.scratch_bytes > 0](
                     void* workers, void* const* arguments) {
    const size_t scratch = 2 * count;
    hilo_sort_by_comparator(workers, &rows,
                            reinterpret_cast<runtime::SortComparator>(
                                arguments[scratch + (has_scratch ? 1 : 0)]),
                            element_bytes.data(), arguments, arguments + count,
                            has_scratch ? arguments[scratch] : nullptr);
  };
  return function;
}

}  // namespace hilo::backends
