// Elements of opcodes that move data: each maps an index to an index.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/Casting.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_handlers.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::backends {
absl::StatusOr<ElementValue> InOneForm(ElementEmitter& emitter,
                                       const hlo::Instruction& instruction,
                                       const ArrayIndex& index,
                                       bool is_scalar) {
  if (is_scalar) return emitter.Element(instruction, 0, index);
  return emitter.Lanes(instruction, 0, index);
}

namespace {

using hlo::Instruction;
using hlo::Shape;

// A condition split into what holds for all lanes and what differs by lane;
// null: true.
struct LaneCondition {
  llvm::Value* uniform = nullptr;
  llvm::Value* by_lane = nullptr;

  void Add(IndexMath& math, llvm::Value* condition) {
    llvm::Value*& part = condition->getType()->isVectorTy() ? by_lane : uniform;
    part = math.And(part, condition);
  }
};

using ElementBody = std::function<absl::StatusOr<ElementValue>()>;

// `inside` where the condition holds, `outside` elsewhere. Both give values of
// the same form.
absl::StatusOr<ElementValue> EmitChoice(ElementEmitter& emitter,
                                        const LaneCondition& condition,
                                        const ElementBody& inside,
                                        const ElementBody& outside) {
  const auto by_lane = [&]() -> absl::StatusOr<ElementValue> {
    if (condition.by_lane == nullptr) return inside();
    ASSIGN_OR_RETURN(const ElementValue a,
                     emitter.InScope(condition.by_lane, inside));
    ASSIGN_OR_RETURN(const ElementValue b, outside());
    return emitter.scalars().Select(condition.by_lane, a, b);
  };
  if (condition.uniform == nullptr) return by_lane();
  std::vector<ElementValue> like;
  const auto branch = [&](const ElementBody& body) {
    return [&]() -> absl::StatusOr<CarriedValues> {
      ASSIGN_OR_RETURN(const ElementValue value,
                       emitter.InScope(nullptr, body));
      like = {value};
      return Flatten(like);
    };
  };
  const ElementBody then_body = by_lane;
  ASSIGN_OR_RETURN(const CarriedValues merged,
                   EmitIfWithValues(emitter.builder(), condition.uniform,
                                    branch(then_body), branch(outside)));
  return Unflatten(merged, like).front();
}

}  // namespace

absl::StatusOr<ElementValue> OperandElement(ElementEmitter& emitter,
                                            const ElementRequest& request) {
  return emitter.Element(*request.instruction.operand(0), request.leaf,
                         request.index);
}

absl::StatusOr<ElementValue> TupleElement(ElementEmitter& emitter,
                                          const ElementRequest& request) {
  int64_t leaf = request.leaf;
  for (int64_t i = 0; i < request.instruction.operand_count(); ++i) {
    const Instruction& operand = *request.instruction.operand(i);
    const auto leaves = static_cast<int64_t>(operand.shape().Leaves().size());
    if (leaf < leaves) return emitter.Element(operand, leaf, request.index);
    leaf -= leaves;
  }
  CHECK(false) << "tuple " << request.instruction.name() << " lacks a leaf";
  return ElementValue();
}

absl::StatusOr<ElementValue> GetTupleElementElement(
    ElementEmitter& emitter, const ElementRequest& request) {
  const Instruction& tuple = *request.instruction.operand(0);
  return emitter.Element(
      tuple,
      FirstLeafOf(tuple.shape(), request.instruction.index()) + request.leaf,
      request.index);
}

absl::StatusOr<ElementValue> FusionElement(ElementEmitter& emitter,
                                           const ElementRequest& request) {
  const hlo::Computation& computation = *request.instruction.calls();
  for (int64_t i = 0; i < computation.parameter_count(); ++i) {
    emitter.BindParameter(*computation.parameter(i),
                          *request.instruction.operand(i));
  }
  return emitter.Element(*computation.root(), request.leaf, request.index);
}

absl::StatusOr<ElementValue> ConstantElement(ElementEmitter& emitter,
                                             const ElementRequest& request) {
  const hlo::Literal& literal = request.instruction.value();
  if (literal.element_count() == 1) {
    return emitter.scalars().Constant(literal, 0, 1);
  }
  return Unimplemented("constant '", request.instruction.name(),
                       "' of more than one element inside a kernel");
}

absl::StatusOr<ElementValue> IotaElement(ElementEmitter& emitter,
                                         const ElementRequest& request) {
  const int64_t dimension = request.instruction.iota_dimension();
  const Coordinate& c = request.index[static_cast<size_t>(dimension)];
  llvm::Value* count = c.IsUniform() ? c.base : emitter.math().Lanes(c);
  return emitter.scalars().Convert({.real = count}, hlo::ElementType::kS64,
                                   request.instruction.shape().element_type());
}

