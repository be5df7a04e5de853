// Tests Cholesky factors and triangular systems by multiplying back.
#include "runtime/host/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/base/numeric_traits.h"
#include "runtime/base/small_float.h"
#include "runtime/thread_pool.h"
#include "tests/runtime/host/aligned_scratch.h"

namespace hilo::runtime {
namespace {

using Wide = std::complex<double>;

template <typename T>
Wide WideOf(T value) {
  return ConvertElement<Wide>(value);
}

template <typename T>
std::vector<T> RandomMatrix(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-1, 1);
  std::vector<T> matrix(count);
  for (T& value : matrix) {
    const double re = part(random);
    value = ConvertElement<T>(Wide(re, part(random)));
  }
  return matrix;
}

// The units in which errors are counted.
template <typename T>
double Epsilon() {
  return std::ldexp(1.0, -NumericTraits<T>::mantissa_bits);
}

template <typename T>
void CheckCholesky(int64_t n, bool lower, void* pool) {
  CAPTURE(kNumericName<T>, n, lower);
  constexpr int64_t kBatch = 3;
  std::vector<T> a(kBatch * n * n);
  const std::vector<Wide> root = RandomMatrix<Wide>(kBatch * n * n, 5);
  for (int64_t batch = 0; batch < kBatch; ++batch) {
    const Wide* r = root.data() + batch * n * n;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        Wide sum = i == j ? 2 : 0;
        for (int64_t k = 0; k < n; ++k) {
          sum += NumericTraits<T>::is_complex
                     ? r[i * n + k] * std::conj(r[j * n + k])
                     : Wide(r[i * n + k].real() * r[j * n + k].real());
        }
        const bool is_read = lower ? j <= i : j >= i;
        a[(batch * n + i) * n + j] =
            is_read ? ConvertElement<T>(sum) : NumericTraits<T>::quiet_nan();
      }
    }
  }
  // Not positive definite.
  if (n > 0) a[2 * n * n] = ConvertElement<T>(Wide(-1));
  const CholeskyMatrices matrices{.type = kElementCode<T>,
                                  .lower = lower ? 1 : 0,
                                  .batch = kBatch,
                                  .size = n,
                                  .slots = 2};
  std::vector<T> factor(a.size());
  AlignedScratch scratch(ScratchBytes(matrices));
  hilo_cholesky(pool, &matrices, a.data(), factor.data(), scratch.data());
  double error = 0;
  int64_t wrong = 0;
  for (int64_t batch = 0; batch < 2; ++batch) {
    const T* f = factor.data() + batch * n * n;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        if (lower ? j > i : j < i) {
          wrong += WideOf(f[i * n + j]) != 0.0;
          continue;
        }
        Wide sum = 0;
        for (int64_t k = 0; k < n; ++k) {
          sum += lower ? WideOf(f[i * n + k]) * std::conj(WideOf(f[j * n + k]))
                       : std::conj(WideOf(f[k * n + i])) * WideOf(f[k * n + j]);
        }
        error =
            std::max(error, std::abs(sum - WideOf(a[(batch * n + i) * n + j])));
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(error <= 8 * (static_cast<double>(n) + 4) * Epsilon<T>());
  for (int64_t i = 0; i < n * n; ++i) {
    wrong += !std::isnan(WideOf(factor[2 * n * n + i]).real());
  }
  CHECK(wrong == 0);
}

TEST_CASE("cholesky factors multiply back, or are NaN") {
  ThreadPool pool(2);
  for (const int64_t n : {0, 1, 2, 3, 5, 7, 17, 40}) {
    for (const bool lower : {false, true}) {
      CheckCholesky<float>(n, lower, &pool.loop_workers());
      CheckCholesky<double>(n, lower, nullptr);
      CheckCholesky<std::complex<float>>(n, lower, nullptr);
      CheckCholesky<std::complex<double>>(n, lower, nullptr);
      CheckCholesky<Float16>(n, lower, nullptr);
      CheckCholesky<BFloat16>(n, lower, nullptr);
    }
  }
}

