// What the fusion of attention says, where it fuses and where it does not.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "passes/pass_context.h"
#include "passes/runner.h"

namespace hilo::passes {
namespace {

constexpr char kAttention[] = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
ENTRY e {
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  q = f32[3,#Q,5] parameter(0)
  k = f32[3,40,5] parameter(1)
  v = f32[3,40,#V] parameter(2)
  s = f32[3,#Q,40] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  w = f32[3,#Q,40] $CHANGED
  m = f32[3,#Q] reduce(w, low), dimensions={2}, to_apply=max
  mb = f32[3,#Q,40] broadcast(m), dimensions={0,1}
  d = f32[3,#Q,40] subtract(w, mb)
  x = f32[3,#Q,40] exponential(d)
  t = f32[3,#Q] reduce(x, zero), dimensions={2}, to_apply=add
  tb = f32[3,#Q,40] broadcast(t), dimensions={0,1}
  p = f32[3,#Q,40] divide(x, tb)
  r = f32[3,#Q,#V] dot(p, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  ROOT all = $TYPE tuple($RESULTS) })";

struct Row {
  const char* remark;
  int64_t queries = 17;
  int64_t values = 9;
  const char* changed = "negate(s)";
  const char* further = "";
  int64_t cache_bytes = 0;
};

// The remarks about the product.
std::vector<std::string> RemarksOf(const Row& row) {
  std::string results = "r";
  std::string types = "f32[3,#Q,#V]";
  if (*row.further != '\0') {
    absl::StrAppend(&results, ", ", row.further);
    absl::StrAppend(&types, ", f32[3,#Q,40]");
  }
  const std::string text = absl::StrReplaceAll(
      absl::StrReplaceAll(kAttention, {{"$CHANGED", row.changed},
                                       {"$TYPE", absl::StrCat("(", types, ")")},
                                       {"$RESULTS", results}}),
      {{"#Q", absl::StrCat(row.queries)}, {"#V", absl::StrCat(row.values)}});
  INFO(text);
  const auto module = hlo::Parse(text);
  INFO(module.status());
  REQUIRE(module.ok());
  std::vector<Remark> remarks;
  PassContext context;
  context.remarks = &remarks;
  context.traits.l3_cache_bytes = row.cache_bytes;
  const absl::Status status =
      RunPasses(**module, context, {.passes = {"fusion", "attention-fusion"}});
  INFO(status);
  REQUIRE(status.ok());
  std::vector<std::string> texts;
  for (const Remark& remark : remarks) {
    if (remark.pass == "attention-fusion") texts.push_back(remark.text);
  }
  return texts;
}

TEST_CASE("attention fusion says why") {
  constexpr auto kRows = std::to_array<Row>({
      {.remark = "fused with scores, s, and their rows, fusion"},
      {.remark = "not fused with scores: they stay in the cache",
       .cache_bytes = 1 << 20},
      {.remark = "not fused with scores: its weights are needed elsewhere",
       .further = "p"},
      {.remark = "not fused with scores: its scores are needed elsewhere",
       .further = "s"},
      {.remark = "not fused with scores: its scores are not read row by row",
       .changed = "reverse(s), dimensions={1}"},
      {.remark = "not fused with scores: its rows are not those of a product",
       .changed = "broadcast(low), dimensions={}"},
      {.remark = "not fused with scores: too few rows share keys and values",
       .queries = 15},
      {.remark = "not fused with scores: there are too few columns of values",
       .values = 7},
  });
  for (const Row& row : kRows) {
    CAPTURE(row.remark);
    CHECK(RemarksOf(row) == std::vector<std::string>{row.remark});
  }
}

}  // namespace
}  // namespace hilo::passes
