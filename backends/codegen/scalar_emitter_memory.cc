// How elements are moved between memory and registers.
#include <cstddef>
#include <cstdint>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constant.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/TypeSize.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/scalar_emitter.h"
#include "backends/codegen/stored_form.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::backends {
namespace {

using hlo::ElementType;

llvm::Type* VectorOf(llvm::Type* scalar, int lanes) {
  return llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes));
}

llvm::Align PartAlignment(ElementType type) {
  return llvm::Align(
      static_cast<uint64_t>(hlo::StorageBytes(hlo::ComponentType(type))));
}

// A mask as a vector, also for one lane.
llvm::Value* VectorMask(llvm::IRBuilderBase& builder, llvm::Value* mask) {
  if (mask->getType()->isVectorTy()) return mask;
  llvm::Value* none = llvm::Constant::getNullValue(
      llvm::FixedVectorType::get(builder.getInt1Ty(), 1));
  return builder.CreateInsertElement(none, mask, uint64_t{0});
}

llvm::Value* VectorValue(llvm::IRBuilderBase& builder, llvm::Value* value) {
  if (value->getType()->isVectorTy()) return value;
  llvm::Value* none = llvm::PoisonValue::get(VectorOf(value->getType(), 1));
  return builder.CreateInsertElement(none, value, uint64_t{0});
}

// How many lanes a constant mask has set, when they are the first ones; -1 for
// other masks.
int PrefixOf(llvm::Value* mask) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (constant == nullptr || type == nullptr) return -1;
  const unsigned lanes = type->getNumElements();
  unsigned count = 0;
  while (count < lanes && constant->getAggregateElement(count)->isOneValue()) {
    ++count;
  }
  for (unsigned lane = count; lane < lanes; ++lane) {
    if (!constant->getAggregateElement(lane)->isNullValue()) return -1;
  }
  return static_cast<int>(count);
}

// The only active lane of a constant mask; -1: there is none, or several.
int OnlyLaneOf(llvm::Value* mask) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (constant == nullptr || type == nullptr) return -1;
  int only = -1;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant* is_active = constant->getAggregateElement(lane);
    if (is_active == nullptr) return -1;
    if (is_active->isNullValue()) continue;
    if (only >= 0) return -1;
    only = static_cast<int>(lane);
  }
  return only;
}

// Whether a mask stands for pieces whose sizes are powers of two. What is
// stored under a mask and loaded again at once waits until it is in the cache;
// pieces do not. Longer vectors would have too many.
bool IsMadeOfPieces(llvm::Value* mask) {
  constexpr unsigned kMaxLanes = 4;
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  return type != nullptr && type->getNumElements() > 1 &&
         type->getNumElements() <= kMaxLanes && PrefixOf(mask) > 0;
}

// Calls `visit(first, size)` for the pieces of the first `count` lanes, large
// ones first.
template <typename F>
void VisitPieces(int count, F visit) {
  int first = 0;
  for (int size = 4; size > 0; size /= 2) {
    if ((count & size) == 0) continue;
    visit(first, size);
    first += size;
  }
}

llvm::SmallVector<int, 8> LanesFrom(int first, int size) {
  llvm::SmallVector<int, 8> lanes;
  for (int i = 0; i < size; ++i) lanes.push_back(first + i);
  return lanes;
}

llvm::Value* LoadPieces(llvm::IRBuilderBase& builder, llvm::Type* scalar,
                        llvm::Value* pointer, int count, llvm::Align alignment,
                        int prefix) {
  llvm::Value* result = llvm::Constant::getNullValue(VectorOf(scalar, count));
  VisitPieces(prefix, [&](int first, int size) {
    llvm::Value* place = builder.CreateConstGEP1_64(
        scalar, pointer, static_cast<uint64_t>(first));
    llvm::Value* piece =
        builder.CreateAlignedLoad(VectorOf(scalar, size), place, alignment);
    for (int i = 0; i < size; ++i) {
      const auto lane = static_cast<uint64_t>(i);
      result = builder.CreateInsertElement(
          result, builder.CreateExtractElement(piece, lane),
          static_cast<uint64_t>(first) + lane);
    }
  });
  return result;
}

