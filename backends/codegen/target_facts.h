// What the emitters of elements may use of a processor.
#pragma once

namespace llvm {
class IRBuilderBase;
class Module;
}  // namespace llvm

namespace hilo::backends {

// By default, nothing that not every processor with vectors has. The results
// of all code are the same bits whatever the facts are.
struct TargetFacts {
  // Instructions between float and IEEE half precision.
  bool has_f16c = false;
};

// Notes the facts in a module, for all code that will be emitted into it.
void SetTargetFacts(const TargetFacts& facts, llvm::Module& module);

// Those of the module that the builder stands in; the default ones if there
// are none.
TargetFacts TargetFactsOf(const llvm::IRBuilderBase& builder);

}  // namespace hilo::backends
