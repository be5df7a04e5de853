// Evaluates scan.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/scalar_body.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Copies between an array and its slices across one dimension.
class SliceCopy {
 public:
  SliceCopy(const Shape& stacked, int64_t dimension)
      : bytes_(StorageBytes(stacked.element_type())) {
    if (stacked.ElementCount() == 0) return;
    for (int64_t i = 0; i < stacked.rank(); ++i) {
      if (i < dimension) outer_ *= stacked.dimension(i);
      if (i > dimension) inner_ *= stacked.dimension(i);
    }
    size_ = stacked.dimension(dimension);
  }

  void Read(std::byte* slice, const std::byte* stacked, int64_t index) const {
    CopyPlan({{.size = outer_,
               .source_stride = size_ * inner_,
               .destination_stride = inner_},
              {.size = inner_, .source_stride = 1, .destination_stride = 1}},
             bytes_)
        .Run(slice, stacked + index * inner_ * bytes_);
  }
  void Write(std::byte* stacked, const std::byte* slice, int64_t index) const {
    CopyPlan({{.size = outer_,
               .source_stride = inner_,
               .destination_stride = size_ * inner_},
              {.size = inner_, .source_stride = 1, .destination_stride = 1}},
             bytes_)
        .Run(stacked + index * inner_ * bytes_, slice);
  }

 private:
  int bytes_;
  int64_t outer_ = 1;
  int64_t size_ = 0;
  int64_t inner_ = 1;
};

// The state of a scan: what its iterations read and write.
struct Scan {
  std::vector<Literal> inputs;
  std::vector<Literal> carries;
  std::vector<Literal> outputs;
  int64_t dimension = 0;
  int64_t length = 0;
  bool is_reverse = false;

  int64_t IndexOf(int64_t iteration) const {
    return is_reverse ? length - 1 - iteration : iteration;
  }
};

Scan StartScan(const Instruction& instruction, absl::Span<Literal> operands) {
  Scan scan;
  const int64_t input_count =
      static_cast<int64_t>(operands.size()) - instruction.num_carries();
  for (int64_t i = 0; std::cmp_less(i, operands.size()); ++i) {
    std::vector<Literal>& values = i < input_count ? scan.inputs : scan.carries;
    values.push_back(std::move(operands[i]));
  }
  const Shape& shape = instruction.shape();
  const int64_t value_count = shape.IsTuple() ? shape.element_count() : 1;
  for (int64_t i = 0; i < value_count - instruction.num_carries(); ++i) {
    scan.outputs.emplace_back(ResultShape(instruction, i));
  }
  scan.dimension = instruction.dimensions()[0];
  scan.is_reverse = instruction.is_reverse();
  if (!scan.inputs.empty()) {
    scan.length = scan.inputs[0].shape().dimension(scan.dimension);
  } else if (!scan.outputs.empty()) {
    scan.length = scan.outputs[0].shape().dimension(scan.dimension);
  }
  return scan;
}

std::vector<SliceCopy> SliceCopies(absl::Span<const Literal> stacked,
                                   int64_t dimension) {
  std::vector<SliceCopy> copies;
  for (const Literal& literal : stacked) {
    copies.emplace_back(literal.shape(), dimension);
  }
  return copies;
}

