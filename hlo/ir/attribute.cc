// The tables of attributes and attribute kinds.
#include "hlo/ir/attribute.h"

#include <array>
#include <cstddef>
#include <utility>

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

const AttributeInfo& InfoOf(AttributeId id) {
  return kAttributeInfos[static_cast<size_t>(id)];
}

absl::string_view NameOf(AttributeKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

}  // namespace hilo::hlo
