// Rules about dot and convolution.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/rewriter.h"
#include "passes/rules/dimensions.h"
#include "passes/rules/rule.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;

// The dimensions of an operand that are neither batch nor contracting.
DimensionVector FreeDimensions(const hlo::Shape& shape,
                               const DimensionVector& batch,
                               const DimensionVector& contracting) {
  DimensionVector free;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (!Contains(batch, i) && !Contains(contracting, i)) free.push_back(i);
  }
  return free;
}

DimensionVector Mapped(const DimensionVector& dimensions,
                       const DimensionVector& map) {
  DimensionVector result;
  for (const int64_t d : dimensions) result.push_back(map[d]);
  return result;
}

// A transpose of an operand is a matter of its dimension numbers, as long as
// the free dimensions keep their order.
Instruction* DotOfTranspose(Instruction& instruction, Rewriter& rewriter) {
  std::vector<Instruction*> operands = instruction.operands();
  std::array contracting = {instruction.lhs_contracting_dims(),
                            instruction.rhs_contracting_dims()};
  std::array batch = {instruction.lhs_batch_dims(),
                      instruction.rhs_batch_dims()};
  bool changed = false;
  for (int i = 0; i < 2; ++i) {
    const Instruction* transpose = operands[i];
    if (transpose->opcode() != Opcode::kTranspose) continue;
    const DimensionVector& map = transpose->dimensions();
    const DimensionVector free =
        FreeDimensions(transpose->shape(), batch[i], contracting[i]);
    if (!IsAscending(Mapped(free, map))) continue;
    contracting[i] = Mapped(contracting[i], map);
    batch[i] = Mapped(batch[i], map);
    operands[i] = transpose->operand(0);
    changed = true;
  }
  if (!changed) return nullptr;
  Instruction* dot =
      rewriter.Like(instruction, WithoutLayout(instruction.shape()), operands);
  dot->set_lhs_contracting_dims(contracting[0]);
  dot->set_rhs_contracting_dims(contracting[1]);
  dot->set_lhs_batch_dims(batch[0]);
  dot->set_rhs_batch_dims(batch[1]);
  return dot;
}

// The other way round where the result is much smaller than what is transposed:
// its dimensions are transposed instead.
Instruction* DotOfReorderedRows(Instruction& instruction, Rewriter& rewriter) {
  const std::array batch = {instruction.lhs_batch_dims(),
                            instruction.rhs_batch_dims()};
  const std::array contracting = {instruction.lhs_contracting_dims(),
                                  instruction.rhs_contracting_dims()};
  auto first = static_cast<int64_t>(batch[0].size());
  for (int i = 0; i < 2; ++i) {
    const Instruction* transpose = instruction.operand(i);
    const DimensionVector free =
        FreeDimensions(transpose->shape(), batch[i], contracting[i]);
    const int64_t begin = first;
    first += static_cast<int64_t>(free.size());
    if (transpose->opcode() != Opcode::kTranspose ||
        !instruction.shape().IsArray() ||
        2 * instruction.shape().ElementCount() >
            transpose->shape().ElementCount()) {
      continue;
    }
    const DimensionVector& map = transpose->dimensions();
    const DimensionVector sources = Mapped(free, map);
    if (IsAscending(sources)) continue;
    DimensionVector order = sources;
    std::ranges::sort(order);
    const absl::Span<const int64_t> all = instruction.shape().dimensions();
    DimensionVector sizes(all.begin(), all.end());
    DimensionVector permutation(sizes.size(), 0);
    std::iota(permutation.begin(), permutation.end(), 0);
    for (size_t d = 0; d < free.size(); ++d) {
      sizes[begin + static_cast<int64_t>(d)] =
          transpose->operand_shape(0).dimension(order[d]);
      permutation[begin + static_cast<int64_t>(d)] =
          begin + PositionIn(order, sources[d]);
    }
    std::vector<Instruction*> operands = instruction.operands();
    operands[i] = transpose->operand(0);
    Instruction* dot = rewriter.Like(
        instruction,
        hlo::Shape::Array(instruction.shape().element_type(), sizes), operands);
    if (i == 0) {
      dot->set_lhs_contracting_dims(Mapped(contracting[0], map));
      dot->set_lhs_batch_dims(Mapped(batch[0], map));
    } else {
      dot->set_rhs_contracting_dims(Mapped(contracting[1], map));
      dot->set_rhs_batch_dims(Mapped(batch[1], map));
    }
    return rewriter.Transpose(dot, permutation);
  }
  return nullptr;
}

