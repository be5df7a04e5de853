// Creates instructions in place of others and copies computations.
#include "passes/rewriter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/check.h"
#include "runtime/base/convert_element.h"

namespace hilo::passes {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

template <typename Number>
hlo::Literal NumberLiteral(hlo::ElementType type, Number value) {
  hlo::Literal literal(Shape::Scalar(type));
  hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    literal.mutable_data<T>()[0] = ConvertElement<T>(value);
  });
  return literal;
}

}  // namespace

Instruction* Rewriter::Finish(Instruction* instruction) {
  if (instruction->name().empty()) {
    instruction->set_name(std::string(hlo::TextOf(instruction->opcode())));
  }
  if (origin_ != nullptr && origin_->has_metadata()) {
    instruction->set_metadata(origin_->metadata());
  }
  return instruction;
}

Instruction* Rewriter::Add(Opcode opcode, Shape shape, Operands operands,
                           std::vector<hlo::Attribute> attributes) {
  Instruction* instruction = computation_->Add(opcode, std::move(shape));
  for (Instruction* operand : operands) instruction->AppendOperand(operand);
  for (hlo::Attribute& attribute : attributes) {
    instruction->SetAttribute(attribute.id, std::move(attribute.value));
  }
  return Finish(instruction);
}

Instruction* Rewriter::Add(Opcode opcode, Operands operands,
                           std::vector<hlo::Attribute> attributes) {
  Instruction* instruction =
      Add(opcode, Shape(), operands, std::move(attributes));
  absl::StatusOr<Shape> shape = hlo::InferImpliedShape(*instruction);
  CHECK(shape.ok()) << hlo::TextOf(opcode)
                    << " made by a pass: " << shape.status().message();
  instruction->set_shape(*std::move(shape));
  return instruction;
}

Instruction* Rewriter::Like(const Instruction& instruction, Shape shape,
                            Operands operands) {
  Instruction* copy = computation_->Add(instruction.opcode(), std::move(shape));
  for (Instruction* operand : operands) copy->AppendOperand(operand);
  for (const hlo::Attribute& attribute : instruction.attributes()) {
    if (attribute.id == hlo::AttributeId::kControlPredecessors) continue;
    copy->SetAttribute(attribute.id, attribute.value);
  }
  return Finish(copy);
}

Instruction* Rewriter::Unary(Opcode opcode, Instruction* operand) {
  return Add(opcode, {operand});
}

Instruction* Rewriter::Binary(Opcode opcode, Instruction* lhs,
                              Instruction* rhs) {
  return Add(opcode, {lhs, rhs});
}

Instruction* Rewriter::Compare(hlo::ComparisonDirection direction,
                               Instruction* lhs, Instruction* rhs) {
  return Add(Opcode::kCompare, {lhs, rhs}, {With::direction(direction)});
}

Instruction* Rewriter::Select(Instruction* predicate, Instruction* on_true,
                              Instruction* on_false) {
  return Add(Opcode::kSelect, {predicate, on_true, on_false});
}

Instruction* Rewriter::Convert(Instruction* operand, hlo::ElementType type) {
  if (operand->shape().element_type() == type) return operand;
  return Add(Opcode::kConvert,
             WithElementType(WithoutLayout(operand->shape()), type), {operand});
}

Instruction* Rewriter::BitcastConvert(Instruction* operand,
                                      hlo::ElementType type) {
  if (operand->shape().element_type() == type) return operand;
  Instruction* instruction =
      Add(Opcode::kBitcastConvert, Shape::Scalar(type), {operand});
  absl::StatusOr<Shape> shape = hlo::InferImpliedShape(*instruction);
  CHECK(shape.ok()) << shape.status().message();
  instruction->set_shape(*std::move(shape));
  return instruction;
}

Instruction* Rewriter::Constant(hlo::Literal value) {
  Shape shape = value.shape();
  return Add(Opcode::kConstant, std::move(shape), {},
             {With::value(std::move(value))});
}

Instruction* Rewriter::Scalar(hlo::ElementType type, double value) {
  return Constant(ScalarLiteral(type, value));
}

