// Rules about slices, concatenations and paddings.
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/rewriter.h"
#include "passes/rules/dimensions.h"
#include "passes/rules/rule.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::SliceDimensions;

Instruction* WholeSlice(Instruction& instruction, Rewriter& /*rewriter*/) {
  return IsWholeSlice(instruction.slice(), instruction.operand_shape(0))
             ? instruction.operand(0)
             : nullptr;
}

Instruction* SliceTwice(Instruction& instruction, Rewriter& rewriter) {
  Instruction* inner = instruction.operand(0);
  if (inner->opcode() != Opcode::kSlice) return nullptr;
  SliceDimensions slice = inner->slice();
  for (size_t i = 0; i < slice.size(); ++i) {
    const hlo::SliceDimension& outer = instruction.slice()[i];
    const int64_t start = slice[i].start;
    const int64_t stride = slice[i].stride;
    const int64_t size = instruction.shape().dimension(static_cast<int64_t>(i));
    slice[i].start = start + outer.start * stride;
    slice[i].stride = stride * outer.stride;
    slice[i].limit = size == 0
                         ? slice[i].start
                         : slice[i].start + (size - 1) * slice[i].stride + 1;
  }
  return rewriter.Slice(inner->operand(0), std::move(slice));
}

Instruction* SliceOfBroadcast(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* broadcast = instruction.operand(0);
  if (broadcast->opcode() != Opcode::kBroadcast) return nullptr;
  Instruction* operand = broadcast->operand(0);
  SliceDimensions inner;
  for (const int64_t d : broadcast->dimensions()) {
    inner.push_back(instruction.slice()[d]);
  }
  if (!IsWholeSlice(inner, operand->shape())) {
    operand = rewriter.Slice(operand, std::move(inner));
  }
  return rewriter.Broadcast(operand, instruction.shape().dimensions(),
                            broadcast->dimensions());
}

// A slice of dimensions along which an iota does not count.
Instruction* SliceOfIota(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* iota = instruction.operand(0);
  if (iota->opcode() != Opcode::kIota) return nullptr;
  const hlo::SliceDimension& d = instruction.slice()[iota->iota_dimension()];
  if (d.start != 0 || d.stride != 1) return nullptr;
  return rewriter.Iota(instruction.shape(), iota->iota_dimension());
}

// A slice that lies within one operand of a concatenation, or in a few.
Instruction* SliceOfConcatenate(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* concatenate = instruction.operand(0);
  if (concatenate->opcode() != Opcode::kConcatenate) return nullptr;
  const int64_t dimension = concatenate->dimensions()[0];
  const hlo::SliceDimension& wanted = instruction.slice()[dimension];
  if (wanted.limit <= wanted.start) return nullptr;
  int64_t begin = 0;
  int64_t offset = 0;
  std::vector<Instruction*> parts;
  for (int64_t i = 0; i < concatenate->operand_count(); ++i) {
    Instruction* operand = concatenate->operand(i);
    const int64_t end = begin + operand->shape().dimension(dimension);
    if (begin < wanted.limit && wanted.start < end) {
      if (parts.empty()) offset = begin;
      parts.push_back(operand);
    }
    begin = end;
  }
  if (static_cast<int64_t>(parts.size()) == concatenate->operand_count()) {
    return nullptr;
  }
  // Several parts are worth it only when nobody needs the whole.
  if (parts.size() > 1 && concatenate->uses().size() > 1) return nullptr;
  SliceDimensions slice = instruction.slice();
  slice[dimension].start -= offset;
  slice[dimension].limit -= offset;
  Instruction* joined = rewriter.Concatenate(parts, dimension);
  if (IsWholeSlice(slice, joined->shape())) return joined;
  return rewriter.Slice(joined, std::move(slice));
}

