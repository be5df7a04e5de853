// Tests of dot, ragged-dot and scaled-dot.
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/ir/literal.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/small_float.h"
#include "tests/hlo/eval/evaluate_text.h"
#include "tests/hlo/eval/random_arrays.h"

namespace hilo::hlo {
namespace {

// The result of a sum of products, as the element type.
template <typename T>
T FromExact(std::complex<double> sum) {
  if constexpr (NumericTraits<T>::is_complex) {
    return ConvertElement<T>(sum);
  } else if constexpr (NumericTraits<T>::is_integer) {
    return ConvertElement<T>(static_cast<int64_t>(sum.real()));
  } else {
    return ConvertElement<T>(static_cast<float>(sum.real()));
  }
}

template <typename T>
std::complex<double> Exact(T value) {
  return ConvertElement<std::complex<double>>(value);
}

// lhs [k, b, m] and rhs [b, n, k]: nothing stands where it is convenient.
template <typename T>
void CheckBatchedDot(absl::string_view type) {
  RandomNumbers random(1);
  constexpr int64_t kBatch = 2;
  constexpr int64_t kRows = 3;
  constexpr int64_t kColumns = 7;
  constexpr int64_t kDepth = 5;
  const auto lhs = SmallIntegers<T>(kDepth * kBatch * kRows, random);
  const auto rhs = SmallIntegers<T>(kBatch * kColumns * kDepth, random);
  const Literal result = RunInstruction(
      absl::StrCat(type,
                   "[2,3,7] dot(x, y), lhs_batch_dims={1}, rhs_batch_dims={0}, "
                   "lhs_contracting_dims={0}, rhs_contracting_dims={2}"),
      {ArrayOf({kDepth, kBatch, kRows}, lhs),
       ArrayOf({kBatch, kColumns, kDepth}, rhs)});
  const auto element = [&](int64_t b, int64_t i, int64_t j) {
    std::complex<double> sum = 0;
    for (int64_t k = 0; k < kDepth; ++k) {
      sum += Exact(T(lhs[(k * kBatch + b) * kRows + i])) *
             Exact(T(rhs[(b * kColumns + j) * kDepth + k]));
    }
    return FromExact<T>(sum);
  };
  std::vector<T> expected;
  for (int64_t b = 0; b < kBatch; ++b) {
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t j = 0; j < kColumns; ++j) {
        expected.push_back(element(b, i, j));
      }
    }
  }
  INFO(type);
  CHECK(result == ArrayOf({kBatch, kRows, kColumns}, expected));
}

TEST_CASE("batched dots of every element type equal the plain sums") {
#define HILO_CHECK_TYPE(T, text) \
  if (absl::string_view(text) != "f8e8m0fnu") CheckBatchedDot<T>(text);
  HILO_NUMERIC_TYPES(HILO_CHECK_TYPE)
#undef HILO_CHECK_TYPE
}

TEST_CASE("large dots are exact across the borders of blocks") {
  struct Row {
    int64_t rows, columns, depth;
  };
  for (const Row& row : {Row{1, 1, 1}, Row{3, 5, 7}, Row{129, 257, 3},
                         Row{1, 300, 513}, Row{130, 9, 300}, Row{17, 1, 600}}) {
    CAPTURE(row.rows, row.columns, row.depth);
    RandomNumbers random(2);
    const auto lhs = SmallIntegers<float>(row.rows * row.depth, random);
    const auto rhs = SmallIntegers<BFloat16>(row.depth * row.columns, random);
    const Literal result =
        RunInstruction(absl::StrCat("f32[", row.rows, ",", row.columns,
                                    "] dot(x, y), lhs_contracting_dims={1}, "
                                    "rhs_contracting_dims={0}"),
                       {ArrayOf({row.rows, row.depth}, lhs),
                        ArrayOf({row.depth, row.columns}, rhs)});
    std::vector<float> expected;
    for (int64_t i = 0; i < row.rows; ++i) {
      for (int64_t j = 0; j < row.columns; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < row.depth; ++k) {
          sum += lhs[i * row.depth + k] *
                 static_cast<float>(rhs[k * row.columns + j]);
        }
        expected.push_back(sum);
      }
    }
    CHECK(result == ArrayOf({row.rows, row.columns}, expected));
  }
}