// Iterates by calling the body with slices.
absl::Status IterateByCalls(const Computation& body, Scan& scan,
                            EvaluationContext& context) {
  const std::vector<SliceCopy> input_copies =
      SliceCopies(scan.inputs, scan.dimension);
  const std::vector<SliceCopy> output_copies =
      SliceCopies(scan.outputs, scan.dimension);
  for (int64_t iteration = 0; iteration < scan.length; ++iteration) {
    const int64_t index = scan.IndexOf(iteration);
    std::vector<Literal> arguments;
    for (size_t i = 0; i < scan.inputs.size(); ++i) {
      Literal& slice = arguments.emplace_back(
          body.parameter(static_cast<int64_t>(i))->shape());
      if (slice.element_count() == 0) continue;
      input_copies[i].Read(slice.mutable_untyped_data(),
                           scan.inputs[i].untyped_data(), index);
    }
    for (Literal& carry : scan.carries) arguments.push_back(std::move(carry));
    ASSIGN_OR_RETURN(Literal value, context.Call(body, std::move(arguments)));
    std::vector<Literal> values;
    if (value.IsTuple()) {
      values = std::move(value).TakeElements();
    } else {
      values.push_back(std::move(value));
    }
    for (size_t i = 0; i < scan.outputs.size(); ++i) {
      if (values[i].element_count() == 0) continue;
      output_copies[i].Write(scan.outputs[i].mutable_untyped_data(),
                             values[i].untyped_data(), index);
    }
    for (size_t i = 0; i < scan.carries.size(); ++i) {
      scan.carries[i] = std::move(values[scan.outputs.size() + i]);
    }
  }
  return absl::OkStatus();
}

// Whether all values of the body are scalars that the arrays agree with.
bool IsScalarScan(const Computation& body, const Scan& scan) {
  for (const Instruction* parameter : body.parameters()) {
    if (!parameter->shape().IsScalar()) return false;
  }
  return std::ranges::all_of(scan.outputs, [](const Literal& output) {
    return output.shape().rank() == 1;
  });
}

// Iterates in place: carries are one element each.
absl::Status IterateScalars(ScalarBody& body, Scan& scan) {
  std::vector<const void*> arguments(scan.inputs.size() + scan.carries.size());
  std::vector<void*> results(scan.outputs.size() + scan.carries.size());
  for (size_t i = 0; i < scan.carries.size(); ++i) {
    void* carry = scan.carries[i].mutable_untyped_data();
    arguments[scan.inputs.size() + i] = carry;
    results[scan.outputs.size() + i] = carry;
  }
  std::vector<std::byte*> outputs;
  outputs.reserve(scan.outputs.size());
  for (Literal& output : scan.outputs) {
    outputs.push_back(output.mutable_untyped_data());
  }
  for (int64_t iteration = 0; iteration < scan.length; ++iteration) {
    const int64_t index = scan.IndexOf(iteration);
    for (size_t i = 0; i < scan.inputs.size(); ++i) {
      const Literal& input = scan.inputs[i];
      arguments[i] = input.untyped_data() +
                     index * StorageBytes(input.shape().element_type());
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      results[i] = outputs[i] +
                   index * StorageBytes(scan.outputs[i].shape().element_type());
    }
    RETURN_IF_ERROR(body.Run(1, arguments, absl::MakeConstSpan(results)));
  }
  return absl::OkStatus();
}

absl::Status Iterate(const Computation& computation, Scan& scan,
                     EvaluationContext& context) {
  if (!IsScalarScan(computation, scan)) {
    return IterateByCalls(computation, scan, context);
  }
  ElementTypes types;
  AppendElementTypes(scan.inputs, types);
  AppendElementTypes(scan.carries, types);
  ElementTypes result_types;
  AppendElementTypes(scan.outputs, result_types);
  AppendElementTypes(scan.carries, result_types);
  ASSIGN_OR_RETURN(ScalarBody body, ScalarBody::Create(computation, types,
                                                       result_types, context));
  return IterateScalars(body, scan);
}

}  // namespace

absl::StatusOr<Literal> EvaluateScan(const Instruction& instruction,
                                     absl::Span<Literal> operands,
                                     EvaluationContext& context) {
  Scan scan = StartScan(instruction, operands);
  RETURN_IF_ERROR(Iterate(*instruction.to_apply(), scan, context));
  std::vector<Literal> values = std::move(scan.outputs);
  for (Literal& carry : scan.carries) {
    const Shape& shape =
        ResultShape(instruction, static_cast<int64_t>(values.size()));
    values.push_back(std::move(carry).WithShape(shape));
  }
  if (!instruction.shape().IsTuple()) return std::move(values[0]);
  return Literal::Tuple(std::move(values));
}

}  // namespace hilo::hlo
