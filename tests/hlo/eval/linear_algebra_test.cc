// Tests of cholesky and triangular-solve.
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "hlo/ir/literal.h"
#include "runtime/base/numeric_traits.h"
#include "tests/hlo/eval/evaluate_text.h"
#include "tests/hlo/eval/matrices.h"
#include "tests/hlo/eval/random_arrays.h"

namespace hilo::hlo {
namespace {

template <typename T>
void CheckCholesky(int64_t n, bool lower, double tolerance) {
  RandomNumbers random(n);
  constexpr int64_t kBatches = 2;
  std::vector<T> all;
  std::vector<std::vector<T>> inputs;
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    const auto b = Matrix<T>{n, n, UnitNumbers<T>(n * n, random)};
    Matrix<T> a = Multiply(b, Adjoint(b));
    for (int64_t i = 0; i < n; ++i) a.At(i, i) += T(1);
    inputs.push_back(a.values);
    // The other triangle is not read.
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        (lower ? a.At(j, i) : a.At(i, j)) = NumericTraits<T>::quiet_nan();
      }
    }
    all.insert(all.end(), a.values.begin(), a.values.end());
  }
  const std::string shape =
      absl::StrCat(kNumericName<T>, "[", kBatches, ",", n, ",", n, "]");
  const Literal result = RunInstruction(
      absl::StrCat(shape, " cholesky(x), lower=", lower ? "true" : "false"),
      {ArrayOf({kBatches, n, n}, all)});
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    const Matrix<T> factor = MatrixAt<T>(result, batch, n, n);
    const Matrix<T> product = lower ? Multiply(factor, Adjoint(factor))
                                    : Multiply(Adjoint(factor), factor);
    CHECK(Distance(product.values, inputs[batch]) < tolerance);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        CHECK((lower ? factor.At(j, i) : factor.At(i, j)) == T(0));
      }
    }
  }
}

TEST_CASE("cholesky factors multiply back") {
  for (const int64_t n : {1, 3, 5, 7, 17}) {
    for (const bool lower : {true, false}) {
      CAPTURE(n, lower);
      CheckCholesky<float>(n, lower, 1e-5);
      CheckCholesky<double>(n, lower, 1e-13);
      CheckCholesky<std::complex<float>>(n, lower, 1e-5);
      CheckCholesky<std::complex<double>>(n, lower, 1e-13);
    }
  }
}

TEST_CASE("cholesky of what is not positive definite is NaN") {
  const std::string lower = " cholesky(x), lower=true";
  CHECK(Apply("f32[2,2,2]" + lower,
              {"f32[2,2,2] {{{1,0},{1,1}},{{4,9},{2,5}}}"}) ==
        "{ { { nan, nan }, { nan, nan } }, { { 2, 0 }, { 1, 2 } } }");
  CHECK(Apply("bf16[2,2]" + lower, {"bf16[2,2] {{4,9},{2,5}}"}) ==
        "{ { 2, 0 }, { 1, 2 } }");
  CHECK(Apply("f16[2,2] cholesky(x)", {"f16[2,2] {{4,2},{9,5}}"}) ==
        "{ { 2, 1 }, { 0, 2 } }");
  CHECK(Apply("f32[1,1]" + lower, {"f32[1,1] {{nan}}"}) == "{ {nan} }");
  CHECK(Apply("f32[1,1]" + lower, {"f32[1,1] {{-1}}"}) == "{ {nan} }");
  CHECK(RunInstruction("f32[0,0]" + lower,
                       {ArrayOf({0, 0}, std::vector<float>())})
            .element_count() == 0);
}

struct SolveOptions {
  bool left = true;
  bool lower = true;
  bool unit = false;
  std::string transpose;
};

template <typename T>
void CheckSolve(const SolveOptions& options, int64_t m, int64_t n,
                double tolerance) {
  RandomNumbers random(m * 8 + n);
  Matrix<T> a{m, m, UnitNumbers<T>(m * m, random)};
  Matrix<T> triangle{m, m, std::vector<T>(m * m)};
  for (int64_t i = 0; i < m; ++i) {
    a.At(i, i) += T(2);
    for (int64_t j = 0; j < m; ++j) {
      if (i == j) {
        triangle.At(i, j) = options.unit ? T(1) : a.At(i, j);
        if (options.unit) a.At(i, j) = NumericTraits<T>::quiet_nan();
      } else if ((j < i) == options.lower) {
        a.At(i, j) *= T(0.3);
        triangle.At(i, j) = a.At(i, j);
      } else {
        a.At(i, j) = NumericTraits<T>::quiet_nan();
      }
    }
  }
  const int64_t rows = options.left ? m : n;
  const int64_t columns = options.left ? n : m;
  const auto b = UnitNumbers<T>(rows * columns, random);
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  const Literal result = RunInstruction(
      absl::StrCat(kNumericName<T>, "[", rows, ",", columns,
                   "] triangular-solve(x, y), left_side=", flag(options.left),
                   ", lower=", flag(options.lower), ", unit_diagonal=",
                   flag(options.unit), ", transpose_a=", options.transpose),
      {ArrayOf({m, m}, a.values), ArrayOf({rows, columns}, b)});
  if (options.transpose == "TRANSPOSE") triangle = Transposed(triangle);
  if (options.transpose == "ADJOINT") triangle = Adjoint(triangle);
  const Matrix<T> x = MatrixAt<T>(result, 0, rows, columns);
  const Matrix<T> product =
      options.left ? Multiply(triangle, x) : Multiply(x, triangle);
  CHECK(Distance(product.values, b) < tolerance);
}

TEST_CASE("solutions of triangular systems multiply back") {
  for (const bool left : {true, false}) {
    for (const bool lower : {true, false}) {
      for (const bool unit : {true, false}) {
        for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
          const SolveOptions options{left, lower, unit, transpose};
          CAPTURE(left, lower, unit, transpose);
          CheckSolve<float>(options, 5, 3, 1e-5);
          CheckSolve<double>(options, 7, 1, 1e-13);
          CheckSolve<std::complex<float>>(options, 3, 5, 1e-5);
          CheckSolve<std::complex<double>>(options, 17, 2, 1e-12);
        }
      }
    }
  }
}

TEST_CASE("triangular systems of narrow floats, batches and zeros") {
  const std::string solve =
      " triangular-solve(x, y), left_side=true, lower=true, "
      "transpose_a=NO_TRANSPOSE";
  CHECK(Apply("bf16[2,1]" + solve, {"bf16[2,2] {{2,nan},{1,4}}",
                                    "bf16[2,1] {{2},{9}}"}) == "{ {1}, {2} }");
  CHECK(Apply("f16[2,1,1]" + solve,
              {"f16[2,1,1] {{{2}},{{4}}}", "f16[2,1,1] {{{1}},{{1}}}"}) ==
        "{ { {0.5} }, { {0.25} } }");
  CHECK(Apply("f32[1,1]" + solve, {"f32[1,1] {{0}}", "f32[1,1] {{1}}"}) ==
        "{ {inf} }");
}

}  // namespace
}  // namespace hilo::hlo
