// LAPACK's eigenvalue and singular value routines as library calls.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"

#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"
#include "runtime/host/element_code.h"
#include "runtime/host/host_call.h"
#include "runtime/host/lapack.h"
#include "runtime/host/lapack_plan.h"
#include "runtime/host/matrix_numbers.h"

namespace hilo::runtime {
namespace {

constexpr ElementCode kS32 = kElementCode<int32_t>;
template <typename T>
constexpr ElementCode kRealCode = kElementCode<RealPart<T>>;

// Reads the size of the one matrix that a routine takes.
template <typename T>
absl::Status StartWithSquare(LapackPlan& plan) {
  RETURN_IF_ERROR(plan.Start<T>(1, 0));
  plan.m = plan.n = plan.OperandSize(0, 0);
  return plan.CheckOperand(0, kElementCode<T>, {plan.n, plan.n});
}

// Makes a result NaN, for input that the routine would iterate on for ever.
template <typename E, typename T>
void FillNan(const LapackPlan& plan, const LapackBatch<T>& batch, int64_t i) {
  std::fill_n(batch.template Result<E>(i),
              plan.results[i].rows * plan.results[i].columns, NotANumber<E>());
}

template <typename T>
void SetIdentity(int64_t rows, int64_t columns, T* matrix) {
  std::fill_n(matrix, rows * columns, T{});
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    matrix[i * rows + i] = 1;
  }
}

// a -> (a, s, u, vt, info)
template <typename T, bool divides>
struct Svd {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(plan.Start<T>(1, 0));
    plan.m = plan.OperandSize(0, 1);
    plan.n = plan.OperandSize(0, 0);
    plan.k = std::min(plan.m, plan.n);
    plan.first_letter = plan.Letter("mode");
    RETURN_IF_ERROR(plan.CheckOperand(0, kElementCode<T>, {plan.m, plan.n}));
    const bool is_full = plan.first_letter == 'A';
    RETURN_IF_ERROR(plan.CheckResults(
        {{kElementCode<T>, {plan.m, plan.n}},
         {kRealCode<T>, {plan.k}},
         {kElementCode<T>, {plan.m, is_full ? plan.m : plan.k}},
         {kElementCode<T>, {is_full ? plan.n : plan.k, plan.n}},
         {kS32, {}}}));
    if (plan.k == 0) return absl::OkStatus();
    T answer{};
    RealPart<T> real{};
    int32_t integer = 0;
    (void)Call(plan, {&answer, &real, &answer, &answer}, &answer, -1, &real,
               &integer);
    const int64_t larger = std::max(plan.m, plan.n);
    const int64_t reals =
        divides ? std::max(5 * plan.k * plan.k + 7 * plan.k,
                           2 * larger * plan.k + 2 * plan.k * plan.k + plan.k)
                : 5 * plan.k;
    plan.SetWorkspace(WorkspaceSize(answer),
                      NumericTraits<T>::is_complex ? reals : 0, 8 * plan.k);
    return absl::OkStatus();
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    const Arrays arrays{
        batch.template ResultOf<T>(0, 0), batch.template Result<RealPart<T>>(1),
        batch.template Result<T>(2), batch.template Result<T>(3)};
    batch.SetInfo(0);
    SetIdentity(plan.m, plan.results[2].columns, arrays.u);
    SetIdentity(plan.results[3].rows, plan.n, arrays.vt);
    if (plan.k == 0) return;
    if (plan.first_letter == 'N') {
      std::fill_n(arrays.u, plan.m * plan.k, T{});
      std::fill_n(arrays.vt, plan.k * plan.n, T{});
    }
    if (!AllFinite(arrays.a, plan.m * plan.n)) {
      for (const int64_t i : {0, 2, 3}) FillNan<T>(plan, batch, i);
      FillNan<RealPart<T>>(plan, batch, 1);
      batch.SetInfo(1);
      return;
    }
    batch.SetInfo(Call(plan, arrays, batch.work(), plan.work_size,
                       batch.reals(), batch.integers()));
  }

