// Takes the number of a unit apart, and keeps copies of operands.
#include "backends/cpu/matmul_unit.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Casting.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/kernel_function.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_copies.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_packing.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/status.h"
#include "runtime/host/padded_convolution.h"

namespace hilo::backends {

MatmulArguments LoadMatmulArguments(MatmulCode& code, llvm::Function& function,
                                    const MatmulEpilogue& epilogue) {
  llvm::IRBuilderBase& builder = code.builder();
  const MatmulPlan& plan = code.plan();
  const auto load = [&](int64_t number) {
    return builder.CreateLoad(
        builder.getPtrTy(),
        builder.CreateConstGEP1_64(builder.getPtrTy(), function.getArg(0),
                                   static_cast<uint64_t>(number)));
  };
  const auto load_integer = [&](int64_t number) {
    return builder.CreatePtrToInt(load(number), builder.getInt64Ty());
  };
  MatmulArguments arguments;
  arguments.array = function.getArg(0);
  arguments.output_number = 2 + epilogue.operand_count;
  arguments.lhs = load(plan.is_swapped ? 1 : 0);
  arguments.rhs = load(plan.is_swapped ? 0 : 1);
  for (int64_t i = 0; i < epilogue.operand_count; ++i) {
    arguments.epilogue_operands.push_back(load(2 + i));
  }
  for (int64_t i = 0; i < epilogue.further_output_count; ++i) {
    arguments.epilogue_operands.push_back(load(3 + epilogue.operand_count + i));
  }
  arguments.output = load(arguments.output_number);
  const int64_t scratch =
      3 + epilogue.operand_count + epilogue.further_output_count;
  if (plan.is_block) {
    const int64_t facts = scratch + (plan.chunk_bytes == 0 ? 0 : 1);
    arguments.block_packs = builder.CreateIsNotNull(load(facts));
    arguments.block_offset = load_integer(facts + 1);
    arguments.skips_first = load_integer(facts + 2);
  }
  arguments.first_unit = function.getArg(1);
  arguments.end_unit = function.getArg(2);
  if (plan.padded_window) {
    arguments.weights_state = builder.CreateAlloca(builder.getInt8Ty());
    builder.CreateStore(
        builder.getInt8(static_cast<uint8_t>(runtime::WeightsState::kUnknown)),
        arguments.weights_state);
  }
  if (plan.chunk_bytes == 0) return arguments;
  arguments.lhs_copy =
      ScratchOfSlot(builder, load(scratch), plan.slots(), plan.chunk_bytes);
  arguments.rhs_copy =
      code.Advance(arguments.lhs_copy, MatmulLhsCopyBytes(plan));
  arguments.panels = code.Advance(arguments.rhs_copy, MatmulRhsCopyBytes(plan));
  return arguments;
}

CarriedValues MatmulUnits::NoCopies() {
  CarriedValues kept;
  for (const OperandCopy* copy : {&plan_.lhs_copy, &plan_.rhs_copy}) {
    if (!copy->is_enabled) continue;
    kept.push_back(llvm::ConstantPointerNull::get(builder_.getPtrTy()));
    kept.push_back(code_.Int(-1));
  }
  return kept;
}

absl::StatusOr<MatmulUnit> MatmulUnits::Begin(llvm::Value* number,
                                              CarriedValues& copies) {
  MatmulUnit unit = Decode(number);
  MatmulCursor& cursor = unit.cursor;
  // A source and a first position for each copy.
  absl::Span<llvm::Value*> kept = absl::MakeSpan(copies);
  if (plan_.lhs_copy.is_enabled) {
    RETURN_IF_ERROR(EnsureCopy(plan_.lhs_copy, plan_.lhs_type, unit.first_row,
                               EndRow(unit), arguments_.lhs_copy, kept,
                               cursor.lhs));
    kept.remove_prefix(2);
  } else {
    cursor.lhs = code_.Advance(cursor.lhs, unit.first_row,
                               plan_.rows[0].lhs_stride * code_.lhs_bytes());
  }
  if (plan_.rhs_copy.is_enabled) {
    RETURN_IF_ERROR(EnsureCopy(plan_.rhs_copy, plan_.rhs_type,
                               unit.first_column, EndColumn(unit),
                               arguments_.rhs_copy, kept, cursor.rhs));
  } else {
    cursor.rhs =
        code_.Advance(cursor.rhs, unit.first_column,
                      plan_.columns[0].rhs_stride * code_.rhs_source_bytes());
  }
  return unit;
}

MatmulRange MatmulUnits::RangeOf(llvm::Value* number, int64_t block,
                                 int64_t positions) {
  if (block >= positions) return {code_.Int(0), code_.Int(positions)};
  llvm::Value* begin = code_.Scale(number, block, code_.Int(0));
  return {begin, MinIndex(builder_, builder_.CreateAdd(begin, code_.Int(block)),
                          code_.Int(positions))};
}

// Tiles of full height come first, if not all have it.
llvm::Value* MatmulUnits::FirstRowOfTile(llvm::Value* tile) {
  if (plan_.has_equal_tiles()) {
    return code_.Scale(tile, plan_.row_tile, code_.Int(0));
  }
  if (plan_.lanes_along == MatmulLanes::kFeatures) {
    return MinIndex(builder_, code_.Scale(tile, plan_.row_tile, code_.Int(0)),
                    code_.Int(plan_.rows[0].size));
  }
  llvm::Value* full =
      MinIndex(builder_, tile, code_.Int(plan_.full_row_tiles()));
  return code_.Scale(tile, plan_.row_tile - 1, full);
}

MatmulUnit MatmulUnits::Decode(llvm::Value* number) {
  llvm::Value* all = number;
  const auto digit = [&](int64_t size) -> llvm::Value* {
    if (size == 1) return code_.Int(0);
    llvm::Value* base = code_.Int(size);
    llvm::Value* index = builder_.CreateURem(number, base);
    number = builder_.CreateUDiv(number, base);
    return index;
  };
  MatmulUnit unit;
  unit.cursor = {
      .lhs = code_.Advance(
          arguments_.lhs, plan_.lhs_offset * hlo::StorageBytes(plan_.lhs_type)),
      .rhs = code_.Advance(
          arguments_.rhs, plan_.rhs_offset * hlo::StorageBytes(plan_.rhs_type)),
      .output = code_.Advance(arguments_.output,
                              plan_.output_offset * code_.stored_bytes()),
      .batch = CarriedValues(plan_.batch.size()),
      .row = code_.Int(0),
      .column = code_.Int(0),
      .output_offset = plan_.is_block ? arguments_.block_offset
                                      : code_.Int(plan_.output_offset)};
  const bool has_one_row_loop = plan_.rows.size() == 1;
  const bool has_one_column_loop = plan_.columns.size() == 1;
  llvm::Value* row_block = digit(plan_.row_blocks());
  unit.rows =
      RangeOf(row_block, plan_.row_block,
              has_one_row_loop ? plan_.row_tiles() : plan_.rows[0].size);
  unit.first_row =
      has_one_row_loop ? FirstRowOfTile(unit.rows.begin) : unit.rows.begin;
  llvm::Value* repeats = row_block;
  size_t i = plan_.batch.size();
  for (; i > 0 && plan_.batch[i - 1].rhs_stride == 0; --i) {
    unit.cursor.batch[i - 1] = digit(plan_.batch[i - 1].size);
    repeats = builder_.CreateOr(repeats, unit.cursor.batch[i - 1]);
  }
  unit.packs = Packs(all, repeats);
  unit.columns =
      RangeOf(digit(plan_.column_blocks()), plan_.column_block,
              has_one_column_loop ? plan_.panels() : plan_.columns[0].size);
  unit.first_column =
      has_one_column_loop
          ? code_.Scale(unit.columns.begin, plan_.panel_columns(), code_.Int(0))
          : unit.columns.begin;
  for (; i > 0; --i) {
    unit.cursor.batch[i - 1] = digit(plan_.batch[i - 1].size);
  }
  for (size_t b = 0; b < plan_.batch.size(); ++b) {
    unit.cursor =
        AtBatch(code_, unit.cursor, plan_.batch[b], unit.cursor.batch[b]);
  }
  return unit;
}

// Whether panels have to be packed for a unit. `repeats` is 0 for the first of
// those that read the same ones.
llvm::Value* MatmulUnits::Packs(llvm::Value* number, llvm::Value* repeats) {
  if (plan_.is_block) return arguments_.block_packs;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(repeats);
  if (constant != nullptr && constant->isZero()) return builder_.getTrue();
  return builder_.CreateOr(
      builder_.CreateICmpEQ(repeats, code_.Int(0)),
      builder_.CreateICmpEQ(number, arguments_.first_unit));
}

// The first position of the first loop behind the unit.
llvm::Value* MatmulUnits::EndRow(const MatmulUnit& unit) {
  return plan_.rows.size() == 1 ? FirstRowOfTile(unit.rows.end) : unit.rows.end;
}
llvm::Value* MatmulUnits::EndColumn(const MatmulUnit& unit) {
  llvm::Value* end = unit.columns.end;
  if (plan_.columns.size() > 1) return end;
  return MinIndex(builder_,
                  code_.Scale(end, plan_.panel_columns(), code_.Int(0)),
                  code_.Int(plan_.columns[0].size));
}

// Makes `pointer`, which points to the operand at position 0, point to the copy
// of positions `first` to `end`. `kept` says where the copy that is there comes
// from.
absl::Status MatmulUnits::EnsureCopy(const OperandCopy& copy,
                                     hlo::ElementType type, llvm::Value* first,
                                     llvm::Value* end, llvm::Value* destination,
                                     absl::Span<llvm::Value*> kept,
                                     llvm::Value*& pointer) {
  llvm::Value* source = pointer;
  pointer = destination;
  llvm::Value* count = builder_.CreateSub(end, first);
  llvm::Value* is_stale =
      builder_.CreateOr(builder_.CreateICmpNE(source, kept[0]),
                        builder_.CreateICmpNE(first, kept[1]));
  kept[0] = source;
  kept[1] = first;
  return EmitIf(builder_, is_stale, [&] {
    return EmitOperandCopy(code_, copy, type, source, first, count,
                           destination);
  });
}

}  // namespace hilo::backends
