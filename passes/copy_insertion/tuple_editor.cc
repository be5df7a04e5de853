// Adds get-tuple-element, tuple and copy.
#include "passes/copy_insertion/tuple_editor.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "hlo/analysis/array_leaves.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::passes {

using hlo::Instruction;
using hlo::Opcode;

Instruction* TupleEditor::Leaf(Instruction* value, int64_t leaf) {
  while (value->shape().IsTuple()) {
    int64_t i = 0;
    int64_t count = hlo::ArrayLeafCount(value->shape().element(i));
    while (leaf >= count) {
      leaf -= count;
      count = hlo::ArrayLeafCount(value->shape().element(++i));
    }
    value = Element(value, i);
  }
  return value;
}

Instruction* TupleEditor::WithLeaves(
    Instruction* value,
    const absl::flat_hash_map<int64_t, Instruction*>& leaves) {
  return Replace(value, 0, leaves);
}

Instruction* TupleEditor::Copy(Instruction* array) {
  Instruction* copy = Add(Opcode::kCopy, array->shape(), {array});
  if (array->has_metadata()) copy->set_metadata(array->metadata());
  return copy;
}

Instruction* TupleEditor::Element(Instruction* tuple, int64_t i) {
  if (tuple->opcode() == Opcode::kTuple) return tuple->operand(i);
  Instruction* element =
      Add(Opcode::kGetTupleElement, tuple->shape().element(i), {tuple});
  element->set_index(i);
  return element;
}

Instruction* TupleEditor::Add(Opcode opcode, const hlo::Shape& shape,
                              const std::vector<Instruction*>& operands) {
  Instruction* added = computation_->Add(opcode, shape);
  added->set_name(std::string(TextOf(opcode)));
  for (Instruction* operand : operands) added->AppendOperand(operand);
  added_.push_back(added);
  return added;
}

Instruction* TupleEditor::Replace(
    Instruction* value, int64_t first_leaf,
    const absl::flat_hash_map<int64_t, Instruction*>& leaves) {
  if (!value->shape().IsTuple()) {
    const auto found = leaves.find(first_leaf);
    const bool is_array = hlo::IsArrayLeaf(value->shape());
    return is_array && found != leaves.end() ? found->second : value;
  }
  bool is_same = true;
  std::vector<Instruction*> elements;
  const int64_t count = value->shape().element_count();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t leaf_count = hlo::ArrayLeafCount(value->shape().element(i));
    bool changes = false;
    for (int64_t leaf = 0; leaf < leaf_count && !changes; ++leaf) {
      changes = leaves.contains(first_leaf + leaf);
    }
    Instruction* element = Element(value, i);
    elements.push_back(changes ? Replace(element, first_leaf, leaves)
                               : element);
    is_same &= !changes;
    first_leaf += leaf_count;
  }
  if (is_same) return value;
  std::vector<hlo::Shape> shapes;
  shapes.reserve(elements.size());
  for (const Instruction* element : elements) {
    shapes.push_back(element->shape());
  }
  return Add(Opcode::kTuple, hlo::Shape::Tuple(std::move(shapes)), elements);
}

}  // namespace hilo::passes