Instruction* Rewriter::IntegerScalar(hlo::ElementType type, uint64_t value) {
  return Constant(IntegerLiteral(type, value));
}

Instruction* Rewriter::Splat(Instruction* scalar, const Shape& shape) {
  if (shape.rank() == 0) return scalar;
  return Broadcast(scalar, shape.dimensions(), {});
}

Instruction* Rewriter::Iota(const Shape& shape, int64_t dimension) {
  return Add(Opcode::kIota, WithoutLayout(shape), {},
             {With::iota_dimension(dimension)});
}

Instruction* Rewriter::Broadcast(Instruction* operand,
                                 absl::Span<const int64_t> sizes,
                                 absl::Span<const int64_t> dimensions) {
  return Add(Opcode::kBroadcast,
             Shape::Array(operand->shape().element_type(), sizes), {operand},
             {With::dimensions(
                 hlo::DimensionVector(dimensions.begin(), dimensions.end()))});
}

Instruction* Rewriter::Reshape(Instruction* operand,
                               absl::Span<const int64_t> sizes) {
  if (operand->shape().dimensions() == sizes) return operand;
  return Add(Opcode::kReshape,
             Shape::Array(operand->shape().element_type(), sizes), {operand});
}

Instruction* Rewriter::Transpose(Instruction* operand,
                                 absl::Span<const int64_t> permutation) {
  bool is_identity = true;
  hlo::DimensionVector sizes;
  for (size_t i = 0; i < permutation.size(); ++i) {
    sizes.push_back(operand->shape().dimension(permutation[i]));
    if (std::cmp_not_equal(permutation[i], i)) is_identity = false;
  }
  if (is_identity) return operand;
  return Add(Opcode::kTranspose,
             Shape::Array(operand->shape().element_type(), sizes), {operand},
             {With::dimensions(hlo::DimensionVector(permutation.begin(),
                                                    permutation.end()))});
}

Instruction* Rewriter::Slice(Instruction* operand, hlo::SliceDimensions slice) {
  hlo::DimensionVector sizes;
  for (const hlo::SliceDimension& d : slice) {
    sizes.push_back((d.limit - d.start + d.stride - 1) / d.stride);
  }
  return Add(Opcode::kSlice,
             Shape::Array(operand->shape().element_type(), sizes), {operand},
             {With::slice(std::move(slice))});
}

Instruction* Rewriter::Concatenate(Operands operands, int64_t dimension) {
  if (operands.size() == 1) return operands[0];
  return Add(Opcode::kConcatenate, operands, {With::dimensions({dimension})});
}

Instruction* Rewriter::Pad(Instruction* operand, Instruction* value,
                           hlo::PaddingConfig padding) {
  return Add(Opcode::kPad, {operand, value},
             {With::padding(std::move(padding))});
}

Instruction* Rewriter::Reduce(Instruction* operand, Instruction* init,
                              absl::Span<const int64_t> dimensions,
                              hlo::Computation* reducer) {
  return Add(Opcode::kReduce, {operand, init},
             {With::dimensions(
                  hlo::DimensionVector(dimensions.begin(), dimensions.end())),
              With::to_apply(reducer)});
}

Instruction* Rewriter::Tuple(Operands elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Instruction* element : elements) {
    shapes.push_back(element->shape());
  }
  return Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements);
}

Instruction* Rewriter::GetTupleElement(Instruction* tuple, int64_t index) {
  if (tuple->opcode() == Opcode::kTuple) return tuple->operand(index);
  return Add(Opcode::kGetTupleElement, tuple->shape().element(index), {tuple},
             {With::index(index)});
}

hlo::Computation* MakeScalarComputation(hlo::Module& module, Opcode opcode,
                                        hlo::ElementType type) {
  hlo::Computation* computation =
      module.AddComputation(std::string(hlo::TextOf(opcode)) + "_scalars");
  Instruction* lhs = computation->AddParameter(0, Shape::Scalar(type));
  Instruction* rhs = computation->AddParameter(1, Shape::Scalar(type));
  lhs->set_name("lhs");
  rhs->set_name("rhs");
  computation->set_root(Rewriter(computation).Binary(opcode, lhs, rhs));
  return computation;
}

