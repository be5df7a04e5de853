// Operators on LLVM values.
#include "backends/codegen/lanes.h"

#include <cstdint>
#include <initializer_list>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/Casting.h"

namespace hilo::backends {
namespace {

using llvm::CmpInst;

Lanes Of(const Lanes& x, llvm::Value* value) { return {x.builder(), value}; }

// An operator's instructions for integers and for floats.
Lanes Binary(llvm::Instruction::BinaryOps integer,
             llvm::Instruction::BinaryOps floating, const Lanes& a,
             const Lanes& b) {
  return Of(a, a.builder().CreateBinOp(a.IsFloat() ? floating : integer,
                                       a.value(), b.value()));
}

Lanes Compare(CmpInst::Predicate integer, CmpInst::Predicate floating,
              const Lanes& a, const Lanes& b) {
  if (a.IsFloat()) {
    return Of(a, a.builder().CreateFCmp(floating, a.value(), b.value()));
  }
  return Of(a, a.builder().CreateICmp(integer, a.value(), b.value()));
}

Lanes Unary(llvm::Intrinsic::ID id, const Lanes& x) {
  return Of(x, x.builder().CreateUnaryIntrinsic(id, x.value()));
}

Lanes Binary(llvm::Intrinsic::ID id, const Lanes& a, const Lanes& b) {
  return Of(a, a.builder().CreateBinaryIntrinsic(id, a.value(), b.value()));
}

llvm::Type* IntegerType(const Lanes& x, unsigned bits) {
  return x.WithScalar(x.builder().getIntNTy(bits));
}

llvm::Type* FloatType(const Lanes& x, bool is_double) {
  llvm::IRBuilderBase& builder = x.builder();
  return x.WithScalar(is_double ? builder.getDoubleTy() : builder.getFloatTy());
}

}  // namespace

llvm::Type* Lanes::type() const { return value_->getType(); }

llvm::Type* Lanes::scalar_type() const { return type()->getScalarType(); }

llvm::Type* Lanes::WithScalar(llvm::Type* scalar) const {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type());
  if (vector == nullptr) return scalar;
  return llvm::FixedVectorType::get(scalar, vector->getNumElements());
}

bool Lanes::IsFloat() const { return scalar_type()->isFloatingPointTy(); }

bool Lanes::IsDouble() const { return scalar_type()->isDoubleTy(); }

unsigned Lanes::bits() const { return scalar_type()->getScalarSizeInBits(); }

unsigned Lanes::count() const {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type());
  return vector == nullptr ? 1 : vector->getNumElements();
}

Lanes Lanes::FloatConstant(double number) const {
  return {*builder_, llvm::ConstantFP::get(type(), number)};
}

Lanes Lanes::IntegerConstant(uint64_t number) const {
  const llvm::APInt value = llvm::APInt(64, number).zextOrTrunc(bits());
  return {*builder_, llvm::ConstantInt::get(type(), value)};
}

Lanes ApplyOperator(LaneOperator op, const Lanes& a, const Lanes& b) {
  using Instruction = llvm::Instruction;
  llvm::IRBuilderBase& builder = a.builder();
  switch (op) {
    case LaneOperator::kAdd:
      return Binary(Instruction::Add, Instruction::FAdd, a, b);
    case LaneOperator::kSubtract:
      return Binary(Instruction::Sub, Instruction::FSub, a, b);
    case LaneOperator::kMultiply:
      return Binary(Instruction::Mul, Instruction::FMul, a, b);
    case LaneOperator::kDivide:
      return Of(a, builder.CreateFDiv(a.value(), b.value()));
    case LaneOperator::kAnd:
      return Of(a, builder.CreateAnd(a.value(), b.value()));
    case LaneOperator::kOr:
      return Of(a, builder.CreateOr(a.value(), b.value()));
    case LaneOperator::kXor:
      return Of(a, builder.CreateXor(a.value(), b.value()));
    case LaneOperator::kShiftLeft:
      return Of(a, builder.CreateShl(a.value(), b.value()));
    case LaneOperator::kShiftRight:
      return Of(a, builder.CreateLShr(a.value(), b.value()));
    case LaneOperator::kLess:
      return Compare(CmpInst::ICMP_SLT, CmpInst::FCMP_OLT, a, b);
    case LaneOperator::kLessOrEqual:
      return Compare(CmpInst::ICMP_SLE, CmpInst::FCMP_OLE, a, b);
    case LaneOperator::kGreater:
      return Compare(CmpInst::ICMP_SGT, CmpInst::FCMP_OGT, a, b);
    case LaneOperator::kGreaterOrEqual:
      return Compare(CmpInst::ICMP_SGE, CmpInst::FCMP_OGE, a, b);
    case LaneOperator::kEqual:
      return Compare(CmpInst::ICMP_EQ, CmpInst::FCMP_OEQ, a, b);
    case LaneOperator::kNotEqual:
      return Compare(CmpInst::ICMP_NE, CmpInst::FCMP_UNE, a, b);
  }
  return a;
}

Lanes operator-(const Lanes& a) {
  if (a.IsFloat()) return Of(a, a.builder().CreateFNeg(a.value()));
  return Of(a, a.builder().CreateNeg(a.value()));
}
Lanes operator~(const Lanes& a) {
  return Of(a, a.builder().CreateNot(a.value()));
}
Lanes ShiftArithmetic(const Lanes& a, const Lanes& amount) {
  return Of(a, a.builder().CreateAShr(a.value(), amount.value()));
}

