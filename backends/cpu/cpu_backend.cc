// Compiles modules to native programs, and runs them.
#include "backends/cpu/cpu_backend.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"

#include "backends/buffer_conversion.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/cpu_compiler.h"
#include "backends/cpu/program_emitter.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "runtime/base/status.h"
#include "runtime/parallel_for.h"

namespace hilo::backends {
namespace {

using passes::AllocationKind;
using passes::BufferAssignment;

constexpr size_t kAlignment = 64;
// What XLA's CPU backend starts from, too.
constexpr uint64_t kInitialRandomState = 0x7012395;

// Arenas of one program that no run uses: pages stay mapped between runs.
class ArenaPool {
 public:
  explicit ArenaPool(int64_t bytes) : bytes_(static_cast<size_t>(bytes)) {}
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;
  ~ArenaPool() {
    for (void* arena : free_) std::free(arena);
  }

  // Null when there is no memory.
  void* Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        void* arena = free_.back();
        free_.pop_back();
        return arena;
      }
    }
    const size_t rounded = (bytes_ + kAlignment - 1) / kAlignment * kAlignment;
    return std::aligned_alloc(kAlignment, rounded);
  }

  void Return(void* arena) {
    const std::lock_guard lock(mutex_);
    free_.push_back(arena);
  }

 private:
  size_t bytes_;
  std::mutex mutex_;
  std::vector<void*> free_;
};

class CpuProgram : public Program {
 public:
  CpuProgram(CpuCompilation compilation, ProgramSignature signature,
             LoadedCode code, void* entry)
      : module_(std::move(compilation.module)),
        signature_(std::move(signature)),
        buffers_(std::move(compilation.buffers)),
        host_functions_(std::move(compilation.program.host_functions)),
        random_state_count_(
            static_cast<size_t>(compilation.program.random_state_count)),
        code_(std::move(code)),
        entry_(reinterpret_cast<EntryFunction>(entry)),
        arenas_(buffers_.peak_bytes()) {
    for (const passes::Allocation& allocation : buffers_.allocations()) {
      if (allocation.kind == AllocationKind::kResult ||
          allocation.kind == AllocationKind::kTemporary) {
        memory_bytes_ += allocation.size_bytes;
      }
    }
  }

  const ProgramSignature& signature() const override { return signature_; }

  absl::StatusOr<std::vector<Buffer>> Run(
      std::vector<ProgramArgument> arguments,
      const RunOptions& options) const override {
    if (options.memory_limit_bytes > 0 &&
        memory_bytes_ > options.memory_limit_bytes) {
      return ResourceExhausted("the program needs ", memory_bytes_,
                               " bytes for its values; the limit is ",
                               options.memory_limit_bytes);
    }
    std::vector<std::shared_ptr<std::byte>> results(signature_.results.size());
    Addresses addresses;
    void* arena = nullptr;
    for (const passes::Allocation& allocation : buffers_.allocations()) {
      const auto number = static_cast<size_t>(allocation.number);
      switch (allocation.kind) {
        case AllocationKind::kArgument:
          addresses.push_back(arguments[number].memory.get());
          break;
        case AllocationKind::kResult: {
          ASSIGN_OR_RETURN(results[number], ResultMemory(number, arguments));
          addresses.push_back(results[number].get());
          break;
        }
        case AllocationKind::kConstant:
          addresses.push_back(const_cast<std::byte*>(
              allocation.constant->value().Leaves()[number]->untyped_data()));
          break;
        case AllocationKind::kTemporary:
          arena = arenas_.Take();
          if (arena == nullptr) {
            return ResourceExhausted("no memory for an arena of ",
                                     allocation.size_bytes, " bytes");
          }
          addresses.push_back(arena);
          break;
      }
    }
    absl::InlinedVector<uint64_t, 4> random_states;
    for (size_t i = 0; i < random_state_count_; ++i) {
      random_states.push_back(kInitialRandomState + options.seed);
      random_states.push_back(0);
    }
    const RunContext context{.loop_workers = options.loop_workers,
                             .host_functions = host_functions_.data(),
                             .random_states = random_states.data()};
    entry_(addresses.data(), &context);
    if (arena != nullptr) arenas_.Return(arena);
    return ToBuffers(std::move(results), arguments);
  }

