// The vocabulary of product kernels: loads, sums, addresses.
#include "backends/cpu/matmul_code.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Support/Casting.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/element_type.h"

namespace hilo::backends {
namespace {

// Lanes first, first + 1, ... of a vector.
llvm::Value* LaneRange(llvm::IRBuilderBase& builder, llvm::Value* value,
                       int first, int count) {
  llvm::SmallVector<int, 32> indices;
  for (int i = 0; i < count; ++i) indices.push_back(first + i);
  return builder.CreateShuffleVector(value, indices);
}

}  // namespace

MatmulCode::MatmulCode(const MatmulPlan& plan, llvm::IRBuilderBase& builder)
    : plan_(plan), builder_(builder), scalars_(builder) {}

llvm::Value* MatmulCode::Int(int64_t value) {
  return builder_.getInt64(static_cast<uint64_t>(value));
}

llvm::Value* MatmulCode::Advance(llvm::Value* pointer, int64_t bytes) {
  if (bytes == 0) return pointer;
  return builder_.CreateGEP(builder_.getInt8Ty(), pointer, Int(bytes));
}

llvm::Value* MatmulCode::Advance(llvm::Value* pointer, llvm::Value* index,
                                 int64_t bytes_per_index) {
  if (bytes_per_index == 0) return pointer;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index)) {
    return Advance(pointer, constant->getSExtValue() * bytes_per_index);
  }
  return builder_.CreateGEP(builder_.getInt8Ty(), pointer,
                            builder_.CreateMul(index, Int(bytes_per_index)));
}

llvm::Value* MatmulCode::Scale(llvm::Value* index, int64_t factor,
                               llvm::Value* addend) {
  llvm::Value* product =
      factor == 1 ? index : builder_.CreateMul(index, Int(factor));
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(addend);
  if (constant != nullptr && constant->isZero()) return product;
  return builder_.CreateAdd(product, addend);
}

llvm::Value* MatmulCode::Mask(int lanes, int active_lanes) {
  if (active_lanes == lanes) return nullptr;
  return FirstLanes(builder_, lanes, active_lanes);
}

int MatmulCode::ActiveLanes(const PanelShape& shape, int vector) const {
  return vector + 1 == shape.vectors ? shape.tail_lanes : plan_.lanes;
}

llvm::Value* MatmulCode::Mask(const PanelShape& shape, int vector) {
  return Mask(plan_.lanes, ActiveLanes(shape, vector));
}

ElementValue MatmulCode::LoadOperand(hlo::ElementType type,
                                     llvm::Value* pointer, int lanes,
                                     llvm::Value* mask) {
  const ElementValue value = scalars_.Load(type, pointer, lanes, mask);
  if (type == plan_.accumulator_type) return value;
  return scalars_.Convert(value, type, plan_.accumulator_type);
}

ElementValue MatmulCode::Pair(const ElementValue& first,
                              const ElementValue& second) {
  constexpr uint64_t kBits = 16;
  constexpr uint64_t kLowBits = 0xffff;
  llvm::Type* type = first.real->getType();
  return {.real = builder_.CreateOr(
              builder_.CreateAnd(first.real,
                                 llvm::ConstantInt::get(type, kLowBits)),
              builder_.CreateShl(second.real,
                                 llvm::ConstantInt::get(type, kBits)))};
}

ElementValue MatmulCode::LoadPairs(hlo::ElementType type, llvm::Value* pointer,
                                   int64_t pair_bytes, int lanes,
                                   llvm::Value* mask) {
  return Pair(LoadOperand(type, pointer, lanes, mask),
              LoadOperand(type, Advance(pointer, pair_bytes), lanes, mask));
}

ElementValue MatmulCode::LoadNeighbours(hlo::ElementType type,
                                        llvm::Value* pointer, int lanes) {
  ElementValue value = scalars_.Load(type, pointer, 2 * lanes, nullptr);
  if (type != hlo::ElementType::kS16) {
    value = scalars_.Convert(value, type, hlo::ElementType::kS16);
  }
  return {.real = builder_.CreateBitCast(
              value.real,
              llvm::FixedVectorType::get(builder_.getInt32Ty(),
                                         static_cast<unsigned>(lanes)))};
}