// transpose(dot(a, b)) is dot(b, a) where it swaps their dimensions.
Instruction* TransposeOfDot(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* dot = instruction.operand(0);
  if (dot->opcode() != Opcode::kDot || dot->uses().size() != 1 ||
      dot->operand_precision().size() > 2 ||
      dot->operand_shape(0).element_type() !=
          dot->operand_shape(1).element_type()) {
    return nullptr;
  }
  const auto batch = static_cast<int64_t>(dot->lhs_batch_dims().size());
  const int64_t lhs_free =
      dot->operand_shape(0).rank() - batch -
      static_cast<int64_t>(dot->lhs_contracting_dims().size());
  DimensionVector swapped(batch, 0);
  std::iota(swapped.begin(), swapped.end(), 0);
  for (int64_t i = batch + lhs_free; i < dot->shape().rank(); ++i) {
    swapped.push_back(i);
  }
  for (int64_t i = 0; i < lhs_free; ++i) swapped.push_back(batch + i);
  if (instruction.dimensions() != swapped) return nullptr;
  Instruction* result = rewriter.Like(*dot, WithoutLayout(instruction.shape()),
                                      {dot->operand(1), dot->operand(0)});
  result->set_lhs_contracting_dims(dot->rhs_contracting_dims());
  result->set_rhs_contracting_dims(dot->lhs_contracting_dims());
  result->set_lhs_batch_dims(dot->rhs_batch_dims());
  result->set_rhs_batch_dims(dot->lhs_batch_dims());
  hlo::PrecisionList precision = dot->operand_precision();
  std::ranges::reverse(precision);
  result->set_operand_precision(std::move(precision));
  return result;
}

// Drops dimensions of one operand and renumbers the others.
struct Dropped {
  Instruction* operand = nullptr;
  // By old number; meaningless for those that are dropped.
  DimensionVector numbers;
};

Dropped Drop(Instruction* operand, const DimensionVector& dimensions,
             Rewriter& rewriter) {
  Dropped result;
  int64_t next = 0;
  for (int64_t i = 0; i < operand->shape().rank(); ++i) {
    result.numbers.push_back(next);
    if (!Contains(dimensions, i)) ++next;
  }
  result.operand =
      rewriter.Reshape(operand, SizesWithout(operand->shape(), dimensions));
  return result;
}

// Batches of one, and sums of one product among others, need no dimension.
Instruction* DotOfUnitDimensions(Instruction& instruction, Rewriter& rewriter) {
  if (instruction.operand_shape(0).IsDynamic() ||
      instruction.operand_shape(1).IsDynamic()) {
    return nullptr;
  }
  DimensionVector lhs_dropped;
  DimensionVector rhs_dropped;
  std::array<DimensionVector, 4> kept;
  const auto sort_out = [&](const DimensionVector& lhs,
                            const DimensionVector& rhs, int64_t minimum,
                            DimensionVector& kept_lhs,
                            DimensionVector& kept_rhs) {
    for (size_t i = 0; i < lhs.size(); ++i) {
      const bool is_last =
          std::cmp_less_equal(kept_lhs.size() + lhs.size() - i, minimum);
      if (instruction.operand_shape(0).dimension(lhs[i]) == 1 && !is_last) {
        lhs_dropped.push_back(lhs[i]);
        rhs_dropped.push_back(rhs[i]);
      } else {
        kept_lhs.push_back(lhs[i]);
        kept_rhs.push_back(rhs[i]);
      }
    }
  };
  sort_out(instruction.lhs_batch_dims(), instruction.rhs_batch_dims(), 0,
           kept[0], kept[1]);
  sort_out(instruction.lhs_contracting_dims(),
           instruction.rhs_contracting_dims(), 1, kept[2], kept[3]);
  if (lhs_dropped.empty()) return nullptr;
  const Dropped lhs = Drop(instruction.operand(0), lhs_dropped, rewriter);
  const Dropped rhs = Drop(instruction.operand(1), rhs_dropped, rewriter);
  DimensionVector sizes;
  const auto batch = static_cast<int64_t>(instruction.lhs_batch_dims().size());
  for (int64_t i = 0; i < instruction.shape().rank(); ++i) {
    const bool is_dropped =
        i < batch && Contains(lhs_dropped, instruction.lhs_batch_dims()[i]);
    if (!is_dropped) sizes.push_back(instruction.shape().dimension(i));
  }
  Instruction* dot = rewriter.Like(
      instruction, hlo::Shape::Array(instruction.shape().element_type(), sizes),
      {lhs.operand, rhs.operand});
  dot->set_lhs_batch_dims(Mapped(kept[0], lhs.numbers));
  dot->set_rhs_batch_dims(Mapped(kept[1], rhs.numbers));
  dot->set_lhs_contracting_dims(Mapped(kept[2], lhs.numbers));
  dot->set_rhs_contracting_dims(Mapped(kept[3], rhs.numbers));
  return rewriter.Reshape(dot, instruction.shape().dimensions());
}