// A slice of only the padding, or of only what is padded.
Instruction* SliceOfPad(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* pad = instruction.operand(0);
  if (pad->opcode() != Opcode::kPad) return nullptr;
  Instruction* operand = pad->operand(0);
  SliceDimensions slice = instruction.slice();
  bool is_inside = true;
  for (int64_t i = 0; i < operand->shape().rank(); ++i) {
    const hlo::PaddingDimension& p = pad->padding()[i];
    const int64_t size = operand->shape().dimension(i);
    hlo::SliceDimension& s = slice[i];
    if (p.interior != 0 || s.limit <= s.start) return nullptr;
    s.start -= p.low;
    s.limit -= p.low;
    if (s.limit <= 0 || s.start >= size) {
      return rewriter.Splat(pad->operand(1), instruction.shape());
    }
    if (s.start < 0 || s.limit > size) is_inside = false;
  }
  if (!is_inside) return nullptr;
  if (IsWholeSlice(slice, operand->shape())) return operand;
  return rewriter.Slice(operand, std::move(slice));
}

// A slice along dimensions that a transpose moves.
Instruction* SliceOfReverse(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* reverse = instruction.operand(0);
  if (reverse->opcode() != Opcode::kReverse || reverse->uses().size() != 1) {
    return nullptr;
  }
  SliceDimensions slice = instruction.slice();
  for (const int64_t d : reverse->dimensions()) {
    const int64_t size = reverse->shape().dimension(d);
    const int64_t count = instruction.shape().dimension(d);
    if (count == 0) return nullptr;
    const int64_t last = slice[d].start + (count - 1) * slice[d].stride;
    slice[d].limit = size - slice[d].start;
    slice[d].start = size - 1 - last;
  }
  return rewriter.Add(Opcode::kReverse,
                      {rewriter.Slice(reverse->operand(0), std::move(slice))},
                      {With::dimensions(reverse->dimensions())});
}

// One operand; operands without elements.
Instruction* ConcatenateOfEmpty(Instruction& instruction, Rewriter& rewriter) {
  const int64_t dimension = instruction.dimensions()[0];
  std::vector<Instruction*> operands;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (instruction.operand_shape(i).dimension(dimension) > 0) {
      operands.push_back(instruction.operand(i));
    }
  }
  if (operands.empty()) return instruction.operand(0);
  const bool is_smaller =
      static_cast<int64_t>(operands.size()) < instruction.operand_count();
  if (operands.size() > 1 && !is_smaller) return nullptr;
  return rewriter.Concatenate(operands, dimension);
}

Instruction* ConcatenateOfConcatenates(Instruction& instruction,
                                       Rewriter& rewriter) {
  const int64_t dimension = instruction.dimensions()[0];
  std::vector<Instruction*> operands;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    Instruction* operand = instruction.operand(i);
    const bool is_inner = operand->opcode() == Opcode::kConcatenate &&
                          operand->dimensions()[0] == dimension &&
                          operand->uses().size() == 1;
    if (!is_inner) {
      operands.push_back(operand);
      continue;
    }
    for (Instruction* inner : operand->operands()) operands.push_back(inner);
  }
  if (static_cast<int64_t>(operands.size()) == instruction.operand_count()) {
    return nullptr;
  }
  return rewriter.Concatenate(operands, dimension);
}

// Whether `next` continues the slice `slice` of the same array.
bool Continues(const Instruction& slice, const Instruction& next,
               int64_t dimension) {
  if (slice.opcode() != Opcode::kSlice || next.opcode() != Opcode::kSlice ||
      slice.operand(0) != next.operand(0)) {
    return false;
  }
  for (int64_t i = 0; i < slice.shape().rank(); ++i) {
    const hlo::SliceDimension& a = slice.slice()[i];
    const hlo::SliceDimension& b = next.slice()[i];
    const bool fits = i == dimension
                          ? a.stride == 1 && b.stride == 1 && a.limit == b.start
                          : a == b;
    if (!fits) return false;
  }
  return true;
}

// Slices that lie side by side in one array are one slice.
Instruction* ConcatenateOfNeighbours(Instruction& instruction,
                                     Rewriter& rewriter) {
  const int64_t dimension = instruction.dimensions()[0];
  std::vector<Instruction*> operands;
  bool changed = false;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    Instruction* operand = instruction.operand(i);
    if (!operands.empty() && Continues(*operands.back(), *operand, dimension)) {
      SliceDimensions slice = operands.back()->slice();
      slice[dimension].limit = operand->slice()[dimension].limit;
      operands.back() = rewriter.Slice(operand->operand(0), std::move(slice));
      changed = true;
    } else {
      operands.push_back(operand);
    }
  }
  return changed ? rewriter.Concatenate(operands, dimension) : nullptr;
}

