// Evaluates custom calls of LAPACK's factorisations and solvers.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/custom_call.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/lapack_call.h"
#include "hlo/eval/lapack_interface.h"
#include "hlo/eval/triangular_solve.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// (a, b) -> b
template <typename T>
absl::Status Trsm(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(2));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.SquareMatrix(0));
  ASSIGN_OR_RETURN(const MatrixSizes b, call.Matrix(1));
  ASSIGN_OR_RETURN(const char side, call.attributes().Letter("side", "LR"));
  ASSIGN_OR_RETURN(const char uplo, call.attributes().Letter("uplo", "LU"));
  ASSIGN_OR_RETURN(const char trans,
                   call.attributes().Letter("trans_x", "NTC"));
  ASSIGN_OR_RETURN(const char diag, call.attributes().Letter("diag", "NU"));
  if (a.rows != (side == 'L' ? b.rows : b.columns)) {
    return InvalidArgument("the triangle has ", a.rows, " rows, b is ", b.rows,
                           " x ", b.columns);
  }
  RETURN_IF_ERROR(
      call.SetResults({call.BatchOf(call.type(), {b.rows, b.columns})}));
  // The solver wants rows, which are the columns of the transposed problem.
  TriangularSystem system{.left_side = side == 'R',
                          .lower = uplo == 'U',
                          .unit_diagonal = diag == 'U'};
  if (trans == 'T') system.transpose = TransposeOption::kTranspose;
  if (trans == 'C') system.transpose = TransposeOption::kAdjoint;
  std::vector<T> scratch;
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    const std::vector<T> triangle =
        call.LoadMatrix<T>(0, batch, a.rows, a.rows);
    std::vector<T> x = call.LoadMatrix<T>(1, batch, b.rows, b.columns);
    SolveTriangular(system, triangle.data(), a.rows, b.columns, b.rows,
                    x.data(), scratch);
    call.StoreMatrix(x, batch, b.rows, b.columns, 0);
  }
  return absl::OkStatus();
}

// a -> (lu, ipiv, info)
template <typename T>
absl::Status Getrf(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(1));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.Matrix(0));
  RETURN_IF_ERROR(
      call.SetResults({call.BatchOf(call.type(), {a.rows, a.columns}),
                       call.BatchOf(ElementType::kS32, {a.smaller()}),
                       call.BatchOf(ElementType::kS32, {})}));
  if (a.empty()) return absl::OkStatus();
  std::vector<lapack_int> pivots(a.smaller());
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::vector<T> lu = call.LoadMatrix<T>(0, batch, a.rows, a.columns);
    const lapack_int info =
        Lapack<T>::kGetrf(kColumnMajor, LapackInt(a.rows), LapackInt(a.columns),
                          lu.data(), LeadingDimension(a.rows), pivots.data());
    call.StoreMatrix(lu, batch, a.rows, a.columns, 0);
    call.StoreVector(pivots, batch, 1);
    RETURN_IF_ERROR(call.StoreInfo(info, batch));
  }
  return absl::OkStatus();
}

// a -> (qr, tau)
template <typename T>
absl::Status Geqrf(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(1));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.Matrix(0));
  RETURN_IF_ERROR(
      call.SetResults({call.BatchOf(call.type(), {a.rows, a.columns}),
                       call.BatchOf(call.type(), {a.smaller()})}));
  if (a.empty()) return absl::OkStatus();
  std::vector<T> tau(a.smaller());
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::vector<T> qr = call.LoadMatrix<T>(0, batch, a.rows, a.columns);
    RETURN_IF_ERROR(
        call.CheckInfo(WithWorkspace<T>([&](T* work, lapack_int size) {
          return Lapack<T>::kGeqrf(
              kColumnMajor, LapackInt(a.rows), LapackInt(a.columns), qr.data(),
              LeadingDimension(a.rows), tau.data(), work, size);
        })));
    call.StoreMatrix(qr, batch, a.rows, a.columns, 0);
    call.StoreVector(tau, batch, 1);
  }
  return absl::OkStatus();
}

