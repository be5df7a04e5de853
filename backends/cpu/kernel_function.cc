// Begins kernels: loads the addresses of their arrays.
#include "backends/cpu/kernel_function.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Value.h"

#include "backends/codegen/element_emitter.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;

// Bytes of one element in a register.
int64_t RegisterBytes(hlo::ElementType type) {
  const hlo::ElementType part = hlo::ComponentType(type);
  if (hlo::IsFloat(part) && hlo::StorageBytes(part) < 4) return 4;
  return hlo::StorageBytes(part);
}

int64_t WidestElement(const Instruction& instruction) {
  int64_t widest = 1;
  const auto include = [&](const Shape& shape) {
    for (const Shape* leaf : shape.Leaves()) {
      if (!leaf->IsArray()) continue;
      widest = std::max(widest, RegisterBytes(leaf->element_type()));
    }
  };
  include(instruction.shape());
  for (const Instruction* operand : instruction.operands()) {
    include(operand->shape());
  }
  if (instruction.opcode() == hlo::Opcode::kFusion) {
    for (const auto& inner : instruction.calls()->instructions()) {
      widest = std::max(widest, WidestElement(*inner));
    }
  }
  return widest;
}

// Functions that take long chains of operations, each waiting for the last,
// but few registers.
constexpr std::array kChains = {
    hlo::Opcode::kCbrt,
    hlo::Opcode::kErf,
    hlo::Opcode::kExponential,
    hlo::Opcode::kLog,
    hlo::Opcode::kExponentialMinusOne,
    hlo::Opcode::kLogPlusOne,
    hlo::Opcode::kTanh,
    hlo::Opcode::kLogistic,
};

bool IsChain(const Instruction& instruction) {
  return hlo::IsFloat(instruction.shape().element_type()) &&
         std::ranges::find(kChains, instruction.opcode()) != kChains.end();
}

// Whether most of what an element takes is a chain.
bool IsMostlyChain(const Instruction& instruction) {
  constexpr size_t kMaxFused = 24;
  if (instruction.opcode() != hlo::Opcode::kFusion) return IsChain(instruction);
  const auto& fused = instruction.calls()->instructions();
  return fused.size() <= kMaxFused &&
         std::ranges::any_of(fused, [](const auto& inner) {
           return inner->shape().IsArray() && IsChain(*inner);
         });
}

}  // namespace

int ChooseLanes(const Instruction& instruction, int64_t elements,
                const passes::TargetTraits& traits) {
  const int64_t most = traits.vector_bytes / WidestElement(instruction);
  const auto enough = static_cast<int64_t>(
      std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(elements, 1))));
  return static_cast<int>(std::max<int64_t>(std::min(most, enough), 1));
}

int KernelFunction::DecideLanes(int64_t elements, absl::string_view name) {
  int chosen = ChooseLanes(instruction_, elements, context_.traits);
  // Two registers a value: two chains at a time, which share constants. The
  // code is longer, too.
  constexpr int64_t kMinVectors = 32;
  if (elements >= kMinVectors * chosen && IsMostlyChain(instruction_)) {
    chosen *= 2;
  }
  return static_cast<int>(context_.plan.Decide(
      name, chosen,
      {.minimum = 1, .maximum = chosen, .is_power_of_two = true}));
}

int KernelFunction::FixedLanes(int64_t elements) {
  const int chosen = ChooseLanes(instruction_, elements, context_.traits);
  return static_cast<int>(context_.plan.Fix("lanes", chosen));
}

llvm::Value* ScratchOfSlot(llvm::IRBuilderBase& builder, llvm::Value* scratch,
                           int64_t slots, int64_t bytes) {
  // Without asking: the caller runs all there is.
  if (slots <= 1) return scratch;
  const llvm::FunctionCallee slot =
      builder.GetInsertBlock()->getModule()->getOrInsertFunction(
          "hilo_loop_slot", builder.getInt64Ty());
  return builder.CreatePtrAdd(
      scratch,
      builder.CreateMul(builder.CreateCall(slot),
                        builder.getInt64(static_cast<uint64_t>(bytes))));
}

KernelFunction::KernelFunction(const Instruction& instruction,
                               absl::string_view name, KernelContext& context)
    : instruction_(instruction),
      context_(context),
      builder_(context.module.getContext()) {
  if (context.inline_target == nullptr) {
    Begin(name);
  } else {
    builder_.SetInsertPoint(context.inline_target->builder.GetInsertBlock(),
                            context.inline_target->builder.GetInsertPoint());
  }
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Instruction* operand = instruction.operand(i);
    arrays_.insert(operand);
    operands_.emplace_back();
    for (const Shape* leaf : operand->shape().Leaves()) {
      if (leaf->IsArray()) {
        operands_.back().push_back(LoadPointer(argument_count_++));
      }
    }
  }
  for (const Shape* leaf : instruction.shape().Leaves()) {
    if (leaf->IsArray()) outputs_.push_back(LoadPointer(argument_count_++));
  }
}

void KernelFunction::Begin(absl::string_view name) {
  llvm::Type* i64 = builder_.getInt64Ty();
  llvm::FunctionType* type = llvm::FunctionType::get(
      builder_.getVoidTy(), {builder_.getPtrTy(), i64, i64}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                     llvm::StringRef(name.data(), name.size()),
                                     context_.module);
  builder_.SetInsertPoint(
      llvm::BasicBlock::Create(builder_.getContext(), "entry", function_));
}

void KernelFunction::Finish() {
  if (function_ != nullptr) {
    builder_.CreateRetVoid();
    return;
  }
  context_.inline_target->builder.SetInsertPoint(builder_.GetInsertBlock(),
                                                 builder_.GetInsertPoint());
}

llvm::Value* KernelFunction::begin() {
  if (is_inline()) return builder_.getInt64(0);
  return function_->getArg(1);
}

llvm::Value* KernelFunction::end() {
  if (is_inline()) return builder_.getInt64(static_cast<uint64_t>(units_));
  return function_->getArg(2);
}

llvm::Value* KernelFunction::LoadPointer(int64_t number) {
  if (is_inline()) {
    return context_.inline_target->addresses[static_cast<size_t>(number)];
  }
  llvm::Value* place = builder_.CreateConstGEP1_64(
      builder_.getPtrTy(), function_->getArg(0), static_cast<uint64_t>(number));
  return builder_.CreateLoad(builder_.getPtrTy(), place);
}

llvm::Value* KernelFunction::LoadScratchPointer() {
  return LoadPointer(argument_count_);
}

void KernelFunction::BindOperands(ElementEmitter& emitter) const {
  if (instruction_.opcode() == hlo::Opcode::kFusion) {
    const hlo::Computation& computation = *instruction_.calls();
    for (int64_t i = 0; i < computation.parameter_count(); ++i) {
      emitter.BindParameter(*computation.parameter(i),
                            *instruction_.operand(i));
    }
  }
  for (int64_t i = 0; i < instruction_.operand_count(); ++i) {
    const auto& leaves = operands_[static_cast<size_t>(i)];
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      emitter.BindArray(*instruction_.operand(i), static_cast<int64_t>(leaf),
                        leaves[leaf]);
    }
  }
}

}  // namespace hilo::backends
