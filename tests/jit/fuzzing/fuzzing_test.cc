// Tests of the module generator, the check, and the reducer.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "hlo/eval/evaluator.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/text/parser.h"
#include "hlo/text/printer.h"
#include "jit/fuzzing/isolated_run.h"
#include "jit/fuzzing/module_check.h"
#include "jit/fuzzing/module_generator.h"
#include "jit/fuzzing/module_reducer.h"
#include "jit/fuzzing/perturbation.h"
#include "passes/pipeline.h"

namespace hilo::tests {
namespace {

std::set<hlo::Opcode> OpcodesOf(const hlo::Module& module) {
  std::set<hlo::Opcode> opcodes;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      opcodes.insert(instruction->opcode());
    }
  }
  return opcodes;
}

TEST_CASE("a seed always makes the same module") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    CHECK(hlo::Print(*fuzzing::GenerateModule(seed).value()) ==
          hlo::Print(*fuzzing::GenerateModule(seed).value()));
  }
}

TEST_CASE("random modules are valid, and have nearly all opcodes") {
  std::set<hlo::Opcode> opcodes;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    const auto module = fuzzing::GenerateModule(seed);
    CAPTURE(module.status().ToString());
    REQUIRE(module.ok());
    opcodes.merge(OpcodesOf(**module));
  }
  for (int i = 0; i < hlo::kOpcodeCount; ++i) {
    const auto opcode = static_cast<hlo::Opcode>(i);
    CAPTURE(hlo::TextOf(opcode));
    if (hlo::IsElementwiseUnary(opcode) || hlo::IsElementwiseBinary(opcode)) {
      CHECK(opcodes.contains(opcode));
    }
  }
  for (const hlo::Opcode opcode :
       {hlo::Opcode::kWhile, hlo::Opcode::kConditional, hlo::Opcode::kCall,
        hlo::Opcode::kConvolution, hlo::Opcode::kDot, hlo::Opcode::kScatter,
        hlo::Opcode::kSort, hlo::Opcode::kReduceWindow}) {
    CHECK(opcodes.contains(opcode));
  }
}

TEST_CASE("random modules agree with the evaluator") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto module = fuzzing::GenerateModule(seed).value();
    const fuzzing::CheckResult result = fuzzing::CheckModule(
        *module, seed,
        {{.optimization_level = 0}, {.optimization_level = 2, .threads = 2}});
    CAPTURE(seed, result.message);
    CHECK(result.outcome == fuzzing::CheckOutcome::kSame);
  }
}

TEST_CASE("only operations that round are perturbed") {
  struct Row {
    std::string expression;
    bool is_exact;
  };
  for (const Row& row :
       {Row{"add(x, x)", true}, Row{"tanh(x)", false}, Row{"sqrt(x)", true},
        Row{"reduce(x, zero), dimensions={0}, to_apply=sum", false},
        Row{"reduce(x, zero), dimensions={0}, to_apply=largest", true},
        Row{"dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
            false}}) {
    CAPTURE(row.expression);
    const std::string text =
        "HloModule m\n"
        "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
        " ROOT r = f32[] add(a, b)\n}\n"
        "largest {\n c = f32[] parameter(0)\n d = f32[] parameter(1)\n"
        " ROOT s = f32[] maximum(c, d)\n}\n"
        "ENTRY e {\n x = f32[3] parameter(0)\n zero = f32[] constant(0)\n"
        " ROOT t = " +
        row.expression + "\n}\n";
    const auto module = hlo::Parse(text, "test").value();
    bool is_exact = false;
    const auto perturbed = fuzzing::PerturbRoundings(*module, 0, &is_exact);
    CHECK(is_exact == row.is_exact);
  }
}

// The largest distance of elements from what they should be, in all ways to
// perturb; the result is one float array.
double LargestError(const hlo::Module& module, absl::Span<const double> want) {
  double largest = 0;
  for (int way = 0; way < 2 * fuzzing::kPerturbationCount; ++way) {
    bool is_exact = false;
    const auto perturbed = fuzzing::PerturbRoundings(module, way, &is_exact);
    const hlo::Literal value = hlo::Evaluate(*perturbed, {}, {}).value();
    for (size_t i = 0; i < want.size(); ++i) {
      largest = std::max(
          largest,
          std::fabs(static_cast<double>(value.data<float>()[i]) - want[i]));
    }
  }
  return largest;
}

