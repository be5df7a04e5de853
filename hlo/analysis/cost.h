// What instructions cost: arithmetic, and the bytes that go in and out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "hlo/ir/module.h"

namespace hilo::hlo {

// Amounts of work. Counts are doubles: they may exceed 64 bits.
struct Cost {
  // Arithmetic operations on numbers of any type; a product that is added
  // counts two, an operation on complex numbers what it takes on their parts.
  double operations = 0;
  // Those among them that are functions such as exponential.
  double transcendentals = 0;
  // Bytes of operands and results.
  double bytes = 0;
  // Whether a loop was counted once because nobody knows how often it runs.
  bool is_lower_bound = false;

  Cost& operator+=(const Cost& other);
  // Everything `times` times.
  Cost operator*(double times) const;
};

// How often a while instruction's body runs; nullopt: unknown.
using TripCounts =
    std::function<std::optional<int64_t>(const Instruction& loop)>;

// The cost of running one instruction, what it calls included. Of a
// conditional's branches the one with most operations counts. Moving elements
// costs no operations.
Cost CostOf(const Instruction& instruction, const TripCounts& trip_counts);

// The cost of the entry computation. `bytes` are those of its parameters and
// its result: what cannot be avoided.
Cost CostOf(const Module& module, const TripCounts& trip_counts);

}  // namespace hilo::hlo
