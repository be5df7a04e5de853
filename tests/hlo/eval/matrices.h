// Small matrices for tests of linear algebra, row-major.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "hlo/ir/literal.h"

namespace hilo::hlo {

template <typename T>
struct Matrix {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<T> values;

  T& At(int64_t i, int64_t j) { return values[i * columns + j]; }
  const T& At(int64_t i, int64_t j) const { return values[i * columns + j]; }
};

template <typename T>
Matrix<T> Multiply(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> product{a.rows, b.columns, std::vector<T>(a.rows * b.columns)};
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.columns; ++k) {
      for (int64_t j = 0; j < b.columns; ++j) {
        product.At(i, j) += a.At(i, k) * b.At(k, j);
      }
    }
  }
  return product;
}

template <typename T>
Matrix<T> Transposed(const Matrix<T>& a) {
  Matrix<T> result{a.columns, a.rows, std::vector<T>(a.values.size())};
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) result.At(j, i) = a.At(i, j);
  }
  return result;
}

template <typename T>
Matrix<T> Adjoint(const Matrix<T>& a) {
  Matrix<T> result = Transposed(a);
  if constexpr (!std::is_arithmetic_v<T>) {
    for (T& value : result.values) value = std::conj(value);
  }
  return result;
}

template <typename T>
Matrix<T> Identity(int64_t n) {
  Matrix<T> result{n, n, std::vector<T>(n * n)};
  for (int64_t i = 0; i < n; ++i) result.At(i, i) = T(1);
  return result;
}

// Columns 0 ... count - 1.
template <typename T>
Matrix<T> FirstColumns(const Matrix<T>& a, int64_t count) {
  Matrix<T> result{a.rows, count, std::vector<T>(a.rows * count)};
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < count; ++j) result.At(i, j) = a.At(i, j);
  }
  return result;
}

// Matrix number `batch` of an array.
template <typename T>
Matrix<T> MatrixAt(const Literal& literal, int64_t batch, int64_t rows,
                   int64_t columns) {
  const auto values =
      literal.data<T>().subspan(batch * rows * columns, rows * columns);
  return {rows, columns, std::vector<T>(values.begin(), values.end())};
}

// The greatest difference; infinity for a NaN or another size.
template <typename T>
double Distance(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return INFINITY;
  double distance = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference < INFINITY)) return INFINITY;
    distance = std::max(distance, difference);
  }
  return distance;
}

}  // namespace hilo::hlo