// Equal scalars, repeated side by side.
Instruction* ConcatenateOfSplats(Instruction& instruction, Rewriter& rewriter) {
  Instruction* scalar = SplatScalar(instruction.operand(0));
  if (scalar == nullptr || instruction.operand_count() < 2) return nullptr;
  for (int64_t i = 1; i < instruction.operand_count(); ++i) {
    const Instruction* other = SplatScalar(instruction.operand(i));
    if (other == nullptr) return nullptr;
    const bool is_same =
        other == scalar || (other->opcode() == Opcode::kConstant &&
                            scalar->opcode() == Opcode::kConstant &&
                            other->value() == scalar->value());
    if (!is_same) return nullptr;
  }
  return rewriter.Splat(scalar, instruction.shape());
}

// A repeated scalar at an end of a concatenation is padding.
Instruction* ConcatenateOfPadding(Instruction& instruction,
                                  Rewriter& rewriter) {
  if (instruction.operand_count() < 2) return nullptr;
  const int64_t dimension = instruction.dimensions()[0];
  const int64_t last = instruction.operand_count() - 1;
  Instruction* before = SplatScalar(instruction.operand(0));
  Instruction* after = SplatScalar(instruction.operand(last));
  const bool same =
      before != nullptr && after != nullptr &&
      (before == after || (before->opcode() == Opcode::kConstant &&
                           after->opcode() == Opcode::kConstant &&
                           before->value() == after->value()));
  // Exactly one array, padding on one side or equal padding on both.
  const bool fits =
      last == 1 ? (before == nullptr) != (after == nullptr) : last == 2 && same;
  if (!fits) return nullptr;
  Instruction* array = instruction.operand(before == nullptr ? 0 : 1);
  if (SplatScalar(array) != nullptr) return nullptr;
  hlo::PaddingConfig padding(instruction.shape().rank());
  if (before != nullptr) {
    padding[dimension].low = instruction.operand_shape(0).dimension(dimension);
  }
  if (after != nullptr) {
    padding[dimension].high =
        instruction.operand_shape(last).dimension(dimension);
  }
  return rewriter.Pad(array, before != nullptr ? before : after,
                      std::move(padding));
}

Instruction* PadWithNothing(Instruction& instruction, Rewriter& /*rewriter*/) {
  for (int64_t i = 0; i < instruction.shape().rank(); ++i) {
    const hlo::PaddingDimension& p = instruction.padding()[i];
    const bool has_holes =
        p.interior != 0 && instruction.operand_shape(0).dimension(i) > 1;
    if (p.low != 0 || p.high != 0 || has_holes) return nullptr;
  }
  return instruction.operand(0);
}

// Repeats the padding where all is padding, or all is the same.
Instruction* PadOfSplat(Instruction& instruction, Rewriter& rewriter) {
  Instruction* value = instruction.operand(1);
  const Instruction* scalar = SplatScalar(instruction.operand(0));
  if (instruction.operand_shape(0).ElementCount() == 0) {
    return rewriter.Splat(value, instruction.shape());
  }
  if (scalar == nullptr || instruction.shape().rank() == 0) return nullptr;
  const bool is_same =
      scalar == value || (scalar->opcode() == Opcode::kConstant &&
                          value->opcode() == Opcode::kConstant &&
                          scalar->value() == value->value());
  return is_same ? rewriter.Splat(value, instruction.shape()) : nullptr;
}

// Padding what is padded with the same value.
Instruction* PadTwice(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* inner = instruction.operand(0);
  if (inner->opcode() != Opcode::kPad || inner->uses().size() != 1 ||
      inner->operand(1) != instruction.operand(1)) {
    return nullptr;
  }
  hlo::PaddingConfig padding = inner->padding();
  for (size_t i = 0; i < padding.size(); ++i) {
    const hlo::PaddingDimension& outer = instruction.padding()[i];
    if (outer.interior != 0 || outer.low < 0 || outer.high < 0 ||
        padding[i].low < 0 || padding[i].high < 0) {
      return nullptr;
    }
    padding[i].low += outer.low;
    padding[i].high += outer.high;
  }
  return rewriter.Pad(inner->operand(0), instruction.operand(1),
                      std::move(padding));
}

