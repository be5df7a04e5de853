// Tests of the custom calls of LAPACK routines.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "hlo/ir/literal.h"
#include "runtime/base/numeric_traits.h"
#include "tests/hlo/eval/evaluate_text.h"
#include "tests/hlo/eval/matrices.h"
#include "tests/hlo/eval/random_arrays.h"

namespace hilo::hlo {
namespace {

// What a test needs to know of an element type.
template <typename T>
struct Facts {
  using Real = NumericTraits<T>::Part;
  static constexpr bool kIsComplex = NumericTraits<T>::is_complex;
  static constexpr double kTolerance = sizeof(Real) == 4 ? 2e-5 : 1e-12;
  static std::string Type() { return kNumericName<T>; }
  static std::string RealType() { return kNumericName<Real>; }
  static std::string ComplexType() { return kNumericName<std::complex<Real>>; }
  // "lapack_sgetrf_ffi"; the second name for complex types.
  static std::string Target(const std::string& real,
                            const std::string& complex = "") {
    constexpr bool kIsSingle = sizeof(Real) == 4;
    constexpr char kReal = kIsSingle ? 's' : 'd';
    constexpr char kComplex = kIsSingle ? 'c' : 'z';
    const char letter = kIsComplex ? kComplex : kReal;
    const bool use_complex = kIsComplex && !complex.empty();
    return absl::StrCat("lapack_", std::string(1, letter),
                        use_complex ? complex : real, "_ffi");
  }
};

std::string Call(const std::string& result, const std::string& operands,
                 const std::string& target, const std::string& config) {
  return absl::StrCat(result, " custom-call(", operands,
                      "), custom_call_target=\"", target,
                      "\", api_version=API_VERSION_TYPED_FFI, "
                      "backend_config={",
                      config, "}");
}

std::string Sizes(std::initializer_list<int64_t> sizes) {
  std::string text = "[";
  for (const int64_t size : sizes) {
    absl::StrAppend(&text, text.size() > 1 ? "," : "", size);
  }
  return text + "]";
}

template <typename T>
Literal RandomMatrices(int64_t batches, int64_t rows, int64_t columns,
                       std::vector<Matrix<T>>* matrices) {
  RandomNumbers random(rows * 31 + columns);
  std::vector<T> all;
  for (int64_t i = 0; i < batches; ++i) {
    matrices->push_back(
        {rows, columns, UnitNumbers<T>(rows * columns, random)});
    const std::vector<T>& values = matrices->back().values;
    all.insert(all.end(), values.begin(), values.end());
  }
  return ArrayOf({batches, rows, columns}, all);
}

template <typename T>
std::vector<T> VectorAt(const Literal& literal, int64_t batch, int64_t size) {
  const auto values = literal.data<T>().subspan(batch * size, size);
  return {values.begin(), values.end()};
}

// Element (i, j) of the lower triangle, with ones on the diagonal.
template <typename T>
Matrix<T> UnitLower(const Matrix<T>& lu, int64_t columns) {
  Matrix<T> lower{lu.rows, columns, std::vector<T>(lu.rows * columns)};
  for (int64_t i = 0; i < lu.rows; ++i) {
    for (int64_t j = 0; j < columns && j <= i; ++j) {
      lower.At(i, j) = i == j ? T(1) : lu.At(i, j);
    }
  }
  return lower;
}

template <typename T>
Matrix<T> Upper(const Matrix<T>& lu, int64_t rows) {
  Matrix<T> upper{rows, lu.columns, std::vector<T>(rows * lu.columns)};
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i; j < lu.columns; ++j) upper.At(i, j) = lu.At(i, j);
  }
  return upper;
}

constexpr int64_t kBatches = 2;

template <typename T>
void CheckGetrf(int64_t m, int64_t n) {
  using F = Facts<T>;
  std::vector<Matrix<T>> inputs;
  const Literal a = RandomMatrices<T>(kBatches, m, n, &inputs);
  const int64_t k = std::min(m, n);
  const Literal result = RunInstruction(
      Call(absl::StrCat("(", F::Type(), Sizes({kBatches, m, n}), ", s32",
                        Sizes({kBatches, k}), ", s32", Sizes({kBatches}), ")"),
           "x", F::Target("getrf"), ""),
      {a});
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    const Matrix<T> lu = MatrixAt<T>(result.element(0), batch, m, n);
    Matrix<T> product = Multiply(UnitLower(lu, k), Upper(lu, k));
    const auto pivots = VectorAt<int32_t>(result.element(1), batch, k);
    for (int64_t i = k; i > 0; --i) {
      for (int64_t j = 0; j < n; ++j) {
        std::swap(product.At(i - 1, j), product.At(pivots[i - 1] - 1, j));
      }
    }
    CHECK(Distance(product.values, inputs[batch].values) < F::kTolerance);
    CHECK(result.element(2).template data<int32_t>()[batch] == 0);
  }
}

