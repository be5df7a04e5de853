// Blocks and phis of loops and branches.
#include "backends/codegen/loop.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Casting.h"

#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

llvm::BasicBlock* AppendBlock(llvm::IRBuilderBase& builder, const char* name) {
  return llvm::BasicBlock::Create(builder.getContext(), name,
                                  builder.GetInsertBlock()->getParent());
}

// The trip count where all of it is constant; -1 elsewhere.
int64_t ConstantTripCount(llvm::Value* begin, llvm::Value* end, int64_t step) {
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  const auto* last = llvm::dyn_cast<llvm::ConstantInt>(end);
  if (first == nullptr || last == nullptr) return -1;
  const int64_t length = last->getSExtValue() - first->getSExtValue();
  return length <= 0 ? 0 : (length + step - 1) / step;
}

}  // namespace

absl::StatusOr<CarriedValues> EmitLoopWithValues(
    llvm::IRBuilderBase& builder, llvm::Value* begin, llvm::Value* end,
    int64_t step, absl::Span<llvm::Value* const> initial, ValueLoopBody body) {
  const int64_t trip_count = ConstantTripCount(begin, end, step);
  if (trip_count == 0) return CarriedValues(initial.begin(), initial.end());
  if (trip_count == 1) return body(begin, initial);

  llvm::BasicBlock* entry = builder.GetInsertBlock();
  llvm::BasicBlock* loop = AppendBlock(builder, "loop");
  llvm::BasicBlock* exit = AppendBlock(builder, "exit");
  if (trip_count > 0) {
    builder.CreateBr(loop);
  } else {
    builder.CreateCondBr(builder.CreateICmpSLT(begin, end), loop, exit);
  }
  builder.SetInsertPoint(loop);
  llvm::PHINode* counter = builder.CreatePHI(builder.getInt64Ty(), 2);
  counter->addIncoming(begin, entry);
  std::vector<llvm::PHINode*> phis;
  CarriedValues carried;
  for (llvm::Value* value : initial) {
    phis.push_back(builder.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, entry);
    carried.push_back(phis.back());
  }
  ASSIGN_OR_RETURN(const CarriedValues next, body(counter, carried));
  CHECK(next.size() == phis.size()) << "a loop body lost a carried value";
  llvm::BasicBlock* latch = builder.GetInsertBlock();
  llvm::Value* following = builder.CreateNSWAdd(
      counter, builder.getInt64(static_cast<uint64_t>(step)));
  counter->addIncoming(following, latch);
  for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], latch);
  builder.CreateCondBr(builder.CreateICmpSLT(following, end), loop, exit);

  builder.SetInsertPoint(exit);
  CarriedValues results;
  for (size_t i = 0; i < phis.size(); ++i) {
    llvm::PHINode* result = builder.CreatePHI(next[i]->getType(), 2);
    if (trip_count < 0) result->addIncoming(initial[i], entry);
    result->addIncoming(next[i], latch);
    results.push_back(result);
  }
  return results;
}

absl::StatusOr<CarriedValues> EmitLoopWithValues(
    llvm::IRBuilderBase& builder, int64_t count, int64_t step,
    absl::Span<llvm::Value* const> initial, ValueLoopBody body) {
  return EmitLoopWithValues(builder, builder.getInt64(0),
                            builder.getInt64(static_cast<uint64_t>(count)),
                            step, initial, body);
}

namespace {

absl::StatusOr<CarriedValues> EmitRestOfNest(
    llvm::IRBuilderBase& builder, absl::Span<const int64_t> sizes,
    std::vector<llvm::Value*>& counters, absl::Span<llvm::Value* const> initial,
    ValueNestBody body) {
  if (counters.size() == sizes.size()) return body(counters, initial);
  return EmitLoopWithValues(
      builder, sizes[counters.size()], 1, initial,
      [&](llvm::Value* i, absl::Span<llvm::Value* const> carried)
          -> absl::StatusOr<CarriedValues> {
        counters.push_back(i);
        ASSIGN_OR_RETURN(
            CarriedValues next,
            EmitRestOfNest(builder, sizes, counters, carried, body));
        counters.pop_back();
        return next;
      });
}

}  // namespace

