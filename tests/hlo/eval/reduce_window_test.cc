// Tests of reduce-window and select-and-scatter.
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "tests/hlo/eval/reference.h"

namespace hilo::hlo {
namespace {

using Index = absl::Span<const int64_t>;

// acc * 3 - element: the order of elements is visible.
const char kOrderedBody[] = R"(
ordered {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  three = s32[] constant(3)
  c = s32[] multiply(a, three)
  ROOT r = s32[] subtract(c, b)
})";

// A window over the middle dimension or over two.
struct WindowSize {
  int64_t size, stride, low, high, base_dilation, window_dilation;

  int64_t OutputSize(int64_t input) const {
    const int64_t dilated = input == 0 ? 0 : (input - 1) * base_dilation + 1;
    const int64_t extent = (size - 1) * window_dilation + 1;
    const int64_t padded = dilated + low + high;
    return padded < extent ? 0 : (padded - extent) / stride + 1;
  }
  // The input element under window position w of output o; -1 if none.
  int64_t InputOf(int64_t o, int64_t w, int64_t input) const {
    const int64_t place = o * stride + w * window_dilation - low;
    if (place < 0 || place % base_dilation != 0) return -1;
    const int64_t index = place / base_dilation;
    return index < input ? index : -1;
  }
};

struct Outcome {
  Literal ordered;
  Literal sum;
};

Outcome Recompute(const Literal& x, const WindowSize& a, const WindowSize& b,
                  const Shape& shape) {
  Outcome outcome = {Literal(shape), Literal(shape)};
  const absl::Span<const int32_t> elements = x.data<int32_t>();
  const Index dims = x.shape().dimensions();
  ForEachIndex(shape.dimensions(), [&](Index o) {
    uint32_t ordered = 5;
    uint32_t sum = 5;
    ForEachIndex({a.size, b.size}, [&](Index w) {
      const int64_t position = PositionOf(
          dims,
          {a.InputOf(o[0], w[0], dims[0]), b.InputOf(o[1], w[1], dims[1])});
      if (position < 0) return;
      const auto element = static_cast<uint32_t>(elements[position]);
      ordered = ordered * 3 - element;
      sum += element;
    });
    const int64_t position = PositionOf(shape.dimensions(), o);
    outcome.ordered.mutable_data<int32_t>()[position] =
        static_cast<int32_t>(ordered);
    outcome.sum.mutable_data<int32_t>()[position] = static_cast<int32_t>(sum);
  });
  return outcome;
}

std::string WindowText(const WindowSize& a, const WindowSize& b) {
  return absl::StrCat(
      "window={size=", a.size, "x", b.size, " stride=", a.stride, "x", b.stride,
      " pad=", a.low, "_", a.high, "x", b.low, "_", b.high,
      " lhs_dilate=", a.base_dilation, "x", b.base_dilation,
      " rhs_dilate=", a.window_dilation, "x", b.window_dilation, "}");
}

void CheckWindow(const std::vector<int64_t>& dims, const WindowSize& a,
                 const WindowSize& b) {
  const std::string window = WindowText(a, b);
  CAPTURE(dims, window);
  const Literal x = SomeBytes(Shape::Array(ElementType::kS32, dims), 5);
  const Shape shape = Shape::Array(
      ElementType::kS32, {a.OutputSize(dims[0]), b.OutputSize(dims[1])});
  const Outcome expected = Recompute(x, a, b, shape);
  const std::string computations =
      absl::StrCat(kOrderedBody, "\n", Reducer("sum", "s32", "add"));
  const std::string text = absl::StrCat(
      ToString(shape), " reduce-window(x, y), ", window, ", to_apply=");
  const std::vector<Literal> operands = {x, Literal::Scalar<int32_t>(5)};
  CHECK(RunInstruction(computations, text + "ordered", operands) ==
        expected.ordered);
  CHECK(RunInstruction(computations, text + "sum", operands) == expected.sum);
}

TEST_CASE("reduce-window over many windows") {
  const std::vector<WindowSize> windows = {
      {1, 1, 0, 0, 1, 1},  {2, 1, 0, 0, 1, 1},   {3, 2, 1, 1, 1, 1},
      {2, 3, -1, 2, 1, 2}, {3, 1, 2, -1, 2, 1},  {2, 2, 1, 0, 3, 2},
      {2, 3, 0, 4, 2, 3},  {1, 2, -2, -1, 2, 1}, {4, 1, 3, 0, 1, 1},
      {4, 1, 0, 3, 1, 1},  {9, 1, 8, 8, 1, 1}};
  for (const WindowSize& a : windows) {
    for (const WindowSize& b : windows) CheckWindow({5, 7}, a, b);
  }
}

TEST_CASE("reduce-window with lanes along any dimension") {
  const WindowSize trivial = {1, 1, 0, 0, 1, 1};
  for (const WindowSize& window :
       {WindowSize{3, 2, 1, 1, 1, 1}, WindowSize{2, 1, 1, 0, 2, 1},
        WindowSize{2, 3, 1, 1, 5, 1}}) {
    CheckWindow({3, 700}, trivial, window);
    CheckWindow({700, 3}, window, trivial);
    CheckWindow({700, 3}, trivial, window);
    CheckWindow({600, 5}, window, window);
  }
}

TEST_CASE("cumulative windows are folded in linear time") {
  const WindowSize trivial = {1, 1, 0, 0, 1, 1};
  for (const int64_t n : {1, 2, 7, 1000}) {
    for (const WindowSize& window :
         {WindowSize{n, 1, n - 1, 0, 1, 1}, WindowSize{n, 1, 0, n - 1, 1, 1},
          WindowSize{n, 1, n, 0, 1, 1}, WindowSize{n, 1, n - 1, 3, 1, 1},
          WindowSize{n + 3, 1, n + 1, 0, 1, 1},
          WindowSize{n, 1, -1, n - 1, 1, 1}}) {
      if (window.OutputSize(n) == 0) continue;
      CheckWindow({n, 1}, window, trivial);
      CheckWindow({n, 3}, window, trivial);
      CheckWindow({3, n}, trivial, window);
    }
  }
  // Quadratic time would take a minute.
  const int64_t n = 300000;
  const Literal x = SomeBytes(Shape::Array(ElementType::kS32, {n}), 6);
  for (const std::string pad : {"299999_0", "0_299999"}) {
    const Literal sums = RunInstruction(
        Reducer("sum", "s32", "add"),
        absl::StrCat("s32[300000] reduce-window(x, y), window={size=300000 "
                     "pad=",
                     pad, "}, to_apply=sum"),
        {x, Literal::Scalar<int32_t>(0)});
    uint32_t sum = 0;
    for (const int32_t element : x.data<int32_t>()) {
      sum += static_cast<uint32_t>(element);
    }
    const int32_t last = sums.data<int32_t>()[pad[0] == '0' ? 0 : n - 1];
    CHECK(last == std::bit_cast<int32_t>(sum));
  }
}

TEST_CASE("reduce-window cases of public bug reports (16, 20)") {
  const std::string computations = absl::StrCat(
      Reducer("sum", "s32", "add"), Reducer("max", "f32", "maximum"));
  CheckRows(
      computations,
      {
          {"s32[1,1] reduce-window(x, y), window={size=1x2 pad=0_0x1_0}, "
           "to_apply=sum",
           {"s32[1,1] {{-763}}", "s32[] 0"},
           "{ {-763} }"},
          {"f32[1,3] reduce-window(x, y), window={size=2x1 stride=2x1 "
           "lhs_dilate=1x2}, to_apply=max",
           {"f32[2,2] {{1, 4}, {3, 2}}", "f32[] -inf"},
           "{ {3, -inf, 4} }"},
          {"s32[] reduce-window(x, y), to_apply=sum",
           {"s32[] 3", "s32[] 4"},
           "7"},
          {"s32[3] reduce-window(x, y), window={size=2 pad=1_1}, to_apply=sum",
           {"s32[2] {1, 2}", "s32[] 10"},
           "{11, 13, 12}"},
          {"s32[2] reduce-window(x, y), window={size=1 pad=1_1}, to_apply=sum",
           {"s32[0] {}", "s32[] 10"},
           "{10, 10}"},
      });
}

TEST_CASE("variadic reduce-window") {
  const std::string computations = R"(
body {
  a = s32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = f32[] parameter(3)
  s = s32[] subtract(c, a)
  m = f32[] maximum(b, d)
  ROOT r = (s32[], f32[]) tuple(s, m)
})";
  CheckRows(
      computations,
      {
          {"(s32[2], f32[2]) reduce-window(x, y, z, u), window={size=2}, "
           "to_apply=body",
           {"s32[3] {1, 2, 3}", "f32[3] {1, 5, 2}", "s32[] 0", "f32[] -inf"},
           "( {1, 1}, {5, 5} )"},
      });
}

