// Measures kernels of matrix products and convolutions on one core.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Alignment.h"

#include "backends/codegen/loop.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/code_loader.h"
#include "backends/cpu/convolution_plan.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/text/parser.h"
#include "passes/target_traits.h"
#include "runtime/base/check.h"
#include "runtime/cpu_time.h"

namespace hilo::backends {
namespace {

using KernelFunction = void (*)(void**, int64_t, int64_t);

struct AlignedFree {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, AlignedFree>;

Memory Allocate(int64_t bytes) {
  constexpr size_t kPage = 2 << 20;
  const size_t size = (static_cast<size_t>(bytes) / kPage + 1) * kPage;
  Memory memory(std::aligned_alloc(kPage, size));
  std::memset(memory.get(), 0, size);
  return memory;
}

// The best time of one call, in seconds.
template <typename F>
double BestSeconds(F f) {
  constexpr double kRound = 0.02;
  constexpr int kRounds = 15;
  double best = 1e9;
  int64_t calls = 1;
  for (int round = 0; round < kRounds; ++round) {
    const double start = runtime::ThreadSeconds();
    for (int64_t i = 0; i < calls; ++i) f();
    const double seconds = runtime::ThreadSeconds() - start;
    best = std::min(best, seconds / static_cast<double>(calls));
    calls = std::max<int64_t>(
        1, static_cast<int64_t>(kRound / std::max(best, 1e-9)));
  }
  return best;
}

struct Loaded {
  explicit Loaded(LoadedCode loaded) : code(std::move(loaded)) {
    const absl::StatusOr<void*> address = code.Find("kernel");
    HILO_CHECK(address.ok()) << address.status();
    function = reinterpret_cast<KernelFunction>(*address);
  }

