// Compares values to the bit, all NaN being alike.
#include "tests/passes/compare_literals.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/format_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::passes {
namespace {

template <typename T>
bool IsNan(T x) {
  if constexpr (NumericTraits<T>::is_complex) {
    return IsNan(x.real()) && IsNan(x.imag());
  } else if constexpr (NumericTraits<T>::is_float) {
    return std::isnan(static_cast<double>(x));
  } else {
    return false;
  }
}

template <typename T>
bool Same(const T& a, const T& b) {
  if constexpr (NumericTraits<T>::is_complex) {
    return Same(a.real(), b.real()) && Same(a.imag(), b.imag());
  } else {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): to the bit.
    return std::memcmp(&a, &b, sizeof(T)) == 0 || (IsNan(a) && IsNan(b));
  }
}

template <typename T>
std::string ArrayDifference(const hlo::Literal& a, const hlo::Literal& b) {
  const auto* x = reinterpret_cast<const T*>(a.untyped_data());
  const auto* y = reinterpret_cast<const T*>(b.untyped_data());
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (Same(x[i], y[i])) continue;
    return absl::StrCat("element ", i, ": ", FormatElement(x[i]), " and ",
                        FormatElement(y[i]));
  }
  return "";
}

}  // namespace

std::string DifferenceOf(const hlo::Literal& a, const hlo::Literal& b) {
  if (!Compatible(a.shape(), b.shape())) {
    return absl::StrCat("shapes ", ToString(a.shape()), " and ",
                        ToString(b.shape()));
  }
  if (a.IsTuple()) {
    for (size_t i = 0; i < a.elements().size(); ++i) {
      const std::string difference =
          DifferenceOf(a.elements()[i], b.elements()[i]);
      if (!difference.empty()) return absl::StrCat("[", i, "] ", difference);
    }
    return "";
  }
  if (!a.shape().IsArray()) return "";
  return hlo::DispatchElementType(a.shape().element_type(), [&](auto tag) {
    return ArrayDifference<typename decltype(tag)::type>(a, b);
  });
}

}  // namespace hilo::passes
