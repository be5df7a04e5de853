// Emits what element-wise opcodes compute, for scalars and vectors alike.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/target_facts.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"

namespace llvm {
class IRBuilderBase;
}  // namespace llvm

namespace hilo::backends {

// Appends instructions at the insertion point of one IRBuilder. All operands
// of a call have the same number of lanes; the result has that number.
//
// Memory holds an element in StorageBytes(type) bytes (pred: 0 or 1; complex:
// real, then imaginary part). Pointers need only the alignment of one part of
// an element. A `mask` (<lanes x i1>, null: all) says which lanes touch memory;
// the other lanes of what is loaded are undefined but harmless: no opcode
// traps. The insertion point stays in its block: what needs branches
// (remainder, reduction of huge angles of f64) is a function of its own in the
// module.
class ScalarEmitter {
 public:
  explicit ScalarEmitter(llvm::IRBuilderBase& builder)
      : builder_(builder), facts_(TargetFactsOf(builder)) {}

  // The value of an element-wise opcode at operands' values: HLO_UNARY and
  // HLO_BINARY rows, compare, select, clamp, convert, bitcast-convert between
  // types of one width, complex, reduce-precision. Errors: Unimplemented,
  // naming opcode and type.
  absl::StatusOr<ElementValue> Emit(const hlo::Instruction& instruction,
                                    absl::Span<const ElementValue> values);

  // As the convert opcode.
  ElementValue Convert(const ElementValue& value, hlo::ElementType from,
                       hlo::ElementType to);

  // Element `index` (row-major) of an array literal, in every lane.
  ElementValue Constant(const hlo::Literal& literal, int64_t index, int lanes);
  // Zero of any type.
  ElementValue Zero(hlo::ElementType type, int lanes);

  // The same scalar in all lanes.
  ElementValue Splat(const ElementValue& scalar, int lanes);

  // `lanes` elements that lie one after the other from `pointer` on.
  ElementValue Load(hlo::ElementType type, llvm::Value* pointer, int lanes,
                    llvm::Value* mask);
  void Store(hlo::ElementType type, const ElementValue& value,
             llvm::Value* pointer, llvm::Value* mask);
  // Elements at base[offsets[lane]]; `offsets` is a vector of i32 or i64 that
  // counts elements. Stores with equal offsets go in lane order.
  ElementValue Gather(hlo::ElementType type, llvm::Value* base,
                      llvm::Value* offsets, llvm::Value* mask);
  void Scatter(hlo::ElementType type, const ElementValue& value,
               llvm::Value* base, llvm::Value* offsets, llvm::Value* mask);
  // condition ? a : b by lane; `condition` is i1 or <lanes x i1>.
  ElementValue Select(llvm::Value* condition, const ElementValue& a,
                      const ElementValue& b);

 private:
  llvm::IRBuilderBase& builder_;
  TargetFacts facts_;
};

}  // namespace hilo::backends
