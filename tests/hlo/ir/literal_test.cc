// Tests of literal storage and sharing.
#include "hlo/ir/literal.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "catch2/catch.hpp"

#include "hlo/ir/element_type.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {
namespace {

TEST_CASE("writing to shared elements copies them") {
  Literal a = Literal::Array<int32_t>({3}, {1, 2, 3});
  Literal b = a;
  CHECK_FALSE(a.IsUnique());
  b.mutable_data<int32_t>()[0] = 9;
  CHECK(a.data<int32_t>()[0] == 1);
  CHECK(b.data<int32_t>()[0] == 9);
  CHECK(a.IsUnique());
}

TEST_CASE("writing to a view leaves the caller's array alone") {
  const std::vector<float> values = {1, 2};
  Literal view =
      Literal::Borrow(Shape::Array(ElementType::kF32, {2}), values.data());
  CHECK(view.untyped_data() ==
        reinterpret_cast<const std::byte*>(values.data()));
  CHECK_FALSE(view.IsUnique());
  view.mutable_data<float>()[1] = 5;
  CHECK(values[1] == 2);
  CHECK(view.data<float>()[1] == 5);
}

TEST_CASE("reshapes and tuples share elements") {
  const Literal array = Literal::Array<int32_t>({2, 2}, {1, 2, 3, 4});
  const Literal reshaped =
      array.WithShape(Shape::Array(ElementType::kS32, {4}));
  const Literal tuple = Literal::Tuple({array, reshaped});
  CHECK(reshaped.untyped_data() == array.untyped_data());
  CHECK(tuple.At(ShapeIndex{1}).untyped_data() == array.untyped_data());
  CHECK(tuple.Leaves().size() == 2);
}

TEST_CASE("equality compares bits") {
  CHECK(Literal::Scalar<float>(0.0F) == Literal::Scalar<float>(0.0F));
  CHECK_FALSE(Literal::Scalar<float>(0.0F) == Literal::Scalar<float>(-0.0F));
  CHECK_FALSE(Literal::Scalar<float>(0.0F) == Literal::Scalar<int32_t>(0));
}

TEST_CASE("empty arrays of every type are made and compared") {
  for (int i = 0; i < kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (!IsArrayType(type)) continue;
    Literal empty(Shape::Array(type, {3, 0}));
    CHECK(empty.size_bytes() == 0);
    CHECK(empty == Literal(Shape::Array(type, {3, 0})));
  }
}

}  // namespace
}  // namespace hilo::hlo
