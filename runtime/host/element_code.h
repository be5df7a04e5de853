// Element types as numbers, for what compiled programs pass to the library.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "absl/strings/string_view.h"

#include "runtime/base/numeric_types.h"

namespace hilo::runtime {

// The place of an element type in HILO_NUMERIC_TYPES.
enum class ElementCode : int32_t {};

namespace internal {

inline constexpr std::array kElementNames = {
#define HILO_ELEMENT_NAME(type, text) absl::string_view(text),
    HILO_NUMERIC_TYPES(HILO_ELEMENT_NAME)
#undef HILO_ELEMENT_NAME
};

}  // namespace internal

// The code of the type with this name in HLO text.
constexpr std::optional<ElementCode> ElementCodeOf(absl::string_view name) {
  int32_t code = 0;
  for (const absl::string_view candidate : internal::kElementNames) {
    if (candidate == name) return ElementCode{code};
    ++code;
  }
  return std::nullopt;
}

template <typename T>
inline constexpr ElementCode kElementCode = *ElementCodeOf(kNumericName<T>);

// Calls function(std::type_identity<T>{}) with the type of the code.
template <typename F>
decltype(auto) DispatchElementCode(ElementCode code, F&& function) {
#define HILO_DISPATCH(type, text) \
  if (code == kElementCode<type>) return function(std::type_identity<type>{});
  HILO_NUMERIC_TYPES(HILO_DISPATCH)
#undef HILO_DISPATCH
  return function(std::type_identity<bool>{});
}

}  // namespace hilo::runtime
