// Loops in LLVM IR with their state in phis.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace hilo::backends {

// The values that a loop carries from one iteration to the next.
using CarriedValues = std::vector<llvm::Value*>;

// Emits the body of a loop for the counter `i` (i64) and the values carried
// in; returns those carried out.
using LoopBody = std::function<absl::StatusOr<CarriedValues>(
    llvm::Value* i, absl::Span<llvm::Value* const> carried)>;

// Emits for (i = begin; i < end; i += step) and leaves the builder behind it.
// Returns the carried values after the last iteration, `initial` if there was
// none. Of loops that constants show to run once only the body is emitted.
absl::StatusOr<CarriedValues> EmitLoop(llvm::IRBuilderBase& builder,
                                       llvm::Value* begin, llvm::Value* end,
                                       int64_t step,
                                       absl::Span<llvm::Value* const> initial,
                                       const LoopBody& body);

// The same over constants, from 0 on.
absl::StatusOr<CarriedValues> EmitLoop(llvm::IRBuilderBase& builder,
                                       int64_t count, int64_t step,
                                       absl::Span<llvm::Value* const> initial,
                                       const LoopBody& body);

// Emits loops over all indices of `sizes`, the last innermost, and the body
// for the counters of each.
using NestBody = std::function<absl::StatusOr<CarriedValues>(
    absl::Span<llvm::Value* const> counters,
    absl::Span<llvm::Value* const> carried)>;
absl::StatusOr<CarriedValues> EmitLoopNest(
    llvm::IRBuilderBase& builder, absl::Span<const int64_t> sizes,
    absl::Span<llvm::Value* const> initial, const NestBody& body);

// Emits `then` where `condition` (i1) is true and `otherwise` elsewhere;
// returns what they return, merged.
using BranchBody = std::function<absl::StatusOr<CarriedValues>()>;
absl::StatusOr<CarriedValues> EmitIf(llvm::IRBuilderBase& builder,
                                     llvm::Value* condition,
                                     const BranchBody& then,
                                     const BranchBody& otherwise);

}  // namespace hilo::backends
