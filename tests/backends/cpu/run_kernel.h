// Compiles and runs the kernels of single instructions for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/cpu/code_compiler.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "passes/target_traits.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace hilo::backends {

// The compiler for a processor, empty for this machine's, and its traits.
struct TestTarget {
  explicit TestTarget(absl::string_view cpu = "", int64_t cores = 1);

  std::unique_ptr<CodeCompiler> compiler;
  passes::TargetTraits traits;
};

// Facts that a kernel is called with.
struct KernelCall {
  int64_t units = 0;
  int64_t grain = 1;
  // Of all chunks together.
  int64_t scratch_bytes = 0;

  int64_t chunks() const { return (units + grain - 1) / grain; }
};

// A kernel in memory.
class TestKernel {
 public:
  // `emit` puts the kernel called "kernel" into the module.
  TestKernel(const TestTarget& target,
             const std::function<void(llvm::Module&)>& emit);

  // Calls the kernel chunk by chunk, the last one first; the last argument is
  // scratch memory, which this allocates.
  void Run(std::vector<void*> arguments, const KernelCall& call) const;
  // Calls the kernel for one chunk alone.
  void RunChunk(std::vector<void*> arguments, const KernelCall& call,
                int64_t chunk) const;

 private:
  void RunChunks(int64_t begin, int64_t end, std::vector<void*> arguments,
                 const KernelCall& call) const;

  std::unique_ptr<LoadedCode> code_;
  void (*function_)(void**, int64_t, int64_t) = nullptr;
};

// The elements of an array as they lie in memory by the shape's layout, and the
// array from these.
std::vector<char> BytesInLayout(const hlo::Literal& literal,
                                const hlo::Shape& shape);
hlo::Literal LiteralFromLayout(absl::Span<const char> bytes,
                               const hlo::Shape& shape);

// Random values for the parameters of the entry computation: small integers, so
// that sums of products are exact, or numbers in [-1, 1).
std::vector<hlo::Literal> RandomArguments(const hlo::Module& module,
                                          bool are_integers);

// What Difference gives for equal results.
inline constexpr absl::string_view kNoDifference;

// What differs between two results; empty if nothing. Floats may differ by
// `tolerance`, others not at all.
std::string Difference(const hlo::Literal& got, const hlo::Literal& want,
                       double tolerance);

}  // namespace hilo::backends