void StorePieces(llvm::IRBuilderBase& builder, llvm::Value* parts,
                 llvm::Value* pointer, llvm::Align alignment, int prefix) {
  llvm::Type* scalar = parts->getType()->getScalarType();
  VisitPieces(prefix, [&](int first, int size) {
    llvm::Value* place = builder.CreateConstGEP1_64(
        scalar, pointer, static_cast<uint64_t>(first));
    builder.CreateAlignedStore(
        builder.CreateShuffleVector(parts, LanesFrom(first, size)), place,
        alignment);
  });
}

llvm::Value* LoadParts(llvm::IRBuilderBase& builder, llvm::Type* scalar,
                       llvm::Value* pointer, int count, llvm::Align alignment,
                       llvm::Value* mask) {
  if (mask != nullptr && IsMadeOfPieces(mask)) {
    return LoadPieces(builder, scalar, pointer, count, alignment,
                      PrefixOf(mask));
  }
  if (mask != nullptr) {
    llvm::Type* type = VectorOf(scalar, count);
    llvm::Value* loaded = builder.CreateMaskedLoad(
        type, pointer, alignment, VectorMask(builder, mask),
        llvm::Constant::getNullValue(type));
    return count == 1 ? builder.CreateExtractElement(loaded, uint64_t{0})
                      : loaded;
  }
  llvm::Type* type = count == 1 ? scalar : VectorOf(scalar, count);
  return builder.CreateAlignedLoad(type, pointer, alignment);
}

void StoreParts(llvm::IRBuilderBase& builder, llvm::Value* parts,
                llvm::Value* pointer, llvm::Align alignment,
                llvm::Value* mask) {
  if (mask == nullptr) {
    builder.CreateAlignedStore(parts, pointer, alignment);
    return;
  }
  if (IsMadeOfPieces(mask)) {
    StorePieces(builder, parts, pointer, alignment, PrefixOf(mask));
    return;
  }
  // With AVX-512, LLVM 22 stores the only lane of truncated elements as it was
  // before it was truncated, over what lies behind.
  if (const int lane = OnlyLaneOf(mask); lane >= 0) {
    llvm::Type* scalar = parts->getType()->getScalarType();
    const auto place = static_cast<uint64_t>(lane);
    builder.CreateAlignedStore(
        builder.CreateExtractElement(VectorValue(builder, parts), place),
        builder.CreateConstGEP1_64(scalar, pointer, place), alignment);
    return;
  }
  builder.CreateMaskedStore(VectorValue(builder, parts), pointer, alignment,
                            VectorMask(builder, mask));
}

// Every second part, from `first` on.
llvm::Value* EverySecond(llvm::IRBuilderBase& builder, llvm::Value* parts,
                         int first, int lanes) {
  if (lanes == 1) {
    return builder.CreateExtractElement(parts, static_cast<uint64_t>(first));
  }
  llvm::SmallVector<int, 16> indices;
  for (int i = 0; i < lanes; ++i) indices.push_back(2 * i + first);
  return builder.CreateShuffleVector(parts, indices);
}

// a[0], b[0], a[1], b[1], ...
llvm::Value* Interleave(llvm::IRBuilderBase& builder, llvm::Value* a,
                        llvm::Value* b) {
  a = VectorValue(builder, a);
  b = VectorValue(builder, b);
  const int lanes = static_cast<int>(
      llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements());
  llvm::SmallVector<int, 32> indices;
  for (int i = 0; i < lanes; ++i) {
    indices.push_back(i);
    indices.push_back(lanes + i);
  }
  return builder.CreateShuffleVector(a, b, indices);
}

// The mask of elements as one of their two parts each.
llvm::Value* MaskOfParts(llvm::IRBuilderBase& builder, llvm::Value* mask) {
  return mask == nullptr ? nullptr : Interleave(builder, mask, mask);
}

