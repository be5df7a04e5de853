// The tables of attributes and attribute kinds.
#include "hlo/ir/attribute.h"

#include <array>

namespace hilo::hlo {
namespace {

constexpr std::array<AttributeInfo, kAttributeCount> kInfos = {{
#define HLO_ATTRIBUTE(Name, accessor, text, Kind, default_value, doc) \
  {text, AttributeKind::k##Kind, doc},
#include "hlo/ir/attributes.def"
#undef HLO_ATTRIBUTE
}};

constexpr absl::string_view kKindNames[] = {
#define HLO_ATTRIBUTE_KIND(Kind, Type, storage) #Kind,
#include "hlo/ir/attribute_kinds.def"
#undef HLO_ATTRIBUTE_KIND
};

}  // namespace

const AttributeInfo& InfoOf(AttributeId id) {
  return kInfos[static_cast<size_t>(id)];
}

absl::string_view NameOf(AttributeKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

}  // namespace hilo::hlo
