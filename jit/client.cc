// The life of a program, from module to executable.
#include "jit/client.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "backends/backend.h"
#include "backends/registry.h"
#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "hlo/text/printer.h"
#include "hlo/verify/verify.h"
#include "jit/executable.h"
#include "passes/optimization_level.h"
#include "runtime/base/status.h"
#include "runtime/thread_pool.h"

namespace hilo {
namespace {

absl::Status CheckOptimizationLevel(int level) {
  if (level >= 0 && level <= passes::kMaxOptimizationLevel) {
    return absl::OkStatus();
  }
  return InvalidArgument("the optimisation level must be 0 to ",
                         passes::kMaxOptimizationLevel, ", not ", level);
}

}  // namespace

Client::Client(ClientOptions options,
               std::shared_ptr<runtime::ThreadPool> thread_pool,
               std::unique_ptr<backends::Backend> backend)
    : options_(std::move(options)),
      thread_pool_(std::move(thread_pool)),
      backend_(std::move(backend)) {}

absl::StatusOr<std::unique_ptr<Client>> Client::Create(
    const ClientOptions& options) {
  constexpr int64_t kMaxThreads = 4096;
  if (options.threads < 0 || options.threads > kMaxThreads) {
    return InvalidArgument("threads must be 0 to ", kMaxThreads, ", not ",
                           options.threads);
  }
  if (options.memory_limit_bytes < 0) {
    return InvalidArgument("the memory limit is negative: ",
                           options.memory_limit_bytes);
  }
  RETURN_IF_ERROR(CheckOptimizationLevel(options.optimization_level));
  auto thread_pool = std::make_shared<runtime::ThreadPool>(options.threads);
  ASSIGN_OR_RETURN(
      std::unique_ptr<backends::Backend> backend,
      backends::CreateBackend(options.backend,
                              {.optimization_level = options.optimization_level,
                               .target_cpu = options.target_cpu,
                               .cache_directory = options.cache_directory,
                               .cache_limit_bytes = options.cache_limit_bytes,
                               .thread_pool = thread_pool.get(),
                               .profiles = options.profiles}));
  return std::unique_ptr<Client>(
      new Client(options, std::move(thread_pool), std::move(backend)));
}

// Each step is a value that the next one takes; nothing goes back. Steps 3 to 6
// (traits, passes, buffer assignment, code) are the backend's, in
// backends/cpu/cpu_compiler.cc: the interpreter runs the module as it is.
absl::StatusOr<std::unique_ptr<Executable>> Client::Compile(
    absl::string_view text, absl::string_view name,
    const hlo::ParseOptions& options) const {
  // 1. Text to module, with places on its instructions.
  ASSIGN_OR_RETURN(std::unique_ptr<hlo::Module> module,
                   hlo::Parse(text, name, options));
  return Compile(std::move(module));
}

absl::StatusOr<std::unique_ptr<Executable>> Client::Compile(
    std::unique_ptr<hlo::Module> module, const CompileOptions& options) const {
  if (module == nullptr) return InvalidArgument("there is no module");
  if (options.optimization_level) {
    RETURN_IF_ERROR(CheckOptimizationLevel(*options.optimization_level));
  }
  if (options.dump != nullptr) {
    RETURN_IF_ERROR(options.dump("parsed.hlo", hlo::Print(*module)));
  }
  // 2. All errors, or none.
  if (!options.is_verified) {
    RETURN_IF_ERROR(hlo::Verify(*module));
  }
  // 7. Module to executable program.
  std::string module_name = module->name();
  ASSIGN_OR_RETURN(
      std::unique_ptr<backends::Program> program,
      backend_->Compile(std::move(module),
                        {.optimization_level = options.optimization_level,
                         .plans = options.plans,
                         .dump = options.dump}));
  // 8. Program to executable, which users run (step 9).
  const backends::RunOptions run_options = {
      .seed = options_.seed,
      .memory_limit_bytes = options_.memory_limit_bytes,
      .loop_workers = &thread_pool_->loop_workers()};
  return std::make_unique<Executable>(
      std::move(module_name), std::move(program), run_options, thread_pool_);
}

}  // namespace hilo
