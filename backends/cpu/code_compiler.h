// LLVM modules to object files, for one target.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/cpu/code_loader.h"

namespace llvm {
class Function;
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace hilo::backends {

// A module with the context that it lives in.
struct LlvmModule {
  LlvmModule();
  explicit LlvmModule(absl::string_view name);
  LlvmModule(LlvmModule&& other) noexcept;
  LlvmModule& operator=(LlvmModule&& other) noexcept;
  ~LlvmModule();

  // Declared in this order: the module goes first.
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

// "entry".
std::string NameOf(const LlvmModule& module);

// The module in LLVM's text form, and in its binary form.
std::string PrintModule(const LlvmModule& module);
std::string BitcodeOf(const LlvmModule& module);

// Makes all functions of the module but `name` invisible from outside of it.
void HideAllBut(absl::string_view name, llvm::Module& module);

// Says of a function that few of its instructions are arithmetic on addresses
// and indices. Instructions are then selected one by one, in half the time;
// elsewhere that makes loops up to twice as slow.
void HaveSimpleAddresses(llvm::Function& function);

// Which processor code is made for.
struct CpuTarget {
  // LLVM's names; empty: those of this machine.
  std::string triple;
  std::string cpu;
  std::string features;
};

// Compiles modules for one target. Thread-safe.
class CodeCompiler {
 public:
  // Errors: InvalidArgument for a triple or processor that LLVM lacks.
  static absl::StatusOr<std::unique_ptr<CodeCompiler>> Create(CpuTarget target);
  CodeCompiler(const CodeCompiler&) = delete;
  CodeCompiler& operator=(const CodeCompiler&) = delete;
  ~CodeCompiler();

  // Errors: InvalidArgument, naming an instruction set, unless this machine
  // runs what the target's processor runs.
  absl::Status CheckRunsHere() const;

  // Sets the module's triple and data layout, and gives its functions the
  // target's attributes. Builds with checks verify the module first.
  void Prepare(llvm::Module& module) const;

  // An object file of a prepared module, which is used up.
  absl::StatusOr<std::string> CompileToObject(llvm::Module& module) const;
  // Assembly text of a prepared module, which stays as it is.
  absl::StatusOr<std::string> CompileToAssembly(
      const llvm::Module& module) const;

  // Links object files in this process, as CodeLoader::Load.
  absl::StatusOr<LoadedCode> Load(absl::Span<const std::string> objects,
                                  absl::Span<const HostSymbol> symbols) const {
    return loader_->Load(objects, symbols);
  }

  const CpuTarget& target() const { return target_; }
  // Bytes of the widest vector registers that code uses.
  int vector_bytes() const { return vector_bytes_; }
  // Cores that code is made for: those of this process at the beginning.
  int64_t cores() const { return cores_; }
  // What the code of a module depends on beside the module, as text.
  std::string Description() const;

 private:
  // A code generator that is in use, and goes back to the compiler after it.
  class Lease;

  explicit CodeCompiler(CpuTarget target);

  std::unique_ptr<llvm::TargetMachine> MakeTargetMachine() const;

  CpuTarget target_;
  int vector_bytes_ = 16;
  int64_t cores_ = 1;
  std::string data_layout_;
  std::unique_ptr<CodeLoader> loader_;
  mutable std::mutex mutex_;
  // Those that nobody uses: each knows its processor already.
  mutable std::vector<std::unique_ptr<llvm::TargetMachine>> idle_machines_;
};

}  // namespace hilo::backends