// (a, jpvt) -> (qr, jpvt, tau)
template <typename T>
absl::Status Geqp3(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(2));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.Matrix(0));
  ASSIGN_OR_RETURN(const int64_t pivots, call.Vector(1, ElementType::kS32));
  if (pivots != a.columns) {
    return InvalidArgument("jpvt has ", pivots, " entries, the matrix ",
                           a.columns, " columns");
  }
  RETURN_IF_ERROR(
      call.SetResults({call.BatchOf(call.type(), {a.rows, a.columns}),
                       call.BatchOf(ElementType::kS32, {a.columns}),
                       call.BatchOf(call.type(), {a.smaller()})}));
  if (a.columns == 0) return absl::OkStatus();
  std::vector<T> tau(a.smaller());
  std::vector<RealOf<T>> real_work(2 * a.columns);
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::vector<T> qr = call.LoadMatrix<T>(0, batch, a.rows, a.columns);
    auto pivot = call.LoadVector<int32_t>(1, batch, a.columns);
    RETURN_IF_ERROR(
        call.CheckInfo(WithWorkspace<T>([&](T* work, lapack_int size) {
          if constexpr (NumericTraits<T>::is_complex) {
            return Lapack<T>::kGeqp3(kColumnMajor, LapackInt(a.rows),
                                     LapackInt(a.columns), qr.data(),
                                     LeadingDimension(a.rows), pivot.data(),
                                     tau.data(), work, size, real_work.data());
          } else {
            return Lapack<T>::kGeqp3(kColumnMajor, LapackInt(a.rows),
                                     LapackInt(a.columns), qr.data(),
                                     LeadingDimension(a.rows), pivot.data(),
                                     tau.data(), work, size);
          }
        })));
    call.StoreMatrix(qr, batch, a.rows, a.columns, 0);
    call.StoreVector(pivot, batch, 1);
    call.StoreVector(tau, batch, 2);
  }
  return absl::OkStatus();
}

// (qr, tau) -> q
template <typename T>
absl::Status Orgqr(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(2));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.Matrix(0));
  ASSIGN_OR_RETURN(const int64_t reflectors, call.Vector(1, call.type()));
  if (reflectors > a.columns || a.columns > a.rows) {
    return InvalidArgument("expected rows >= columns >= reflectors, got ",
                           a.rows, ", ", a.columns, ", ", reflectors);
  }
  RETURN_IF_ERROR(
      call.SetResults({call.BatchOf(call.type(), {a.rows, a.columns})}));
  if (a.empty()) return absl::OkStatus();
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::vector<T> q = call.LoadMatrix<T>(0, batch, a.rows, a.columns);
    const std::vector<T> tau = call.LoadVector<T>(1, batch, reflectors);
    RETURN_IF_ERROR(
        call.CheckInfo(WithWorkspace<T>([&](T* work, lapack_int size) {
          return Lapack<T>::kOrgqr(kColumnMajor, LapackInt(a.rows),
                                   LapackInt(a.columns), LapackInt(reflectors),
                                   q.data(), LeadingDimension(a.rows),
                                   tau.data(), work, size);
        })));
    call.StoreMatrix(q, batch, a.rows, a.columns, 0);
  }
  return absl::OkStatus();
}

// (a, tau, c) -> c
template <typename T>
absl::Status Ormqr(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(3));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.Matrix(0));
  ASSIGN_OR_RETURN(const int64_t reflectors, call.Vector(1, call.type()));
  ASSIGN_OR_RETURN(const MatrixSizes c, call.Matrix(2));
  ASSIGN_OR_RETURN(const bool left, call.attributes().Flag("left"));
  ASSIGN_OR_RETURN(const bool transpose, call.attributes().Flag("transpose"));
  const int64_t order = left ? c.rows : c.columns;
  if (a.rows != order || reflectors > a.columns || reflectors > order) {
    return InvalidArgument("reflectors ", a.rows, " x ", reflectors,
                           " do not fit a matrix ", c.rows, " x ", c.columns);
  }
  RETURN_IF_ERROR(
      call.SetResults({call.BatchOf(call.type(), {c.rows, c.columns})}));
  if (c.empty()) return absl::OkStatus();
  constexpr char kAdjoint = NumericTraits<T>::is_complex ? 'C' : 'T';
  const char trans = transpose ? kAdjoint : 'N';
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    const std::vector<T> q = call.LoadMatrix<T>(0, batch, a.rows, a.columns);
    const std::vector<T> tau = call.LoadVector<T>(1, batch, reflectors);
    std::vector<T> product = call.LoadMatrix<T>(2, batch, c.rows, c.columns);
    RETURN_IF_ERROR(
        call.CheckInfo(WithWorkspace<T>([&](T* work, lapack_int size) {
          return Lapack<T>::kOrmqr(
              kColumnMajor, left ? 'L' : 'R', trans, LapackInt(c.rows),
              LapackInt(c.columns), LapackInt(reflectors), q.data(),
              LeadingDimension(a.rows), tau.data(), product.data(),
              LeadingDimension(c.rows), work, size);
        })));
    call.StoreMatrix(product, batch, c.rows, c.columns, 0);
  }
  return absl::OkStatus();
}

// a -> (l, info)
template <typename T>
absl::Status Potrf(LapackCall& call, char uplo) {
  RETURN_IF_ERROR(call.CheckOperandCount(1));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.SquareMatrix(0));
  RETURN_IF_ERROR(call.SetResults({call.BatchOf(call.type(), {a.rows, a.rows}),
                                   call.BatchOf(ElementType::kS32, {})}));
  if (a.empty()) return absl::OkStatus();
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::vector<T> factor = call.LoadMatrix<T>(0, batch, a.rows, a.rows);
    const lapack_int info =
        Lapack<T>::kPotrf(kColumnMajor, uplo, LapackInt(a.rows), factor.data(),
                          LeadingDimension(a.rows));
    call.StoreMatrix(factor, batch, a.rows, a.rows, 0);
    RETURN_IF_ERROR(call.StoreInfo(info, batch));
  }
  return absl::OkStatus();
}

