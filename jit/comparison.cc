// Counts differences between arrays by units in the last place.
#include "jit/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "jit/ulp_distance.h"

namespace hilo {
namespace {

using hlo::ElementType;
using hlo::Literal;

double DefaultTolerance(ElementType type) {
  const ElementType part = hlo::ComponentType(type);
  if (part == ElementType::kF64) return 2e-9;
  if (part == ElementType::kF32) return 2e-5;
  if (part == ElementType::kF16) return 4e-3;
  return part == ElementType::kBF16 ? 3e-2 : 0.25;
}

int BucketOf(uint64_t ulps) {
  if (ulps <= 2) return static_cast<int>(ulps);
  const int log = 64 - std::countl_zero(ulps - 1);
  return std::min(log + 1, Comparison::kBuckets - 1);
}

class Comparing {
 public:
  Comparing(double tolerance, double scale)
      : tolerance_(tolerance), scale_(scale) {}

  template <typename T>
  void AddFloat(int64_t element, T got, T want) {
    const auto x = static_cast<double>(got);
    const auto y = static_cast<double>(want);
    ++result_.element_count;
    if ((std::isnan(x) && std::isnan(y)) || x == y) {
      ++result_.histogram[0];
      if (!std::isnan(x) && std::signbit(x) != std::signbit(y)) {
        ++result_.zero_sign_count;
        Note(element, 0, true);
      }
      return;
    }
    const double difference = std::fabs(x - y);
    const double error = std::isfinite(difference)
                             ? difference / (std::fabs(y) + scale_)
                             : std::numeric_limits<double>::infinity();
    const int bucket = std::isfinite(error) ? BucketOf(UlpDistance(got, want))
                                            : Comparison::kBuckets - 1;
    ++result_.histogram[static_cast<size_t>(bucket)];
    Note(element, error, error > tolerance_);
  }

  template <typename T>
  void AddExact(int64_t element, T got, T want) {
    ++result_.element_count;
    const bool differs = !(got == want);
    ++result_.histogram[differs ? Comparison::kBuckets - 1 : 0];
    if (differs) Note(element, std::numeric_limits<double>::infinity(), true);
  }

  const Comparison& result() const { return result_; }

 private:
  void Note(int64_t element, double error, bool is_wrong) {
    if (is_wrong) ++result_.wrong_count;
    if (error > result_.worst_error || result_.worst_element < 0) {
      result_.worst_error = error;
      result_.worst_element = element;
    }
  }

  double tolerance_;
  double scale_;
  Comparison result_;
};

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// s2, u2, s4 and u4.
template <typename T>
inline constexpr bool kIsNarrowInteger =
    std::is_class_v<T> && !std::is_constructible_v<double, T>;

// The root mean square of the finite values.
template <typename T>
double ScaleOf(absl::Span<const T> values) {
  double sum = 0;
  int64_t count = 0;
  const auto add = [&](double value) {
    if (!std::isfinite(value)) return;
    sum += value * value;
    ++count;
  };
  for (const T& value : values) {
    if constexpr (kIsComplex<T>) {
      add(value.real());
      add(value.imag());
    } else {
      add(static_cast<double>(value));
    }
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

template <typename T>
Comparison CompareAs(const Literal& got, const Literal& want,
                     double tolerance) {
  const absl::Span<const T> a = got.data<T>();
  const absl::Span<const T> b = want.data<T>();
  if constexpr (kIsComplex<T>) {
    Comparing comparing(tolerance, ScaleOf(b));
    for (size_t i = 0; i < a.size(); ++i) {
      comparing.AddFloat(static_cast<int64_t>(i), a[i].real(), b[i].real());
      comparing.AddFloat(static_cast<int64_t>(i), a[i].imag(), b[i].imag());
    }
    return comparing.result();
  } else {
    constexpr bool kIsExact = std::is_integral_v<T> || kIsNarrowInteger<T>;
    Comparing comparing(tolerance, kIsExact ? 0 : ScaleOf(b));
    for (size_t i = 0; i < a.size(); ++i) {
      if constexpr (kIsExact) {
        comparing.AddExact(static_cast<int64_t>(i), a[i], b[i]);
      } else {
        comparing.AddFloat(static_cast<int64_t>(i), a[i], b[i]);
      }
    }
    return comparing.result();
  }
}

}  // namespace

Comparison Compare(const Literal& got, const Literal& want, double tolerance) {
  const ElementType type = want.shape().element_type();
  if (tolerance < 0) tolerance = DefaultTolerance(type);
  return hlo::DispatchElementType(type, [&](auto tag) {
    return CompareAs<typename decltype(tag)::type>(got, want, tolerance);
  });
}

std::string BucketLabel(int bucket) {
  if (bucket <= 2) return absl::StrCat(bucket);
  if (bucket == Comparison::kBuckets - 1) return "more";
  return absl::StrCat(int64_t{1} << (bucket - 1));
}

std::string IndexText(const hlo::Shape& shape, int64_t element) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int64_t d = shape.rank() - 1; d >= 0; --d) {
    index[static_cast<size_t>(d)] = element % shape.dimension(d);
    element /= shape.dimension(d);
  }
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

}  // namespace hilo