TEST_CASE("what is allowed of a good value is little") {
  struct Row {
    std::string body;
    std::vector<double> want;
    double tolerance;
  };
  for (const Row& row : {
           Row{"x = f32[64] iota(), iota_dimension=0\n"
               "zero = f32[] constant(0)\n"
               "ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=sum",
               {2016},
               0.02},
           Row{"x = bf16[8] iota(), iota_dimension=0\n"
               "zero = bf16[] constant(0)\n"
               "s = bf16[] reduce(x, zero), dimensions={0}, to_apply=sum16\n"
               "ROOT r = f32[] convert(s)",
               {28},
               0.5},
           Row{"x = bf16[4] constant({1, 2, 1.5, 3})\n"
               "one = bf16[] constant(1)\n"
               "p = bf16[] reduce(x, one), dimensions={0}, to_apply=product16\n"
               "ROOT r = f32[] convert(p)",
               {9},
               0.35},
           Row{"a = f32[2,2] constant({{2, 0}, {1, 4}})\n"
               "b = f32[2,1] constant({{2}, {5}})\n"
               "ROOT r = f32[2,1] triangular-solve(a, b), left_side=true, "
               "lower=true",
               {1, 1},
               1e-5},
           Row{"a = c64[2] constant({(0, 1), (1, 1)})\n"
               "b = c64[2] constant({(2, 0), (2, 0)})\n"
               "p = c64[2] power(a, b)\n"
               "ROOT r = f32[2] real(p)",
               {-1, 0},
               1e-5},
           Row{"y = c64[1] constant({(1, 1)})\n"
               "x = c64[1] constant({(2, -1)})\n"
               "a = c64[1] atan2(y, x)\n"
               "ROOT r = f32[1] imag(a)",
               {0.641237339365384},
               1e-5},
           Row{"a = f32[2,2] constant({{1, 2}, {3, 4}})\n"
               "ROOT r = f32[2,2] dot(a, a), lhs_contracting_dims={1}, "
               "rhs_contracting_dims={0}",
               {7, 10, 15, 22},
               1e-4},
           Row{"x = f32[2,2] constant({{1e6, 1e6}, {1, 1}})\n"
               "t = c64[2,2] fft(x), fft_type=RFFT, fft_length={2}\n"
               "r = f32[2,2] real(t)\n"
               "ROOT s = f32[1,2] slice(r), slice={[1:2], [0:2]}",
               {2, 0},
               1e-5},
           Row{"x = c64[4] constant({(4, 0), (4, 0), (4, 0), (4, 0)})\n"
               "t = c64[4] fft(x), fft_type=IFFT, fft_length={4}\n"
               "ROOT r = f32[4] real(t)",
               {4, 0, 0, 0},
               1e-5},
           Row{"x = c64[2,3] constant({{(6, 0), (0, 0), (0, 0)}, "
               "{(6, 0), (0, 0), (0, 0)}})\n"
               "ROOT r = f32[2,4] fft(x), fft_type=IRFFT, fft_length={2,4}",
               {1.5, 1.5, 1.5, 1.5, 0, 0, 0, 0},
               1e-5},
           Row{"a = f32[2,1] constant({{-1}, {1}})\n"
               "s = f32[1] constant({2})\n"
               "o = f32[1] constant({3})\n"
               "n = (f32[2,1], f32[1], f32[1]) batch-norm-training(a, s, o), "
               "epsilon=3, feature_index=1\n"
               "ROOT r = f32[2,1] get-tuple-element(n), index=0",
               {2, 4},
               1e-3},
       }) {
    CAPTURE(row.body);
    const auto module =
        hlo::Parse(
            "HloModule m\n"
            "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
            " ROOT r = f32[] add(a, b)\n}\n"
            "sum16 {\n a = bf16[] parameter(0)\n b = bf16[] parameter(1)\n"
            " ROOT r = bf16[] add(a, b)\n}\n"
            "product16 {\n a = bf16[] parameter(0)\n b = bf16[] parameter(1)\n"
            " ROOT r = bf16[] multiply(a, b)\n}\n"
            "ENTRY e {\n" +
                row.body + "\n}\n",
            "test")
            .value();
    const double error = LargestError(*module, row.want);
    CHECK(error > 0);
    CHECK(error < row.tolerance);
  }
}

// Bits that are 0 in all ways would be wanted of every backend.
TEST_CASE("every bit of what cancels may be set") {
  const auto module = hlo::Parse(
                          "HloModule m\nENTRY e {\n"
                          "x = f64[2] constant({1, -1})\n"
                          "y = f64[2,3] constant({{1, 1, 1}, {1, 1, 1}})\n"
                          "d = f64[3] dot(x, y), lhs_contracting_dims={0}, "
                          "rhs_contracting_dims={0}\n"
                          "ROOT r = u64[3] bitcast-convert(d)\n}\n",
                          "test")
                          .value();
  constexpr int kWays = 64;
  std::vector<uint64_t> bits(3);
  for (int way = 0; way < kWays; ++way) {
    bool is_exact = false;
    const auto perturbed = fuzzing::PerturbRoundings(*module, way, &is_exact);
    const hlo::Literal value = hlo::Evaluate(*perturbed, {}, {}).value();
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] |= value.data<uint64_t>()[i];
  }
  constexpr uint64_t kSignAndMantissa = 0x800FFFFFFFFFFFFF;
  for (const uint64_t set : bits) {
    CHECK((set & kSignAndMantissa) == kSignAndMantissa);
  }
}