// (dl, d, du, b) -> (dl, d, du, b, info). The diagonals have one length; the
// first element of dl and the last of du do not count.
template <typename T>
absl::Status Gtsv(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(4));
  ASSIGN_OR_RETURN(const MatrixSizes b, call.Matrix(3));
  std::vector<Shape> results;
  for (int64_t i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(const int64_t length, call.Vector(i, call.type()));
    if (length != b.rows) {
      return InvalidArgument("diagonal ", i, " has ", length, " elements, b ",
                             b.rows, " rows");
    }
    results.push_back(call.BatchOf(call.type(), {length}));
  }
  results.push_back(call.BatchOf(call.type(), {b.rows, b.columns}));
  results.push_back(call.BatchOf(ElementType::kS32, {}));
  RETURN_IF_ERROR(call.SetResults(std::move(results)));
  if (b.rows == 0) return absl::OkStatus();
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::array<std::vector<T>, 3> diagonals;
    for (int64_t i = 0; i < 3; ++i) {
      diagonals[i] = call.LoadVector<T>(i, batch, b.rows);
    }
    std::vector<T> x = call.LoadMatrix<T>(3, batch, b.rows, b.columns);
    const lapack_int info = Lapack<T>::kGtsv(
        kColumnMajor, LapackInt(b.rows), LapackInt(b.columns),
        diagonals[0].data() + 1, diagonals[1].data(), diagonals[2].data(),
        x.data(), LeadingDimension(b.rows));
    for (int64_t i = 0; i < 3; ++i) call.StoreVector(diagonals[i], batch, i);
    call.StoreMatrix(x, batch, b.rows, b.columns, 3);
    RETURN_IF_ERROR(call.StoreInfo(info, batch));
  }
  return absl::OkStatus();
}

}  // namespace

#define HILO_LAPACK_HANDLER(Name)                                              \
  absl::StatusOr<Literal> EvaluateLapack##Name(const Instruction& instruction, \
                                               absl::Span<Literal> operands,   \
                                               EvaluationContext& context) {   \
    return RunLapack(instruction, operands, context,                           \
                     [](auto tag, LapackCall& call) {                          \
                       return Name<typename decltype(tag)::type>(call);        \
                     });                                                       \
  }
HILO_LAPACK_HANDLER(Geqp3)
HILO_LAPACK_HANDLER(Geqrf)
HILO_LAPACK_HANDLER(Getrf)
HILO_LAPACK_HANDLER(Gtsv)
HILO_LAPACK_HANDLER(Orgqr)
HILO_LAPACK_HANDLER(Ormqr)
HILO_LAPACK_HANDLER(Trsm)
#undef HILO_LAPACK_HANDLER

absl::StatusOr<Literal> EvaluateLapackPotrf(const Instruction& instruction,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& context) {
  return RunLapack(instruction, operands, context,
                   [](auto tag, LapackCall& call) -> absl::Status {
                     ASSIGN_OR_RETURN(const char uplo,
                                      call.attributes().Letter("uplo", "LU"));
                     return Potrf<typename decltype(tag)::type>(call, uplo);
                   });
}

// The convention before typed FFI: sizes as s32 scalars before the matrix.
absl::StatusOr<Literal> EvaluateLapackGetrfOriginal(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& context) {
  return RunLapack(
      instruction, operands, context,
      [](auto tag, LapackCall& call) {
        return Getrf<typename decltype(tag)::type>(call);
      },
      /*first_operand=*/3);
}

// (lower, batch, n, a) -> (l, info)
absl::StatusOr<Literal> EvaluateLapackPotrfOriginal(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& context) {
  if (operands.empty() ||
      !Compatible(operands[0].shape(), Shape::Scalar(ElementType::kS32))) {
    return InvalidArgument("expected a s32 scalar as first operand");
  }
  const char uplo = operands[0].data<int32_t>()[0] != 0 ? 'L' : 'U';
  return RunLapack(
      instruction, operands, context,
      [uplo](auto tag, LapackCall& call) {
        return Potrf<typename decltype(tag)::type>(call, uplo);
      },
      /*first_operand=*/3);
}

absl::StatusOr<Literal> EvaluateLapackOriginal(const Instruction& instruction,
                                               absl::Span<Literal> /*operands*/,
                                               EvaluationContext& /*context*/) {
  return Unimplemented("the target \"", instruction.custom_call_target(),
                       "\" follows a convention from before typed FFI; "
                       "export the module with a newer JAX");
}

}  // namespace hilo::hlo
