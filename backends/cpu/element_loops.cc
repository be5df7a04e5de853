// Emits loops over elements, whole vectors first.
#include "backends/cpu/element_loops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// Elements of one unit where a single loop is cut.
constexpr int64_t kBlockElements = 1024;

}  // namespace

ElementLoops::ElementLoops(KernelFunction& function,
                           std::vector<DimensionGroup> groups, int64_t rank,
                           const passes::TargetTraits& traits,
                           absl::string_view lanes_name)
    : function_(function),
      traits_(traits),
      rank_(rank),
      groups_(std::move(groups)),
      inner_(groups_.empty() ? DimensionGroup() : groups_.back()),
      lanes_(function.DecideLanes(inner_.size, lanes_name)) {
  if (!groups_.empty()) groups_.pop_back();
  for (const DimensionGroup& group : groups_) outer_size_ *= group.size;
  if (outer_size_ == 1) {
    block_ = std::max<int64_t>(lanes_, kBlockElements);
    units_ = (inner_.size + block_ - 1) / block_;
  } else {
    units_ = outer_size_;
  }
}

absl::Status ElementLoops::Emit(const Body& body) {
  function_.set_units(units_);
  return EmitUnits(function_.begin(), function_.end(), body);
}

absl::Status ElementLoops::EmitUnits(llvm::Value* begin, llvm::Value* end,
                                     const Body& body) {
  llvm::IRBuilder<>& builder = function_.builder();
  llvm::Value* size = builder.getInt64(static_cast<uint64_t>(inner_.size));
  if (outer_size_ == 1) {
    llvm::Value* block = builder.getInt64(static_cast<uint64_t>(block_));
    llvm::Value* start = builder.CreateMul(begin, block);
    llvm::Value* stop = MinIndex(builder, builder.CreateMul(end, block), size);
    const std::vector<llvm::Value*> outer(groups_.size(), builder.getInt64(0));
    return EmitInner(body, outer, start, stop);
  }
  // The counters go along: dividing the unit would cost more than a short
  // inner loop.
  return EmitLoopWithValues(
             builder, begin, end, 1, OuterCounters(begin),
             [&](llvm::Value*, absl::Span<llvm::Value* const> outer)
                 -> absl::StatusOr<CarriedValues> {
               CarriedValues next = NextCounters(outer);
               RETURN_IF_ERROR(
                   EmitInner(body, outer, builder.getInt64(0), size));
               return next;
             })
      .status();
}

std::vector<llvm::Value*> ElementLoops::OuterCounters(llvm::Value* unit) {
  llvm::IRBuilder<>& builder = function_.builder();
  std::vector<llvm::Value*> counters(groups_.size());
  for (size_t g = groups_.size(); g-- > 0;) {
    llvm::Value* size =
        builder.getInt64(static_cast<uint64_t>(groups_[g].size));
    counters[g] = g == 0 ? unit : builder.CreateURem(unit, size);
    unit = g == 0 ? unit : builder.CreateUDiv(unit, size);
  }
  return counters;
}

std::vector<llvm::Value*> ElementLoops::NextCounters(
    absl::Span<llvm::Value* const> counters) {
  llvm::IRBuilder<>& builder = function_.builder();
  std::vector<llvm::Value*> next(groups_.size());
  llvm::Value* step = builder.getInt64(1);
  for (size_t g = groups_.size(); g-- > 0;) {
    next[g] = builder.CreateAdd(counters[g], step);
    if (g == 0) break;
    llvm::Value* is_past = builder.CreateICmpEQ(
        next[g], builder.getInt64(static_cast<uint64_t>(groups_[g].size)));
    next[g] = builder.CreateSelect(is_past, builder.getInt64(0), next[g]);
    step = builder.CreateZExt(is_past, builder.getInt64Ty());
  }
  return next;
}

absl::Status ElementLoops::EmitInner(const Body& body,
                                     absl::Span<llvm::Value* const> outer,
                                     llvm::Value* start, llvm::Value* stop) {
  llvm::IRBuilder<>& builder = function_.builder();
  const int64_t rest = inner_.size % lanes_;
  llvm::Value* whole_end =
      builder.getInt64(static_cast<uint64_t>(inner_.size - rest));
  llvm::Value* whole_stop =
      rest == 0 ? stop : MinIndex(builder, stop, whole_end);
  RETURN_IF_ERROR(EmitLoop(
      builder, start, whole_stop, lanes_,
      [&](llvm::Value* i) { return EmitBody(body, outer, i, nullptr); }));
  if (rest == 0) return absl::OkStatus();
  llvm::Value* is_last = builder.CreateICmpEQ(
      stop, builder.getInt64(static_cast<uint64_t>(inner_.size)));
  return EmitIf(builder, is_last, [&] {
    return EmitBody(body, outer, whole_end, FirstLanes(builder, lanes_, rest));
  });
}

absl::Status ElementLoops::EmitBody(const Body& body,
                                    absl::Span<llvm::Value* const> outer,
                                    llvm::Value* i, llvm::Value* mask) {
  ElementEmitter emitter(function_.builder(), static_cast<int>(lanes_));
  function_.BindOperands(emitter);
  ArrayIndex index(static_cast<size_t>(rank_), emitter.math().Constant(0));
  for (size_t g = 0; g < groups_.size(); ++g) {
    index[static_cast<size_t>(groups_[g].last - 1)] = {.base = outer[g]};
  }
  if (inner_.last > 0) {
    index[static_cast<size_t>(inner_.last - 1)] = {
        .base = i, .stride = lanes_ == 1 ? 0 : 1};
  }
  return emitter.InScope(mask, [&] { return body(emitter, index); });
}

Kernel ElementLoops::Finish(absl::string_view name,
                            double element_nanoseconds) {
  function_.Finish();
  const int64_t elements =
      outer_size_ == 1 ? std::min(block_, inner_.size) : inner_.size;
  const double unit_cost = static_cast<double>(elements) * element_nanoseconds;
  return Kernel{.name = std::string(name),
                .units = units_,
                .grain = ChooseGrain(units_, unit_cost, traits_),
                .scratch_bytes = 0};
}

}  // namespace hilo::backends