// op(a)[i][j] of the triangle that is read.
template <typename T>
Wide TriangleElement(const TriangularSystems& systems, const T* a, int64_t i,
                     int64_t j) {
  if (systems.transpose != MatrixTranspose::kNone) std::swap(i, j);
  if (systems.lower != 0 ? j > i : j < i) return 0;
  if (i == j && systems.unit_diagonal != 0) return 1;
  const Wide value = WideOf(a[i * systems.triangle_size() + j]);
  return systems.transpose == MatrixTranspose::kAdjoint ? std::conj(value)
                                                        : value;
}

template <typename T>
void CheckSolve(TriangularSystems systems, void* pool) {
  systems.type = kElementCode<T>;
  systems.batch = 2;
  systems.slots = 2;
  const int64_t m = systems.triangle_size();
  const int64_t rows = systems.rows;
  const int64_t columns = systems.columns;
  CAPTURE(kNumericName<T>, systems.left_side, systems.lower,
          systems.unit_diagonal, static_cast<int>(systems.transpose), rows,
          columns);
  std::vector<T> a = RandomMatrix<T>(2 * m * m, 3);
  for (int64_t i = 0; i < 2 * m * m; ++i) {
    const int64_t row = i / m % m;
    const int64_t column = i % m;
    const bool is_read = systems.lower != 0 ? column <= row : column >= row;
    if (!is_read || (row == column && systems.unit_diagonal != 0)) {
      a[i] = NumericTraits<T>::quiet_nan();
    } else if (row == column) {
      a[i] = ConvertElement<T>(WideOf(a[i]) + 3.0);
    } else {
      a[i] = ConvertElement<T>(WideOf(a[i]) / static_cast<double>(m));
    }
  }
  const std::vector<T> b = RandomMatrix<T>(2 * rows * columns, 4);
  std::vector<T> x(b.size());
  AlignedScratch scratch(ScratchBytes(systems));
  hilo_triangular_solve(pool, &systems, a.data(), b.data(), x.data(),
                        scratch.data());
  double error = 0;
  for (int64_t batch = 0; batch < 2; ++batch) {
    const T* triangle = a.data() + batch * m * m;
    const T* solution = x.data() + batch * rows * columns;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        Wide sum = 0;
        for (int64_t k = 0; k < m; ++k) {
          sum += systems.left_side != 0
                     ? TriangleElement(systems, triangle, i, k) *
                           WideOf(solution[k * columns + j])
                     : WideOf(solution[i * columns + k]) *
                           TriangleElement(systems, triangle, k, j);
        }
        error = std::max(
            error, std::abs(sum - WideOf(b[(batch * rows + i) * columns + j])));
      }
    }
  }
  CHECK(error <= 16 * Epsilon<T>());
}

TEST_CASE("solutions of triangular systems of the library multiply back") {
  ThreadPool pool(2);
  pool.loop_workers().Arm();
  for (int options = 0; options < 24; ++options) {
    for (const int64_t rows : {1, 2, 5, 19}) {
      for (const int64_t columns : {1, 3, 8, 17}) {
        const TriangularSystems systems{
            .left_side = options % 2,
            .lower = options / 2 % 2,
            .unit_diagonal = options / 4 % 2,
            .transpose = static_cast<MatrixTranspose>(options / 8),
            .rows = rows,
            .columns = columns};
        CheckSolve<float>(systems, nullptr);
        CheckSolve<double>(systems, &pool.loop_workers());
        CheckSolve<std::complex<float>>(systems, nullptr);
        CheckSolve<std::complex<double>>(systems, nullptr);
        CheckSolve<BFloat16>(systems, nullptr);
      }
    }
  }
}

}  // namespace
}  // namespace hilo::runtime