TEST_CASE("many small dots are exact, whatever the order of their axes") {
  constexpr int64_t kBatch = 300;
  constexpr int64_t kRows = 3;
  constexpr int64_t kColumns = 5;
  constexpr int64_t kDepth = 7;
  RandomNumbers random(3);
  const auto lhs = SmallIntegers<float>(kDepth * kBatch * kRows, random);
  const auto rhs = SmallIntegers<BFloat16>(kBatch * kColumns * kDepth, random);
  const Literal result = RunInstruction(
      "f32[300,3,5] dot(x, y), lhs_batch_dims={1}, "
      "rhs_batch_dims={0}, lhs_contracting_dims={0}, "
      "rhs_contracting_dims={2}",
      {ArrayOf({kDepth, kBatch, kRows}, lhs),
       ArrayOf({kBatch, kColumns, kDepth}, rhs)});
  const auto element = [&](int64_t b, int64_t i, int64_t j) {
    float sum = 0;
    for (int64_t k = 0; k < kDepth; ++k) {
      sum += lhs[(k * kBatch + b) * kRows + i] *
             static_cast<float>(rhs[(b * kColumns + j) * kDepth + k]);
    }
    return sum;
  };
  std::vector<float> expected;
  for (int64_t b = 0; b < kBatch; ++b) {
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t j = 0; j < kColumns; ++j) {
        expected.push_back(element(b, i, j));
      }
    }
  }
  CHECK(result == ArrayOf({kBatch, kRows, kColumns}, expected));
}

TEST_CASE("dots compute in the declared type") {
  const std::string inner =
      " dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}";
  CheckApply({
      {"s8[]" + inner, {"s8[2] {100, 100}", "s8[2] {100, 1}"}, "116"},
      {"s32[]" + inner, {"s8[2] {100, 100}", "s8[2] {100, 1}"}, "10100"},
      {"s4[]" + inner, {"s4[2] {7, 7}", "s4[2] {7, 1}"}, "-8"},
      {"u8[]" + inner, {"u8[2] {200, 200}", "u8[2] {2, 0}"}, "144"},
      {"pred[]" + inner, {"pred[2] {1, 1}", "pred[2] {1, 1}"}, "true"},
      {"pred[]" + inner, {"pred[2] {1, 0}", "pred[2] {0, 1}"}, "false"},
      {"s32[]" + inner, {"pred[3] {1, 1, 0}", "pred[3] {1, 1, 1}"}, "2"},
      {"s64[]" + inner,
       {"s64[2] {4611686018427387904, 1}", "s64[2] {4, 5}"},
       "5"},
      {"f32[]" + inner, {"bf16[2] {256, 1}", "bf16[2] {1, 1}"}, "257"},
      {"bf16[]" + inner, {"bf16[2] {256, 1}", "bf16[2] {1, 1}"}, "256"},
      {"f32[]" + inner, {"f32[2] {inf, 1}", "f32[2] {0, 1}"}, "nan"},
      {"f32[]" + inner, {"f32[0] {}", "f32[0] {}"}, "0"},
      {"f64[]" + inner, {"f32[2] {1, 1e-9}", "f64[2] {1, 1}"}, "1.000000001"},
      {"c64[]" + inner, {"c64[1] {(1, 2)}", "c64[1] {(3, 4)}"}, "(-5, 10)"},
      {"f32[2,2] dot(x, y), lhs_contracting_dims={}, rhs_contracting_dims={}",
       {"f32[2] {1, 2}", "f32[2] {3, 4}"},
       "{ { 3, 4 }, { 6, 8 } }"},
      {"f32[]" + inner, {"f8e4m3fn[2] {2, 3}", "f8e5m2[2] {0.5, 4}"}, "13"},
      // More lanes than one, fewer than a panel has.
      {"f64[3,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {"s8[3,5] {{1, 2, 3, 4, 5}, {-1, -2, -3, -4, -5}, {100, 0, 0, 1, 127}}",
        "f32[5,2] {{1.5, 2}, {3, 4}, {5, 6}, {7, 8}, {9.5, 10}}"},
       "{ { 98, 110 }, { -98, -110 }, { 1363.5, 1478 } }"},
  });
}

