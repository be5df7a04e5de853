// Operands, uses and attributes of instructions.
#include "hlo/ir/instruction.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "runtime/base/check.h"

namespace hilo::hlo {

std::vector<Instruction*> Instruction::operands() const {
  std::vector<Instruction*> result;
  result.reserve(operands_.size());
  for (const Operand& operand : operands_) {
    result.push_back(operand.instruction);
  }
  return result;
}

void Instruction::AppendOperand(Instruction* operand) {
  operands_.push_back(
      {.instruction = operand,
       .use_index = static_cast<int32_t>(operand->uses_.size())});
  operand->uses_.push_back(
      {.user = this,
       .operand_index = static_cast<int32_t>(operands_.size()) - 1});
}

void Instruction::ReplaceOperand(int64_t i, Instruction* operand) {
  Operand& slot = operands_[i];
  slot.instruction->RemoveUse(slot.use_index);
  slot = {.instruction = operand,
          .use_index = static_cast<int32_t>(operand->uses_.size())};
  operand->uses_.push_back(
      {.user = this, .operand_index = static_cast<int32_t>(i)});
}

void Instruction::RemoveAllOperands() {
  while (!operands_.empty()) {
    const Operand last = operands_.back();
    last.instruction->RemoveUse(last.use_index);
    operands_.pop_back();
  }
}

void Instruction::RemoveUse(int32_t use_index) {
  // The last use takes the freed place: constant time however many uses.
  const Use moved = uses_.back();
  uses_[use_index] = moved;
  moved.user->operands_[moved.operand_index].use_index = use_index;
  uses_.pop_back();
}

void Instruction::ReplaceAllUsesWith(Instruction* replacement) {
  CHECK(replacement != this) << "an instruction cannot replace itself";
  while (!uses_.empty()) {
    const Use use = uses_.back();
    use.user->ReplaceOperand(use.operand_index, replacement);
  }
  if (parent_->root() == this) parent_->set_root(replacement);
}

#define HLO_ATTRIBUTE(Name, accessor, text, Kind, default_value, doc)          \
  static const AttributeType<AttributeKind::k##Kind>& Default##Name() {        \
    static const AttributeType<AttributeKind::k##Kind> kDefault =              \
        default_value;                                                         \
    return kDefault;                                                           \
  }                                                                            \
  const AttributeType<AttributeKind::k##Kind>& Instruction::accessor() const { \
    const AttributeValue* value = FindValue(AttributeId::k##Name);             \
    return value != nullptr ? ValueAs<AttributeKind::k##Kind>(*value)          \
                            : Default##Name();                                 \
  }                                                                            \
  void Instruction::set_##accessor(                                            \
      AttributeType<AttributeKind::k##Kind> value) {                           \
    SetAttribute(                                                              \
        AttributeId::k##Name,                                                  \
        MakeAttributeValue<AttributeKind::k##Kind>(std::move(value)));         \
  }
#include "hlo/ir/attributes.def"
#undef HLO_ATTRIBUTE

bool IsDefault(AttributeId id, const AttributeValue& value) {
  switch (id) {
#define HLO_ATTRIBUTE(Name, accessor, text, Kind, default_value, doc) \
  case AttributeId::k##Name:                                          \
    return ValueAs<AttributeKind::k##Kind>(value) == Default##Name();
#include "hlo/ir/attributes.def"
#undef HLO_ATTRIBUTE
  }
  return false;
}

AttributeValue DefaultValue(AttributeId id) {
  switch (id) {
#define HLO_ATTRIBUTE(Name, accessor, text, Kind, default_value, doc) \
  case AttributeId::k##Name:                                          \
    return MakeAttributeValue<AttributeKind::k##Kind>(Default##Name());
#include "hlo/ir/attributes.def"
#undef HLO_ATTRIBUTE
  }
  __builtin_unreachable();
}

const AttributeValue* Instruction::FindValue(AttributeId id) const {
  for (const Attribute& attribute : attributes_) {
    if (attribute.id == id) return &attribute.value;
  }
  return nullptr;
}

void Instruction::SetAttribute(AttributeId id, AttributeValue value) {
  CHECK(value.kind() == InfoOf(id).kind)
      << "attribute " << TextOf(id) << " has another kind";
  // Written out, these say something even where they equal the default: a
  // constant may be the empty tuple, a comparison's default depends on types.
  const bool always_stored =
      id == AttributeId::kValue || id == AttributeId::kType;
  if (!always_stored && IsDefault(id, value)) {
    RemoveAttribute(id);
    return;
  }
  const auto place =
      std::ranges::lower_bound(attributes_, id, {}, &Attribute::id);
  if (place != attributes_.end() && place->id == id) {
    place->value = std::move(value);
  } else {
    attributes_.insert(place, {.id = id, .value = std::move(value)});
  }
}

void Instruction::RemoveAttribute(AttributeId id) {
  std::erase_if(attributes_, [id](const Attribute& a) { return a.id == id; });
}

std::vector<Computation*> Instruction::called_computations() const {
  std::vector<Computation*> called;
  for (const Attribute& attribute : attributes_) {
    const AttributeKind kind = InfoOf(attribute.id).kind;
    if (kind == AttributeKind::kComputation) {
      called.push_back(ValueAs<AttributeKind::kComputation>(attribute.value));
    } else if (kind == AttributeKind::kComputationList) {
      for (Computation* computation :
           ValueAs<AttributeKind::kComputationList>(attribute.value)) {
        called.push_back(computation);
      }
    }
  }
  return called;
}

std::vector<Computation*> Instruction::branches() const {
  if (has_branch_computations()) return branch_computations();
  return {true_computation(), false_computation()};
}

ComparisonType Instruction::comparison_type() const {
  const AttributeValue* value = FindValue(AttributeId::kType);
  if (value != nullptr) return ValueAs<AttributeKind::kComparisonType>(*value);
  return DefaultComparisonType(operand_shape(0).element_type());
}

bool Instruction::IsDead() const {
  return uses_.empty() && parent_->root() != this;
}

ComparisonType DefaultComparisonType(ElementType type) {
  if (IsFloat(type) || IsComplex(type)) return ComparisonType::kFloat;
  if (IsSignedInteger(type)) return ComparisonType::kSigned;
  return ComparisonType::kUnsigned;
}

}  // namespace hilo::hlo
