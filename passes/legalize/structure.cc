// Expansions of asynchronous forms, annotations, shapes and bodies.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/legalize/legalize.h"
#include "passes/rewriter.h"
#include "passes/rules/dimensions.h"
#include "passes/rules/rule.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Zero bits in an array shape.
absl::StatusOr<Instruction*> MakeZeros(const Shape& shape, Rewriter& rewriter) {
  if (!shape.IsArray() || shape.IsDynamic()) {
    return Unimplemented("a value of shape ", ToString(shape, false));
  }
  return rewriter.Splat(
      rewriter.Constant(hlo::Literal(Shape::Scalar(shape.element_type()))),
      shape);
}

// Sizes in the order of memory, major first; the permutation that brings
// there.
DimensionVector MajorToMinor(const Shape& shape) {
  const DimensionVector& minor_to_major = shape.layout().minor_to_major;
  return {minor_to_major.rbegin(), minor_to_major.rend()};
}

constexpr auto kAnnotations = std::to_array<absl::string_view>({
    "HostExecute",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "Pin",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "ShardBarrierFrom",
    "ShardBarrierTo",
    "Sharding",
    "Unpin",
    "annotate_device_placement",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
});
constexpr auto kMarkers = std::to_array<absl::string_view>({
    "__xla_internal_call_marker_after",
    "__xla_internal_call_marker_before",
    "xla.debug.Log",
});

bool IsOneOf(absl::string_view word,
             absl::Span<const absl::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

absl::StatusOr<Instruction*> ExpandAnnotation(Instruction& call,
                                              Rewriter& rewriter) {
  const auto& called = call.called_computation_list();
  if (called.size() == 1) {
    return CopyBody(*called[0], call.operands(), &rewriter.computation());
  }
  if (call.operand_count() > 0 &&
      Compatible(call.operand_shape(0), call.shape())) {
    return call.operand(0);
  }
  return Unimplemented("\"", call.custom_call_target(),
                       "\" changes the shape, but one device runs");
}

absl::StatusOr<Instruction*> ExpandMarker(Instruction& call,
                                          Rewriter& rewriter) {
  for (Instruction* operand : call.operands()) {
    if (Compatible(operand->shape(), call.shape())) return operand;
  }
  if (call.shape().IsTuple() &&
      call.shape().element_count() == call.operand_count()) {
    return rewriter.Tuple(call.operands());
  }
  if (call.shape().IsToken()) return rewriter.Add(Opcode::kAfterAll, {});
  return MakeZeros(call.shape(), rewriter);
}

absl::StatusOr<Instruction*> ExpandPadToStatic(Instruction& call,
                                               Rewriter& rewriter) {
  std::vector<Instruction*> elements = {call.operand(0)};
  for (const int64_t size : call.operand_shape(0).dimensions()) {
    elements.push_back(
        rewriter.Scalar(ElementType::kS32, static_cast<double>(size)));
  }
  return rewriter.Tuple(elements);
}

// The half of 64-bit integers from bit `first` on.
Instruction* HalfOf(Instruction& call, uint64_t first, Rewriter& rewriter) {
  Instruction* value = rewriter.Convert(call.operand(0), ElementType::kU64);
  if (first > 0) {
    value = rewriter.Binary(
        Opcode::kShiftRightLogical, value,
        rewriter.Splat(rewriter.IntegerScalar(ElementType::kU64, first),
                       value->shape()));
  }
  return rewriter.Convert(value, call.shape().element_type());
}

Instruction* CombineHalves(Instruction& call, Rewriter& rewriter) {
  Instruction* low = rewriter.Convert(call.operand(0), ElementType::kU64);
  Instruction* high = rewriter.Convert(call.operand(1), ElementType::kU64);
  Instruction* shift = rewriter.Splat(
      rewriter.IntegerScalar(ElementType::kU64, 32), high->shape());
  Instruction* whole = rewriter.Binary(
      Opcode::kOr, low, rewriter.Binary(Opcode::kShiftLeft, high, shift));
  return rewriter.Convert(whole, call.shape().element_type());
}

}  // namespace

