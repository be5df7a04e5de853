// Tests of shapes and literals as text.
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "runtime/base/small_int.h"
// Both it and Catch define CHECK; the later one, Catch's, is used here.
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

namespace hilo::hlo {
namespace {

TEST_CASE("shapes are read and printed again") {
  struct Row {
    absl::string_view text;
    absl::string_view printed;
  };
  for (const Row& row : {
           Row{"f32[]", "f32[]"},
           Row{"f32[2,3]", "f32[2,3]{1,0}"},
           Row{"f32[2,3]{0,1}", "f32[2,3]{0,1}"},
           Row{"f32 [2 , 3] { 0,/*x*/1 }", "f32[2,3]{0,1}"},
           Row{"s32[<=10,4]", "s32[<=10,4]{1,0}"},
           Row{"f32[?,4]", "f32[?,4]{1,0}"},
           Row{"token[]", "token[]"},
           Row{"token[]{}", "token[]"},
           Row{"opaque[]", "opaque[]"},
           Row{"opaque_type[]", "opaque[]"},
           Row{"f32[]{}", "f32[]"},
           Row{"f32[]{:S(1)}", "f32[]{:S(1)}"},
           Row{"()", "()"},
           Row{"(f32[2]{0}, (s32[], pred[]))", "(f32[2]{0}, (s32[], pred[]))"},
           Row{"b(f32[8]{0})", "b(f32[8]{0})"},
           Row{"(b(f32[8]), f32[])", "(b(f32[8]{0}), f32[])"},
           Row{"f32[8,4]{1,0:T(8,128)(2,1)S(1)}",
               "f32[8,4]{1,0:T(8,128)(2,1)S(1)}"},
           Row{"s4[8]{0:E(4)}", "s4[8]{0:E(4)}"},
           Row{"f32[8]{0:T(*,2)L(8)#(u32)*(u16)E(32)S(5)SC(0:2,4)(1:2)M(64)}",
               "f32[8]{0:T(*,2)L(8)#(u32)*(u16)E(32)S(5)SC(0:2,4)(1:2)M(64)}"},
           Row{"f32[8]{0:L(1)E(0)S(0)}", "f32[8]{0}"},
           Row{"f32[2,2]{1,0:D(D,C+~)}", "f32[2,2]{1,0}"},
           Row{"f32[0,9223372036854775807]", "f32[0,9223372036854775807]{1,0}"},
       }) {
    CAPTURE(row.text);
    const absl::StatusOr<Shape> shape = ParseShape(row.text);
    REQUIRE(shape.ok());
    CHECK(ToString(*shape) == std::string(row.printed));
  }
}

TEST_CASE("wrong shapes are refused") {
  for (const char* text : {"",
                           "f32",
                           "f32[",
                           "f32[2",
                           "f32[2,]",
                           "f32[-1]",
                           "f32[2x3]",
                           "f32[<=?]",
                           "f32[2]{1}{0}",
                           "f32[2]{0,1}",
                           "f32[2,3]{1,1}",
                           "f32[2,3]{2,0}",
                           "token[2]",
                           "opaque[2]",
                           "token[]{0}",
                           "(f32[],)",
                           "(f32[]",
                           "b(token[])",
                           "b(b(f32[]))",
                           "b((f32[]))",
                           "f64x[2]",
                           "f32[8]{0:S(1)T(8)}",
                           "f32[8]{0:P(f32[])}",
                           "f32[2] f32[2]",
                           "f32[4611686018427387904,4]",
                           "f32[18446744073709551615]",
                           "f32[99999999999999999999]",
                           "f32[8]{0:#(f32)}"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseShape(text).ok());
  }
}

Shape ShapeOf(absl::string_view text) { return ParseShape(text).value(); }

TEST_CASE("literals hold the elements in row-major order") {
  const Shape shape = ShapeOf("f32[2,3]{0,1}");
  for (const char* text :
       {"{ {1, 2, 3}, {4, 5, 6} }", "{{1 2 3}{4 5 6}}", "{,{,1,,2,3},{4,5,6},}",
        "{ /*i0=0*/ {1,2,3}, {4.0, 5e0, 6.} }"}) {
    CAPTURE(text);
    const absl::StatusOr<Literal> literal = ParseLiteral(text, shape);
    REQUIRE(literal.ok());
    CHECK(literal->data<float>() ==
          absl::Span<const float>({1, 2, 3, 4, 5, 6}));
  }
}

TEST_CASE("literals of every kind are read") {
  CHECK(ParseLiteral("true", ShapeOf("pred[]"))->data<bool>()[0]);
  CHECK(ParseLiteral("{1, 0}", ShapeOf("pred[2]"))->data<bool>()[0]);
  CHECK(ParseLiteral("-1", ShapeOf("u64[]"))->data<uint64_t>()[0] == ~0ULL);
  CHECK(ParseLiteral("{18446744073709551615}", ShapeOf("u64[1]"))
            ->data<uint64_t>()[0] == ~0ULL);
  CHECK(ParseLiteral("{-7, 7}", ShapeOf("s4[2]"))->data<Int4>()[0].value() ==
        -7);
  CHECK(std::signbit(
      ParseLiteral("{-0.0}", ShapeOf("f32[1]"))->data<float>()[0]));
  CHECK_FALSE(
      std::signbit(ParseLiteral("{-0}", ShapeOf("f32[1]"))->data<float>()[0]));
  CHECK(ParseLiteral("{18446744073709551615}", ShapeOf("f32[1]"))
            ->data<float>()[0] == -1.0F);
  CHECK(ParseLiteral("{(1, -2), (nan, 3.5)}", ShapeOf("c64[2]"))
            ->data<std::complex<float>>()[0] == std::complex<float>(1, -2));
  CHECK(ParseLiteral("{}", ShapeOf("f32[0,2]")).ok());
  CHECK(ParseLiteral("{{}, {}}", ShapeOf("f32[2,0]")).ok());
  const absl::StatusOr<Literal> tuple = ParseLiteral(
      "( 1, {2, 3} ( true ) )", ShapeOf("(s32[], f32[2], (pred[]))"));
  REQUIRE(tuple.ok());
  CHECK(tuple->element(1).data<float>()[1] == 3.0F);
  CHECK(ParseLiteral("()", ShapeOf("()")).ok());
}

TEST_CASE("a bare scalar is element 0 of an array of zeros") {
  const absl::StatusOr<Literal> literal =
      ParseLiteral("5", ShapeOf("f32[2,2]"));
  REQUIRE(literal.ok());
  CHECK(literal->data<float>() == absl::Span<const float>({5, 0, 0, 0}));
  CHECK_FALSE(ParseLiteral("5", ShapeOf("f32[0]")).ok());
}

TEST_CASE("elided literals are zeros") {
  for (const char* text : {"{...}", "{1, ...}"}) {
    CAPTURE(text);
    const absl::StatusOr<Literal> literal =
        ParseLiteral(text, ShapeOf("s32[3]"));
    REQUIRE(literal.ok());
    CHECK(literal->is_elided());
    CHECK(literal->data<int32_t>()[0] == 0);
  }
  CHECK_FALSE(ParseLiteral("{{...}}", ShapeOf("s32[1,3]")).ok());
  CHECK_FALSE(ParseLiteral("...", ShapeOf("s32[]")).ok());
}

TEST_CASE("wrong literals are refused") {
  struct Row {
    absl::string_view shape;
    absl::string_view text;
  };
  for (const Row& row : {
           Row{"f32[3]", "{1,2}"},
           Row{"f32[3]", "{1,2,3,4}"},
           Row{"f32[3]", "{1,2,3"},
           Row{"f32[2,2]", "{{1,2},{3}}"},
           Row{"f32[2,2]", "{1,2,3,4}"},
           Row{"f32[2,0]", "{}"},
           Row{"f32[]", "{1}"},
           Row{"f32[]", "1 2"},
           Row{"f32[2]", "{x, 1}"},
           Row{"f32[1]", "{1e400}"},
           Row{"f32[1]", "{1e39}"},
           Row{"s32[1]", "{1.0}"},
           Row{"s32[1]", "{true}"},
           Row{"s32[1]", "{9223372036854775808}"},
           Row{"u32[1]", "{4294967296}"},
           Row{"u32[1]", "{-1}"},
           Row{"s8[1]", "{128}"},
           Row{"pred[1]", "{2}"},
           Row{"c64[1]", "{1}"},
           Row{"c64[1]", "{(1 2)}"},
           Row{"token[]", "0"},
           Row{"f32[?]", "{1}"},
           Row{"(f32[], f32[])", "(1)"},
           Row{"(f32[], f32[])", "(1, 2,)"},
           Row{"(f32[])", "(1, 2)"},
           Row{"f32[1000000000,1000]", "{ {1, 2} }"},
           Row{"f32[1000000000,1000000]", "{...}"},
           Row{"f32[1000000000,1000000]", "1"},
       }) {
    CAPTURE(row.shape, row.text);
    CHECK_FALSE(ParseLiteral(row.text, ShapeOf(row.shape)).ok());
  }
}

}  // namespace
}  // namespace hilo::hlo
