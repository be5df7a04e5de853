// Random choices that depend on a seed only.
#include "jit/fuzzing/random_source.h"

#include <cstdint>

namespace hilo::fuzzing {

uint64_t RandomSource::Next() {
  state_ += 0x9E3779B97F4A7C15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace hilo::fuzzing