absl::StatusOr<Instruction*> ExpandAsyncStart(Instruction& instruction,
                                              Rewriter& rewriter) {
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple() || shape.element_count() < 2 ||
      shape.element(0).element_count() != instruction.operand_count()) {
    return Unimplemented("the result is not ((operands), result, ...)");
  }
  std::vector<Instruction*> elements = {
      rewriter.Tuple(instruction.operands()),
      CopyBody(*instruction.calls(), instruction.operands(),
               &rewriter.computation())};
  for (int64_t i = 2; i < shape.element_count(); ++i) {
    ASSIGN_OR_RETURN(Instruction * context,
                     MakeZeros(shape.element(i), rewriter));
    elements.push_back(context);
  }
  return rewriter.Tuple(elements);
}

absl::StatusOr<Instruction*> ExpandAsyncUpdate(Instruction& instruction,
                                               Rewriter& /*rewriter*/) {
  if (instruction.operand_count() != 1) {
    return Unimplemented("operands that async-update adds");
  }
  return instruction.operand(0);
}

absl::StatusOr<Instruction*> ExpandAsyncDone(Instruction& instruction,
                                             Rewriter& rewriter) {
  const Shape& shape = instruction.operand_shape(0);
  if (!shape.IsTuple() || shape.element_count() < 2) {
    return Unimplemented("the operand is no asynchronous value");
  }
  return rewriter.GetTupleElement(instruction.operand(0), 1);
}

absl::StatusOr<Instruction*> ExpandCopyStart(Instruction& instruction,
                                             Rewriter& rewriter) {
  Instruction* value = instruction.operand(0);
  return rewriter.Tuple({value, value, rewriter.Scalar(ElementType::kU32, 0)});
}

absl::StatusOr<Instruction*> ExpandCopyDone(Instruction& instruction,
                                            Rewriter& rewriter) {
  return rewriter.GetTupleElement(instruction.operand(0), 0);
}

absl::StatusOr<Instruction*> ExpandDomain(Instruction& instruction,
                                          Rewriter& /*rewriter*/) {
  return instruction.operand(0);
}

absl::StatusOr<Instruction*> ExpandDeviceId(Instruction& /*instruction*/,
                                            Rewriter& rewriter) {
  return rewriter.Scalar(ElementType::kU32, 0);
}

// Memory is read row by row: bring the operand into that order, change type
// and sizes, and bring the result out of it.
absl::StatusOr<Instruction*> ExpandBitcast(Instruction& instruction,
                                           Rewriter& rewriter) {
  const Shape& from = instruction.operand_shape(0);
  const Shape& to = instruction.shape();
  if (!from.IsArray() || !to.IsArray() || from.IsDynamic() || to.IsDynamic()) {
    return Compatible(from, to)
               ? absl::StatusOr<Instruction*>(instruction.operand(0))
               : Unimplemented("from ", ToString(from, false), " to ",
                               ToString(to, false));
  }
  const bool same_type = from.element_type() == to.element_type();
  if (!same_type && !HaveSameWidth(from.element_type(), to.element_type())) {
    return Unimplemented("from elements of ", ToString(from, false), " to ",
                         ToString(to, false));
  }
  Instruction* value =
      rewriter.Transpose(instruction.operand(0), MajorToMinor(from));
  if (!same_type) value = SameBits(value, to.element_type(), rewriter);
  const DimensionVector order = MajorToMinor(to);
  DimensionVector sizes;
  for (const int64_t d : order) sizes.push_back(to.dimension(d));
  value = rewriter.Reshape(value, sizes);
  return rewriter.Transpose(value, InversePermutation(order));
}

absl::StatusOr<Instruction*> ExpandGetDimensionSize(Instruction& instruction,
                                                    Rewriter& rewriter) {
  const int64_t dimension = instruction.dimensions()[0];
  const Shape& shape = instruction.operand_shape(0);
  if (shape.IsDynamicDimension(dimension)) {
    return Unimplemented("dimension ", dimension, " of ",
                         ToString(shape, false), " has a run-time size");
  }
  return rewriter.Scalar(ElementType::kS32,
                         static_cast<double>(shape.dimension(dimension)));
}