// Sums of nothing are zeros.
Instruction* DotOfNothing(Instruction& instruction, Rewriter& rewriter) {
  for (int64_t i = 0; i < 2; ++i) {
    if (instruction.operand_shape(i).ElementCount() == 0) {
      return rewriter.Splat(
          rewriter.Scalar(instruction.shape().element_type(), 0),
          instruction.shape());
    }
  }
  return nullptr;
}

// Two short vectors: their product becomes part of a loop, where a call would
// take longer than the sum.
Instruction* DotOfShortVectors(Instruction& instruction, Rewriter& rewriter) {
  constexpr int64_t kMaxElements = 32;
  const hlo::ElementType type = instruction.shape().element_type();
  if (type != hlo::ElementType::kF32 && type != hlo::ElementType::kF64) {
    return nullptr;
  }
  for (int64_t i = 0; i < 2; ++i) {
    const hlo::Shape& shape = instruction.operand_shape(i);
    if (shape.rank() != 1 || shape.ElementCount() > kMaxElements ||
        shape.element_type() != type) {
      return nullptr;
    }
  }
  if (instruction.operand_count() != 2 || instruction.shape().rank() != 0) {
    return nullptr;
  }
  return rewriter.Reduce(
      rewriter.Binary(Opcode::kMultiply, instruction.operand(0),
                      instruction.operand(1)),
      rewriter.Scalar(type, 0), {0},
      MakeScalarComputation(rewriter.module(), Opcode::kAdd, type));
}

bool IsPointwiseWindow(const Instruction& convolution) {
  const auto& dimensions = convolution.window().dimensions;
  return std::ranges::all_of(dimensions, [](const hlo::WindowDimension& d) {
    return d.size == 1 && d.stride == 1 && d.padding_low == 0 &&
           d.padding_high == 0 && d.base_dilation == 1;
  });
}

// A convolution with a window of one element multiplies matrices.
Instruction* PointwiseConvolution(Instruction& instruction,
                                  Rewriter& rewriter) {
  const hlo::ElementType type = instruction.shape().element_type();
  if (!IsPointwiseWindow(instruction) || instruction.operand_count() != 2 ||
      instruction.feature_group_count() != 1 ||
      instruction.batch_group_count() != 1 || instruction.shape().IsDynamic() ||
      instruction.has_sparsity_config() || !hlo::IsFloat(type) ||
      instruction.operand_shape(0).element_type() != type ||
      instruction.operand_shape(1).element_type() != type) {
    return nullptr;
  }
  const hlo::ConvolutionDimensionNumbers& labels = instruction.dim_labels();
  if (!labels.input_unknown.empty() || !labels.kernel_unknown.empty() ||
      !labels.output_unknown.empty()) {
    return nullptr;
  }
  const bool output_last =
      labels.kernel_output_feature > labels.kernel_input_feature;
  Instruction* kernel = rewriter.Reshape(
      instruction.operand(1),
      SizesWithout(instruction.operand_shape(1), labels.kernel_spatial));
  const int64_t contracting = output_last ? 0 : 1;
  std::vector<hlo::Attribute> attributes = {
      With::lhs_contracting_dims({labels.input_feature}),
      With::rhs_contracting_dims({contracting})};
  if (instruction.has_operand_precision()) {
    attributes.push_back(
        With::operand_precision(instruction.operand_precision()));
  }
  // The dimensions of the product: those of the input but the features, in
  // order, then the output features.
  DimensionVector sizes =
      SizesWithout(instruction.operand_shape(0), {labels.input_feature});
  sizes.push_back(kernel->shape().dimension(1 - contracting));
  Instruction* dot =
      rewriter.Add(Opcode::kDot, hlo::Shape::Array(type, sizes),
                   {instruction.operand(0), kernel}, std::move(attributes));
  const auto position = [&](int64_t input_dimension) {
    return input_dimension - (input_dimension > labels.input_feature ? 1 : 0);
  };
  DimensionVector permutation(instruction.shape().rank(), 0);
  permutation[labels.output_batch] = position(labels.input_batch);
  permutation[labels.output_feature] = dot->shape().rank() - 1;
  for (size_t i = 0; i < labels.output_spatial.size(); ++i) {
    permutation[labels.output_spatial[i]] = position(labels.input_spatial[i]);
  }
  return rewriter.Transpose(dot, permutation);
}

