// Compiles modules to native programs.
#include "backends/cpu/cpu_backend.h"

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/backend.h"
#include "backends/cache_statistics.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/cpu_compiler.h"
#include "backends/cpu/cpu_program.h"
#include "backends/cpu/kernel_library.h"
#include "backends/cpu/object_cache.h"
#include "backends/cpu/program_loader.h"
#include "backends/program_signature.h"
#include "hlo/ir/module.h"
#include "runtime/base/status.h"
#include "runtime/thread_pool.h"

namespace hilo::backends {
namespace {

class CpuBackend : public Backend {
 public:
  CpuBackend(std::unique_ptr<CodeCompiler> compiler,
             std::unique_ptr<ObjectCache> cache, const BackendOptions& options)
      : compiler_(std::move(compiler)),
        cache_(std::move(cache)),
        optimization_level_(options.optimization_level),
        thread_pool_(options.thread_pool),
        profiles_(options.profiles) {}

  absl::string_view name() const override { return "cpu"; }

  absl::StatusOr<std::unique_ptr<Program>> Compile(
      std::unique_ptr<hlo::Module> module,
      const ModuleOptions& options) const override {
    ProgramSignature signature = SignatureOf(*module);
    // What is dumped is all of the program, other programs' kernels included.
    const bool shares_kernels = options.dump == nullptr;
    ASSIGN_OR_RETURN(
        CpuCompilation compilation,
        CompileToLlvm(
            std::move(module), *compiler_,
            {.optimization_level =
                 options.optimization_level.value_or(optimization_level_),
             .emission = {.plans = options.plans,
                          .library = shares_kernels ? &library_ : nullptr,
                          .profiles = profiles_},
             .dump = options.dump}));
    const CodeSources sources{.compiler = *compiler_,
                              .library = library_,
                              .cache = cache_.get(),
                              .thread_pool = thread_pool_};
    ASSIGN_OR_RETURN(LoadedProgram code,
                     LoadProgram(compilation.program, sources));
    return std::make_unique<CpuProgram>(std::move(compilation),
                                        std::move(signature), std::move(code));
  }

  CacheStatistics cache_statistics() const override {
    return cache_ == nullptr ? CacheStatistics() : cache_->statistics();
  }

 private:
  std::unique_ptr<CodeCompiler> compiler_;
  mutable KernelLibrary library_;
  std::unique_ptr<ObjectCache> cache_;
  int optimization_level_;
  runtime::ThreadPool* thread_pool_;
  bool profiles_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> CreateCpuBackend(
    const BackendOptions& options) {
  ASSIGN_OR_RETURN(
      std::unique_ptr<CodeCompiler> compiler,
      CodeCompiler::Create(
          {.triple = "", .cpu = options.target_cpu, .features = ""}));
  RETURN_IF_ERROR(compiler->CheckRunsHere());
  std::unique_ptr<ObjectCache> cache;
  if (!options.cache_directory.empty()) {
    ASSIGN_OR_RETURN(
        cache, ObjectCache::Open({.directory = options.cache_directory,
                                  .limit_bytes = options.cache_limit_bytes,
                                  .context = compiler->Description()}));
  }
  return std::make_unique<CpuBackend>(std::move(compiler), std::move(cache),
                                      options);
}

}  // namespace hilo::backends
