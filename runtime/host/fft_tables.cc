// What is computed once for transforms of a length: factors and roots of one.
#include "runtime/host/fft_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

namespace hilo::runtime {
namespace {

// Factors in the order of their steps. Even ones first: their steps suit the
// shortest strides best.
std::vector<int64_t> Factors(int64_t length) {
  std::vector<int64_t> factors;
  for (const int64_t factor : {4, 2}) {
    while (length % factor == 0) {
      factors.push_back(factor);
      length /= factor;
    }
  }
  for (int64_t factor = 3; factor * factor <= length; factor += 2) {
    while (length % factor == 0) {
      factors.push_back(factor);
      length /= factor;
    }
  }
  if (length > 1) factors.push_back(length);
  return factors;
}

template <typename T>
ComplexTable<T> Converted(const ComplexTable<double>& table) {
  return {std::vector<T>(table.re.begin(), table.re.end()),
          std::vector<T>(table.im.begin(), table.im.end())};
}

// NOLINTBEGIN(google-runtime-float): nothing else is wider than double.

// The transform of a table by recursion: simple, and run once only.
void TransformTable(ComplexTable<double>& table) {
  const auto length = static_cast<int64_t>(table.re.size());
  if (length == 1) return;
  const int64_t radix = Factors(length).front();
  const int64_t columns = length / radix;
  std::vector<ComplexTable<double>> parts(radix);
  for (int64_t j = 0; j < length; ++j) {
    parts[j % radix].Append(table.re[j], table.im[j]);
  }
  for (ComplexTable<double>& part : parts) TransformTable(part);
  std::vector<UnitRoot> roots;
  roots.reserve(length);
  for (int64_t j = 0; j < length; ++j) roots.emplace_back(j, length);
  for (int64_t k = 0; k < length; ++k) {
    long double re = 0;
    long double im = 0;
    for (int64_t part = 0; part < radix; ++part) {
      const UnitRoot& root = roots[part * k % length];
      const long double part_re = parts[part].re[k % columns];
      const long double part_im = parts[part].im[k % columns];
      re += part_re * root.re - part_im * root.im;
      im += part_re * root.im + part_im * root.re;
    }
    table.re[k] = static_cast<double>(re);
    table.im[k] = static_cast<double>(im);
  }
}

}  // namespace

// The angle is brought into an eighth of the circle, where sine and cosine are
// exact at its ends.
UnitRoot::UnitRoot(int64_t numerator, int64_t denominator) {
  const int64_t eighths = 8 * numerator / denominator;
  // The distance from the nearest multiple of a quarter, in eighths of 1 /
  // denominator.
  const int64_t quarter = (eighths + 1) / 2;
  const int64_t rest = 8 * numerator - 2 * quarter * denominator;
  const long double angle = 2 * std::numbers::pi_v<long double> *
                            static_cast<long double>(rest) /
                            static_cast<long double>(8 * denominator);
  const long double cosine = std::cos(angle);
  const long double sine = std::sin(angle);
  switch (quarter % 4) {
    case 0:
      re = cosine, im = -sine;
      return;
    case 1:
      re = -sine, im = -cosine;
      return;
    case 2:
      re = -cosine, im = sine;
      return;
    default:
      re = sine, im = cosine;
      return;
  }
}

// NOLINTEND(google-runtime-float)

bool IsSmooth(int64_t length) {
  const std::vector<int64_t> factors = Factors(length);
  return std::ranges::all_of(
      factors, [](int64_t factor) { return factor <= kLargestRadix; });
}

template <typename T>
SmoothFft<T>::SmoothFft(int64_t length) : length(length) {
  int64_t rest = length;
  for (const int64_t radix : Factors(length)) {
    FftStep step{.radix = radix,
                 .columns = rest / radix,
                 .stride = length / rest,
                 .roots = static_cast<int64_t>(roots.re.size()),
                 .radix_roots = static_cast<int64_t>(radix_roots.re.size())};
    for (int64_t column = 0; column < step.columns; ++column) {
      for (int64_t power = 1; power < radix; ++power) {
        const UnitRoot root(column * power % rest, rest);
        roots.Append(root.re, root.im);
      }
    }
    for (int64_t i = 0; i < radix; ++i) {
      const UnitRoot root(i, radix);
      radix_roots.Append(root.re, root.im);
    }
    rest = step.columns;
    steps.push_back(step);
  }
}

int64_t PaddedLength(int64_t length) {
  const int64_t least = 2 * length - 1;
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int64_t fives = 1; fives <= 25; fives *= 5) {
    for (int64_t threes = 1; threes <= 9; threes *= 3) {
      int64_t padded = fives * threes;
      while (padded < least) padded *= 2;
      best = std::min(best, padded);
    }
  }
  return best;
}

Chirp::Chirp(int64_t length, int64_t padded_length) {
  transform.re.resize(padded_length);
  transform.im.resize(padded_length);
  // j * j modulo 2 * length, step by step: the square may not fit.
  int64_t square = 0;
  for (int64_t j = 0; j < length; ++j) {
    const UnitRoot root(square, 2 * length);
    values.Append(root.re, root.im);
    for (const int64_t place : {j, (padded_length - j) % padded_length}) {
      transform.re[place] =
          static_cast<double>(root.re / static_cast<double>(padded_length));
      transform.im[place] =
          static_cast<double>(-root.im / static_cast<double>(padded_length));
    }
    square = (square + 2 * j + 1) % (2 * length);
  }
  TransformTable(transform);
}

template <typename T>
AnyFft<T>::AnyFft(int64_t length)
    : length(length),
      transform(IsSmooth(length) ? length : PaddedLength(length)) {
  if (!is_convolution()) return;
  const Chirp table(length, transform.length);
  chirp = Converted<T>(table.values);
  chirp_transform = Converted<T>(table.transform);
}

template struct SmoothFft<float>;
template struct SmoothFft<double>;
template struct AnyFft<float>;
template struct AnyFft<double>;

}  // namespace hilo::runtime
