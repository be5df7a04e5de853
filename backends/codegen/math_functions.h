// Math functions as LLVM IR, written once for scalars and vectors.
#pragma once

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace hilo::backends {

// Each takes float, double or a vector of either and returns the same type.
// Full range: subnormals, infinities, NaN and huge arguments included. Error
// bounds are those of the opcodes' rows (hlo/ir/opcodes.def); no library is
// called, so results do not depend on the machine.
llvm::Value* EmitExp(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitExpm1(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitLog(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitLog1p(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitSin(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitCos(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitTan(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitTanh(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitSinh(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitCosh(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitAsin(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitAcos(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitAsinh(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitAcosh(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitAtanh(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitAtan2(llvm::IRBuilderBase& builder, llvm::Value* y,
                       llvm::Value* x);
llvm::Value* EmitPow(llvm::IRBuilderBase& builder, llvm::Value* x,
                     llvm::Value* y);
llvm::Value* EmitErf(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitCbrt(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitRsqrt(llvm::IRBuilderBase& builder, llvm::Value* x);
llvm::Value* EmitLogistic(llvm::IRBuilderBase& builder, llvm::Value* x);
// C's fmod, exact.
llvm::Value* EmitRemainder(llvm::IRBuilderBase& builder, llvm::Value* x,
                           llvm::Value* y);

}  // namespace hilo::backends
