// LAPACK's factorisations and solvers as library calls.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"

#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"
#include "runtime/host/element_code.h"
#include "runtime/host/lapack.h"
#include "runtime/host/lapack_plan.h"
#include "runtime/host/linear_algebra.h"
#include "runtime/host/matrix_numbers.h"

namespace hilo::runtime {
namespace {

constexpr ElementCode kPivotCode = kElementCode<int32_t>;

// Reads the sizes of the one matrix that a routine takes.
template <typename T>
absl::Status StartWithMatrix(LapackPlan& plan, bool is_square = false) {
  RETURN_IF_ERROR(plan.Start<T>(1, 0));
  plan.m = plan.OperandSize(0, 1);
  plan.n = plan.OperandSize(0, 0);
  if (is_square) plan.m = plan.n;
  return plan.CheckOperand(0, kElementCode<T>, {plan.m, plan.n});
}

// (a, b) -> b
template <typename T>
struct Trsm {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(plan.Start<T>(2, 0));
    plan.m = plan.OperandSize(1, 1);
    plan.n = plan.OperandSize(1, 0);
    plan.first_letter = plan.Letter("side");
    plan.second_letter = plan.Letter("uplo");
    plan.third_letter = plan.Letter("trans_x");
    plan.fourth_letter = plan.Letter("diag");
    plan.k = plan.first_letter == 'L' ? plan.m : plan.n;
    RETURN_IF_ERROR(plan.CheckOperand(0, kElementCode<T>, {plan.k, plan.k}));
    RETURN_IF_ERROR(plan.CheckOperand(1, kElementCode<T>, {plan.m, plan.n}));
    plan.SetWorkspace(plan.m * plan.n);
    return plan.CheckResults({{kElementCode<T>, {plan.m, plan.n}}});
  }

  // The solver wants rows, which are the columns of the transposed problem.
  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    TriangularSystems systems{.type = kElementCode<T>,
                              .left_side = plan.first_letter == 'R' ? 1 : 0,
                              .lower = plan.second_letter == 'U' ? 1 : 0,
                              .unit_diagonal = plan.fourth_letter == 'U',
                              .rows = plan.n,
                              .columns = plan.m};
    if (plan.third_letter == 'T') {
      systems.transpose = MatrixTranspose::kTranspose;
    } else if (plan.third_letter == 'C') {
      systems.transpose = MatrixTranspose::kAdjoint;
    }
    SolveTriangular(systems, batch.template Operand<T>(0),
                    batch.template ResultOf<T>(0, 1), batch.work());
  }
};

// a -> (lu, ipiv, info)
template <typename T>
struct Getrf {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(StartWithMatrix<T>(plan));
    return plan.CheckResults({{kElementCode<T>, {plan.m, plan.n}},
                              {kPivotCode, {std::min(plan.m, plan.n)}},
                              {kPivotCode, {}}});
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    batch.SetInfo(0);
    if (plan.m == 0 || plan.n == 0) return;
    batch.SetInfo(
        Lapack<T>::kGetrf(kColumnMajor, LapackInt(plan.m), LapackInt(plan.n),
                          batch.template ResultOf<T>(0, 0), Leading(plan.m),
                          batch.template Result<int32_t>(1)));
  }
};

// a -> (qr, tau)
template <typename T>
struct Geqrf {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(StartWithMatrix<T>(plan));
    T answer{};
    Call(plan, &answer, &answer, &answer, -1);
    plan.SetWorkspace(WorkspaceSize(answer));
    return plan.CheckResults({{kElementCode<T>, {plan.m, plan.n}},
                              {kElementCode<T>, {std::min(plan.m, plan.n)}}});
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    if (plan.m == 0 || plan.n == 0) return;
    Call(plan, batch.template ResultOf<T>(0, 0), batch.template Result<T>(1),
         batch.work(), plan.work_size);
  }

  static void Call(const LapackPlan& plan, T* a, T* tau, T* work,
                   int64_t size) {
    Lapack<T>::kGeqrf(kColumnMajor, LapackInt(plan.m), LapackInt(plan.n), a,
                      Leading(plan.m), tau, work, LapackInt(size));
  }
};

