// Attention kernels against the evaluator, over sizes, types and forms.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "catch2/catch.hpp"
#include "llvm/IR/Module.h"

#include "backends/cpu/kernel.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/eval/evaluator.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "passes/pass_context.h"
#include "passes/runner.h"
#include "runtime/base/source.h"
#include "tests/backends/cpu/run_kernel.h"

namespace hilo::backends {
namespace {

// Text in which T is an element type, #Q, #K, #D and #V are the numbers of
// queries and keys and the depths of both products.
struct AttentionForm {
  const char* name;
  const char* text;
};

constexpr char kStart[] = R"(HloModule m
add { a = T[] parameter(0) b = T[] parameter(1) ROOT r = T[] add(a, b) }
max { a = T[] parameter(0) b = T[] parameter(1) ROOT r = T[] maximum(a, b) }
ENTRY e {
  zero = T[] constant(0)
  low = T[] constant(-inf)
)";

constexpr auto kForms = std::to_array<AttentionForm>({
    {"plain", R"(
  q = T[3,#Q,#D] parameter(0)
  k = T[3,#K,#D] parameter(1)
  v = T[3,#K,#V] parameter(2)
  s = T[3,#Q,#K] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  m = T[3,#Q] reduce(s, low), dimensions={2}, to_apply=max
  mb = T[3,#Q,#K] broadcast(m), dimensions={0,1}
  d = T[3,#Q,#K] subtract(s, mb)
  x = T[3,#Q,#K] exponential(d)
  t = T[3,#Q] reduce(x, zero), dimensions={2}, to_apply=add
  tb = T[3,#Q,#K] broadcast(t), dimensions={0,1}
  p = T[3,#Q,#K] divide(x, tb)
  ROOT r = T[3,#Q,#V] dot(p, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} })"},
    {"scaled, with a bias, masked, and heads that share keys", R"(
  q = T[2,2,#Q,#D] parameter(0)
  k = T[2,#K,#D] parameter(1)
  v = T[2,#K,#V] parameter(2)
  bias = T[2,#K] parameter(3)
  s = T[2,2,#Q,#K] dot(q, k), lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_contracting_dims={2}
  c = T[] constant(0.25)
  cb = T[2,2,#Q,#K] broadcast(c), dimensions={}
  sc = T[2,2,#Q,#K] multiply(s, cb)
  bb = T[2,2,#Q,#K] broadcast(bias), dimensions={0,3}
  sb = T[2,2,#Q,#K] add(sc, bb)
  ge = pred[#Q,#K] parameter(4)
  gb = pred[2,2,#Q,#K] broadcast(ge), dimensions={2,3}
  n = T[] constant(-1e4)
  nb = T[2,2,#Q,#K] broadcast(n), dimensions={}
  w = T[2,2,#Q,#K] select(gb, sb, nb)
  m = T[2,2,#Q] reduce(w, low), dimensions={3}, to_apply=max
  mb = T[2,2,#Q,#K] broadcast(m), dimensions={0,1,2}
  d = T[2,2,#Q,#K] subtract(w, mb)
  x = T[2,2,#Q,#K] exponential(d)
  t = T[2,2,#Q] reduce(x, zero), dimensions={3}, to_apply=add
  tb = T[2,2,#Q,#K] broadcast(t), dimensions={0,1,2}
  p = T[2,2,#Q,#K] divide(x, tb)
  ROOT r = T[2,2,#Q,#V] dot(p, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_contracting_dims={1} })"},
    {"queries of several heads beside each other", R"(
  q = T[2,#Q,3,#D] parameter(0)
  k = T[2,#K,#D] parameter(1)
  v = T[2,#K,#V] parameter(2)
  s = T[2,#Q,3,#K] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_contracting_dims={2}
  m = T[2,#Q,3] reduce(s, low), dimensions={3}, to_apply=max
  mb = T[2,#Q,3,#K] broadcast(m), dimensions={0,1,2}
  d = T[2,#Q,3,#K] subtract(s, mb)
  x = T[2,#Q,3,#K] exponential(d)
  t = T[2,#Q,3] reduce(x, zero), dimensions={3}, to_apply=add
  tb = T[2,#Q,3,#K] broadcast(t), dimensions={0,1,2}
  p = T[2,#Q,3,#K] divide(x, tb)
  ROOT r = T[2,#V,#Q,3] dot(v, p), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={3} })"},
    {"queries of several heads apart", R"(
  q = T[#Q,2,3,#D] parameter(0)
  k = T[2,#K,#D] parameter(1)
  v = T[2,#K,#V] parameter(2)
  s = T[2,#Q,3,#K] dot(q, k), lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_contracting_dims={2}
  m = T[2,#Q,3] reduce(s, low), dimensions={3}, to_apply=max
  mb = T[2,#Q,3,#K] broadcast(m), dimensions={0,1,2}
  d = T[2,#Q,3,#K] subtract(s, mb)
  x = T[2,#Q,3,#K] exponential(d)
  t = T[2,#Q,3] reduce(x, zero), dimensions={3}, to_apply=add
  tb = T[2,#Q,3,#K] broadcast(t), dimensions={0,1,2}
  p = T[2,#Q,3,#K] divide(x, tb)
  ROOT r = T[2,#Q,3,#V] dot(p, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_contracting_dims={1} })"},
    {"sums divide what they weigh", R"(
  q = T[3,#Q,#D] parameter(0)
  k = T[3,#D,#K] parameter(1)
  v = T[3,#K,#V] parameter(2)
  y = T[3,#Q,#V] parameter(3)
  s = T[3,#Q,#K] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  m = T[3,#Q] reduce(s, low), dimensions={2}, to_apply=max
  mb = T[3,#Q,#K] broadcast(m), dimensions={0,1}
  d = T[3,#Q,#K] subtract(s, mb)
  x = T[3,#Q,#K] exponential(d)
  t = T[3,#Q] reduce(x, zero), dimensions={2}, to_apply=add
  o = T[3,#Q,#V] dot(x, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  tb = T[3,#Q,#V] broadcast(t), dimensions={0,1}
  p = T[3,#Q,#V] divide(o, tb)
  ROOT r = T[3,#Q,#V] subtract(p, y) })"},
    {"the values come first", R"(
  q = T[#Q,#D] parameter(0)
  k = T[#K,#D] parameter(1)
  v = T[#K,#V] parameter(2)
  s = T[#Q,#K] dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  m = T[#Q] reduce(s, low), dimensions={1}, to_apply=max
  mb = T[#Q,#K] broadcast(m), dimensions={0}
  d = T[#Q,#K] subtract(s, mb)
  x = T[#Q,#K] exponential(d)
  t = T[#Q] reduce(x, zero), dimensions={1}, to_apply=add
  tb = T[#Q,#K] broadcast(t), dimensions={0}
  p = T[#Q,#K] divide(x, tb)
  ROOT r = T[#V,#Q] dot(v, p), lhs_contracting_dims={0}, rhs_contracting_dims={1} })"},
    {"rows of several dimensions, of scaled scores", R"(
  q = T[#D,#Q] parameter(0)
  k = T[#D,2,#K] parameter(1)
  v = T[#V,2,#K] parameter(2)
  s = T[#Q,2,#K] dot(q, k), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  j = s32[#Q,2,#K] iota(), iota_dimension=0
  c = T[#Q,2,#K] convert(j)
  sc = T[#Q,2,#K] subtract(s, c)
  h = T[#Q,#2K] reshape(sc)
  m = T[#Q] reduce(h, low), dimensions={1}, to_apply=max
  mb = T[#Q,#2K] broadcast(m), dimensions={0}
  d = T[#Q,#2K] subtract(h, mb)
  x = T[#Q,#2K] exponential(d)
  t = T[#Q] reduce(x, zero), dimensions={1}, to_apply=add
  tb = T[#Q,#2K] broadcast(t), dimensions={0}
  p = T[#Q,#2K] divide(x, tb)
  pr = T[#Q,2,#K] reshape(p)
  ROOT r = T[#Q,#V] dot(pr, v), lhs_contracting_dims={1,2}, rhs_contracting_dims={1,2} })"},
    {"other dimensions for the rows", R"(
  q = T[6,#Q,#D] parameter(0)
  k = T[6,#D,#K] parameter(1)
  v = T[6,#K,#V] parameter(2)
  mask = pred[2,1,#K] parameter(3)
  s = T[6,#Q,#K] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  h = T[2,3,#Q,#K] reshape(s)
  mr = pred[2,#K] reshape(mask)
  gb = pred[2,3,#Q,#K] broadcast(mr), dimensions={0,3}
  lb = T[2,3,#Q,#K] broadcast(low), dimensions={}
  w = T[2,3,#Q,#K] select(gb, h, lb)
  m = T[2,3,#Q] reduce(w, low), dimensions={3}, to_apply=max
  mb = T[2,3,#Q,#K] broadcast(m), dimensions={0,1,2}
  d = T[2,3,#Q,#K] subtract(w, mb)
  x = T[2,3,#Q,#K] exponential(d)
  t = T[2,3,#Q] reduce(x, zero), dimensions={3}, to_apply=add
  tb = T[2,3,#Q,#K] broadcast(t), dimensions={0,1,2}
  p = T[2,3,#Q,#K] divide(x, tb)
  pr = T[6,#Q,#K] reshape(p)
  ROOT r = T[6,#Q,#V] dot(pr, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} })"},
});

struct Sizes {
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t depth = 0;
  int64_t values = 0;
};

constexpr auto kSizes = std::to_array<Sizes>({
    {16, 16, 1, 8},
    {17, 17, 3, 9},
    {33, 40, 5, 17},
    {50, 65, 7, 24},
    {95, 131, 16, 64},
});

std::unique_ptr<hlo::Module> ParseText(const std::string& text) {
  INFO(text);
  auto module = hlo::Parse(text);
  INFO(module.status());
  REQUIRE(module.ok());
  return *std::move(module);
}

// The attention that passes make of a module for which no cache is large
// enough; null: none.
const hlo::Instruction* FuseAll(hlo::Module& module, TestTarget& target) {
  target.traits.l2_cache_bytes = 0;
  target.traits.l3_cache_bytes = 0;
  const passes::PassContext context{.traits = target.traits};
  const absl::Status status = passes::RunPasses(module, context, {});
  INFO(status);
  REQUIRE(status.ok());
  for (const auto& instruction : module.entry()->instructions()) {
    if (IsAttention(*instruction, target.traits)) return instruction.get();
  }
  return nullptr;
}

struct KernelCase {
  int64_t cores = 1;
  std::string cpu = {};
  std::string given = {};
};

// The attention of a module, whose operands are parameters, and its kernel.
class AttentionKernel {
 public:
  AttentionKernel(const std::string& text, const KernelCase& how)
      : module_(ParseText(text)), target_(how.cpu, how.cores) {
    attention_ = FuseAll(*module_, target_);
    REQUIRE(attention_ != nullptr);
    const auto plans =
        GivenPlans::Parse(std::make_shared<Source>("plans.txt", how.given));
    REQUIRE(plans.ok());
    KernelPlan plan(plans->Find("r"));
    code_ = std::make_unique<TestKernel>(target_, [&](llvm::Module& into) {
      KernelContext context{
          .module = into, .traits = target_.traits, .plan = plan};
      const auto emitted = EmitKernel(*attention_, "kernel", context);
      INFO(emitted.status());
      REQUIRE(emitted.ok());
      call_ = {emitted->units, emitted->grain, emitted->scratch_bytes};
    });
    const absl::Status all_was_possible = plan.Check();
    INFO(all_was_possible);
    CHECK(all_was_possible.ok());
  }

  hlo::Literal Run(const std::vector<hlo::Literal>& arguments) const {
    Arrays arrays = ArraysOf(arguments);
    code_->Run(arrays.pointers, call_);
    return LiteralFromLayout(arrays.bytes.back(), attention_->shape());
  }

  // How many chunks store each element of the result.
  std::vector<int> CountStores(
      const std::vector<hlo::Literal>& arguments) const {
    const auto size = static_cast<size_t>(
        hlo::StorageBytes(attention_->shape().element_type()));
    // No result is this NaN.
    const std::vector<char> unwritten(size, '\xff');
    std::vector<int> counts(
        static_cast<size_t>(attention_->shape().ElementCount()));
    for (int64_t chunk = 0; chunk < call_.chunks(); ++chunk) {
      Arrays arrays = ArraysOf(arguments);
      std::vector<char>& result = arrays.bytes.back();
      std::ranges::fill(result, '\xff');
      code_->RunChunk(arrays.pointers, call_, chunk);
      for (size_t i = 0; i < counts.size(); ++i) {
        if (std::memcmp(&result[i * size], unwritten.data(), size) != 0) {
          ++counts[i];
        }
      }
    }
    return counts;
  }

  int64_t chunks() const { return call_.chunks(); }

 private:
  // Operands and result, and where they are.
  struct Arrays {
    std::vector<std::vector<char>> bytes;
    std::vector<void*> pointers;
  };

  Arrays ArraysOf(const std::vector<hlo::Literal>& arguments) const {
    Arrays arrays;
    for (const hlo::Instruction* operand : attention_->operands()) {
      const hlo::Instruction* source = operand;
      while (source->opcode() != hlo::Opcode::kParameter) {
        REQUIRE(source->operand_count() == 1);
        source = source->operand(0);
      }
      const hlo::Literal& value =
          arguments[static_cast<size_t>(source->parameter_number())];
      arrays.bytes.push_back(BytesInLayout(value, source->shape()));
    }
    arrays.bytes.push_back(
        BytesInLayout(hlo::Literal(hlo::WithoutLayout(attention_->shape())),
                      attention_->shape()));
    arrays.pointers.reserve(arrays.bytes.size());
    for (std::vector<char>& array : arrays.bytes) {
      arrays.pointers.push_back(array.data());
    }
    return arrays;
  }

  std::unique_ptr<hlo::Module> module_;
  TestTarget target_;
  const hlo::Instruction* attention_ = nullptr;
  std::unique_ptr<TestKernel> code_;
  KernelCall call_;
};

std::string TextOf(const AttentionForm& form, const Sizes& sizes,
                   const std::string& type) {
  return absl::StrReplaceAll(absl::StrCat(kStart, form.text),
                             {{"T[", type + "["},
                              {"#Q", absl::StrCat(sizes.queries)},
                              {"#K", absl::StrCat(sizes.keys)},
                              {"#2K", absl::StrCat(2 * sizes.keys)},
                              {"#D", absl::StrCat(sizes.depth)},
                              {"#V", absl::StrCat(sizes.values)}});
}

double ToleranceOf(const std::string& type) {
  if (type == "f64") return 1e-14;
  if (type == "f32") return 2e-6;
  return type == "f16" ? 2e-2 : 1.5e-1;
}

void CheckAttention(const AttentionForm& form, const Sizes& sizes,
                    const std::string& type, const KernelCase& how) {
  const std::string text = TextOf(form, sizes, type);
  CAPTURE(form.name, type, sizes.queries, sizes.keys, how.cores, how.cpu);
  const std::unique_ptr<hlo::Module> module = ParseText(text);
  const std::vector<hlo::Literal> arguments = RandomArguments(*module, false);
  const auto want = hlo::Evaluate(*module, arguments);
  REQUIRE(want.ok());
  CHECK(Difference(AttentionKernel(text, how).Run(arguments), *want,
                   ToleranceOf(type)) == kNoDifference);
}

TEST_CASE("attention kernels agree with the evaluator") {
  for (const AttentionForm& form : kForms) {
    for (const Sizes& sizes : kSizes) CheckAttention(form, sizes, "f32", {});
    for (const char* type : {"f64", "f16", "bf16"}) {
      CheckAttention(form, kSizes[2], type, {});
    }
  }
}

TEST_CASE("attention kernels agree with the evaluator at other levels") {
  for (const AttentionForm& form : kForms) {
    for (const char* cpu : {"x86-64", "x86-64-v3"}) {
      CheckAttention(form, kSizes[3], "f32", {.cpu = cpu});
    }
  }
}

TEST_CASE("attention is the same for any number of threads") {
  for (const AttentionForm& form : kForms) {
    const std::string text = TextOf(form, kSizes[4], "f32");
    CAPTURE(form.name);
    const std::unique_ptr<hlo::Module> module = ParseText(text);
    const std::vector<hlo::Literal> arguments = RandomArguments(*module, false);
    const hlo::Literal want = AttentionKernel(text, {}).Run(arguments);
    for (const int64_t cores : {2, 4, 16}) {
      const AttentionKernel kernel(text, {.cores = cores});
      CHECK(Difference(kernel.Run(arguments), want, 0) == kNoDifference);
    }
  }
}

TEST_CASE("attention obeys plans given by hand") {
  for (const char* given :
       {"r: attention row_block=1", "r: attention row_block=95",
        "r: attention row_block=13 scores.row_tile=2 scores.pack_rhs=1",
        "r: attention row_block=19 product.depth_block=7 product.column_tile=1",
        "r: attention row_block=31 product.row_tile=24 scores.row_tile=24",
        "r: attention row_block=2 product.row_tile=2",
        "r: attention row_block=18 product.row_tile=1 product.pack_rhs=1",
        "r: attention grain=2 row_block=10"}) {
    CheckAttention(kForms[0], kSizes[4], "f32", {.cores = 2, .given = given});
  }
}

// Checks that each element of the result is stored by one block.
void CheckOwnRows(const AttentionForm& form, const std::string& given) {
  CAPTURE(form.name, given);
  const std::string text = TextOf(form, kSizes[4], "f32");
  const std::unique_ptr<hlo::Module> module = ParseText(text);
  const AttentionKernel kernel(
      text, {.cores = 2, .given = "r: attention grain=1 " + given});
  CHECK(kernel.chunks() > 1);
  const std::vector<int> stores =
      kernel.CountStores(RandomArguments(*module, false));
  CHECK(std::ranges::count(stores, 1) == std::ssize(stores));
}

TEST_CASE("blocks of attention have rows of their own") {
  // Of 95 rows: some blocks have one row less.
  for (const AttentionForm& form : kForms) CheckOwnRows(form, "row_block=13");
  for (const char* given :
       {"row_block=11 product.row_tile=1", "row_block=48 product.row_tile=5",
        "row_block=94"}) {
    CheckOwnRows(kForms[0], given);
  }
}

}  // namespace
}  // namespace hilo::backends