 private:
  using EntryFunction = void (*)(void* const* allocations,
                                 const RunContext* context);
  using Addresses = absl::InlinedVector<void*, 16>;

  // Memory that the entry code writes result `number` to.
  absl::StatusOr<std::shared_ptr<std::byte>> ResultMemory(
      size_t number, const std::vector<ProgramArgument>& arguments) const {
    const std::optional<int64_t>& alias = signature_.aliased_arguments[number];
    if (alias && CanTakeArgument(number, arguments) &&
        buffers_.may_share_argument(static_cast<int64_t>(number))) {
      return arguments[static_cast<size_t>(*alias)].memory;
    }
    ASSIGN_OR_RETURN(const Buffer buffer,
                     Buffer::Allocate(signature_.results[number].shape));
    return buffer.Consume().memory;
  }

  // Whether the aliased argument was given away, and has room for the result:
  // packed elements take less than others.
  bool CanTakeArgument(size_t number,
                       const std::vector<ProgramArgument>& arguments) const {
    const auto alias =
        static_cast<size_t>(*signature_.aliased_arguments[number]);
    return arguments[alias].is_donated &&
           BufferBytes(signature_.results[number].shape) <=
               BufferBytes(signature_.arguments[alias].shape);
  }

  // The results as buffers; those that could not be written to the argument
  // that was given for them are moved there now.
  absl::StatusOr<std::vector<Buffer>> ToBuffers(
      std::vector<std::shared_ptr<std::byte>> results,
      std::vector<ProgramArgument>& arguments) const {
    std::vector<Buffer> buffers;
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

  // Owns the constants.
  std::unique_ptr<hlo::Module> module_;
  ProgramSignature signature_;
  BufferAssignment buffers_;
  std::vector<HostFunction> host_functions_;
  size_t random_state_count_;
  // Of results and temporaries.
  int64_t memory_bytes_ = 0;
  LoadedCode code_;
  EntryFunction entry_;
  mutable ArenaPool arenas_;
};

class CpuBackend : public Backend {
 public:
  absl::string_view name() const override { return "cpu"; }

  absl::StatusOr<std::unique_ptr<Program>> Compile(
      std::unique_ptr<hlo::Module> module) const override {
    ASSIGN_OR_RETURN(const CodeCompiler* compiler, Compiler());
    ProgramSignature signature = SignatureOf(*module);
    ASSIGN_OR_RETURN(CpuCompilation compilation,
                     CompileToLlvm(std::move(module), *compiler, GivenPlans()));
    ASSIGN_OR_RETURN(LoadedCode code, Load(*compiler, compilation.program));
    ASSIGN_OR_RETURN(void* entry, code.Find(EmittedProgram::kEntryName));
    return std::make_unique<CpuProgram>(
        std::move(compilation), std::move(signature), std::move(code), entry);
  }

 private:
  absl::StatusOr<const CodeCompiler*> Compiler() const {
    const std::lock_guard lock(mutex_);
    if (compiler_ == nullptr) {
      ASSIGN_OR_RETURN(compiler_, CodeCompiler::Create({}));
    }
    return compiler_.get();
  }

  static absl::StatusOr<LoadedCode> Load(const CodeCompiler& compiler,
                                         EmittedProgram& program) {
    std::vector<std::string> objects;
    for (LlvmModule& module : program.modules) {
      compiler.Prepare(*module.module);
      ASSIGN_OR_RETURN(std::string object,
                       compiler.CompileToObject(*module.module));
      objects.push_back(std::move(object));
    }
    const HostSymbol symbols[] = {
        {.name = "hilo_parallel_for",
         .address = reinterpret_cast<const void*>(&hilo_parallel_for)},
        {.name = "hilo_call_host_function",
         .address = reinterpret_cast<const void*>(&hilo_call_host_function)},
    };
    return compiler.Load(std::move(objects), symbols);
  }

  mutable std::mutex mutex_;
  mutable std::unique_ptr<CodeCompiler> compiler_;
};

}  // namespace

std::unique_ptr<Backend> CreateCpuBackend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace hilo::backends
