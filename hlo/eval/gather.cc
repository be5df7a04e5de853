// Evaluates gather.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/start_indices.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {
namespace {

// One term of an offset: an index component, or a batch coordinate, times a
// stride.
struct ComponentTerm {
  int64_t dimension_size = 0;
  int64_t slice_size = 0;
  int64_t stride = 0;
};
struct BatchTerm {
  int64_t source_stride = 0;
  int64_t destination_stride = 0;
};

class Gatherer {
 public:
  Gatherer(const Instruction& instruction, const Literal& operand,
           const Literal& indices);

  void Run(Literal& result);

 private:
  void AddSliceLoops(const Instruction& instruction);
  void AddTerms(const Instruction& instruction);
  void RunElements(std::byte* destination, int bytes);
  int64_t SourceOffset() const;
  int64_t DestinationOffset() const;

  const Literal& operand_;
  StartIndices starts_;
  DimensionVector operand_strides_;
  DimensionVector result_strides_;
  StridedDimensions slice_loops_;
  absl::InlinedVector<ComponentTerm, 4> component_terms_;
  absl::InlinedVector<BatchTerm, 4> batch_terms_;
};

Gatherer::Gatherer(const Instruction& instruction, const Literal& operand,
                   const Literal& indices)
    : operand_(operand),
      starts_(indices, instruction.index_vector_dim()),
      operand_strides_(RowMajorStrides(operand.shape().dimensions())),
      result_strides_(RowMajorStrides(instruction.shape().dimensions())) {
  AddSliceLoops(instruction);
  AddTerms(instruction);
}

// Result dimension offset_dims[i] walks along the i-th operand dimension that
// is neither collapsed nor a batch.
void Gatherer::AddSliceLoops(const Instruction& instruction) {
  size_t next_offset_dim = 0;
  for (int64_t i = 0; i < operand_.shape().rank(); ++i) {
    if (Contains(instruction.collapsed_slice_dims(), i)) continue;
    if (Contains(instruction.operand_batching_dims(), i)) continue;
    const int64_t offset_dim = instruction.offset_dims()[next_offset_dim++];
    slice_loops_.push_back({.size = instruction.slice_sizes()[i],
                            .source_stride = operand_strides_[i],
                            .destination_stride = result_strides_[offset_dim]});
  }
}

void Gatherer::AddTerms(const Instruction& instruction) {
  for (const int64_t dimension : instruction.start_index_map()) {
    component_terms_.push_back(
        {.dimension_size = operand_.shape().dimension(dimension),
         .slice_size = instruction.slice_sizes()[dimension],
         .stride = operand_strides_[dimension]});
  }
  for (int64_t i = 0; i < instruction.shape().rank(); ++i) {
    if (Contains(instruction.offset_dims(), i)) continue;
    batch_terms_.push_back(
        {.source_stride = 0, .destination_stride = result_strides_[i]});
  }
  const DimensionVector& operand_dims = instruction.operand_batching_dims();
  const DimensionVector& indices_dims =
      instruction.start_indices_batching_dims();
  for (size_t i = 0; i < operand_dims.size(); ++i) {
    batch_terms_[starts_.BatchDimensionOf(indices_dims[i])].source_stride +=
        operand_strides_[operand_dims[i]];
  }
}

int64_t Gatherer::SourceOffset() const {
  int64_t offset = 0;
  for (size_t k = 0; k < component_terms_.size(); ++k) {
    const ComponentTerm& term = component_terms_[k];
    offset += ClampStart(starts_.Component(static_cast<int64_t>(k)),
                         term.dimension_size, term.slice_size) *
              term.stride;
  }
  for (size_t i = 0; i < batch_terms_.size(); ++i) {
    offset += starts_.position()[i] * batch_terms_[i].source_stride;
  }
  return offset;
}

int64_t Gatherer::DestinationOffset() const {
  int64_t offset = 0;
  for (size_t i = 0; i < batch_terms_.size(); ++i) {
    offset += starts_.position()[i] * batch_terms_[i].destination_stride;
  }
  return offset;
}

// Slices of one element fill the result in order.
void Gatherer::RunElements(std::byte* destination, int bytes) {
  constexpr size_t kBlockElements = 256;
  std::vector<int64_t> offsets;
  bool has_next = true;
  while (has_next) {
    offsets.clear();
    while (has_next && offsets.size() < kBlockElements) {
      offsets.push_back(SourceOffset());
      has_next = starts_.Next();
    }
    GatherPermuted(destination, operand_.untyped_data(), offsets, bytes);
    destination += static_cast<int64_t>(offsets.size()) * bytes;
  }
}

void Gatherer::Run(Literal& result) {
  const int bytes = StorageBytes(operand_.shape().element_type());
  const CopyPlan plan(slice_loops_, bytes);
  std::byte* destination = result.mutable_untyped_data();
  if (result.element_count() == starts_.count()) {
    RunElements(destination, bytes);
    return;
  }
  do {
    plan.Run(destination + DestinationOffset() * bytes,
             operand_.untyped_data() + SourceOffset() * bytes);
  } while (starts_.Next());
}

}  // namespace

absl::StatusOr<Literal> EvaluateGather(const Instruction& instruction,
                                       absl::Span<Literal> operands,
                                       EvaluationContext& /*context*/) {
  Literal result(instruction.shape());
  // Collapsed slices of size 0 give zeros.
  if (result.element_count() == 0 || operands[0].element_count() == 0 ||
      Contains(instruction.slice_sizes(), 0)) {
    return result;
  }
  Gatherer(instruction, operands[0], operands[1]).Run(result);
  return result;
}

}  // namespace hilo::hlo
