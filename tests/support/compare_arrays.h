// Compares a module's results with stored arrays, within the type's tolerance.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jit/npy.h"

namespace hilo::tests {

// How near results must be.
struct ArrayTolerance {
  // Overrides the tolerance of every floating type.
  std::optional<double> error;
  // The share of elements that may be wrong.
  double wrong_share = 0;
  // Expected arrays of uint16 hold the bits of bf16.
  bool has_bf16 = false;
};

// Arrays by name, as an .npz file holds them.
using NamedArrays = std::map<std::string, NpyArray>;

// Compares `got` (arrays output0, output1, …) with `want` and returns what
// differs; empty if nothing. An expected array called output3_every_11 holds
// the elements 0, 11, 22, … of output 3 in row-major order.
//
// Integers and predicates must be equal. For floats, with s the root mean
// square of the finite expected values, |got - want| / (|want| + s) must be
// within the tolerance: f64 2e-9, f32 2e-5, f16 4e-3, bf16 3e-2; NaN matches
// NaN, an infinity the same infinity.
std::vector<std::string> CompareArrays(const NamedArrays& got,
                                       const NamedArrays& want,
                                       const ArrayTolerance& tolerance);

// As above, for two .npz files; one that cannot be read is a difference.
std::vector<std::string> CompareArrayFiles(
    const std::filesystem::path& got_path,
    const std::filesystem::path& want_path, const ArrayTolerance& tolerance);

}  // namespace hilo::tests