namespace {

// A copy of `instruction` on the copies of its operands.
Instruction* CopyOne(const Instruction& instruction,
                     const InstructionCopies& copies, hlo::Computation* into) {
  Instruction* copy = into->Add(instruction.opcode(), instruction.shape());
  copy->set_name(instruction.name());
  if (into->parent() == instruction.parent()->parent()) {
    copy->set_source_offset(instruction.source_offset());
  }
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    copy->AppendOperand(copies.at(instruction.operand(i)->id()));
  }
  for (const hlo::Attribute& attribute : instruction.attributes()) {
    copy->SetAttribute(attribute.id, attribute.value);
  }
  if (!instruction.has_control_predecessors()) return copy;
  std::vector<Instruction*> predecessors;
  for (const Instruction* predecessor : instruction.control_predecessors()) {
    const auto copied = copies.find(predecessor->id());
    if (copied != copies.end()) predecessors.push_back(copied->second);
  }
  copy->set_control_predecessors(std::move(predecessors));
  return copy;
}

}  // namespace

Instruction* CopyInto(const Instruction& root, InstructionCopies& copies,
                      hlo::Computation* into) {
  std::vector<const Instruction*> stack = {&root};
  while (!stack.empty()) {
    const Instruction* top = stack.back();
    if (copies.contains(top->id())) {
      stack.pop_back();
      continue;
    }
    const size_t before = stack.size();
    for (int64_t i = top->operand_count() - 1; i >= 0; --i) {
      if (!copies.contains(top->operand(i)->id())) {
        stack.push_back(top->operand(i));
      }
    }
    for (const Instruction* predecessor : top->control_predecessors()) {
      if (!copies.contains(predecessor->id())) stack.push_back(predecessor);
    }
    if (stack.size() > before) continue;
    CHECK(top->opcode() != Opcode::kParameter)
        << "parameter " << top->name() << " has no argument";
    Instruction* copy = CopyOne(*top, copies, into);
    copies[top->id()] = copy;
    stack.pop_back();
  }
  return copies[root.id()];
}

Instruction* CopyBody(const hlo::Computation& from,
                      absl::Span<Instruction* const> arguments,
                      hlo::Computation* into) {
  InstructionCopies copies;
  copies.reserve(static_cast<size_t>(from.instruction_count()));
  for (const Instruction* instruction : from.PostOrder()) {
    if (instruction->opcode() == Opcode::kParameter) {
      Instruction* argument = arguments[instruction->parameter_number()];
      Instruction* fitting = WithShape(argument, instruction->shape());
      copies[instruction->id()] = fitting == nullptr ? argument : fitting;
    } else {
      Instruction* copy = CopyOne(*instruction, copies, into);
      copies[instruction->id()] = copy;
    }
  }
  return copies[from.root()->id()];
}

Instruction* WithShape(Instruction* value, const Shape& shape) {
  if (Compatible(value->shape(), shape)) return value;
  if (CompatibleIgnoringFloatPrecision(value->shape(), shape)) {
    if (value->shape().IsArray()) {
      return Rewriter(*value).Convert(value, shape.element_type());
    }
    if (!shape.IsTuple()) return nullptr;
    std::vector<Instruction*> elements;
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      elements.push_back(WithShape(Rewriter(*value).GetTupleElement(value, i),
                                   shape.element(i)));
      if (elements.back() == nullptr) return nullptr;
    }
    return Rewriter(*value).Tuple(elements);
  }
  return nullptr;
}

hlo::DimensionVector SizesWithout(const Shape& shape,
                                  absl::Span<const int64_t> dimensions) {
  hlo::DimensionVector sizes;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (std::ranges::find(dimensions, i) == dimensions.end()) {
      sizes.push_back(shape.dimension(i));
    }
  }
  return sizes;
}

hlo::Literal ScalarLiteral(hlo::ElementType type, double value) {
  return NumberLiteral(type, value);
}

hlo::Literal IntegerLiteral(hlo::ElementType type, uint64_t value) {
  return NumberLiteral(type, value);
}

}  // namespace hilo::passes
