// Tests how much memory programs need: that is decided when they are compiled.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "backends/cpu/code_compiler.h"
#include "backends/cpu/cpu_compiler.h"
#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "passes/buffer_assignment/buffer_assignment.h"

namespace hilo::backends {
namespace {

struct MemoryUse {
  int64_t constant_bytes = 0;
  int64_t arena_bytes = 0;
};

MemoryUse MemoryOf(const std::string& text) {
  absl::StatusOr<std::unique_ptr<hlo::Module>> module = hlo::Parse(text);
  INFO(module.status());
  REQUIRE(module.ok());
  const auto compiler = CodeCompiler::Create({}).value();
  absl::StatusOr<CpuCompilation> compilation =
      CompileToLlvm(*std::move(module), *compiler, {});
  INFO(compilation.status());
  REQUIRE(compilation.ok());
  MemoryUse use{.arena_bytes = compilation->buffers.peak_bytes()};
  for (const passes::Allocation& allocation :
       compilation->buffers.allocations()) {
    if (allocation.kind == passes::AllocationKind::kConstant) {
      use.constant_bytes += allocation.size_bytes;
    }
  }
  return use;
}

// Case 128 of the public reports.
TEST_CASE("a gather from a large constant needs that constant only") {
  const MemoryUse use = MemoryOf(
      "HloModule m\nENTRY e {\n"
      " table = f32[1000,100] constant({...})\n"
      " i = s32[50] parameter(0)\n"
      " ROOT r = f32[50,100] gather(table, i), offset_dims={1}, "
      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
      "slice_sizes={1,100}\n}\n");
  CHECK(use.constant_bytes == int64_t{1000} * 100 * 4);
  CHECK(use.arena_bytes == 0);
}

// Case 129.
TEST_CASE("the first of ten million are found without sorting them") {
  const std::string comparators =
      "HloModule m\n"
      "gt { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " c = s32[] parameter(2)\n d = s32[] parameter(3)\n"
      " ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }\n";
  for (const std::string& body : {
           std::string(
               " ROOT t = (f32[100], s32[100]) topk(x), k=100, largest=true"),
           std::string(" r = f32[1,10000000] reshape(x)\n"
                       " ROOT t = (f32[1,100], s32[1,100]) custom-call(r), "
                       "custom_call_target=\"TopK\", called_computations={gt}"),
           std::string(" i = s32[10000000] iota(), iota_dimension=0\n"
                       " s = (f32[10000000], s32[10000000]) sort(x, i), "
                       "dimensions={0}, is_stable=true, to_apply=gt\n"
                       " v = f32[10000000] get-tuple-element(s), index=0\n"
                       " n = s32[10000000] get-tuple-element(s), index=1\n"
                       " a = f32[100] slice(v), slice={[0:100]}\n"
                       " b = s32[100] slice(n), slice={[0:100]}\n"
                       " ROOT t = (f32[100], s32[100]) tuple(a, b)"),
       }) {
    CAPTURE(body);
    const MemoryUse use = MemoryOf(absl::StrCat(
        comparators, "ENTRY e {\n x = f32[10000000] parameter(0)\n", body,
        "\n}\n"));
    CHECK(use.constant_bytes == 0);
    // The input has 40 MB.
    CHECK(use.arena_bytes < 100'000);
  }
}

}  // namespace
}  // namespace hilo::backends
