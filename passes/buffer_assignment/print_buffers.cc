// Prints buffer assignments.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/analysis/array_leaves.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "passes/buffer_assignment/buffer_assignment.h"

namespace hilo::passes {
namespace {

absl::string_view NameOf(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::kArgument:
      return "argument";
    case AllocationKind::kResult:
      return "result";
    case AllocationKind::kConstant:
      return "constant";
    case AllocationKind::kTemporary:
      return "arena";
  }
  return "";
}

// "argument 3", "constant c.1".
std::string NameOf(const Allocation& allocation) {
  if (allocation.constant != nullptr) {
    return absl::StrCat(NameOf(allocation.kind), " ",
                        allocation.constant->name());
  }
  if (allocation.kind == AllocationKind::kTemporary) {
    return std::string(NameOf(allocation.kind));
  }
  return absl::StrCat(NameOf(allocation.kind), " ", allocation.number);
}

}  // namespace

std::string BufferAssignment::ToString() const {
  std::string text;
  for (const Allocation& allocation : tables_.allocations) {
    absl::StrAppend(&text, NameOf(allocation), ": ", allocation.size_bytes,
                    " bytes\n");
  }
  absl::StrAppend(&text, "peak ", tables_.peak_bytes, " bytes, lower bound ",
                  tables_.lower_bound_bytes, " bytes\n");
  const auto slice_text = [&](const Slice& slice) {
    return absl::StrCat(NameOf(tables_.allocations[slice.allocation]), "[",
                        slice.offset_bytes, ", ",
                        slice.offset_bytes + slice.size_bytes, ")");
  };
  for (const std::vector<hlo::Instruction*>& order : tables_.schedules) {
    if (order.empty()) continue;
    absl::StrAppend(&text, "\n", order.front()->parent()->name(), ":\n");
    for (const hlo::Instruction* instruction : order) {
      absl::StrAppend(&text, "  ", instruction->name(), " = ",
                      TextOf(instruction->opcode()));
      const int64_t count = hlo::ArrayLeafCount(instruction->shape());
      for (int64_t leaf = 0; leaf < count; ++leaf) {
        absl::StrAppend(&text, " ", slice_text(slice(*instruction, leaf)));
      }
      if (const Slice* work = scratch(*instruction); work != nullptr) {
        absl::StrAppend(&text, " scratch ", slice_text(*work));
      }
      absl::StrAppend(&text, "\n");
    }
  }
  return text;
}

}  // namespace hilo::passes
