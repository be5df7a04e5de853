// Tests of buffers: layouts, packing, views and donation.
#include "backends/buffer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include <catch2/catch.hpp>

#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"

namespace hilo::backends {
namespace {

hlo::Literal LiteralOf(const char* shape, const char* values) {
  const hlo::Shape parsed = hlo::ParseShape(shape).value();
  return hlo::ParseLiteral(values, hlo::WithoutLayout(parsed))
      .value()
      .WithShape(parsed);
}

TEST_CASE("buffers hold elements in the order and packing of the layout") {
  struct Row {
    const char* shape;
    const char* values;
    std::vector<uint8_t> bytes;
  };
  for (const Row& row : {
           Row{"u8[2,3]{1,0}", "{{1,2,3},{4,5,6}}", {1, 2, 3, 4, 5, 6}},
           Row{"u8[2,3]{0,1}", "{{1,2,3},{4,5,6}}", {1, 4, 2, 5, 3, 6}},
           Row{"u16[2,2]{0,1}", "{{1,2},{3,4}}", {1, 0, 3, 0, 2, 0, 4, 0}},
           Row{"u8[2,1,2]{1,0,2}", "{{{1,2}},{{3,4}}}", {1, 3, 2, 4}},
           Row{"s4[3]{0:E(4)}", "{1,-1,7}", {0xf1, 0x07}},
           Row{"u4[2,3]{0,1:E(4)}", "{{1,2,3},{4,5,6}}", {0x41, 0x52, 0x63}},
           Row{"u2[5]{0:E(2)}", "{1,2,3,0,2}", {0x39, 0x02}},
           Row{"s4[2]{0}", "{1,-1}", {0x01, 0xff}},
           Row{"pred[9]{0:E(1)}", "{1,0,0,0,0,0,0,1,1}", {0x81, 0x01}},
           Row{"f4e2m1fn[2]{0:E(4)}", "{0.5,-6}", {0xf1}},
           Row{"u8[0,3]{0,1}", "{}", {}},
           Row{"u8[]", "7", {7}},
       }) {
    CAPTURE(row.shape);
    const hlo::Literal literal = LiteralOf(row.shape, row.values);
    const absl::StatusOr<Buffer> buffer = Buffer::FromLiteral(literal);
    REQUIRE(buffer.ok());
    REQUIRE(buffer->size_bytes() == static_cast<int64_t>(row.bytes.size()));
    const auto* bytes = reinterpret_cast<const uint8_t*>(buffer->data());
    CHECK(std::vector<uint8_t>(bytes, bytes + buffer->size_bytes()) ==
          row.bytes);
    CHECK(buffer->ToLiteral().value() == literal);
  }
}

TEST_CASE("upper bits of sub-byte elements in views are ignored") {
  const std::vector<uint8_t> bytes = {0x0f, 0xf3};
  const Buffer buffer =
      Buffer::View(hlo::ParseShape("s4[2]").value(), bytes.data()).value();
  CHECK(buffer.ToLiteral().value() == LiteralOf("s4[2]", "{-1,3}"));
}

TEST_CASE("a view has no copy") {
  const std::vector<float> values = {1, 2, 3};
  const Buffer buffer = Buffer::View<float>({3}, values.data()).value();
  CHECK(buffer.data() == reinterpret_cast<const std::byte*>(values.data()));
}

TEST_CASE("buffers refuse shapes that they cannot have") {
  CHECK_FALSE(Buffer::Allocate(hlo::Shape::Token()).ok());
  CHECK_FALSE(Buffer::Allocate(hlo::ParseShape("f32[2]{0:E(4)}").value()).ok());
  CHECK_FALSE(Buffer::View(hlo::ParseShape("f32[2]").value(), nullptr).ok());
}

TEST_CASE("a buffer that was moved from says so") {
  Buffer buffer = Buffer::Allocate(hlo::ParseShape("f32[2]").value()).value();
  const Buffer other = std::move(buffer);
  CHECK(other.IsValid());
  // NOLINTNEXTLINE(bugprone-use-after-move): that is what is tested.
  const std::string message(Buffer(buffer).CheckValid().message());
  CHECK(absl::StrContains(message, "moved from"));
}

TEST_CASE("consuming invalidates every handle") {
  Buffer buffer = Buffer::Allocate(hlo::ParseShape("f32[2]").value()).value();
  const Buffer alias = buffer;
  CHECK_FALSE(buffer.IsSoleHandle());
  CHECK(buffer.Donate().Consume().is_exclusive);
  CHECK(absl::StrContains(std::string(alias.CheckValid().message()),
                          "was donated"));
  CHECK_FALSE(alias.ToLiteral().ok());
  CHECK(alias.Consume().memory == nullptr);
}

TEST_CASE("memory that is read or borrowed is not exclusive") {
  const Buffer buffer =
      Buffer::Allocate(hlo::ParseShape("f32[2]").value()).value();
  const auto memory = buffer.Pin();
  CHECK_FALSE(buffer.Consume().is_exclusive);
  buffer.Unpin();
  const float value = 1;
  CHECK_FALSE(Buffer::View<float>({}, &value)->Consume().is_exclusive);
}

}  // namespace
}  // namespace hilo::backends
