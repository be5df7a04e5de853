// Tests that the omitted passes are passes of LLVM.
#include "backends/cpu/code_passes.h"

#include <memory>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include <catch2/catch.hpp>

#include "backends/cpu/code_compiler.h"

namespace hilo::backends {
namespace {

// Takes passes and remembers their names.
class PassNames : public llvm::legacy::PassManagerBase {
 public:
  void add(llvm::Pass* pass) override {
    names_.insert(pass->getPassName().str());
    passes_.add(pass);
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  std::set<std::string> names_;
  llvm::legacy::PassManager passes_;
};

// A name that LLVM changed would be a pass that runs again, and nobody the
// wiser.
TEST_CASE("LLVM has the passes that are omitted") {
  // Initialises LLVM.
  REQUIRE(CodeCompiler::Create({}).ok());
  const llvm::Triple triple("x86_64-linux-gnu");
  std::string error;
  const llvm::Target* target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  REQUIRE(target != nullptr);
  const std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64-v3", "", {},
                                  llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                  llvm::CodeGenOptLevel::Less));
  PassNames passes;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  REQUIRE(!machine->addPassesToEmitFile(passes, stream, nullptr,
                                        llvm::CodeGenFileType::ObjectFile));
  for (const absl::string_view name : OmittedPasses()) {
    INFO(std::string(name));
    CHECK(passes.names().contains(std::string(name)));
  }
}

}  // namespace
}  // namespace hilo::backends
