// Emits the kernels of matrix products, unit by unit.
#include "backends/cpu/matmul_emitter.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/feature_lanes.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_copies.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_nest.h"
#include "backends/cpu/matmul_packing.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_result.h"
#include "backends/cpu/matmul_tile.h"
#include "backends/cpu/matmul_unit.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// Emits the units of one kernel.
class MatmulKernel {
 public:
  MatmulKernel(MatmulCode& code, llvm::Function& function,
               const MatmulEpilogue& epilogue)
      : code_(code),
        plan_(code.plan()),
        builder_(code.builder()),
        arguments_(LoadMatmulArguments(code, function, epilogue)),
        units_(code, arguments_),
        result_(code, epilogue, arguments_) {}

  absl::Status Emit() {
    RETURN_IF_ERROR(
        EmitLoopWithValues(
            builder_, arguments_.first_unit, arguments_.end_unit, 1,
            units_.NoCopies(),
            [&](llvm::Value* unit, absl::Span<llvm::Value* const> copies) {
              return EmitUnit(unit, {copies.begin(), copies.end()});
            })
            .status());
    builder_.CreateRetVoid();
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<CarriedValues> EmitUnit(llvm::Value* number,
                                         CarriedValues copies);
  absl::Status EmitDepthBlock(const MatmulUnit& unit, llvm::Value* first_step);
  absl::Status EmitPacking(const MatmulPanel& panel, llvm::Value* source,
                           llvm::Value* steps, llvm::Value* destination);
  absl::Status EmitTile(int rows, llvm::Value* repeated_rows,
                        const MatmulPanel& panel, const TileOperands& operands,
                        llvm::Value* first_step, const MatmulCursor& cursor);
  absl::Status StoreTile(int rows, const PanelShape& shape,
                         std::vector<ElementValue> sums, const TilePart& part,
                         const MatmulCursor& cursor);

  MatmulCode& code_;
  const MatmulPlan& plan_;
  llvm::IRBuilderBase& builder_;
  MatmulArguments arguments_;
  MatmulUnits units_;
  MatmulResult result_;
};

absl::StatusOr<CarriedValues> MatmulKernel::EmitUnit(llvm::Value* number,
                                                     CarriedValues copies) {
  ASSIGN_OR_RETURN(const MatmulUnit unit, units_.Begin(number, copies));
  const int64_t depth = plan_.depth.back().size;
  if (plan_.lanes_along == MatmulLanes::kFeatures) {
    RETURN_IF_ERROR(EmitFeatureUnit(code_, result_, unit));
  } else if (plan_.depth_block >= depth) {
    RETURN_IF_ERROR(EmitDepthBlock(unit, code_.Int(0)));
  } else {
    RETURN_IF_ERROR(EmitLoop(
        builder_, code_.Int(0), code_.Int(depth), plan_.depth_block,
        [&](llvm::Value* step) { return EmitDepthBlock(unit, step); }));
  }
  return copies;
}

absl::Status MatmulKernel::EmitPacking(const MatmulPanel& panel,
                                       llvm::Value* source, llvm::Value* steps,
                                       llvm::Value* destination) {
  const auto pack = [&](const PanelShape& shape) {
    return EmitPackPanel(code_, shape, panel.shape.vectors, source, steps,
                         destination);
  };
  if (panel.is_last == nullptr) return pack(panel.shape);
  return EmitIf(
      builder_, panel.is_last, [&] { return pack(panel.last_shape); },
      [&] { return pack(panel.shape); });
}

// All tiles of a unit, over depth_block steps.
absl::Status MatmulKernel::EmitDepthBlock(const MatmulUnit& unit,
                                          llvm::Value* first_step) {
  const MatmulLoop& depth = plan_.depth.back();
  llvm::Value* steps = code_.Int(depth.size);
  if (plan_.depth_block < depth.size) {
    steps = code_.Int(plan_.depth_block);
    if (depth.size % plan_.depth_block != 0) {
      steps = MinIndex(builder_, steps,
                       builder_.CreateSub(code_.Int(depth.size), first_step));
    }
  }
  return EmitPanels(
      code_, unit,
      [&](const MatmulPanel& panel, llvm::Value* slot,
          const MatmulCursor& cursor) -> absl::Status {
        llvm::Value* rhs =
            code_.Advance(cursor.rhs, first_step,
                          depth.rhs_stride * code_.rhs_source_bytes());
        if (plan_.packs_rhs) {
          const int64_t panel_bytes = plan_.depth_count() *
                                      plan_.panel_columns() *
                                      code_.accumulator_bytes();
          llvm::Value* packed =
              KeepsPanels(plan_)
                  ? code_.Advance(arguments_.panels, slot, panel_bytes)
                  : arguments_.panels;
          packed = code_.Advance(packed, first_step,
                                 TileRhsDepthStride(code_, panel.shape.vectors,
                                                    plan_.depth.size() - 1));
          RETURN_IF_ERROR(EmitIf(builder_, unit.packs, [&] {
            return EmitPacking(panel, rhs, steps, packed);
          }));
          rhs = packed;
        }
        return EmitTiles(
            code_, unit, arguments_.skips_first, cursor,
            [&](int rows, llvm::Value* repeated_rows,
                const MatmulCursor& tile) {
              const TileOperands operands{
                  .lhs = code_.Advance(tile.lhs, first_step,
                                       depth.lhs_stride * code_.lhs_bytes()),
                  .rhs = rhs,
                  .steps = steps};
              return EmitTile(rows, repeated_rows, panel, operands, first_step,
                              tile);
            });
      });
}

absl::Status MatmulKernel::EmitTile(int rows, llvm::Value* repeated_rows,
                                    const MatmulPanel& panel,
                                    const TileOperands& operands,
                                    llvm::Value* first_step,
                                    const MatmulCursor& cursor) {
  const PanelShape& shape = panel.shape;
  if (plan_.lanes_along == MatmulLanes::kDepth) {
    ASSIGN_OR_RETURN(const std::vector<ElementValue> sums,
                     EmitDepthTile(code_, rows, shape.vectors, operands));
    return result_.StoreScalars(rows, shape.vectors, sums, cursor);
  }
  const std::vector<ElementValue> zeros(
      static_cast<size_t>(rows) * shape.vectors, code_.Zero(plan_.lanes));
  TilePart part;
  if (plan_.depth_block < plan_.depth.back().size) {
    result_.Prefetch(rows, shape, cursor);
    part.is_first = builder_.CreateICmpEQ(first_step, code_.Int(0));
    part.is_last =
        builder_.CreateICmpSGE(builder_.CreateAdd(first_step, operands.steps),
                               code_.Int(plan_.depth.back().size));
  }
  ASSIGN_OR_RETURN(const std::vector<ElementValue> sums,
                   EmitVectorTile(code_, rows, shape, operands, zeros));
  if (repeated_rows == nullptr && panel.is_last == nullptr) {
    return StoreTile(rows, shape, sums, part, cursor);
  }
  const auto columns_of = [&](const PanelShape& of) {
    return code_.Int(int64_t{of.vectors - 1} * plan_.lanes + of.tail_lanes);
  };
  llvm::Value* is_whole = builder_.getTrue();
  part.first_row = code_.Int(0);
  part.columns = columns_of(shape);
  if (repeated_rows != nullptr) {
    part.first_row = repeated_rows;
    is_whole = builder_.CreateICmpEQ(repeated_rows, code_.Int(0));
  }
  if (panel.is_last != nullptr) {
    part.columns = builder_.CreateSelect(
        panel.is_last, columns_of(panel.last_shape), part.columns);
    is_whole = builder_.CreateAnd(is_whole, builder_.CreateNot(panel.is_last));
  }
  return EmitIf(
      builder_, is_whole,
      [&] { return StoreTile(rows, shape, sums, part, cursor); },
      [&] { return result_.StorePart(rows, shape, sums, part, cursor); });
}

// Stores all of a tile.
absl::Status MatmulKernel::StoreTile(int rows, const PanelShape& shape,
                                     std::vector<ElementValue> sums,
                                     const TilePart& part,
                                     const MatmulCursor& cursor) {
  if (part.is_first != nullptr) {
    ASSIGN_OR_RETURN(
        const CarriedValues parts,
        EmitIfWithValues(
            builder_, part.is_first, [&] { return Flatten(sums); },
            [&] {
              return Flatten(result_.AddPartial(rows, shape, sums, cursor));
            }));
    sums = code_.Unflatten(parts);
  }
  if (part.is_first == nullptr || result_.IsPlain()) {
    return result_.StoreVectors(rows, shape, sums, cursor);
  }
  return EmitIf(
      builder_, part.is_last,
      [&] { return result_.StoreVectors(rows, shape, sums, cursor); },
      [&] {
        result_.StorePartial(rows, shape, sums, cursor);
        return absl::OkStatus();
      });
}

}  // namespace

absl::Status EmitMatmul(const MatmulPlan& plan, llvm::Module& module,
                        absl::string_view name,
                        const MatmulEpilogue& epilogue) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type* i64 = builder.getInt64Ty();
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(),
                              {builder.getPtrTy(), i64, i64}, false),
      llvm::Function::ExternalLinkage,
      llvm::StringRef(name.data(), name.size()), module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "entry", function));
  if (plan.units == 0) {
    builder.CreateRetVoid();
    return absl::OkStatus();
  }
  MatmulCode code(plan, builder);
  return MatmulKernel(code, *function, epilogue).Emit();
}

}  // namespace hilo::backends