  struct Arrays {
    T* a;
    RealPart<T>* s;
    T* u;
    T* vt;
  };

  static lapack_int Call(const LapackPlan& plan, const Arrays& arrays, T* work,
                         int64_t size, [[maybe_unused]] RealPart<T>* reals,
                         [[maybe_unused]] int32_t* integers) {
    const lapack_int m = LapackInt(plan.m);
    const lapack_int n = LapackInt(plan.n);
    const char mode = plan.first_letter;
    const lapack_int vt_rows = Leading(plan.results[3].rows);
    constexpr bool kIsComplex = NumericTraits<T>::is_complex;
    if constexpr (divides && kIsComplex) {
      return Lapack<T>::kGesdd(kColumnMajor, mode, m, n, arrays.a, Leading(m),
                               arrays.s, arrays.u, Leading(m), arrays.vt,
                               vt_rows, work, LapackInt(size), reals, integers);
    } else if constexpr (divides) {
      return Lapack<T>::kGesdd(kColumnMajor, mode, m, n, arrays.a, Leading(m),
                               arrays.s, arrays.u, Leading(m), arrays.vt,
                               vt_rows, work, LapackInt(size), integers);
    } else if constexpr (kIsComplex) {
      return Lapack<T>::kGesvd(kColumnMajor, mode, mode, m, n, arrays.a,
                               Leading(m), arrays.s, arrays.u, Leading(m),
                               arrays.vt, vt_rows, work, LapackInt(size),
                               reals);
    } else {
      return Lapack<T>::kGesvd(kColumnMajor, mode, mode, m, n, arrays.a,
                               Leading(m), arrays.s, arrays.u, Leading(m),
                               arrays.vt, vt_rows, work, LapackInt(size));
    }
  }
};

template <typename T>
using Gesdd = Svd<T, true>;
template <typename T>
using Gesvd = Svd<T, false>;

// a -> (v, w, info)
template <typename T>
struct Syevd {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(StartWithSquare<T>(plan));
    plan.first_letter = plan.Letter("mode");
    plan.second_letter = plan.Letter("uplo");
    T answer{};
    RealPart<T> real{};
    int32_t integer = 0;
    (void)Call(plan, &answer, &real, &answer, -1, &real, -1, &integer, -1);
    plan.SetWorkspace(WorkspaceSize(answer), WorkspaceSize(real), integer);
    return plan.CheckResults({{kElementCode<T>, {plan.n, plan.n}},
                              {kRealCode<T>, {plan.n}},
                              {kS32, {}}});
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    T* a = batch.template ResultOf<T>(0, 0);
    batch.SetInfo(0);
    if (plan.n == 0) return;
    if (!AllFinite(a, plan.n * plan.n)) {
      FillNan<T>(plan, batch, 0);
      FillNan<RealPart<T>>(plan, batch, 1);
      batch.SetInfo(1);
      return;
    }
    batch.SetInfo(Call(plan, a, batch.template Result<RealPart<T>>(1),
                       batch.work(), plan.work_size, batch.reals(),
                       plan.real_size, batch.integers(), plan.integer_size));
  }

  // The complex routine has a workspace of reals besides.
  static lapack_int Call(const LapackPlan& plan, T* a, RealPart<T>* w, T* work,
                         int64_t size, [[maybe_unused]] RealPart<T>* reals,
                         [[maybe_unused]] int64_t reals_size, int32_t* integers,
                         int64_t integers_size) {
    if constexpr (NumericTraits<T>::is_complex) {
      return Lapack<T>::kSyevd(
          kColumnMajor, plan.first_letter, plan.second_letter,
          LapackInt(plan.n), a, Leading(plan.n), w, work, LapackInt(size),
          reals, LapackInt(reals_size), integers, LapackInt(integers_size));
    } else {
      return Lapack<T>::kSyevd(kColumnMajor, plan.first_letter,
                               plan.second_letter, LapackInt(plan.n), a,
                               Leading(plan.n), w, work, LapackInt(size),
                               integers, LapackInt(integers_size));
    }
  }
};

