// Arithmetic on coordinates of all lanes.
#include "backends/codegen/array_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/Casting.h"

namespace hilo::backends {

bool Coordinate::IsVector() const { return base->getType()->isVectorTy(); }

bool IsUniform(absl::Span<const Coordinate> index) {
  return std::ranges::all_of(index,
                             [](const Coordinate& c) { return c.IsUniform(); });
}

llvm::Value* MinIndex(llvm::IRBuilderBase& builder, llvm::Value* a,
                      llvm::Value* b) {
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(a);
  const auto* second = llvm::dyn_cast<llvm::ConstantInt>(b);
  if (first != nullptr && second != nullptr) {
    return first->getSExtValue() < second->getSExtValue() ? a : b;
  }
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
}

llvm::Value* MaxIndex(llvm::IRBuilderBase& builder, llvm::Value* a,
                      llvm::Value* b) {
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(a);
  const auto* second = llvm::dyn_cast<llvm::ConstantInt>(b);
  if (first != nullptr && second != nullptr) {
    return first->getSExtValue() > second->getSExtValue() ? a : b;
  }
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
}

Coordinate IndexMath::Constant(int64_t value) {
  return {.base = builder_.getInt64(static_cast<uint64_t>(value))};
}

llvm::Value* IndexMath::LaneNumbers(int64_t stride) {
  std::vector<uint64_t> numbers;
  numbers.reserve(static_cast<size_t>(lanes_));
  for (int lane = 0; lane < lanes_; ++lane) {
    numbers.push_back(static_cast<uint64_t>(lane * stride));
  }
  return llvm::ConstantDataVector::get(builder_.getContext(), numbers);
}

llvm::Value* IndexMath::Lanes(const Coordinate& a) {
  if (a.IsVector() || lanes_ == 1) return a.base;
  llvm::Value* splat =
      builder_.CreateVectorSplat(static_cast<unsigned>(lanes_), a.base);
  if (a.stride == 0) return splat;
  return builder_.CreateAdd(splat, LaneNumbers(a.stride));
}

Coordinate IndexMath::Add(const Coordinate& a, int64_t b) {
  if (b == 0) return a;
  llvm::Value* addend =
      llvm::ConstantInt::get(a.base->getType(), static_cast<uint64_t>(b));
  return {.base = builder_.CreateAdd(a.base, addend), .stride = a.stride};
}

Coordinate IndexMath::Add(const Coordinate& a, const Coordinate& b) {
  if (!a.IsVector() && !b.IsVector()) {
    return {.base = builder_.CreateAdd(a.base, b.base),
            .stride = a.stride + b.stride};
  }
  return {.base = builder_.CreateAdd(Lanes(a), Lanes(b))};
}

Coordinate IndexMath::Multiply(const Coordinate& a, int64_t b) {
  if (b == 1) return a;
  llvm::Value* factor =
      llvm::ConstantInt::get(a.base->getType(), static_cast<uint64_t>(b));
  return {.base = builder_.CreateMul(a.base, factor), .stride = a.stride * b};
}

Coordinate IndexMath::Divide(const Coordinate& a, int64_t b) {
  if (b == 1) return a;
  llvm::Value* lanes = a.IsUniform() ? a.base : Lanes(a);
  llvm::Value* divisor =
      llvm::ConstantInt::get(lanes->getType(), static_cast<uint64_t>(b));
  return {.base = builder_.CreateUDiv(lanes, divisor)};
}

Coordinate IndexMath::Remainder(const Coordinate& a, int64_t b) {
  if (b == 1) return Constant(0);
  llvm::Value* lanes = a.IsUniform() ? a.base : Lanes(a);
  llvm::Value* divisor =
      llvm::ConstantInt::get(lanes->getType(), static_cast<uint64_t>(b));
  return {.base = builder_.CreateURem(lanes, divisor)};
}

Coordinate IndexMath::Clamp(const Coordinate& a, int64_t high) {
  llvm::Value* lanes = a.IsUniform() ? a.base : Lanes(a);
  llvm::Value* zero = llvm::ConstantInt::get(lanes->getType(), 0);
  llvm::Value* limit = llvm::ConstantInt::get(
      lanes->getType(), static_cast<uint64_t>(std::max<int64_t>(high, 0)));
  return {.base = MinIndex(builder_, MaxIndex(builder_, lanes, zero), limit)};
}

llvm::Value* IndexMath::IsInRange(const Coordinate& a, int64_t low,
                                  int64_t high) {
  llvm::Value* lanes = a.IsUniform() ? a.base : Lanes(a);
  llvm::Type* type = lanes->getType();
  // One unsigned comparison: what lies below `low` wraps round.
  llvm::Value* distance = builder_.CreateSub(
      lanes, llvm::ConstantInt::get(type, static_cast<uint64_t>(low)));
  return builder_.CreateICmpULT(
      distance,
      llvm::ConstantInt::get(
          type, static_cast<uint64_t>(std::max<int64_t>(high - low, 0))));
}

llvm::Value* IndexMath::IsEqual(const Coordinate& a, int64_t b) {
  llvm::Value* lanes = a.IsUniform() ? a.base : Lanes(a);
  return builder_.CreateICmpEQ(
      lanes,
      llvm::ConstantInt::get(lanes->getType(), static_cast<uint64_t>(b)));
}

llvm::Value* IndexMath::SplatCondition(llvm::Value* condition) {
  if (lanes_ == 1 || condition->getType()->isVectorTy()) return condition;
  return builder_.CreateVectorSplat(static_cast<unsigned>(lanes_), condition);
}

llvm::Value* IndexMath::And(llvm::Value* a, llvm::Value* b) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  if (a->getType()->isVectorTy() != b->getType()->isVectorTy()) {
    a = SplatCondition(a);
    b = SplatCondition(b);
  }
  return builder_.CreateAnd(a, b);
}

}  // namespace hilo::backends
