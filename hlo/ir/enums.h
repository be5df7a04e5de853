// The enumerations of enums.def, with their texts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace hilo::hlo {

#define HLO_ENUM_BEGIN(Type, spelling) enum class Type : uint8_t {
#define HLO_ENUM_VALUE(Type, Enumerator, text) k##Enumerator,
#define HLO_ENUM_END(Type) \
  }                        \
  ;
#include "hlo/ir/enums.def"
#undef HLO_ENUM_BEGIN
#undef HLO_ENUM_VALUE
#undef HLO_ENUM_END

// For each Type: TextOf(value); EnumFromText<Type>(text), nullopt when no
// value has that text; EnumTexts<Type>(), all texts in order.
template <typename T>
std::optional<T> EnumFromText(absl::string_view text);
template <typename T>
std::vector<absl::string_view> EnumTexts();

#define HLO_ENUM_BEGIN(Type, spelling)                            \
  absl::string_view TextOf(Type value);                           \
  template <>                                                     \
  std::optional<Type> EnumFromText<Type>(absl::string_view text); \
  template <>                                                     \
  std::vector<absl::string_view> EnumTexts<Type>();
#define HLO_ENUM_VALUE(Type, Enumerator, text)
#define HLO_ENUM_END(Type)
#include "hlo/ir/enums.def"
#undef HLO_ENUM_BEGIN
#undef HLO_ENUM_VALUE
#undef HLO_ENUM_END

}  // namespace hilo::hlo
