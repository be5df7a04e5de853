// How far the results of two backends are apart.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hlo/ir/literal.h"

namespace hilo {

// The differences between two arrays of one type and size.
struct Comparison {
  // Distances of 0, 1, 2, 3-4, 5-8, 9-16, 17-32 and more units in the last
  // place, in elements (parts, for complex types).
  static constexpr int kBuckets = 8;
  std::array<int64_t, kBuckets> histogram = {};
  int64_t element_count = 0;
  // Zeros of the other sign: they are in the histogram's first bucket, and
  // wrong.
  int64_t zero_sign_count = 0;
  // Elements outside of the tolerance, and the worst of all.
  int64_t wrong_count = 0;
  int64_t worst_element = -1;
  double worst_error = 0;
};

// Compares arrays of equal type and dimensions. Integers and predicates must be
// equal. For floats, with s the root mean square of the finite wanted values,
// |got - want| / (|want| + s) must be within the tolerance, by default that of
// the type: f64 2e-9, f32 2e-5, f16 4e-3, bf16 3e-2, narrower floats half a
// unit of theirs; NaN matches NaN, an infinity the same infinity, a zero that
// is wanted none of the other sign. Negative tolerances stand for the default.
Comparison Compare(const hlo::Literal& got, const hlo::Literal& want,
                   double tolerance = -1);

// The upper bound of a bucket as text: "0", "1", "2", "4", ..., "more".
std::string BucketLabel(int bucket);

// The row-major element number as an index: "{1,0,2}".
std::string IndexText(const hlo::Shape& shape, int64_t element);

}  // namespace hilo
