// Tests of numpy arrays as literals and back.
#include "jit/array_conversion.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include <catch2/catch.hpp>

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "jit/npy.h"

namespace hilo {
namespace {

TEST_CASE("literals of every type come back from numpy arrays") {
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const auto type = static_cast<hlo::ElementType>(i);
    if (!hlo::IsArrayType(type)) continue;
    CAPTURE(hlo::TextOf(type));
    const hlo::Literal literal(hlo::Shape::Array(type, {2, 3}));
    const NpyArray array = ArrayFromLiteral(literal);
    const absl::StatusOr<hlo::Literal> again =
        LiteralFromArray(array, literal.shape(), "x");
    REQUIRE(again.ok());
    CHECK(*again == literal);
  }
}

TEST_CASE("types that numpy lacks are integers of the same width") {
  for (const auto& [type, numpy_type] :
       std::vector<std::pair<const char*, const char*>>{{"bf16", "u2"},
                                                        {"f8e4m3fn", "u1"},
                                                        {"s4", "i1"},
                                                        {"u2", "u1"},
                                                        {"f4e2m1fn", "u1"},
                                                        {"f16", "f2"},
                                                        {"pred", "b1"},
                                                        {"c64", "c8"}}) {
    CAPTURE(type);
    const hlo::Shape shape =
        hlo::Shape::Array(hlo::ElementTypeFromText(type).value(), {1});
    CHECK(TypeNameOf(ArrayFromLiteral(hlo::Literal(shape))) == numpy_type);
  }
}

TEST_CASE("an array that does not fit is an error with what was needed") {
  const NpyArray array = {
      .kind = 'i', .element_bytes = 1, .dimensions = {1}, .bytes = "\x09"};
  struct Row {
    const char* shape;
    const char* message;
  };
  for (const Row& row : {
           Row{"f32[1]", "x needs f32[1] (numpy f4[1]), got i1[1]"},
           Row{"s8[2]", "x needs s8[2] (numpy i1[2]), got i1[1]"},
           Row{"s8[]", "x needs s8[] (numpy i1[]), got i1[1]"},
           Row{"s4[1]", "do not fit into 4 bits"},
       }) {
    CAPTURE(row.shape);
    const absl::StatusOr<hlo::Literal> literal =
        LiteralFromArray(array, hlo::ParseShape(row.shape).value(), "x");
    REQUIRE_FALSE(literal.ok());
    CHECK(absl::StrContains(std::string(literal.status().message()),
                            row.message));
  }
}

}  // namespace
}  // namespace hilo