TEST_CASE("select-and-scatter keeps the first of equal elements") {
  const std::string computations =
      absl::StrCat(Reducer("sum", "f32", "add"), R"(
ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GE
}
gt {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GT
}
minus {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] subtract(a, b)
})");
  const std::string pairs =
      "f32[4] select-and-scatter(x, y, z), window={size=2 stride=2}";
  const std::string x = "f32[4] {1, 1, 2, 3}";
  const std::string y = "f32[2] {10, 20}";
  CheckRows(computations,
            {
                {pairs + ", select=ge, scatter=sum",
                 {x, y, "f32[] 0"},
                 "{10, 0, 0, 20}"},
                {pairs + ", select=gt, scatter=sum",
                 {x, y, "f32[] 5"},
                 "{5, 15, 5, 25}"},
                {pairs + ", select=ge, scatter=minus",
                 {x, y, "f32[] 5"},
                 "{5, 5, 5, 15}"},
                {pairs + ", select=ge, scatter=sum",
                 {"f32[4] {nan, 1, 2, nan}", y, "f32[] 0"},
                 "{0, 10, 0, 20}"},
                // Overlapping windows, with padding.
                {"f32[3] select-and-scatter(x, y, z), window={size=3 pad=1_1}, "
                 "select=ge, scatter=sum",
                 {"f32[3] {1, 5, 2}", "f32[3] {1, 2, 4}", "f32[] 0"},
                 "{0, 7, 0}"},
                {"f32[1] select-and-scatter(x, y, z), window={size=1 pad=1_1}, "
                 "select=ge, scatter=sum",
                 {"f32[1] {1}", "f32[3] {1, 2, 4}", "f32[] 0"},
                 "{2}"},
                {"f32[2,3] select-and-scatter(x, y, z), window={size=2x2}, "
                 "select=ge, "
                 "scatter=sum",
                 {"f32[2,3] {{1, 2, 9}, {4, 3, 0}}", "f32[1,2] {{10, 20}}",
                  "f32[] 0"},
                 "{ {0, 0, 20}, {10, 0, 0} }"},
                {"f32[0] select-and-scatter(x, y, z), window={size=1 pad=1_1}, "
                 "select=ge, scatter=sum",
                 {"f32[0] {}", "f32[2] {1, 2}", "f32[] 0"},
                 "{}"},
            });
}

}  // namespace
}  // namespace hilo::hlo
