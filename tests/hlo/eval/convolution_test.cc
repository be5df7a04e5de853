// Tests of convolution against its definition.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/ir/literal.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"
#include "tests/hlo/eval/evaluate_text.h"
#include "tests/hlo/eval/random_arrays.h"
#include "tests/hlo/eval/reference.h"

namespace hilo::hlo {
namespace {

// One spatial dimension of a test.
struct Dimension {
  int64_t input = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t low = 0;
  int64_t high = 0;
  int64_t base_dilation = 1;
  int64_t window_dilation = 1;
  bool reversed = false;

  int64_t output() const {
    const int64_t dilated = input == 0 ? 0 : (input - 1) * base_dilation + 1;
    const int64_t space =
        low + dilated + high - ((kernel - 1) * window_dilation + 1);
    return space < 0 ? 0 : space / stride + 1;
  }
};

// A two-dimensional convolution b01f_01io->b01f.
struct Case {
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): rows need no second braces.
  Dimension d[2];
  int64_t batch = 1;
  int64_t features = 1;
  int64_t outputs = 1;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;

  int64_t kernel_features() const { return features / feature_groups; }
  std::vector<int64_t> lhs() const {
    return {batch, d[0].input, d[1].input, features};
  }
  std::vector<int64_t> rhs() const {
    return {d[0].kernel, d[1].kernel, kernel_features(), outputs};
  }
  std::vector<int64_t> result() const {
    return {batch / batch_groups, d[0].output(), d[1].output(), outputs};
  }
};

std::string Text(const std::vector<int64_t>& sizes) {
  return absl::StrCat("[", absl::StrJoin(sizes, ","), "]");
}

std::string WindowText(const Case& c) {
  const auto join = [&](auto f) {
    return absl::StrCat(f(c.d[0]), "x", f(c.d[1]));
  };
  return absl::StrCat(
      "{size=", join([](const Dimension& d) { return absl::StrCat(d.kernel); }),
      " stride=",
      join([](const Dimension& d) { return absl::StrCat(d.stride); }), " pad=",
      join([](const Dimension& d) { return absl::StrCat(d.low, "_", d.high); }),
      " lhs_dilate=",
      join([](const Dimension& d) { return absl::StrCat(d.base_dilation); }),
      " rhs_dilate=",
      join([](const Dimension& d) { return absl::StrCat(d.window_dilation); }),
      " rhs_reversal=",
      join([](const Dimension& d) { return absl::StrCat(d.reversed ? 1 : 0); }),
      "}");
}

std::string ConvolutionText(const Case& c, absl::string_view type,
                            const std::vector<int64_t>& shape,
                            absl::string_view kind) {
  return absl::StrCat(type, Text(shape),
                      " convolution(x, y), window=", WindowText(c),
                      ", dim_labels=b01f_01io->b01f",
                      ", feature_group_count=", c.feature_groups,
                      ", batch_group_count=", c.batch_groups, kind);
}

// The input position under a window element, or -1.
int64_t InputIndex(const Dimension& d, int64_t output, int64_t element) {
  const int64_t u = output * d.stride + element * d.window_dilation - d.low;
  if (u < 0 || u % d.base_dilation != 0) return -1;
  return u / d.base_dilation < d.input ? u / d.base_dilation : -1;
}

// One element of the result, straight from the definition.
double Expected(const Case& c, const std::vector<double>& lhs,
                const std::vector<double>& rhs, int64_t b, int64_t o0,
                int64_t o1, int64_t f) {
  const int64_t group = f / (c.outputs / c.feature_groups);
  const int64_t lhs_batch =
      b + f / (c.outputs / c.batch_groups) * (c.batch / c.batch_groups);
  double sum = 0;
  for (int64_t k0 = 0; k0 < c.d[0].kernel; ++k0) {
    for (int64_t k1 = 0; k1 < c.d[1].kernel; ++k1) {
      const int64_t p0 = InputIndex(c.d[0], o0, k0);
      const int64_t p1 = InputIndex(c.d[1], o1, k1);
      if (p0 < 0 || p1 < 0) continue;
      const int64_t w0 = c.d[0].reversed ? c.d[0].kernel - 1 - k0 : k0;
      const int64_t w1 = c.d[1].reversed ? c.d[1].kernel - 1 - k1 : k1;
      for (int64_t i = 0; i < c.kernel_features(); ++i) {
        sum += lhs[((lhs_batch * c.d[0].input + p0) * c.d[1].input + p1) *
                       c.features +
                   group * c.kernel_features() + i] *
               rhs[((w0 * c.d[1].kernel + w1) * c.kernel_features() + i) *
                       c.outputs +
                   f];
      }
    }
  }
  return sum;
}

std::vector<double> ExpectedAll(const Case& c, const std::vector<double>& lhs,
                                const std::vector<double>& rhs) {
  std::vector<double> expected;
  for (int64_t b = 0; b < c.batch / c.batch_groups; ++b) {
    for (int64_t o0 = 0; o0 < c.d[0].output(); ++o0) {
      for (int64_t o1 = 0; o1 < c.d[1].output(); ++o1) {
        for (int64_t f = 0; f < c.outputs; ++f)
          expected.push_back(Expected(c, lhs, rhs, b, o0, o1, f));
      }
    }
  }
  return expected;
}

template <typename T>
void CheckCase(const Case& c, absl::string_view type, uint64_t seed) {
  RandomNumbers random(seed);
  const auto lhs = SmallIntegers<T>(Product(c.lhs()), random);
  const auto rhs = SmallIntegers<T>(Product(c.rhs()), random);
  const std::string text = ConvolutionText(c, type, c.result(), "");
  CAPTURE(text);
  const Literal result =
      RunInstruction(text, {ArrayOf(c.lhs(), lhs), ArrayOf(c.rhs(), rhs)});
  std::vector<double> exact_lhs(lhs.size());
  std::vector<double> exact_rhs(rhs.size());
  std::ranges::transform(lhs, exact_lhs.begin(), ConvertElement<double, T>);
  std::ranges::transform(rhs, exact_rhs.begin(), ConvertElement<double, T>);
  std::vector<T> expected;
  for (const double sum : ExpectedAll(c, exact_lhs, exact_rhs)) {
    if constexpr (NumericTraits<T>::is_integer) {
      expected.push_back(ConvertElement<T>(static_cast<int64_t>(sum)));
    } else {
      expected.push_back(ConvertElement<T>(static_cast<float>(sum)));
    }
  }
  CHECK(result == ArrayOf(c.result(), expected));
}

Dimension RandomDimension(RandomNumbers& random) {
  Dimension d;
  do {
    d = {.input = random.Integer(1, 7),
         .kernel = random.Integer(1, 3),
         .stride = random.Integer(1, 3),
         .low = random.Integer(-2, 3),
         .high = random.Integer(-2, 3),
         .base_dilation = random.Integer(1, 2),
         .window_dilation = random.Integer(1, 2),
         .reversed = random.Integer(0, 1) == 1};
  } while (d.output() < 1);
  return d;
}

Case RandomCase(RandomNumbers& random) {
  Case c{.d = {RandomDimension(random), RandomDimension(random)}};
  const int64_t groups = random.Integer(1, 3);
  const bool by_batch = random.Integer(0, 1) == 1;
  c.batch_groups = by_batch ? groups : 1;
  c.feature_groups = by_batch ? 1 : groups;
  c.batch = c.batch_groups * random.Integer(1, 2);
  c.features = c.feature_groups * random.Integer(1, 3);
  c.outputs = groups * random.Integer(1, 3);
  return c;
}

// Case 23 of the list of public reports.
TEST_CASE("dilated, strided and cropped convolutions follow the formula") {
  for (int64_t code = 0; code < int64_t{6} * 3 * 2 * 2 * 2 * 7 * 7; ++code) {
    int64_t rest = code;
    const auto take = [&rest](int64_t count) {
      const int64_t digit = rest % count;
      rest /= count;
      return digit;
    };
    Dimension d;
    d.input = 1 + take(6);
    d.kernel = 1 + take(3);
    d.stride = 1 + take(2);
    d.base_dilation = 1 + take(2);
    d.window_dilation = 1 + take(2);
    d.low = take(7) - 3;
    d.high = take(7) - 3;
    if (d.output() < 1) continue;
    CheckCase<float>({.d = {d, {}}}, "f32", code);
  }
}

TEST_CASE("grouped convolutions in two dimensions follow the formula") {
  RandomNumbers random(3);
  for (uint64_t i = 0; i < 500; ++i) {
    const Case c = RandomCase(random);
    CheckCase<float>(c, "f32", i);
    CheckCase<int32_t>(c, "s32", i);
  }
}

TEST_CASE("convolutions of every real element type follow the formula") {
  const Case c{.d = {{.input = 5, .kernel = 3, .low = 1, .high = 1},
                     {.input = 3, .kernel = 2, .stride = 2, .low = 1}},
               .batch = 2,
               .features = 3,
               .outputs = 9};
#define HILO_CHECK_TYPE(T, text)                  \
  if constexpr (!NumericTraits<T>::is_complex) {  \
    if (absl::string_view(text) != "f8e8m0fnu") { \
      CheckCase<T>(c, text, 5);                   \
    }                                             \
  }
  HILO_NUMERIC_TYPES(HILO_CHECK_TYPE)
#undef HILO_CHECK_TYPE
}

TEST_CASE("large convolutions are exact across the borders of blocks") {
  CheckCase<float>({.d = {{.input = 19, .kernel = 3, .low = 1, .high = 1},
                          {.input = 23, .kernel = 1}},
                    .batch = 2,
                    .features = 300,
                    .outputs = 9},
                   "f32", 6);
  CheckCase<float>({.d = {{.input = 5}, {.input = 7, .kernel = 3}},
                    .features = 3,
                    .outputs = 270},
                   "f32", 7);
  CheckCase<float>(
      {.d = {{.input = 9, .kernel = 3}, {.input = 40, .kernel = 3, .low = 1}},
       .features = 300,
       .outputs = 600,
       .feature_groups = 300},
      "f32", 8);
}

double InnerProduct(const std::vector<double>& a, const Literal& b) {
  const auto values = b.data<double>();
  REQUIRE(a.size() == values.size());
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * values[i];
  return sum;
}

// The kernel as the data gradient of a grouped convolution wants it: all input
// features, and the output features of one group.
std::vector<double> GradientKernel(const Case& c,
                                   const std::vector<double>& rhs) {
  const int64_t inputs = c.kernel_features();
  const int64_t outputs = c.outputs / c.feature_groups;
  std::vector<double> kernel(rhs.size());
  for (int64_t k = 0; k < c.d[0].kernel * c.d[1].kernel; ++k) {
    for (int64_t i = 0; i < c.features; ++i) {
      for (int64_t o = 0; o < outputs; ++o) {
        kernel[(k * c.features + i) * outputs + o] =
            rhs[(k * inputs + i % inputs) * c.outputs + i / inputs * outputs +
                o];
      }
    }
  }
  return kernel;
}

// The gradients are the adjoints of the forward convolution.
TEST_CASE("data and weight gradients are adjoint to the convolution") {
  RandomNumbers random(9);
  int checked = 0;
  while (checked < 200) {
    Case c = RandomCase(random);
    bool fits = c.batch_groups == 1;
    for (Dimension& d : c.d) {
      d.base_dilation = 1;
      const int64_t back = (d.output() - 1) * d.stride +
                           (d.kernel - 1) * d.window_dilation + 1 - d.low -
                           d.high;
      fits = fits && d.output() > 0 && back == d.input;
    }
    if (!fits) continue;
    ++checked;
    const auto lhs = SmallIntegers<double>(Product(c.lhs()), random);
    const auto rhs = SmallIntegers<double>(Product(c.rhs()), random);
    const auto gradient = SmallIntegers<double>(Product(c.result()), random);
    const std::string forward = ConvolutionText(c, "f64", c.result(), "");
    CAPTURE(forward);
    const Literal result =
        RunInstruction(forward, {ArrayOf(c.lhs(), lhs), ArrayOf(c.rhs(), rhs)});
    const double expected = InnerProduct(gradient, result);
    const Literal data = RunInstruction(
        ConvolutionText(c, "f64", c.lhs(), ", convolution_kind=dgrad"),
        {ArrayOf(c.result(), gradient),
         ArrayOf({c.d[0].kernel, c.d[1].kernel, c.features,
                  c.outputs / c.feature_groups},
                 GradientKernel(c, rhs))});
    CHECK(InnerProduct(lhs, data) == expected);
    const Literal weights = RunInstruction(
        ConvolutionText(c, "f64", c.rhs(), ", convolution_kind=wgrad"),
        {ArrayOf(c.lhs(), lhs), ArrayOf(c.result(), gradient)});
    CHECK(InnerProduct(rhs, weights) == expected);
  }
}

// Cases 17 and 21 of the list of public reports.
TEST_CASE("cropped inputs stay cropped") {
  CHECK(Apply("f32[1,1,1] convolution(x, y), window={size=2 pad=1_0}, "
              "dim_labels=b0f_0io->b0f",
              {"f32[1,1,1] {{{-763}}}", "f32[2,1,1] {{{1}},{{1}}}"}) ==
        "{ { {-763} } }");
  CHECK(Apply("s32[1,2,1] convolution(x, y), window={size=1 pad=-5_1}, "
              "dim_labels=b0f_0io->b0f",
              {"s32[1,6,1] {{{0},{10},{20},{30},{40},{50}}}",
               "s32[1,1,1] {{{1}}}"}) == "{ { {50}, {0} } }");
}

TEST_CASE("weights over padding and holes add nothing") {
  CHECK(Apply("f32[1,3,1] convolution(x, y), window={size=2 pad=1_1}, "
              "dim_labels=b0f_0io->b0f",
              {"f32[1,2,1] {{{1},{2}}}", "f32[2,1,1] {{{inf}},{{1}}}"}) ==
        "{ { {1}, {inf}, {inf} } }");
  CHECK(Apply("s8[1,1,1] convolution(x, y), window={size=2}, "
              "dim_labels=b0f_0io->b0f",
              {"s8[1,2,1] {{{100},{100}}}", "s8[2,1,1] {{{100}},{{100}}}"}) ==
        "{ { {32} } }");
  CHECK(Apply("f32[2,1] convolution(x, y), dim_labels=bf_io->bf",
              {"f32[2,2] {{1,2},{3,4}}", "f32[2,1] {{1},{10}}"}) ==
        "{ {21}, {43} }");
  CHECK(Apply("c64[1,1,1] convolution(x, y), window={size=1}, "
              "dim_labels=b0f_0io->b0f",
              {"c64[1,1,1] {{{(1,2)}}}", "c64[1,1,1] {{{(3,4)}}}"}) ==
        "{ { {(-5, 10)} } }");
  CHECK(Apply("f32[1,2,1] convolution(x, y), window={size=1}, "
              "dim_labels=b0f_0io->b0f",
              {"f32[1,2,0] {{{},{}}}", "f32[1,0,1] {{}}"}) ==
        "{ { {0}, {0} } }");
}

}  // namespace
}  // namespace hilo::hlo
