// Compares elements as checks want them.
#include "jit/program_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/stablehlo/stablehlo.h"
#include "jit/comparison.h"
#include "jit/ulp_distance.h"
#include "runtime/base/format_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo {
namespace {

constexpr uint64_t kFarthest = std::numeric_limits<uint64_t>::max();

// Units in the last place between two elements: the more of those between
// their parts. None between equal ones, the most between others that have no
// distance.
template <typename T>
uint64_t DistanceOf(T got, T want) {
  if constexpr (NumericTraits<T>::is_complex) {
    return std::max(DistanceOf(got.real(), want.real()),
                    DistanceOf(got.imag(), want.imag()));
  } else if constexpr (NumericTraits<T>::is_float) {
    const auto x = static_cast<double>(got);
    const auto y = static_cast<double>(want);
    if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
    if (!std::isfinite(x) || !std::isfinite(y)) return kFarthest;
    return UlpDistance(got, want);
  } else {
    return std::memcmp(&got, &want, sizeof(T)) == 0 ? 0 : kFarthest;
  }
}

template <typename T>
bool IsNear(T got, T want, double tolerance) {
  if constexpr (NumericTraits<T>::is_complex) {
    return IsNear(got.real(), want.real(), tolerance) &&
           IsNear(got.imag(), want.imag(), tolerance);
  } else if constexpr (NumericTraits<T>::is_float) {
    // Also false for what is not finite.
    const double difference =
        std::fabs(static_cast<double>(got) - static_cast<double>(want));
    return difference <= tolerance || DistanceOf(got, want) == 0;
  } else {
    return DistanceOf(got, want) == 0;
  }
}

template <typename T>
bool IsRight(const StableHloCheck& check, T got, T want) {
  switch (check.kind) {
    case CheckKind::kEqual:
      break;
    case CheckKind::kClose:
      return DistanceOf(got, want) <= check.max_ulps;
    case CheckKind::kAlmostEqual:
      return IsNear(got, want, check.tolerance);
  }
  return DistanceOf(got, want) == 0;
}

// ", 5 ulps apart"; nothing for what has none.
template <typename T>
std::string DistanceText(T got, T want) {
  if constexpr (NumericTraits<T>::is_float || NumericTraits<T>::is_complex) {
    const uint64_t distance = DistanceOf(got, want);
    if (distance == kFarthest) return "";
    return absl::StrCat(", ", distance, " ulps apart");
  } else {
    return "";
  }
}

template <typename T>
std::optional<std::string> FindFaultOfType(const StableHloCheck& check,
                                           const hlo::Literal& got,
                                           const hlo::Literal& want) {
  const auto x = got.data<T>();
  const auto y = want.data<T>();
  int64_t count = 0;
  size_t first = 0;
  uint64_t farthest = 0;
  for (size_t i = x.size(); i-- > 0;) {
    farthest = std::max(farthest, DistanceOf<T>(x[i], y[i]));
    if (IsRight<T>(check, x[i], y[i])) continue;
    first = i;
    ++count;
  }
  if (count == 0) {
    if (farthest >= check.min_ulps) return std::nullopt;
    return absl::StrCat("elements are at most ", farthest,
                        " ulps apart, expected at least ", check.min_ulps);
  }
  return absl::StrCat(IndexText(want.shape(), static_cast<int64_t>(first)),
                      " is ", FormatElement(x[first]), ", expected ",
                      FormatElement(y[first]),
                      DistanceText<T>(x[first], y[first]), "; ", count, " of ",
                      x.size(), " elements differ");
}

}  // namespace

std::optional<std::string> FindFault(const StableHloCheck& check,
                                     const hlo::Literal& got,
                                     const hlo::Literal& want) {
  return hlo::DispatchElementType(
      want.shape().element_type(), [&](auto tag) -> std::optional<std::string> {
        return FindFaultOfType<typename decltype(tag)::type>(check, got, want);
      });
}

}  // namespace hilo
