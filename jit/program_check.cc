// Compares elements as checks want them.
#include "jit/program_check.h"

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

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

template <typename T>
bool IsRight(CheckKind kind, T got, T want) {
  if constexpr (NumericTraits<T>::is_complex) {
    return IsRight(kind, got.real(), want.real()) &&
           IsRight(kind, got.imag(), want.imag());
  } else if constexpr (NumericTraits<T>::is_float) {
    constexpr uint64_t kMostUlps = 3;
    constexpr double kMostDifference = 1e-3;
    const auto x = static_cast<double>(got);
    const auto y = static_cast<double>(want);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    if (x == y) return true;
    if (kind == CheckKind::kEqual || std::isinf(x) || std::isinf(y)) {
      return false;
    }
    if (kind == CheckKind::kAlmostEqual) {
      return std::fabs(x - y) <= kMostDifference;
    }
    return UlpDistance(got, want) <= kMostUlps;
  } else {
    return std::memcmp(&got, &want, sizeof(T)) == 0;
  }
}

// ", 5 ulps apart"; nothing for what has none.
template <typename T>
std::string DistanceText(T got, T want) {
  if constexpr (NumericTraits<T>::is_float) {
    return absl::StrCat(", ", UlpDistance(got, want), " ulps apart");
  } else {
    return "";
  }
}

}  // namespace

std::optional<std::string> FindFault(CheckKind kind, const hlo::Literal& got,
                                     const hlo::Literal& want) {
  return hlo::DispatchElementType(
      want.shape().element_type(), [&](auto tag) -> std::optional<std::string> {
        using T = decltype(tag)::type;
        const auto x = got.data<T>();
        const auto y = want.data<T>();
        int64_t count = 0;
        size_t first = 0;
        for (size_t i = x.size(); i-- > 0;) {
          if (IsRight<T>(kind, x[i], y[i])) continue;
          first = i;
          ++count;
        }
        if (count == 0) return std::nullopt;
        return absl::StrCat(
            IndexText(want.shape(), static_cast<int64_t>(first)), " is ",
            FormatElement(x[first]), ", expected ", FormatElement(y[first]),
            DistanceText<T>(x[first], y[first]), "; ", count, " of ", x.size(),
            " elements differ");
      });
}

}  // namespace hilo
