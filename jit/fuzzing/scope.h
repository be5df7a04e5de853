// A computation that is being generated: its values, and where new ones come
// from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/builder.h"
#include "jit/fuzzing/random_source.h"

namespace hilo::fuzzing {

// What all computations of one module share.
struct ModuleChoices {
  // The element types that values have by preference.
  std::vector<hlo::ElementType> types;
  // Dimensions that many values have, so that they can be combined.
  std::vector<hlo::DimensionVector> favourites;
  // Arrays are not larger than this.
  int64_t max_elements = 600;
  // Instructions that may still be asked for.
  int64_t budget = 30;
  bool has_odd_layouts = false;
  // For names of computations.
  int64_t computation_count = 0;
};

// One computation. Families of operations (families.h) take values out of it
// and keep new ones in it.
class Scope {
 public:
  Scope(hlo::Builder& builder, RandomSource& random, ModuleChoices& choices,
        int depth)
      : builder_(builder), random_(random), choices_(choices), depth_(depth) {}

  hlo::Builder& builder() { return builder_; }
  RandomSource& random() { return random_; }
  ModuleChoices& choices() { return choices_; }
  // How many computations enclose this one.
  int depth() const { return depth_; }
  const std::vector<hlo::Value>& values() const { return values_; }

  // Allows parameters to be made when they are needed: for the entry.
  void AllowNewParameters(int64_t limit) { parameter_limit_ = limit; }
  hlo::Value NewParameter(const hlo::Shape& shape);

  // Adds a value, or the arrays of a tuple.
  void Keep(const hlo::Value& value);

  // Some value that fits; null when there is none. Later ones by preference.
  std::optional<hlo::Value> Find(
      const std::function<bool(const hlo::Shape& shape)>& fits);
  // A value of this type and these dimensions, made if need be.
  hlo::Value Operand(const hlo::Shape& shape);
  // Some array, with elements of these classes and at least this rank.
  hlo::Value AnyArray(hlo::TypeClasses classes = hlo::kArrayTypes,
                      int64_t min_rank = 0);

  hlo::ElementType NewType(hlo::TypeClasses classes = hlo::kArrayTypes);
  int64_t NewSize();
  hlo::DimensionVector NewDimensions(int64_t min_rank);
  hlo::Shape NewShape(hlo::TypeClasses classes = hlo::kArrayTypes,
                      int64_t min_rank = 0);
  // The shape with another order of dimensions in memory, at times.
  hlo::Shape MaybeOddLayout(hlo::Shape shape);
  bool Fits(absl::Span<const int64_t> dimensions) const;

  // A scalar of an integer type that is a constant or a value of this
  // computation, mostly near 0 ... `size`.
  hlo::Value Index(int64_t size);
  hlo::Value Scalar(hlo::ElementType type, double value);
  hlo::Value Constant(const hlo::Shape& shape);

  // A computation's builder with a new name.
  hlo::Builder NewComputation(const std::string& name);
  // (x, y) -> opcode(x, y) of scalars.
  hlo::Callee Binary(hlo::Opcode opcode, hlo::ElementType type);

 private:
  // Ways to make a value of `shape` of another one; null when one does not
  // apply.
  std::optional<hlo::Value> ByConversion(const hlo::Shape& shape);
  std::optional<hlo::Value> ByReshape(const hlo::Shape& shape);
  std::optional<hlo::Value> ByPadding(const hlo::Shape& shape);
  std::optional<hlo::Value> ByBroadcast(const hlo::Shape& shape);

  hlo::Builder& builder_;
  RandomSource& random_;
  ModuleChoices& choices_;
  int depth_;
  std::vector<hlo::Value> values_;
  int64_t parameter_limit_ = 0;
  int64_t parameter_count_ = 0;
};

// A value of `type` from bits: small integers, fractions, anything, specials.
hlo::Literal RandomLiteral(const hlo::Shape& shape, RandomSource& random);

}  // namespace hilo::fuzzing