// The slice that takes everything.
hlo::SliceDimensions WholeSliceOf(const hlo::Shape& shape) {
  hlo::SliceDimensions slice;
  for (const int64_t size : shape.dimensions()) {
    slice.push_back({.start = 0, .limit = size, .stride = 1});
  }
  return slice;
}

// Elements first, first + step, ... along a dimension.
Instruction* EveryNth(Instruction* array, int64_t dimension, int64_t first,
                      int64_t step, Rewriter& rewriter) {
  hlo::SliceDimensions slice = WholeSliceOf(array->shape());
  slice[dimension].start = first;
  slice[dimension].stride = step;
  return rewriter.Slice(array, std::move(slice));
}

// One of the convolutions that a convolution with holes is made of: that for
// the results whose index has one remainder by the dilation.
struct Phase {
  int64_t first_tap = 0;
  int64_t tap_count = 0;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
};

// `d` has holes, and steps and taps of one. The phase has `result_size`
// results.
Phase PhaseOf(const hlo::WindowDimension& d, int64_t input_size,
              int64_t result_size, int64_t remainder) {
  const int64_t distance = d.padding_low - remainder;
  Phase phase;
  phase.first_tap =
      (distance % d.base_dilation + d.base_dilation) % d.base_dilation;
  phase.tap_count = phase.first_tap < d.size
                        ? (d.size - 1 - phase.first_tap) / d.base_dilation + 1
                        : 0;
  phase.padding_low = (distance - phase.first_tap) / d.base_dilation;
  phase.padding_high =
      result_size - input_size - phase.padding_low + phase.tap_count - 1;
  return phase;
}

// A dimension of the window that can do without holes; -1 if there is none.
int64_t DimensionWithHoles(const Instruction& convolution) {
  constexpr int64_t kMaxDilation = 8;
  const auto& dimensions = convolution.window().dimensions;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const hlo::WindowDimension& d = dimensions[i];
    if (d.base_dilation > 1 && d.base_dilation <= kMaxDilation &&
        d.stride == 1 && d.window_dilation == 1 && !d.reversed) {
      return static_cast<int64_t>(i);
    }
  }
  return -1;
}

Instruction* WithoutHoles(Instruction& convolution, Rewriter& rewriter);

// The results of one phase, in `shape`.
Instruction* PartWithoutHoles(const Instruction& convolution, size_t spatial,
                              int64_t remainder, const hlo::Shape& shape,
                              Rewriter& rewriter) {
  const hlo::ConvolutionDimensionNumbers& labels = convolution.dim_labels();
  const hlo::WindowDimension& d = convolution.window().dimensions[spatial];
  const Phase phase = PhaseOf(
      d, convolution.operand_shape(0).dimension(labels.input_spatial[spatial]),
      shape.dimension(labels.output_spatial[spatial]), remainder);
  if (phase.tap_count == 0) {
    return rewriter.Splat(rewriter.Scalar(shape.element_type(), 0), shape);
  }
  hlo::Window window = convolution.window();
  window.dimensions[spatial] = {.size = phase.tap_count,
                                .padding_low = phase.padding_low,
                                .padding_high = phase.padding_high};
  Instruction* part = rewriter.Like(
      convolution, shape,
      {convolution.operand(0),
       EveryNth(convolution.operand(1), labels.kernel_spatial[spatial],
                phase.first_tap, d.base_dilation, rewriter)});
  part->set_window(std::move(window));
  return WithoutHoles(*part, rewriter);
}

