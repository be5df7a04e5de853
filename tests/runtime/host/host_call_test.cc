// Tests LAPACK's routines as library calls.
#include "runtime/host/host_call.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "runtime/host/element_code.h"
#include "runtime/thread_pool.h"
#include "tests/runtime/host/aligned_scratch.h"

namespace hilo::runtime {
namespace {

constexpr ElementCode kF64 = kElementCode<double>;
constexpr ElementCode kC128 = kElementCode<std::complex<double>>;
constexpr ElementCode kS32 = kElementCode<int32_t>;

using Attributes = std::vector<std::pair<absl::string_view, int64_t>>;

// A call, its operands and results; all arrays are doubles or pairs of them.
struct Call {
  std::string target;
  std::vector<HostArray> operands;
  std::vector<HostArray> results;
  Attributes attributes = {};

  // Returns the results, as doubles also where they are integers.
  std::vector<std::vector<double>> Run(
      const std::vector<std::vector<double>>& inputs, void* pool = nullptr) {
    const auto call = HostCall::Create({.target = target,
                                        .operands = operands,
                                        .results = results,
                                        .attributes = attributes,
                                        .slots = 2});
    INFO(call.status().ToString());
    REQUIRE(call.ok());
    std::vector<const void*> from;
    from.reserve(inputs.size());
    for (const std::vector<double>& input : inputs) {
      from.push_back(input.data());
    }
    std::vector<std::vector<double>> outputs;
    std::vector<void*> to;
    for (const HostArray& result : results) {
      int64_t count = result.type == kC128 ? 2 : 1;
      for (const int64_t size : result.dimensions) count *= size;
      outputs.emplace_back(count, 99);
    }
    to.reserve(outputs.size());
    for (std::vector<double>& output : outputs) to.push_back(output.data());
    AlignedScratch scratch(call->scratch_bytes());
    hilo_host_call(pool, &*call, from.data(), to.data(), scratch.data());
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].type != kS32) continue;
      const auto* integers =
          reinterpret_cast<const int32_t*>(outputs[i].data());
      const std::vector<int32_t> copy(integers, integers + outputs[i].size());
      std::ranges::copy(copy, outputs[i].begin());
    }
    return outputs;
  }
};

// Row-major matrices.
std::vector<double> Times(const std::vector<double>& a,
                          const std::vector<double>& b, int64_t rows,
                          int64_t inner, int64_t columns) {
  std::vector<double> product(rows * columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t k = 0; k < inner; ++k) {
        product[i * columns + j] += a[i * inner + k] * b[k * columns + j];
      }
    }
  }
  return product;
}

std::vector<double> Transposed(const std::vector<double>& a, int64_t rows,
                               int64_t columns) {
  std::vector<double> result(a.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      result[j * rows + i] = a[i * columns + j];
    }
  }
  return result;
}

void CheckNear(const std::vector<double>& actual,
               const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    CHECK(actual[i] == Approx(expected[i]).margin(1e-12));
  }
}

// Symmetric, 3 x 3.
std::vector<double> SymmetricMatrix() { return {4, 1, 2, 1, 5, 3, 2, 3, 6}; }
// 4 x 2.
std::vector<double> TallMatrix() { return {1, 2, 3, 4, 5, 7, 8, 9}; }

TEST_CASE("row-major and column-major arrays give the same") {
  const std::vector<double> a = {1, 2, 3, 4, 5, 7, 8, 9, 2, 4, 4, 1};
  for (const bool is_column_major : {false, true}) {
    CAPTURE(is_column_major);
    Call call{
        .target = "lapack_dgetrf_ffi",
        .operands = {{kF64, {2, 3, 2}, is_column_major}},
        .results = {
            {kF64, {2, 3, 2}, is_column_major}, {kS32, {2, 2}}, {kS32, {2}}}};
    std::vector<double> operand = a;
    if (is_column_major) {
      for (int64_t batch = 0; batch < 2; ++batch) {
        const std::vector<double> matrix(a.begin() + 6 * batch,
                                         a.begin() + 6 * (batch + 1));
        const std::vector<double> turned = Transposed(matrix, 3, 2);
        std::ranges::copy(turned, operand.begin() + 6 * batch);
      }
    }
    ThreadPool pool(2);
    auto results = call.Run({operand}, &pool.loop_workers());
    CHECK(results[1] == std::vector<double>{3, 3, 1, 3});
    CHECK(results[2] == std::vector<double>{0, 0});
    std::vector<double> lu(results[0].begin(), results[0].begin() + 6);
    if (is_column_major) lu = Transposed(lu, 2, 3);
    const std::vector<double> l = {1, 0, lu[2], 1, lu[4], lu[5]};
    const std::vector<double> u = {lu[0], lu[1], 0, lu[3]};
    CheckNear(Times(l, u, 3, 2, 2), {5, 7, 1, 2, 3, 4});
  }
}