// (a, jpvt) -> (qr, jpvt, tau)
template <typename T>
struct Geqp3 {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(plan.Start<T>(2, 0));
    plan.m = plan.OperandSize(0, 1);
    plan.n = plan.OperandSize(0, 0);
    RETURN_IF_ERROR(plan.CheckOperand(0, kElementCode<T>, {plan.m, plan.n}));
    RETURN_IF_ERROR(plan.CheckOperand(1, kPivotCode, {plan.n}));
    T answer{};
    RealPart<T> real{};
    int32_t pivot = 0;
    Call(plan, &answer, &pivot, &answer, &answer, -1, &real);
    plan.SetWorkspace(WorkspaceSize(answer), 2 * plan.n);
    return plan.CheckResults({{kElementCode<T>, {plan.m, plan.n}},
                              {kPivotCode, {plan.n}},
                              {kElementCode<T>, {std::min(plan.m, plan.n)}}});
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    if (plan.n == 0) return;
    Call(plan, batch.template ResultOf<T>(0, 0),
         batch.template ResultOf<int32_t>(1, 1), batch.template Result<T>(2),
         batch.work(), plan.work_size, batch.reals());
  }

  static void Call(const LapackPlan& plan, T* a, int32_t* pivots, T* tau,
                   T* work, int64_t size, [[maybe_unused]] RealPart<T>* reals) {
    const lapack_int m = LapackInt(plan.m);
    const lapack_int n = LapackInt(plan.n);
    if constexpr (NumericTraits<T>::is_complex) {
      Lapack<T>::kGeqp3(kColumnMajor, m, n, a, Leading(m), pivots, tau, work,
                        LapackInt(size), reals);
    } else {
      Lapack<T>::kGeqp3(kColumnMajor, m, n, a, Leading(m), pivots, tau, work,
                        LapackInt(size));
    }
  }
};

// (qr, tau) -> q
template <typename T>
struct Orgqr {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(plan.Start<T>(2, 0));
    plan.m = plan.OperandSize(0, 1);
    plan.n = plan.OperandSize(0, 0);
    plan.k = plan.OperandSize(1, 0);
    if (plan.k > plan.n || plan.n > plan.m) {
      return InvalidArgument("expected rows >= columns >= reflectors, got ",
                             plan.m, ", ", plan.n, ", ", plan.k);
    }
    RETURN_IF_ERROR(plan.CheckOperand(0, kElementCode<T>, {plan.m, plan.n}));
    RETURN_IF_ERROR(plan.CheckOperand(1, kElementCode<T>, {plan.k}));
    T answer{};
    Call(plan, &answer, &answer, &answer, -1);
    plan.SetWorkspace(WorkspaceSize(answer));
    return plan.CheckResults({{kElementCode<T>, {plan.m, plan.n}}});
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    if (plan.m == 0 || plan.n == 0) return;
    Call(plan, batch.template ResultOf<T>(0, 0), batch.template Operand<T>(1),
         batch.work(), plan.work_size);
  }

  static void Call(const LapackPlan& plan, T* a, const T* tau, T* work,
                   int64_t size) {
    Lapack<T>::kOrgqr(kColumnMajor, LapackInt(plan.m), LapackInt(plan.n),
                      LapackInt(plan.k), a, Leading(plan.m), tau, work,
                      LapackInt(size));
  }
};

// (a, tau, c) -> c
template <typename T>
struct Ormqr {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(plan.Start<T>(3, 0));
    ASSIGN_OR_RETURN(const int64_t left, plan.Attribute("left"));
    ASSIGN_OR_RETURN(const int64_t transpose, plan.Attribute("transpose"));
    constexpr char kAdjoint = NumericTraits<T>::is_complex ? 'C' : 'T';
    plan.first_letter = left != 0 ? 'L' : 'R';
    plan.second_letter = transpose != 0 ? kAdjoint : 'N';
    plan.m = plan.OperandSize(2, 1);
    plan.n = plan.OperandSize(2, 0);
    plan.k = plan.OperandSize(1, 0);
    const int64_t order = left != 0 ? plan.m : plan.n;
    const int64_t columns = plan.OperandSize(0, 0);
    RETURN_IF_ERROR(plan.CheckOperand(0, kElementCode<T>, {order, columns}));
    RETURN_IF_ERROR(plan.CheckOperand(1, kElementCode<T>, {plan.k}));
    RETURN_IF_ERROR(plan.CheckOperand(2, kElementCode<T>, {plan.m, plan.n}));
    if (plan.k > columns || plan.k > order) {
      return InvalidArgument("reflectors ", order, " x ", plan.k,
                             " do not fit a matrix ", plan.m, " x ", plan.n);
    }
    T answer{};
    Call(plan, &answer, &answer, &answer, &answer, -1);
    plan.SetWorkspace(WorkspaceSize(answer));
    return plan.CheckResults({{kElementCode<T>, {plan.m, plan.n}}});
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    if (plan.m == 0 || plan.n == 0) return;
    Call(plan, batch.template Operand<T>(0), batch.template Operand<T>(1),
         batch.template ResultOf<T>(0, 2), batch.work(), plan.work_size);
  }

  static void Call(const LapackPlan& plan, const T* a, const T* tau, T* c,
                   T* work, int64_t size) {
    const int64_t order = plan.first_letter == 'L' ? plan.m : plan.n;
    Lapack<T>::kOrmqr(kColumnMajor, plan.first_letter, plan.second_letter,
                      LapackInt(plan.m), LapackInt(plan.n), LapackInt(plan.k),
                      a, Leading(order), tau, c, Leading(plan.m), work,
                      LapackInt(size));
  }
};

