// Numbers to test element-wise code with, and how near results are.
#include "tests/backends/codegen/element_samples.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_types.h"

namespace hilo::backends {
namespace {

using hlo::ElementType;

template <typename T>
std::vector<T> EdgesOf() {
  using Traits = NumericTraits<T>;
  std::vector<T> edges;
  if constexpr (Traits::is_pred) {
    return {false, true};
  } else if constexpr (Traits::is_complex) {
    using Part = Traits::Part;
    for (const double x : {0.0, -0.0, 1.0, -1.5, 0.3, 7.0, -25.0}) {
      for (const double y : {0.0, -0.0, 1.0, -0.7, 3.5}) {
        edges.emplace_back(static_cast<Part>(x), static_cast<Part>(y));
      }
    }
  } else {
    for (const double x : {0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5,
                           2.5, -2.5, 7.0, 31.0, 32.0, 63.0, 100.0, 0.3, 9.7}) {
      edges.push_back(ConvertElement<T>(x));
    }
    edges.push_back(Traits::highest());
    edges.push_back(Traits::lowest());
    if constexpr (Traits::is_float) {
      edges.push_back(ConvertElement<T>(-0.0));
      edges.push_back(Traits::infinity());
      edges.push_back(Traits::quiet_nan());
      edges.push_back(ConvertElement<T>(
          -static_cast<double>(ConvertElement<double>(Traits::infinity()))));
      edges.push_back(ConvertElement<T>(0x1p-130));
      edges.push_back(ConvertElement<T>(-0x1.8p-1070));
      edges.push_back(ConvertElement<T>(0x1p-20));
    }
  }
  return edges;
}

template <typename T>
T RandomElement(std::mt19937_64& random) {
  using Traits = NumericTraits<T>;
  if constexpr (Traits::is_pred) {
    return (random() & 1) != 0;
  } else if constexpr (Traits::is_complex) {
    std::normal_distribution<double> normal(0, 3);
    using Part = Traits::Part;
    return T(static_cast<Part>(normal(random)),
             static_cast<Part>(normal(random)));
  } else if constexpr (internal::kIsSmallFloat<T> || internal::kIsSmallInt<T>) {
    return T::FromBits(static_cast<uint16_t>(random()));
  } else if constexpr (Traits::is_float) {
    using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    // Half of all bits, half near 1.
    if ((random() & 1) != 0) {
      return std::bit_cast<T>(static_cast<Word>(random()));
    }
    std::normal_distribution<double> normal(0, 4);
    return static_cast<T>(normal(random));
  } else {
    // All sizes.
    return static_cast<T>(random() >> (random() % (8 * sizeof(T))));
  }
}

template <typename T>
void FillSamples(std::vector<hlo::Literal>& operands, bool with_edges) {
  const std::vector<T> edges = with_edges ? EdgesOf<T>() : std::vector<T>();
  std::mt19937_64 random(17);
  size_t repeat = 1;
  for (hlo::Literal& operand : operands) {
    const auto values = operand.mutable_data<T>();
    const size_t combinations =
        std::min(values.size() * 3 / 4,
                 static_cast<size_t>(std::pow(edges.size(), operands.size())));
    // Three operands have too many combinations to take them all.
    const bool takes_any = operands.size() > 2;
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t edge = takes_any ? random() : i / repeat;
      values[i] = i < combinations ? edges[edge % edges.size()]
                                   : RandomElement<T>(random);
    }
    if (with_edges) repeat *= edges.size();
  }
}

// The position among the type's numbers in order: neighbours differ by one.
template <typename T>
int64_t OrderOf(T x) {
  if constexpr (std::is_same_v<T, double>) {
    const auto bits = std::bit_cast<int64_t>(x);
    return bits < 0 ? INT64_MIN - bits : bits;
  } else if constexpr (std::is_same_v<T, float>) {
    const auto bits = std::bit_cast<int32_t>(x);
    return bits < 0 ? INT32_MIN - int64_t{bits} : bits;
  } else {
    const int64_t magnitude = x.bits() & T::kMagnitudeMask;
    return x.sign_bit() ? -magnitude : magnitude;
  }
}

template <typename T>
bool IsNear(T got, T want, const ElementTolerance& tolerance) {
  using Traits = NumericTraits<T>;
  if constexpr (Traits::is_complex) {
    const auto is_finite = [](T z) {
      return std::isfinite(z.real()) && std::isfinite(z.imag());
    };
    if (got == want) return true;
    if (!is_finite(want)) return !is_finite(got);
    // Subnormal parts have few bits.
    constexpr auto kLeast =
        4 * std::numeric_limits<typename T::value_type>::denorm_min();
    return std::abs(got - want) <= tolerance.error * std::abs(want) + kLeast;
  } else if constexpr (Traits::is_float) {
    const auto a = ConvertElement<double>(got);
    const auto b = ConvertElement<double>(want);
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (tolerance.ulps == 0)
      return a == b && std::signbit(a) == std::signbit(b);
    const auto distance = static_cast<uint64_t>(OrderOf(got)) -
                          static_cast<uint64_t>(OrderOf(want));
    const auto units = static_cast<uint64_t>(tolerance.ulps);
    return distance + units <= 2 * units;
  } else {
    return got == want;
  }
}

template <typename T>
std::string TextOfElement(T x) {
  if constexpr (NumericTraits<T>::is_complex) {
    return absl::StrCat("(", x.real(), ", ", x.imag(), ")");
  } else {
    return absl::StrCat(ConvertElement<double>(x));
  }
}

}  // namespace

std::vector<hlo::Literal> SampleOperands(ElementType type, int operands,
                                         bool with_edges) {
  const int64_t count = operands == 1 ? 512 : 2048;
  std::vector<hlo::Literal> result;
  result.reserve(static_cast<size_t>(operands));
  for (int i = 0; i < operands; ++i) {
    result.emplace_back(hlo::Shape::Array(type, {count}));
  }
  hlo::DispatchElementType(type, [&](auto tag) {
    FillSamples<typename decltype(tag)::type>(result, with_edges);
  });
  return result;
}

std::string FindDifference(const hlo::Literal& got, const hlo::Literal& want,
                           const ElementTolerance& tolerance) {
  return hlo::DispatchElementType(
      want.shape().element_type(), [&](auto tag) -> std::string {
        using T = decltype(tag)::type;
        const auto a = got.data<T>();
        const auto b = want.data<T>();
        for (size_t i = 0; i < b.size(); ++i) {
          if (IsNear<T>(a[i], b[i], tolerance)) continue;
          return absl::StrCat("element ", i, " is ", TextOfElement<T>(a[i]),
                              " instead of ", TextOfElement<T>(b[i]));
        }
        return "";
      });
}

}  // namespace hilo::backends
