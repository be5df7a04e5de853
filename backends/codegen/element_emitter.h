// Emits the elements of an instruction at any index, fusing what they need.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/codegen/scalar_emitter.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"

namespace hilo::backends {

// Whether Element can compute the instruction from its operands' elements.
bool HasElementForm(const hlo::Instruction& instruction);

// The leaf of `tuple`'s value at which element `index` begins.
int64_t FirstLeafOf(const hlo::Shape& tuple, int64_t index);

// Computes elements at indices that are LLVM values, for all lanes at once.
//
// An instruction is read from memory where it is bound to an array; otherwise
// its element is computed from elements of its operands: whatever lies between
// bound arrays and the requested element becomes straight-line code (with
// loops for reductions and windows). Values that are the same in all lanes are
// kept as scalars. Elements at the same index are computed once.
class ElementEmitter {
 public:
  ElementEmitter(llvm::IRBuilderBase& builder, int lanes)
      : builder_(builder),
        scalars_(builder),
        math_(builder, lanes),
        scopes_(1) {}

  llvm::IRBuilderBase& builder() { return builder_; }
  ScalarEmitter& scalars() { return scalars_; }
  IndexMath& math() { return math_; }
  int lanes() const { return math_.lanes(); }

  // Makes leaf `leaf` of the instruction's value an array at `pointer`, in the
  // layout of its shape.
  void BindArray(const hlo::Instruction& instruction, int64_t leaf,
                 llvm::Value* pointer);
  // Makes the leaf one value, whatever the index. Ends with Rebind.
  void BindValue(const hlo::Instruction& instruction, int64_t leaf,
                 const ElementValue& value);
  // Makes a parameter stand for an instruction outside of its computation.
  void BindParameter(const hlo::Instruction& parameter,
                     const hlo::Instruction& operand);

  // The element of a leaf at `index`, as a scalar or one a lane. Errors:
  // Unimplemented, naming the instruction.
  absl::StatusOr<ElementValue> Element(const hlo::Instruction& instruction,
                                       int64_t leaf, const ArrayIndex& index);
  // The same, always with one value a lane.
  absl::StatusOr<ElementValue> Lanes(const hlo::Instruction& instruction,
                                     int64_t leaf, const ArrayIndex& index);

  // Elements of an array in memory, and writing one. Only lanes of the mask
  // touch memory.
  ElementValue Load(llvm::Value* pointer, const hlo::Shape& shape,
                    const ArrayIndex& index);
  void Store(const ElementValue& value, llvm::Value* pointer,
             const hlo::Shape& shape, const ArrayIndex& index);

  // Runs `body` where values emitted so far are visible, and forgets what it
  // emits: for code that does not dominate what follows. `condition` (i1 or
  // one bit a lane; null: true) restricts the lanes that touch memory.
  template <typename F>
  auto InScope(llvm::Value* condition, F&& body) {
    llvm::Value* outer_mask = mask_;
    if (condition != nullptr) {
      mask_ = math_.SplatCondition(math_.And(mask_, condition));
    }
    scopes_.emplace_back();
    auto result = body();
    scopes_.pop_back();
    mask_ = outer_mask;
    return result;
  }

 private:
  friend struct ElementHandlers;
  using Leaf = std::pair<const hlo::Instruction*, int64_t>;
  struct Key {
    const hlo::Instruction* instruction;
    int64_t leaf;
    absl::InlinedVector<std::pair<llvm::Value*, int64_t>, 6> index;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.instruction, key.leaf, key.index);
    }
  };
  // The address of an element in lane 0 and the way from lane to lane.
  struct Address {
    llvm::Value* pointer = nullptr;
    // From lane to lane, in elements; not used with `offsets`.
    int64_t stride = 0;
    // Elements from `pointer` on, one a lane; null when affine.
    llvm::Value* offsets = nullptr;
  };

  Address AddressOf(llvm::Value* pointer, const hlo::Shape& shape,
                    const ArrayIndex& index);
  llvm::Value* StrideOffsets(int64_t stride);
  absl::StatusOr<ElementValue> Compute(const hlo::Instruction& instruction,
                                       int64_t leaf, const ArrayIndex& index);
  absl::StatusOr<ElementValue> Elementwise(const hlo::Instruction& instruction,
                                           const ArrayIndex& index);
  void Remember(const hlo::Instruction& instruction, int64_t leaf,
                const ArrayIndex& index, const ElementValue& value);

  llvm::IRBuilderBase& builder_;
  ScalarEmitter scalars_;
  IndexMath math_;
  // Lanes that may touch memory; null: all.
  llvm::Value* mask_ = nullptr;
  absl::flat_hash_map<Leaf, llvm::Value*> arrays_;
  absl::flat_hash_map<Leaf, ElementValue> values_;
  absl::flat_hash_map<const hlo::Instruction*, const hlo::Instruction*>
      parameters_;
  // Elements that were computed, by nesting of the code.
  std::vector<absl::flat_hash_map<Key, ElementValue>> scopes_;
};

// The values of a computation on scalars, one per leaf of its root, for
// arguments in registers (one element each or one a lane).
absl::StatusOr<std::vector<ElementValue>> EmitScalarComputation(
    ScalarEmitter& scalars, const hlo::Computation& computation,
    absl::Span<const ElementValue> arguments);

// The start in dimension `d` of a dynamic slice or update whose start indices
// are the operands from `first` on, limited to [0, high].
absl::StatusOr<Coordinate> EmitDynamicStart(ElementEmitter& emitter,
                                            const hlo::Instruction& instruction,
                                            int64_t first, int64_t d,
                                            int64_t high);

// A start index of a slice as computed, limited to [0, high].
Coordinate ClampStart(ElementEmitter& emitter, const ElementValue& value,
                      hlo::ElementType type, int64_t high);

// Element values as a flat list for loops to carry, and back.
CarriedValues Flatten(absl::Span<const ElementValue> values);
std::vector<ElementValue> Unflatten(absl::Span<llvm::Value* const> flat,
                                    absl::Span<const ElementValue> like);

}  // namespace hilo::backends