TEST_CASE("4096 bf16 ones sum to 4096") {
  const std::vector<BFloat16> ones(4096, BFloat16::FromFloat(1));
  const Literal result = RunInstruction(
      "bf16[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
      {ArrayOf({4096}, ones), ArrayOf({4096}, ones)});
  CHECK(static_cast<float>(result.data<BFloat16>()[0]) == 4096);
}

// Case 55 of the list of public reports.
TEST_CASE("rows of a product with the identity keep large values") {
  constexpr int64_t kRows = 16385;
  std::vector<double> lhs(kRows * 3, 0);
  for (int64_t i = 0; i < kRows; ++i) lhs[i * 3] = static_cast<double>(i);
  const Literal result = RunInstruction(
      "f64[16385,3] dot(x, y), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}",
      {ArrayOf({kRows, 3}, lhs),
       ArrayOf({3, 3}, std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1})});
  CHECK(result == ArrayOf({kRows, 3}, lhs));
}

TEST_CASE("ragged dots choose a group for each row, range or batch") {
  const std::string free =
      "f32[4,1] ragged-dot(x, y, z), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}";
  const std::string contracting =
      "f32[3,1,1] ragged-dot(x, y, z), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}, lhs_ragged_dims={1}";
  const std::string batch =
      "f32[3,1,1] ragged-dot(x, y, z), lhs_batch_dims={0}, "
      "rhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={0}";
  CheckApply({
      {free,
       {"f32[4,2] {{1,2},{3,4},{5,6},{7,8}}",
        "f32[3,2,1] {{{1},{1}},{{10},{10}},{{100},{100}}}", "s32[3] {1, 0, 2}"},
       "{ {3}, {700}, {1100}, {0} }"},
      {contracting,
       {"f32[1,4] {{1,2,3,4}}", "f32[4,1] {{1},{1},{1},{1}}",
        "s32[3] {1, 0, 2}"},
       "{ { {1} }, { {0} }, { {5} } }"},
      {batch,
       {"f32[3,1,1] {{{1}},{{2}},{{3}}}", "f32[3,1,1] {{{1}},{{1}},{{1}}}",
        "s32[2] {1, 1}"},
       "{ { {1} }, { {2} }, { {0} } }"},
      {"f32[2,2,1] ragged-dot(x, y, z), lhs_batch_dims={0}, "
       "rhs_batch_dims={1}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0}",
       {"f32[2,2,1] {{{1},{2}},{{3},{4}}}",
        "f32[2,2,1,1] {{{{1}},{{10}}},{{{100}},{{1000}}}}",
        "s32[2,2] {{1,1},{0,1}}"},
       "{ { {1}, {200} }, { {3000}, {0} } }"},
  });
}

TEST_CASE("scaled dots scale blocks") {
  CheckApply({
      {"f32[1,1] scaled-dot(x, y, z, u), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       {"f8e4m3fn[1,4] {{1,2,3,4}}", "f8e4m3fn[4,1] {{1},{1},{1},{1}}",
        "f8e8m0fnu[1,2] {{2,4}}", "f8e8m0fnu[] 4"},
       "{ {34} }"},
  });
}

}  // namespace
}  // namespace hilo::hlo
