// Tests of the random number opcodes, with the vectors of the language
// reference (the blocks are the known answers of the Random123 library).
#include <array>
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

#include "hlo/eval/random_bits.h"
#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {
namespace {

TEST_CASE("Threefry and Philox give the published blocks") {
  using Pair = std::array<uint32_t, 2>;
  using Four = std::array<uint32_t, 4>;
  CHECK(ThreeFryBlock({0, 0}, {0, 0}) == Pair{0x6b200159, 0x99ba4efe});
  CHECK(ThreeFryBlock({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Pair{0x1cb996fc, 0xbb002be7});
  CHECK(ThreeFryBlock({0x13198a2e, 0x03707344}, {0x243f6a88, 0x85a308d3}) ==
        Pair{0xc4923a9c, 0x483df7a0});
  CHECK(PhiloxBlock({0, 0}, {0, 0, 0, 0}) ==
        Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(PhiloxBlock({0xffffffff, 0xffffffff},
                    {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}) ==
        Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST_CASE("rng-bit-generator follows XLA bit for bit") {
  struct Row {
    std::string instruction;
    std::string state;
    std::string expected;
  };
  for (const Row& row : {
           Row{"(u64[2], u32[5]) rng-bit-generator(x), algorithm=rng_three_fry",
               "u64[2] {1, 2}",
               "( {1, 5}, {43444564, 2150618427, 3979645651, 3745730563, "
               "1672743891} )"},
           Row{"(u64[2], u32[3,2]) rng-bit-generator(x), "
               "algorithm=rng_three_fry",
               "u64[2] {1, 2}",
               "( {1, 5}, { { 43444564, 2150618427 }, { 3979645651, 3745730563 "
               "}, "
               "{ 1672743891, 4240503393 } } )"},
           Row{"(u64[2], u32[]) rng-bit-generator(x), algorithm=rng_three_fry",
               "u64[2] {1, 2}", "( {1, 3}, 43444564 )"},
           Row{"(u64[2], u8[2]) rng-bit-generator(x), algorithm=rng_three_fry",
               "u64[2] {1, 2}", "( {1, 3}, {84, 59} )"},
           Row{"(u64[2], u32[5]) rng-bit-generator(x), algorithm=rng_philox",
               "u64[2] {1, 2}",
               "( {1, 4}, {2100602697, 2847456232, 2074354647, 800269529, "
               "1828267006} )"},
           Row{"(u64[2], u32[2]) rng-bit-generator(x), algorithm=rng_default",
               "u64[2] {1, 2}", "( {1, 3}, {2100602697, 2847456232} )"},
           Row{"(u64[2], u64[1]) rng-bit-generator(x), algorithm=rng_philox",
               "u64[2] {1, 2}", "( {1, 3}, {12229731395331991369} )"},
           Row{"(u64[3], u32[2]) rng-bit-generator(x), algorithm=rng_philox",
               "u64[3] {1, 2, 3}", "( {1, 3, 3}, {4031113034, 1366700262} )"},
           Row{"(u64[2], u32[0]) rng-bit-generator(x), algorithm=rng_philox",
               "u64[2] {1, 2}", "( {1, 2}, {} )"},
       }) {
    CAPTURE(row.instruction);
    CHECK(Apply(row.instruction, {row.state}) == row.expected);
  }
}

TEST_CASE("the stateful counter advances by delta") {
  const std::string module = R"(
HloModule m
condition {
  s = (s32[], u64[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(3)
  ROOT r = pred[] compare(i, limit), direction=LT
}
body {
  s = (s32[], u64[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  state = u64[2] rng-get-and-update-state(), delta=5
  ROOT r = (s32[], u64[2]) tuple(next, state)
}
ENTRY e {
  zero = s32[] constant(0)
  state = u64[2] constant({0, 0})
  init = (s32[], u64[2]) tuple(zero, state)
  ROOT r = (s32[], u64[2]) while(init), condition=condition, body=body
})";
  // 0x7012395 + 2 * 5.
  CHECK(EvaluateText(module) == "( 3, {117515167, 0} )");
}

TEST_CASE("random numbers lie in their interval and follow the seed") {
  const std::string module = R"(
HloModule m
ENTRY e {
  a = s32[] constant(-3)
  b = s32[] constant(4)
  x = s32[500] rng(a, b), distribution=rng_uniform
  low = s32[500] broadcast(a), dimensions={}
  high = s32[500] broadcast(b), dimensions={}
  ge = pred[500] compare(x, low), direction=GE
  lt = pred[500] compare(x, high), direction=LT
  ROOT both = pred[500] and(ge, lt)
})";
  CHECK(EvaluateText(module).find('0') == std::string::npos);
  const std::string normal = R"(
HloModule m
ENTRY e {
  a = f32[] constant(0)
  b = f32[] constant(1)
  ROOT x = f32[4] rng(a, b), distribution=rng_normal
})";
  CHECK(EvaluateText(normal, {}, {.seed = 7}) ==
        EvaluateText(normal, {}, {.seed = 7}));
  CHECK(EvaluateText(normal, {}, {.seed = 7}) !=
        EvaluateText(normal, {}, {.seed = 8}));
}

}  // namespace
}  // namespace hilo::hlo
