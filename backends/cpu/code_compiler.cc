// Compiles modules to objects without a middle end, and links them in memory.
#include "backends/cpu/code_compiler.h"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"

#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

namespace orc = llvm::orc;

// Code generation passes that cost a third of the compile time and that
// explicit vectors with constant offsets gain nothing from.
constexpr const char* kCodegenOptions[] = {
    "hilo",
    "-disable-lsr",
    "-disable-cgp",
    "-disable-machine-sink",
    "-disable-machine-cse",
    "-disable-machine-licm",
    "-disable-postra-machine-licm",
    "-enable-misched=false",
    "-disable-branch-fold",
    "-disable-tail-duplicate",
};

void InitializeLlvmOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    llvm::cl::ParseCommandLineOptions(
        static_cast<int>(std::size(kCodegenOptions)), kCodegenOptions);
  });
}

std::string TextOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

std::string HostFeatures() {
  std::string features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    absl::StrAppend(&features, features.empty() ? "" : ",",
                    feature.second ? "+" : "-", feature.first().str());
  }
  return features;
}

int VectorBytesOf(const llvm::TargetMachine& machine) {
  const llvm::MCSubtargetInfo& subtarget = *machine.getMCSubtargetInfo();
  if (!machine.getTargetTriple().isX86()) return 16;
  if (subtarget.checkFeatures("+avx512f,+avx512bw,+avx512dq,+avx512vl")) {
    return 64;
  }
  return subtarget.checkFeatures("+avx2,+fma,+f16c") ? 32 : 16;
}

}  // namespace

LlvmModule::LlvmModule() = default;
LlvmModule::LlvmModule(absl::string_view name)
    : context(std::make_unique<llvm::LLVMContext>()),
      module(std::make_unique<llvm::Module>(
          llvm::StringRef(name.data(), name.size()), *context)) {}
LlvmModule::LlvmModule(LlvmModule&&) noexcept = default;
LlvmModule& LlvmModule::operator=(LlvmModule&& other) noexcept {
  module = std::move(other.module);
  context = std::move(other.context);
  return *this;
}
LlvmModule::~LlvmModule() = default;

std::string PrintModule(const LlvmModule& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.module->print(stream, nullptr);
  return text;
}

struct LoadedCode::State {
  std::unique_ptr<orc::LLJIT> jit;
};

LoadedCode::LoadedCode(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
LoadedCode::LoadedCode(LoadedCode&&) noexcept = default;
LoadedCode& LoadedCode::operator=(LoadedCode&&) noexcept = default;
LoadedCode::~LoadedCode() = default;

absl::StatusOr<void*> LoadedCode::Find(absl::string_view symbol) const {
  llvm::Expected<orc::ExecutorAddr> address =
      state_->jit->lookup(llvm::StringRef(symbol.data(), symbol.size()));
  if (!address) return absl::NotFoundError(TextOf(address.takeError()));
  return address->toPtr<void*>();
}

absl::StatusOr<std::unique_ptr<CodeCompiler>> CodeCompiler::Create(
    CpuTarget target) {
  InitializeLlvmOnce();
  if (target.triple.empty()) target.triple = llvm::sys::getProcessTriple();
  if (target.cpu.empty()) {
    target.cpu = llvm::sys::getHostCPUName().str();
    target.features = HostFeatures();
  }
  std::string error;
  if (llvm::TargetRegistry::lookupTarget(llvm::Triple(target.triple), error) ==
      nullptr) {
    return InvalidArgument("target ", target.triple, ": ", error);
  }
  std::unique_ptr<CodeCompiler> compiler(new CodeCompiler(std::move(target)));
  const std::unique_ptr<llvm::TargetMachine> machine =
      compiler->MakeTargetMachine();
  if (machine == nullptr ||
      !machine->getMCSubtargetInfo()->isCPUStringValid(compiler->target_.cpu)) {
    return InvalidArgument("LLVM knows no processor '", compiler->target_.cpu,
                           "' of target ", compiler->target_.triple);
  }
  compiler->vector_bytes_ = VectorBytesOf(*machine);
  return compiler;
}

CodeCompiler::~CodeCompiler() = default;

std::unique_ptr<llvm::TargetMachine> CodeCompiler::MakeTargetMachine() const {
  std::string error;
  const llvm::Triple triple(target_.triple);
  const llvm::Target* target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::TargetOptions options;
  // multiply and add round twice; kernels that contract say so with llvm.fma.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, target_.cpu, target_.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less, /*JIT=*/true));
}

void CodeCompiler::Prepare(llvm::Module& module) const {
  const std::unique_ptr<llvm::TargetMachine> machine = MakeTargetMachine();
  module.setTargetTriple(llvm::Triple(target_.triple));
  module.setDataLayout(machine->createDataLayout());
  const std::string vector_bits = absl::StrCat(vector_bytes_ * 8);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", target_.cpu);
    function.addFnAttr("target-features", target_.features);
    function.addFnAttr("prefer-vector-width", vector_bits);
    function.addFnAttr("min-legal-vector-width", vector_bits);
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
#ifndef NDEBUG
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  CHECK(!llvm::verifyModule(module, &stream))
      << "emitted IR is not valid: " << problems;
#endif
}

namespace {

absl::StatusOr<std::string> CompileTo(llvm::CodeGenFileType kind,
                                      llvm::TargetMachine& machine,
                                      llvm::Module& module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind)) {
    return absl::InternalError("LLVM cannot write this kind of file");
  }
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace

absl::StatusOr<std::string> CodeCompiler::CompileToObject(
    llvm::Module& module) const {
  const std::unique_ptr<llvm::TargetMachine> machine = MakeTargetMachine();
  return CompileTo(llvm::CodeGenFileType::ObjectFile, *machine, module);
}

absl::StatusOr<std::string> CodeCompiler::CompileToAssembly(
    llvm::Module& module) const {
  const std::unique_ptr<llvm::TargetMachine> machine = MakeTargetMachine();
  return CompileTo(llvm::CodeGenFileType::AssemblyFile, *machine, module);
}

absl::StatusOr<LoadedCode> CodeCompiler::Load(
    std::vector<std::string> objects,
    absl::Span<const HostSymbol> symbols) const {
  llvm::Expected<std::unique_ptr<orc::LLJIT>> jit =
      orc::LLJITBuilder()
          .setJITTargetMachineBuilder(
              orc::JITTargetMachineBuilder(llvm::Triple(target_.triple)))
          .create();
  if (!jit) return absl::InternalError(TextOf(jit.takeError()));
  orc::SymbolMap map;
  for (const HostSymbol& symbol : symbols) {
    map[(*jit)->mangleAndIntern(symbol.name)] = {
        orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported};
  }
  orc::JITDylib& library = (*jit)->getMainJITDylib();
  if (llvm::Error error =
          library.define(orc::absoluteSymbols(std::move(map)))) {
    return absl::InternalError(TextOf(std::move(error)));
  }
  for (std::string& object : objects) {
    std::unique_ptr<llvm::MemoryBuffer> buffer =
        llvm::MemoryBuffer::getMemBufferCopy(object);
    if (llvm::Error error = (*jit)->addObjectFile(std::move(buffer))) {
      return absl::InternalError(TextOf(std::move(error)));
    }
  }
  auto state = std::make_unique<LoadedCode::State>();
  state->jit = std::move(*jit);
  return LoadedCode(std::move(state));
}

}  // namespace hilo::backends
