// Keeps facts as named metadata.
#include "backends/codegen/target_facts.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

namespace hilo::backends {
namespace {

constexpr const char* kF16c = "hilo.f16c";

}  // namespace

void SetTargetFacts(const TargetFacts& facts, llvm::Module& module) {
  if (facts.has_f16c) module.getOrInsertNamedMetadata(kF16c);
}

TargetFacts TargetFactsOf(const llvm::IRBuilderBase& builder) {
  const llvm::Module* module = builder.GetInsertBlock()->getModule();
  return {.has_f16c = module->getNamedMetadata(kF16c) != nullptr};
}

}  // namespace hilo::backends
