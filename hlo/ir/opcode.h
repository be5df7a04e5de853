// Opcodes and their table rows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/element_type.h"

namespace hilo::hlo {

enum class Opcode : uint8_t {
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc) k##Name,
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc) k##Name,
#define HLO_OP(Name, text, arity, traits, attributes, doc) k##Name,
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP
};

inline constexpr int kOpcodeCount = 0
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc) +1
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc) +1
#define HLO_OP(Name, text, arity, traits, attributes, doc) +1
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP
    ;

// Facts about an opcode that passes ask for.
enum OpcodeTraits : uint16_t {
  kNoTraits = 0,
  // Each result element depends on the operands' elements at its own index.
  kElementwise = 1 << 0,
  kCommutative = 1 << 1,
  // For integers; floats round.
  kAssociative = 1 << 2,
  // The result has the component type of the operand (abs, real, imag).
  kComponentResult = 1 << 3,
  // The result is pred.
  kPredicateResult = 1 << 4,
  // Accepts result_accuracy.
  kMathFunction = 1 << 5,
  // The text must state the result shape.
  kShapeRequired = 1 << 6,
  kCollective = 1 << 7,
  // Must be kept, and kept in order.
  kSideEffect = 1 << 8,
  // Two evaluations may differ: not folded, not merged.
  kNotPure = 1 << 9,
};
constexpr OpcodeTraits operator|(OpcodeTraits a, OpcodeTraits b) {
  return static_cast<OpcodeTraits>(static_cast<unsigned>(a) |
                                   static_cast<unsigned>(b));
}

// That an opcode takes an attribute.
struct AttributeUse {
  AttributeId id = AttributeId::kToApply;
  bool required = false;
  // Printed even when it has its default value.
  bool shown = false;
  // Read, but not printed among the attributes.
  bool ignored = false;
};

inline constexpr int kVariadic = -1;

// The row of opcodes.def.
struct OpcodeInfo {
  absl::string_view text;
  // Number of operands, or kVariadic.
  int arity = 0;
  // Legal operand types of HLO_UNARY and HLO_BINARY rows.
  TypeClasses types = kAnyTypes;
  OpcodeTraits traits = kNoTraits;
  int max_ulps = 0;
  // In print order.
  absl::Span<const AttributeUse> attributes;
  absl::string_view doc;

  bool Has(OpcodeTraits trait) const { return (traits & trait) != 0; }
};

const OpcodeInfo& InfoOf(Opcode opcode);
inline absl::string_view TextOf(Opcode opcode) { return InfoOf(opcode).text; }

// The opcode with the given text; nullopt if none.
std::optional<Opcode> OpcodeFromText(absl::string_view text);
// All texts, for suggestions.
std::vector<absl::string_view> OpcodeTexts();

// How `opcode` uses the attribute spelt `text`, common attributes included;
// nullopt when it does not take one.
std::optional<AttributeUse> FindAttribute(Opcode opcode,
                                          absl::string_view text);
// The texts of all attributes that `opcode` takes, for suggestions.
std::vector<absl::string_view> AttributeTexts(Opcode opcode);

// Whether the opcode is an HLO_UNARY or HLO_BINARY row.
bool IsElementwiseUnary(Opcode opcode);
bool IsElementwiseBinary(Opcode opcode);

}  // namespace hilo::hlo
