// A compiled module that users run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "backends/backend.h"
#include "backends/buffer.h"
#include "backends/program_signature.h"
#include "hlo/ir/literal.h"
#include "runtime/thread_pool.h"

namespace hilo {

using backends::Buffer;

// Runs one program. Thread-safe: any number of runs may go on at once.
//
// Arguments and results are arrays: tuples are flattened in pre-order, tokens
// left out. An argument has the type and dimensions of its parameter leaf, in
// the layout of the module's entry_computation_layout; argument_leaves() lists
// them.
//
// Donation. An argument passed as Buffer::Donate() is given away: after the run
// all handles to it are invalid, and where the module's input_output_alias
// pairs it with a result, that result takes its memory. The same goes for a
// handle that was moved into `arguments` when no other handle is left, where
// the module aliases or donates that parameter. Everything else is kept:
// results are then copied, and come out the same.
class Executable {
 public:
  // Made by Client::Compile. The pool is shared with the client.
  Executable(std::string module_name,
             std::unique_ptr<const backends::Program> program,
             const backends::RunOptions& run_options,
             std::shared_ptr<runtime::ThreadPool> thread_pool);

  const std::string& module_name() const { return module_name_; }
  absl::Span<const backends::ArrayLeaf> argument_leaves() const {
    return program_->signature().arguments;
  }
  absl::Span<const backends::ArrayLeaf> result_leaves() const {
    return program_->signature().results;
  }

  // Where the time of all runs has gone, for a client that profiles.
  backends::ProgramProfile profile() const { return program_->profile(); }

  // Errors: InvalidArgument that names the parameter for a wrong number, type,
  // size or layout of arguments; FailedPrecondition for an invalid buffer;
  // nothing is run or donated then. Otherwise as hlo::Evaluate.
  absl::StatusOr<std::vector<Buffer>> Run(std::vector<Buffer> arguments) const;

  // Runs on the caller's memory, without taking any: for short programs that
  // run often. Arguments and results are the bytes of argument_leaves() and
  // result_leaves(), aligned to their elements. Results overlap nothing, except
  // that one may be the argument that it is aliased with. Errors:
  // InvalidArgument that names the array for a wrong number or size.
  absl::Status RunOnto(absl::Span<const absl::Span<const std::byte>> arguments,
                       absl::Span<const absl::Span<std::byte>> results) const;

  // The same as Run on a thread of the client's. The executable may be
  // destroyed before the future is ready; views must stay alive until then.
  std::future<absl::StatusOr<std::vector<Buffer>>> RunAsync(
      std::vector<Buffer> arguments) const;

  // Converts literals of any layout to arguments, runs, converts back.
  absl::StatusOr<std::vector<hlo::Literal>> RunLiterals(
      absl::Span<const hlo::Literal> arguments) const;

 private:
  std::string module_name_;
  // Shared with asynchronous runs, which may outlive the executable.
  std::shared_ptr<const backends::Program> program_;
  backends::RunOptions run_options_;
  // Of argument_leaves() and result_leaves().
  std::vector<size_t> argument_bytes_;
  std::vector<size_t> result_bytes_;
  // Shared with the client, which may die first.
  std::shared_ptr<runtime::ThreadPool> thread_pool_;
};

}  // namespace hilo