// geqrf, then orgqr, then ormqr.
template <typename T>
void CheckQr(int64_t m, int64_t n) {
  using F = Facts<T>;
  std::vector<Matrix<T>> inputs;
  const Literal a = RandomMatrices<T>(kBatches, m, n, &inputs);
  const int64_t k = std::min(m, n);
  const std::string matrix = F::Type() + Sizes({kBatches, m, n});
  const std::string vector = F::Type() + Sizes({kBatches, k});
  const Literal qr =
      RunInstruction(Call(absl::StrCat("(", matrix, ", ", vector, ")"), "x",
                          F::Target("geqrf"), ""),
                     {a});
  const Literal product =
      RunInstruction(Call(matrix, "x, y, z", F::Target("ormqr", "unmqr"),
                          "left = true, transpose = true"),
                     {qr.element(0), qr.element(1), a});
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    const Matrix<T> r = Upper(MatrixAt<T>(qr.element(0), batch, m, n), k);
    Matrix<T> rotated = MatrixAt<T>(product, batch, m, n);
    for (int64_t i = k; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        CHECK(std::abs(rotated.At(i, j)) < F::kTolerance);
      }
    }
    rotated.values.resize(k * n);
    CHECK(Distance(rotated.values, r.values) < F::kTolerance);
  }
  if (m < n) return;
  const Literal q =
      RunInstruction(Call(matrix, "x, y", F::Target("orgqr", "ungqr"), ""),
                     {qr.element(0), qr.element(1)});
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    const Matrix<T> left = MatrixAt<T>(q, batch, m, n);
    const Matrix<T> right = Upper(MatrixAt<T>(qr.element(0), batch, m, n), n);
    CHECK(Distance(Multiply(Adjoint(left), left).values,
                   Identity<T>(n).values) < F::kTolerance);
    CHECK(Distance(Multiply(left, right).values, inputs[batch].values) <
          F::kTolerance);
  }
}

template <typename T>
void CheckGeqp3(int64_t m, int64_t n) {
  using F = Facts<T>;
  std::vector<Matrix<T>> inputs;
  const Literal a = RandomMatrices<T>(kBatches, m, n, &inputs);
  const int64_t k = std::min(m, n);
  const std::string matrix = F::Type() + Sizes({kBatches, m, n});
  const Literal result = RunInstruction(
      Call(absl::StrCat("(", matrix, ", s32", Sizes({kBatches, n}), ", ",
                        F::Type(), Sizes({kBatches, k}), ")"),
           "x, y", F::Target("geqp3"), ""),
      {a, ArrayOf({kBatches, n}, std::vector<int32_t>(kBatches * n, 0))});
  // The columns of R have the norms of the permuted columns.
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    const Matrix<T> r = Upper(MatrixAt<T>(result.element(0), batch, m, n), k);
    const auto pivots = VectorAt<int32_t>(result.element(1), batch, n);
    for (int64_t j = 0; j < n; ++j) {
      double norm = 0;
      double expected = 0;
      for (int64_t i = 0; i < k; ++i) norm += std::norm(r.At(i, j));
      for (int64_t i = 0; i < m; ++i) {
        expected += std::norm(inputs[batch].At(i, pivots[j] - 1));
      }
      CHECK(std::abs(norm - expected) < 20 * F::kTolerance);
    }
  }
}