// Eigenvectors of a real matrix: a pair of columns holds the real and the
// imaginary part of a pair of conjugate vectors.
template <typename T>
void UnpackVectors(int64_t n, const T* packed, const T* imaginary,
                   std::complex<T>* vectors) {
  for (int64_t column = 0; column < n; ++column) {
    const bool is_pair = imaginary[column] != 0 && column + 1 < n;
    const T* real_part = packed + column * n;
    std::complex<T>* vector = vectors + column * n;
    if (!is_pair) {
      std::copy_n(real_part, n, vector);
      continue;
    }
    for (int64_t row = 0; row < n; ++row) {
      vector[row] = {real_part[row], real_part[row + n]};
      vector[row + n] = {real_part[row], -real_part[row + n]};
    }
    ++column;
  }
}

// a -> (wr, wi, vl, vr, info), complex: (w, vl, vr, info). Vectors are complex
// in both.
template <typename T>
struct Geev {
  static constexpr bool kIsComplex = NumericTraits<T>::is_complex;
  using Complex = std::complex<RealPart<T>>;

  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(StartWithSquare<T>(plan));
    plan.first_letter = plan.Letter("compute_left");
    plan.second_letter = plan.Letter("compute_right");
    T answer{};
    RealPart<T> real{};
    (void)Call(plan, {&answer, &answer, &answer, &answer, &answer}, &answer, -1,
               &real);
    plan.SetWorkspace(WorkspaceSize(answer), 2 * plan.n);
    // The matrix, and vectors of real ones.
    plan.extra_size = (kIsComplex ? 1 : 3) * plan.n * plan.n;
    std::vector<std::pair<ElementCode, std::vector<int64_t>>> results(
        kIsComplex ? 1 : 2, {kElementCode<T>, {plan.n}});
    results.insert(results.end(), 2, {kElementCode<Complex>, {plan.n, plan.n}});
    results.push_back({kS32, {}});
    return plan.CheckResults(std::move(results));
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    const int64_t n = plan.n;
    batch.SetInfo(0);
    if (n == 0) return;
    constexpr int64_t kLeft = kIsComplex ? 1 : 2;
    T* a = batch.extra();
    std::copy_n(batch.template Operand<T>(0), n * n, a);
    auto* left = batch.template Result<Complex>(kLeft);
    auto* right = batch.template Result<Complex>(kLeft + 1);
    if (!AllFinite(a, n * n)) {
      for (int64_t i = 0; i < kLeft; ++i) FillNan<T>(plan, batch, i);
      FillNan<Complex>(plan, batch, kLeft);
      FillNan<Complex>(plan, batch, kLeft + 1);
      batch.SetInfo(1);
      return;
    }
    std::fill_n(left, n * n, Complex{});
    std::fill_n(right, n * n, Complex{});
    Arrays arrays{a, batch.template Result<T>(0), nullptr, nullptr, nullptr};
    if constexpr (kIsComplex) {
      arrays.left = left;
      arrays.right = right;
      batch.SetInfo(
          Call(plan, arrays, batch.work(), plan.work_size, batch.reals()));
    } else {
      arrays.imaginary = batch.template Result<T>(1);
      arrays.left = a + n * n;
      arrays.right = a + 2 * n * n;
      std::fill_n(arrays.left, 2 * n * n, T{});
      batch.SetInfo(
          Call(plan, arrays, batch.work(), plan.work_size, batch.reals()));
      UnpackVectors(n, arrays.left, arrays.imaginary, left);
      UnpackVectors(n, arrays.right, arrays.imaginary, right);
    }
  }

  struct Arrays {
    T* a;
    T* values;
    // Of real matrices only.
    T* imaginary;
    T* left;
    T* right;
  };

  static lapack_int Call(const LapackPlan& plan, const Arrays& arrays, T* work,
                         int64_t size, [[maybe_unused]] RealPart<T>* reals) {
    const lapack_int n = LapackInt(plan.n);
    if constexpr (kIsComplex) {
      return Lapack<T>::kGeev(
          kColumnMajor, plan.first_letter, plan.second_letter, n, arrays.a,
          Leading(n), arrays.values, arrays.left, Leading(n), arrays.right,
          Leading(n), work, LapackInt(size), reals);
    } else {
      return Lapack<T>::kGeev(
          kColumnMajor, plan.first_letter, plan.second_letter, n, arrays.a,
          Leading(n), arrays.values, arrays.imaginary, arrays.left, Leading(n),
          arrays.right, Leading(n), work, LapackInt(size));
    }
  }
};

