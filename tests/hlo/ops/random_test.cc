// Tests of the shape rules of random number generators.

#include "catch2/catch.hpp"

#include "tests/hlo/ops/infer_text.h"

namespace hilo::hlo {
namespace {

TEST_CASE("random number generators check operands and state") {
  CheckInference({
      {"f32[3] rng(f32[] a, f32[] b), distribution=rng_uniform", "f32[3]"},
      {"s32[3] rng(s32[] a, s32[] b), distribution=rng_normal",
       "a normal distribution needs a float result"},
      {"f32[3] rng(f32[] a, f64[] b), distribution=rng_uniform",
       "operand 1 must be f32[] like the result, is f64[]"},
      {"f32[3] rng(f32[] a), distribution=rng_uniform", "got 1 operands"},
      {"(u64[2], u32[5]) rng-bit-generator(u64[2] s), algorithm=rng_default",
       "(u64[2], u32[5])"},
      {"(u64[3], u8[5]) rng-bit-generator(u64[3] s), algorithm=rng_philox",
       "(u64[3], u8[5])"},
      {"(u64[3], u32[5]) rng-bit-generator(u64[3] s), "
       "algorithm=rng_three_fry",
       "the state must be u64[2], is u64[3]"},
      {"(u32[4], u32[5]) rng-bit-generator(u32[4] s), algorithm=rng_default",
       "the state must be u64[2] or u64[3], is u32[4]"},
      {"(u64[2], f32[5]) rng-bit-generator(u64[2] s), algorithm=rng_default",
       "the bits must be integers"},
      {"u32[5] rng-bit-generator(u64[2] s), algorithm=rng_default",
       "the result must be a tuple of the state and the bits"},
      {"u64[2] rng-get-and-update-state(), delta=1", "u64[2]"},
      {"u64[3] rng-get-and-update-state(), delta=1", "expected u64[2]"},
  });
}

}  // namespace
}  // namespace hilo::hlo
