// Transposes and copies between layouts that turn the fastest dimension: square
// tiles are read by rows, turned in registers, and written by rows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Type.h"
#include "llvm/Support/Alignment.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Shape;

// Elements along each side of what is walked at once: both arrays' part of it
// stays in the first-level cache.
constexpr int64_t kBlock = 64;

// One loop over the result, with its strides in both arrays, in elements.
struct TransposeLoop {
  int64_t size = 1;
  int64_t from = 0;
  int64_t to = 0;
};

// The loops of a transpose or copy that are left when neighbours are joined;
// outermost first, by the result's memory.
std::vector<TransposeLoop> LoopsOf(const Instruction& instruction) {
  const Shape& to = instruction.shape();
  const Shape& from = instruction.operand_shape(0);
  const DimensionVector to_strides = LayoutStrides(to);
  const DimensionVector from_strides = LayoutStrides(from);
  const bool is_copy = instruction.opcode() == hlo::Opcode::kCopy;
  std::vector<TransposeLoop> loops;
  for (int64_t d = 0; d < to.rank(); ++d) {
    const int64_t source =
        is_copy ? d : instruction.dimensions()[static_cast<size_t>(d)];
    if (to.dimension(d) == 1) continue;
    loops.push_back({.size = to.dimension(d),
                     .from = from_strides[static_cast<size_t>(source)],
                     .to = to_strides[static_cast<size_t>(d)]});
  }
  std::ranges::sort(loops, [](const TransposeLoop& a, const TransposeLoop& b) {
    return a.to > b.to;
  });
  std::vector<TransposeLoop> joined;
  for (const TransposeLoop& loop : loops) {
    TransposeLoop* outer = joined.empty() ? nullptr : &joined.back();
    if (outer != nullptr && outer->to == loop.to * loop.size &&
        outer->from == loop.from * loop.size) {
      *outer = {
          .size = outer->size * loop.size, .from = loop.from, .to = loop.to};
    } else {
      joined.push_back(loop);
    }
  }
  return joined;
}

class Transpose {
 public:
  Transpose(const Instruction& instruction, KernelFunction& function,
            const passes::TargetTraits& traits)
      : function_(function),
        bytes_(hlo::StorageBytes(instruction.shape().element_type())),
        lanes_(static_cast<int>(std::min<int64_t>(traits.vector_bytes / bytes_,
                                                  traits.vector_bytes / 4))),
        outer_(LoopsOf(instruction)) {
    rows_ = outer_.back();
    outer_.pop_back();
    const auto fastest = std::ranges::find_if(
        outer_, [](const TransposeLoop& loop) { return loop.from == 1; });
    columns_ = *fastest;
    outer_.erase(fastest);
    for (const TransposeLoop& loop : outer_) units_ *= loop.size;
    units_ *= Blocks();
  }

  // Bands of the dimension that is fastest in the operand.
  int64_t Blocks() const { return (columns_.size + kBlock - 1) / kBlock; }
  int64_t units() const { return units_; }
  double UnitNanoseconds() const {
    return static_cast<double>(kBlock * rows_.size * bytes_) * 0.1;
  }

  absl::Status Emit() {
    return EmitLoop(function_.builder(), function_.begin(), function_.end(), 1,
                    [&](llvm::Value* unit) { return EmitUnit(unit); });
  }

 private:
  llvm::Value* Number(int64_t value) {
    return function_.builder().getInt64(static_cast<uint64_t>(value));
  }
  llvm::Value* Plus(llvm::Value* pointer, llvm::Value* count, int64_t stride) {
    llvm::IRBuilder<>& builder = function_.builder();
    return builder.CreatePtrAdd(
        pointer, builder.CreateMul(count, Number(stride * bytes_)));
  }

  absl::Status EmitUnit(llvm::Value* unit) {
    llvm::IRBuilder<>& builder = function_.builder();
    llvm::Value* from = function_.operand(0);
    llvm::Value* to = function_.output(0);
    llvm::Value* band = builder.CreateURem(unit, Number(Blocks()));
    llvm::Value* rest = builder.CreateUDiv(unit, Number(Blocks()));
    for (size_t i = outer_.size(); i-- > 0;) {
      llvm::Value* counter = builder.CreateURem(rest, Number(outer_[i].size));
      rest = builder.CreateUDiv(rest, Number(outer_[i].size));
      from = Plus(from, counter, outer_[i].from);
      to = Plus(to, counter, outer_[i].to);
    }
    llvm::Value* first = builder.CreateMul(band, Number(kBlock));
    llvm::Value* end =
        MinIndex(builder, builder.CreateAdd(first, Number(kBlock)),
                 Number(columns_.size));
    return EmitLoop(builder, rows_.size, kBlock, [&](llvm::Value* row) {
      llvm::Value* row_end = MinIndex(
          builder, builder.CreateAdd(row, Number(kBlock)), Number(rows_.size));
      return EmitBlock(from, to, row, row_end, first, end);
    });
  }