// Of vectors of pairs: the products of first and of second parts, added.
llvm::Value* MatmulCode::SumOfPairs(llvm::Value* a, llvm::Value* b) {
  const int lanes = LaneCount({.real = a});
  llvm::Type* halves = llvm::FixedVectorType::get(
      builder_.getInt16Ty(), 2 * static_cast<unsigned>(lanes));
  llvm::Intrinsic::ID multiply = llvm::Intrinsic::x86_sse2_pmadd_wd;
  if (lanes == 8) multiply = llvm::Intrinsic::x86_avx2_pmadd_wd;
  if (lanes == 16) multiply = llvm::Intrinsic::x86_avx512_pmaddw_d_512;
  return builder_.CreateIntrinsic(
      multiply, {},
      {builder_.CreateBitCast(a, halves), builder_.CreateBitCast(b, halves)});
}

llvm::Value* MatmulCode::MultiplyAddPart(llvm::Value* a, llvm::Value* b,
                                         llvm::Value* sum) {
  if (plan_.pairs_depth) return builder_.CreateAdd(sum, SumOfPairs(a, b));
  if (!sum->getType()->isFPOrFPVectorTy()) {
    return builder_.CreateAdd(sum, builder_.CreateMul(a, b));
  }
  if (!plan_.has_fused_multiply_add) {
    return builder_.CreateFAdd(sum, builder_.CreateFMul(a, b));
  }
  return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()},
                                  {a, b, sum});
}

llvm::Value* MatmulCode::AddPart(llvm::Value* a, llvm::Value* b) {
  return a->getType()->isFPOrFPVectorTy() ? builder_.CreateFAdd(a, b)
                                          : builder_.CreateAdd(a, b);
}

ElementValue MatmulCode::MultiplyAdd(const ElementValue& a,
                                     const ElementValue& b,
                                     const ElementValue& sum) {
  ElementValue result;
  result.real = MultiplyAddPart(a.real, b.real, sum.real);
  if (a.imag == nullptr) return result;
  llvm::Value* negated = builder_.CreateFNeg(a.imag);
  result.real = MultiplyAddPart(negated, b.imag, result.real);
  result.imag = MultiplyAddPart(a.real, b.imag, sum.imag);
  result.imag = MultiplyAddPart(a.imag, b.real, result.imag);
  return result;
}

ElementValue MatmulCode::Add(const ElementValue& a, const ElementValue& b) {
  return {AddPart(a.real, b.real),
          a.imag == nullptr ? nullptr : AddPart(a.imag, b.imag)};
}

ElementValue MatmulCode::Zero(int lanes) {
  return scalars_.Zero(plan_.accumulator_type, lanes);
}

ElementValue MatmulCode::SumLanes(ElementValue value) {
  for (int lanes = LaneCount(value); lanes > 1; lanes /= 2) {
    const int half = lanes / 2;
    const auto part = [&](llvm::Value* x, int first) -> llvm::Value* {
      if (x == nullptr) return nullptr;
      return half == 1 ? builder_.CreateExtractElement(
                             x, static_cast<uint64_t>(first))
                       : LaneRange(builder_, x, first, half);
    };
    value = Add({part(value.real, 0), part(value.imag, 0)},
                {part(value.real, half), part(value.imag, half)});
  }
  return value;
}

ElementValue MatmulCode::Lane(const ElementValue& value, int lane) {
  const auto index = static_cast<uint64_t>(lane);
  return {builder_.CreateExtractElement(value.real, index),
          value.imag == nullptr
              ? nullptr
              : builder_.CreateExtractElement(value.imag, index)};
}

ElementValue MatmulCode::Gather(absl::Span<const ElementValue> scalars) {
  if (scalars.size() == 1) return scalars[0];
  const auto gather = [&](llvm::Value* ElementValue::* part) -> llvm::Value* {
    if (scalars[0].*part == nullptr) return nullptr;
    llvm::Value* vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(
        (scalars[0].*part)->getType(), static_cast<unsigned>(scalars.size())));
    for (size_t i = 0; i < scalars.size(); ++i) {
      vector = builder_.CreateInsertElement(vector, scalars[i].*part, i);
    }
    return vector;
  };
  return {gather(&ElementValue::real), gather(&ElementValue::imag)};
}

std::vector<ElementValue> MatmulCode::Unflatten(
    absl::Span<llvm::Value* const> parts) const {
  const bool is_complex = hlo::IsComplex(plan_.accumulator_type);
  std::vector<ElementValue> values;
  for (size_t i = 0; i < parts.size(); i += is_complex ? 2 : 1) {
    values.push_back({parts[i], is_complex ? parts[i + 1] : nullptr});
  }
  return values;
}

}  // namespace hilo::backends