TEST_CASE("parts of a complex number are off by errors of their own") {
  const auto module =
      hlo::Parse(
          "HloModule m\nENTRY e {\n"
          "x = c64[2] constant({(1, 1), (-1, -1)})\n"
          "t = c64[2] fft(x), fft_type=FFT, fft_length={2}\n"
          "z = c64[1] slice(t), slice={[0:1]}\n"
          "re = f32[1] real(z)\n im = f32[1] imag(z)\n"
          "re_sign = f32[1] sign(re)\n im_sign = f32[1] sign(im)\n"
          "ten = f32[1] constant({10})\n"
          "tens = f32[1] multiply(re_sign, ten)\n"
          "ROOT r = f32[1] add(tens, im_sign)\n}\n",
          "test")
          .value();
  std::set<float> signs;
  for (int way = 0; way < 4 * fuzzing::kPerturbationCount; ++way) {
    bool is_exact = false;
    const auto perturbed = fuzzing::PerturbRoundings(*module, way, &is_exact);
    signs.insert(hlo::Evaluate(*perturbed, {}, {}).value().data<float>()[0]);
  }
  for (const float sign : {11.0F, 9.0F, -9.0F, -11.0F, 0.0F}) {
    CAPTURE(sign);
    CHECK(signs.contains(sign));
  }
}

TEST_CASE("infinities that functions give are known") {
  for (const absl::string_view body :
       {"x = f32[1] constant({1000})\nROOT r = f32[1] exponential(x)",
        "x = f32[1] constant({0})\nl = f32[1] log(x)\n"
        "ROOT r = f32[1] negate(l)",
        "x = f32[1] constant({1})\ny = f32[1] constant({inf})\n"
        "ROOT r = f32[1] batch-norm-inference(x, x, y, x, x), epsilon=1, "
        "feature_index=0"}) {
    CAPTURE(body);
    const auto module =
        hlo::Parse(absl::StrCat("HloModule m\nENTRY e {\n", body, "\n}\n"),
                   "test")
            .value();
    for (int way = 0; way < fuzzing::kPerturbationCount; ++way) {
      bool is_exact = false;
      const auto perturbed = fuzzing::PerturbRoundings(*module, way, &is_exact);
      const hlo::Literal value = hlo::Evaluate(*perturbed, {}, {}).value();
      CHECK(value.data<float>()[0] == std::numeric_limits<float>::infinity());
    }
  }
}

TEST_CASE("nothing is known of what overflows beside an infinity") {
  const auto module = hlo::Parse(
                          "HloModule m\nENTRY e {\n"
                          "x = c64[1] constant({(inf, 1e30)})\n"
                          "y = c64[1] constant({(1e30, 1e30)})\n"
                          "p = c64[] dot(x, y), lhs_contracting_dims={0}, "
                          "rhs_contracting_dims={0}\n"
                          "ROOT r = f32[] real(p)\n}\n",
                          "test")
                          .value();
  bool may_be_number = false;
  for (int way = 0; way < fuzzing::kPerturbationCount; ++way) {
    bool is_exact = false;
    const auto perturbed = fuzzing::PerturbRoundings(*module, way, &is_exact);
    const hlo::Literal value = hlo::Evaluate(*perturbed, {}, {}).value();
    may_be_number = may_be_number || !std::isnan(value.data<float>()[0]);
  }
  CHECK(may_be_number);
}

// Bits of noise as exponents; a product that overflows beside an infinity; what
// is left of terms that cancel, divided by itself; bits of zeros of transforms.
TEST_CASE("modules that only round in another way are no faults") {
  for (const uint64_t seed : {20002090, 8000464, 20007289, 31000537}) {
    const auto module = fuzzing::GenerateModule(seed).value();
    const fuzzing::CheckResult result = fuzzing::CheckModule(
        *module, seed, {{.optimization_level = 0, .threads = 1}});
    CAPTURE(seed, result.message);
    CHECK(result.outcome != fuzzing::CheckOutcome::kMismatch);
  }
}

TEST_CASE("the reducer keeps what the fault needs, and little else") {
  int reduced_count = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto module = fuzzing::GenerateModule(seed).value();
    const auto has_transpose = [](const hlo::Module& candidate) {
      return OpcodesOf(candidate).contains(hlo::Opcode::kTranspose);
    };
    // What nothing needs is dropped without asking.
    REQUIRE(passes::EliminateDeadCode(*module, {}).ok());
    if (!has_transpose(*module)) continue;
    const auto reduced = fuzzing::ReduceModule(*module, has_transpose);
    CAPTURE(seed, hlo::Print(*reduced));
    CHECK(has_transpose(*reduced));
    CHECK(reduced->instruction_count() <= 4);
    ++reduced_count;
  }
  CHECK(reduced_count > 0);
}

TEST_CASE("isolated runs survive crashes and hangs") {
  constexpr double kTimeoutSeconds = 30;
  CHECK(
      fuzzing::RunIsolated([] { return std::string("fine"); }, kTimeoutSeconds)
          .text == "fine");
  const fuzzing::IsolatedResult crash = fuzzing::RunIsolated(
      []() -> std::string { std::abort(); }, kTimeoutSeconds);
  CHECK(crash.signal != 0);
  const fuzzing::IsolatedResult hang = fuzzing::RunIsolated(
      []() -> std::string {
        while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
      },
      0.1);
  CHECK(hang.timed_out);
}

}  // namespace
}  // namespace hilo::tests
