// Tests that no text makes the parser crash, hang or take much memory.
#include "hlo/text/parser.h"
// Both it and Catch define CHECK; the later one, Catch's, is used here.
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "tests/hlo/text/smoke_module.h"
#include "tests/support/paths.h"

namespace hilo::hlo {
namespace {

std::string Repeat(absl::string_view piece, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) absl::StrAppend(&out, piece);
  return out;
}

TEST_CASE("a sample cut at any byte is read or refused") {
  const std::string text = tests::kSmokeModule;
  int accepted = 0;
  for (size_t size = 0; size < text.size(); ++size) {
    accepted += Parse(text.substr(0, size)).ok() ? 1 : 0;
  }
  // Only what lacks space at the end, or whole computations, is complete.
  CHECK(accepted < 10);
}

TEST_CASE("a sample with any byte changed is read or refused") {
  const std::string text = tests::kSmokeModule;
  for (const char c : {'\0', '{', '}', '(', '"', '%', '9', '\xff', '\n'}) {
    for (size_t at = 0; at < text.size(); ++at) {
      std::string changed = text;
      changed[at] = c;
      static_cast<void>(Parse(changed));
    }
  }
  SUCCEED();
}

TEST_CASE("deep nesting is an error, not a stack overflow") {
  constexpr int kDeep = 200000;
  const std::string shape = Repeat("(", kDeep);
  const std::string operand = Repeat("negate(", kDeep);
  const std::string body = Repeat("a = f32[] call(b), to_apply={ ", kDeep);
  CHECK_FALSE(Parse("ENTRY e { a = " + shape).ok());
  CHECK_FALSE(Parse("ENTRY e { b = f32[] parameter(0) a = " + operand).ok());
  CHECK_FALSE(Parse("ENTRY e { b = f32[] parameter(0) " + body).ok());
  CHECK_FALSE(Parse("ENTRY e { b = f32[] custom-call(), custom_call_target="
                    "\"x\", literal=" +
                    shape)
                  .ok());
  CHECK_FALSE(
      ParseLiteral(Repeat("{", kDeep), ParseShape("f32[2,2]").value()).ok());
}

TEST_CASE("nesting up to the limit is read") {
  const std::string text =
      absl::StrCat(Repeat("(", 400), "f32[]", Repeat(")", 400));
  CHECK(ParseShape(text).ok());
}

TEST_CASE("long names are cut in messages") {
  const std::string name(1 << 20, 'a');
  const absl::Status status =
      Parse("ENTRY e { b = f32[] negate(" + name + ") }").status();
  CHECK_FALSE(status.ok());
  CHECK(status.message().size() < 2000);
  CHECK(Parse("ENTRY e { " + name + " = f32[] parameter(0) }").ok());
}

TEST_CASE("huge numbers are errors") {
  for (const char* statement :
       {"a = f32[] parameter(99999999999999999999999)",
        "a = f32[] parameter(1048576)",
        "a = f32[1000000000,1000] constant({ {1, 2}, {3} })",
        "a = f32[4000000000,4000000000] parameter(0)",
        "a = f32[9000000000000000000] constant({...})",
        "a = s32[5] iota(), iota_dimension=99999999999999999999"}) {
    CAPTURE(statement);
    CHECK_FALSE(Parse(absl::StrCat("ENTRY e { ", statement, " }")).ok());
  }
}

TEST_CASE("many faulty statements are read in linear time") {
  std::string text = "ENTRY e {\n";
  for (int i = 0; i < 100000; ++i) {
    absl::StrAppend(&text, "  a", i, " = f32[] negate(b", i, ")\n");
  }
  CHECK_FALSE(Parse(text).ok());
  CHECK_FALSE(Parse("ENTRY e { " + Repeat("\x01", 1000000)).ok());
  CHECK_FALSE(Parse("ENTRY e { a = f32[] x" + Repeat(" {", 1000000)).ok());
}

TEST_CASE("all modules of the outside corpora are read") {
  const auto directory = tests::CorpusDirectory();
  if (!directory) return;
  for (const char* corpus : {"jax", "survey", "xla_cpu_benchmarks"}) {
    for (const auto& path : tests::FilesUnder(*directory / corpus, {".hlo"})) {
      CAPTURE(path.string());
      const auto module = Parse(tests::ReadFile(path), path.string());
      if (!module.ok()) UNSCOPED_INFO(module.status().message());
      CHECK(module.ok());
    }
  }
}

}  // namespace
}  // namespace hilo::hlo