// One part of elements at base[offsets[lane]].
llvm::Value* GatherParts(llvm::IRBuilderBase& builder, llvm::Type* scalar,
                         llvm::Value* base, llvm::Value* offsets,
                         llvm::Align alignment, llvm::Value* mask) {
  if (!offsets->getType()->isVectorTy()) {
    return LoadParts(builder, scalar, builder.CreateGEP(scalar, base, offsets),
                     1, alignment, mask);
  }
  const auto lanes =
      llvm::cast<llvm::FixedVectorType>(offsets->getType())->getNumElements();
  llvm::Type* type = llvm::FixedVectorType::get(scalar, lanes);
  if (mask != nullptr) {
    return builder.CreateMaskedGather(
        type, builder.CreateGEP(scalar, base, offsets), alignment, mask,
        llvm::Constant::getNullValue(type));
  }
  // No slower than gather instructions, and no constant mask to hold.
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (uint64_t i = 0; i < lanes; ++i) {
    llvm::Value* offset = builder.CreateExtractElement(offsets, i);
    llvm::Value* element = builder.CreateAlignedLoad(
        scalar, builder.CreateGEP(scalar, base, offset), alignment);
    result = builder.CreateInsertElement(result, element, i);
  }
  return result;
}

void ScatterParts(llvm::IRBuilderBase& builder, llvm::Value* parts,
                  llvm::Value* base, llvm::Value* offsets,
                  llvm::Align alignment, llvm::Value* mask) {
  llvm::Type* scalar = parts->getType()->getScalarType();
  if (!offsets->getType()->isVectorTy()) {
    StoreParts(builder, parts, builder.CreateGEP(scalar, base, offsets),
               alignment, mask);
    return;
  }
  if (mask != nullptr) {
    builder.CreateMaskedScatter(parts, builder.CreateGEP(scalar, base, offsets),
                                alignment, mask);
    return;
  }
  const auto lanes =
      llvm::cast<llvm::FixedVectorType>(offsets->getType())->getNumElements();
  for (uint64_t i = 0; i < lanes; ++i) {
    llvm::Value* offset = builder.CreateExtractElement(offsets, i);
    builder.CreateAlignedStore(builder.CreateExtractElement(parts, i),
                               builder.CreateGEP(scalar, base, offset),
                               alignment);
  }
}

// Where the parts of complex elements lie, counted in parts. In 64 bits, so
// that doubling does not wrap.
Lanes PartOffsets(llvm::IRBuilderBase& builder, llvm::Value* offsets) {
  return ResizeSigned(Lanes(builder, offsets), 64) << 1;
}

template <typename T>
llvm::Constant* ScalarConstant(llvm::LLVMContext& context, T value) {
  constexpr ElementType kType = hlo::ElementTypeOf<T>();
  llvm::Type* type = RegisterType(context, kType, 1);
  if constexpr (NumericTraits<T>::is_float) {
    return llvm::ConstantFP::get(type, static_cast<double>(value));
  } else {
    return llvm::ConstantInt::get(
        type, static_cast<uint64_t>(static_cast<int64_t>(value)), false, true);
  }
}

llvm::Constant* SplatConstant(llvm::Constant* scalar, int lanes) {
  if (lanes == 1) return scalar;
  return llvm::ConstantVector::getSplat(
      llvm::ElementCount::getFixed(static_cast<unsigned>(lanes)), scalar);
}

}  // namespace

ElementValue ScalarEmitter::Constant(const hlo::Literal& literal, int64_t index,
                                     int lanes) {
  llvm::LLVMContext& context = builder_.getContext();
  return hlo::DispatchElementType(
      literal.shape().element_type(), [&](auto tag) -> ElementValue {
        using T = decltype(tag)::type;
        const T value = literal.data<T>()[static_cast<size_t>(index)];
        if constexpr (NumericTraits<T>::is_complex) {
          return {SplatConstant(ScalarConstant(context, value.real()), lanes),
                  SplatConstant(ScalarConstant(context, value.imag()), lanes)};
        } else {
          return {SplatConstant(ScalarConstant(context, value), lanes),
                  nullptr};
        }
      });
}

