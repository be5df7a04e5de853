// Evaluates reduce.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/convert_floats.h"
#include "hlo/eval/fold_kernel.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/scalar_body.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Elements of one lane that are gathered together, for the cache's sake.
constexpr int64_t kTileElements = 16;
// Dense lanes shorter than this are not worth a loop of their own.
constexpr int64_t kMinDenseLanes = 16;

// The dimensions of the operands: those that stay and those that are folded.
struct ReduceLoops {
  // Source is the operand, destination the result.
  StridedDimensions kept;
  // Source is the operand.
  StridedDimensions reduced;
  int64_t output_count = 1;
  int64_t reduced_count = 1;
};

ReduceLoops FindLoops(const Shape& operand, const DimensionVector& dimensions) {
  const DimensionVector strides = RowMajorStrides(operand.dimensions());
  ReduceLoops loops;
  StridedDimensions kept;
  StridedDimensions reduced;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (Contains(dimensions, i)) {
      reduced.push_back({.size = operand.dimension(i),
                         .source_stride = strides[i],
                         .destination_stride = 0});
    } else {
      kept.push_back({.size = operand.dimension(i),
                      .source_stride = strides[i],
                      .destination_stride = 0});
    }
  }
  loops.kept = SimplifyLoops(kept);
  loops.reduced = SimplifyLoops(reduced);
  for (const StridedDimension& loop : loops.kept) {
    loops.output_count *= loop.size;
  }
  for (const StridedDimension& loop : loops.reduced) {
    loops.reduced_count *= loop.size;
  }
  return loops;
}

// Walks over loops in row-major order, giving the source offset.
class LoopWalk {
 public:
  explicit LoopWalk(absl::Span<const StridedDimension> loops)
      : loops_(loops), position_(loops.size(), 0) {}

  int64_t offset() const { return offset_; }
  void Next() {
    for (size_t i = loops_.size(); i-- > 0;) {
      offset_ += loops_[i].source_stride;
      if (++position_[i] < loops_[i].size) return;
      offset_ -= loops_[i].size * loops_[i].source_stride;
      position_[i] = 0;
    }
  }

 private:
  absl::Span<const StridedDimension> loops_;
  absl::InlinedVector<int64_t, 6> position_;
  int64_t offset_ = 0;
};

// Folds dense outputs, side by side, with a kernel.
void FoldDenseOutputs(const ReduceLoops& loops, const FoldKernel& kernel,
                      const std::byte* operand, std::byte* result,
                      int64_t count, int64_t bytes) {
  for (int64_t i = 0; i < count; i += ScalarBody::kMaxLanes) {
    const int64_t lanes = std::min(ScalarBody::kMaxLanes, count - i);
    LoopWalk reduced(loops.reduced);
    for (int64_t r = 0; r < loops.reduced_count; ++r, reduced.Next()) {
      kernel.fold_lanes(result + i * bytes,
                        operand + (i + reduced.offset()) * bytes, lanes, 1);
    }
  }
}

// Folds with a kernel. The result holds the initial values already.
void FoldWithKernel(const ReduceLoops& loops, const FoldKernel& kernel,
                    const std::byte* operand, std::byte* result,
                    int64_t bytes) {
  const StridedDimension& inner = loops.kept.back();
  if (inner.source_stride == 1 && inner.size >= kMinDenseLanes) {
    int64_t output = 0;
    ForEachRun(loops.kept, [&](int64_t base, int64_t /*count*/) {
      FoldDenseOutputs(loops, kernel, operand + base * bytes,
                       result + output * bytes, inner.size, bytes);
      output += inner.size;
    });
    return;
  }
  const StridedDimension& run = loops.reduced.back();
  LoopWalk kept(loops.kept);
  for (int64_t output = 0; output < loops.output_count; ++output) {
    ForEachRun(loops.reduced, [&](int64_t offset, int64_t) {
      kernel.fold_run(result + output * bytes,
                      operand + (kept.offset() + offset) * bytes, run.size,
                      run.source_stride);
    });
    kept.Next();
  }
}

// Folds blocks of outputs, the lanes, with any body.
class GeneralFold {
 public:
  GeneralFold(const ReduceLoops& loops, ScalarBody& body,
              absl::Span<const Literal> operands, absl::Span<Literal> results);

  absl::Status Run();

 private:
  struct Array {
    const std::byte* operand = nullptr;
    std::byte* result = nullptr;
    int operand_bytes = 0;
    int result_bytes = 0;
    // [kTileElements, lanes] operand elements.
    std::vector<std::byte> tile;
  };

  // The number of outputs to take next; they are dense if `is_dense_` is set.
  int64_t FindBlock(int64_t first);
  absl::Status FoldBlock(int64_t first, int64_t lanes);

  const ReduceLoops& loops_;
  ScalarBody& body_;
  std::vector<Array> arrays_;
  LoopWalk kept_;
  bool is_dense_ = false;
  std::vector<int64_t> bases_;
  std::array<int64_t, kTileElements> tile_offsets_ = {};
  std::vector<const void*> arguments_;
  std::vector<void*> accumulators_;
};

