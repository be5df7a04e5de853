// The LLVM types of elements in registers.
#include "backends/codegen/element_value.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Type.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/Casting.h"

#include "hlo/ir/element_type.h"
#include "runtime/base/check.h"

namespace hilo::backends {
namespace {

llvm::Type* ScalarType(llvm::LLVMContext& context, hlo::ElementType type) {
  const hlo::ElementType part = hlo::ComponentType(type);
  switch (hlo::InfoOf(part).element_class) {
    case hlo::ElementClass::kPredicate:
      return llvm::Type::getInt1Ty(context);
    case hlo::ElementClass::kSigned:
    case hlo::ElementClass::kUnsigned:
      return llvm::Type::getIntNTy(
          context, 8U * static_cast<unsigned>(hlo::StorageBytes(part)));
    case hlo::ElementClass::kFloat:
      return part == hlo::ElementType::kF64 ? llvm::Type::getDoubleTy(context)
                                            : llvm::Type::getFloatTy(context);
    case hlo::ElementClass::kComplex:
    case hlo::ElementClass::kNoArray:
      break;
  }
  CHECK(false) << "no array has element type " << hlo::TextOf(type);
  return nullptr;
}

}  // namespace

llvm::Type* RegisterType(llvm::LLVMContext& context, hlo::ElementType type,
                         int lanes) {
  llvm::Type* scalar = ScalarType(context, type);
  if (lanes == 1) return scalar;
  return llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes));
}

int LaneCount(const ElementValue& value) {
  const auto* vector =
      llvm::dyn_cast<llvm::FixedVectorType>(value.real->getType());
  return vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
}

}  // namespace hilo::backends