// a -> (t, vs, wr, wi, sdim, info), complex: (t, vs, w, sdim, info)
template <typename T>
struct Gees {
  static constexpr bool kIsComplex = NumericTraits<T>::is_complex;

  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(StartWithSquare<T>(plan));
    plan.first_letter = plan.Letter("mode");
    if (plan.Letter("sort") == 'S') {
      return Unimplemented(
          "a sorted Schur decomposition needs a function that selects "
          "eigenvalues, which the call cannot name");
    }
    T answer{};
    RealPart<T> real{};
    int32_t integer = 0;
    (void)Call(plan, {&answer, &answer, &answer, &answer}, &answer, -1, &real,
               &integer);
    plan.SetWorkspace(WorkspaceSize(answer), plan.n, plan.n);
    std::vector<std::pair<ElementCode, std::vector<int64_t>>> results(
        2, {kElementCode<T>, {plan.n, plan.n}});
    results.insert(results.end(), kIsComplex ? 1 : 2,
                   {kElementCode<T>, {plan.n}});
    results.insert(results.end(), 2, {kS32, {}});
    return plan.CheckResults(std::move(results));
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    const int64_t n = plan.n;
    constexpr int64_t kFloats = kIsComplex ? 3 : 4;
    const Arrays arrays{batch.template ResultOf<T>(0, 0),
                        batch.template Result<T>(1),
                        batch.template Result<T>(2),
                        kIsComplex ? nullptr : batch.template Result<T>(3)};
    *batch.template Result<int32_t>(kFloats) = 0;
    batch.SetInfo(0);
    if (n == 0) return;
    if (!AllFinite(arrays.a, n * n)) {
      for (int64_t i = 0; i < kFloats; ++i) FillNan<T>(plan, batch, i);
      batch.SetInfo(1);
      return;
    }
    std::fill_n(arrays.vectors, n * n, T{});
    batch.SetInfo(Call(plan, arrays, batch.work(), plan.work_size,
                       batch.reals(), batch.integers()));
  }

  struct Arrays {
    T* a;
    T* vectors;
    T* values;
    // Of real matrices only.
    T* imaginary;
  };

  static lapack_int Call(const LapackPlan& plan, const Arrays& arrays, T* work,
                         int64_t size, [[maybe_unused]] RealPart<T>* reals,
                         int32_t* flags) {
    const lapack_int n = LapackInt(plan.n);
    lapack_int selected = 0;
    if constexpr (kIsComplex) {
      return Lapack<T>::kGees(kColumnMajor, plan.first_letter, 'N', nullptr, n,
                              arrays.a, Leading(n), &selected, arrays.values,
                              arrays.vectors, Leading(n), work, LapackInt(size),
                              reals, flags);
    } else {
      return Lapack<T>::kGees(kColumnMajor, plan.first_letter, 'N', nullptr, n,
                              arrays.a, Leading(n), &selected, arrays.values,
                              arrays.imaginary, arrays.vectors, Leading(n),
                              work, LapackInt(size), flags);
    }
  }
};

