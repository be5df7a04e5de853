// Placing instructions outside of the loops that they do not depend on.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class Value;
}  // namespace llvm

namespace hilo::backends {

// While it lives, the builder appends where both values have just been
// computed, so that what is made of them alone is computed once and not in each
// iteration of the loops that have begun since. What is appended must be free
// of side effects and traps. Does nothing where it is not evident which of the
// two comes last: no analysis of the function is needed.
class HoistedInsertion {
 public:
  HoistedInsertion(llvm::IRBuilderBase& builder, llvm::Value* a,
                   llvm::Value* b);

 private:
  llvm::IRBuilderBase::InsertPointGuard guard_;
};

}  // namespace hilo::backends
