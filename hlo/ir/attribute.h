// Attributes of instructions: identifiers, kinds and values.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "runtime/base/box.h"

namespace hilo::hlo {

class Computation;
class Instruction;

// A balanced "{...}" that is kept as it was written.
struct RawText {
  std::string text;
  friend bool operator==(const RawText&, const RawText&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const RawText& t) {
    return H::combine(std::move(h), t.text);
  }
};

enum class AttributeId : uint8_t {
#define HLO_ATTRIBUTE(Name, accessor, text, Kind, default_value, doc) k##Name,
#include "hlo/ir/attributes.def"
#undef HLO_ATTRIBUTE
};

inline constexpr int kAttributeCount = 0
#define HLO_ATTRIBUTE(Name, accessor, text, Kind, default_value, doc) +1
#include "hlo/ir/attributes.def"
#undef HLO_ATTRIBUTE
    ;

// Attributes from here on are accepted by every opcode.
inline constexpr AttributeId kFirstCommonAttribute =
    AttributeId::kParameterReplication;

enum class AttributeKind : uint8_t {
#define HLO_ATTRIBUTE_KIND(Kind, Type, storage) k##Kind,
#include "hlo/ir/attribute_kinds.def"
#undef HLO_ATTRIBUTE_KIND
};

// The row of attributes.def.
struct AttributeInfo {
  absl::string_view text;
  AttributeKind kind = AttributeKind::kBool;
  absl::string_view doc;
};
const AttributeInfo& InfoOf(AttributeId id);
inline absl::string_view TextOf(AttributeId id) { return InfoOf(id).text; }
// "int list", "computation", "window", ...: for messages and tables.
absl::string_view NameOf(AttributeKind kind);

namespace internal {
enum class Storage : uint8_t { kInline, kBoxed };

template <typename T, Storage>
struct StoredAs {
  using type = T;
  static const T& Read(const T& stored) { return stored; }
  static const T& Read(T&& stored) = delete;
};
template <typename T>
struct StoredAs<T, Storage::kBoxed> {
  using type = Box<T>;
  static const T& Read(const Box<T>& stored) { return *stored; }
};

template <AttributeKind kind>
struct KindTraits;
#define HLO_ATTRIBUTE_KIND(Kind, Type, storage)         \
  template <>                                           \
  struct KindTraits<AttributeKind::k##Kind> {           \
    using type = Type;                                  \
    using Stored = StoredAs<Type, Storage::k##storage>; \
  };
#include "hlo/ir/attribute_kinds.def"
#undef HLO_ATTRIBUTE_KIND

struct VariantEnd {};
template <typename... Types>
struct VariantOf;
// Drops the VariantEnd that closes the generated list.
template <typename... Types>
struct VariantOf<VariantEnd, Types...> {
  using type = std::variant<Types...>;
};
}  // namespace internal

// The C++ type of an attribute kind.
template <AttributeKind kind>
using AttributeType = internal::KindTraits<kind>::type;

// A value of any kind. A variant whose copying, moving and comparing is
// compiled once, in attribute.cc: in every file that includes this one they
// would take longer than all the rest.
class AttributeValue {
 public:
  using Variant = internal::VariantOf<internal::VariantEnd
#define HLO_ATTRIBUTE_KIND(Kind, Type, storage) \
  , typename internal::KindTraits<AttributeKind::k##Kind>::Stored::type
#include "hlo/ir/attribute_kinds.def"
#undef HLO_ATTRIBUTE_KIND
                                      >::type;

  // Absent: false.
  AttributeValue();
  explicit AttributeValue(Variant value);
  AttributeValue(const AttributeValue& other);
  AttributeValue(AttributeValue&& other) noexcept;
  AttributeValue& operator=(const AttributeValue& other);
  AttributeValue& operator=(AttributeValue&& other) noexcept;
  ~AttributeValue();

  AttributeKind kind() const {
    return static_cast<AttributeKind>(value_.index());
  }
  const Variant& variant() const { return value_; }

  friend bool operator==(const AttributeValue& a, const AttributeValue& b);

 private:
  Variant value_;
};

// One attribute of an instruction.
struct Attribute {
  AttributeId id = AttributeId::kToApply;
  AttributeValue value;
};

// The value, as the type of its kind.
template <AttributeKind kind>
const AttributeType<kind>& ValueAs(const AttributeValue& value) {
  return internal::KindTraits<kind>::Stored::Read(
      std::get<static_cast<size_t>(kind)>(value.variant()));
}

// Wraps a value of the given kind. Compiled in attribute.cc, like all that
// touches the variant as a whole.
template <AttributeKind kind>
AttributeValue MakeAttributeValue(AttributeType<kind> value);

// Calls f(kind as std::integral_constant, const value&) for the value's kind.
template <typename F>
decltype(auto) VisitAttribute(const AttributeValue& value, F&& f) {
  switch (value.kind()) {
#define HLO_ATTRIBUTE_KIND(Kind, Type, storage)                          \
  case AttributeKind::k##Kind:                                           \
    return std::forward<F>(f)(                                           \
        std::integral_constant<AttributeKind, AttributeKind::k##Kind>{}, \
        ValueAs<AttributeKind::k##Kind>(value));
#include "hlo/ir/attribute_kinds.def"
#undef HLO_ATTRIBUTE_KIND
  }
  __builtin_unreachable();
}

}  // namespace hilo::hlo
