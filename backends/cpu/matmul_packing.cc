// Copies operands into panels and into unpadded, converted form.
#include "backends/cpu/matmul_packing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/Alignment.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_tile.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// The vector, of which LLVM knows no more: it would search long for better ways
// to do several shuffles at once, and find none.
llvm::Value* Opaque(llvm::IRBuilderBase& builder, llvm::Value* vector) {
  constexpr unsigned kFloatBits = 32;
  llvm::Type* type = vector->getType();
  const auto bits =
      static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  if (bits % kFloatBits != 0) return vector;
  llvm::Type* floats =
      llvm::FixedVectorType::get(builder.getFloatTy(), bits / kFloatBits);
  llvm::Value* fenced =
      builder.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {floats},
                              {builder.CreateBitCast(vector, floats)});
  return builder.CreateBitCast(fenced, type);
}

// Writes the rows of a square of elements as columns: `rows` are vectors of as
// many lanes as there are rows.
std::vector<llvm::Value*> TransposeSquare(llvm::IRBuilderBase& builder,
                                          std::vector<llvm::Value*> rows) {
  const int size = static_cast<int>(rows.size());
  // Exchanges blocks off the diagonal, of half the size each time.
  for (int block = size / 2; block > 0; block /= 2) {
    llvm::SmallVector<int, 16> low;
    llvm::SmallVector<int, 16> high;
    for (int i = 0; i < size; ++i) {
      const bool is_second = (i / block) % 2 == 1;
      low.push_back(is_second ? size + i - block : i);
      high.push_back(is_second ? size + i : i + block);
    }
    for (int i = 0; i < size; ++i) {
      if ((i / block) % 2 == 1) continue;
      llvm::Value* a = rows[i];
      llvm::Value* b = rows[i + block];
      rows[i] = builder.CreateShuffleVector(a, b, low);
      rows[i + block] = builder.CreateShuffleVector(a, b, high);
    }
    if (block == 1) break;
    for (llvm::Value*& row : rows) row = Opaque(builder, row);
  }
  return rows;
}

// Packs one panel.
class PanelPacker {
 public:
  PanelPacker(MatmulCode& code, const PanelShape& shape, int width)
      : code_(code),
        plan_(code.plan()),
        builder_(code.builder()),
        shape_(shape),
        width_(width),
        source_type_(plan_.rhs_copy.is_enabled ? plan_.accumulator_type
                                               : plan_.rhs_type),
        source_bytes_(hlo::StorageBytes(source_type_)) {
    for (size_t level = 0; level < plan_.depth.size(); ++level) {
      panel_strides_.push_back(TileRhsDepthStride(code, width, level));
    }
  }

  absl::Status Emit(llvm::Value* source, llvm::Value* steps,
                    llvm::Value* panel) {
    return EmitLevel(0, source, steps, panel);
  }

 private:
  absl::Status EmitLevel(size_t level, llvm::Value* source, llvm::Value* steps,
                         llvm::Value* panel) {
    if (level + 1 == plan_.depth.size()) {
      return IsTransposed() ? EmitTransposed(source, steps, panel)
                            : EmitSteps(code_.Int(0), steps, source, panel);
    }
    return EmitLoop(
        builder_, code_.Int(0), code_.Int(plan_.depth[level].size), 1,
        [&](llvm::Value* i) {
          return EmitLevel(
              level + 1,
              code_.Advance(source, i,
                            plan_.depth[level].rhs_stride * source_bytes_),
              steps, code_.Advance(panel, i, panel_strides_[level]));
        });
  }

  int64_t ColumnStride() const {
    return plan_.columns.back().rhs_stride * source_bytes_;
  }
  int64_t StepStride() const {
    return plan_.depth.back().rhs_stride * source_bytes_;
  }
  bool IsTransposed() const {
    const int64_t next = plan_.pairs_depth ? 2 : 1;
    return plan_.columns.back().rhs_stride != 1 &&
           plan_.depth.back().rhs_stride == next && plan_.lanes > 1 &&
           plan_.depth.back().size >= plan_.lanes;
  }

  ElementValue LoadVector(llvm::Value* source, int vector) {
    const ElementValue value = LoadStep(source, vector);
    if (!plan_.pairs_depth) return value;
    return code_.Pair(
        value, LoadStep(code_.Advance(source, StepStride() / 2), vector));
  }

