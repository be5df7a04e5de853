// Tests of shapes and layouts.
#include "hlo/ir/shape.h"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "hlo/ir/element_type.h"
#include "hlo/ir/layout.h"

namespace hilo::hlo {
namespace {

Shape WithMinorToMajor(Shape shape, DimensionVector minor_to_major) {
  shape.set_layout(
      {.minor_to_major = std::move(minor_to_major), .properties = {}});
  return shape;
}

TEST_CASE("shapes print as HLO text") {
  Shape dynamic = Shape::Array(ElementType::kS32, {5, 4});
  dynamic.set_dynamic_dimension(0, true);
  Shape packed = Shape::Array(ElementType::kS4, {8});
  Layout layout = packed.layout();
  layout.properties = LayoutProperties{.tiles = {},
                                       .tail_padding_alignment_elements = 1,
                                       .element_size_bits = 4,
                                       .memory_space = 5,
                                       .split_configs = {}};
  packed.set_layout(layout);
  struct Row {
    Shape shape;
    absl::string_view text;
  };
  const auto rows = std::to_array<Row>({
      {Shape::Scalar(ElementType::kF32), "f32[]"},
      {Shape::Array(ElementType::kBF16, {2, 3}), "bf16[2,3]{1,0}"},
      {WithMinorToMajor(Shape::Array(ElementType::kF32, {2, 3}), {0, 1}),
       "f32[2,3]{0,1}"},
      {Shape::Array(ElementType::kF32, {Shape::kUnboundedSize, 4}),
       "f32[?,4]{1,0}"},
      {dynamic, "s32[<=5,4]{1,0}"},
      {packed, "s4[8]{0:E(4)S(5)}"},
      {Shape::Tuple({}), "()"},
      {Shape::Tuple({Shape::Token(), Shape::Opaque()}), "(token[], opaque[])"},
      {Shape::Buffer(Shape::Array(ElementType::kF32, {8})), "b(f32[8]{0})"},
  });
  for (const Row& row : rows) CHECK(ToString(row.shape) == row.text);
}

TEST_CASE("long tuples number every fifth element") {
  const Shape tuple =
      Shape::Tuple(std::vector<Shape>(6, Shape::Scalar(ElementType::kPred)));
  CHECK(ToString(tuple, false, true) ==
        "(pred[], pred[], pred[], pred[], pred[], /*index=5*/pred[])");
}

TEST_CASE("a default layout is not stored") {
  const Shape plain = Shape::Array(ElementType::kF32, {2, 3});
  const Shape explicit_default = WithMinorToMajor(plain, {1, 0});
  CHECK(explicit_default.HasDefaultLayout());
  CHECK(explicit_default == plain);
  CHECK_FALSE(WithMinorToMajor(plain, {0, 1}) == plain);
  CHECK(Compatible(WithMinorToMajor(plain, {0, 1}), plain));
}

TEST_CASE("shapes that do not fit are refused") {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max() / 2;
  const auto bad = std::to_array<Shape>({
      Shape::Array(ElementType::kF32, {kHuge, 3}),
      Shape::Array(ElementType::kF64, {kHuge}),
      Shape::Array(ElementType::kF32, {-1}),
      Shape::Array(ElementType::kPred, DimensionVector(65, 1)),
      WithMinorToMajor(Shape::Array(ElementType::kF32, {2, 3}), {0, 0}),
      Shape::Tuple({Shape::Array(ElementType::kS8, {kHuge}),
                    Shape::Array(ElementType::kS8, {kHuge}),
                    Shape::Array(ElementType::kS8, {kHuge})}),
  });
  for (const Shape& shape : bad) {
    CAPTURE(ToString(shape));
    CHECK_FALSE(ValidateShape(shape).ok());
  }
  // An empty dimension makes any other size harmless.
  CHECK(ValidateShape(Shape::Array(ElementType::kF32, {kHuge, 0, kHuge})).ok());
}

TEST_CASE("shape indices walk into tuples") {
  const Shape scalar = Shape::Scalar(ElementType::kF32);
  const Shape nested = Shape::Tuple({scalar, Shape::Tuple({scalar, scalar})});
  CHECK(nested.Leaves().size() == 3);
  CHECK(*nested.At(ShapeIndex{1, 0}) == scalar);
  CHECK(nested.At(ShapeIndex{2}) == nullptr);
  CHECK(nested.At(ShapeIndex{0, 0}) == nullptr);
}

}  // namespace
}  // namespace hilo::hlo
