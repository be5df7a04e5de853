// Evaluates select-and-scatter.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/fold_kernel.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/scalar_body.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/eval/window_lanes.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// In place of the offset of a selected element: the window is all padding.
constexpr int64_t kNothing = -1;

// Finds the selected element of each window, for blocks of windows at a time.
class Selector {
 public:
  Selector(ScalarBody& select, const Literal& operand)
      : select_(select),
        operand_(operand.untyped_data()),
        bytes_(StorageBytes(operand.shape().element_type())),
        current_(WindowLanes::kMaxLanes * bytes_),
        kept_(WindowLanes::kMaxLanes * bytes_),
        elements_(WindowLanes::kMaxLanes * bytes_),
        keeps_(WindowLanes::kMaxLanes) {}

  // Sets selected[i] to the offset of the element that source i selects.
  absl::Status Run(WindowLanes& lanes, std::vector<int64_t>& selected);

 private:
  absl::Status TakeStep(const WindowStep& step);
  void KeepOrReplace(const WindowStep& step);

  ScalarBody& select_;
  const std::byte* operand_;
  int bytes_;
  // The selected value of each lane so far, and where it lies.
  std::vector<std::byte> current_;
  std::vector<int64_t> offsets_;
  // For the lanes of one step: selected values, window elements and whether
  // the former stay.
  std::vector<std::byte> kept_;
  std::vector<std::byte> elements_;
  std::vector<uint8_t> keeps_;
};

absl::Status Selector::Run(WindowLanes& lanes, std::vector<int64_t>& selected) {
  WindowStep step;
  while (lanes.NextBlock()) {
    offsets_.assign(lanes.lane_count(), kNothing);
    while (lanes.NextStep(step)) RETURN_IF_ERROR(TakeStep(step));
    for (int64_t lane = 0; lane < lanes.lane_count(); ++lane) {
      selected[lanes.output_offset() + lane * lanes.output_step()] =
          offsets_[lane];
    }
  }
  return absl::OkStatus();
}

absl::Status Selector::TakeStep(const WindowStep& step) {
  GatherElements(elements_.data(), operand_ + step.input_offset * bytes_,
                 step.input_step, step.count, bytes_);
  GatherElements(kept_.data(), current_.data() + step.first_lane * bytes_,
                 step.lane_step, step.count, bytes_);
  const std::array<const void*, 2> arguments = {kept_.data(), elements_.data()};
  const std::array<void*, 1> results = {keeps_.data()};
  RETURN_IF_ERROR(select_.Run(step.count, arguments, results));
  KeepOrReplace(step);
  return absl::OkStatus();
}

void Selector::KeepOrReplace(const WindowStep& step) {
  for (int64_t i = 0; i < step.count; ++i) {
    const int64_t lane = step.first_lane + i * step.lane_step;
    if (offsets_[lane] != kNothing && keeps_[i] != 0) continue;
    offsets_[lane] = step.input_offset + i * step.input_step;
    std::memcpy(current_.data() + lane * bytes_, elements_.data() + i * bytes_,
                bytes_);
  }
}

// Combines the source values, in order, with the elements they selected.
absl::Status ScatterSource(const Computation& computation,
                           absl::Span<const int64_t> selected,
                           const Literal& source, Literal& result,
                           EvaluationContext& context) {
  const ElementType type = result.shape().element_type();
  const ElementType source_type = source.shape().element_type();
  const int bytes = StorageBytes(type);
  const int source_bytes = StorageBytes(source_type);
  std::byte* elements = result.mutable_untyped_data();
  std::optional<FoldKernel> kernel;
  if (type == source_type) kernel = FindFoldKernel(computation, type);
  const std::array<ElementType, 2> argument_types = {source_type, type};
  ASSIGN_OR_RETURN(ScalarBody body,
                   ScalarBody::Create(computation, argument_types,
                                      absl::MakeConstSpan(&type, 1), context));
  for (size_t i = 0; i < selected.size(); ++i) {
    if (selected[i] == kNothing) continue;
    void* target = elements + selected[i] * bytes;
    const void* value =
        source.untyped_data() + static_cast<int64_t>(i) * source_bytes;
    if (kernel) {
      // These operations are commutative.
      kernel->fold_run(target, value, 1, 1);
      continue;
    }
    const std::array<const void*, 2> arguments = {value, target};
    RETURN_IF_ERROR(body.Run(1, arguments, absl::MakeConstSpan(&target, 1)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> EvaluateSelectAndScatter(const Instruction& instruction,
                                                 absl::Span<Literal> operands,
                                                 EvaluationContext& context) {
  const Literal& operand = operands[0];
  const Literal& source = operands[1];
  Literal result(instruction.shape());
  FillElements(result.mutable_untyped_data(), result.element_count(),
               operands[2].untyped_data(),
               StorageBytes(result.shape().element_type()));
  const int64_t count = source.element_count();
  if (count == 0 || result.element_count() == 0) return result;
  RETURN_IF_ERROR(context.CheckMemory(
      instruction, count * static_cast<int64_t>(sizeof(int64_t))));
  std::vector<int64_t> selected(count, kNothing);
  const ElementType type = operand.shape().element_type();
  const std::array<ElementType, 2> select_types = {type, type};
  const ElementType pred = ElementType::kPred;
  ASSIGN_OR_RETURN(ScalarBody select,
                   ScalarBody::Create(*instruction.select(), select_types,
                                      absl::MakeConstSpan(&pred, 1), context));
  ASSIGN_OR_RETURN(WindowLanes lanes,
                   WindowLanes::Create(operand.shape(), source.shape(),
                                       instruction.window()));
  RETURN_IF_ERROR(Selector(select, operand).Run(lanes, selected));
  RETURN_IF_ERROR(
      ScatterSource(*instruction.scatter(), selected, source, result, context));
  return result;
}

}  // namespace hilo::hlo
