// Builds functions of entry code.
#include "backends/cpu/entry_section.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Value.h"

#include "backends/cpu/code_compiler.h"
#include "passes/buffer_assignment/buffer_assignment.h"

namespace hilo::backends {

EntrySection::EntrySection(llvm::Module& module, const std::string& name,
                           llvm::Function::LinkageTypes linkage)
    : entry_builder_(module.getContext()), builder_(module.getContext()) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = builder_.getPtrTy();
  function_ = llvm::Function::Create(
      llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer}, false),
      linkage, name, module);
  entry_builder_.SetInsertPoint(
      llvm::BasicBlock::Create(context, "entry", function_));
  body_ = llvm::BasicBlock::Create(context, "body", function_);
  builder_.SetInsertPoint(body_);
}

llvm::BasicBlock* EntrySection::AppendBlock(const char* name) {
  return llvm::BasicBlock::Create(builder_.getContext(), name, function_);
}

llvm::Value* EntrySection::Address(const passes::Slice& slice) {
  llvm::Value*& base = allocations_[slice.allocation];
  if (base == nullptr) {
    base = entry_builder_.CreateLoad(
        entry_builder_.getPtrTy(),
        entry_builder_.CreateConstGEP1_64(
            entry_builder_.getPtrTy(), function_->getArg(0),
            static_cast<uint64_t>(slice.allocation)));
  }
  return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base,
                                     static_cast<uint64_t>(slice.offset_bytes));
}

llvm::Value* EntrySection::AddressTable(size_t first) {
  return builder_.CreateConstGEP1_64(builder_.getPtrTy(), function_->getArg(0),
                                     first);
}

llvm::Value* EntrySection::LoadFromContext(size_t offset_bytes) {
  llvm::Value* place = offset_bytes == 0 ? run_context()
                                         : builder_.CreateConstGEP1_64(
                                               builder_.getInt8Ty(),
                                               run_context(), offset_bytes);
  return builder_.CreateLoad(builder_.getPtrTy(), place);
}

void EntrySection::Call(const EntrySection& section) {
  builder_.CreateCall(section.function_, {function_->getArg(0), run_context()});
}

void EntrySection::Finish() {
  entry_builder_.CreateBr(body_);
  builder_.CreateRetVoid();
  if (!has_arithmetic_) HaveSimpleAddresses(*function_);
}

}  // namespace hilo::backends