absl::StatusOr<CarriedValues> EmitLoopNestWithValues(
    llvm::IRBuilderBase& builder, absl::Span<const int64_t> sizes,
    absl::Span<llvm::Value* const> initial, ValueNestBody body) {
  std::vector<llvm::Value*> counters;
  return EmitRestOfNest(builder, sizes, counters, initial, body);
}

absl::StatusOr<CarriedValues> EmitIfWithValues(llvm::IRBuilderBase& builder,
                                               llvm::Value* condition,
                                               ValueBranchBody then,
                                               ValueBranchBody otherwise) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    return constant->isZero() ? otherwise() : then();
  }
  llvm::BasicBlock* then_block = AppendBlock(builder, "then");
  llvm::BasicBlock* else_block = AppendBlock(builder, "else");
  llvm::BasicBlock* merge = AppendBlock(builder, "merge");
  builder.CreateCondBr(condition, then_block, else_block);
  builder.SetInsertPoint(then_block);
  ASSIGN_OR_RETURN(const CarriedValues a, then());
  then_block = builder.GetInsertBlock();
  builder.CreateBr(merge);
  builder.SetInsertPoint(else_block);
  ASSIGN_OR_RETURN(const CarriedValues b, otherwise());
  else_block = builder.GetInsertBlock();
  builder.CreateBr(merge);
  builder.SetInsertPoint(merge);
  CHECK(a.size() == b.size()) << "branches give different numbers of values";
  CarriedValues results;
  for (size_t i = 0; i < a.size(); ++i) {
    llvm::PHINode* phi = builder.CreatePHI(a[i]->getType(), 2);
    phi->addIncoming(a[i], then_block);
    phi->addIncoming(b[i], else_block);
    results.push_back(phi);
  }
  return results;
}

absl::Status EmitLoop(llvm::IRBuilderBase& builder, llvm::Value* begin,
                      llvm::Value* end, int64_t step, LoopBody body) {
  return EmitLoopWithValues(builder, begin, end, step, {},
                            [&](llvm::Value* i, absl::Span<llvm::Value* const>)
                                -> absl::StatusOr<CarriedValues> {
                              RETURN_IF_ERROR(body(i));
                              return CarriedValues();
                            })
      .status();
}

absl::Status EmitLoop(llvm::IRBuilderBase& builder, int64_t count, int64_t step,
                      LoopBody body) {
  return EmitLoop(builder, builder.getInt64(0),
                  builder.getInt64(static_cast<uint64_t>(count)), step, body);
}

absl::Status EmitLoopNest(llvm::IRBuilderBase& builder,
                          absl::Span<const int64_t> sizes, NestBody body) {
  return EmitLoopNestWithValues(builder, sizes, {},
                                [&](absl::Span<llvm::Value* const> counters,
                                    absl::Span<llvm::Value* const>)
                                    -> absl::StatusOr<CarriedValues> {
                                  RETURN_IF_ERROR(body(counters));
                                  return CarriedValues();
                                })
      .status();
}

absl::Status EmitIf(llvm::IRBuilderBase& builder, llvm::Value* condition,
                    BranchBody then) {
  return EmitIf(builder, condition, then, [] { return absl::OkStatus(); });
}

absl::Status EmitIf(llvm::IRBuilderBase& builder, llvm::Value* condition,
                    BranchBody then, BranchBody otherwise) {
  const auto without_values =
      [](BranchBody body) -> absl::StatusOr<CarriedValues> {
    RETURN_IF_ERROR(body());
    return CarriedValues();
  };
  return EmitIfWithValues(
             builder, condition, [&] { return without_values(then); },
             [&] { return without_values(otherwise); })
      .status();
}

}  // namespace hilo::backends
