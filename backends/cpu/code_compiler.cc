// Compiles modules to objects without a middle end.
#include "backends/cpu/code_compiler.h"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include "backends/cpu/code_loader.h"
#include "backends/cpu/code_passes.h"
// For builds that check.
#include "runtime/base/check.h"  // IWYU pragma: keep
#include "runtime/base/status.h"
#include "runtime/parallel_for.h"

namespace hilo::backends {
namespace {

// Code generation passes that cost a third of the compile time and that
// explicit vectors with constant offsets gain nothing from.
constexpr auto kCodegenOptions = std::to_array<const char*>({
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
});

// Marks functions for HaveSimpleAddresses.
constexpr const char* kSimpleAddresses = "hilo-simple-addresses";

void InitializeLlvmOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    // Code for other machines is made, though not run.
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    llvm::cl::ParseCommandLineOptions(static_cast<int>(kCodegenOptions.size()),
                                      kCodegenOptions.data());
  });
}

llvm::FeatureBitset FeatureBits(const llvm::Triple& triple,
                                const std::string& cpu,
                                const std::string& features) {
  std::string error;
  const llvm::Target* target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, cpu, features));
  return subtarget->getFeatureBits();
}

// What this machine has and its model `cpu` has not, or the other way round.
// Naming all features would say the same; LLVM takes 7,000 instructions to
// apply one, and applies them twice for each code generator.
std::string HostFeatures(const llvm::Triple& triple, const std::string& cpu) {
  llvm::SmallVector<llvm::StringRef, 64> of_model;
  if (triple.isX86()) llvm::X86::getFeaturesForCPU(cpu, of_model);
  std::vector<std::string> all;
  std::vector<std::string> differing;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    all.push_back(
        absl::StrCat(feature.second ? "+" : "-", feature.first().str()));
    if (feature.second != llvm::is_contained(of_model, feature.first())) {
      differing.push_back(all.back());
    }
  }
  std::string few = absl::StrJoin(differing, ",");
  std::string every = absl::StrJoin(all, ",");
  const bool is_same =
      FeatureBits(triple, cpu, few) == FeatureBits(triple, cpu, every);
  return is_same ? few : every;
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

std::string NameOf(const LlvmModule& module) {
  return module.module->getModuleIdentifier();
}

std::string PrintModule(const LlvmModule& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.module->print(stream, nullptr);
  return text;
}

std::string BitcodeOf(const LlvmModule& module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*module.module, stream);
  return {bytes.data(), bytes.size()};
}

void HideAllBut(absl::string_view name, llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (function.getName() == llvm::StringRef(name.data(), name.size())) {
      continue;
    }
    function.setLinkage(llvm::Function::InternalLinkage);
  }
}

class CodeCompiler::Lease {
 public:
  explicit Lease(const CodeCompiler& compiler) : compiler_(compiler) {
    {
      const std::scoped_lock lock(compiler.mutex_);
      if (!compiler.idle_machines_.empty()) {
        machine_ = std::move(compiler.idle_machines_.back());
        compiler.idle_machines_.pop_back();
      }
    }
    if (machine_ == nullptr) machine_ = compiler.MakeTargetMachine();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    const std::scoped_lock lock(compiler_.mutex_);
    compiler_.idle_machines_.push_back(std::move(machine_));
  }

  llvm::TargetMachine& machine() { return *machine_; }