  ElementValue LoadStep(llvm::Value* source, int vector) {
    llvm::Value* start =
        code_.Advance(source, ColumnStride() * plan_.lanes * vector);
    const int active = code_.ActiveLanes(shape_, vector);
    if (plan_.columns.back().rhs_stride == 1 || plan_.lanes == 1) {
      return code_.LoadOperand(source_type_, start, plan_.lanes,
                               code_.Mask(plan_.lanes, active));
    }
    std::vector<ElementValue> scalars;
    for (int lane = 0; lane < plan_.lanes; ++lane) {
      // Repeats the last column where there are no more.
      const int column = std::min(lane, active - 1);
      scalars.push_back(code_.scalars().Load(
          source_type_, code_.Advance(start, column * ColumnStride()), 1,
          nullptr));
    }
    const ElementValue value = code_.Gather(scalars);
    return source_type_ == plan_.accumulator_type
               ? value
               : code_.scalars().Convert(value, source_type_,
                                         plan_.accumulator_type);
  }

  void StoreVector(const ElementValue& value, llvm::Value* panel, int vector) {
    code_.scalars().Store(
        plan_.accumulator_type, value,
        code_.Advance(panel, code_.accumulator_bytes() * plan_.lanes * vector),
        nullptr);
  }

  void StoreZeros(llvm::Value* panel) {
    for (int v = shape_.vectors; v < width_; ++v) {
      StoreVector(code_.Zero(plan_.lanes), panel, v);
    }
  }

  // Steps begin ... end of the last depth loop, one after the other.
  absl::Status EmitSteps(llvm::Value* begin, llvm::Value* end,
                         llvm::Value* source, llvm::Value* panel) {
    return EmitLoop(
        builder_, begin, end, 1, [&](llvm::Value* k) -> absl::Status {
          llvm::Value* from = code_.Advance(source, k, StepStride());
          llvm::Value* to = code_.Advance(panel, k, panel_strides_.back());
          RETURN_IF_ERROR(EmitStep(from, to));
          StoreZeros(to);
          return absl::OkStatus();
        });
  }

  // Vectors that are much code to load, of elements that lie apart or in pairs:
  // full ones in a loop.
  absl::Status EmitStep(llvm::Value* source, llvm::Value* panel) {
    const bool are_long =
        plan_.lanes > 1 &&
        (plan_.columns.back().rhs_stride != 1 || plan_.pairs_depth);
    const int full = FullVectors();
    if (are_long) {
      RETURN_IF_ERROR(EmitLoop(builder_, full, 1, [&](llvm::Value* vector) {
        llvm::Value* from =
            code_.Advance(source, vector, plan_.lanes * ColumnStride());
        llvm::Value* to = code_.Advance(
            panel, vector, plan_.lanes * code_.accumulator_bytes());
        StoreVector(LoadVector(from, 0), to, 0);
        return absl::OkStatus();
      }));
    }
    for (int v = are_long ? full : 0; v < shape_.vectors; ++v) {
      StoreVector(LoadVector(source, v), panel, v);
    }
    return absl::OkStatus();
  }

  int FullVectors() const {
    return shape_.vectors - (shape_.tail_lanes != plan_.lanes ? 1 : 0);
  }

  // Squares of lanes x lanes elements, turned around in registers.
  absl::Status EmitTransposed(llvm::Value* source, llvm::Value* steps,
                              llvm::Value* panel) {
    const int lanes = plan_.lanes;
    llvm::Value* whole = builder_.CreateAnd(steps, code_.Int(-int64_t{lanes}));
    RETURN_IF_ERROR(
        EmitLoop(builder_, code_.Int(0), whole, lanes, [&](llvm::Value* k) {
          llvm::Value* from = code_.Advance(source, k, StepStride());
          llvm::Value* to = code_.Advance(panel, k, panel_strides_.back());
          return EmitSquares(from, to);
        }));
    if (plan_.depth.back().size % lanes == 0 &&
        plan_.depth_block % lanes == 0) {
      return absl::OkStatus();
    }
    return EmitSteps(whole, steps, source, panel);
  }

  // The squares of all vectors, side by side: full ones in a loop.
  absl::Status EmitSquares(llvm::Value* source, llvm::Value* panel) {
    const int lanes = plan_.lanes;
    const int64_t source_stride = lanes * ColumnStride();
    const int64_t panel_stride = lanes * code_.accumulator_bytes();
    const int full = FullVectors();
    RETURN_IF_ERROR(EmitLoop(
        builder_, code_.Int(0), code_.Int(full), 1, [&](llvm::Value* vector) {
          EmitSquare(code_.Advance(source, vector, source_stride),
                     code_.Advance(panel, vector, panel_stride), lanes);
          return absl::OkStatus();
        }));
    if (full < shape_.vectors) {
      EmitSquare(code_.Advance(source, full * source_stride),
                 code_.Advance(panel, full * panel_stride), shape_.tail_lanes);
    }
    for (int step = 0; shape_.vectors < width_ && step < lanes; ++step) {
      StoreZeros(code_.Advance(panel, step * panel_strides_.back()));
    }
    return absl::OkStatus();
  }

