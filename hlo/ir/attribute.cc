// The tables of attributes and attribute kinds.
#include "hlo/ir/attribute.h"

#include <array>
#include <cstddef>
#include <utility>
#include <variant>

#include "absl/strings/string_view.h"

namespace hilo::hlo {
namespace {

constexpr std::array<AttributeInfo, kAttributeCount> kAttributeInfos = {{
#define HLO_ATTRIBUTE(Name, accessor, text, Kind, default_value, doc) \
  {text, AttributeKind::k##Kind, doc},
#include "hlo/ir/attributes.def"
#undef HLO_ATTRIBUTE
}};

constexpr auto kKindNames = std::to_array<absl::string_view>({
#define HLO_ATTRIBUTE_KIND(Kind, Type, storage) #Kind,
#include "hlo/ir/attribute_kinds.def"
#undef HLO_ATTRIBUTE_KIND
});

}  // namespace

AttributeValue::AttributeValue() = default;
AttributeValue::AttributeValue(Variant value) : value_(std::move(value)) {}
AttributeValue::AttributeValue(const AttributeValue& other) = default;
AttributeValue::AttributeValue(AttributeValue&& other) noexcept = default;
AttributeValue& AttributeValue::operator=(const AttributeValue& other) =
    default;
AttributeValue& AttributeValue::operator=(AttributeValue&& other) noexcept =
    default;
AttributeValue::~AttributeValue() = default;

bool operator==(const AttributeValue& a, const AttributeValue& b) {
  return a.value_ == b.value_;
}

template <AttributeKind kind>
AttributeValue MakeAttributeValue(AttributeType<kind> value) {
  return AttributeValue(AttributeValue::Variant(
      std::in_place_index<static_cast<size_t>(kind)>, std::move(value)));
}

#define HLO_ATTRIBUTE_KIND(Kind, Type, storage)                       \
  template AttributeValue MakeAttributeValue<AttributeKind::k##Kind>( \
      AttributeType<AttributeKind::k##Kind>);
#include "hlo/ir/attribute_kinds.def"
#undef HLO_ATTRIBUTE_KIND

const AttributeInfo& InfoOf(AttributeId id) {
  return kAttributeInfos[static_cast<size_t>(id)];
}

absl::string_view NameOf(AttributeKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

}  // namespace hilo::hlo
