// Tests Fourier transforms against sums in long double.
#include "runtime/host/fft.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/thread_pool.h"
#include "tests/runtime/host/aligned_scratch.h"

namespace hilo::runtime {
namespace {

// NOLINTNEXTLINE(google-runtime-float): nothing else is wider than double.
using WideReal = long double;
using WideComplex = std::complex<WideReal>;

// Transforms along one dimension, by definition.
void TransformDimension(std::vector<WideComplex>& data, int64_t length,
                        int64_t inner, bool is_inverse) {
  const auto size = static_cast<int64_t>(data.size());
  std::vector<WideComplex> roots(length);
  for (int64_t i = 0; i < length; ++i) {
    const WideReal angle =
        (is_inverse ? 2 : -2) * std::numbers::pi_v<WideReal> *
        static_cast<WideReal>(i) / static_cast<WideReal>(length);
    roots[i] = {std::cos(angle), std::sin(angle)};
  }
  std::vector<WideComplex> row(length);
  for (int64_t first = 0; first < size; ++first) {
    if (first / inner % length != 0) continue;
    for (int64_t k = 0; k < length; ++k) {
      row[k] = 0;
      for (int64_t j = 0; j < length; ++j) {
        row[k] += data[first + j * inner] * roots[j * k % length];
      }
    }
    for (int64_t k = 0; k < length; ++k) data[first + k * inner] = row[k];
  }
}

void TransformAll(std::vector<WideComplex>& data,
                  const std::vector<int64_t>& lengths, bool is_inverse) {
  int64_t inner = 1;
  for (size_t i = lengths.size(); i > 0; --i) {
    TransformDimension(data, lengths[i - 1], inner, is_inverse);
    inner *= lengths[i - 1];
  }
  if (!is_inverse) return;
  for (WideComplex& value : data) value /= static_cast<WideReal>(inner);
}

template <typename T>
std::vector<T> RunPlan(const FftDescription& description, int64_t result_size,
                       const std::vector<T>& operand, void* pool) {
  const FftPlan plan(description);
  AlignedScratch scratch(plan.scratch_bytes());
  std::vector<T> result(result_size);
  hilo_fft(pool, &plan, operand.data(), result.data(), scratch.data());
  return result;
}

// The error relative to the norm of the expected values.
template <typename T>
double RelativeError(const std::vector<WideComplex>& expected,
                     const std::vector<WideComplex>& actual) {
  WideReal error = 0;
  WideReal norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += std::norm(expected[i] - actual[i]);
    norm += std::norm(expected[i]);
  }
  return static_cast<double>(
             std::sqrt(error / std::max(norm, WideReal{1e-300}))) /
         std::numeric_limits<T>::epsilon();
}

template <typename T>
struct Case {
  std::vector<int64_t> lengths;
  int64_t batch;
  void* pool;

  int64_t size() const {
    int64_t size = batch;
    for (const int64_t length : lengths) size *= length;
    return size;
  }
  // Errors in units of the last place of the norm.
  double limit() const { return 12; }

  void Check() const {
    CAPTURE(sizeof(T), lengths, batch);
    CheckComplex(FftType::kForward);
    CheckComplex(FftType::kInverse);
    CheckReal();
  }

  std::vector<WideComplex> RandomData(bool is_complex) const {
    std::mt19937 random(static_cast<uint32_t>(size()));
    std::uniform_real_distribution<T> part(-1, 1);
    std::vector<WideComplex> data(size());
    for (WideComplex& value : data) {
      const T re = part(random);
      value = {re, is_complex ? part(random) : T{0}};
    }
    return data;
  }

  FftDescription Description(FftType type) const {
    return {.type = type,
            .is_double = sizeof(T) == 8,
            .batch = batch,
            .lengths = lengths,
            .slots = 2};
  }

  void CheckComplex(FftType type) const {
    std::vector<WideComplex> data = RandomData(true);
    std::vector<T> operand;
    for (const WideComplex value : data) {
      operand.push_back(static_cast<T>(value.real()));
      operand.push_back(static_cast<T>(value.imag()));
    }
    const std::vector<T> result =
        RunPlan(Description(type), 2 * size(), operand, pool);
    std::vector<WideComplex> actual;
    actual.reserve(static_cast<size_t>(size()));
    for (int64_t i = 0; i < size(); ++i) {
      actual.emplace_back(result[2 * i], result[2 * i + 1]);
    }
    TransformAll(data, lengths, type == FftType::kInverse);
    CHECK(RelativeError<T>(data, actual) < limit());
  }