absl::StatusOr<Instruction*> ExpandSetDimensionSize(Instruction& instruction,
                                                    Rewriter& /*rewriter*/) {
  const int64_t dimension = instruction.dimensions()[0];
  const Shape& shape = instruction.operand_shape(0);
  const std::optional<int64_t> size = IntegerConstant(instruction.operand(1));
  if (size == shape.dimension(dimension) && !shape.IsDynamic()) {
    return instruction.operand(0);
  }
  return Unimplemented("values of run-time size are not supported");
}

absl::StatusOr<Instruction*> ExpandDynamicReshape(Instruction& instruction,
                                                  Rewriter& rewriter) {
  const Shape& shape = instruction.shape();
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const std::optional<int64_t> size =
        IntegerConstant(instruction.operand(i + 1));
    if (size == shape.dimension(i)) continue;
    return Unimplemented("values of run-time size are not supported");
  }
  return rewriter.Reshape(instruction.operand(0), shape.dimensions());
}

bool IsElementwiseBody(const hlo::Computation& body) {
  return std::ranges::all_of(body.instructions(), [](const auto& instruction) {
    return instruction->opcode() == Opcode::kParameter ||
           instruction->opcode() == Opcode::kConstant ||
           (IsElementwise(instruction->opcode()) &&
            !instruction->has_control_predecessors());
  });
}

absl::StatusOr<Instruction*> ExpandMap(Instruction& instruction,
                                       Rewriter& rewriter) {
  const hlo::Computation& body = *instruction.to_apply();
  const Shape& shape = instruction.shape();
  if (!IsElementwiseBody(body) || shape.IsDynamic()) return nullptr;
  std::vector<Instruction*> arrays(body.instruction_count(), nullptr);
  for (const Instruction* scalar : body.PostOrder()) {
    Instruction*& array = arrays[scalar->id()];
    if (scalar->opcode() == Opcode::kParameter) {
      array = instruction.operand(scalar->parameter_number());
      if (array->shape().rank() == 0) array = rewriter.Splat(array, shape);
    } else if (scalar->opcode() == Opcode::kConstant) {
      array = rewriter.Splat(rewriter.Constant(scalar->value()), shape);
    } else {
      std::vector<Instruction*> operands;
      for (const Instruction* operand : scalar->operands()) {
        operands.push_back(arrays[operand->id()]);
      }
      array = rewriter.Like(
          *scalar,
          Shape::Array(scalar->shape().element_type(), shape.dimensions()),
          operands);
    }
  }
  return arrays[body.root()->id()];
}

// The magnitude goes up when the random number is below the fraction's share
// of all random numbers. Doubles hold all of this exactly.
absl::StatusOr<Instruction*> ExpandStochasticConvert(Instruction& instruction,
                                                     Rewriter& rewriter) {
  const ElementType f64 = ElementType::kF64;
  Instruction* x = rewriter.Convert(instruction.operand(0), f64);
  Instruction* random =
      rewriter.Convert(instruction.operand(1), ElementType::kU64);
  const int bits =
      hlo::InfoOf(instruction.operand_shape(1).element_type()).bits;
  const auto splat = [&](double value) {
    return rewriter.Splat(rewriter.Scalar(f64, value), x->shape());
  };
  Instruction* magnitude = rewriter.Unary(Opcode::kAbs, x);
  Instruction* whole = rewriter.Unary(Opcode::kFloor, magnitude);
  Instruction* fraction = rewriter.Binary(Opcode::kSubtract, magnitude, whole);
  double scale = 1;
  for (int i = 0; i < bits; ++i) scale *= 2;
  Instruction* share = rewriter.Convert(
      rewriter.Unary(Opcode::kCeil, rewriter.Binary(Opcode::kMultiply, fraction,
                                                    splat(scale))),
      ElementType::kU64);
  Instruction* goes_up =
      rewriter.Compare(hlo::ComparisonDirection::kLt, random, share);
  Instruction* rounded = rewriter.Select(
      goes_up, rewriter.Binary(Opcode::kAdd, whole, splat(1)), whole);
  Instruction* is_negative =
      rewriter.Compare(hlo::ComparisonDirection::kLt, x, splat(0));
  Instruction* result = rewriter.Select(
      is_negative, rewriter.Unary(Opcode::kNegate, rounded), rounded);
  return rewriter.Convert(result, instruction.shape().element_type());
}

