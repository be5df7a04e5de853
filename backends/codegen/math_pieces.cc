// Polynomials, double-double sums and other parts of math functions.
#include "backends/codegen/math_pieces.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include "backends/codegen/lanes.h"

namespace hilo::backends {
namespace {

// Names the type of the first argument: one function a type.
std::string OutlinedName(absl::string_view name, const Lanes& x) {
  return absl::StrCat("hilo.", name, ".v", x.count(), "f", x.bits());
}

llvm::Function* MakeOutlined(
    llvm::Module& module, const std::string& name,
    absl::Span<const Lanes> arguments,
    const std::function<std::vector<Lanes>(absl::Span<const Lanes>)>& emit) {
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::Type*, 4> types;
  for (const Lanes& argument : arguments) types.push_back(argument.type());
  // The results' types are known when the body is there: it is made in a
  // function without results, and moved.
  llvm::Function* draft = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
      llvm::Function::InternalLinkage, "", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", draft));
  std::vector<Lanes> parameters;
  for (llvm::Argument& argument : draft->args()) {
    parameters.emplace_back(builder, &argument);
  }
  const std::vector<Lanes> results = emit(parameters);
  llvm::SmallVector<llvm::Type*, 4> result_types;
  for (const Lanes& result : results) result_types.push_back(result.type());
  llvm::Type* result_type = llvm::StructType::get(context, result_types);
  llvm::Value* all = llvm::PoisonValue::get(result_type);
  for (unsigned i = 0; i < results.size(); ++i) {
    all = builder.CreateInsertValue(all, results[i].value(), i);
  }
  builder.CreateRet(all);
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(result_type, types, false),
                             llvm::Function::InternalLinkage, name, module);
  function->splice(function->begin(), draft);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    draft->getArg(i)->replaceAllUsesWith(function->getArg(i));
  }
  draft->eraseFromParent();
  return function;
}

}  // namespace

Lanes PowerOfTwo(const Lanes& n) {
  const Lanes sum = n + (RoundingNumber(n) + ExponentBias(n));
  return FloatOfBits(BitsOf(sum) << MantissaBits(n));
}

DoubledLanes ExactSum(const Lanes& a, const Lanes& b) {
  const Lanes sum = a + b;
  return {sum, b - (sum - a)};
}

DoubledLanes ExactSumOfAny(const Lanes& a, const Lanes& b) {
  const Lanes sum = a + b;
  const Lanes b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

DoubledLanes ExactProduct(const Lanes& a, const Lanes& b) {
  const Lanes product = a * b;
  return {product, Fma(a, b, -product)};
}

std::vector<Lanes> CallOutlined(
    absl::string_view name, absl::Span<const Lanes> arguments,
    const std::function<std::vector<Lanes>(absl::Span<const Lanes>)>& emit) {
  llvm::IRBuilderBase& builder = arguments[0].builder();
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const std::string full_name = OutlinedName(name, arguments[0]);
  llvm::Function* function = module.getFunction(full_name);
  if (function == nullptr) {
    function = MakeOutlined(module, full_name, arguments, emit);
  }
  llvm::SmallVector<llvm::Value*, 4> values;
  for (const Lanes& argument : arguments) values.push_back(argument.value());
  llvm::Value* all = builder.CreateCall(function, values);
  std::vector<Lanes> results;
  const unsigned count = function->getReturnType()->getStructNumElements();
  results.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    results.emplace_back(builder, builder.CreateExtractValue(all, i));
  }
  return results;
}

Lanes AnyLane(const Lanes& condition) {
  if (condition.count() == 1) return condition;
  llvm::IRBuilderBase& builder = condition.builder();
  return {builder, builder.CreateOrReduce(condition.value())};
}

std::vector<Lanes> WithSlowPath(
    const Lanes& is_slow, const std::vector<Lanes>& fast,
    const std::function<std::vector<Lanes>()>& emit_slow) {
  llvm::IRBuilderBase& builder = is_slow.builder();
  llvm::BasicBlock* start = builder.GetInsertBlock();
  llvm::Function* function = start->getParent();
  llvm::BasicBlock* slow =
      llvm::BasicBlock::Create(builder.getContext(), "", function);
  llvm::BasicBlock* end =
      llvm::BasicBlock::Create(builder.getContext(), "", function);
  builder.CreateCondBr(AnyLane(is_slow).value(), slow, end);
  builder.SetInsertPoint(slow);
  std::vector<Lanes> replaced = emit_slow();
  for (size_t i = 0; i < fast.size(); ++i) {
    replaced[i] = Select(is_slow, replaced[i], fast[i]);
  }
  llvm::BasicBlock* slow_end = builder.GetInsertBlock();
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  std::vector<Lanes> results;
  for (size_t i = 0; i < fast.size(); ++i) {
    llvm::PHINode* phi = builder.CreatePHI(fast[i].type(), 2);
    phi->addIncoming(fast[i].value(), start);
    phi->addIncoming(replaced[i].value(), slow_end);
    results.emplace_back(builder, phi);
  }
  return results;
}

}  // namespace hilo::backends
