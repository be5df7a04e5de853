// Tests of the batch normalisations.
#include <catch2/catch.hpp>

#include "tests/hlo/eval/reference.h"

namespace hilo::hlo {
namespace {

TEST_CASE("batch-norm-inference normalises each feature") {
  // Variances and epsilon are such that all factors are powers of two.
  CheckRows(
      "", {
              {"f32[2,2] batch-norm-inference(x, y, z, u, v), epsilon=1, "
               "feature_index=1",
               {"f32[2,2] {{1, 2}, {3, 4}}", "f32[2] {2, 4}", "f32[2] {10, 20}",
                "f32[2] {1, 2}", "f32[2] {3, 15}"},
               "{ {10, 20}, {12, 22} }"},
              {"bf16[2,1] batch-norm-inference(x, y, z, u, v), epsilon=1, "
               "feature_index=0",
               {"bf16[2,1] {{1}, {2}}", "bf16[2] {2, 4}", "bf16[2] {10, 20}",
                "bf16[2] {0, 0}", "bf16[2] {3, 3}"},
               "{ {11}, {24} }"},
          });
}

TEST_CASE("batch-norm-training uses the biased variance") {
  // Mean 2, variance 1; mean 6, variance 4 with epsilon 0.
  CheckRows(
      "", {
              {"(f32[2,2], f32[2], f32[2]) batch-norm-training(x, y, z), "
               "epsilon=0, "
               "feature_index=1",
               {"f32[2,2] {{1, 4}, {3, 8}}", "f32[2] {1, 2}", "f32[2] {0, 5}"},
               "( { {-1, 3}, {1, 7} }, {2, 6}, {1, 4} )"},
              {"(f64[0,2], f64[2], f64[2]) batch-norm-training(x, y, z), "
               "epsilon=0, "
               "feature_index=1",
               {"f64[0,2] {}", "f64[2] {1, 2}", "f64[2] {0, 5}"},
               "( {}, {nan, nan}, {nan, nan} )"},
          });
}

TEST_CASE("batch-norm-grad") {
  // With r = 1/2: sum(dy) = 4; sum(dy (x - mean)) = -1 * 1 + 1 * 3 = 2;
  // dscale = 2 r = 1; dx = 2 r / 2 (2 dy - 4 - (x - mean) 2 / 4).
  CheckRows("", {
                    {"(f32[2,1], f32[1], f32[1]) batch-norm-grad(x, y, z, u, "
                     "v), epsilon=1, "
                     "feature_index=1",
                     {"f32[2,1] {{1}, {3}}", "f32[1] {2}", "f32[1] {2}",
                      "f32[1] {3}", "f32[2,1] {{1}, {3}}"},
                     "( { {-0.75}, {0.75} }, {1}, {4} )"},
                });
}

}  // namespace
}  // namespace hilo::hlo
