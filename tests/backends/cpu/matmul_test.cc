// Tests of the kernels of matrix products against the evaluator.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/scalar_emitter.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/eval/evaluator.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "runtime/base/source.h"
#include "tests/backends/cpu/run_kernel.h"

namespace hilo::backends {
namespace {

// Compares the kernel of the module's root, a dot, with the evaluator.
void CheckDot(const std::string& text, const TestTarget& target,
              bool are_integers = true, const std::string& given = "") {
  CAPTURE(text, given);
  const auto module = hlo::Parse(text);
  REQUIRE(module.ok());
  const hlo::Instruction& dot = *(*module)->entry()->root();
  const absl::StatusOr<GivenPlans> plans =
      GivenPlans::Parse(std::make_shared<Source>("plans.txt", given));
  REQUIRE(plans.ok());
  KernelPlan decisions(plans->Find("r"));
  decisions.set_kind("dot");
  const absl::StatusOr<MatmulPlan> plan =
      PlanDot(dot, target.traits, decisions);
  REQUIRE(plan.ok());
  REQUIRE(decisions.Check() == absl::OkStatus());
  CAPTURE(plan->ToString());
  const TestKernel kernel(target, [&](llvm::Module& code) {
    REQUIRE(EmitMatmul(*plan, code, "kernel").ok());
  });
  const std::vector<hlo::Literal> arguments =
      RandomArguments(**module, are_integers);
  std::vector<char> lhs = BytesInLayout(arguments[0], dot.operand_shape(0));
  std::vector<char> rhs = BytesInLayout(arguments[1], dot.operand_shape(1));
  std::vector<char> output =
      BytesInLayout(hlo::Literal(hlo::WithoutLayout(dot.shape())), dot.shape());
  std::ranges::fill(output, '\x55');
  kernel.Run({lhs.data(), rhs.data(), output.data()},
             {plan->units, plan->grain, plan->scratch_bytes()});
  const auto want = hlo::Evaluate(**module, arguments);
  REQUIRE(want.ok());
  const bool is_double =
      hlo::ComponentType(dot.shape().element_type()) == hlo::ElementType::kF64;
  const double error_of_step = is_double ? 1e-15 : 5e-7;
  const double tolerance =
      are_integers ? 0
                   : error_of_step * static_cast<double>(plan->depth_count());
  CHECK(Difference(LiteralFromLayout(output, dot.shape()), *want, tolerance) ==
        kNoDifference);
}

struct DotTypes {
  std::string lhs;
  std::string rhs;
  std::string output;
};

enum class Form : uint8_t {
  kPlain,
  kTransposedLhs,
  kTransposedRhs,
  kTransposedBoth
};

std::string DotText(const DotTypes& types, int64_t m, int64_t n, int64_t k,
                    Form form) {
  const bool lhs =
      form == Form::kTransposedLhs || form == Form::kTransposedBoth;
  const bool rhs =
      form == Form::kTransposedRhs || form == Form::kTransposedBoth;
  return absl::StrCat(
      "HloModule test\nENTRY main {\n  x = ", types.lhs, "[", lhs ? k : m, ",",
      lhs ? m : k, "] parameter(0)\n  y = ", types.rhs, "[", rhs ? n : k, ",",
      rhs ? k : n, "] parameter(1)\n  ROOT r = ", types.output, "[", m, ",", n,
      "] dot(x, y), lhs_contracting_dims={", lhs ? 0 : 1,
      "}, rhs_contracting_dims={", rhs ? 1 : 0, "}\n}\n");
}

TEST_CASE("kernels of f32 matrix products equal the evaluator") {
  const TestTarget target("", 2);
  constexpr auto kSizes = std::to_array<int64_t>({1, 3, 5, 7, 17, 33, 64, 100});
  int64_t number = 0;
  for (const int64_t m : kSizes) {
    for (const int64_t n : kSizes) {
      for (const int64_t k : kSizes) {
        // A third of all: each size meets each other one.
        if (number++ % 3 != (m + n) % 3) continue;
        CheckDot(DotText({"f32", "f32", "f32"}, m, n, k,
                         static_cast<Form>(number % 4)),
                 target);
      }
    }
  }
}

TEST_CASE("kernels of matrix products know all element types") {
  const TestTarget target;
  const auto rows = std::to_array<DotTypes>({
      {"f64", "f64", "f64"},
      {"bf16", "bf16", "bf16"},
      {"f16", "f16", "f16"},
      {"bf16", "f32", "f32"},
      {"f16", "bf16", "f32"},
      {"f8e4m3fn", "f8e5m2", "f32"},
      {"f32", "f32", "f64"},
      {"s8", "s8", "s32"},
      {"u8", "s8", "s32"},
      {"s8", "s8", "s8"},
      {"u16", "u16", "u16"},
      {"s32", "s32", "s32"},
      {"u64", "u64", "u64"},
      {"s4", "s4", "s32"},
      {"pred", "pred", "pred"},
      {"c64", "c64", "c64"},
      {"c128", "c128", "c128"},
      {"f4e2m1fn", "f4e2m1fn", "f32"},
  });
  for (const DotTypes& types : rows) {
    for (const Form form : {Form::kPlain, Form::kTransposedLhs,
                            Form::kTransposedRhs, Form::kTransposedBoth}) {
      CheckDot(DotText(types, 17, 33, 7, form), target);
      CheckDot(DotText(types, 64, 5, 130, form), target);
      CheckDot(DotText(types, 3, 100, 40, form), target);
      CheckDot(DotText(types, 1, 37, 19, form), target);
      CheckDot(DotText(types, 40, 1, 21, form), target);
    }
  }
}

TEST_CASE("kernels of large matrix products block and pack") {
  const TestTarget target("", 2);
  for (const Form form : {Form::kPlain, Form::kTransposedLhs,
                          Form::kTransposedRhs, Form::kTransposedBoth}) {
    CheckDot(DotText({"f32", "f32", "f32"}, 300, 257, 700, form), target);
    CheckDot(DotText({"f32", "f32", "f32"}, 1, 1025, 1024, form), target);
    CheckDot(DotText({"f32", "f32", "f32"}, 1030, 1, 1024, form), target);
    CheckDot(DotText({"f32", "f32", "f32"}, 8, 1024, 1024, form), target);
    CheckDot(DotText({"bf16", "bf16", "bf16"}, 200, 130, 1030, form), target);
    CheckDot(DotText({"f64", "f64", "f64"}, 200, 1024, 520, form), target,
             false);
    CheckDot(DotText({"f32", "f32", "f32"}, 130, 140, 900, form), target,
             false);
  }
}

// Of many tiles and panels the last ones share the code of the others.
TEST_CASE("matrix products end in the middle of tiles and panels") {
  for (const char* cpu : {"x86-64", "x86-64-v3"}) {
    const TestTarget target(cpu, 2);
    for (const char* type : {"f32", "f64", "bf16", "s8", "c64"}) {
      for (const Form form : {Form::kPlain, Form::kTransposedRhs}) {
        CheckDot(DotText({type, type, type}, 63, 797, 33, form), target);
        CheckDot(DotText({type, type, type}, 45, 397, 301, form), target);
        CheckDot(DotText({type, type, type}, 97, 401, 18, form), target);
      }
    }
  }
}

TEST_CASE("kernels of matrix products run on other processors") {
  for (const char* cpu : {"x86-64", "x86-64-v3"}) {
    const TestTarget target(cpu, 2);
    for (const char* type : {"f32", "f64", "bf16", "s8", "u64", "c64"}) {
      CheckDot(DotText({type, type, type}, 37, 45, 66, Form::kPlain), target);
      CheckDot(DotText({type, type, type}, 37, 3, 166, Form::kTransposedRhs),
               target);
    }
  }
}

std::string BatchText(absl::string_view lhs, absl::string_view rhs,
                      absl::string_view output, absl::string_view dimensions) {
  return absl::StrCat("HloModule test\nENTRY main {\n  x = ", lhs,
                      " parameter(0)\n  y = ", rhs,
                      " parameter(1)\n  ROOT r = ", output, " dot(x, y), ",
                      dimensions, "\n}\n");
}

TEST_CASE("kernels of matrix products take dimensions in any order") {
  const TestTarget target("", 2);
  struct Row {
    std::string lhs, rhs, output, dimensions;
  };
  const auto rows = std::to_array<Row>({
      // Attention: [batch, position, head, feature].
      {"f32[2,17,3,8]", "f32[2,19,3,8]", "f32[2,3,17,19]",
       "lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, "
       "rhs_contracting_dims={3}"},
      {"f32[2,3,17,19]", "f32[2,19,3,8]", "f32[2,3,17,8]",
       "lhs_batch_dims={0,1}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, "
       "rhs_contracting_dims={1}"},
      // Several contracting dimensions, some apart.
      {"f32[5,3,7,4]", "f32[4,6,5,2,3]", "f32[7,6,2]",
       "lhs_contracting_dims={0,1,3}, rhs_contracting_dims={2,4,0}"},
      {"f32[30,4,9]", "f32[4,9,20]", "f32[30,20]",
       "lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}"},
      {"bf16[5,3,7,4]", "bf16[4,60,5,2,3]", "bf16[7,60,2]",
       "lhs_contracting_dims={0,1,3}, rhs_contracting_dims={2,4,0}"},
      // Free dimensions apart.
      {"f32[6,40,11]", "f32[9,40,13]", "f32[6,11,9,13]",
       "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
      {"s8[6,40,11]", "s8[9,40,13]", "s32[6,11,9,13]",
       "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
      // Layouts.
      {"f32[20,30]{0,1}", "f32[30,25]{0,1}", "f32[20,25]{0,1}",
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"f32[3,20,30]{0,2,1}", "f32[3,30,25]{1,0,2}", "f32[3,20,25]{0,1,2}",
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}"},
      // No dimensions at all, and empty ones.
      {"f32[]", "f32[]", "f32[]", "lhs_contracting_dims={}"},
      {"f32[]", "f32[7]", "f32[7]", "lhs_contracting_dims={}"},
      {"f32[9]", "f32[7]", "f32[9,7]", "lhs_contracting_dims={}"},
      {"c64[33]", "c64[33]", "c64[]",
       "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
      {"f32[500]", "f32[500]", "f32[]",
       "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
      {"f32[5,0]", "f32[0,7]", "f32[5,7]",
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"f32[5,0]", "f32[0,1]", "f32[5,1]",
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"f32[0,4]", "f32[4,7]", "f32[0,7]",
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"f32[3,4,0]", "f32[3,0,7]", "f32[3,4,7]",
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}"},
      // Many small ones.
      {"f32[50,3,3]", "f32[50,3,3]", "f32[50,3,3]",
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}"},
      {"f32[40,9]", "f32[40,9]", "f32[40]",
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
       "rhs_contracting_dims={1}"},
  });
  for (const Row& row : rows) {
    CheckDot(BatchText(row.lhs, row.rhs, row.output, row.dimensions), target);
  }
}

TEST_CASE("narrow integers are multiplied in pairs") {
  for (const char* cpu : {"x86-64", "x86-64-v3"}) {
    const TestTarget target(cpu, 2);
    for (const DotTypes& types :
         {DotTypes{"s8", "s8", "s32"}, DotTypes{"u8", "s8", "s32"},
          DotTypes{"s16", "u8", "s16"}, DotTypes{"pred", "s4", "s8"},
          DotTypes{"u2", "s16", "u32"}}) {
      for (const Form form : {Form::kPlain, Form::kTransposedLhs,
                              Form::kTransposedRhs, Form::kTransposedBoth}) {
        CheckDot(DotText(types, 37, 45, 2, form), target);
        CheckDot(DotText(types, 61, 53, 66, form), target);
        CheckDot(DotText(types, 64, 128, 750, form), target);
      }
    }
    CheckDot(BatchText("s8[3,40,2,26]", "u8[26,3,50]", "s32[3,40,2,50]",
                       "lhs_batch_dims={0}, rhs_batch_dims={1}, "
                       "lhs_contracting_dims={3}, rhs_contracting_dims={0}"),
             target);
    for (const char* given : {"pair_depth=0", "pair_depth=1", "depth_block=7",
                              "row_block=1 column_block=1", "lanes=4"}) {
      CheckDot(DotText({"s8", "s8", "s32"}, 37, 83, 130, Form::kPlain), target,
               /*are_integers=*/true, absl::StrCat("r: dot ", given));
    }
  }
}

TEST_CASE("products are right under any plan given by hand") {
  const TestTarget target("x86-64-v3", 2);
  for (const char* given :
       {"lanes=1", "lanes=2 row_tile=3", "row_tile=1 column_tile=1",
        "row_tile=7", "column_tile=5", "row_tile=13 column_tile=4",
        "pack_rhs=0", "pack_rhs=1", "depth_block=1", "depth_block=7",
        "depth_block=100 depth_unroll=1", "row_block=1", "column_block=1",
        "row_block=2 column_block=2 pack_rhs=1 depth_block=13",
        // More than half of the rows.
        "row_tile=25", "row_tile=32 row_block=1", "lanes=1 row_tile=30"}) {
    CheckDot(DotText({"f32", "f32", "f32"}, 37, 83, 129, Form::kPlain), target,
             /*are_integers=*/true, absl::StrCat("r: dot ", given));
  }
  // Columns that do not lie side by side must be packed.
  for (const char* given : {"row_tile=2 column_tile=2", "row_block=1"}) {
    CheckDot(DotText({"f64", "f64", "f64"}, 19, 33, 65, Form::kTransposedRhs),
             target, /*are_integers=*/true, absl::StrCat("r: dot ", given));
  }
}

// Adds a bias and clamps at zero, and stores the sum as bf16.
TEST_CASE("epilogues of matrix products run before the store") {
  const TestTarget target;
  struct Row {
    int64_t m, n, k;
  };
  for (const Row& row :
       {Row{5, 7, 3}, Row{40, 50, 60}, Row{64, 48, 700}, Row{50, 3, 200},
        Row{1, 200, 30}, Row{43, 797, 20}, Row{43, 797, 700}}) {
    CAPTURE(row.m, row.n, row.k);
    const auto module = hlo::Parse(
        DotText({"f32", "f32", "f32"}, row.m, row.n, row.k, Form::kPlain));
    REQUIRE(module.ok());
    const hlo::Instruction& dot = *(*module)->entry()->root();
    KernelPlan decisions;
    const absl::StatusOr<MatmulPlan> plan =
        PlanDot(dot, target.traits, decisions);
    REQUIRE(plan.ok());
    CAPTURE(plan->ToString());
    MatmulEpilogue epilogue;
    epilogue.operand_count = 1;
    // The extra operand has the output's shape.
    epilogue.emit = [](llvm::IRBuilderBase& builder,
                       const MatmulPosition& position,
                       const ElementValue& value) {
      ScalarEmitter scalars(builder);
      const ElementValue other = scalars.Load(
          hlo::ElementType::kF32,
          builder.CreateGEP(builder.getFloatTy(), position.operands[0],
                            position.output_offset),
          position.lanes, position.mask);
      return ElementValue{builder.CreateFAdd(value.real, other.real)};
    };
    const TestKernel kernel(target, [&](llvm::Module& code) {
      REQUIRE(EmitMatmul(*plan, code, "kernel", epilogue).ok());
    });
    const std::vector<hlo::Literal> arguments = RandomArguments(**module, true);
    std::vector<char> lhs = BytesInLayout(arguments[0], dot.operand_shape(0));
    std::vector<char> rhs = BytesInLayout(arguments[1], dot.operand_shape(1));
    std::vector<float> bias(static_cast<size_t>(row.m * row.n));
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(i);
    std::vector<float> output(bias.size());
    kernel.Run({lhs.data(), rhs.data(), bias.data(), output.data()},
               {plan->units, plan->grain, plan->scratch_bytes()});
    const auto want = hlo::Evaluate(**module, arguments);
    REQUIRE(want.ok());
    for (size_t i = 0; i < bias.size(); ++i) {
      REQUIRE(output[i] == want->data<float>()[i] + bias[i]);
    }
  }
}

}  // namespace
}  // namespace hilo::backends