// Cropping is a slice.
Instruction* CroppingPad(Instruction& instruction, Rewriter& rewriter) {
  const hlo::Shape& shape = instruction.operand_shape(0);
  SliceDimensions slice;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const hlo::PaddingDimension& p = instruction.padding()[i];
    if (p.low > 0 || p.high > 0 || p.interior != 0) return nullptr;
    slice.push_back(
        {.start = -p.low, .limit = shape.dimension(i) + p.high, .stride = 1});
    if (slice.back().limit < slice.back().start) return nullptr;
  }
  return rewriter.Slice(instruction.operand(0), std::move(slice));
}

constexpr auto kSliceRules = std::to_array<Rule>({
    {.name = "slice-whole",
     .text = "slice(x) => x",
     .opcode = Opcode::kSlice,
     .apply = &WholeSlice},
    {.name = "slice-twice",
     .text = "slice(slice(x)) => slice(x)",
     .opcode = Opcode::kSlice,
     .apply = &SliceTwice},
    {.name = "slice-of-broadcast",
     .text = "slice(broadcast(x)) => broadcast(slice(x))",
     .opcode = Opcode::kSlice,
     .apply = &SliceOfBroadcast},
    {.name = "slice-of-iota",
     .text = "slice(iota) => iota",
     .opcode = Opcode::kSlice,
     .apply = &SliceOfIota},
    {.name = "slice-of-concatenate",
     .text = "slice(concatenate(x, y)) => slice(x)",
     .opcode = Opcode::kSlice,
     .apply = &SliceOfConcatenate},
    {.name = "slice-of-pad",
     .text = "slice(pad(x, a)) => slice(x) or broadcast(a)",
     .opcode = Opcode::kSlice,
     .apply = &SliceOfPad},
    {.name = "slice-of-reverse",
     .text = "slice(reverse(x)) => reverse(slice(x))",
     .opcode = Opcode::kSlice,
     .apply = &SliceOfReverse},
    {.name = "concatenate-of-empty",
     .text = "concatenate(x, {}) => x",
     .opcode = Opcode::kConcatenate,
     .apply = &ConcatenateOfEmpty},
    {.name = "concatenate-of-concatenates",
     .text = "concatenate(concatenate(x, y), z) => concatenate(x, y, z)",
     .opcode = Opcode::kConcatenate,
     .apply = &ConcatenateOfConcatenates},
    {.name = "concatenate-of-neighbours",
     .text = "concatenate(slice(x), slice(x)) => slice(x)",
     .opcode = Opcode::kConcatenate,
     .apply = &ConcatenateOfNeighbours},
    {.name = "concatenate-of-splats",
     .text = "concatenate(broadcast(a), broadcast(a)) => broadcast(a)",
     .opcode = Opcode::kConcatenate,
     .apply = &ConcatenateOfSplats},
    {.name = "concatenate-of-padding",
     .text = "concatenate(x, broadcast(a)) => pad(x, a)",
     .opcode = Opcode::kConcatenate,
     .apply = &ConcatenateOfPadding},
    {.name = "pad-with-nothing",
     .text = "pad(x, a) => x",
     .opcode = Opcode::kPad,
     .apply = &PadWithNothing},
    {.name = "pad-of-splat",
     .text = "pad(broadcast(a), a) => broadcast(a)",
     .opcode = Opcode::kPad,
     .apply = &PadOfSplat},
    {.name = "pad-twice",
     .text = "pad(pad(x, a), a) => pad(x, a)",
     .opcode = Opcode::kPad,
     .apply = &PadTwice},
    {.name = "pad-that-crops",
     .text = "pad(x, a) => slice(x)",
     .opcode = Opcode::kPad,
     .apply = &CroppingPad},
});

}  // namespace

absl::Span<const Rule> SliceRules() { return kSliceRules; }

}  // namespace hilo::passes