// a -> (a, d, e, tau, info)
template <typename T>
struct Sytrd {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(StartWithSquare<T>(plan));
    plan.first_letter = plan.Letter("uplo");
    plan.k = std::max<int64_t>(plan.n - 1, 0);
    T answer{};
    RealPart<T> real{};
    (void)Call(plan, &answer, &real, &real, &answer, &answer, -1);
    plan.SetWorkspace(WorkspaceSize(answer));
    return plan.CheckResults({{kElementCode<T>, {plan.n, plan.n}},
                              {kRealCode<T>, {plan.n}},
                              {kRealCode<T>, {plan.k}},
                              {kElementCode<T>, {plan.k}},
                              {kS32, {}}});
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    batch.SetInfo(0);
    if (plan.n == 0) return;
    batch.SetInfo(Call(plan, batch.template ResultOf<T>(0, 0),
                       batch.template Result<RealPart<T>>(1),
                       batch.template Result<RealPart<T>>(2),
                       batch.template Result<T>(3), batch.work(),
                       plan.work_size));
  }

  static lapack_int Call(const LapackPlan& plan, T* a, RealPart<T>* diagonal,
                         RealPart<T>* off_diagonal, T* tau, T* work,
                         int64_t size) {
    return Lapack<T>::kSytrd(kColumnMajor, plan.first_letter, LapackInt(plan.n),
                             a, Leading(plan.n), diagonal, off_diagonal, tau,
                             work, LapackInt(size));
  }
};

// a -> (a, tau, info)
template <typename T>
struct Gehrd {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(StartWithSquare<T>(plan));
    ASSIGN_OR_RETURN(plan.m, plan.Attribute("low"));
    ASSIGN_OR_RETURN(plan.k, plan.Attribute("high"));
    if (plan.n > 0 && (plan.m < 1 || plan.k < plan.m || plan.k > plan.n)) {
      return InvalidArgument("low is ", plan.m, " and high ", plan.k,
                             ", expected 1 <= low <= high <= ", plan.n);
    }
    T answer{};
    (void)Call(plan, &answer, &answer, &answer, -1);
    plan.SetWorkspace(WorkspaceSize(answer));
    return plan.CheckResults(
        {{kElementCode<T>, {plan.n, plan.n}},
         {kElementCode<T>, {std::max<int64_t>(plan.n - 1, 0)}},
         {kS32, {}}});
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    batch.SetInfo(0);
    if (plan.n == 0) return;
    batch.SetInfo(Call(plan, batch.template ResultOf<T>(0, 0),
                       batch.template Result<T>(1), batch.work(),
                       plan.work_size));
  }

  static lapack_int Call(const LapackPlan& plan, T* a, T* tau, T* work,
                         int64_t size) {
    return Lapack<T>::kGehrd(kColumnMajor, LapackInt(plan.n), LapackInt(plan.m),
                             LapackInt(plan.k), a, Leading(plan.n), tau, work,
                             LapackInt(size));
  }
};

}  // namespace

std::vector<LapackRoutineRow> LapackEigenRows() {
  const HostCallAttribute mode{"mode", "VN"};
  const HostCallAttribute uplo{"uplo", "LU"};
  std::vector<LapackRoutineRow> rows;
  AddRows<Gees>("gees", "gees", {mode, {"sort", "NS"}}, rows);
  AddRows<Geev>("geev", "geev",
                {{"compute_left", "VN"}, {"compute_right", "VN"}}, rows);
  AddRows<Gehrd>("gehrd", "gehrd", {{"low", ""}, {"high", ""}}, rows);
  AddRows<Gesdd>("gesdd", "gesdd", {{"mode", "ASN"}}, rows);
  AddRows<Gesvd>("gesvd", "gesvd", {{"mode", "ASN"}}, rows);
  AddRows<Syevd>("syevd", "heevd", {mode, uplo}, rows);
  AddRows<Sytrd>("sytrd", "hetrd", {uplo}, rows);
  return rows;
}

}  // namespace hilo::runtime