TEST_CASE("qr factors multiply back") {
  Call geqrf{.target = "lapack_dgeqrf_ffi",
             .operands = {{kF64, {4, 2}}},
             .results = {{kF64, {4, 2}}, {kF64, {2}}}};
  const auto qr = geqrf.Run({TallMatrix()});
  Call orgqr{.target = "lapack_dorgqr_ffi",
             .operands = {{kF64, {4, 2}}, {kF64, {2}}},
             .results = {{kF64, {4, 2}}}};
  const auto q = orgqr.Run({qr[0], qr[1]});
  const std::vector<double> r = {qr[0][0], qr[0][1], 0, qr[0][3]};
  CheckNear(Times(q[0], r, 4, 2, 2), TallMatrix());
  Call ormqr{.target = "lapack_dormqr_ffi",
             .operands = {{kF64, {4, 2}}, {kF64, {2}}, {kF64, {4, 2}}},
             .results = {{kF64, {4, 2}}},
             .attributes = {{"left", 1}, {"transpose", 1}}};
  const auto product = ormqr.Run({qr[0], qr[1], TallMatrix()});
  CheckNear(product[0], {r[0], r[1], 0, r[3], 0, 0, 0, 0});
  Call geqp3{.target = "lapack_dgeqp3_ffi",
             .operands = {{kF64, {4, 2}}, {kS32, {2}}},
             .results = {{kF64, {4, 2}}, {kS32, {2}}, {kF64, {2}}}};
  CHECK(geqp3.Run({TallMatrix(), {0}})[1] == std::vector<double>{2, 1});
}

TEST_CASE("singular values and vectors multiply back") {
  for (const std::string name : {"gesdd", "gesvd"}) {
    for (const char mode : {'A', 'S', 'N'}) {
      CAPTURE(name, mode);
      const int64_t columns = mode == 'A' ? 4 : 2;
      Call call{.target = "lapack_d" + name + "_ffi",
                .operands = {{kF64, {4, 2}}},
                .results = {{kF64, {4, 2}},
                            {kF64, {2}},
                            {kF64, {4, columns}},
                            {kF64, {2, 2}},
                            {kS32, {}}},
                .attributes = {{"mode", mode}}};
      const auto svd = call.Run({TallMatrix()});
      CHECK(svd[4][0] == 0);
      CHECK(svd[1][0] == Approx(15.7321).epsilon(1e-2));
      if (mode == 'N') continue;
      std::vector<double> s(columns * 2);
      s[0] = svd[1][0];
      s[3] = svd[1][1];
      CheckNear(Times(Times(svd[2], s, 4, columns, 2), svd[3], 4, 2, 2),
                TallMatrix());
    }
  }
}

TEST_CASE("eigenvalues and vectors of symmetric matrices multiply back") {
  Call call{.target = "lapack_dsyevd_ffi",
            .operands = {{kF64, {3, 3}}},
            .results = {{kF64, {3, 3}}, {kF64, {3}}, {kS32, {}}},
            .attributes = {{"mode", 'V'}, {"uplo", 'L'}}};
  const auto eigen = call.Run({SymmetricMatrix()});
  std::vector<double> values(9);
  for (size_t i = 0; i < 3; ++i) values[4 * i] = eigen[1][i];
  CheckNear(Times(Times(eigen[0], values, 3, 3, 3), Transposed(eigen[0], 3, 3),
                  3, 3, 3),
            SymmetricMatrix());
  CHECK(eigen[2][0] == 0);
  std::vector<double> broken = SymmetricMatrix();
  broken[4] = NAN;
  const auto refused = call.Run({broken});
  CHECK(std::isnan(refused[0][0]));
  CHECK(std::isnan(refused[1][2]));
  CHECK(refused[2][0] == 1);
}

TEST_CASE("eigenvalues of a rotation are conjugate") {
  Call call{.target = "lapack_dgeev_ffi",
            .operands = {{kF64, {2, 2}}},
            .results = {{kF64, {2}},
                        {kF64, {2}},
                        {kC128, {2, 2}},
                        {kC128, {2, 2}},
                        {kS32, {}}},
            .attributes = {{"compute_left", 'N'}, {"compute_right", 'V'}}};
  const auto eigen = call.Run({{0, -1, 1, 0}});
  CheckNear(eigen[0], {0, 0});
  CheckNear(eigen[1], {1, -1});
  CheckNear(eigen[2], std::vector<double>(8));
  // Row i of the vectors, and their conjugates.
  CHECK(eigen[3][0] == eigen[3][2]);
  CHECK(eigen[3][1] == -eigen[3][3]);
  CHECK(eigen[4][0] == 0);
}

