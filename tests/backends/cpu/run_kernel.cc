// Compiles and runs the kernels of single instructions for tests.
#include "tests/backends/cpu/run_kernel.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

#include "backends/codegen/target_facts.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/code_loader.h"
#include "backends/cpu/kernel_symbols.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/eval/index.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "runtime/base/check.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"
#include "tests/hlo/eval/random_arrays.h"

namespace hilo::backends {
namespace {

// Calls f(position in row-major order, position by the layout) for each
// element.
template <typename F>
void ForEachElement(const hlo::Shape& shape, F f) {
  if (shape.ElementCount() == 0) return;
  const hlo::DimensionVector strides = LayoutStrides(shape);
  hlo::DimensionVector index(static_cast<size_t>(shape.rank()), 0);
  int64_t i = 0;
  do {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
    f(i++, offset);
  } while (hlo::NextPosition(shape.dimensions(), absl::MakeSpan(index)));
}

}  // namespace

TestTarget::TestTarget(absl::string_view cpu, int64_t cores) {
  CpuTarget target;
  target.cpu = std::string(cpu);
  absl::StatusOr<std::unique_ptr<CodeCompiler>> created =
      CodeCompiler::Create(target);
  HILO_CHECK(created.ok()) << created.status();
  compiler = *std::move(created);
  traits.vector_bytes = compiler->vector_bytes();
  traits.vector_registers = compiler->vector_bytes() == 64 ? 32 : 16;
  traits.multiplies_pairs = llvm::Triple(compiler->target().triple).isX86();
  traits.cores = cores;
}

TestKernel::TestKernel(const TestTarget& target,
                       const std::function<void(llvm::Module&)>& emit) {
  LlvmModule module("test");
  SetTargetFacts({.has_f16c = target.traits.vector_bytes > 16}, *module.module);
  emit(*module.module);
  target.compiler->Prepare(*module.module);
  absl::StatusOr<std::string> object =
      target.compiler->CompileToObject(*module.module);
  HILO_CHECK(object.ok()) << object.status();
  absl::StatusOr<LoadedCode> code =
      target.compiler->Load({*std::move(object)}, KernelSymbols());
  HILO_CHECK(code.ok()) << code.status();
  code_ = std::make_unique<LoadedCode>(*std::move(code));
  const absl::StatusOr<void*> function = code_->Find("kernel");
  HILO_CHECK(function.ok()) << function.status();
  function_ = reinterpret_cast<void (*)(void**, int64_t, int64_t)>(*function);
}

void TestKernel::Run(std::vector<void*> arguments,
                     const KernelCall& call) const {
  RunChunks(0, call.chunks(), std::move(arguments), call);
}

void TestKernel::RunChunk(std::vector<void*> arguments, const KernelCall& call,
                          int64_t chunk) const {
  RunChunks(chunk, chunk + 1, std::move(arguments), call);
}

void TestKernel::RunChunks(int64_t begin, int64_t end,
                           std::vector<void*> arguments,
                           const KernelCall& call) const {
  // Not zero, so that nobody relies on zeros.
  std::vector<char> scratch(static_cast<size_t>(call.scratch_bytes + 64),
                            '\x77');
  void* aligned = scratch.data();
  size_t space = scratch.size();
  if (call.scratch_bytes > 0) {
    arguments.push_back(std::align(64, 1, aligned, space));
  }
  for (int64_t chunk = end - 1; chunk >= begin; --chunk) {
    function_(arguments.data(), chunk * call.grain,
              std::min((chunk + 1) * call.grain, call.units));
  }
}

std::vector<char> BytesInLayout(const hlo::Literal& literal,
                                const hlo::Shape& shape) {
  const auto bytes = hlo::StorageBytes(shape.element_type());
  std::vector<char> result(
      static_cast<size_t>(shape.ElementCount() * bytes + 1));
  const auto* from = reinterpret_cast<const char*>(literal.untyped_data());
  ForEachElement(shape, [&](int64_t i, int64_t offset) {
    std::memcpy(&result[static_cast<size_t>(offset * bytes)], from + i * bytes,
                static_cast<size_t>(bytes));
  });
  return result;
}

hlo::Literal LiteralFromLayout(absl::Span<const char> bytes,
                               const hlo::Shape& shape) {
  const auto size = hlo::StorageBytes(shape.element_type());
  hlo::Literal result(hlo::WithoutLayout(shape));
  auto* to = reinterpret_cast<char*>(result.mutable_untyped_data());
  ForEachElement(shape, [&](int64_t i, int64_t offset) {
    std::memcpy(to + i * size, &bytes[static_cast<size_t>(offset * size)],
                static_cast<size_t>(size));
  });
  return result;
}

std::vector<hlo::Literal> RandomArguments(const hlo::Module& module,
                                          bool are_integers) {
  hlo::RandomNumbers random(7);
  std::vector<hlo::Literal> arguments;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    const hlo::Shape& shape = parameter->shape();
    hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
      using T = decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T> ||
                    NumericTraits<T>::is_complex) {
        if (!are_integers) {
          arguments.push_back(
              hlo::ArrayOf(shape.dimensions(),
                           hlo::UnitNumbers<T>(shape.ElementCount(), random)));
          return;
        }
      }
      arguments.push_back(
          hlo::ArrayOf(shape.dimensions(),
                       hlo::SmallIntegers<T>(shape.ElementCount(), random)));
    });
  }
  return arguments;
}

std::string Difference(const hlo::Literal& got, const hlo::Literal& want,
                       double tolerance) {
  if (!hlo::Compatible(got.shape(), want.shape())) return "the shapes differ";
  return hlo::DispatchElementType(
      got.shape().element_type(), [&](auto tag) -> std::string {
        using T = decltype(tag)::type;
        for (size_t i = 0; i < got.data<T>().size(); ++i) {
          const auto a = ConvertElement<std::complex<double>>(got.data<T>()[i]);
          const auto b =
              ConvertElement<std::complex<double>>(want.data<T>()[i]);
          if (a == b || std::abs(a - b) <= tolerance) continue;
          if (std::isnan(a.real()) && std::isnan(b.real())) continue;
          return absl::StrCat("element ", i, ": got ", a.real(), " + ",
                              a.imag(), "i, want ", b.real(), " + ", b.imag(),
                              "i");
        }
        return "";
      });
}

}  // namespace hilo::backends
