// Element types, their properties, and dispatch from one to its C++ type.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"

#include "runtime/base/check.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {

enum class ElementType : uint8_t {
#define HLO_ELEMENT_TYPE(Name, text, number, bits, Class, Native) k##Name,
#include "hlo/ir/element_types.def"
#undef HLO_ELEMENT_TYPE
};

inline constexpr int kElementTypeCount = 0
#define HLO_ELEMENT_TYPE(Name, text, number, bits, Class, Native) +1
#include "hlo/ir/element_types.def"
#undef HLO_ELEMENT_TYPE
    ;

enum class ElementClass : uint8_t {
  kPredicate,
  kSigned,
  kUnsigned,
  kFloat,
  kComplex,
  kNoArray,
};

// The row of element_types.def. `bits` is the logical width; an element takes
// `storage_bytes` in a Literal (at least one byte).
struct ElementTypeInfo {
  absl::string_view text;
  int proto_number = 0;
  int bits = 0;
  int storage_bytes = 0;
  ElementClass element_class = ElementClass::kNoArray;
};

const ElementTypeInfo& InfoOf(ElementType type);

// The type that `text` names ("f32"); nullopt if none.
std::optional<ElementType> ElementTypeFromText(absl::string_view text);

inline absl::string_view TextOf(ElementType type) { return InfoOf(type).text; }
inline int StorageBytes(ElementType type) { return InfoOf(type).storage_bytes; }
inline bool IsArrayType(ElementType type) {
  return InfoOf(type).element_class != ElementClass::kNoArray;
}
inline bool IsFloat(ElementType type) {
  return InfoOf(type).element_class == ElementClass::kFloat;
}
inline bool IsComplex(ElementType type) {
  return InfoOf(type).element_class == ElementClass::kComplex;
}
inline bool IsSignedInteger(ElementType type) {
  return InfoOf(type).element_class == ElementClass::kSigned;
}
inline bool IsUnsignedInteger(ElementType type) {
  return InfoOf(type).element_class == ElementClass::kUnsigned;
}
// s* and u*, not pred.
inline bool IsInteger(ElementType type) {
  return IsSignedInteger(type) || IsUnsignedInteger(type);
}
// f32 for c64, f64 for c128, otherwise the type itself.
ElementType ComponentType(ElementType type);

// Sets of element classes, for the opcode table: kNumeric & co.
using TypeClasses = uint8_t;
constexpr TypeClasses ClassBit(ElementClass element_class) {
  return static_cast<TypeClasses>(1U << static_cast<unsigned>(element_class));
}
inline constexpr TypeClasses kPredicateTypes =
    ClassBit(ElementClass::kPredicate);
inline constexpr TypeClasses kSignedTypes = ClassBit(ElementClass::kSigned);
inline constexpr TypeClasses kIntegerTypes =
    kSignedTypes | ClassBit(ElementClass::kUnsigned);
inline constexpr TypeClasses kFloatTypes = ClassBit(ElementClass::kFloat);
inline constexpr TypeClasses kComplexTypes = ClassBit(ElementClass::kComplex);
inline constexpr TypeClasses kNumericTypes =
    kIntegerTypes | kFloatTypes | kComplexTypes;
inline constexpr TypeClasses kArrayTypes = kNumericTypes | kPredicateTypes;
inline constexpr TypeClasses kAnyTypes =
    kArrayTypes | ClassBit(ElementClass::kNoArray);

inline bool Contains(TypeClasses classes, ElementType type) {
  return (classes & ClassBit(InfoOf(type).element_class)) != 0;
}

// Carries a type as a value.
template <typename T>
struct TypeTag {
  using type = T;
};

// Calls f(TypeTag<T>{}) with the C++ type of `type`, which arrays must be able
// to have, and returns its result.
template <typename F>
decltype(auto) DispatchElementType(ElementType type, F&& f) {
  switch (type) {
#define HLO_ELEMENT_TYPE(Name, text, number, bits, Class, Native) \
  case ElementType::k##Name:                                      \
    if constexpr (!std::is_void_v<Native>) {                      \
      return std::forward<F>(f)(TypeTag<Native>{});               \
    }                                                             \
    break;
#include "hlo/ir/element_types.def"
#undef HLO_ELEMENT_TYPE
  }
  HILO_CHECK(false) << "no array has element type " << TextOf(type);
  return std::forward<F>(f)(TypeTag<float>{});
}

// The element type whose C++ type is T.
template <typename T>
constexpr ElementType ElementTypeOf() {
#define HLO_ELEMENT_TYPE(Name, text, number, bits, Class, Native) \
  if constexpr (std::is_same_v<T, Native>) {                      \
    return ElementType::k##Name;                                  \
  } else
#include "hlo/ir/element_types.def"
#undef HLO_ELEMENT_TYPE
  {
    static_assert(sizeof(T) == 0, "not an element type");
  }
}

}  // namespace hilo::hlo
