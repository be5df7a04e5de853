// LLVM modules to machine code in memory: the only file that knows ORC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace hilo::backends {

// A module with the context that it lives in.
struct LlvmModule {
  LlvmModule();
  explicit LlvmModule(absl::string_view name);
  LlvmModule(LlvmModule&&) noexcept;
  LlvmModule& operator=(LlvmModule&&) noexcept;
  ~LlvmModule();

  // Declared in this order: the module goes first.
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

// The module in LLVM's text form.
std::string PrintModule(const LlvmModule& module);

// Which processor code is made for.
struct CpuTarget {
  // LLVM's names; empty: those of this machine.
  std::string triple;
  std::string cpu;
  std::string features;
};

// A symbol that code may call, and where it lies in this process.
struct HostSymbol {
  std::string name;
  const void* address = nullptr;
};

// Loaded machine code; unmapped when destroyed.
class LoadedCode {
 public:
  struct State;
  explicit LoadedCode(std::unique_ptr<State> state);
  LoadedCode(LoadedCode&&) noexcept;
  LoadedCode& operator=(LoadedCode&&) noexcept;
  ~LoadedCode();

  // The address of a function. Errors: NotFound.
  absl::StatusOr<void*> Find(absl::string_view symbol) const;

 private:
  std::unique_ptr<State> state_;
};

// Compiles modules for one target. Thread-safe.
class CodeCompiler {
 public:
  // Errors: InvalidArgument for a triple or processor that LLVM lacks.
  static absl::StatusOr<std::unique_ptr<CodeCompiler>> Create(CpuTarget target);
  CodeCompiler(const CodeCompiler&) = delete;
  CodeCompiler& operator=(const CodeCompiler&) = delete;
  ~CodeCompiler();

  // Sets the module's triple and data layout, and gives its functions the
  // target's attributes. Builds with checks verify the module first.
  void Prepare(llvm::Module& module) const;

  // An object file, or assembly text, of a prepared module.
  absl::StatusOr<std::string> CompileToObject(llvm::Module& module) const;
  absl::StatusOr<std::string> CompileToAssembly(llvm::Module& module) const;

  // Links object files of this target with each other, `symbols` and the C
  // library's memcpy, memmove and memset.
  absl::StatusOr<LoadedCode> Load(std::vector<std::string> objects,
                                  absl::Span<const HostSymbol> symbols) const;

  const CpuTarget& target() const { return target_; }
  // Bytes of the widest vector registers that code uses.
  int vector_bytes() const { return vector_bytes_; }

 private:
  explicit CodeCompiler(CpuTarget target) : target_(std::move(target)) {}

  std::unique_ptr<llvm::TargetMachine> MakeTargetMachine() const;

  CpuTarget target_;
  int vector_bytes_ = 16;
};

}  // namespace hilo::backends
