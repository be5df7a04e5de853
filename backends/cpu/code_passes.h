// LLVM's code generation passes, without those that find nothing to do.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/LegacyPassManager.h"

namespace llvm {
class Module;
class Pass;
}  // namespace llvm

namespace hilo::backends {

// Names of passes that never run, by what they are there for: code has none of
// it, or gains nothing.
absl::Span<const absl::string_view> OmittedPasses();

// Takes the passes that LLVM puts together for a target, and runs all but the
// omitted ones: a pass costs some 20,000 instructions, however small the
// module.
class CodePasses : public llvm::legacy::PassManagerBase {
 public:
  void add(llvm::Pass* pass) override;

  void Run(llvm::Module& module) { passes_.run(module); }

 private:
  llvm::legacy::PassManager passes_;
};

}  // namespace hilo::backends