ElementValue ScalarEmitter::Zero(ElementType type, int lanes) {
  llvm::Value* zero = llvm::Constant::getNullValue(
      RegisterType(builder_.getContext(), type, lanes));
  return {zero, hlo::IsComplex(type) ? zero : nullptr};
}

ElementValue ScalarEmitter::Splat(const ElementValue& scalar, int lanes) {
  if (lanes == 1) return scalar;
  const auto count = static_cast<unsigned>(lanes);
  return {builder_.CreateVectorSplat(count, scalar.real),
          scalar.imag == nullptr
              ? nullptr
              : builder_.CreateVectorSplat(count, scalar.imag)};
}

ElementValue ScalarEmitter::Select(llvm::Value* condition,
                                   const ElementValue& a,
                                   const ElementValue& b) {
  return {builder_.CreateSelect(condition, a.real, b.real),
          a.imag == nullptr ? nullptr
                            : builder_.CreateSelect(condition, a.imag, b.imag)};
}

ElementValue ScalarEmitter::Load(ElementType type, llvm::Value* pointer,
                                 int lanes, llvm::Value* mask) {
  llvm::Type* scalar = StoredType(builder_.getContext(), type);
  const llvm::Align alignment = PartAlignment(type);
  if (hlo::IsComplex(type)) {
    llvm::Value* parts = LoadParts(builder_, scalar, pointer, 2 * lanes,
                                   alignment, MaskOfParts(builder_, mask));
    return {EverySecond(builder_, parts, 0, lanes),
            EverySecond(builder_, parts, 1, lanes)};
  }
  llvm::Value* stored =
      LoadParts(builder_, scalar, pointer, lanes, alignment, mask);
  return {FromStored(type, Lanes(builder_, stored), facts_).value(), nullptr};
}

void ScalarEmitter::Store(ElementType type, const ElementValue& value,
                          llvm::Value* pointer, llvm::Value* mask) {
  const llvm::Align alignment = PartAlignment(type);
  if (hlo::IsComplex(type)) {
    StoreParts(builder_, Interleave(builder_, value.real, value.imag), pointer,
               alignment, MaskOfParts(builder_, mask));
    return;
  }
  StoreParts(builder_,
             ToStored(type, Lanes(builder_, value.real), facts_).value(),
             pointer, alignment, mask);
}

ElementValue ScalarEmitter::Gather(ElementType type, llvm::Value* base,
                                   llvm::Value* offsets, llvm::Value* mask) {
  llvm::Type* scalar = StoredType(builder_.getContext(), type);
  const llvm::Align alignment = PartAlignment(type);
  if (hlo::IsComplex(type)) {
    const Lanes real = PartOffsets(builder_, offsets);
    return {GatherParts(builder_, scalar, base, real.value(), alignment, mask),
            GatherParts(builder_, scalar, base, (real + 1).value(), alignment,
                        mask)};
  }
  llvm::Value* stored =
      GatherParts(builder_, scalar, base, offsets, alignment, mask);
  return {FromStored(type, Lanes(builder_, stored), facts_).value(), nullptr};
}

void ScalarEmitter::Scatter(ElementType type, const ElementValue& value,
                            llvm::Value* base, llvm::Value* offsets,
                            llvm::Value* mask) {
  const llvm::Align alignment = PartAlignment(type);
  if (hlo::IsComplex(type)) {
    const Lanes real = PartOffsets(builder_, offsets);
    ScatterParts(builder_, value.real, base, real.value(), alignment, mask);
    ScatterParts(builder_, value.imag, base, (real + 1).value(), alignment,
                 mask);
    return;
  }
  ScatterParts(builder_,
               ToStored(type, Lanes(builder_, value.real), facts_).value(),
               base, offsets, alignment, mask);
}

}  // namespace hilo::backends
