// Checks arguments, settles who owns their memory, and runs the program.
#include "jit/executable.h"

#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "backends/backend.h"
#include "backends/buffer_conversion.h"
#include "backends/program_signature.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"
#include "runtime/thread_pool.h"

namespace hilo {
namespace {

using backends::ArrayLeaf;
using backends::Program;
using backends::ProgramArgument;
using backends::ProgramSignature;
using backends::RunOptions;

// Whether the two describe the same bytes for the same values.
bool HaveSameForm(const hlo::Shape& a, const hlo::Shape& b) {
  if (!Compatible(a, b)) return false;
  if (backends::HasLiteralForm(a) && backends::HasLiteralForm(b)) return true;
  return a.layout().minor_to_major == b.layout().minor_to_major &&
         a.BufferElementBits() == b.BufferElementBits();
}

absl::Status CheckArguments(const std::vector<Buffer>& arguments,
                            const ProgramSignature& signature) {
  if (arguments.size() != signature.arguments.size()) {
    return InvalidArgument("the module takes ", signature.arguments.size(),
                           " arrays, got ", arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArrayLeaf& leaf = signature.arguments[i];
    RETURN_IF_ERROR(arguments[i].CheckValid()) << "for " << leaf.description;
    if (HaveSameForm(arguments[i].shape(), leaf.shape)) continue;
    return InvalidArgument(leaf.description, " needs ",
                           hlo::ToString(leaf.shape), ", got ",
                           hlo::ToString(arguments[i].shape()));
  }
  return absl::OkStatus();
}

// Holds the memory of all arguments during one run.
class ArgumentMemory {
 public:
  ArgumentMemory(std::vector<Buffer> buffers, const ProgramSignature& signature)
      : buffers_(std::move(buffers)) {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const bool is_last_handle =
          signature.is_donatable[i] && buffers_[i].IsSoleHandle();
      is_donated_.push_back(buffers_[i].is_donated() || is_last_handle);
    }
  }
  ArgumentMemory(const ArgumentMemory&) = delete;
  ArgumentMemory& operator=(const ArgumentMemory&) = delete;
  ~ArgumentMemory() {
    for (const size_t i : pinned_) buffers_[i].Unpin();
  }

  // Kept arguments first: memory that is both kept and donated is not
  // overwritten then.
  absl::StatusOr<std::vector<ProgramArgument>> Take(
      const ProgramSignature& signature) {
    std::vector<ProgramArgument> arguments(buffers_.size());
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (is_donated_[i]) continue;
      arguments[i].memory = buffers_[i].Pin();
      if (arguments[i].memory == nullptr) return Gone(i, signature);
      pinned_.push_back(i);
    }
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (!is_donated_[i]) continue;
      const Buffer::Donation donation = buffers_[i].Consume();
      if (donation.memory == nullptr) return Gone(i, signature);
      arguments[i] = {.memory = donation.memory,
                      .is_donated = donation.is_exclusive};
    }
    return arguments;
  }

 private:
  // The value was there when arguments were checked.
  static absl::Status Gone(size_t i, const ProgramSignature& signature) {
    return absl::FailedPreconditionError(absl::StrCat(
        signature.arguments[i].description,
        ": the buffer was donated twice, or by another run at the same time"));
  }

  std::vector<Buffer> buffers_;
  std::vector<bool> is_donated_;
  std::vector<size_t> pinned_;
};

absl::StatusOr<std::vector<Buffer>> RunProgram(const Program& program,
                                               const RunOptions& options,
                                               std::vector<Buffer> buffers) {
  const ProgramSignature& signature = program.signature();
  RETURN_IF_ERROR(CheckArguments(buffers, signature));
  ArgumentMemory memory(std::move(buffers), signature);
  ASSIGN_OR_RETURN(std::vector<ProgramArgument> arguments,
                   memory.Take(signature));
  return program.Run(std::move(arguments), options);
}