absl::StatusOr<Instruction*> ExpandStructuralCall(Instruction& instruction,
                                                  Rewriter& rewriter) {
  const std::string& target = instruction.custom_call_target();
  if (IsOneOf(target, kAnnotations)) {
    return ExpandAnnotation(instruction, rewriter);
  }
  if (IsOneOf(target, kMarkers)) return ExpandMarker(instruction, rewriter);
  if (target == "AllocateBuffer" || target == "CreateBuffer" ||
      target == "GetRngSeed") {
    return MakeZeros(instruction.shape(), rewriter);
  }
  if (target == "PadToStatic" && instruction.operand_count() == 1) {
    return ExpandPadToStatic(instruction, rewriter);
  }
  if (target == "X64SplitLow") return HalfOf(instruction, 0, rewriter);
  if (target == "X64SplitHigh") return HalfOf(instruction, 32, rewriter);
  if (target == "X64Combine" && instruction.operand_count() == 2) {
    return CombineHalves(instruction, rewriter);
  }
  return nullptr;
}

namespace {

// The parts of a scan and of the loop that takes its place. The loop's state
// is (turn, inputs..., carries..., outputs...).
struct ScanParts {
  int64_t dimension = 0;
  int64_t length = 0;
  int64_t input_count = 0;
  int64_t carry_count = 0;
  std::vector<Shape> outputs;
};

ScanParts PartsOf(const Instruction& scan) {
  ScanParts parts;
  parts.dimension = scan.dimensions()[0];
  parts.carry_count = scan.num_carries();
  parts.input_count = scan.operand_count() - parts.carry_count;
  std::vector<Shape> results = scan.shape().IsTuple()
                                   ? scan.shape().elements()
                                   : std::vector<Shape>{scan.shape()};
  results.resize(results.size() - parts.carry_count);
  parts.outputs = std::move(results);
  const Shape* stacked = nullptr;
  if (!parts.outputs.empty()) stacked = parts.outputs.data();
  if (parts.input_count > 0) stacked = &scan.operand_shape(0);
  if (stacked != nullptr) parts.length = stacked->dimension(parts.dimension);
  return parts;
}

hlo::Computation* MakeScanCondition(const ScanParts& parts, const Shape& state,
                                    hlo::Module& module) {
  hlo::Computation* computation = module.AddComputation("scan_condition");
  Instruction* parameter = computation->AddParameter(0, state);
  parameter->set_name("state");
  Rewriter rewriter(computation);
  computation->set_root(rewriter.Compare(
      hlo::ComparisonDirection::kLt, rewriter.GetTupleElement(parameter, 0),
      rewriter.Scalar(ElementType::kS32, static_cast<double>(parts.length))));
  return computation;
}

// The start indices of slice `index`.
std::vector<Instruction*> StartsOf(const Shape& shape, int64_t dimension,
                                   Instruction* index, Rewriter& rewriter) {
  std::vector<Instruction*> starts;
  starts.reserve(shape.rank());
  for (int64_t i = 0; i < shape.rank(); ++i) {
    starts.push_back(i == dimension ? index
                                    : rewriter.Scalar(ElementType::kS32, 0));
  }
  return starts;
}

Instruction* ReadSlice(Instruction* stacked, int64_t dimension,
                       Instruction* index, Rewriter& rewriter) {
  Shape shape = WithoutLayout(stacked->shape());
  shape.set_dimension(dimension, 1);
  std::vector<Instruction*> operands =
      StartsOf(shape, dimension, index, rewriter);
  operands.insert(operands.begin(), stacked);
  const DimensionVector sizes(shape.dimensions().begin(),
                              shape.dimensions().end());
  Instruction* slice = rewriter.Add(Opcode::kDynamicSlice, shape, operands,
                                    {With::dynamic_slice_sizes(sizes)});
  return rewriter.Reshape(slice, SizesWithout(shape, {dimension}));
}

Instruction* WriteSlice(Instruction* stacked, Instruction* value,
                        int64_t dimension, Instruction* index,
                        Rewriter& rewriter) {
  Shape shape = WithoutLayout(stacked->shape());
  std::vector<Instruction*> operands =
      StartsOf(shape, dimension, index, rewriter);
  Shape slice = shape;
  slice.set_dimension(dimension, 1);
  operands.insert(operands.begin(),
                  {stacked, rewriter.Reshape(value, slice.dimensions())});
  return rewriter.Add(Opcode::kDynamicUpdateSlice, shape, operands);
}

hlo::Computation* MakeScanBody(const Instruction& scan, const ScanParts& parts,
                               const Shape& state, hlo::Module& module) {
  hlo::Computation* computation = module.AddComputation("scan_body");
  Instruction* parameter = computation->AddParameter(0, state);
  parameter->set_name("state");
  Rewriter rewriter(computation);
  int64_t next = 0;
  const auto element = [&] {
    return rewriter.GetTupleElement(parameter, next++);
  };
  Instruction* turn = element();
  Instruction* index = turn;
  if (scan.is_reverse()) {
    index =
        rewriter.Binary(Opcode::kSubtract,
                        rewriter.Scalar(ElementType::kS32,
                                        static_cast<double>(parts.length - 1)),
                        turn);
  }
  std::vector<Instruction*> arguments;
  std::vector<Instruction*> results = {rewriter.Binary(
      Opcode::kAdd, turn, rewriter.Scalar(ElementType::kS32, 1))};
  for (int64_t i = 0; i < parts.input_count; ++i) {
    Instruction* input = element();
    results.push_back(input);
    arguments.push_back(ReadSlice(input, parts.dimension, index, rewriter));
  }
  for (int64_t i = 0; i < parts.carry_count; ++i) {
    arguments.push_back(element());
  }
  Instruction* value = CopyBody(*scan.to_apply(), arguments, computation);
  const auto value_element = [&](int64_t i) {
    return value->shape().IsTuple() ? rewriter.GetTupleElement(value, i)
                                    : value;
  };
  const auto output_count = static_cast<int64_t>(parts.outputs.size());
  for (int64_t i = 0; i < parts.carry_count; ++i) {
    results.push_back(value_element(output_count + i));
  }
  for (int64_t i = 0; i < output_count; ++i) {
    results.push_back(WriteSlice(element(), value_element(i), parts.dimension,
                                 index, rewriter));
  }
  computation->set_root(rewriter.Tuple(results));
  return computation;
}

}  // namespace