  // Rows [row, row_end) times columns [column, column_end): whole tiles, then
  // the columns and the rows that fill none.
  absl::Status EmitBlock(llvm::Value* from, llvm::Value* to, llvm::Value* row,
                         llvm::Value* row_end, llvm::Value* column,
                         llvm::Value* column_end) {
    llvm::IRBuilder<>& builder = function_.builder();
    const auto whole = [&](llvm::Value* begin, llvm::Value* end) {
      llvm::Value* length = builder.CreateSub(end, begin);
      return builder.CreateSub(end, builder.CreateURem(length, Number(lanes_)));
    };
    llvm::Value* whole_rows = whole(row, row_end);
    llvm::Value* whole_columns = whole(column, column_end);
    using Tile = std::function<void(llvm::Value*, llvm::Value*)>;
    const auto loops = [&](llvm::Value* r0, llvm::Value* r1, int64_t r_step,
                           llvm::Value* c0, llvm::Value* c1, int64_t c_step,
                           const Tile& tile) -> absl::Status {
      return EmitLoop(builder, r0, r1, r_step, [&](llvm::Value* r) {
        return EmitLoop(builder, c0, c1, c_step, [&](llvm::Value* c) {
          tile(Plus(Plus(from, r, rows_.from), c, 1),
               Plus(Plus(to, r, 1), c, columns_.to));
          return absl::OkStatus();
        });
      });
    };
    const Tile turn = [&](llvm::Value* source, llvm::Value* target) {
      TurnTile(source, target);
    };
    const Tile move = [&](llvm::Value* source, llvm::Value* target) {
      llvm::Type* type = ElementType();
      builder.CreateAlignedStore(
          builder.CreateAlignedLoad(type, source, llvm::Align(1)), target,
          llvm::Align(1));
    };
    RETURN_IF_ERROR(
        loops(row, whole_rows, lanes_, column, whole_columns, lanes_, turn));
    RETURN_IF_ERROR(
        loops(row, whole_rows, 1, whole_columns, column_end, 1, move));
    return loops(whole_rows, row_end, 1, column, column_end, 1, move);
  }

  llvm::Type* ElementType() {
    return function_.builder().getIntNTy(static_cast<unsigned>(bytes_) * 8);
  }

  // Reads `lanes_` vectors along the operand's rows, swaps elements across the
  // diagonal in log2(lanes) steps, and writes them along the result's rows.
  void TurnTile(llvm::Value* source, llvm::Value* target) {
    llvm::IRBuilder<>& builder = function_.builder();
    llvm::Type* type = llvm::FixedVectorType::get(
        ElementType(), static_cast<unsigned>(lanes_));
    std::vector<llvm::Value*> rows;
    rows.reserve(static_cast<size_t>(lanes_));
    for (int i = 0; i < lanes_; ++i) {
      rows.push_back(builder.CreateAlignedLoad(
          type, Plus(source, Number(i), rows_.from), llvm::Align(1)));
    }
    for (int step = 1; step < lanes_; step *= 2) {
      std::vector<int> low;
      std::vector<int> high;
      for (int lane = 0; lane < lanes_; ++lane) {
        const bool is_upper = (lane & step) != 0;
        low.push_back(is_upper ? lanes_ + lane - step : lane);
        high.push_back(is_upper ? lanes_ + lane : lane + step);
      }
      for (int i = 0; i < lanes_; ++i) {
        if ((i & step) != 0) continue;
        const auto first = static_cast<size_t>(i);
        const size_t second = first + static_cast<size_t>(step);
        llvm::Value* a = rows[first];
        llvm::Value* b = rows[second];
        rows[first] = builder.CreateShuffleVector(a, b, low);
        rows[second] = builder.CreateShuffleVector(a, b, high);
      }
    }
    for (int i = 0; i < lanes_; ++i) {
      builder.CreateAlignedStore(rows[static_cast<size_t>(i)],
                                 Plus(target, Number(i), columns_.to),
                                 llvm::Align(1));
    }
  }

  KernelFunction& function_;
  int64_t bytes_;
  int lanes_;
  std::vector<TransposeLoop> outer_;
  // Fastest in the result, and in the operand.
  TransposeLoop rows_;
  TransposeLoop columns_;
  int64_t units_ = 1;
};

}  // namespace

bool IsTiledTranspose(const Instruction& instruction) {
  // Narrower sides leave most of a tile empty.
  constexpr int64_t kLeastSide = 4;
  const hlo::Opcode opcode = instruction.opcode();
  if (opcode != hlo::Opcode::kTranspose && opcode != hlo::Opcode::kCopy) {
    return false;
  }
  const Shape& shape = instruction.shape();
  if (!shape.IsArray() || shape.ElementCount() == 0 ||
      hlo::StorageBytes(shape.element_type()) > 8 ||
      shape.BufferElementBits() < 8 ||
      instruction.operand_shape(0).BufferElementBits() < 8) {
    return false;
  }
  const std::vector<TransposeLoop> loops = LoopsOf(instruction);
  if (loops.size() < 2 || loops.back().from == 1 ||
      loops.back().size < kLeastSide) {
    return false;
  }
  return std::ranges::any_of(loops, [](const TransposeLoop& loop) {
    return loop.from == 1 && loop.size >= kLeastSide;
  });
}

absl::StatusOr<Kernel> EmitTransposeKernel(const Instruction& instruction,
                                           absl::string_view name,
                                           KernelContext& context) {
  KernelFunction function(instruction, name, context);
  Transpose transpose(instruction, function, context.traits);
  RETURN_IF_ERROR(transpose.Emit());
  function.Finish();
  return Kernel{
      .name = std::string(name),
      .units = transpose.units(),
      .grain = ChooseGrain(transpose.units(), transpose.UnitNanoseconds(),
                           context.traits),
      .scratch_bytes = 0};
}

}  // namespace hilo::backends