  // There and back.
  void CheckReal() const {
    const std::vector<WideComplex> data = RandomData(false);
    std::vector<T> operand;
    operand.reserve(data.size());
    for (const WideComplex value : data) {
      operand.push_back(static_cast<T>(value.real()));
    }
    const int64_t length = lengths.back();
    const int64_t rows = size() / length;
    const int64_t half = length / 2 + 1;
    std::vector<T> halves = RunPlan(Description(FftType::kRealForward),
                                    2 * rows * half, operand, pool);
    std::vector<WideComplex> transformed = data;
    TransformAll(transformed, lengths, false);
    std::vector<WideComplex> expected;
    std::vector<WideComplex> actual;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t k = 0; k < half; ++k) {
        expected.push_back(transformed[row * length + k]);
        const int64_t i = 2 * (row * half + k);
        actual.emplace_back(halves[i], halves[i + 1]);
      }
    }
    CHECK(RelativeError<T>(expected, actual) < limit());
    if (lengths.size() == 1) {
      // To be ignored.
      for (int64_t row = 0; row < rows; ++row) {
        halves[2 * row * half + 1] += 1;
        if (length % 2 == 0) halves[2 * (row + 1) * half - 1] += 1;
      }
    }
    const std::vector<T> back =
        RunPlan(Description(FftType::kRealInverse), size(), halves, pool);
    CHECK(RelativeError<T>(data, {back.begin(), back.end()}) < 2 * limit());
  }
};

template <typename T>
void CheckAllCases(void* pool) {
  for (int64_t length = 1; length <= 32; ++length) {
    for (const int64_t batch : {1, 3, 17})
      Case<T>{{length}, batch, pool}.Check();
  }
  for (const int64_t length :
       {49, 61, 64, 67, 121, 128, 134, 210, 243, 257, 360, 512, 514, 1000}) {
    for (const int64_t batch : {1, 9}) Case<T>{{length}, batch, pool}.Check();
  }
  for (const std::vector<int64_t>& lengths :
       std::vector<std::vector<int64_t>>{{2, 3},
                                         {5, 1},
                                         {1, 5},
                                         {7, 16},
                                         {16, 7},
                                         {33, 20},
                                         {3, 5, 4},
                                         {4, 6, 31},
                                         {17, 2, 9},
                                         {2, 71, 8},
                                         {3, 256}}) {
    for (const int64_t batch : {1, 2}) Case<T>{lengths, batch, pool}.Check();
  }
}

TEST_CASE("transforms of all types and lengths are accurate") {
  ThreadPool pool(2);
  pool.loop_workers().Arm();
  CheckAllCases<float>(nullptr);
  CheckAllCases<double>(&pool.loop_workers());
}

TEST_CASE("transforms of long rows are their own inverse") {
  for (const int64_t length : {8193, 16384, 10007, 65536, 100000}) {
    CAPTURE(length);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> part(-1, 1);
    std::vector<double> operand(2 * length);
    for (double& value : operand) value = part(random);
    FftDescription description{.is_double = true, .lengths = {length}};
    const std::vector<double> there =
        RunPlan(description, 2 * length, operand, nullptr);
    description.type = FftType::kInverse;
    const std::vector<double> back =
        RunPlan(description, 2 * length, there, nullptr);
    double error = 0;
    for (int64_t i = 0; i < 2 * length; ++i) {
      error = std::max(error, std::abs(back[i] - operand[i]));
    }
    CHECK(error < 1e-14);
    // The sum of all elements is the first of the result.
    WideReal sum = 0;
    for (int64_t i = 0; i < length; ++i) sum += operand[2 * i];
    CHECK(there[0] == Approx(static_cast<double>(sum)).margin(1e-11));
  }
}

TEST_CASE("results do not depend on threads") {
  ThreadPool pool(3);
  pool.loop_workers().Arm();
  for (const int64_t length : {4096, 1021}) {
    for (const int64_t batch : {1, 50}) {
      std::vector<float> operand(2 * batch * length);
      std::mt19937 random(3);
      for (float& value : operand) value = static_cast<float>(random() % 100);
      const FftDescription description{
          .batch = batch, .lengths = {length}, .slots = 3};
      const auto size = static_cast<int64_t>(operand.size());
      CHECK(RunPlan(description, size, operand, &pool.loop_workers()) ==
            RunPlan(description, size, operand, nullptr));
    }
  }
}

}  // namespace
}  // namespace hilo::runtime
