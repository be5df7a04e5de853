// Math functions on LLVM values, by those on lanes.
#include "backends/codegen/math_functions.h"

#include "backends/codegen/lane_math.h"
#include "backends/codegen/lanes.h"

namespace hilo::backends {
namespace {

llvm::Value* Apply(Lanes (*function)(const Lanes&),
                   llvm::IRBuilderBase& builder, llvm::Value* x) {
  return function(Lanes(builder, x)).value();
}

llvm::Value* Apply(Lanes (*function)(const Lanes&, const Lanes&),
                   llvm::IRBuilderBase& builder, llvm::Value* a,
                   llvm::Value* b) {
  return function(Lanes(builder, a), Lanes(builder, b)).value();
}

}  // namespace

llvm::Value* EmitExp(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Exp, builder, x);
}
llvm::Value* EmitExpm1(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Expm1, builder, x);
}
llvm::Value* EmitLog(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Log, builder, x);
}
llvm::Value* EmitLog1p(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Log1p, builder, x);
}
llvm::Value* EmitSin(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Sin, builder, x);
}
llvm::Value* EmitCos(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Cos, builder, x);
}
llvm::Value* EmitTan(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Tan, builder, x);
}
llvm::Value* EmitTanh(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Tanh, builder, x);
}
llvm::Value* EmitSinh(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Sinh, builder, x);
}
llvm::Value* EmitCosh(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Cosh, builder, x);
}
llvm::Value* EmitAsin(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Asin, builder, x);
}
llvm::Value* EmitAcos(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Acos, builder, x);
}
llvm::Value* EmitAsinh(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Asinh, builder, x);
}
llvm::Value* EmitAcosh(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Acosh, builder, x);
}
llvm::Value* EmitAtanh(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Atanh, builder, x);
}
llvm::Value* EmitErf(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Erf, builder, x);
}
llvm::Value* EmitCbrt(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Cbrt, builder, x);
}
llvm::Value* EmitRsqrt(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Rsqrt, builder, x);
}
llvm::Value* EmitLogistic(llvm::IRBuilderBase& builder, llvm::Value* x) {
  return Apply(&Logistic, builder, x);
}
llvm::Value* EmitAtan2(llvm::IRBuilderBase& builder, llvm::Value* y,
                       llvm::Value* x) {
  return Apply(&Atan2, builder, y, x);
}
llvm::Value* EmitPow(llvm::IRBuilderBase& builder, llvm::Value* x,
                     llvm::Value* y) {
  return Apply(&Pow, builder, x, y);
}
llvm::Value* EmitRemainder(llvm::IRBuilderBase& builder, llvm::Value* x,
                           llvm::Value* y) {
  return Apply(&Remainder, builder, x, y);
}

}  // namespace hilo::backends
