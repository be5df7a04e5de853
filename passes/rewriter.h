// The edit vocabulary of passes: new instructions with inferred shapes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ops/builder.h"

namespace hilo::passes {

using With = hlo::With;

// Appends instructions to a computation in place of another one, whose
// metadata they take. Operands must fit: a shape that cannot be inferred is a
// bug of the caller. Names are those of the opcodes until the runner makes
// them unique; results have default layouts.
class Rewriter {
 public:
  using Operands = absl::Span<hlo::Instruction* const>;

  // `origin` is what the new instructions stand for.
  explicit Rewriter(const hlo::Instruction& origin)
      : computation_(origin.parent()), origin_(&origin) {}
  // For computations that are built anew.
  explicit Rewriter(hlo::Computation* computation)
      : computation_(computation) {}

  hlo::Computation& computation() const { return *computation_; }
  hlo::Module& module() const { return *computation_->parent(); }

  // An operation with this result shape, or with the shape that its operands
  // and attributes imply.
  hlo::Instruction* Add(hlo::Opcode opcode, hlo::Shape shape, Operands operands,
                        std::vector<hlo::Attribute> attributes = {});
  hlo::Instruction* Add(hlo::Opcode opcode, Operands operands,
                        std::vector<hlo::Attribute> attributes = {});
  // The same operation as `instruction`, attributes included, on other
  // operands; `shape` is its result.
  hlo::Instruction* Like(const hlo::Instruction& instruction, hlo::Shape shape,
                         Operands operands);

  hlo::Instruction* Unary(hlo::Opcode opcode, hlo::Instruction* operand);
  hlo::Instruction* Binary(hlo::Opcode opcode, hlo::Instruction* lhs,
                           hlo::Instruction* rhs);
  hlo::Instruction* Compare(hlo::ComparisonDirection direction,
                            hlo::Instruction* lhs, hlo::Instruction* rhs);
  hlo::Instruction* Select(hlo::Instruction* predicate,
                           hlo::Instruction* on_true,
                           hlo::Instruction* on_false);
  hlo::Instruction* Convert(hlo::Instruction* operand, hlo::ElementType type);
  hlo::Instruction* BitcastConvert(hlo::Instruction* operand,
                                   hlo::ElementType type);

  hlo::Instruction* Constant(hlo::Literal value);
  // The number in `type`: floats and complex numbers round, integers wrap.
  hlo::Instruction* Scalar(hlo::ElementType type, double value);
  hlo::Instruction* IntegerScalar(hlo::ElementType type, uint64_t value);
  // A scalar, repeated to fill `shape`.
  hlo::Instruction* Splat(hlo::Instruction* scalar, const hlo::Shape& shape);
  hlo::Instruction* Iota(const hlo::Shape& shape, int64_t dimension);

  hlo::Instruction* Broadcast(hlo::Instruction* operand,
                              absl::Span<const int64_t> sizes,
                              absl::Span<const int64_t> dimensions);
  // The operand itself where it has these sizes already.
  hlo::Instruction* Reshape(hlo::Instruction* operand,
                            absl::Span<const int64_t> sizes);
  hlo::Instruction* Transpose(hlo::Instruction* operand,
                              absl::Span<const int64_t> permutation);
  hlo::Instruction* Slice(hlo::Instruction* operand,
                          hlo::SliceDimensions slice);
  hlo::Instruction* Concatenate(Operands operands, int64_t dimension);
  hlo::Instruction* Pad(hlo::Instruction* operand, hlo::Instruction* value,
                        hlo::PaddingConfig padding);
  hlo::Instruction* Reduce(hlo::Instruction* operand, hlo::Instruction* init,
                           absl::Span<const int64_t> dimensions,
                           hlo::Computation* reducer);

  hlo::Instruction* Tuple(Operands elements);
  hlo::Instruction* GetTupleElement(hlo::Instruction* tuple, int64_t index);

 private:
  hlo::Instruction* Finish(hlo::Instruction* instruction);

  hlo::Computation* computation_;
  const hlo::Instruction* origin_ = nullptr;
};

// A new computation (x: type, y: type) -> opcode(x, y) of scalars.
hlo::Computation* MakeScalarComputation(hlo::Module& module, hlo::Opcode opcode,
                                        hlo::ElementType type);

// Copies the instructions of `from` into `into`, parameters replaced by
// `arguments`, and returns the copy of the root. Called computations are
// shared, control dependencies kept. Arguments that have another float type
// than their parameter are converted.
hlo::Instruction* CopyBody(const hlo::Computation& from,
                           absl::Span<hlo::Instruction* const> arguments,
                           hlo::Computation* into);
// What stands for instructions of one computation in another. A table of those
// that are copied: a pass may copy a few at a time of very many.
using InstructionCopies =
    absl::flat_hash_map<hlo::InstructionId, hlo::Instruction*>;
// The same, for some of the instructions: copies that `root` needs and that are
// missing are made.
hlo::Instruction* CopyInto(const hlo::Instruction& root,
                           InstructionCopies& copies, hlo::Computation* into);

// `value`, or what converts it to the element type of `shape`; null when more
// than float types differ.
hlo::Instruction* WithShape(hlo::Instruction* value, const hlo::Shape& shape);

// The dimensions of `shape` without those listed.
hlo::DimensionVector SizesWithout(const hlo::Shape& shape,
                                  absl::Span<const int64_t> dimensions);

// The literal of one number in `type`; see Rewriter::Scalar.
hlo::Literal ScalarLiteral(hlo::ElementType type, double value);
hlo::Literal IntegerLiteral(hlo::ElementType type, uint64_t value);

}  // namespace hilo::passes
