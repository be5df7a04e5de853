// One operation of a computation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {

// Position of an instruction among those of its computation; dense.
using InstructionId = int32_t;

class Computation;

// An opcode applied to operands, with a result shape and attributes. Created
// and owned by a Computation.
class Instruction {
 public:
  // That `user` has this instruction as its operand number `operand_index`.
  struct Use {
    Instruction* user = nullptr;
    int32_t operand_index = 0;
  };

  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;
  ~Instruction() = default;

  Opcode opcode() const { return opcode_; }
  InstructionId id() const { return id_; }
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  Computation* parent() const { return parent_; }
  const Shape& shape() const { return shape_; }
  Shape* mutable_shape() { return &shape_; }
  void set_shape(Shape shape) { shape_ = std::move(shape); }

  // Byte offset of the name in the module's source; -1 when built otherwise.
  int64_t source_offset() const { return source_offset_; }
  void set_source_offset(int64_t offset) { source_offset_ = offset; }

  int64_t operand_count() const {
    return static_cast<int64_t>(operands_.size());
  }
  Instruction* operand(int64_t i) const { return operands_[i].instruction; }
  std::vector<Instruction*> operands() const;
  const Shape& operand_shape(int64_t i) const { return operand(i)->shape(); }
  void AppendOperand(Instruction* operand);
  void ReplaceOperand(int64_t i, Instruction* operand);
  void RemoveAllOperands();

  // Every use, one per operand slot, in no promised order.
  absl::Span<const Use> uses() const { return uses_; }
  bool HasUses() const { return !uses_.empty(); }
  // Makes all users of this instruction use `replacement`.
  void ReplaceAllUsesWith(Instruction* replacement);

  // Attributes. For each row of attributes.def: accessor(), has_accessor(),
  // set_accessor().
#define HLO_ATTRIBUTE(Name, accessor, text, Kind, default_value, doc) \
  const AttributeType<AttributeKind::k##Kind>& accessor() const;      \
  bool has_##accessor() const {                                       \
    return FindValue(AttributeId::k##Name) != nullptr;                \
  }                                                                   \
  void set_##accessor(AttributeType<AttributeKind::k##Kind> value);
#include "hlo/ir/attributes.def"
#undef HLO_ATTRIBUTE

  // All present attributes, by ascending id.
  absl::Span<const Attribute> attributes() const { return attributes_; }
  // Null when the attribute is absent.
  const AttributeValue* FindValue(AttributeId id) const;
  // Stores the value; removes the attribute when it is the default.
  void SetAttribute(AttributeId id, AttributeValue value);
  void RemoveAttribute(AttributeId id);

  // The computations that attributes name, in the order of attributes.def.
  std::vector<Computation*> called_computations() const;
  // The branches of a conditional, by index (true first).
  std::vector<Computation*> branches() const;
  // compare: the type, or its default for the operands' element type.
  ComparisonType comparison_type() const;
  bool IsDead() const;  // no uses, not the root

 private:
  friend class Computation;

  struct Operand {
    Instruction* instruction = nullptr;
    // Where `instruction->uses_` holds this use.
    int32_t use_index = 0;
  };

  Instruction(Opcode opcode, Shape shape, Computation* parent, InstructionId id)
      : parent_(parent), id_(id), opcode_(opcode), shape_(std::move(shape)) {}

  void RemoveUse(int32_t use_index);

  Computation* parent_;
  InstructionId id_;
  Opcode opcode_;
  int64_t source_offset_ = -1;
  std::string name_;
  Shape shape_;
  absl::InlinedVector<Operand, 2> operands_;
  absl::InlinedVector<Use, 2> uses_;
  std::vector<Attribute> attributes_;
};

// The default ordering for compares of `type`: FLOAT, SIGNED or UNSIGNED.
ComparisonType DefaultComparisonType(ElementType type);

// What an absent attribute `id` reads as.
AttributeValue DefaultValue(AttributeId id);
// Whether `value` is what an absent attribute `id` reads as.
bool IsDefault(AttributeId id, const AttributeValue& value);

}  // namespace hilo::hlo
