// The discrete Fourier transform of any length.
#include "hlo/eval/fourier_transform.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include "hlo/eval/linear_algebra.h"

namespace hilo::hlo {
namespace {

// Lengths with a larger prime factor are computed as convolutions.
constexpr int64_t kLargestRadix = 61;

// exp(-2 pi i numerator / denominator), 0 <= numerator < denominator, to the
// last bit or nearly so.
std::complex<double> Root(int64_t numerator, int64_t denominator) {
  // NOLINTBEGIN(google-runtime-float): nothing else is wider than double.
  const long double angle = 2 * std::numbers::pi_v<long double> *
                            static_cast<long double>(numerator) /
                            static_cast<long double>(denominator);
  // NOLINTEND(google-runtime-float)
  return {static_cast<double>(std::cos(angle)),
          static_cast<double>(-std::sin(angle))};
}

std::vector<int64_t> PrimeFactors(int64_t number) {
  std::vector<int64_t> factors;
  while (number % 4 == 0) {
    factors.push_back(4);
    number /= 4;
  }
  for (int64_t factor = 2; factor * factor <= number; ++factor) {
    while (number % factor == 0) {
      factors.push_back(factor);
      number /= factor;
    }
  }
  if (number > 1) factors.push_back(number);
  return factors;
}

int64_t PaddedLength(int64_t length) {
  int64_t padded = 1;
  while (padded < 2 * length - 1) padded *= 2;
  return padded;
}

}  // namespace

FourierTransform::FourierTransform(int64_t length)
    : length_(length), factors_(PrimeFactors(length)) {
  const int64_t largest =
      factors_.empty() ? 1 : *std::ranges::max_element(factors_);
  if (largest <= kLargestRadix) {
    for (int64_t i = 0; i < length; ++i) roots_.push_back(Root(i, length));
    copy_.resize(length);
    column_.resize(largest);
    return;
  }
  const int64_t padded_length = PaddedLength(length);
  padded_ = std::make_unique<FourierTransform>(padded_length);
  chirp_transform_.resize(padded_length);
  // j * j modulo 2 * length, step by step: the square may not fit.
  int64_t square = 0;
  for (int64_t j = 0; j < length; ++j) {
    chirp_.push_back(Root(square, 2 * length));
    chirp_transform_[j] = std::conj(chirp_[j]);
    if (j > 0) chirp_transform_[padded_length - j] = std::conj(chirp_[j]);
    square = (square + 2 * j + 1) % (2 * length);
  }
  padded_->Run(/*inverse=*/false, chirp_transform_.data());
  copy_.resize(padded_length);
}

FourierTransform::~FourierTransform() = default;

void FourierTransform::Run(bool inverse, Complex* data) {
  // The inverse is the transform of the conjugate, conjugated.
  if (inverse) {
    for (int64_t i = 0; i < length_; ++i) data[i] = std::conj(data[i]);
  }
  if (padded_ != nullptr) {
    RunBluestein(data);
  } else {
    std::copy_n(data, length_, copy_.begin());
    Recurse(length_, 1, 0, copy_.data(), data);
  }
  if (inverse) {
    for (int64_t i = 0; i < length_; ++i) data[i] = std::conj(data[i]);
  }
}

// Transforms source[0], source[stride], ... into `destination`.
void FourierTransform::Recurse(int64_t length, int64_t stride, size_t factor,
                               const Complex* source, Complex* destination) {
  if (length == 1) {
    destination[0] = source[0];
    return;
  }
  const int64_t radix = factors_[factor];
  const int64_t columns = length / radix;
  for (int64_t i = 0; i < radix; ++i) {
    if (columns == 1) {
      destination[i] = source[i * stride];
      continue;
    }
    Recurse(columns, stride * radix, factor + 1, source + i * stride,
            destination + i * columns);
  }
  Butterflies(radix, columns, stride, destination);
}

// Joins `radix` transforms of `columns` elements each; `stride` is the total
// length by radix * columns.
void FourierTransform::Butterflies(int64_t radix, int64_t columns,
                                   int64_t stride, Complex* data) {
  const int64_t radix_step = length_ / radix;
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t i = 0; i < radix; ++i) {
      column_[i] =
          Product(data[i * columns + column], roots_[i * column * stride]);
    }
    if (radix == 2) {
      data[column] = column_[0] + column_[1];
      data[columns + column] = column_[0] - column_[1];
      continue;
    }
    if (radix == 4) {
      const Complex even_sum = column_[0] + column_[2];
      const Complex even_difference = column_[0] - column_[2];
      const Complex odd_sum = column_[1] + column_[3];
      const Complex odd = column_[1] - column_[3];
      const Complex turned(odd.imag(), -odd.real());
      data[column] = even_sum + odd_sum;
      data[columns + column] = even_difference + turned;
      data[2 * columns + column] = even_sum - odd_sum;
      data[3 * columns + column] = even_difference - turned;
      continue;
    }
    for (int64_t k = 0; k < radix; ++k) {
      Complex sum = column_[0];
      int64_t root = 0;
      for (int64_t i = 1; i < radix; ++i) {
        root += k;
        if (root >= radix) root -= radix;
        sum += Product(column_[i], roots_[root * radix_step]);
      }
      data[k * columns + column] = sum;
    }
  }
}

// j * k = (j^2 + k^2 - (k - j)^2) / 2 turns the transform into a convolution
// with a chirp.
void FourierTransform::RunBluestein(Complex* data) {
  std::ranges::fill(copy_, Complex());
  for (int64_t j = 0; j < length_; ++j) copy_[j] = Product(data[j], chirp_[j]);
  padded_->Run(/*inverse=*/false, copy_.data());
  for (size_t i = 0; i < copy_.size(); ++i) {
    copy_[i] = Product(copy_[i], chirp_transform_[i]);
  }
  padded_->Run(/*inverse=*/true, copy_.data());
  const double scale = 1 / static_cast<double>(copy_.size());
  for (int64_t k = 0; k < length_; ++k) {
    data[k] = Product(copy_[k], chirp_[k]) * scale;
  }
}

int64_t FourierTransform::ScratchBytes(int64_t length) {
  return 20 * length * static_cast<int64_t>(sizeof(Complex));
}

}  // namespace hilo::hlo