  void EmitSquare(llvm::Value* source, llvm::Value* panel, int active) {
    const int lanes = plan_.lanes;
    std::vector<llvm::Value*> real;
    std::vector<llvm::Value*> imag;
    for (int lane = 0; lane < lanes; ++lane) {
      const int column = std::min(lane, active - 1);
      llvm::Value* start = code_.Advance(source, column * ColumnStride());
      const ElementValue row =
          plan_.pairs_depth
              ? code_.LoadNeighbours(source_type_, start, lanes)
              : code_.LoadOperand(source_type_, start, lanes, nullptr);
      real.push_back(row.real);
      if (row.imag != nullptr) imag.push_back(row.imag);
    }
    real = TransposeSquare(builder_, std::move(real));
    if (!imag.empty()) imag = TransposeSquare(builder_, std::move(imag));
    for (int step = 0; step < lanes; ++step) {
      StoreVector({real[step], imag.empty() ? nullptr : imag[step]},
                  code_.Advance(panel, step * panel_strides_.back()), 0);
    }
  }

  MatmulCode& code_;
  const MatmulPlan& plan_;
  llvm::IRBuilderBase& builder_;
  PanelShape shape_;
  // Vectors that a step takes in the panel.
  int width_;
  hlo::ElementType source_type_;
  int64_t source_bytes_;
  std::vector<int64_t> panel_strides_;
};

// The part of a dimension that is copied: source elements begin ... end.
struct SourceRange {
  llvm::Value* begin = nullptr;
  llvm::Value* end = nullptr;
  // Position in the copy of source element 0.
  llvm::Value* offset = nullptr;
};

// Copies an operand, or a block of it.
class OperandCopier {
 public:
  OperandCopier(MatmulCode& code, const OperandCopy& copy,
                hlo::ElementType source_type)
      : code_(code),
        builder_(code.builder()),
        copy_(copy),
        source_type_(source_type) {}

  absl::Status Emit(llvm::Value* source, llvm::Value* first, llvm::Value* count,
                    llvm::Value* destination) {
    size_t inner = copy_.dimensions.size() - 1;
    for (size_t d = 0; d < copy_.dimensions.size(); ++d) {
      const OperandCopyDimension& dimension = copy_.dimensions[d];
      const bool is_block = std::cmp_equal(d, copy_.block_dimension);
      ranges_.push_back(is_block ? BlockRange(dimension, first, count)
                                 : WholeRange(dimension));
      if (IsContiguous(dimension)) inner = d;
    }
    if (copy_.has_holes) {
      builder_.CreateMemSet(
          destination, builder_.getInt8(0),
          static_cast<uint64_t>(copy_.elements * code_.accumulator_bytes()),
          llvm::MaybeAlign(4));
    }
    for (size_t d = 0; d < copy_.dimensions.size(); ++d) {
      if (d != inner) order_.push_back(d);
    }
    order_.push_back(inner);
    return EmitLoops(0, source, destination);
  }

 private:
  // Whether the dimension's steps come in pairs of neighbours.
  bool HasNeighbours(const OperandCopyDimension& dimension) const {
    return copy_.pair_stride == 1 && dimension.source_stride == 2;
  }
  bool IsContiguous(const OperandCopyDimension& dimension) const {
    return dimension.copy_stride == 1 &&
           (dimension.source_stride == 1 || HasNeighbours(dimension)) &&
           dimension.dilation == 1 && dimension.size > 1;
  }

  SourceRange WholeRange(const OperandCopyDimension& d) {
    // Source element s lies at s * dilation + padding_low < size.
    const int64_t begin =
        d.padding_low >= 0 ? 0 : (-d.padding_low + d.dilation - 1) / d.dilation;
    const int64_t last = d.size - 1 - d.padding_low;
    const int64_t end =
        last < 0 ? 0 : std::min(d.source_size, last / d.dilation + 1);
    return {code_.Int(begin), code_.Int(std::max(begin, end)),
            code_.Int(d.padding_low)};
  }

  SourceRange BlockRange(const OperandCopyDimension& d, llvm::Value* first,
                         llvm::Value* count) {
    llvm::Value* zero = code_.Int(0);
    llvm::Value* dilation = code_.Int(d.dilation);
    const auto divide = [&](llvm::Value* x) {
      return d.dilation == 1 ? x : builder_.CreateSDiv(x, dilation);
    };
    // The copy begins at position `origin` of the padded operand.
    llvm::Value* origin =
        builder_.CreateMul(first, code_.Int(copy_.block_step));
    llvm::Value* offset = builder_.CreateSub(code_.Int(d.padding_low), origin);
    // Source element s lies at s * dilation + offset, which must be >= 0 ...
    llvm::Value* begin =
        MaxIndex(builder_, zero,
                 divide(builder_.CreateSub(code_.Int(d.dilation - 1), offset)));
    // ... and at most the last position.
    llvm::Value* last = builder_.CreateAdd(
        builder_.CreateMul(builder_.CreateSub(count, code_.Int(1)),
                           code_.Int(copy_.block_step)),
        code_.Int(copy_.block_extent - 1));
    llvm::Value* room = builder_.CreateSub(last, offset);
    llvm::Value* end =
        builder_.CreateSelect(builder_.CreateICmpSLT(room, zero), zero,
                              builder_.CreateAdd(divide(room), code_.Int(1)));
    end = MinIndex(builder_, end, code_.Int(d.source_size));
    return {begin, end, offset};
  }

