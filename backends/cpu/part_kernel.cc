// Kernels that write parts of an array: an update, the pieces of a
// concatenation.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/cpu/element_loops.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// What computes the result: the instruction itself, or its fusion's root.
const Instruction* RootOf(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kFusion ? instruction.calls()->root()
                                                 : &instruction;
}

// Dimensions of a part: neighbours go together where the inner one is covered
// as a whole.
std::vector<DimensionGroup> GroupsWithin(const Shape& whole,
                                         const Shape& part) {
  std::vector<DimensionGroup> groups;
  for (int64_t d = 0; d < part.rank(); ++d) {
    const int64_t size = part.dimension(d);
    if (size == 1) continue;
    // A dimension of size 1 between two others separates them unless it has
    // this size in the whole, too.
    bool is_joined = !groups.empty() && size == whole.dimension(d);
    for (int64_t b = is_joined ? groups.back().last : d; b < d; ++b) {
      is_joined = is_joined && whole.dimension(b) == 1;
    }
    if (is_joined) {
      groups.back().last = d + 1;
      groups.back().size *= size;
    } else {
      groups.push_back({.first = d, .last = d + 1, .size = size});
    }
  }
  return groups;
}

// Groups with the borders of both.
std::vector<DimensionGroup> CommonGroups(const std::vector<DimensionGroup>& a,
                                         const std::vector<DimensionGroup>& b) {
  std::vector<DimensionGroup> groups;
  size_t i = 0;
  size_t j = 0;
  int64_t rest_a = a.empty() ? 1 : a[0].size;
  int64_t rest_b = b.empty() ? 1 : b[0].size;
  while (i < a.size() && j < b.size()) {
    // Both list the same dimensions: the group that ends first ends both.
    const int64_t size = std::min(rest_a, rest_b);
    groups.push_back({.first = std::max(a[i].first, b[j].first),
                      .last = std::min(a[i].last, b[j].last),
                      .size = size});
    rest_a /= size;
    rest_b /= size;
    if (rest_a == 1 && ++i < a.size()) rest_a = a[i].size;
    if (rest_b == 1 && ++j < b.size()) rest_b = b[j].size;
  }
  return groups;
}

// The loops over a part of the root's result. What is fused into the part may
// need a counter per dimension.
std::vector<DimensionGroup> GroupsOfPart(const Instruction& root,
                                         const Instruction& part,
                                         const KernelFunction& function) {
  std::vector<DimensionGroup> within = GroupsWithin(root.shape(), part.shape());
  // Any loop over nothing will do.
  if (part.shape().ElementCount() == 0) return within;
  return CommonGroups(
      within, GroupDimensions({&part}, part.shape(), function.arrays()));
}

}  // namespace

const Instruction* UpdateOf(const Instruction& instruction) {
  const Instruction& root = *RootOf(instruction);
  return root.opcode() == Opcode::kDynamicUpdateSlice ? &root : nullptr;
}

absl::StatusOr<Kernel> EmitUpdateKernel(const Instruction& instruction,
                                        absl::string_view name,
                                        KernelContext& context) {
  const Instruction& root = *UpdateOf(instruction);
  const Shape& shape = root.shape();
  const Instruction& update = *root.operand(1);
  KernelFunction function(instruction, name, context);
  ElementLoops loops(function, GroupsOfPart(root, update, function),
                     shape.rank(), context.traits);
  RETURN_IF_ERROR(loops.Emit(
      [&](ElementEmitter& emitter, const ArrayIndex& index) -> absl::Status {
        ASSIGN_OR_RETURN(const ElementValue value,
                         emitter.Element(update, 0, index));
        ArrayIndex place = index;
        for (int64_t d = 0; d < shape.rank(); ++d) {
          const int64_t room = shape.dimension(d) - update.shape().dimension(d);
          if (room == 0) continue;
          ASSIGN_OR_RETURN(const Coordinate start,
                           EmitDynamicStart(emitter, root, 2, d, room));
          Coordinate& c = place[static_cast<size_t>(d)];
          c = emitter.math().Add(c, start);
        }
        emitter.Store(value, function.output(0), shape, place);
        return absl::OkStatus();
      }));
  return loops.Finish(name);
}

bool IsConcatenation(const Instruction& instruction) {
  return RootOf(instruction)->opcode() == Opcode::kConcatenate;
}

absl::StatusOr<Kernel> EmitConcatenateKernel(const Instruction& instruction,
                                             absl::string_view name,
                                             KernelContext& context) {
  const Instruction& root = *RootOf(instruction);
  const Shape& shape = root.shape();
  const auto dimension = static_cast<size_t>(root.dimensions()[0]);
  KernelFunction function(instruction, name, context);
  llvm::IRBuilder<>& builder = function.builder();
  // Units are those of the first piece, then those of the second, and so on.
  int64_t first_unit = 0;
  int64_t offset = 0;
  for (int64_t number = 0; number < root.operand_count(); ++number) {
    const Instruction* piece = root.operand(number);
    const int64_t size =
        piece->shape().dimension(static_cast<int64_t>(dimension));
    if (piece->shape().ElementCount() == 0) continue;
    ElementLoops loops(function, GroupsOfPart(root, *piece, function),
                       shape.rank(), context.traits,
                       absl::StrCat("lanes_of_piece_", number));
    const auto within = [&](llvm::Value* unit) -> llvm::Value* {
      llvm::Value* own = builder.CreateSub(
          unit, builder.getInt64(static_cast<uint64_t>(first_unit)));
      own = MaxIndex(builder, own, builder.getInt64(0));
      return MinIndex(builder, own,
                      builder.getInt64(static_cast<uint64_t>(loops.units())));
    };
    // Inline, all units are done.
    llvm::Value* begin =
        function.is_inline() ? function.begin() : within(function.begin());
    function.set_units(loops.units());
    llvm::Value* end =
        function.is_inline() ? function.end() : within(function.end());
    RETURN_IF_ERROR(loops.EmitUnits(
        begin, end,
        [&](ElementEmitter& emitter, const ArrayIndex& index) -> absl::Status {
          ASSIGN_OR_RETURN(const ElementValue value,
                           emitter.Element(*piece, 0, index));
          ArrayIndex place = index;
          place[dimension] = emitter.math().Add(place[dimension], offset);
          emitter.Store(value, function.output(0), shape, place);
          return absl::OkStatus();
        }));
    first_unit += loops.units();
    offset += size;
  }
  function.Finish();
  const double unit_elements =
      static_cast<double>(shape.ElementCount()) /
      static_cast<double>(std::max<int64_t>(first_unit, 1));
  return Kernel{
      .name = std::string(name),
      .units = first_unit,
      .grain = ChooseGrain(first_unit, unit_elements * kElementNanoseconds,
                           context.traits),
      .scratch_bytes = 0};
}

}  // namespace hilo::backends
