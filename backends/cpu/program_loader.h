// Emitted programs to programs that can be called.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/cpu/code_compiler.h"
#include "backends/cpu/kernel_library.h"
#include "backends/cpu/object_cache.h"
#include "backends/cpu/program_emitter.h"
#include "runtime/thread_pool.h"

namespace hilo::backends {

// Where code comes from and where it is kept. All outlive the call.
struct CodeSources {
  const CodeCompiler& compiler;
  KernelLibrary& library;
  // Null: every object is compiled.
  ObjectCache* cache = nullptr;
  // Null: the caller's thread does everything.
  runtime::ThreadPool* thread_pool = nullptr;
};

struct LoadedProgram {
  using EntryFunction = void (*)(void* const* addresses,
                                 const RunContext* context);

  EntryFunction entry = nullptr;
  std::shared_ptr<const LoadedCode> code;
  // All that the entry code calls, other programs' kernels among them.
  std::vector<std::shared_ptr<const LoadedKernel>> kernels;
};

// Compiles the LLVM modules side by side, or takes their objects from the
// cache, and links them. New kernels go to the library. The code does not
// depend on threads, nor on what was compiled before.
absl::StatusOr<LoadedProgram> LoadProgram(EmittedProgram& program,
                                          const CodeSources& sources);

}  // namespace hilo::backends