template <typename T>
void CheckSvd(const std::string& routine, int64_t m, int64_t n, char mode) {
  using F = Facts<T>;
  using Real = F::Real;
  std::vector<Matrix<T>> inputs;
  const Literal a = RandomMatrices<T>(kBatches, m, n, &inputs);
  const int64_t k = std::min(m, n);
  const int64_t u_columns = mode == 'A' ? m : k;
  const int64_t vt_rows = mode == 'A' ? n : k;
  const Literal result = RunInstruction(
      Call(absl::StrCat("(", F::Type(), Sizes({kBatches, m, n}), ", ",
                        F::RealType(), Sizes({kBatches, k}), ", ", F::Type(),
                        Sizes({kBatches, m, u_columns}), ", ", F::Type(),
                        Sizes({kBatches, vt_rows, n}), ", s32",
                        Sizes({kBatches}), ")"),
           "x", F::Target(routine),
           absl::StrCat("mode = ", static_cast<int>(mode), " : ui8")),
      {a});
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    CHECK(result.element(4).template data<int32_t>()[batch] == 0);
    const auto s = VectorAt<Real>(result.element(1), batch, k);
    double squares = 0;
    for (const Real value : s) squares += value * value;
    double expected = 0;
    for (const T value : inputs[batch].values) expected += std::norm(value);
    CHECK(std::abs(squares - expected) < 100 * F::kTolerance);
    if (mode == 'N') continue;
    const Matrix<T> u = MatrixAt<T>(result.element(2), batch, m, u_columns);
    const Matrix<T> vt = MatrixAt<T>(result.element(3), batch, vt_rows, n);
    CHECK(Distance(Multiply(Adjoint(u), u).values,
                   Identity<T>(u_columns).values) < F::kTolerance);
    Matrix<T> scaled = FirstColumns(u, k);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < k; ++j) scaled.At(i, j) *= s[j];
    }
    Matrix<T> right{k, n, vt.values};
    right.values.resize(k * n);
    CHECK(Distance(Multiply(scaled, right).values, inputs[batch].values) <
          F::kTolerance);
  }
}

template <typename T>
void CheckSyevd(int64_t n, char uplo) {
  using F = Facts<T>;
  using Real = F::Real;
  std::vector<Matrix<T>> inputs;
  RandomMatrices<T>(kBatches, n, n, &inputs);
  std::vector<T> all;
  for (Matrix<T>& a : inputs) {
    const Matrix<T> adjoint = Adjoint(a);
    for (size_t i = 0; i < a.values.size(); ++i) {
      a.values[i] += adjoint.values[i];
    }
    all.insert(all.end(), a.values.begin(), a.values.end());
  }
  const Literal result = RunInstruction(
      Call(absl::StrCat("(", F::Type(), Sizes({kBatches, n, n}), ", ",
                        F::RealType(), Sizes({kBatches, n}), ", s32",
                        Sizes({kBatches}), ")"),
           "x", F::Target("syevd", "heevd"),
           absl::StrCat("mode = 86 : ui8, uplo = ", static_cast<int>(uplo),
                        " : ui8")),
      {ArrayOf({kBatches, n, n}, all)});
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    const Matrix<T> v = MatrixAt<T>(result.element(0), batch, n, n);
    const auto w = VectorAt<Real>(result.element(1), batch, n);
    Matrix<T> scaled = v;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) scaled.At(i, j) *= w[j];
    }
    CHECK(Distance(Multiply(scaled, Adjoint(v)).values, inputs[batch].values) <
          F::kTolerance);
    CHECK(std::ranges::is_sorted(w));
  }
}

// a * right = right * w and adjoint(left) * a = w * adjoint(left).
template <typename T>
void CheckGeev(int64_t n) {
  using F = Facts<T>;
  using Real = F::Real;
  using Complex = std::complex<Real>;
  std::vector<Matrix<T>> inputs;
  const Literal input = RandomMatrices<T>(kBatches, n, n, &inputs);
  const std::string values = F::Type() + Sizes({kBatches, n});
  const std::string vectors = F::ComplexType() + Sizes({kBatches, n, n});
  const Literal result = RunInstruction(
      Call(
          absl::StrCat("(", values, ", ", F::kIsComplex ? "" : values + ", ",
                       vectors, ", ", vectors, ", s32", Sizes({kBatches}), ")"),
          "x", F::Target("geev"),
          "compute_left = 86 : ui8, compute_right = 86 : ui8"),
      {input});
  const int64_t first = F::kIsComplex ? 1 : 2;
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    Matrix<Complex> w{n, n, std::vector<Complex>(n * n)};
    for (int64_t i = 0; i < n; ++i) {
      const T real = result.element(0).template data<T>()[batch * n + i];
      w.At(i, i) = real;
      if constexpr (!F::kIsComplex) {
        w.At(i, i).imag(result.element(1).template data<T>()[batch * n + i]);
      }
    }
    Matrix<Complex> a{n, n, std::vector<Complex>(n * n)};
    for (int64_t i = 0; i < n * n; ++i) a.values[i] = inputs[batch].values[i];
    const auto left =
        Adjoint(MatrixAt<Complex>(result.element(first), batch, n, n));
    const auto right =
        MatrixAt<Complex>(result.element(first + 1), batch, n, n);
    CHECK(Distance(Multiply(a, right).values, Multiply(right, w).values) <
          F::kTolerance);
    CHECK(Distance(Multiply(left, a).values, Multiply(w, left).values) <
          F::kTolerance);
  }
}

