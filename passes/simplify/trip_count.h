// Loops that count: how many turns they take.
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/ir/instruction.h"

namespace hilo::passes {

// A loop whose condition compares one carried integer with a constant, and
// whose body adds a constant to it.
struct CountedLoop {
  // Which element of the state counts.
  int64_t index = 0;
  int64_t start = 0;
  int64_t step = 1;
  // How often the body runs.
  int64_t trip_count = 0;
};

// What is known of a while instruction; nullopt when it does not count, or
// when the counter might wrap.
std::optional<CountedLoop> FindCountedLoop(const hlo::Instruction& loop);

}  // namespace hilo::passes
