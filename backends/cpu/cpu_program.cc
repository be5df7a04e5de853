// Fills in the table of addresses, and calls the entry code.
#include "backends/cpu/cpu_program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "backends/backend.h"
#include "backends/buffer.h"
#include "backends/buffer_conversion.h"
#include "backends/cpu/cpu_compiler.h"
#include "backends/cpu/program_emitter.h"
#include "backends/cpu/program_loader.h"
#include "backends/program_signature.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "runtime/base/machine_memory.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using passes::AllocationKind;

// What XLA's CPU backend starts from, too.
constexpr uint64_t kInitialRandomState = 0x7012395;
// Addresses that fit on the stack.
constexpr size_t kStackTableSize = 128;

}  // namespace

CpuProgram::CpuProgram(CpuCompilation compilation, ProgramSignature signature,
                       LoadedProgram code)
    : module_(std::move(compilation.module)),
      signature_(std::move(signature)),
      host_functions_(std::move(compilation.program.host_functions)),
      is_profiled_(compilation.program.is_profiled),
      profiled_(std::move(compilation.program.profiled)),
      random_state_count_(
          static_cast<size_t>(compilation.program.random_state_count)),
      code_(std::move(code)),
      arenas_(compilation.buffers.peak_bytes()) {
  for (const passes::Allocation& allocation :
       compilation.buffers.allocations()) {
    switch (allocation.kind) {
      case AllocationKind::kArgument:
        break;
      case AllocationKind::kResult:
        memory_bytes_ += allocation.size_bytes;
        break;
      case AllocationKind::kConstant:
        constants_.push_back(const_cast<std::byte*>(
            allocation.constant->value()
                .Leaves()[static_cast<size_t>(allocation.number)]
                ->untyped_data()));
        break;
      case AllocationKind::kTemporary:
        memory_bytes_ += allocation.size_bytes;
        has_arena_ = true;
        break;
    }
  }
  for (const passes::Slice& slice : compilation.program.arguments) {
    arguments_.push_back(
        {.allocation = slice.allocation, .offset_bytes = slice.offset_bytes});
  }
  table_size_ = compilation.buffers.allocations().size() + arguments_.size();
  for (size_t i = 0; i < signature_.results.size(); ++i) {
    may_share_argument_.push_back(
        compilation.buffers.may_share_argument(static_cast<int64_t>(i)));
  }
}

absl::Status CpuProgram::CheckMemory(const RunOptions& options) const {
  const int64_t limit = options.memory_limit_bytes > 0
                            ? options.memory_limit_bytes
                            : DefaultMemoryLimitBytes();
  if (memory_bytes_ <= limit) return absl::OkStatus();
  return ResourceExhausted("the program needs ", memory_bytes_,
                           " bytes for its values; the limit is ", limit);
}

void CpuProgram::Call(absl::Span<const std::byte* const> arguments,
                      absl::Span<std::byte* const> results, void* arena,
                      void** table, const RunOptions& options) const {
  void** end = table;
  for (const std::byte* argument : arguments) {
    *end++ = const_cast<std::byte*>(argument);
  }
  for (std::byte* result : results) *end++ = result;
  for (void* constant : constants_) *end++ = constant;
  if (has_arena_) *end++ = arena;
  for (const Argument& argument : arguments_) {
    *end++ = static_cast<std::byte*>(table[argument.allocation]) +
             argument.offset_bytes;
  }
  absl::InlinedVector<uint64_t, 4> random_states;
  for (size_t i = 0; i < random_state_count_; ++i) {
    random_states.push_back(kInitialRandomState + options.seed);
    random_states.push_back(0);
  }
  Enter(table, {.loop_workers = options.loop_workers,
                .host_functions = host_functions_.data(),
                .random_states = random_states.data()});
}

void CpuProgram::Enter(void** table, RunContext context) const {
  if (!is_profiled_) {
    code_.entry(table, &context);
    return;
  }
  // Each run counts for itself: others may go on at the same time.
  std::vector<uint64_t> counters(2 * profiled_.size(), 0);
  context.profile = counters.data();
  const uint64_t start = hilo_profile_clock();
  code_.entry(table, &context);
  const uint64_t end = hilo_profile_clock();
  const std::scoped_lock lock(profile_mutex_);
  profile_.resize(counters.size(), 0);
  for (size_t i = 0; i < counters.size(); ++i) profile_[i] += counters[i];
  ++profiled_runs_;
  profiled_nanoseconds_ += end - start;
}

ProgramProfile CpuProgram::profile() const {
  constexpr double kNanosecond = 1e-9;
  const std::scoped_lock lock(profile_mutex_);
  ProgramProfile profile{
      .entries = {},
      .runs = profiled_runs_,
      .seconds = static_cast<double>(profiled_nanoseconds_) * kNanosecond};
  for (size_t i = 0; 2 * i < profile_.size(); ++i) {
    profile.entries.push_back(
        {.code = profiled_[i],
         .calls = static_cast<int64_t>(profile_[2 * i + 1]),
         .seconds = static_cast<double>(profile_[2 * i]) * kNanosecond});
  }
  return profile;
}

