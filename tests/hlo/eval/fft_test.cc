// Tests of fft against the sums that define it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/ir/literal.h"
#include "runtime/base/convert_element.h"
#include "tests/hlo/eval/evaluate_text.h"
#include "tests/hlo/eval/random_arrays.h"
#include "tests/hlo/eval/reference.h"

namespace hilo::hlo {
namespace {

using Complex = std::complex<double>;
// NOLINTNEXTLINE(google-runtime-float): nothing else is wider than double.
using WideReal = long double;
using Wide = std::complex<WideReal>;

// Transforms each line of length `n` and stride `stride`, by the definition.
std::vector<Wide> NaiveLines(const std::vector<Wide>& x, int64_t n,
                             int64_t stride, int sign) {
  std::vector<Wide> roots;
  for (int64_t j = 0; j < n; ++j) {
    const WideReal angle = sign * 2 * std::numbers::pi_v<WideReal> *
                           static_cast<WideReal>(j) / static_cast<WideReal>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  std::vector<Wide> result(x.size());
  const auto size = static_cast<int64_t>(x.size());
  for (int64_t i = 0; i < size; ++i) {
    const int64_t k = i / stride % n;
    const int64_t first = i - k * stride;
    for (int64_t j = 0; j < n; ++j) {
      result[i] += x[first + j * stride] * roots[j * k % n];
    }
  }
  return result;
}

std::vector<Wide> Naive(std::vector<Wide> x, const std::vector<int64_t>& sizes,
                        int sign) {
  int64_t stride = 1;
  for (size_t i = sizes.size(); i > 0; --i) {
    x = NaiveLines(x, sizes[i - 1], stride, sign);
    stride *= sizes[i - 1];
  }
  return x;
}

std::string Text(absl::string_view type, const std::vector<int64_t>& sizes) {
  return absl::StrCat(type, "[", absl::StrJoin(sizes, ","), "]");
}

std::string Fft(absl::string_view result, absl::string_view type,
                const std::vector<int64_t>& lengths) {
  return absl::StrCat(result, " fft(x), fft_type=", type, ", fft_length={",
                      absl::StrJoin(lengths, ","), "}");
}

template <typename T>
std::vector<Wide> Widen(const std::vector<T>& values) {
  std::vector<Wide> wide;
  for (const T value : values) {
    const auto exact = ConvertElement<Complex>(value);
    wide.emplace_back(exact.real(), exact.imag());
  }
  return wide;
}

// The greatest distance, relative to the norm that rounding errors go with.
template <typename T>
double DistanceFromSums(const Literal& result,
                        const std::vector<Wide>& expected) {
  const auto values = result.data<T>();
  REQUIRE(values.size() == expected.size());
  WideReal norm = 0;
  for (const Wide value : expected) norm += std::norm(value);
  norm = std::sqrt(norm / static_cast<WideReal>(expected.size()));
  double distance = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto value = ConvertElement<Complex>(values[i]);
    const Wide difference = Wide(value.real(), value.imag()) - expected[i];
    distance =
        std::max(distance, static_cast<double>(std::abs(difference) / norm));
  }
  return distance;
}

constexpr double kTolerance = 2e-15;

std::vector<std::vector<int64_t>> AllSizes() {
  std::vector<std::vector<int64_t>> all;
  for (int64_t n = 1; n <= 40; ++n) all.push_back({n});
  for (const int64_t n : {61, 67, 97, 127, 256, 360, 509, 1009, 1022}) {
    all.push_back({n});
  }
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{3, 5},
                                            {4, 1},
                                            {1, 7},
                                            {8, 71},
                                            {2, 3, 5},
                                            {5, 4, 6}}) {
    all.push_back(sizes);
  }
  return all;
}

TEST_CASE("transforms of any length equal the defining sums") {
  for (const std::vector<int64_t>& sizes : AllSizes()) {
    const std::string shape = Text("c128", sizes);
    CAPTURE(shape);
    RandomNumbers random(sizes.size() + sizes[0]);
    const auto x = UnitNumbers<Complex>(Product(sizes), random);
    const Literal forward =
        RunInstruction(Fft(shape, "FFT", sizes), {ArrayOf(sizes, x)});
    CHECK(DistanceFromSums<Complex>(forward, Naive(Widen(x), sizes, -1)) <
          kTolerance);
    const Literal inverse =
        RunInstruction(Fft(shape, "IFFT", sizes), {ArrayOf(sizes, x)});
    std::vector<Wide> expected = Naive(Widen(x), sizes, 1);
    for (Wide& value : expected) value /= Product(sizes);
    CHECK(DistanceFromSums<Complex>(inverse, expected) < kTolerance);
  }
}

TEST_CASE("real transforms keep half, and their inverses read half") {
  for (const std::vector<int64_t>& sizes : AllSizes()) {
    std::vector<int64_t> half = sizes;
    half.back() = sizes.back() / 2 + 1;
    const std::string shape = Text("f64", sizes);
    CAPTURE(shape);
    RandomNumbers random(sizes.size() + sizes[0]);
    const auto x = UnitNumbers<double>(Product(sizes), random);
    const Literal forward = RunInstruction(
        Fft(Text("c128", half), "RFFT", sizes), {ArrayOf(sizes, x)});
    const std::vector<Wide> whole = Naive(Widen(x), sizes, -1);
    std::vector<Wide> expected;
    for (size_t i = 0; i < whole.size(); ++i) {
      if (static_cast<int64_t>(i) % sizes.back() < half.back()) {
        expected.push_back(whole[i]);
      }
    }
    CHECK(DistanceFromSums<Complex>(forward, expected) < kTolerance);
    const Literal back = RunInstruction(Fft(shape, "IRFFT", sizes), {forward});
    CHECK(DistanceFromSums<double>(back, Widen(x)) < 2 * kTolerance);
  }
}

TEST_CASE("transforms of f32, of batches and of nothing") {
  RandomNumbers random(4);
  const auto x = UnitNumbers<std::complex<float>>(int64_t{3} * 7, random);
  const Literal result = RunInstruction(
      "c64[3,7] fft(x), fft_type=FFT, fft_length={7}", {ArrayOf({3, 7}, x)});
  CHECK(DistanceFromSums<std::complex<float>>(
            result, NaiveLines(Widen(x), 7, 1, -1)) < 2e-7);
  CHECK(Apply("f32[4] fft(x), fft_type=IRFFT, fft_length={4}",
              {"c64[3] {(4, 9), (0, 0), (0, 7)}"}) == "{1, 1, 1, 1}");
  CHECK(Apply("c64[2,2] fft(x), fft_type=RFFT, fft_length={3}",
              {"f32[2,3] {{1,1,1},{0,0,3}}"})
            .substr(0, 20) == "{ { (3, 0), (0, 0) }");
  CHECK(RunInstruction("c64[2,0] fft(x), fft_type=FFT, fft_length={0}",
                       {ArrayOf({2, 0}, std::vector<std::complex<float>>())})
            .element_count() == 0);
}

}  // namespace
}  // namespace hilo::hlo