template <typename T>
void CheckGees(int64_t n) {
  using F = Facts<T>;
  std::vector<Matrix<T>> inputs;
  const Literal a = RandomMatrices<T>(kBatches, n, n, &inputs);
  const std::string matrix = F::Type() + Sizes({kBatches, n, n});
  const std::string values = F::Type() + Sizes({kBatches, n});
  const std::string integers = "s32" + Sizes({kBatches});
  const Literal result = RunInstruction(
      Call(absl::StrCat("(", matrix, ", ", matrix, ", ", values, ", ",
                        F::kIsComplex ? "" : values + ", ", integers, ", ",
                        integers, ")"),
           "x", F::Target("gees"), "mode = 86 : ui8, sort = 78 : ui8"),
      {a});
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    const Matrix<T> t = MatrixAt<T>(result.element(0), batch, n, n);
    const Matrix<T> v = MatrixAt<T>(result.element(1), batch, n, n);
    CHECK(Distance(Multiply(Multiply(v, t), Adjoint(v)).values,
                   inputs[batch].values) < F::kTolerance);
  }
}

// The reduced matrices keep their trace and, off the reflectors, the norm.
template <typename T>
void CheckReductions(int64_t n) {
  using F = Facts<T>;
  using Real = F::Real;
  std::vector<Matrix<T>> inputs;
  const Literal a = RandomMatrices<T>(1, n, n, &inputs);
  const std::string matrix = F::Type() + Sizes({1, n, n});
  const std::string tau = F::Type() + Sizes({1, n - 1});
  const Literal hessenberg =
      RunInstruction(Call(absl::StrCat("(", matrix, ", ", tau, ", s32[1])"),
                          "x", F::Target("gehrd"),
                          absl::StrCat("low = 1 : i32, high = ", n, " : i32")),
                     {a});
  double norm = 0;
  const Matrix<T> h = MatrixAt<T>(hessenberg.element(0), 0, n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = std::max<int64_t>(i - 1, 0); j < n; ++j) {
      norm += std::norm(h.At(i, j));
    }
  }
  for (const T value : inputs[0].values) norm -= std::norm(value);
  CHECK(std::abs(norm) < 100 * F::kTolerance);
  const Literal tridiagonal = RunInstruction(
      Call(absl::StrCat("(", matrix, ", ", F::RealType(), Sizes({1, n}), ", ",
                        F::RealType(), Sizes({1, n - 1}), ", ", tau,
                        ", s32[1])"),
           "x", F::Target("sytrd", "hetrd"), "uplo = 76 : ui8"),
      {a});
  double trace = 0;
  for (int64_t i = 0; i < n; ++i) {
    trace += tridiagonal.element(1).template data<Real>()[i] -
             std::real(inputs[0].At(i, i));
  }
  CHECK(std::abs(trace) < F::kTolerance);
}

template <typename T>
void CheckGtsv(int64_t n, int64_t columns) {
  using F = Facts<T>;
  RandomNumbers random(n);
  std::array<std::vector<T>, 3> diagonals;
  for (std::vector<T>& diagonal : diagonals) {
    diagonal = UnitNumbers<T>(n, random);
  }
  Matrix<T> a{n, n, std::vector<T>(n * n)};
  for (int64_t i = 0; i < n; ++i) {
    diagonals[1][i] += T(3);
    a.At(i, i) = diagonals[1][i];
    if (i > 0) a.At(i, i - 1) = diagonals[0][i];
    if (i + 1 < n) a.At(i, i + 1) = diagonals[2][i];
  }
  const auto b = UnitNumbers<T>(n * columns, random);
  const std::string vector = F::Type() + Sizes({n});
  const Literal result = RunInstruction(
      Call(absl::StrCat("(", vector, ", ", vector, ", ", vector, ", ",
                        F::Type(), Sizes({n, columns}), ", s32[])"),
           "x, y, z, u", F::Target("gtsv"), ""),
      {ArrayOf({n}, diagonals[0]), ArrayOf({n}, diagonals[1]),
       ArrayOf({n}, diagonals[2]), ArrayOf({n, columns}, b)});
  const Matrix<T> x = MatrixAt<T>(result.element(3), 0, n, columns);
  CHECK(Distance(Multiply(a, x).values, b) < F::kTolerance);
}

