// Input values that need no file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"

namespace hilo {

// How values of one leaf are spread.
struct InputSettings {
  double scale = 1;
  double offset = 0;
  // Integers are below this; default: 100, or the type's values if fewer.
  std::optional<double> range;
};

// Settings by leaf: the position of an array among the module's parameters,
// tuples flattened in order.
using InputSettingsByLeaf = std::map<int64_t, InputSettings>;

// Reads the comment lines "// INPUT 3: scale=0.02 offset=1" and
// "// INPUT 0: range=30522" of a module's text. Errors: InvalidArgument that
// quotes a line of this form with something else in it.
absl::StatusOr<InputSettingsByLeaf> ReadInputSettings(absl::string_view text);

// Values that depend on seed, leaf and row-major index only, the same on every
// machine. With 64-bit wrap-around arithmetic, for element i:
//
//   z = seed * 0x9E3779B97F4A7C15 + leaf * 0xD1B54A32D192ED03
//       + i * 0x2545F4914F6CDD1D
//   h = splitmix64 finaliser of z
//   u = (h >> 11) * 2^-52 - 1, in [-1, 1)
//
// Floats: u * scale + offset in f64 with two roundings, then rounded to the
// type, those of numpy at once, bf16 and smaller ones through f32 (f8e8m0fnu:
// 2^(h % 4)); complex: real part from i = 2 * index, imaginary
// part from 2 * index + 1; integers: h % range + offset; pred: h >> 63.
// Source: Steele, Lea & Flood, OOPSLA 2014 (splitmix64).
hlo::Literal GenerateInput(const hlo::Shape& shape, int64_t leaf, uint64_t seed,
                           const InputSettings& settings);

// 0, 1, 2, ... in row-major order, converted to the type.
hlo::Literal IotaInput(const hlo::Shape& shape);

// Special values in turn: NaN, both zeros, both infinities, the largest and
// smallest, normal and subnormal; for integers zero, ones and the limits.
hlo::Literal EdgeInput(const hlo::Shape& shape);

// Values for tests of backends; which kind a leaf gets depends on seed and
// leaf: generated ones of several scales, small integers, all magnitudes of the
// type, or generated ones with special values among them.
hlo::Literal MixedInput(const hlo::Shape& shape, int64_t leaf, uint64_t seed);

}  // namespace hilo
