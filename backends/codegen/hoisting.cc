// Finds the place behind the later of two values.
#include "backends/codegen/hoisting.h"

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Casting.h"

namespace hilo::backends {
namespace {

// The instruction that comes last; null for values that need none.
struct Later {
  llvm::Instruction* definition = nullptr;
  bool is_evident = true;
};

Later LaterOf(llvm::Value* a, llvm::Value* b) {
  auto* first = llvm::dyn_cast<llvm::Instruction>(a);
  auto* second = llvm::dyn_cast<llvm::Instruction>(b);
  if (first == nullptr) return {.definition = second};
  if (second == nullptr) return {.definition = first};
  if (first->getParent() == second->getParent()) {
    return {.definition = first->comesBefore(second) ? second : first};
  }
  if (first->getParent()->isEntryBlock()) return {.definition = second};
  if (second->getParent()->isEntryBlock()) return {.definition = first};
  return {.is_evident = false};
}

}  // namespace

HoistedInsertion::HoistedInsertion(llvm::IRBuilderBase& builder, llvm::Value* a,
                                   llvm::Value* b)
    : guard_(builder) {
  const Later later = LaterOf(a, b);
  if (!later.is_evident || later.definition == nullptr) return;
  llvm::BasicBlock* block = later.definition->getParent();
  if (block == builder.GetInsertBlock()) return;
  if (llvm::isa<llvm::PHINode>(later.definition)) {
    builder.SetInsertPoint(block, block->getFirstInsertionPt());
  } else {
    builder.SetInsertPoint(block, ++later.definition->getIterator());
  }
}

}  // namespace hilo::backends