// Checks the sizes of the caller's arrays, and collects their addresses.
template <typename Byte>
absl::Status CheckArrays(absl::Span<const absl::Span<Byte>> arrays,
                         const std::vector<size_t>& sizes,
                         absl::Span<const ArrayLeaf> leaves,
                         absl::InlinedVector<Byte*, 16>& addresses) {
  if (arrays.size() != sizes.size()) {
    return InvalidArgument("the module has ", sizes.size(),
                           std::is_const_v<Byte> ? " arguments" : " results",
                           ", got ", arrays.size(), " arrays");
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].size() != sizes[i]) {
      return InvalidArgument(leaves[i].description, " needs ", sizes[i],
                             " bytes, got ", arrays[i].size());
    }
    addresses.push_back(arrays[i].data());
  }
  return absl::OkStatus();
}

}  // namespace

Executable::Executable(std::string module_name,
                       std::unique_ptr<const Program> program,
                       const RunOptions& run_options,
                       std::shared_ptr<runtime::ThreadPool> thread_pool)
    : module_name_(std::move(module_name)),
      program_(std::move(program)),
      run_options_(run_options),
      thread_pool_(std::move(thread_pool)) {
  for (const ArrayLeaf& leaf : argument_leaves()) {
    argument_bytes_.push_back(
        static_cast<size_t>(backends::BufferBytes(leaf.shape)));
  }
  for (const ArrayLeaf& leaf : result_leaves()) {
    result_bytes_.push_back(
        static_cast<size_t>(backends::BufferBytes(leaf.shape)));
  }
}

absl::StatusOr<std::vector<Buffer>> Executable::Run(
    std::vector<Buffer> arguments) const {
  return RunProgram(*program_, run_options_, std::move(arguments));
}

absl::Status Executable::RunOnto(
    absl::Span<const absl::Span<const std::byte>> arguments,
    absl::Span<const absl::Span<std::byte>> results) const {
  absl::InlinedVector<const std::byte*, 16> argument_addresses;
  RETURN_IF_ERROR(CheckArrays<const std::byte>(
      arguments, argument_bytes_, argument_leaves(), argument_addresses));
  absl::InlinedVector<std::byte*, 16> result_addresses;
  RETURN_IF_ERROR(CheckArrays<std::byte>(results, result_bytes_,
                                         result_leaves(), result_addresses));
  return program_->RunOnto(argument_addresses, result_addresses, run_options_);
}

std::future<absl::StatusOr<std::vector<Buffer>>> Executable::RunAsync(
    std::vector<Buffer> arguments) const {
  // Shared because a std::function must be copyable.
  auto promise =
      std::make_shared<std::promise<absl::StatusOr<std::vector<Buffer>>>>();
  auto held = std::make_shared<std::vector<Buffer>>(std::move(arguments));
  std::future<absl::StatusOr<std::vector<Buffer>>> future =
      promise->get_future();
  thread_pool_->Schedule(
      [program = program_, options = run_options_, promise, held] {
        promise->set_value(RunProgram(*program, options, std::move(*held)));
      });
  return future;
}

absl::StatusOr<std::vector<hlo::Literal>> Executable::RunLiterals(
    absl::Span<const hlo::Literal> arguments) const {
  const absl::Span<const ArrayLeaf> leaves = argument_leaves();
  std::vector<Buffer> buffers;
  for (size_t i = 0; i < arguments.size(); ++i) {
    hlo::Literal literal = arguments[i];
    if (i < leaves.size() && Compatible(literal.shape(), leaves[i].shape)) {
      literal = std::move(literal).WithShape(leaves[i].shape);
    }
    ASSIGN_OR_RETURN(Buffer buffer, Buffer::FromLiteral(std::move(literal)));
    buffers.push_back(std::move(buffer));
  }
  ASSIGN_OR_RETURN(std::vector<Buffer> results, Run(std::move(buffers)));
  std::vector<hlo::Literal> literals;
  for (const Buffer& result : results) {
    ASSIGN_OR_RETURN(hlo::Literal literal, result.ToLiteral());
    literals.push_back(std::move(literal));
  }
  return literals;
}

}  // namespace hilo
