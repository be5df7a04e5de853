// Functions of entry code under construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

#include "passes/buffer_assignment/buffer_assignment.h"

namespace hilo::backends {

// A function `void (ptr addresses, ptr run_context)`, as EmittedProgram has it.
// Its builder stands behind what loads the addresses of allocations.
class EntrySection {
 public:
  EntrySection(llvm::Module& module, const std::string& name,
               llvm::Function::LinkageTypes linkage);

  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::Value* run_context() const { return function_->getArg(1); }
  // A new block behind all others.
  llvm::BasicBlock* AppendBlock(const char* name);

  // The address of a slice.
  llvm::Value* Address(const passes::Slice& slice);
  // Where the addresses from number `first` on are.
  llvm::Value* AddressTable(size_t first);
  // The pointer that RunContext has `offset_bytes` from its beginning.
  llvm::Value* LoadFromContext(size_t offset_bytes);
  // Runs another section.
  void Call(const EntrySection& section);
  // Says that the code does more than call.
  void set_has_arithmetic() { has_arithmetic_ = true; }

  // Ends the function.
  void Finish();

 private:
  llvm::Function* function_ = nullptr;
  // Before the code: addresses of allocations.
  llvm::IRBuilder<> entry_builder_;
  llvm::IRBuilder<> builder_;
  llvm::BasicBlock* body_ = nullptr;
  absl::flat_hash_map<int32_t, llvm::Value*> allocations_;
  bool has_arithmetic_ = false;
};

}  // namespace hilo::backends
