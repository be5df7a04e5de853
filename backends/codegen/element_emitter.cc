// Reads, remembers and writes elements; opcodes have handlers of their own.
#include "backends/codegen/element_emitter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Type.h"
#include "llvm/Support/Casting.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_handlers.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/hoisting.h"
#include "backends/codegen/loop.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

struct HandlerRow {
  Opcode opcode;
  ElementHandler handler;
};

constexpr auto kHandlers = std::to_array<HandlerRow>({
    {Opcode::kBitcast, &ReshapeElement},
    {Opcode::kBroadcast, &BroadcastElement},
    {Opcode::kConcatenate, &ConcatenateElement},
    {Opcode::kConstant, &ConstantElement},
    {Opcode::kCopy, &OperandElement},
    {Opcode::kDynamicSlice, &DynamicSliceElement},
    {Opcode::kDynamicUpdateSlice, &DynamicUpdateSliceElement},
    {Opcode::kFusion, &FusionElement},
    {Opcode::kGather, &GatherElement},
    {Opcode::kGetTupleElement, &GetTupleElementElement},
    {Opcode::kIota, &IotaElement},
    {Opcode::kOptimizationBarrier, &OperandElement},
    {Opcode::kPad, &PadElement},
    {Opcode::kReduce, &ReduceElement},
    {Opcode::kReduceWindow, &ReduceWindowElement},
    {Opcode::kReshape, &ReshapeElement},
    {Opcode::kReverse, &ReverseElement},
    {Opcode::kSlice, &SliceElement},
    {Opcode::kTranspose, &TransposeElement},
    {Opcode::kTuple, &TupleElement},
});

ElementHandler HandlerOf(Opcode opcode) {
  static const std::array<ElementHandler, hlo::kOpcodeCount> table = [] {
    std::array<ElementHandler, hlo::kOpcodeCount> handlers = {};
    for (const HandlerRow& row : kHandlers) {
      handlers[static_cast<size_t>(row.opcode)] = row.handler;
    }
    return handlers;
  }();
  return table[static_cast<size_t>(opcode)];
}

// Whether each result element comes from the operands' elements at its index.
bool IsElementwise(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kBitcastConvert) {
    return hlo::StorageBytes(instruction.shape().element_type()) ==
               hlo::StorageBytes(instruction.operand_shape(0).element_type()) &&
           hlo::SameDimensions(instruction.shape(),
                               instruction.operand_shape(0));
  }
  if (opcode == Opcode::kStochasticConvert) return false;
  return hlo::InfoOf(opcode).Has(hlo::kElementwise) &&
         HandlerOf(opcode) == nullptr;
}

// Physical distance, in elements, between neighbours along each dimension.
hlo::DimensionVector StridesOf(const Shape& shape) {
  hlo::DimensionVector strides(static_cast<size_t>(shape.rank()), 0);
  int64_t stride = 1;
  for (const int64_t dimension : shape.layout().minor_to_major) {
    strides[static_cast<size_t>(dimension)] = stride;
    stride *= shape.dimension(dimension);
  }
  return strides;
}

// pointer + count * bytes.
llvm::Value* StepBy(llvm::IRBuilderBase& builder, llvm::Value* pointer,
                    llvm::Value* count, int64_t bytes) {
  llvm::Value* offset = nullptr;
  {
    const HoistedInsertion hoisted(builder, count, count);
    offset = builder.CreateMul(count,
                               builder.getInt64(static_cast<uint64_t>(bytes)));
  }
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(offset);
  if (constant != nullptr) {
    // Loads and stores add it for nothing.
    return constant->isZero() ? pointer : builder.CreatePtrAdd(pointer, offset);
  }
  const HoistedInsertion hoisted(builder, pointer, offset);
  return builder.CreatePtrAdd(pointer, offset);
}

bool FitsInOffset32(const Shape& shape) {
  return shape.ElementCount() < std::numeric_limits<int32_t>::max();
}

}  // namespace

bool HasElementForm(const Instruction& instruction) {
  return HandlerOf(instruction.opcode()) != nullptr ||
         IsElementwise(instruction);
}