GeneralFold::GeneralFold(const ReduceLoops& loops, ScalarBody& body,
                         absl::Span<const Literal> operands,
                         absl::Span<Literal> results)
    : loops_(loops),
      body_(body),
      arrays_(results.size()),
      kept_(loops.kept),
      bases_(ScalarBody::kMaxLanes),
      arguments_(2 * results.size()),
      accumulators_(results.size()) {
  for (size_t i = 0; i < arrays_.size(); ++i) {
    Array& array = arrays_[i];
    array.operand = operands[i].untyped_data();
    array.result = results[i].mutable_untyped_data();
    array.operand_bytes = StorageBytes(operands[i].shape().element_type());
    array.result_bytes = StorageBytes(results[i].shape().element_type());
  }
}

int64_t GeneralFold::FindBlock(int64_t first) {
  const StridedDimension& inner = loops_.kept.back();
  int64_t lanes = std::min(ScalarBody::kMaxLanes, loops_.output_count - first);
  is_dense_ =
      lanes == 1 || (inner.source_stride == 1 && inner.size >= kMinDenseLanes);
  if (is_dense_) lanes = std::min(lanes, inner.size - first % inner.size);
  for (int64_t lane = 0; lane < lanes; ++lane, kept_.Next()) {
    bases_[lane] = kept_.offset();
  }
  return lanes;
}

absl::Status GeneralFold::Run() {
  for (Array& array : arrays_) {
    array.tile.resize(kTileElements * array.operand_bytes *
                      std::min(ScalarBody::kMaxLanes, loops_.output_count));
  }
  for (int64_t first = 0; first < loops_.output_count;) {
    const int64_t lanes = FindBlock(first);
    RETURN_IF_ERROR(FoldBlock(first, lanes));
    first += lanes;
  }
  return absl::OkStatus();
}

absl::Status GeneralFold::FoldBlock(int64_t first, int64_t lanes) {
  for (size_t i = 0; i < arrays_.size(); ++i) {
    accumulators_[i] = arrays_[i].result + first * arrays_[i].result_bytes;
    arguments_[i] = accumulators_[i];
  }
  LoopWalk reduced(loops_.reduced);
  for (int64_t r = 0; r < loops_.reduced_count; r += kTileElements) {
    const int64_t size = std::min(kTileElements, loops_.reduced_count - r);
    for (int64_t t = 0; t < size; ++t, reduced.Next()) {
      tile_offsets_[t] = reduced.offset();
    }
    for (Array& array : arrays_) {
      if (is_dense_) break;
      GatherMatrix(array.tile.data(), array.operand,
                   absl::MakeConstSpan(tile_offsets_.data(), size),
                   absl::MakeConstSpan(bases_).first(lanes),
                   array.operand_bytes);
    }
    for (int64_t t = 0; t < size; ++t) {
      for (size_t i = 0; i < arrays_.size(); ++i) {
        const Array& array = arrays_[i];
        arguments_[arrays_.size() + i] =
            is_dense_ ? array.operand +
                            (bases_[0] + tile_offsets_[t]) * array.operand_bytes
                      : array.tile.data() + t * lanes * array.operand_bytes;
      }
      RETURN_IF_ERROR(body_.Run(lanes, arguments_, accumulators_));
    }
  }
  return absl::OkStatus();
}

// The results, filled with the initial values.
std::vector<Literal> InitialResults(const Instruction& instruction,
                                    absl::Span<const Literal> initial_values) {
  std::vector<Literal> results;
  for (size_t i = 0; i < initial_values.size(); ++i) {
    const Shape& shape = ResultShape(instruction, static_cast<int64_t>(i));
    const ElementType type = shape.element_type();
    const Literal initial = ConvertFloats(initial_values[i], type);
    Literal& result = results.emplace_back(shape);
    FillElements(result.mutable_untyped_data(), result.element_count(),
                 initial.untyped_data(), StorageBytes(type));
  }
  return results;
}

absl::Status FoldInto(const Instruction& instruction,
                      absl::Span<Literal> results,
                      absl::Span<const Literal> operands,
                      EvaluationContext& context) {
  if (operands[0].element_count() == 0) return absl::OkStatus();
  const Computation& computation = *instruction.to_apply();
  const ReduceLoops loops =
      FindLoops(operands[0].shape(), instruction.dimensions());
  ElementTypes types;
  AppendElementTypes(results, types);
  const ElementTypes result_types = types;
  AppendElementTypes(operands, types);
  if (operands.size() == 1 && types[0] == types[1]) {
    if (const auto kernel = FindFoldKernel(computation, types[0])) {
      FoldWithKernel(loops, *kernel, operands[0].untyped_data(),
                     results[0].mutable_untyped_data(), StorageBytes(types[0]));
      return absl::OkStatus();
    }
  }
  ASSIGN_OR_RETURN(ScalarBody body, ScalarBody::Create(computation, types,
                                                       result_types, context));
  return GeneralFold(loops, body, operands, results).Run();
}

}  // namespace

absl::StatusOr<Literal> EvaluateReduce(const Instruction& instruction,
                                       absl::Span<Literal> operands,
                                       EvaluationContext& context) {
  const size_t count = operands.size() / 2;
  std::vector<Literal> results =
      InitialResults(instruction, operands.subspan(count));
  RETURN_IF_ERROR(FoldInto(instruction, absl::MakeSpan(results),
                           operands.first(count), context));
  if (!instruction.shape().IsTuple()) return std::move(results[0]);
  return Literal::Tuple(std::move(results));
}

}  // namespace hilo::hlo