absl::StatusOr<ElementValue> BroadcastElement(ElementEmitter& emitter,
                                              const ElementRequest& request) {
  ArrayIndex index;
  for (const int64_t dimension : request.instruction.dimensions()) {
    index.push_back(request.index[static_cast<size_t>(dimension)]);
  }
  return emitter.Element(*request.instruction.operand(0), 0, index);
}

absl::StatusOr<ElementValue> TransposeElement(ElementEmitter& emitter,
                                              const ElementRequest& request) {
  ArrayIndex index(request.index.size());
  const auto& dimensions = request.instruction.dimensions();
  for (size_t i = 0; i < index.size(); ++i) {
    index[static_cast<size_t>(dimensions[i])] = request.index[i];
  }
  return emitter.Element(*request.instruction.operand(0), 0, index);
}

absl::StatusOr<ElementValue> SliceElement(ElementEmitter& emitter,
                                          const ElementRequest& request) {
  IndexMath& math = emitter.math();
  ArrayIndex index;
  for (size_t d = 0; d < request.index.size(); ++d) {
    const hlo::SliceDimension& slice = request.instruction.slice()[d];
    index.push_back(
        math.Add(math.Multiply(request.index[d], slice.stride), slice.start));
  }
  return emitter.Element(*request.instruction.operand(0), 0, index);
}

absl::StatusOr<ElementValue> ReverseElement(ElementEmitter& emitter,
                                            const ElementRequest& request) {
  IndexMath& math = emitter.math();
  ArrayIndex index = request.index;
  for (const int64_t d : request.instruction.dimensions()) {
    Coordinate& c = index[static_cast<size_t>(d)];
    c = math.Add(math.Multiply(c, -1),
                 request.instruction.shape().dimension(d) - 1);
  }
  return emitter.Element(*request.instruction.operand(0), 0, index);
}

namespace {

// The row-major position of coordinates [first, last) of a shape.
Coordinate Linearize(IndexMath& math, const Shape& shape,
                     const ArrayIndex& index, int64_t first, int64_t last) {
  Coordinate linear = math.Constant(0);
  for (int64_t d = first; d < last; ++d) {
    if (shape.dimension(d) == 1) continue;
    linear = math.Add(math.Multiply(linear, shape.dimension(d)),
                      index[static_cast<size_t>(d)]);
  }
  return linear;
}

// Sets coordinates [first, last) of `index` from a row-major position.
void Delinearize(IndexMath& math, const Shape& shape, Coordinate linear,
                 int64_t first, int64_t last, ArrayIndex& index) {
  int64_t rest = 1;
  for (int64_t d = first; d < last; ++d) rest *= shape.dimension(d);
  for (int64_t d = last - 1; d >= first; --d) {
    const int64_t size = shape.dimension(d);
    Coordinate& c = index[static_cast<size_t>(d)];
    rest /= size;
    if (size == 1) {
      c = math.Constant(0);
    } else if (rest == 1) {
      c = linear;
      linear = math.Constant(0);
    } else {
      c = math.Remainder(linear, size);
      linear = math.Divide(linear, size);
    }
  }
}

}  // namespace

absl::StatusOr<ElementValue> ReshapeElement(ElementEmitter& emitter,
                                            const ElementRequest& request) {
  const Shape& to = request.instruction.shape();
  const Shape& from = request.instruction.operand_shape(0);
  if (to.element_type() != from.element_type()) {
    return Unimplemented("bitcast '", request.instruction.name(),
                         "' between element types");
  }
  ArrayIndex index(static_cast<size_t>(from.rank()));
  // Dimensions fall into groups with equal element counts on both sides.
  int64_t i = 0;
  int64_t o = 0;
  while (i < from.rank() || o < to.rank()) {
    const int64_t first_i = i;
    const int64_t first_o = o;
    int64_t in_count = i < from.rank() ? from.dimension(i++) : 1;
    int64_t out_count = o < to.rank() ? to.dimension(o++) : 1;
    while (in_count != out_count) {
      if (in_count < out_count) {
        in_count *= from.dimension(i++);
      } else {
        out_count *= to.dimension(o++);
      }
    }
    Delinearize(emitter.math(), from,
                Linearize(emitter.math(), to, request.index, first_o, o),
                first_i, i, index);
  }
  return emitter.Element(*request.instruction.operand(0), 0, index);
}

