// Loops and branches in LLVM IR, with their state in phis.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace hilo::backends {

// Emits the body of a loop for the counter `i` (i64).
using LoopBody = absl::FunctionRef<absl::Status(llvm::Value* i)>;

// Emits for (i = begin; i < end; i += step) and leaves the builder behind it.
// Of loops that constants show to run once only the body is emitted.
absl::Status EmitLoop(llvm::IRBuilderBase& builder, llvm::Value* begin,
                      llvm::Value* end, int64_t step, LoopBody body);

// The same over constants, from 0 on.
absl::Status EmitLoop(llvm::IRBuilderBase& builder, int64_t count, int64_t step,
                      LoopBody body);

// Emits loops over all indices of `sizes`, the last innermost, and the body
// for the counters of each.
using NestBody =
    absl::FunctionRef<absl::Status(absl::Span<llvm::Value* const> counters)>;
absl::Status EmitLoopNest(llvm::IRBuilderBase& builder,
                          absl::Span<const int64_t> sizes, NestBody body);

// Emits `then` where `condition` (i1) is true and `otherwise` elsewhere; only
// one of them where it is constant.
using BranchBody = absl::FunctionRef<absl::Status()>;
absl::Status EmitIf(llvm::IRBuilderBase& builder, llvm::Value* condition,
                    BranchBody then);
absl::Status EmitIf(llvm::IRBuilderBase& builder, llvm::Value* condition,
                    BranchBody then, BranchBody otherwise);

// The values that a loop carries from one iteration to the next.
using CarriedValues = std::vector<llvm::Value*>;

// Emits the body of a loop for its counter and the values carried in; returns
// those carried out.
using ValueLoopBody = absl::FunctionRef<absl::StatusOr<CarriedValues>(
    llvm::Value* i, absl::Span<llvm::Value* const> carried)>;

// As EmitLoop. Returns the carried values after the last iteration, `initial`
// if there was none.
absl::StatusOr<CarriedValues> EmitLoopWithValues(
    llvm::IRBuilderBase& builder, llvm::Value* begin, llvm::Value* end,
    int64_t step, absl::Span<llvm::Value* const> initial, ValueLoopBody body);
absl::StatusOr<CarriedValues> EmitLoopWithValues(
    llvm::IRBuilderBase& builder, int64_t count, int64_t step,
    absl::Span<llvm::Value* const> initial, ValueLoopBody body);

// As EmitLoopNest; the values go through all of it.
using ValueNestBody = absl::FunctionRef<absl::StatusOr<CarriedValues>(
    absl::Span<llvm::Value* const> counters,
    absl::Span<llvm::Value* const> carried)>;
absl::StatusOr<CarriedValues> EmitLoopNestWithValues(
    llvm::IRBuilderBase& builder, absl::Span<const int64_t> sizes,
    absl::Span<llvm::Value* const> initial, ValueNestBody body);

// As EmitIf. Returns what the two return, merged.
using ValueBranchBody = absl::FunctionRef<absl::StatusOr<CarriedValues>()>;
absl::StatusOr<CarriedValues> EmitIfWithValues(llvm::IRBuilderBase& builder,
                                               llvm::Value* condition,
                                               ValueBranchBody then,
                                               ValueBranchBody otherwise);

}  // namespace hilo::backends
