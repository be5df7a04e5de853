// Finds the function that reads an attribute's kind.
#include "hlo/text/attribute_parser.h"

#include <array>
#include <cstddef>
#include <utility>

#include "hlo/ir/attribute.h"
#include "hlo/text/value_parsers.h"  // IWYU pragma: keep

namespace hilo::hlo {
namespace {

using ParseFunction = bool (*)(ValueContext& context, AttributeValue* value);

// By AttributeKind: a kind without a function does not link.
constexpr auto kParseFunctions = std::to_array<ParseFunction>({
#define HLO_ATTRIBUTE_KIND(Kind, Type, storage)                             \
  [](ValueContext& context, AttributeValue* value) {                        \
    AttributeType<AttributeKind::k##Kind> parsed{};                         \
    if (!value_parsers::Parse##Kind(context, &parsed)) return false;        \
    *value = MakeAttributeValue<AttributeKind::k##Kind>(std::move(parsed)); \
    return true;                                                            \
  },
#include "hlo/ir/attribute_kinds.def"
#undef HLO_ATTRIBUTE_KIND
});

}  // namespace

bool ParseAttributeValue(ValueContext& context, AttributeValue* value) {
  const AttributeKind kind = InfoOf(context.id).kind;
  return kParseFunctions[static_cast<size_t>(kind)](context, value);
}

}  // namespace hilo::hlo
