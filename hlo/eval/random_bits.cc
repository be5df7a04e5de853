// Counter-based random number generators.
#include "hlo/eval/random_bits.h"

#include <array>
#include <bit>
#include <cstdint>

namespace hilo::hlo {

std::array<uint32_t, 2> ThreeFryBlock(std::array<uint32_t, 2> key,
                                      std::array<uint32_t, 2> counter) {
  constexpr std::array<std::array<int, 4>, 2> kRotations = {
      {{13, 15, 26, 6}, {17, 29, 16, 24}}};
  const std::array<uint32_t, 3> keys = {key[0], key[1],
                                        0x1BD11BDA ^ key[0] ^ key[1]};
  uint32_t x0 = counter[0] + keys[0];
  uint32_t x1 = counter[1] + keys[1];
  for (uint32_t group = 1; group <= 5; ++group) {
    for (const int rotation : kRotations[(group - 1) % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += keys[group % 3];
    x1 += keys[(group + 1) % 3] + group;
  }
  return {x0, x1};
}

std::array<uint32_t, 4> PhiloxBlock(std::array<uint32_t, 2> key,
                                    std::array<uint32_t, 4> counter) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

}  // namespace hilo::hlo
