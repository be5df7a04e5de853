// Adds errors to the results of instructions.
#pragma once

#include <cstdint>

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "jit/fuzzing/float_noise.h"

namespace hilo::fuzzing {

// What is known of an operation's errors.
struct ErrorBound {
  // Roundings: units in the last place of `scale`.
  double ulps = 0;
  // Magnitudes that the roundings are relative to, as sums of magnitudes are
  // for sums: f32 for narrow types. Null: the result's own magnitudes, where
  // infinities have no error.
  hlo::Instruction* scale = nullptr;
  // Magnitudes that occur on the way. Where they overflow, the result is not
  // known. Null: those of the scale.
  hlo::Instruction* peak = nullptr;
  // What the result's own magnitudes are multiplied by; null: 1.
  hlo::Instruction* growth = nullptr;
  // Another way to compute the result; null: the instruction itself.
  hlo::Instruction* base = nullptr;
};

// The type in which errors are added to results of `type`.
hlo::ElementType ErrorType(hlo::ElementType type);

// How many roundings a result takes at most, as it were: those of types below
// 32 bits are of f32, and one of the type.
double SumUlps(hlo::ElementType type, int64_t count);

// Changes what instructions of one module give, in one way to perturb it.
class RoundingErrors {
 public:
  RoundingErrors(hlo::Module& module, int way) : module_(module), noise_(way) {}

  hlo::Module& module() { return module_; }
  int way() const { return noise_.way(); }
  // Whether nothing but NaNs was changed.
  bool is_exact() const { return is_exact_; }

  // Makes the result base + noise * (ulps * epsilon * scale + smallest number).
  void Add(hlo::Instruction* instruction, const ErrorBound& bound);
  // Makes the finite elements of an operand as much larger or smaller as
  // roundings can.
  void AddToOperand(hlo::Instruction* instruction, int64_t operand,
                    double ulps);
  // Gives the result's NaNs other bits.
  void FlipNans(hlo::Instruction* instruction);
  // Makes the result, or an operand, anything where it is not known.
  void Forget(hlo::Instruction* instruction, hlo::Instruction* is_known);
  void ForgetOperand(hlo::Instruction* instruction, int64_t operand,
                     hlo::Instruction* is_known);

 private:
  hlo::Module& module_;
  FloatNoise noise_;
  bool is_exact_ = true;
};

}  // namespace hilo::fuzzing
