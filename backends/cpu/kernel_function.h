// The frame of a kernel: its function, its arguments, what they are bound to.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/element_emitter.h"
#include "backends/cpu/kernel.h"

namespace hilo::backends {

// The calling thread's part of scratch memory that `slots` threads share,
// `bytes` each.
llvm::Value* ScratchOfSlot(llvm::IRBuilderBase& builder, llvm::Value* scratch,
                           int64_t slots, int64_t bytes);

// A kernel under construction. Its builder stands behind the loads of the
// argument pointers.
class KernelFunction {
 public:
  KernelFunction(const hlo::Instruction& instruction, absl::string_view name,
                 KernelContext& context);

  const hlo::Instruction& instruction() const { return instruction_; }
  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::Value* begin();
  llvm::Value* end();
  bool is_inline() const { return function_ == nullptr; }
  // Says how many units there are in all; inline code does them at once.
  void set_units(int64_t units) { units_ = units; }
  // Pointers to the array leaves of operand `i`, of the result, and to what
  // follows them (scratch memory).
  llvm::Value* operand(int64_t i, int64_t leaf = 0) const {
    return operands_[static_cast<size_t>(i)][static_cast<size_t>(leaf)];
  }
  llvm::Value* output(int64_t leaf) const {
    return outputs_[static_cast<size_t>(leaf)];
  }
  llvm::Value* LoadScratchPointer();

  // Binds the operands' leaves to their arrays.
  void BindOperands(ElementEmitter& emitter) const;
  // The operands: what the kernel reads from memory.
  const absl::flat_hash_set<const hlo::Instruction*>& arrays() const {
    return arrays_;
  }

  // Ends the function; inline, what follows is appended behind it.
  void Finish();

  // Decides on the lanes of vectors along `elements` elements, under the name
  // by which a plan can be given.
  int DecideLanes(int64_t elements, absl::string_view name = "lanes");
  // The same where lanes are summed in the end: no plan may change results.
  int FixedLanes(int64_t elements);

 private:
  const hlo::Instruction& instruction_;
  KernelContext& context_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  std::vector<std::vector<llvm::Value*>> operands_;
  std::vector<llvm::Value*> outputs_;
  absl::flat_hash_set<const hlo::Instruction*> arrays_;
  int64_t argument_count_ = 0;
  int64_t units_ = 0;

  void Begin(absl::string_view name);
  llvm::Value* LoadPointer(int64_t number);
};

// Lanes of the widest vectors in which every value of the instruction (and of
// what it fuses) fits one register; at most `elements`, rounded up.
int ChooseLanes(const hlo::Instruction& instruction, int64_t elements,
                const passes::TargetTraits& traits);

}  // namespace hilo::backends
