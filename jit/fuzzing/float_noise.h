// What the errors of operations look like: noise, NaNs with other bits, and
// values that stand for anything.
#pragma once

#include <cstdint>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "jit/fuzzing/random_source.h"
#include "passes/rewriter.h"

namespace hilo::fuzzing {

// Facts about a float type, or the parts of a complex one.
struct FloatFacts {
  // The distance from 1 to the next number.
  double epsilon = 0;
  double min_normal = 0;
  double min_subnormal = 0;
  // The largest finite number.
  double largest = 0;
};

FloatFacts FactsOf(hlo::ElementType type);

// Whether results of the type may be off by roundings.
bool HasErrors(hlo::ElementType type);

// Whether a float type has less than 32 bits: sums are then those of f32 in
// some backends, and are rounded after every step in others.
bool IsNarrow(hlo::ElementType type);

// The magnitude of each part, in the type itself.
hlo::Instruction* Magnitude(passes::Rewriter& rewriter,
                            hlo::Instruction* value);
// The magnitude of each number without its infinite and NaN parts. Integers
// have magnitudes, too.
hlo::Instruction* FiniteMagnitude(passes::Rewriter& rewriter,
                                  hlo::Instruction* value);

// Makes the errors of one way to perturb a module. Way 0 is all up, way 1 all
// down; in others the errors of instructions and of neighbours differ, in half
// of them in size, too.
class FloatNoise {
 public:
  explicit FloatNoise(int way)
      : way_(way), random_(static_cast<uint64_t>(way)) {}

  int way() const { return way_; }

  // Numbers from -1 to 1. `shape` is of floats or complex numbers, whose parts
  // differ. Numbers of ways with sizes have all bits of the type: a bit that
  // was 0 in all errors would pass for one that is known.
  hlo::Instruction* Noise(passes::Rewriter& rewriter, const hlo::Shape& shape);

  // `value`, whose NaNs get other bits; complex values stay as they are. It is
  // computed from `operands`: signs of NaNs may depend on theirs.
  hlo::Instruction* OtherNan(passes::Rewriter& rewriter,
                             hlo::Instruction* value,
                             absl::Span<hlo::Instruction* const> operands);

  // `value` where `is_known`; elsewhere something that differs from way to way,
  // in kind and in size.
  hlo::Instruction* OrAnything(passes::Rewriter& rewriter,
                               hlo::Instruction* is_known,
                               hlo::Instruction* value) const;

 private:
  // Random words: u32 elements.
  hlo::Instruction* Words(passes::Rewriter& rewriter, const hlo::Shape& shape);
  // NaNs that an operation makes of operands of the same shape.
  hlo::Instruction* NewNans(passes::Rewriter& rewriter, const hlo::Shape& shape,
                            absl::Span<hlo::Instruction* const> sources);
  // Random numbers from -1 to 1, of f64 for f64, else of f32.
  hlo::Instruction* Fractions(passes::Rewriter& rewriter,
                              const hlo::Shape& shape);

  int way_;
  RandomSource random_;
};

}  // namespace hilo::fuzzing