int64_t FirstLeafOf(const Shape& tuple, int64_t index) {
  int64_t leaf = 0;
  for (int64_t i = 0; i < index; ++i) {
    leaf += static_cast<int64_t>(tuple.element(i).Leaves().size());
  }
  return leaf;
}

void ElementEmitter::BindArray(const Instruction& instruction, int64_t leaf,
                               llvm::Value* pointer) {
  arrays_[{&instruction, leaf}] = pointer;
}

void ElementEmitter::BindValue(const Instruction& instruction, int64_t leaf,
                               const ElementValue& value) {
  values_[{&instruction, leaf}] = value;
}

void ElementEmitter::BindParameter(const Instruction& parameter,
                                   const Instruction& operand) {
  parameters_[&parameter] = &operand;
}

llvm::Value* ElementEmitter::StrideOffsets(int64_t stride) {
  std::vector<uint32_t> offsets;
  offsets.reserve(static_cast<size_t>(lanes()));
  for (int lane = 0; lane < lanes(); ++lane) {
    offsets.push_back(static_cast<uint32_t>(lane * stride));
  }
  return llvm::ConstantDataVector::get(builder_.getContext(), offsets);
}

ElementEmitter::Address ElementEmitter::AddressOf(llvm::Value* pointer,
                                                  const Shape& shape,
                                                  const ArrayIndex& index) {
  const hlo::DimensionVector strides = StridesOf(shape);
  const int64_t bytes = hlo::StorageBytes(shape.element_type());
  Address address{.pointer = pointer};
  llvm::Value* vector = nullptr;
  // One step per coordinate, those of outer loops first: these stay the same
  // in the inner ones.
  for (size_t d = 0; d < index.size(); ++d) {
    if (!index[d].IsVector()) {
      address.pointer =
          StepBy(builder_, address.pointer, index[d].base, strides[d] * bytes);
      address.stride += index[d].stride * strides[d];
      continue;
    }
    const Coordinate scaled = math_.Multiply(index[d], strides[d]);
    vector = vector == nullptr ? scaled.base
                               : builder_.CreateAdd(vector, scaled.base);
  }
  if (vector == nullptr) return address;
  llvm::Type* offset_type = llvm::FixedVectorType::get(
      FitsInOffset32(shape) ? builder_.getInt32Ty() : builder_.getInt64Ty(),
      static_cast<unsigned>(lanes()));
  address.offsets = builder_.CreateTrunc(vector, offset_type);
  if (address.stride != 0) {
    llvm::Value* steps =
        builder_.CreateSExt(StrideOffsets(address.stride), offset_type);
    address.offsets = builder_.CreateAdd(address.offsets, steps);
  }
  return address;
}

ElementValue ElementEmitter::Load(llvm::Value* pointer, const Shape& shape,
                                  const ArrayIndex& index) {
  const Address address = AddressOf(pointer, shape, index);
  const hlo::ElementType type = shape.element_type();
  if (address.offsets != nullptr) {
    return scalars_.Gather(type, address.pointer, address.offsets, mask_);
  }
  if (lanes() == 1 || address.stride == 0) {
    return scalars_.Load(type, address.pointer, 1, nullptr);
  }
  if (address.stride == 1) {
    return scalars_.Load(type, address.pointer, lanes(), mask_);
  }
  return scalars_.Gather(type, address.pointer, StrideOffsets(address.stride),
                         mask_);
}

void ElementEmitter::Store(const ElementValue& value, llvm::Value* pointer,
                           const Shape& shape, const ArrayIndex& index) {
  const Address address = AddressOf(pointer, shape, index);
  const hlo::ElementType type = shape.element_type();
  if (lanes() == 1) {
    scalars_.Store(type, value, address.pointer, nullptr);
    return;
  }
  const ElementValue vector =
      LaneCount(value) == 1 ? scalars_.Splat(value, lanes()) : value;
  if (address.offsets == nullptr && address.stride == 1) {
    scalars_.Store(type, vector, address.pointer, mask_);
    return;
  }
  llvm::Value* offsets = address.offsets != nullptr
                             ? address.offsets
                             : StrideOffsets(address.stride);
  scalars_.Scatter(type, vector, address.pointer, offsets, mask_);
}

