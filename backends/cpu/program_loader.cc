// Compiles and links the modules of a program: kernels first, then what calls
// them.
#include "backends/cpu/program_loader.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "backends/cpu/code_compiler.h"
#include "backends/cpu/code_loader.h"
#include "backends/cpu/kernel_library.h"
#include "backends/cpu/kernel_symbols.h"
#include "backends/cpu/object_cache.h"
#include "backends/cpu/program_emitter.h"
#include "runtime/base/status.h"
#include "runtime/parallel_for.h"

namespace hilo::backends {
namespace {

using LoadedKernels = std::vector<std::shared_ptr<const LoadedKernel>>;

// One LLVM module of a program, on its way to code.
struct Part {
  std::string object;
  std::shared_ptr<const LoadedCode> code;
  LoadedKernels kernels;
  absl::Status status;
};

absl::StatusOr<std::string> ObjectOf(LlvmModule& module,
                                     const CodeSources& sources) {
  sources.compiler.Prepare(*module.module);
  if (sources.cache == nullptr) {
    return sources.compiler.CompileToObject(*module.module);
  }
  const ObjectKey key = sources.cache->KeyOf(BitcodeOf(module));
  std::optional<std::string> known = sources.cache->Find(key);
  if (known) return *std::move(known);
  ASSIGN_OR_RETURN(std::string object,
                   sources.compiler.CompileToObject(*module.module));
  sources.cache->Insert(key, object);
  return object;
}

// Links a part, and lists the kernels of module `number` that it holds.
absl::Status Link(const EmittedProgram& program, size_t number,
                  const std::vector<HostSymbol>& symbols,
                  const CodeSources& sources, Part& part) {
  ASSIGN_OR_RETURN(LoadedCode code,
                   sources.compiler.Load({std::move(part.object)}, symbols));
  part.code = std::make_shared<const LoadedCode>(std::move(code));
  std::vector<std::string> names;
  std::vector<const EmittedKernel*> emitted;
  for (const EmittedKernel& kernel : program.kernels) {
    if (kernel.module != number) continue;
    names.push_back(kernel.kernel.name);
    emitted.push_back(&kernel);
  }
  if (names.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<void*> addresses,
                   part.code->FindAll(names));
  for (size_t i = 0; i < names.size(); ++i) {
    part.kernels.push_back(std::make_shared<const LoadedKernel>(
        LoadedKernel{.kernel = emitted[i]->kernel,
                     .address = addresses[i],
                     .code = part.code}));
    sources.library.Insert(emitted[i]->key, part.kernels.back());
  }
  return absl::OkStatus();
}

// Kernels do not call each other: their parts need nothing but the library.
absl::Status MakePart(EmittedProgram& program, size_t number,
                      const CodeSources& sources, Part& part) {
  ASSIGN_OR_RETURN(part.object, ObjectOf(program.modules[number], sources));
  program.modules[number] = LlvmModule();
  if (number == 0) return absl::OkStatus();
  return Link(program, number, KernelSymbols(), sources, part);
}

std::vector<HostSymbol> SymbolsOf(const LoadedKernels& kernels) {
  std::vector<HostSymbol> symbols = KernelSymbols();
  symbols.insert(
      symbols.end(),
      {{.name = "hilo_parallel_for",
        .address = reinterpret_cast<const void*>(&hilo_parallel_for)},
       {.name = "hilo_call_host_function",
        .address = reinterpret_cast<const void*>(&hilo_call_host_function)},
       {.name = "hilo_profile_clock",
        .address = reinterpret_cast<const void*>(&hilo_profile_clock)}});
  for (const auto& kernel : kernels) {
    symbols.push_back(
        {.name = kernel->kernel.name, .address = kernel->address});
  }
  return symbols;
}

}  // namespace

absl::StatusOr<LoadedProgram> LoadProgram(EmittedProgram& program,
                                          const CodeSources& sources) {
  const auto count = static_cast<int64_t>(program.modules.size());
  std::vector<Part> parts(program.modules.size());
  const auto make = [&](int64_t i) {
    Part& part = parts[static_cast<size_t>(i)];
    part.status = MakePart(program, static_cast<size_t>(i), sources, part);
  };
  if (sources.thread_pool != nullptr) {
    sources.thread_pool->ForEach(count, make);
  } else {
    for (int64_t i = 0; i < count; ++i) make(i);
  }
  LoadedKernels kernels = program.imported_kernels;
  for (const Part& part : parts) {
    RETURN_IF_ERROR(part.status);
    kernels.insert(kernels.end(), part.kernels.begin(), part.kernels.end());
  }
  Part& first = parts[0];
  RETURN_IF_ERROR(Link(program, 0, SymbolsOf(kernels), sources, first));
  kernels.insert(kernels.end(), first.kernels.begin(), first.kernels.end());
  ASSIGN_OR_RETURN(void* entry, first.code->Find(EmittedProgram::kEntryName));
  return LoadedProgram{
      .entry = reinterpret_cast<LoadedProgram::EntryFunction>(entry),
      .code = first.code,
      .kernels = std::move(kernels)};
}

}  // namespace hilo::backends
