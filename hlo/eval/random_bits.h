// Counter-based random number generators.
#pragma once

#include <array>
#include <cstdint>

namespace hilo::hlo {

// Threefry-2x32 with 20 rounds. Source: Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<uint32_t, 2> ThreeFryBlock(std::array<uint32_t, 2> key,
                                      std::array<uint32_t, 2> counter);

// Philox-4x32 with 10 rounds. Source: the same.
std::array<uint32_t, 4> PhiloxBlock(std::array<uint32_t, 2> key,
                                    std::array<uint32_t, 4> counter);

}  // namespace hilo::hlo