void ElementEmitter::Remember(const Instruction& instruction, int64_t leaf,
                              const ArrayIndex& index,
                              const ElementValue& value) {
  Key key{.instruction = &instruction, .leaf = leaf, .index = {}};
  for (const Coordinate& c : index) key.index.emplace_back(c.base, c.stride);
  scopes_.back()[std::move(key)] = value;
}

absl::StatusOr<ElementValue> ElementEmitter::Element(
    const Instruction& instruction, int64_t leaf, const ArrayIndex& index) {
  if (const auto value = values_.find({&instruction, leaf});
      value != values_.end()) {
    return value->second;
  }
  Key key{.instruction = &instruction, .leaf = leaf, .index = {}};
  for (const Coordinate& c : index) key.index.emplace_back(c.base, c.stride);
  for (const auto& scope : scopes_) {
    const auto known = scope.find(key);
    if (known != scope.end()) return known->second;
  }
  ASSIGN_OR_RETURN(const ElementValue value, Compute(instruction, leaf, index));
  scopes_.back()[std::move(key)] = value;
  return value;
}

absl::StatusOr<ElementValue> ElementEmitter::Lanes(
    const Instruction& instruction, int64_t leaf, const ArrayIndex& index) {
  ASSIGN_OR_RETURN(const ElementValue value, Element(instruction, leaf, index));
  if (lanes() == 1 || LaneCount(value) > 1) return value;
  return scalars_.Splat(value, lanes());
}

absl::StatusOr<ElementValue> ElementEmitter::Compute(
    const Instruction& instruction, int64_t leaf, const ArrayIndex& index) {
  if (const auto array = arrays_.find({&instruction, leaf});
      array != arrays_.end()) {
    return Load(array->second,
                *instruction.shape().Leaves()[static_cast<size_t>(leaf)],
                index);
  }
  if (instruction.opcode() == Opcode::kParameter) {
    const auto operand = parameters_.find(&instruction);
    CHECK(operand != parameters_.end())
        << "parameter " << instruction.name() << " is not bound";
    return Element(*operand->second, leaf, index);
  }
  if (IsElementwise(instruction)) return Elementwise(instruction, index);
  const ElementHandler handler = HandlerOf(instruction.opcode());
  if (handler == nullptr) {
    return Unimplemented(hlo::TextOf(instruction.opcode()), " '",
                         instruction.name(),
                         "' has no emitter for single elements");
  }
  return handler(*this,
                 {.instruction = instruction, .leaf = leaf, .index = index});
}

absl::StatusOr<ElementValue> ElementEmitter::Elementwise(
    const Instruction& instruction, const ArrayIndex& index) {
  std::vector<ElementValue> operands;
  int widest = 1;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Instruction& operand = *instruction.operand(i);
    // select and clamp take scalars beside arrays.
    const bool is_scalar = operand.shape().IsScalar() && !index.empty();
    ASSIGN_OR_RETURN(const ElementValue value,
                     Element(operand, 0, is_scalar ? ArrayIndex() : index));
    operands.push_back(value);
    widest = std::max(widest, LaneCount(value));
  }
  for (ElementValue& value : operands) {
    if (LaneCount(value) < widest) value = scalars_.Splat(value, widest);
  }
  return scalars_.Emit(instruction, operands);
}

CarriedValues Flatten(absl::Span<const ElementValue> values) {
  CarriedValues flat;
  for (const ElementValue& value : values) {
    flat.push_back(value.real);
    if (value.imag != nullptr) flat.push_back(value.imag);
  }
  return flat;
}

std::vector<ElementValue> Unflatten(absl::Span<llvm::Value* const> flat,
                                    absl::Span<const ElementValue> like) {
  std::vector<ElementValue> values;
  size_t next = 0;
  for (const ElementValue& part : like) {
    ElementValue value{.real = flat[next++]};
    if (part.imag != nullptr) value.imag = flat[next++];
    values.push_back(value);
  }
  return values;
}

}  // namespace hilo::backends