// a -> (l, info)
template <typename T>
struct Potrf {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(StartWithMatrix<T>(plan, /*is_square=*/true));
    plan.first_letter = plan.Letter("uplo");
    return plan.CheckResults(
        {{kElementCode<T>, {plan.n, plan.n}}, {kPivotCode, {}}});
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    batch.SetInfo(0);
    if (plan.n == 0) return;
    batch.SetInfo(
        Lapack<T>::kPotrf(kColumnMajor, plan.first_letter, LapackInt(plan.n),
                          batch.template ResultOf<T>(0, 0), Leading(plan.n)));
  }
};

// (dl, d, du, b) -> (dl, d, du, b, info). The diagonals have one length; the
// first element of dl and the last of du do not count.
template <typename T>
struct Gtsv {
  static absl::Status Prepare(LapackPlan& plan) {
    RETURN_IF_ERROR(plan.Start<T>(4, 3));
    plan.m = plan.OperandSize(3, 1);
    plan.n = plan.OperandSize(3, 0);
    std::vector<std::pair<ElementCode, std::vector<int64_t>>> results;
    for (int64_t i = 0; i < 3; ++i) {
      RETURN_IF_ERROR(plan.CheckOperand(i, kElementCode<T>, {plan.m}));
      results.push_back({kElementCode<T>, {plan.m}});
    }
    RETURN_IF_ERROR(plan.CheckOperand(3, kElementCode<T>, {plan.m, plan.n}));
    results.push_back({kElementCode<T>, {plan.m, plan.n}});
    results.push_back({kPivotCode, {}});
    return plan.CheckResults(std::move(results));
  }

  static void Run(const LapackPlan& plan, const LapackBatch<T>& batch) {
    batch.SetInfo(0);
    if (plan.m == 0) return;
    std::array<T*, 3> diagonals;
    for (int64_t i = 0; i < 3; ++i) {
      diagonals[i] = batch.template ResultOf<T>(i, i);
    }
    batch.SetInfo(
        Lapack<T>::kGtsv(kColumnMajor, LapackInt(plan.m), LapackInt(plan.n),
                         diagonals[0] + 1, diagonals[1], diagonals[2],
                         batch.template ResultOf<T>(3, 3), Leading(plan.m)));
  }
};

}  // namespace

std::vector<LapackRoutineRow> LapackFactorRows() {
  std::vector<LapackRoutineRow> rows;
  AddRows<Geqp3>("geqp3", "geqp3", {}, rows);
  AddRows<Geqrf>("geqrf", "geqrf", {}, rows);
  AddRows<Getrf>("getrf", "getrf", {}, rows);
  AddRows<Gtsv>("gtsv", "gtsv", {}, rows);
  AddRows<Orgqr>("orgqr", "ungqr", {}, rows);
  AddRows<Ormqr>("ormqr", "unmqr", {{"left", ""}, {"transpose", ""}}, rows);
  AddRows<Potrf>("potrf", "potrf", {{"uplo", "LU"}}, rows);
  AddRows<Trsm>(
      "trsm", "trsm",
      {{"side", "LR"}, {"uplo", "LU"}, {"trans_x", "NTC"}, {"diag", "NU"}},
      rows);
  return rows;
}

}  // namespace hilo::runtime