TEST_CASE("schur, hessenberg and tridiagonal forms keep the trace") {
  Call gees{.target = "lapack_dgees_ffi",
            .operands = {{kF64, {3, 3}}},
            .results = {{kF64, {3, 3}},
                        {kF64, {3, 3}},
                        {kF64, {3}},
                        {kF64, {3}},
                        {kS32, {}},
                        {kS32, {}}},
            .attributes = {{"mode", 'V'}, {"sort", 'N'}}};
  const auto schur = gees.Run({SymmetricMatrix()});
  CheckNear(Times(Times(schur[1], schur[0], 3, 3, 3),
                  Transposed(schur[1], 3, 3), 3, 3, 3),
            SymmetricMatrix());
  Call gehrd{.target = "lapack_dgehrd_ffi",
             .operands = {{kF64, {3, 3}}},
             .results = {{kF64, {3, 3}}, {kF64, {2}}, {kS32, {}}},
             .attributes = {{"low", 1}, {"high", 3}}};
  const auto hessenberg = gehrd.Run({SymmetricMatrix()});
  CHECK(hessenberg[0][0] + hessenberg[0][4] + hessenberg[0][8] == Approx(15));
  Call sytrd{.target = "lapack_dsytrd_ffi",
             .operands = {{kF64, {3, 3}}},
             .results = {{kF64, {3, 3}},
                         {kF64, {3}},
                         {kF64, {2}},
                         {kF64, {2}},
                         {kS32, {}}},
             .attributes = {{"uplo", 'U'}}};
  const auto tridiagonal = sytrd.Run({SymmetricMatrix()});
  CHECK(tridiagonal[1][0] + tridiagonal[1][1] + tridiagonal[1][2] ==
        Approx(15));
}

TEST_CASE("solvers solve") {
  Call trsm{.target = "lapack_dtrsm_ffi",
            .operands = {{kF64, {3, 3}}, {kF64, {3, 2}}},
            .results = {{kF64, {3, 2}}},
            .attributes = {
                {"side", 'L'}, {"uplo", 'L'}, {"trans_x", 'T'}, {"diag", 'N'}}};
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  const std::vector<double> upper = {4, 1, 2, 0, 5, 3, 0, 0, 6};
  CheckNear(trsm.Run({SymmetricMatrix(), Times(upper, x, 3, 3, 2)})[0], x);
  Call gtsv{
      .target = "lapack_dgtsv_ffi",
      .operands = {{kF64, {3}}, {kF64, {3}}, {kF64, {3}}, {kF64, {3, 2}}},
      .results = {
          {kF64, {3}}, {kF64, {3}}, {kF64, {3}}, {kF64, {3, 2}}, {kS32, {}}}};
  const std::vector<double> tridiagonal = {4, 1, 0, 2, 5, 1, 0, 3, 6};
  const auto solution = gtsv.Run(
      {{NAN, 2, 3}, {4, 5, 6}, {1, 1, NAN}, Times(tridiagonal, x, 3, 3, 2)});
  CheckNear(solution[3], x);
  Call potrf{.target = "lapack_dpotrf_ffi",
             .operands = {{kF64, {2, 2}}},
             .results = {{kF64, {2, 2}}, {kS32, {}}},
             .attributes = {{"uplo", 'L'}}};
  CHECK(potrf.Run({{1, 2, 2, 1}})[1][0] == 2);
  CheckNear(potrf.Run({{4, 7, 2, 10}})[0], {2, 7, 1, 3});
}

TEST_CASE("calls that do not fit are errors") {
  const auto status = [](const HostCallDescription& call) {
    return HostCall::Create(call).status().code();
  };
  HostCallDescription call{.target = "lapack_dpotrf_ffi",
                           .operands = {{kF64, {2, 2}}},
                           .results = {{kF64, {2, 2}}, {kS32, {}}},
                           .attributes = {{"uplo", 'L'}}};
  CHECK(status(call) == absl::StatusCode::kOk);
  call.attributes = {{"uplo", 'X'}};
  CHECK(status(call) == absl::StatusCode::kInvalidArgument);
  call.attributes = {};
  CHECK(status(call) == absl::StatusCode::kInvalidArgument);
  call.attributes = {{"uplo", 'L'}};
  call.operands[0].dimensions = {2, 3};
  CHECK(status(call) == absl::StatusCode::kInvalidArgument);
  call.operands[0] = {kS32, {2, 2}};
  CHECK(status(call) == absl::StatusCode::kInvalidArgument);
  call.target = "lapack_dungqr_ffi";
  CHECK(status(call) == absl::StatusCode::kNotFound);
  CHECK(FindHostCallAttributes("lapack_zheevd_ffi") != nullptr);
  CHECK(FindHostCallAttributes("lapack_dheevd_ffi") == nullptr);
  CHECK(HostCallTargets().size() == 60);
}

}  // namespace
}  // namespace hilo::runtime