  LoadedCode code;
  KernelFunction function = nullptr;
};

Loaded Compile(const CodeCompiler& compiler, LlvmModule module) {
  compiler.Prepare(*module.module);
  if (std::getenv("HILO_BENCHMARK_ASSEMBLY") != nullptr) {
    std::puts(compiler.CompileToAssembly(*module.module)->c_str());
  }
  absl::StatusOr<std::string> object = compiler.CompileToObject(*module.module);
  HILO_CHECK(object.ok()) << object.status();
  absl::StatusOr<LoadedCode> code = compiler.Load({*std::move(object)}, {});
  HILO_CHECK(code.ok()) << code.status();
  return Loaded(*std::move(code));
}

// Multiplies and adds f32 vectors in twelve registers as fast as the core can.
double MeasurePeak(const CodeCompiler& compiler) {
  constexpr int kSums = 12;
  constexpr int64_t kSteps = 100000;
  const int lanes = compiler.vector_bytes() / 4;
  LlvmModule module("peak");
  llvm::IRBuilder<> builder(*module.context);
  llvm::Type* i64 = builder.getInt64Ty();
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(),
                              {builder.getPtrTy(), i64, i64}, false),
      llvm::Function::ExternalLinkage, "kernel", *module.module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(*module.context, "entry", function));
  llvm::Value* output =
      builder.CreateLoad(builder.getPtrTy(), function->getArg(0));
  llvm::Type* type = llvm::FixedVectorType::get(builder.getFloatTy(),
                                                static_cast<unsigned>(lanes));
  llvm::Value* factor = builder.CreateAlignedLoad(type, output, llvm::Align(4));
  const CarriedValues zeros(kSums, llvm::Constant::getNullValue(type));
  const absl::StatusOr<CarriedValues> sums = EmitLoopWithValues(
      builder, kSteps, 1, zeros,
      [&](llvm::Value*,
          absl::Span<llvm::Value* const> in) -> absl::StatusOr<CarriedValues> {
        CarriedValues out;
        for (llvm::Value* sum : in) {
          out.push_back(builder.CreateIntrinsic(llvm::Intrinsic::fma, {type},
                                                {factor, factor, sum}));
        }
        return out;
      });
  HILO_CHECK(sums.ok());
  for (llvm::Value* sum : *sums) {
    builder.CreateAlignedStore(sum, output, llvm::Align(4));
  }
  builder.CreateRetVoid();
  const Loaded kernel = Compile(compiler, std::move(module));
  const Memory memory = Allocate(64);
  std::array<void*, 1> arguments = {memory.get()};
  const double seconds =
      BestSeconds([&] { kernel.function(arguments.data(), 0, 1); });
  return 2.0 * kSums * kSteps * lanes / seconds;
}

void Measure(const CodeCompiler& compiler, const passes::TargetTraits& traits,
             const std::string& name, const std::string& body,
             double operations) {
  const auto module =
      hlo::Parse(absl::StrCat("HloModule m\nENTRY e {\n", body, "}\n"));
  HILO_CHECK(module.ok()) << module.status();
  const hlo::Instruction& root = *(*module)->entry()->root();
  LlvmModule code("kernel");
  int64_t units = 0;
  int64_t chunk_bytes = 0;
  std::string plan_text;
  if (root.opcode() == hlo::Opcode::kDot) {
    KernelPlan decisions;
    const absl::StatusOr<MatmulPlan> plan = PlanDot(root, traits, decisions);
    HILO_CHECK(plan.ok()) << plan.status();
    HILO_CHECK(EmitMatmul(*plan, *code.module, "kernel").ok());
    units = plan->units;
    chunk_bytes = plan->chunk_bytes;
    plan_text = plan->ToString();
  } else {
    KernelPlan decisions;
    const absl::StatusOr<MatmulPlan> plan =
        PlanConvolution(root, traits, decisions);
    HILO_CHECK(plan.ok()) << plan.status();
    HILO_CHECK(EmitMatmul(*plan, *code.module, "kernel").ok());
    units = plan->units;
    chunk_bytes = plan->chunk_bytes;
    plan_text = plan->ToString();
  }
  if (std::getenv("HILO_BENCHMARK_PLANS") != nullptr) {
    std::puts(plan_text.c_str());
  }
  const Loaded kernel = Compile(compiler, std::move(code));
  std::vector<Memory> arrays;
  std::vector<void*> arguments;
  const auto add = [&](int64_t bytes) {
    arrays.push_back(Allocate(bytes));
    arguments.push_back(arrays.back().get());
  };
  add(root.operand_shape(0).ByteSize());
  add(root.operand_shape(1).ByteSize());
  add(root.shape().ByteSize());
  add(chunk_bytes + 64);
  const double seconds =
      BestSeconds([&] { kernel.function(arguments.data(), 0, units); });
  const double peak = MeasurePeak(compiler);
  std::printf("%-28s %10.2f us %8.1f GFLOP/s %5.1f %% of %.1f\n", name.c_str(),
              seconds * 1e6, operations / seconds * 1e-9,
              100 * operations / seconds / peak, peak * 1e-9);
  std::fflush(stdout);
}

std::string Dot(const std::string& type, int64_t m, int64_t n, int64_t k,
                bool lhs_transposed, bool rhs_transposed) {
  return absl::StrCat(
      "x = ", type, "[", lhs_transposed ? k : m, ",", lhs_transposed ? m : k,
      "] parameter(0)\ny = ", type, "[", rhs_transposed ? n : k, ",",
      rhs_transposed ? k : n, "] parameter(1)\nROOT r = ", type, "[", m, ",", n,
      "] dot(x, y), lhs_contracting_dims={", lhs_transposed ? 0 : 1,
      "}, rhs_contracting_dims={", rhs_transposed ? 1 : 0, "}\n");
}

struct DotCase {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool lhs_transposed = false;
  bool rhs_transposed = false;
  const char* type = "f32";
};

constexpr auto kDots = std::to_array<DotCase>({
    {16, 16, 16},
    {33, 33, 33},
    {64, 64, 64},
    {100, 100, 100},
    {128, 128, 128},
    {256, 256, 256},
    {512, 512, 512},
    {1024, 1024, 1024},
    {2048, 2048, 2048},
    {128, 3072, 768},
    {8, 1024, 1024},
    {3136, 64, 64},
    {512, 10, 784},
    {1024, 1024, 16},
    {256, 256, 256, true, false},
    {256, 256, 256, false, true},
    {1024, 1024, 1024, true, false},
    {1024, 1024, 1024, false, true},
    {8, 1024, 1024, false, true},
    {1, 1024, 1024},
    {1, 1024, 1024, false, true},
    {1024, 1, 1024},
    {1024, 1, 1024, true, false},
    {512, 512, 512, false, false, "bf16"},
    {512, 512, 512, false, false, "s32"},
    {256, 256, 256, false, false, "f64"},
    {256, 256, 256, false, false, "c64"},
});

struct ConvolutionCase {
  const char* name;
  const char* body;
  double operations;
};

constexpr auto kConvolutions = std::to_array<ConvolutionCase>({
    {"3x3 56x56x64 nhwc",
     "x = f32[1,56,56,64] parameter(0)\ny = f32[3,3,64,64] parameter(1)\n"
     "ROOT r = f32[1,56,56,64] convolution(x, y), window={size=3x3 "
     "pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n",
     2.0 * 56 * 56 * 64 * 64 * 9},
    {"3x3 56x56x64 nchw",
     "x = f32[1,64,56,56] parameter(0)\ny = f32[64,64,3,3] parameter(1)\n"
     "ROOT r = f32[1,64,56,56] convolution(x, y), window={size=3x3 "
     "pad=1_1x1_1}, dim_labels=bf01_oi01->bf01\n",
     2.0 * 56 * 56 * 64 * 64 * 9},
    {"3x3 14x14x256 nhwc",
     "x = f32[1,14,14,256] parameter(0)\ny = f32[3,3,256,256] parameter(1)\n"
     "ROOT r = f32[1,14,14,256] convolution(x, y), window={size=3x3 "
     "pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n",
     2.0 * 14 * 14 * 256 * 256 * 9},
    {"3x3 7x7x512 nhwc",
     "x = f32[1,7,7,512] parameter(0)\ny = f32[3,3,512,512] parameter(1)\n"
     "ROOT r = f32[1,7,7,512] convolution(x, y), window={size=3x3 "
     "pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n",
     2.0 * 7 * 7 * 512 * 512 * 9},
    {"7x7 s2 224x224x3 nhwc",
     "x = f32[1,224,224,3] parameter(0)\ny = f32[7,7,3,64] parameter(1)\n"
     "ROOT r = f32[1,112,112,64] convolution(x, y), window={size=7x7 "
     "stride=2x2 pad=3_2x3_2}, dim_labels=b01f_01io->b01f\n",
     2.0 * 112 * 112 * 64 * 3 * 49},
    {"1x1 56x56x64->256 nhwc",
     "x = f32[1,56,56,64] parameter(0)\ny = f32[1,1,64,256] parameter(1)\n"
     "ROOT r = f32[1,56,56,256] convolution(x, y), window={size=1x1}, "
     "dim_labels=b01f_01io->b01f\n",
     2.0 * 56 * 56 * 64 * 256},
    {"depthwise 3x3 56x56x128 nhwc",
     "x = f32[1,56,56,128] parameter(0)\ny = f32[3,3,1,128] parameter(1)\n"
     "ROOT r = f32[1,56,56,128] convolution(x, y), window={size=3x3 "
     "pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=128\n",
     2.0 * 56 * 56 * 128 * 9},
});

void RunBenchmarks(const std::string& filter) {
  absl::StatusOr<std::unique_ptr<CodeCompiler>> compiler =
      CodeCompiler::Create({});
  HILO_CHECK(compiler.ok()) << compiler.status();
  passes::TargetTraits traits;
  traits.vector_bytes = (*compiler)->vector_bytes();
  traits.vector_registers = traits.vector_bytes == 64 ? 32 : 16;
  for (const DotCase& row : kDots) {
    const std::string name = absl::StrCat(
        row.type, " ", row.m, "x", row.n, "x", row.k,
        row.lhs_transposed ? " lhs^T" : "", row.rhs_transposed ? " rhs^T" : "");
    if (name.find(filter) == std::string::npos) continue;
    Measure(**compiler, traits, name,
            Dot(row.type, row.m, row.n, row.k, row.lhs_transposed,
                row.rhs_transposed),
            2.0 * static_cast<double>(row.m) * static_cast<double>(row.n) *
                static_cast<double>(row.k));
  }
  for (const ConvolutionCase& row : kConvolutions) {
    const std::string name = row.name;
    if (name.find(filter) == std::string::npos) continue;
    Measure(**compiler, traits, name, row.body, row.operations);
  }
}

}  // namespace
}  // namespace hilo::backends

int main(int argc, char** argv) {
  hilo::backends::RunBenchmarks(argc > 1 ? argv[1] : "");
  return 0;
}
