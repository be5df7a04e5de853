// Declares the options of running, and makes clients of them.
#include "jit/cli/execution_options.h"

#include <cstddef>

#include "jit/cli/option_kinds.h"
#include "runtime/base/status.h"

namespace hilo::cli {

void AddExecutionOptions(CLI::App& command, ExecutionOptions& options) {
  command
      .add_option("--backend", options.backend,
                  "What runs the module: see hilo list backends")
      ->capture_default_str()
      ->type_name("NAME");
  command
      .add_option("--threads", options.threads, "Threads; 0 is one per core")
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--memory-limit", options.memory_limit,
                  "Memory for values: bytes, 512M, 4G, or a share of the "
                  "machine's")
      ->capture_default_str()
      ->type_name("SIZE");
  command
      .add_option("--seed", options.seed,
                  "Seeds generated inputs and random opcodes")
      ->capture_default_str()
      ->type_name("N");
  AddInputOptions(command, options.inputs);
  AddChoice(command, "--elided-constants", options.elided_constants,
            {"zeros", "error"}, "What constant({...}) means");
}

absl::StatusOr<std::unique_ptr<Client>> CreateClient(
    const ExecutionOptions& options) {
  ASSIGN_OR_RETURN(const int64_t memory_limit_bytes,
                   ParseMemorySize(options.memory_limit));
  return Client::Create({.backend = options.backend,
                         .threads = options.threads,
                         .memory_limit_bytes = memory_limit_bytes,
                         .seed = options.seed});
}

absl::StatusOr<std::vector<Buffer>> ToBuffers(
    const Executable& executable, std::vector<hlo::Literal> literals) {
  std::vector<Buffer> buffers;
  buffers.reserve(literals.size());
  for (size_t i = 0; i < literals.size(); ++i) {
    hlo::Literal literal =
        std::move(literals[i]).WithShape(executable.argument_leaves()[i].shape);
    ASSIGN_OR_RETURN(Buffer buffer, Buffer::FromLiteral(std::move(literal)));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

}  // namespace hilo::cli