Lanes Below(const Lanes& a, const Lanes& b) {
  return Of(a, a.builder().CreateICmpULT(a.value(), b.value()));
}
Lanes IsNan(const Lanes& x) {
  return Of(x, x.builder().CreateFCmpUNO(x.value(), x.value()));
}
Lanes Select(const Lanes& condition, const Lanes& a, const Lanes& b) {
  return Of(a,
            a.builder().CreateSelect(condition.value(), a.value(), b.value()));
}

Lanes Fma(const Lanes& a, const Lanes& b, const Lanes& c) {
  return Of(a, a.builder().CreateIntrinsic(llvm::Intrinsic::fma, {a.type()},
                                           {a.value(), b.value(), c.value()}));
}
Lanes Abs(const Lanes& x) { return Unary(llvm::Intrinsic::fabs, x); }
Lanes Sqrt(const Lanes& x) { return Unary(llvm::Intrinsic::sqrt, x); }
Lanes Floor(const Lanes& x) { return Unary(llvm::Intrinsic::floor, x); }
Lanes Ceil(const Lanes& x) { return Unary(llvm::Intrinsic::ceil, x); }
Lanes Truncate(const Lanes& x) { return Unary(llvm::Intrinsic::trunc, x); }
Lanes RoundToEven(const Lanes& x) {
  return Unary(llvm::Intrinsic::roundeven, x);
}
Lanes CopySign(const Lanes& magnitude, const Lanes& sign) {
  return Binary(llvm::Intrinsic::copysign, magnitude, sign);
}
Lanes LargerOrSecond(const Lanes& a, const Lanes& b) {
  return Select(a > b, a, b);
}
Lanes SmallerOrSecond(const Lanes& a, const Lanes& b) {
  return Select(a < b, a, b);
}

Lanes SmallerSigned(const Lanes& a, const Lanes& b) {
  return Binary(llvm::Intrinsic::smin, a, b);
}
Lanes LargerSigned(const Lanes& a, const Lanes& b) {
  return Binary(llvm::Intrinsic::smax, a, b);
}
Lanes SmallerUnsigned(const Lanes& a, const Lanes& b) {
  return Binary(llvm::Intrinsic::umin, a, b);
}

Lanes BitsOf(const Lanes& x) {
  return Of(x, x.builder().CreateBitCast(x.value(), IntegerType(x, x.bits())));
}
Lanes FloatOfBits(const Lanes& x) {
  return Of(x,
            x.builder().CreateBitCast(x.value(), FloatType(x, x.bits() == 64)));
}
Lanes ResizeSigned(const Lanes& x, unsigned bits) {
  return Of(x, x.builder().CreateSExtOrTrunc(x.value(), IntegerType(x, bits)));
}
Lanes ResizeUnsigned(const Lanes& x, unsigned bits) {
  return Of(x, x.builder().CreateZExtOrTrunc(x.value(), IntegerType(x, bits)));
}
Lanes AsInteger(const Lanes& condition, unsigned bits) {
  return ResizeUnsigned(condition, bits);
}
Lanes SignedToFloat(const Lanes& x, bool to_double) {
  return Of(x, x.builder().CreateSIToFP(x.value(), FloatType(x, to_double)));
}
Lanes UnsignedToFloat(const Lanes& x, bool to_double) {
  return Of(x, x.builder().CreateUIToFP(x.value(), FloatType(x, to_double)));
}
Lanes FloatToSigned(const Lanes& x, unsigned bits) {
  return Of(x, x.builder().CreateFPToSI(x.value(), IntegerType(x, bits)));
}
Lanes FloatToUnsigned(const Lanes& x, unsigned bits) {
  return Of(x, x.builder().CreateFPToUI(x.value(), IntegerType(x, bits)));
}
Lanes HalfBitsOf(const Lanes& x) {
  llvm::IRBuilderBase& builder = x.builder();
  llvm::Value* half =
      builder.CreateFPTrunc(x.value(), x.WithScalar(builder.getHalfTy()));
  return Of(x, builder.CreateBitCast(half, IntegerType(x, 16)));
}
Lanes FloatOfHalfBits(const Lanes& x) {
  llvm::IRBuilderBase& builder = x.builder();
  llvm::Value* half =
      builder.CreateBitCast(x.value(), x.WithScalar(builder.getHalfTy()));
  return Of(x, builder.CreateFPExt(half, FloatType(x, false)));
}
Lanes ToDouble(const Lanes& x) {
  return Of(x, x.builder().CreateFPExt(x.value(), FloatType(x, true)));
}
Lanes ToFloat(const Lanes& x) {
  return Of(x, x.builder().CreateFPTrunc(x.value(), FloatType(x, false)));
}

llvm::Constant* FirstLanes(llvm::IRBuilderBase& builder, int64_t lanes,
                           int64_t active) {
  llvm::SmallVector<llvm::Constant*, 64> bits;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    bits.push_back(builder.getInt1(lane < active));
  }
  return llvm::ConstantVector::get(bits);
}

Lanes Polynomial(const Lanes& x, std::initializer_list<double> coefficients) {
  const double* next = coefficients.begin();
  Lanes result = x.Constant(*next);
  while (++next != coefficients.end()) result = Fma(result, x, *next);
  return result;
}

}  // namespace hilo::backends