absl::StatusOr<ElementValue> PadElement(ElementEmitter& emitter,
                                        const ElementRequest& request) {
  IndexMath& math = emitter.math();
  const Instruction& operand = *request.instruction.operand(0);
  const bool is_scalar = emitter.lanes() == 1 || IsUniform(request.index);
  LaneCondition is_inside;
  ArrayIndex index;
  for (size_t d = 0; d < request.index.size(); ++d) {
    const hlo::PaddingDimension& padding = request.instruction.padding()[d];
    const int64_t size = operand.shape().dimension(static_cast<int64_t>(d));
    const int64_t step = padding.interior + 1;
    if (padding == hlo::PaddingDimension()) {
      index.push_back(request.index[d]);
      continue;
    }
    const Coordinate shifted = math.Add(request.index[d], -padding.low);
    is_inside.Add(math, math.IsInRange(shifted, 0, (size - 1) * step + 1));
    if (step > 1) {
      is_inside.Add(math, math.IsEqual(math.Remainder(shifted, step), 0));
    }
    index.push_back(math.Divide(shifted, step));
  }
  if (operand.shape().ElementCount() == 0) {
    return InOneForm(emitter, *request.instruction.operand(1), {}, is_scalar);
  }
  return EmitChoice(
      emitter, is_inside,
      [&] { return InOneForm(emitter, operand, index, is_scalar); },
      [&] {
        return InOneForm(emitter, *request.instruction.operand(1), {},
                         is_scalar);
      });
}

namespace {

// The pieces of a concatenation from operand `piece` on.
absl::StatusOr<ElementValue> ConcatenatePieces(ElementEmitter& emitter,
                                               const ElementRequest& request,
                                               int64_t piece, int64_t offset,
                                               bool is_scalar) {
  const Instruction& instruction = request.instruction;
  const auto dimension = static_cast<size_t>(instruction.dimensions()[0]);
  const Instruction& operand = *instruction.operand(piece);
  const int64_t size =
      operand.shape().dimension(static_cast<int64_t>(dimension));
  const auto this_piece = [&] {
    ArrayIndex index = request.index;
    index[dimension] = emitter.math().Add(index[dimension], -offset);
    return InOneForm(emitter, operand, index, is_scalar);
  };
  if (piece + 1 == instruction.operand_count()) return this_piece();
  const auto rest = [&] {
    return ConcatenatePieces(emitter, request, piece + 1, offset + size,
                             is_scalar);
  };
  if (size == 0) return rest();
  // Earlier pieces are excluded already; lanes need both bounds for the mask.
  LaneCondition is_here;
  is_here.Add(emitter.math(), emitter.math().IsInRange(request.index[dimension],
                                                       offset, offset + size));
  return EmitChoice(emitter, is_here, this_piece, [&] {
    llvm::Value* is_later =
        is_here.by_lane == nullptr
            ? nullptr
            : emitter.math().IsInRange(request.index[dimension], offset + size,
                                       instruction.shape().dimension(
                                           static_cast<int64_t>(dimension)));
    return emitter.InScope(is_later, rest);
  });
}

}  // namespace

absl::StatusOr<ElementValue> ConcatenateElement(ElementEmitter& emitter,
                                                const ElementRequest& request) {
  return ConcatenatePieces(emitter, request, 0, 0,
                           emitter.lanes() == 1 || IsUniform(request.index));
}

Coordinate ClampStart(ElementEmitter& emitter, const ElementValue& value,
                      hlo::ElementType type, int64_t high) {
  llvm::IRBuilderBase& builder = emitter.builder();
  llvm::Type* wide = builder.getInt64Ty();
  if (LaneCount(value) > 1) {
    wide = llvm::VectorType::get(
        wide, llvm::cast<llvm::VectorType>(value.real->getType()));
  }
  if (hlo::IsUnsignedInteger(type)) {
    llvm::Value* limit = llvm::ConstantInt::get(
        wide, static_cast<uint64_t>(std::max<int64_t>(high, 0)));
    return {.base = builder.CreateBinaryIntrinsic(
                llvm::Intrinsic::umin, builder.CreateZExt(value.real, wide),
                limit)};
  }
  return emitter.math().Clamp({.base = builder.CreateSExt(value.real, wide)},
                              high);
}

absl::StatusOr<Coordinate> EmitDynamicStart(ElementEmitter& emitter,
                                            const Instruction& instruction,
                                            int64_t first, int64_t d,
                                            int64_t high) {
  const Instruction& operand = *instruction.operand(
      instruction.operand(first)->shape().rank() == 0 ? first + d : first);
  ArrayIndex index;
  if (operand.shape().rank() == 1) index.push_back(emitter.math().Constant(d));
  ASSIGN_OR_RETURN(const ElementValue start,
                   emitter.Element(operand, 0, index));
  return ClampStart(emitter, start, operand.shape().element_type(), high);
}

absl::StatusOr<ElementValue> DynamicSliceElement(
    ElementEmitter& emitter, const ElementRequest& request) {
  const Instruction& operand = *request.instruction.operand(0);
  ArrayIndex index;
  for (int64_t d = 0; d < operand.shape().rank(); ++d) {
    const int64_t room =
        operand.shape().dimension(d) - request.instruction.shape().dimension(d);
    const Coordinate& c = request.index[static_cast<size_t>(d)];
    if (room == 0) {
      index.push_back(c);
      continue;
    }
    ASSIGN_OR_RETURN(
        const Coordinate start,
        EmitDynamicStart(emitter, request.instruction, 1, d, room));
    index.push_back(emitter.math().Add(start, c));
  }
  return emitter.Element(operand, 0, index);
}