absl::StatusOr<Instruction*> ExpandScan(Instruction& instruction,
                                        Rewriter& rewriter) {
  const ScanParts parts = PartsOf(instruction);
  std::vector<Instruction*> initial = {rewriter.Scalar(ElementType::kS32, 0)};
  for (Instruction* operand : instruction.operands()) {
    initial.push_back(operand);
  }
  for (const Shape& output : parts.outputs) {
    ASSIGN_OR_RETURN(Instruction * zeros, MakeZeros(output, rewriter));
    initial.push_back(zeros);
  }
  Instruction* state = rewriter.Tuple(initial);
  // Without slices there is nothing to read, and no turn to take.
  if (parts.length > 0) {
    const Shape shape = state->shape();
    hlo::Computation* body =
        MakeScanBody(instruction, parts, shape, rewriter.module());
    state = rewriter.Add(
        Opcode::kWhile, shape, {state},
        {With::condition(MakeScanCondition(parts, shape, rewriter.module())),
         With::body(body)});
  }
  const int64_t first_carry = 1 + parts.input_count;
  std::vector<Instruction*> results;
  results.reserve(parts.outputs.size());
  for (size_t i = 0; i < parts.outputs.size(); ++i) {
    results.push_back(rewriter.GetTupleElement(
        state, first_carry + parts.carry_count + static_cast<int64_t>(i)));
  }
  for (int64_t i = 0; i < parts.carry_count; ++i) {
    results.push_back(rewriter.GetTupleElement(state, first_carry + i));
  }
  return instruction.shape().IsTuple() ? rewriter.Tuple(results) : results[0];
}

}  // namespace hilo::passes
