// Expresses bitcasts by transpose, reshape and bitcast-convert.
#include "passes/layout_assignment/logical_bitcast.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Shape;

constexpr int64_t kBitsPerByte = 8;

int64_t StorageBits(ElementType type) {
  return kBitsPerByte * hlo::StorageBytes(type);
}

// Bits of an element where bits are reinterpreted.
int64_t ValueBits(ElementType type) {
  return type == ElementType::kPred ? kBitsPerByte : hlo::InfoOf(type).bits;
}

bool IsRowMajor(const Shape& shape) {
  return shape.layout().minor_to_major ==
         hlo::DefaultLayout(shape.rank()).minor_to_major;
}

bool HasWholeBytes(const Shape& shape) {
  return shape.BufferElementBits() == StorageBits(shape.element_type());
}

Instruction* Add(hlo::Opcode opcode, Shape shape, Instruction* operand) {
  Instruction* added = operand->parent()->Add(opcode, std::move(shape));
  added->set_name(std::string(TextOf(opcode)));
  added->AppendOperand(operand);
  if (operand->has_metadata()) added->set_metadata(operand->metadata());
  return added;
}

// The dimensions of a shape in the order of memory, major first.
DimensionVector MajorToMinor(const Shape& shape) {
  const DimensionVector minor_to_major = shape.layout().minor_to_major;
  return {minor_to_major.rbegin(), minor_to_major.rend()};
}

DimensionVector SizesOf(const Shape& shape, const DimensionVector& order) {
  DimensionVector sizes;
  for (const int64_t dimension : order) {
    sizes.push_back(shape.dimension(dimension));
  }
  return sizes;
}

Instruction* AddTranspose(Instruction* operand, const DimensionVector& order) {
  bool is_identity = true;
  for (size_t i = 0; i < order.size(); ++i) {
    is_identity &= std::cmp_equal(order[i], i);
  }
  if (is_identity) return operand;
  const Shape shape = Shape::Array(operand->shape().element_type(),
                                   SizesOf(operand->shape(), order));
  Instruction* transpose = Add(hlo::Opcode::kTranspose, shape, operand);
  transpose->set_dimensions(order);
  return transpose;
}

Instruction* AddReshape(Instruction* operand, const DimensionVector& sizes) {
  const Shape shape = Shape::Array(operand->shape().element_type(), sizes);
  if (shape == operand->shape()) return operand;
  return Add(hlo::Opcode::kReshape, shape, operand);
}

// Reads the operand's bits as another type, in the order of its elements; the
// result has one dimension, or two of which the last one divides elements.
absl::StatusOr<Instruction*> AddConvert(Instruction* operand, const Shape& from,
                                        const Shape& to) {
  const int64_t from_bits = from.BufferElementBits();
  const int64_t to_bits = to.BufferElementBits();
  const bool are_natural = from_bits == ValueBits(from.element_type()) &&
                           to_bits == ValueBits(to.element_type());
  if (!are_natural || (from_bits % to_bits != 0 && to_bits % from_bits != 0)) {
    return Unimplemented("bitcast from ", ToString(from), " to ", ToString(to),
                         ": padded elements of different types");
  }
  DimensionVector from_sizes = {from.ElementCount()};
  DimensionVector to_sizes = {to.ElementCount()};
  if (from_bits < to_bits) {
    from_sizes = {to.ElementCount(), to_bits / from_bits};
  } else if (to_bits < from_bits) {
    to_sizes = {from.ElementCount(), from_bits / to_bits};
  }
  return Add(hlo::Opcode::kBitcastConvert,
             Shape::Array(to.element_type(), to_sizes),
             AddReshape(operand, from_sizes));
}

}  // namespace

bool IsRowMajorBitcast(const Shape& from, const Shape& to) {
  if (!from.IsArray() || !to.IsArray()) return true;
  if (!IsRowMajor(from) || !IsRowMajor(to)) return false;
  if (from.element_type() == to.element_type()) {
    return from.BufferElementBits() == to.BufferElementBits();
  }
  const auto has_plain_bytes = [](const Shape& shape) {
    return HasWholeBytes(shape) &&
           ValueBits(shape.element_type()) >= kBitsPerByte;
  };
  // A byte that is neither 0 nor 1 is no pred.
  return has_plain_bytes(from) && has_plain_bytes(to) &&
         to.element_type() != ElementType::kPred;
}

absl::StatusOr<Instruction*> AddLogicalBitcast(Instruction* operand,
                                               const Shape& from,
                                               const Shape& to) {
  Instruction* value = AddTranspose(operand, MajorToMinor(from));
  if (from.element_type() != to.element_type()) {
    ASSIGN_OR_RETURN(value, AddConvert(value, from, to));
  }
  const DimensionVector order = MajorToMinor(to);
  value = AddReshape(value, SizesOf(to, order));
  DimensionVector back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    back[order[i]] = static_cast<int64_t>(i);
  }
  return AddTranspose(value, back);
}

}  // namespace hilo::passes