absl::StatusOr<ElementValue> DynamicUpdateSliceElement(
    ElementEmitter& emitter, const ElementRequest& request) {
  IndexMath& math = emitter.math();
  const Instruction& operand = *request.instruction.operand(0);
  const Instruction& update = *request.instruction.operand(1);
  const bool is_scalar = emitter.lanes() == 1 || IsUniform(request.index);
  if (update.shape().ElementCount() == 0) {
    return InOneForm(emitter, operand, request.index, is_scalar);
  }
  LaneCondition is_updated;
  ArrayIndex index;
  for (int64_t d = 0; d < operand.shape().rank(); ++d) {
    const int64_t size = update.shape().dimension(d);
    const int64_t room = operand.shape().dimension(d) - size;
    const Coordinate& c = request.index[static_cast<size_t>(d)];
    if (room == 0) {
      index.push_back(c);
      continue;
    }
    ASSIGN_OR_RETURN(
        const Coordinate start,
        EmitDynamicStart(emitter, request.instruction, 2, d, room));
    index.push_back(math.Add(c, math.Multiply(start, -1)));
    is_updated.Add(math, math.IsInRange(index.back(), 0, size));
  }
  return EmitChoice(
      emitter, is_updated,
      [&] { return InOneForm(emitter, update, index, is_scalar); },
      [&] { return InOneForm(emitter, operand, request.index, is_scalar); });
}

namespace {

bool Contains(const hlo::DimensionVector& list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// The coordinates of a gather's result that number the slices.
ArrayIndex BatchCoordinates(const ElementRequest& request) {
  ArrayIndex batch;
  for (size_t d = 0; d < request.index.size(); ++d) {
    if (!Contains(request.instruction.offset_dims(), static_cast<int64_t>(d))) {
      batch.push_back(request.index[d]);
    }
  }
  return batch;
}

// Start index number `k` of the slice that `batch` numbers.
absl::StatusOr<Coordinate> GatherStart(ElementEmitter& emitter,
                                       const Instruction& gather,
                                       const ArrayIndex& batch, int64_t k,
                                       int64_t high) {
  const Instruction& indices = *gather.operand(1);
  ArrayIndex index = batch;
  if (gather.index_vector_dim() < indices.shape().rank()) {
    index.insert(index.begin() + gather.index_vector_dim(),
                 emitter.math().Constant(k));
  }
  ASSIGN_OR_RETURN(const ElementValue start,
                   emitter.Element(indices, 0, index));
  return ClampStart(emitter, start, indices.shape().element_type(), high);
}

// The batch coordinate that runs along dimension `d` of the start indices.
Coordinate BatchingCoordinate(const Instruction& gather,
                              const ArrayIndex& batch, int64_t d) {
  const int64_t vector_dim = gather.index_vector_dim();
  return batch[static_cast<size_t>(d < vector_dim ? d : d - 1)];
}

}  // namespace

absl::StatusOr<ElementValue> GatherElement(ElementEmitter& emitter,
                                           const ElementRequest& request) {
  const Instruction& gather = request.instruction;
  const Instruction& operand = *gather.operand(0);
  const ArrayIndex batch = BatchCoordinates(request);
  size_t next_offset = 0;
  ArrayIndex index;
  for (int64_t d = 0; d < operand.shape().rank(); ++d) {
    const auto& batching = gather.operand_batching_dims();
    const auto* const batching_place = std::ranges::find(batching, d);
    if (batching_place != batching.end()) {
      const int64_t indices_dim =
          gather.start_indices_batching_dims()[static_cast<size_t>(
              batching_place - batching.begin())];
      index.push_back(BatchingCoordinate(gather, batch, indices_dim));
      continue;
    }
    Coordinate c = emitter.math().Constant(0);
    if (!Contains(gather.collapsed_slice_dims(), d)) {
      c = request
              .index[static_cast<size_t>(gather.offset_dims()[next_offset++])];
    }
    const auto& map = gather.start_index_map();
    const auto* const place = std::ranges::find(map, d);
    if (place != map.end()) {
      const int64_t room = operand.shape().dimension(d) -
                           gather.slice_sizes()[static_cast<size_t>(d)];
      ASSIGN_OR_RETURN(
          const Coordinate start,
          GatherStart(emitter, gather, batch, place - map.begin(), room));
      c = emitter.math().Add(start, c);
    }
    index.push_back(c);
  }
  return emitter.Element(operand, 0, index);
}

}  // namespace hilo::backends
