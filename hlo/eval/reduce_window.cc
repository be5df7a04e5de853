// Evaluates reduce-window.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/convert_floats.h"
#include "hlo/eval/cumulative_window.h"
#include "hlo/eval/fold_kernel.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/scalar_body.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/eval/window_lanes.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Folds the blocks of a window with a kernel.
void FoldWithKernel(WindowLanes& lanes, const FoldKernel& kernel,
                    const FoldArray& array) {
  const int64_t bytes = array.input_bytes;
  std::vector<std::byte> accumulators(WindowLanes::kMaxLanes * bytes);
  WindowStep step;
  while (lanes.NextBlock()) {
    FillElements(accumulators.data(), lanes.lane_count(), array.initial,
                 array.output_bytes);
    while (lanes.NextStep(step)) {
      std::byte* to = accumulators.data() + step.first_lane * bytes;
      const std::byte* from = array.input + step.input_offset * bytes;
      if (step.lane_step == 1) {
        kernel.fold_lanes(to, from, step.count, step.input_step);
        continue;
      }
      for (int64_t i = 0; i < step.count; ++i) {
        kernel.fold_run(to + i * step.lane_step * bytes,
                        from + i * step.input_step * bytes, 1, 1);
      }
    }
    ScatterElements(array.output + lanes.output_offset() * bytes,
                    lanes.output_step(), accumulators.data(),
                    lanes.lane_count(), array.output_bytes);
  }
}

// Folds the blocks of a window with any body.
class WindowFold {
 public:
  WindowFold(ScalarBody& body, absl::Span<const FoldArray> arrays);

  absl::Status Run(WindowLanes& lanes);

 private:
  // Elements for one array: accumulators of the block, and copies of what is
  // not dense.
  struct Lanes {
    std::vector<std::byte> accumulators;
    std::vector<std::byte> selected;
    std::vector<std::byte> elements;
  };

  absl::Status FoldStep(const WindowStep& step);

  ScalarBody& body_;
  absl::Span<const FoldArray> arrays_;
  std::vector<Lanes> lanes_;
  std::vector<const void*> arguments_;
  std::vector<void*> results_;
};

WindowFold::WindowFold(ScalarBody& body, absl::Span<const FoldArray> arrays)
    : body_(body),
      arrays_(arrays),
      lanes_(arrays.size()),
      arguments_(2 * arrays.size()),
      results_(arrays.size()) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const int64_t output_size = WindowLanes::kMaxLanes * arrays[i].output_bytes;
    lanes_[i].accumulators.resize(output_size);
    lanes_[i].selected.resize(output_size);
    lanes_[i].elements.resize(WindowLanes::kMaxLanes * arrays[i].input_bytes);
  }
}

absl::Status WindowFold::Run(WindowLanes& lanes) {
  WindowStep step;
  while (lanes.NextBlock()) {
    for (size_t i = 0; i < arrays_.size(); ++i) {
      FillElements(lanes_[i].accumulators.data(), lanes.lane_count(),
                   arrays_[i].initial, arrays_[i].output_bytes);
    }
    while (lanes.NextStep(step)) RETURN_IF_ERROR(FoldStep(step));
    for (size_t i = 0; i < arrays_.size(); ++i) {
      const FoldArray& array = arrays_[i];
      ScatterElements(array.output + lanes.output_offset() * array.output_bytes,
                      lanes.output_step(), lanes_[i].accumulators.data(),
                      lanes.lane_count(), array.output_bytes);
    }
  }
  return absl::OkStatus();
}

absl::Status WindowFold::FoldStep(const WindowStep& step) {
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const FoldArray& array = arrays_[i];
    Lanes& lanes = lanes_[i];
    std::byte* accumulators =
        lanes.accumulators.data() + step.first_lane * array.output_bytes;
    const std::byte* input =
        array.input + step.input_offset * array.input_bytes;
    if (step.lane_step != 1) {
      GatherElements(lanes.selected.data(), accumulators, step.lane_step,
                     step.count, array.output_bytes);
      accumulators = lanes.selected.data();
    }
    if (step.input_step != 1) {
      GatherElements(lanes.elements.data(), input, step.input_step, step.count,
                     array.input_bytes);
      input = lanes.elements.data();
    }
    arguments_[i] = accumulators;
    results_[i] = accumulators;
    arguments_[arrays_.size() + i] = input;
  }
  RETURN_IF_ERROR(body_.Run(step.count, arguments_, results_));
  if (step.lane_step == 1) return absl::OkStatus();
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const int bytes = arrays_[i].output_bytes;
    ScatterElements(lanes_[i].accumulators.data() + step.first_lane * bytes,
                    step.lane_step, lanes_[i].selected.data(), step.count,
                    bytes);
  }
  return absl::OkStatus();
}

absl::Status FoldInto(const Instruction& instruction,
                      absl::Span<Literal> results,
                      absl::Span<const Literal> inputs,
                      absl::Span<const Literal> initial_values,
                      EvaluationContext& context) {
  ElementTypes types;
  AppendElementTypes(results, types);
  const ElementTypes result_types = types;
  AppendElementTypes(inputs, types);
  std::vector<FoldArray> arrays;
  arrays.reserve(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    arrays.push_back({.input = inputs[i].untyped_data(),
                      .input_bytes = StorageBytes(types[results.size() + i]),
                      .output = results[i].mutable_untyped_data(),
                      .output_bytes = StorageBytes(types[i]),
                      .initial = initial_values[i].untyped_data()});
  }
  const Computation& computation = *instruction.to_apply();
  std::optional<FoldKernel> kernel;
  if (results.size() == 1 && types[0] == types[1]) {
    kernel = FindFoldKernel(computation, types[0]);
  }
  ASSIGN_OR_RETURN(ScalarBody body, ScalarBody::Create(computation, types,
                                                       result_types, context));
  const bool is_order_free = kernel && kernel->is_order_free;
  if (const auto cumulative =
          FindCumulativeWindow(inputs[0].shape(), results[0].shape(),
                               instruction.window(), is_order_free)) {
    return FoldCumulatively(*cumulative, body, kernel, arrays);
  }
  ASSIGN_OR_RETURN(WindowLanes lanes,
                   WindowLanes::Create(inputs[0].shape(), results[0].shape(),
                                       instruction.window()));
  if (!kernel) return WindowFold(body, arrays).Run(lanes);
  FoldWithKernel(lanes, *kernel, arrays[0]);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> EvaluateReduceWindow(const Instruction& instruction,
                                             absl::Span<Literal> operands,
                                             EvaluationContext& context) {
  const size_t count = operands.size() / 2;
  std::vector<Literal> results;
  std::vector<Literal> initial_values;
  for (size_t i = 0; i < count; ++i) {
    const Shape& shape = ResultShape(instruction, static_cast<int64_t>(i));
    results.emplace_back(shape);
    initial_values.push_back(
        ConvertFloats(operands[count + i], shape.element_type()));
  }
  if (results[0].element_count() > 0) {
    RETURN_IF_ERROR(FoldInto(instruction, absl::MakeSpan(results),
                             operands.first(count), initial_values, context));
  }
  if (!instruction.shape().IsTuple()) return std::move(results[0]);
  return Literal::Tuple(std::move(results));
}

}  // namespace hilo::hlo