template <typename T>
void CheckTrsm(char side, char uplo, char trans, char diag) {
  using F = Facts<T>;
  constexpr int64_t kSize = 5;
  constexpr int64_t kOther = 3;
  RandomNumbers random(side + uplo);
  Matrix<T> a{kSize, kSize, UnitNumbers<T>(kSize * kSize, random)};
  Matrix<T> triangle{kSize, kSize, std::vector<T>(kSize * kSize)};
  for (int64_t i = 0; i < kSize; ++i) {
    for (int64_t j = 0; j < kSize; ++j) {
      if (i == j) a.At(i, i) += T(2);
      const bool is_inside = uplo == 'L' ? j <= i : j >= i;
      if (is_inside) triangle.At(i, j) = a.At(i, j);
    }
    if (diag == 'U') triangle.At(i, i) = T(1);
  }
  const int64_t rows = side == 'L' ? kSize : kOther;
  const int64_t columns = side == 'L' ? kOther : kSize;
  const auto b = UnitNumbers<T>(rows * columns, random);
  const Literal result = RunInstruction(
      Call(F::Type() + Sizes({rows, columns}), "x, y", F::Target("trsm"),
           absl::StrCat("diag = ", static_cast<int>(diag),
                        " : ui8, side = ", static_cast<int>(side),
                        " : ui8, trans_x = ", static_cast<int>(trans),
                        " : ui8, uplo = ", static_cast<int>(uplo), " : ui8")),
      {ArrayOf({kSize, kSize}, a.values), ArrayOf({rows, columns}, b)});
  if (trans == 'T') triangle = Transposed(triangle);
  if (trans == 'C') triangle = Adjoint(triangle);
  const Matrix<T> x = MatrixAt<T>(result, 0, rows, columns);
  CHECK(
      Distance(
          (side == 'L' ? Multiply(triangle, x) : Multiply(x, triangle)).values,
          b) < 10 * F::kTolerance);
}

template <typename T>
void CheckAll() {
  for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {3, 5}, {5, 3}, {7, 7}, {17, 3}, {40, 33}}) {
    CAPTURE(kNumericName<T>, m, n);
    CheckGetrf<T>(m, n);
    CheckQr<T>(m, n);
    CheckGeqp3<T>(m, n);
    for (const char mode : {'A', 'S', 'N'}) {
      CheckSvd<T>("gesdd", m, n, mode);
      CheckSvd<T>("gesvd", m, n, mode);
    }
  }
  for (const int64_t n : {1, 3, 5, 7, 17}) {
    CAPTURE(kNumericName<T>, n);
    CheckSyevd<T>(n, 'L');
    CheckSyevd<T>(n, 'U');
    CheckGeev<T>(n);
    CheckGees<T>(n);
    CheckReductions<T>(n);
    CheckGtsv<T>(n, 2);
  }
  for (const char side : {'L', 'R'}) {
    for (const char uplo : {'L', 'U'}) {
      for (const char trans : {'N', 'T', 'C'}) {
        CAPTURE(kNumericName<T>, side, uplo, trans);
        CheckTrsm<T>(side, uplo, trans, 'N');
        CheckTrsm<T>(side, uplo, trans, 'U');
      }
    }
  }
}

TEST_CASE("LAPACK factorisations multiply back in f32") { CheckAll<float>(); }
TEST_CASE("LAPACK factorisations multiply back in f64") { CheckAll<double>(); }
TEST_CASE("LAPACK factorisations multiply back in c64") {
  CheckAll<std::complex<float>>();
}
TEST_CASE("LAPACK factorisations multiply back in c128") {
  CheckAll<std::complex<double>>();
}

