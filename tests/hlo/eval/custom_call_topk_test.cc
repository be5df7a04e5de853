// Tests of the custom calls that select, and of FFI dictionaries.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "hlo/eval/ffi_dictionary.h"
#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {
namespace {

std::string WithComparator(const std::string& direction,
                           const std::string& call) {
  return absl::StrCat(R"(
HloModule m
compare {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=)",
                      direction, "\n}\n", R"(
compare2 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=)",
                      direction, "\n}\n", "ENTRY e {\n", call, "\n}\n");
}

TEST_CASE("TopK selects in the order of its comparator") {
  const std::string call =
      "x = f32[2,4] parameter(0)\n"
      "ROOT r = (f32[2,2], s32[2,2]) custom-call(x), "
      "custom_call_target=\"TopK\", called_computations={compare}";
  const std::string argument = "f32[2,4] {{1,5,3,5},{nan,2,7,1}}";
  CHECK(EvaluateText(WithComparator("GT", call), {argument}) ==
        "( { { 5, 5 }, { nan, 7 } }, { { 1, 3 }, { 0, 2 } } )");
  CHECK(EvaluateText(WithComparator("LT", call), {argument}) ==
        "( { { 1, 3 }, { 1, 2 } }, { { 0, 2 }, { 3, 1 } } )");
}

TEST_CASE("approximate selections are exact") {
  const std::string call =
      "x = f32[5,2] parameter(0)\n"
      "i = s32[5,2] iota(), iota_dimension=0\n"
      "v = f32[] constant(-inf)\n"
      "n = s32[] constant(-1)\n"
      "ROOT r = (f32[3,2], s32[3,2]) custom-call(x, i, v, n), "
      "custom_call_target=\"PartialReduce\", "
      "called_computations={compare2}, "
      "backend_config={\"reduction_dim\": 0, \"top_k\": 3}";
  CHECK(EvaluateText(WithComparator("GT", call),
                     {"f32[5,2] {{1,9},{5,8},{3,7},{4,6},{2,5}}"}) ==
        "( { { 5, 9 }, { 4, 8 }, { 3, 7 } }, "
        "{ { 1, 0 }, { 3, 1 }, { 2, 2 } } )");
  const std::string longer =
      "x = f32[2] parameter(0)\n"
      "v = f32[] constant(-inf)\n"
      "ROOT r = f32[3] custom-call(x, v), custom_call_target=\"ApproxTopK\", "
      "called_computations={compare}";
  CHECK(EvaluateText(WithComparator("GT", longer), {"f32[2] {1, 2}"}) ==
        "{2, 1, -inf}");
}

TEST_CASE("FFI dictionaries hold every kind of value") {
  const auto dictionary = FfiDictionary::Parse(
      R"({uplo = 76 : ui8, x = true, "s p" = "a\"b", f = 0x3F800000 : f32,
          g = -1.5e1, a = array<i64: 1, -2>, b = array<f32: 1.5>,
          d = dense<[1, 2]> : tensor<2xi64>, n = {deep = 3}, unit})");
  REQUIRE(dictionary.ok());
  CHECK(dictionary->size() == 10);
  CHECK(*dictionary->Letter("uplo", "LU") == 'L');
  CHECK(*dictionary->Flag("x"));
  CHECK(*dictionary->Flag("unit"));
  CHECK(std::get<std::string>(*dictionary->Find("s p")) == "a\"b");
  CHECK(std::get<double>(*dictionary->Find("f")) == 1);
  CHECK(std::get<double>(*dictionary->Find("g")) == -15);
  CHECK(std::get<std::vector<int64_t>>(*dictionary->Find("a")) ==
        std::vector<int64_t>{1, -2});
  CHECK(std::get<std::vector<double>>(*dictionary->Find("b")) ==
        std::vector<double>{1.5});
  CHECK(std::get<FfiDense>(*dictionary->Find("d")).text ==
        "<[1, 2]> : tensor<2xi64>");
  const auto& nested =
      std::get<std::shared_ptr<FfiDictionary>>(*dictionary->Find("n"));
  CHECK(*nested->Integer("deep") == 3);
  CHECK(*FfiDictionary::Parse(
             R"({"custom_call_config":{"attributes":"{k = 5 : i64}"}})")
             ->Integer("k") == 5);
  CHECK(FfiDictionary::Parse(" ")->size() == 0);
}

TEST_CASE("wrong FFI dictionaries are errors") {
  for (const char* text :
       {"{", "{a", "{a =", "{a = 1", "{a = 1 :}", "{a = 1, a = 2}", "{a = 1}x",
        "{a = \"b}", "{a = array<i64: x>}", "{a = dense<1}", "{= 1}",
        "{a = 1.5 : i32}", "a = 1", "{a = foo}", "{a = 0x1F : f16}"}) {
    CAPTURE(text);
    CHECK(!FfiDictionary::Parse(text).ok());
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{a = ";
  CHECK(!FfiDictionary::Parse(deep).ok());
}

}  // namespace
}  // namespace hilo::hlo
