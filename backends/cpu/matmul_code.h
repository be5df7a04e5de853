// The vocabulary of the emitters of matrix kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/codegen/scalar_emitter.h"
#include "backends/cpu/matmul_plan.h"

namespace hilo::backends {

// A panel: `vectors` vectors side by side, the last one of `tail_lanes` lanes.
// kDepth: a column a "vector".
struct PanelShape {
  int vectors = 1;
  int tail_lanes = 1;
};

// Appends instructions at the insertion point of one builder, for one plan.
class MatmulCode {
 public:
  MatmulCode(const MatmulPlan& plan, llvm::IRBuilderBase& builder);

  const MatmulPlan& plan() const { return plan_; }
  llvm::IRBuilderBase& builder() { return builder_; }
  ScalarEmitter& scalars() { return scalars_; }

  // An i64.
  llvm::Value* Int(int64_t value);
  // The pointer, moved by bytes.
  llvm::Value* Advance(llvm::Value* pointer, int64_t bytes);
  llvm::Value* Advance(llvm::Value* pointer, llvm::Value* index,
                       int64_t bytes_per_index);
  // index * factor + addend
  llvm::Value* Scale(llvm::Value* index, int64_t factor, llvm::Value* addend);

  // Null if all lanes are active.
  llvm::Value* Mask(int lanes, int active_lanes);
  // Lanes of vector number `vector` of a panel that hold columns.
  int ActiveLanes(const PanelShape& shape, int vector) const;
  llvm::Value* Mask(const PanelShape& shape, int vector);

  // Loads elements of `type` and converts them to the accumulator's type.
  ElementValue LoadOperand(hlo::ElementType type, llvm::Value* pointer,
                           int lanes, llvm::Value* mask);
  // Paired steps: elements of `type` at the pointer and those `pair_bytes`
  // further, as two 16-bit integers in each element of the accumulator's type.
  ElementValue LoadPairs(hlo::ElementType type, llvm::Value* pointer,
                         int64_t pair_bytes, int lanes, llvm::Value* mask);
  ElementValue Pair(const ElementValue& first, const ElementValue& second);
  // The same for steps that lie one behind the other.
  ElementValue LoadNeighbours(hlo::ElementType type, llvm::Value* pointer,
                              int lanes);
  // sum + a * b, in the accumulator's type.
  ElementValue MultiplyAdd(const ElementValue& a, const ElementValue& b,
                           const ElementValue& sum);
  ElementValue Add(const ElementValue& a, const ElementValue& b);
  ElementValue Zero(int lanes);
  // The sum of all lanes, in halves.
  ElementValue SumLanes(ElementValue value);
  // One lane of a vector; one of scalars, side by side.
  ElementValue Lane(const ElementValue& value, int lane);
  ElementValue Gather(absl::Span<const ElementValue> scalars);

  // Values of the accumulator's type from what Flatten makes of them.
  std::vector<ElementValue> Unflatten(
      absl::Span<llvm::Value* const> parts) const;

  int64_t accumulator_bytes() const { return plan_.accumulator_bytes(); }
  int64_t lhs_bytes() const { return hlo::StorageBytes(plan_.tile_lhs_type()); }
  int64_t rhs_bytes() const { return hlo::StorageBytes(plan_.tile_rhs_type()); }
  // Of rhs, before panels are packed.
  int64_t rhs_source_bytes() const {
    return plan_.rhs_copy.is_enabled ? accumulator_bytes()
                                     : hlo::StorageBytes(plan_.rhs_type);
  }
  int64_t stored_bytes() const { return hlo::StorageBytes(plan_.stored_type); }

 private:
  llvm::Value* MultiplyAddPart(llvm::Value* a, llvm::Value* b,
                               llvm::Value* sum);
  llvm::Value* AddPart(llvm::Value* a, llvm::Value* b);
  llvm::Value* SumOfPairs(llvm::Value* a, llvm::Value* b);

  const MatmulPlan& plan_;
  llvm::IRBuilderBase& builder_;
  ScalarEmitter scalars_;
};

}  // namespace hilo::backends