TEST_CASE("LAPACK's exact small results") {
  const std::string potrf = Call("(f32[2,2]{0,1}, s32[])", "x",
                                 "lapack_spotrf_ffi", "uplo = 76 : ui8");
  CHECK(Apply(potrf, {"f32[2,2] {{4,9},{2,5}}"}) ==
        "( { { 2, 9 }, { 1, 2 } }, 0 )");
  CHECK(Apply(potrf, {"f32[2,2] {{4,9},{2,-5}}"}).find(", 2") !=
        std::string::npos);
  CHECK(Apply("(f32[2,2], s32[2], s32[]) custom-call(x, y, z, u), "
              "custom_call_target=\"lapack_sgetrf\"",
              {"s32[] 1", "s32[] 2", "s32[] 2", "f32[2,2] {{1,2},{2,2}}"}) ==
        "( { { 2, 2 }, { 0.5, 1 } }, {2, 2}, 0 )");
}

TEST_CASE("LAPACK is not asked to iterate on NaN") {
  for (const char* routine : {"gesdd", "gesvd"}) {
    CHECK(Apply(Call("(f32[1,1], f32[1], f32[1,1], f32[1,1], s32[])", "x",
                     absl::StrCat("lapack_s", routine, "_ffi"),
                     "mode = 83 : ui8"),
                {"f32[1,1] {{nan}}"})
              .find("nan") != std::string::npos);
  }
  const absl::StatusOr<Literal> result =
      TryInstruction(Call("(f32[2,2], f32[2], s32[])", "x", "lapack_ssyevd_ffi",
                          "mode = 86 : ui8, uplo = 76 : ui8"),
                     {ArrayOf({2, 2}, std::vector<float>(4, INFINITY))});
  REQUIRE(result.ok());
  CHECK(result->element(2).data<int32_t>()[0] == 1);
}

TEST_CASE("LAPACK calls on empty matrices") {
  const Literal empty = ArrayOf({0, 3}, std::vector<float>());
  const Literal svd =
      RunInstruction(Call("(f32[0,3], f32[0], f32[0,0], f32[3,3], s32[])", "x",
                          "lapack_sgesdd_ffi", "mode = 65 : ui8"),
                     {empty});
  CHECK(svd.element(3) ==
        ArrayOf({3, 3}, std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  RunInstruction(
      Call("(f32[0,3], s32[0], s32[])", "x", "lapack_sgetrf_ffi", ""), {empty});
  RunInstruction(
      Call("(f32[0,2,2], s32[0,2], s32[0])", "x", "lapack_sgetrf_ffi", ""),
      {ArrayOf({0, 2, 2}, std::vector<float>())});
}

TEST_CASE("wrong LAPACK calls are errors") {
  struct Row {
    std::string call;
    std::string argument;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {Call("(f32[2,2], s32[])", "x", "lapack_spotrf_ffi", ""),
            "f32[2,2] {{1,0},{0,1}}", "attribute 'uplo' is missing"},
           {Call("(f32[2,2], s32[])", "x", "lapack_spotrf_ffi",
                 "uplo = 77 : ui8"),
            "f32[2,2] {{1,0},{0,1}}", "expected the code of a letter"},
           {Call("(f32[2,3], s32[])", "x", "lapack_spotrf_ffi",
                 "uplo = 76 : ui8"),
            "f32[2,3] {{1,0,0},{0,1,0}}", "expected a square matrix"},
           {Call("(f32[2,2], s32[3])", "x", "lapack_spotrf_ffi",
                 "uplo = 76 : ui8"),
            "f32[2,2] {{1,0},{0,1}}", "the routine gives (f32[2,2], s32[])"},
           {Call("(f32[2,2], s32[])", "x", "lapack_dpotrf_ffi",
                 "uplo = 76 : ui8"),
            "f32[2,2] {{1,0},{0,1}}", "the routine is for f64"},
           {Call("(f32[2,2], s32[])", "x", "lapack_spotrf_ffi", "uplo = "),
            "f32[2,2] {{1,0},{0,1}}", "expected a value"},
           {"f32[2,2] custom-call(x), custom_call_target=\"blas_strsm\"",
            "f32[2,2] {{1,0},{0,1}}", "before typed FFI"},
       }) {
    CAPTURE(row.call);
    CHECK_THAT(Apply(row.call, {row.argument}),
               Catch::Matchers::Contains(row.message));
  }
}

}  // namespace
}  // namespace hilo::hlo