  absl::Status EmitLoops(size_t depth, llvm::Value* source,
                         llvm::Value* destination) {
    const size_t d = order_[depth];
    const OperandCopyDimension& dimension = copy_.dimensions[d];
    const SourceRange& range = ranges_[d];
    const int64_t source_bytes =
        dimension.source_stride * hlo::StorageBytes(source_type_);
    const int64_t copy_bytes =
        dimension.copy_stride * code_.accumulator_bytes();
    destination = code_.Advance(destination, range.offset, copy_bytes);
    const auto place = [&](llvm::Value* s) {
      return std::pair(
          code_.Advance(source, s, source_bytes),
          code_.Advance(destination, s, copy_bytes * dimension.dilation));
    };
    if (depth + 1 < order_.size()) {
      return EmitLoop(builder_, range.begin, range.end, 1, [&](llvm::Value* s) {
        const auto [from, to] = place(s);
        return EmitLoops(depth + 1, from, to);
      });
    }
    llvm::Value* begin = range.begin;
    if (IsContiguous(dimension)) {
      ASSIGN_OR_RETURN(begin,
                       EmitVectors(range, HasNeighbours(dimension), place));
    }
    return EmitLoop(builder_, begin, range.end, 1, [&](llvm::Value* s) {
      const auto [from, to] = place(s);
      Move(from, to, 1, /*has_neighbours=*/false);
      return absl::OkStatus();
    });
  }

  // Copies whole vectors and returns where they end.
  template <typename Place>
  absl::StatusOr<llvm::Value*> EmitVectors(const SourceRange& range,
                                           bool has_neighbours, Place place) {
    const int64_t bytes = std::max<int64_t>(code_.accumulator_bytes(), 1);
    const int lanes = static_cast<int>(std::max<int64_t>(32 / bytes, 2));
    llvm::Value* length = builder_.CreateSub(range.end, range.begin);
    llvm::Value* whole = builder_.CreateAdd(
        range.begin, builder_.CreateAnd(length, code_.Int(-int64_t{lanes})));
    RETURN_IF_ERROR(
        EmitLoop(builder_, range.begin, whole, lanes, [&](llvm::Value* s) {
          const auto [from, to] = place(s);
          Move(from, to, lanes, has_neighbours);
          return absl::OkStatus();
        }));
    // An empty range may end before it begins.
    return MaxIndex(builder_, range.begin, whole);
  }

  void Move(llvm::Value* from, llvm::Value* to, int lanes,
            bool has_neighbours) {
    code_.scalars().Store(code_.plan().accumulator_type,
                          Load(from, lanes, has_neighbours), to, nullptr);
  }

  ElementValue Load(llvm::Value* from, int lanes, bool has_neighbours) {
    if (has_neighbours) return code_.LoadNeighbours(source_type_, from, lanes);
    if (copy_.pair_stride == 0) {
      return code_.LoadOperand(source_type_, from, lanes, nullptr);
    }
    return code_.LoadPairs(source_type_, from,
                           copy_.pair_stride * hlo::StorageBytes(source_type_),
                           lanes, nullptr);
  }

  MatmulCode& code_;
  llvm::IRBuilderBase& builder_;
  const OperandCopy& copy_;
  hlo::ElementType source_type_;
  std::vector<SourceRange> ranges_;
  // Dimensions as they are looped over, outermost first.
  std::vector<size_t> order_;
};

}  // namespace

absl::Status EmitPackPanel(MatmulCode& code, const PanelShape& shape, int width,
                           llvm::Value* source, llvm::Value* steps,
                           llvm::Value* panel) {
  return PanelPacker(code, shape, width).Emit(source, steps, panel);
}

absl::Status EmitOperandCopy(MatmulCode& code, const OperandCopy& copy,
                             hlo::ElementType source_type, llvm::Value* source,
                             llvm::Value* first, llvm::Value* count,
                             llvm::Value* destination) {
  return OperandCopier(code, copy, source_type)
      .Emit(source, first, count, destination);
}

}  // namespace hilo::backends