// The convolution, dimension by dimension as parts that have no holes there.
Instruction* WithoutHoles(Instruction& convolution, Rewriter& rewriter) {
  const int64_t found = DimensionWithHoles(convolution);
  if (found < 0) return &convolution;
  const auto spatial = static_cast<size_t>(found);
  const int64_t dilation =
      convolution.window().dimensions[spatial].base_dilation;
  const int64_t place = convolution.dim_labels().output_spatial[spatial];
  const hlo::Shape& result = convolution.shape();
  DimensionVector sizes(result.dimensions().begin(), result.dimensions().end());
  sizes[place] = (result.dimension(place) - 1) / dilation + 1;
  const hlo::Shape shape = hlo::Shape::Array(result.element_type(), sizes);
  DimensionVector apart = sizes;
  apart.insert(apart.begin() + place + 1, 1);
  std::vector<Instruction*> parts;
  parts.reserve(static_cast<size_t>(dilation));
  for (int64_t i = 0; i < dilation; ++i) {
    parts.push_back(rewriter.Reshape(
        PartWithoutHoles(convolution, spatial, i, shape, rewriter), apart));
  }
  sizes[place] *= dilation;
  Instruction* joined =
      rewriter.Reshape(rewriter.Concatenate(parts, place + 1), sizes);
  if (sizes[place] == result.dimension(place)) return joined;
  hlo::SliceDimensions slice = WholeSliceOf(joined->shape());
  slice[place].limit = result.dimension(place);
  return rewriter.Slice(joined, std::move(slice));
}

// A convolution with holes in what it reads is several without: most products
// would be with the holes.
Instruction* ConvolutionWithHoles(Instruction& instruction,
                                  Rewriter& rewriter) {
  // Less work is done sooner than several kernels are compiled.
  constexpr int64_t kLeastProducts = int64_t{1} << 24;
  if (instruction.operand_count() != 2 || instruction.has_sparsity_config() ||
      instruction.batch_group_count() != 1 || instruction.shape().IsDynamic() ||
      instruction.operand_shape(0).ElementCount() == 0 ||
      DimensionWithHoles(instruction) < 0) {
    return nullptr;
  }
  const hlo::Shape& kernel = instruction.operand_shape(1);
  const int64_t features =
      kernel.dimension(instruction.dim_labels().kernel_output_feature);
  if (features == 0 ||
      instruction.shape().ElementCount() * (kernel.ElementCount() / features) <
          kLeastProducts) {
    return nullptr;
  }
  return WithoutHoles(instruction, rewriter);
}

constexpr auto kContractionRules = std::to_array<Rule>({
    {.name = "dot-of-nothing",
     .text = "dot({}, {}) => broadcast(0)",
     .opcode = Opcode::kDot,
     .apply = &DotOfNothing},
    {.name = "dot-of-transpose",
     .text = "dot(transpose(x), y) => dot(x, y)",
     .opcode = Opcode::kDot,
     .apply = &DotOfTranspose},
    {.name = "dot-of-unit-dimensions",
     .text = "dot(x, y) => reshape(dot(reshape(x), reshape(y)))",
     .opcode = Opcode::kDot,
     .apply = &DotOfUnitDimensions},
    {.name = "dot-of-short-vectors",
     .text = "dot(x, y) of two short vectors => reduce(multiply(x, y))",
     .opcode = Opcode::kDot,
     .exactness = Exactness::kWithinBound,
     .apply = &DotOfShortVectors},
    {.name = "dot-of-reordered-rows",
     .text = "dot(transpose(x), y) => transpose(dot(x, y)), if it is smaller",
     .opcode = Opcode::kDot,
     .apply = &DotOfReorderedRows},
    {.name = "transpose-of-dot",
     .text = "transpose(dot(x, y)) => dot(y, x)",
     .opcode = Opcode::kTranspose,
     .apply = &TransposeOfDot},
    {.name = "pointwise-convolution",
     .text = "convolution(x, y) with windows of one element => dot(x, y)",
     .opcode = Opcode::kConvolution,
     .apply = &PointwiseConvolution},
    {.name = "convolution-with-holes",
     .text = "convolution(x, y) with lhs_dilate => concatenate(convolution(x, "
             "slice(y)), ...)",
     .opcode = Opcode::kConvolution,
     .exactness = Exactness::kWithinBound,
     .apply = &ConvolutionWithHoles},
});

}  // namespace

absl::Span<const Rule> ContractionRules() { return kContractionRules; }

}  // namespace hilo::passes
