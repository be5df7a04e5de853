// The table of element types.
#include "hlo/ir/element_type.h"

#include <array>
#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"

namespace hilo::hlo {
namespace {

template <typename T>
constexpr int SizeOrZero() {
  if constexpr (std::is_void_v<T>) {
    return 0;
  } else {
    return static_cast<int>(sizeof(T));
  }
}

constexpr std::array<ElementTypeInfo, kElementTypeCount> kElementTypeInfos = {{
#define HLO_ELEMENT_TYPE(Name, text, number, bits, Class, Native) \
  {text, number, bits, SizeOrZero<Native>(), ElementClass::k##Class},
#include "hlo/ir/element_types.def"
#undef HLO_ELEMENT_TYPE
}};

}  // namespace

const ElementTypeInfo& InfoOf(ElementType type) {
  return kElementTypeInfos[static_cast<size_t>(type)];
}

std::optional<ElementType> ElementTypeFromText(absl::string_view text) {
  for (int i = 0; i < kElementTypeCount; ++i) {
    if (kElementTypeInfos[i].text == text) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

ElementType ComponentType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

}  // namespace hilo::hlo
