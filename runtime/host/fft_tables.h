// What is computed once for transforms of a length: factors and roots of one.
#pragma once

#include <cstdint>
#include <vector>

namespace hilo::runtime {

// NOLINTBEGIN(google-runtime-float): nothing else is wider than double.

// Complex numbers as two arrays.
template <typename T>
struct ComplexTable {
  std::vector<T> re;
  std::vector<T> im;

  void Append(long double real, long double imaginary) {
    re.push_back(static_cast<T>(real));
    im.push_back(static_cast<T>(imaginary));
  }
};

// exp(-2 pi i numerator / denominator), correctly rounded or nearly so.
struct UnitRoot {
  UnitRoot(int64_t numerator, int64_t denominator);

  long double re;
  long double im;
};

// NOLINTEND(google-runtime-float)

// One step of a transform (Stockham, decimation in frequency): `columns`
// butterflies of `radix` elements, each of `stride` elements in turn.
struct FftStep {
  int64_t radix = 1;
  int64_t columns = 1;
  int64_t stride = 1;
  // Where the step's roots begin: for each column the powers 1 to radix - 1.
  int64_t roots = 0;
  // Where cosines and sines of the radix begin, for odd ones.
  int64_t radix_roots = 0;
};

// A transform whose length has small prime factors only.
template <typename T>
struct SmoothFft {
  explicit SmoothFft(int64_t length);

  int64_t length;
  std::vector<FftStep> steps;
  ComplexTable<T> roots;
  ComplexTable<T> radix_roots;
};

// The largest prime factor that a step can have.
inline constexpr int64_t kLargestRadix = 61;

bool IsSmooth(int64_t length);

// A transform of any length. Those with large prime factors are convolutions
// with a chirp exp(-pi i j^2 / length) (Bluestein, 1970), by transforms of a
// padded length.
template <typename T>
struct AnyFft {
  explicit AnyFft(int64_t length);

  bool is_convolution() const { return transform.length != length; }

  int64_t length;
  // Of the length, or of the padded length.
  SmoothFft<T> transform;
  ComplexTable<T> chirp;
  // The transform of the chirp's conjugate, divided by the padded length.
  ComplexTable<T> chirp_transform;
};

// The least length that suits convolutions of `length` elements.
int64_t PaddedLength(int64_t length);

// The chirp of a length and the transform of its conjugate, padded and divided
// by the padded length.
struct Chirp {
  Chirp(int64_t length, int64_t padded_length);

  ComplexTable<double> values;
  ComplexTable<double> transform;
};

}  // namespace hilo::runtime