absl::Status CpuProgram::RunOnto(absl::Span<const std::byte* const> arguments,
                                 absl::Span<std::byte* const> results,
                                 const RunOptions& options) const {
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): a vector would clear it.
  std::vector<std::pair<size_t, std::unique_ptr<std::byte[]>>> apart;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::optional<int64_t>& alias = signature_.aliased_arguments[i];
    if (!alias || may_share_argument_[i]) continue;
    if (results[i] != arguments[static_cast<size_t>(*alias)]) continue;
    const int64_t bytes = BufferBytes(signature_.results[i].shape);
    apart.emplace_back(i, new std::byte[static_cast<size_t>(bytes)]);
  }
  if (apart.empty()) return RunApart(arguments, results, options);
  std::vector<std::byte*> places(results.begin(), results.end());
  for (const auto& [i, memory] : apart) places[i] = memory.get();
  RETURN_IF_ERROR(RunApart(arguments, places, options));
  for (const auto& [i, memory] : apart) {
    const int64_t bytes = BufferBytes(signature_.results[i].shape);
    std::memcpy(results[i], memory.get(), static_cast<size_t>(bytes));
  }
  return absl::OkStatus();
}

absl::Status CpuProgram::RunApart(absl::Span<const std::byte* const> arguments,
                                  absl::Span<std::byte* const> results,
                                  const RunOptions& options) const {
  RETURN_IF_ERROR(CheckMemory(options));
  void* arena = nullptr;
  if (has_arena_) {
    arena = arenas_.Take();
    if (arena == nullptr) return ResourceExhausted("no memory for an arena");
  }
  if (table_size_ <= kStackTableSize) {
    std::array<void*, kStackTableSize> table;
    Call(arguments, results, arena, table.data(), options);
  } else {
    std::vector<void*> table(table_size_);
    Call(arguments, results, arena, table.data(), options);
  }
  if (has_arena_) arenas_.Return(arena);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Buffer>> CpuProgram::Run(
    std::vector<ProgramArgument> arguments, const RunOptions& options) const {
  RETURN_IF_ERROR(CheckMemory(options));
  absl::InlinedVector<const std::byte*, 16> argument_addresses;
  for (const ProgramArgument& argument : arguments) {
    argument_addresses.push_back(argument.memory.get());
  }
  std::vector<std::shared_ptr<std::byte>> results(signature_.results.size());
  absl::InlinedVector<std::byte*, 16> result_addresses;
  for (size_t i = 0; i < results.size(); ++i) {
    ASSIGN_OR_RETURN(results[i], ResultMemory(i, arguments));
    result_addresses.push_back(results[i].get());
  }
  RETURN_IF_ERROR(RunApart(argument_addresses, result_addresses, options));
  return ToBuffers(std::move(results), arguments);
}

// Memory that the entry code writes result `number` to.
absl::StatusOr<std::shared_ptr<std::byte>> CpuProgram::ResultMemory(
    size_t number, const std::vector<ProgramArgument>& arguments) const {
  const std::optional<int64_t>& alias = signature_.aliased_arguments[number];
  if (alias && CanTakeArgument(number, arguments) &&
      may_share_argument_[number]) {
    return arguments[static_cast<size_t>(*alias)].memory;
  }
  ASSIGN_OR_RETURN(const Buffer buffer,
                   Buffer::Allocate(signature_.results[number].shape));
  return buffer.Consume().memory;
}

// Whether the result may take the place of an argument that was given away
// and has room for it: packed elements take less than others.
bool CpuProgram::CanTakeArgument(
    size_t number, const std::vector<ProgramArgument>& arguments) const {
  const std::optional<int64_t>& alias = signature_.aliased_arguments[number];
  if (!alias) return false;
  const auto argument = static_cast<size_t>(*alias);
  return arguments[argument].is_donated &&
         BufferBytes(signature_.results[number].shape) <=
             BufferBytes(signature_.arguments[argument].shape);
}

// The results as buffers; those that could not be written to the argument
// that was given for them are moved there now.
absl::StatusOr<std::vector<Buffer>> CpuProgram::ToBuffers(
    std::vector<std::shared_ptr<std::byte>> results,
    std::vector<ProgramArgument>& arguments) const {
  std::vector<Buffer> buffers;
  buffers.reserve(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const hlo::Shape& shape = signature_.results[i].shape;
    const std::optional<int64_t>& alias = signature_.aliased_arguments[i];
    if (alias && CanTakeArgument(i, arguments)) {
      std::shared_ptr<std::byte>& memory =
          arguments[static_cast<size_t>(*alias)].memory;
      if (memory != results[i]) {
        std::memcpy(memory.get(), results[i].get(),
                    static_cast<size_t>(BufferBytes(shape)));
        results[i] = memory;
      }
    }
    buffers.push_back(Buffer::Adopt(shape, std::move(results[i])));
  }
  return buffers;
}

}  // namespace hilo::backends
