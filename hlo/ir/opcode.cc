// The table of opcodes.
#include "hlo/ir/opcode.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/element_type.h"

namespace hilo::hlo {
namespace {

// The words in which opcodes.def lists attributes.
constexpr size_t kMaxAttributes = 16;
struct AttributeUses {
  std::array<AttributeUse, kMaxAttributes> uses;
  size_t count = 0;
};

constexpr AttributeUse Required(AttributeId id) {
  return {.id = id, .required = true, .shown = true, .ignored = false};
}
constexpr AttributeUse Shown(AttributeId id) {
  return {.id = id, .required = false, .shown = true, .ignored = false};
}
constexpr AttributeUse Optional(AttributeId id) {
  return {.id = id, .required = false, .shown = false, .ignored = false};
}
constexpr AttributeUse Ignored(AttributeId id) {
  return {.id = id, .required = false, .shown = false, .ignored = true};
}

template <typename... Uses>
constexpr AttributeUses Attributes(Uses... uses) {
  static_assert(sizeof...(Uses) <= kMaxAttributes);
  return {.uses = {uses...}, .count = sizeof...(Uses)};
}

struct Row {
  OpcodeInfo info;
  AttributeUses attributes;
  int elementwise_arity = 0;
};

constexpr Row ElementwiseRow(absl::string_view text, int arity,
                             TypeClasses types, OpcodeTraits traits,
                             int max_ulps, absl::string_view doc) {
  return {.info = {.text = text,
                   .arity = arity,
                   .types = types,
                   .traits = traits | kElementwise,
                   .max_ulps = max_ulps,
                   .attributes = {},
                   .doc = doc},
          .attributes = {},
          .elementwise_arity = arity};
}

constexpr Row GeneralRow(absl::string_view text, int arity, OpcodeTraits traits,
                         AttributeUses attributes, absl::string_view doc) {
  return {.info = {.text = text,
                   .arity = arity,
                   .types = kAnyTypes,
                   .traits = traits,
                   .max_ulps = 0,
                   .attributes = {},
                   .doc = doc},
          .attributes = attributes,
          .elementwise_arity = 0};
}

constexpr auto BuildTable() {
  using enum AttributeId;
  return std::array<Row, kOpcodeCount>{
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc) \
  ElementwiseRow(text, 1, types, traits, max_ulps, doc),
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc) \
  ElementwiseRow(text, 2, types, traits, max_ulps, doc),
#define HLO_OP(Name, text, arity, traits, attributes, doc) \
  GeneralRow(text, arity, traits, attributes, doc),
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP
  };
}

constexpr std::array<Row, kOpcodeCount> kRows = BuildTable();

// The rows' infos with spans over the attributes of kRows.
std::array<OpcodeInfo, kOpcodeCount> BuildInfos() {
  std::array<OpcodeInfo, kOpcodeCount> infos;
  for (int i = 0; i < kOpcodeCount; ++i) {
    infos[i] = kRows[i].info;
    infos[i].attributes = absl::MakeConstSpan(kRows[i].attributes.uses.data(),
                                              kRows[i].attributes.count);
  }
  return infos;
}

bool CanTake(Opcode opcode, AttributeId common) {
  switch (common) {
    case AttributeId::kResultAccuracy:
      return InfoOf(opcode).Has(kMathFunction);
    case AttributeId::kParameterReplication:
      return opcode == Opcode::kParameter;
    default:  // NOLINT: all other common attributes, by definition
      return true;
  }
}

}  // namespace

const OpcodeInfo& InfoOf(Opcode opcode) {
  static const std::array<OpcodeInfo, kOpcodeCount> kInfos = BuildInfos();
  return kInfos[static_cast<size_t>(opcode)];
}

std::optional<Opcode> OpcodeFromText(absl::string_view text) {
  static const auto* const kByText = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, Opcode>();
    for (int i = 0; i < kOpcodeCount; ++i) {
      map->emplace(kRows[i].info.text, static_cast<Opcode>(i));
    }
    return map;
  }();
  const auto it = kByText->find(text);
  if (it == kByText->end()) return std::nullopt;
  return it->second;
}

std::vector<absl::string_view> OpcodeTexts() {
  std::vector<absl::string_view> texts;
  texts.reserve(kRows.size());
  for (const Row& row : kRows) texts.push_back(row.info.text);
  return texts;
}

std::optional<AttributeUse> FindAttribute(Opcode opcode,
                                          absl::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const AttributeUse& use : InfoOf(opcode).attributes) {
    if (TextOf(use.id) == text) return use;
  }
  for (int i = static_cast<int>(kFirstCommonAttribute); i < kAttributeCount;
       ++i) {
    const auto id = static_cast<AttributeId>(i);
    if (TextOf(id) == text && CanTake(opcode, id)) return Optional(id);
  }
  return std::nullopt;
}

std::vector<absl::string_view> AttributeTexts(Opcode opcode) {
  std::vector<absl::string_view> texts;
  for (const AttributeUse& use : InfoOf(opcode).attributes) {
    if (!TextOf(use.id).empty()) texts.push_back(TextOf(use.id));
  }
  for (int i = static_cast<int>(kFirstCommonAttribute); i < kAttributeCount;
       ++i) {
    const auto id = static_cast<AttributeId>(i);
    if (CanTake(opcode, id)) texts.push_back(TextOf(id));
  }
  return texts;
}

bool IsElementwiseUnary(Opcode opcode) {
  return kRows[static_cast<size_t>(opcode)].elementwise_arity == 1;
}

bool IsElementwiseBinary(Opcode opcode) {
  return kRows[static_cast<size_t>(opcode)].elementwise_arity == 2;
}

}  // namespace hilo::hlo