 private:
  const CodeCompiler& compiler_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

CodeCompiler::CodeCompiler(CpuTarget target) : target_(std::move(target)) {}

absl::StatusOr<std::unique_ptr<CodeCompiler>> CodeCompiler::Create(
    CpuTarget target) {
  InitializeLlvmOnce();
  const llvm::Triple here(llvm::sys::getProcessTriple());
  if (target.triple.empty()) target.triple = here.str();
  if (target.cpu.empty()) {
    const bool is_here =
        llvm::Triple(target.triple).getArch() == here.getArch();
    target.cpu = is_here ? llvm::sys::getHostCPUName().str() : "generic";
    if (is_here) target.features = HostFeatures(here, target.cpu);
  }
  std::string error;
  if (llvm::TargetRegistry::lookupTarget(llvm::Triple(target.triple), error) ==
      nullptr) {
    return InvalidArgument("target ", target.triple, ": ", error);
  }
  std::unique_ptr<CodeCompiler> compiler(new CodeCompiler(std::move(target)));
  compiler->cores_ = runtime::AvailableProcessors();
  std::unique_ptr<llvm::TargetMachine> machine = compiler->MakeTargetMachine();
  if (machine == nullptr ||
      !machine->getMCSubtargetInfo()->isCPUStringValid(compiler->target_.cpu)) {
    return InvalidArgument("LLVM knows no processor '", compiler->target_.cpu,
                           "' of target ", compiler->target_.triple);
  }
  compiler->vector_bytes_ = VectorBytesOf(*machine);
  compiler->data_layout_ =
      machine->createDataLayout().getStringRepresentation();
  compiler->idle_machines_.push_back(std::move(machine));
  ASSIGN_OR_RETURN(compiler->loader_, CodeLoader::Create());
  return compiler;
}

CodeCompiler::~CodeCompiler() = default;

std::string CodeCompiler::Description() const {
  return absl::StrCat("LLVM ", LLVM_VERSION_STRING, " ", target_.triple, " ",
                      target_.cpu, " ", target_.features, " ",
                      absl::StrJoin(kCodegenOptions, " "));
}

absl::Status CodeCompiler::CheckRunsHere() const {
  const llvm::Triple triple(target_.triple);
  if (triple.getArch() !=
      llvm::Triple(llvm::sys::getProcessTriple()).getArch()) {
    return InvalidArgument("this machine does not run code for ",
                           target_.triple);
  }
  // Features that are given are this machine's.
  if (!triple.isX86() || !target_.features.empty()) return absl::OkStatus();
  llvm::SmallVector<llvm::StringRef, 64> needed;
  llvm::X86::getFeaturesForCPU(target_.cpu, needed);
  const llvm::StringMap<bool> present = llvm::sys::getHostCPUFeatures();
  for (const llvm::StringRef feature : needed) {
    const auto found = present.find(feature);
    if (found != present.end() && !found->second) {
      return InvalidArgument("processor ", target_.cpu, " has ", feature.str(),
                             ", which this machine lacks");
    }
  }
  return absl::OkStatus();
}

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
  module.setTargetTriple(llvm::Triple(target_.triple));
  module.setDataLayout(data_layout_);
  const std::string vector_bits = absl::StrCat(vector_bytes_ * 8);
  llvm::AttrBuilder attributes(module.getContext());
  attributes.addAttribute("target-cpu", target_.cpu);
  attributes.addAttribute("target-features", target_.features);
  attributes.addAttribute("prefer-vector-width", vector_bits);
  attributes.addAttribute("min-legal-vector-width", vector_bits);
  attributes.addAttribute(llvm::Attribute::NoUnwind);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) function.addFnAttrs(attributes);
  }
#ifndef NDEBUG
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  CHECK(!llvm::verifyModule(module, &stream))
      << "emitted IR is not valid: " << problems;
#endif
}

namespace {

// Sets how instructions of the function that comes next are selected. Runs
// right before that: passes over functions go function by function.
class ChooseSelection : public llvm::FunctionPass {
 public:
  static char id;
  explicit ChooseSelection(llvm::TargetMachine& machine)
      : FunctionPass(id), machine_(machine) {}

  llvm::StringRef getPassName() const override {
    return "Choice of instruction selection";
  }
  bool runOnFunction(llvm::Function& function) override {
    machine_.setFastISel(function.hasFnAttribute(kSimpleAddresses));
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
  }

 private:
  llvm::TargetMachine& machine_;
};

char ChooseSelection::id = 0;

// What addPassesToEmitFile does, with our pass before the selection.
absl::StatusOr<std::string> CompileTo(llvm::CodeGenFileType kind,
                                      llvm::TargetMachine& machine,
                                      llvm::Module& module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  CodePasses passes;
  // Without it no library function counts as there: large copies would become
  // loops over bytes.
  passes.add(new llvm::RuntimeLibraryInfoWrapper(
      machine.getTargetTriple(), machine.Options.ExceptionModel,
      machine.Options.FloatABIType, machine.Options.EABIVersion,
      machine.Options.MCOptions.ABIName, machine.Options.VecLib));
  llvm::TargetPassConfig* config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  auto* information = new llvm::MachineModuleInfoWrapperPass(&machine);
  passes.add(information);
  // Among the first passes over functions; the selection is one of these, too.
  config->insertPass(&llvm::AtomicExpandID, new ChooseSelection(machine));
  if (config->addISelPasses()) {
    return absl::InternalError("LLVM cannot select instructions");
  }
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, kind,
                            information->getMMI().getContext())) {
    return absl::InternalError("LLVM cannot write this kind of file");
  }
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.Run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace

void HaveSimpleAddresses(llvm::Function& function) {
  function.addFnAttr(kSimpleAddresses);
}

absl::StatusOr<std::string> CodeCompiler::CompileToObject(
    llvm::Module& module) const {
  Lease lease(*this);
  return CompileTo(llvm::CodeGenFileType::ObjectFile, lease.machine(), module);
}

absl::StatusOr<std::string> CodeCompiler::CompileToAssembly(
    const llvm::Module& module) const {
  Lease lease(*this);
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  return CompileTo(llvm::CodeGenFileType::AssemblyFile, lease.machine(), *copy);
}

}  // namespace hilo::backends
