// Evaluates custom calls of LAPACK's eigenvalue and singular value routines.
#include <algorithm>
#include <complex>
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
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

template <typename T>
constexpr ElementType kRealType = ElementTypeOf<RealOf<T>>();

// A singular value decomposition of one matrix, with its results.
template <typename T>
struct SingularValues {
  MatrixSizes sizes;
  char mode = 'S';
  std::vector<T> a;
  std::vector<RealOf<T>> s;
  std::vector<T> u;
  std::vector<T> vt;
  int64_t u_columns = 0;
  int64_t vt_rows = 0;
};

template <typename T>
lapack_int RunGesdd(SingularValues<T>& svd) {
  const int64_t smaller = svd.sizes.smaller();
  const int64_t larger = std::max(svd.sizes.rows, svd.sizes.columns);
  const lapack_int m = LapackInt(svd.sizes.rows);
  const lapack_int n = LapackInt(svd.sizes.columns);
  std::vector<lapack_int> integers(8 * smaller);
  return WithWorkspace<T>([&](T* work, lapack_int size) {
    if constexpr (NumericTraits<T>::is_complex) {
      std::vector<RealOf<T>> reals(
          std::max(5 * smaller * smaller + 7 * smaller,
                   2 * larger * smaller + 2 * smaller * smaller + smaller));
      return Lapack<T>::kGesdd(kColumnMajor, svd.mode, m, n, svd.a.data(),
                               LeadingDimension(m), svd.s.data(), svd.u.data(),
                               LeadingDimension(m), svd.vt.data(),
                               LeadingDimension(svd.vt_rows), work, size,
                               reals.data(), integers.data());
    } else {
      return Lapack<T>::kGesdd(
          kColumnMajor, svd.mode, m, n, svd.a.data(), LeadingDimension(m),
          svd.s.data(), svd.u.data(), LeadingDimension(m), svd.vt.data(),
          LeadingDimension(svd.vt_rows), work, size, integers.data());
    }
  });
}

template <typename T>
lapack_int RunGesvd(SingularValues<T>& svd) {
  const lapack_int m = LapackInt(svd.sizes.rows);
  const lapack_int n = LapackInt(svd.sizes.columns);
  return WithWorkspace<T>([&](T* work, lapack_int size) {
    if constexpr (NumericTraits<T>::is_complex) {
      std::vector<RealOf<T>> reals(5 * svd.sizes.smaller());
      return Lapack<T>::kGesvd(kColumnMajor, svd.mode, svd.mode, m, n,
                               svd.a.data(), LeadingDimension(m), svd.s.data(),
                               svd.u.data(), LeadingDimension(m), svd.vt.data(),
                               LeadingDimension(svd.vt_rows), work, size,
                               reals.data());
    } else {
      return Lapack<T>::kGesvd(kColumnMajor, svd.mode, svd.mode, m, n,
                               svd.a.data(), LeadingDimension(m), svd.s.data(),
                               svd.u.data(), LeadingDimension(m), svd.vt.data(),
                               LeadingDimension(svd.vt_rows), work, size);
    }
  });
}

// Sizes of u and vt: by the mode, or as declared where nothing is computed.
template <typename T>
absl::Status SetSvdResults(LapackCall& call, SingularValues<T>& svd) {
  const MatrixSizes& a = svd.sizes;
  svd.u_columns = svd.mode == 'A' ? a.rows : a.smaller();
  svd.vt_rows = svd.mode == 'A' ? a.columns : a.smaller();
  Shape u = call.BatchOf(call.type(), {a.rows, svd.u_columns});
  Shape vt = call.BatchOf(call.type(), {svd.vt_rows, a.columns});
  if (svd.mode == 'N') {
    u = call.DeclaredResult(2);
    vt = call.DeclaredResult(3);
  }
  return call.SetResults({call.BatchOf(call.type(), {a.rows, a.columns}),
                          call.BatchOf(kRealType<T>, {a.smaller()}),
                          std::move(u), std::move(vt),
                          call.BatchOf(ElementType::kS32, {})});
}

// a -> (a, s, u, vt, info)
template <typename T>
absl::Status Svd(LapackCall& call, lapack_int (*routine)(SingularValues<T>&)) {
  RETURN_IF_ERROR(call.CheckOperandCount(1));
  SingularValues<T> svd;
  ASSIGN_OR_RETURN(svd.sizes, call.Matrix(0));
  ASSIGN_OR_RETURN(svd.mode, call.attributes().Letter("mode", "ASN"));
  RETURN_IF_ERROR(SetSvdResults(call, svd));
  const MatrixSizes& a = svd.sizes;
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    svd.a = call.LoadMatrix<T>(0, batch, a.rows, a.columns);
    svd.s.assign(a.smaller(), 0);
    svd.u = IdentityMatrix<T>(a.rows, svd.u_columns);
    svd.vt = IdentityMatrix<T>(svd.vt_rows, a.columns);
    lapack_int info = 0;
    if (!AllFinite(svd.a)) {
      call.Refuse(batch);
      continue;
    }
    if (!a.empty()) info = routine(svd);
    call.StoreMatrix(svd.a, batch, a.rows, a.columns, 0);
    call.StoreVector(svd.s, batch, 1);
    if (svd.mode != 'N') {
      call.StoreMatrix(svd.u, batch, a.rows, svd.u_columns, 2);
      call.StoreMatrix(svd.vt, batch, svd.vt_rows, a.columns, 3);
    }
    RETURN_IF_ERROR(call.StoreInfo(info, batch));
  }
  return absl::OkStatus();
}

// Asks for the sizes of all workspaces first; the complex routine has one of
// reals besides.
template <typename T>
lapack_int RunSyevd(char mode, char uplo, int64_t n, T* a, RealOf<T>* w) {
  T work_size{};
  RealOf<T> real_size{};
  lapack_int integer_size = 0;
  const auto run = [&](T* work, lapack_int size, RealOf<T>* reals,
                       lapack_int reals_size, lapack_int* integers,
                       lapack_int integers_size) {
    if constexpr (NumericTraits<T>::is_complex) {
      return Lapack<T>::kSyevd(kColumnMajor, mode, uplo, LapackInt(n), a,
                               LeadingDimension(n), w, work, size, reals,
                               reals_size, integers, integers_size);
    } else {
      (void)reals;
      (void)reals_size;
      return Lapack<T>::kSyevd(kColumnMajor, mode, uplo, LapackInt(n), a,
                               LeadingDimension(n), w, work, size, integers,
                               integers_size);
    }
  };
  const lapack_int info =
      run(&work_size, -1, &real_size, -1, &integer_size, -1);
  if (info != 0) return info;
  std::vector<T> work(QueriedSize(work_size));
  std::vector<RealOf<T>> reals(QueriedSize(real_size));
  std::vector<lapack_int> integers(std::max<lapack_int>(integer_size, 1));
  const auto size_of = [](const auto& values) {
    return static_cast<lapack_int>(values.size());
  };
  return run(work.data(), size_of(work), reals.data(), size_of(reals),
             integers.data(), size_of(integers));
}

// a -> (v, w, info)
template <typename T>
absl::Status Syevd(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(1));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.SquareMatrix(0));
  ASSIGN_OR_RETURN(const char mode, call.attributes().Letter("mode", "VN"));
  ASSIGN_OR_RETURN(const char uplo, call.attributes().Letter("uplo", "LU"));
  const int64_t n = a.rows;
  RETURN_IF_ERROR(call.SetResults({call.BatchOf(call.type(), {n, n}),
                                   call.BatchOf(kRealType<T>, {n}),
                                   call.BatchOf(ElementType::kS32, {})}));
  if (n == 0) return absl::OkStatus();
  std::vector<RealOf<T>> w(n);
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::vector<T> v = call.LoadMatrix<T>(0, batch, n, n);
    if (!AllFinite(v)) {
      call.Refuse(batch);
      continue;
    }
    const lapack_int info = RunSyevd(mode, uplo, n, v.data(), w.data());
    call.StoreMatrix(v, batch, n, n, 0);
    call.StoreVector(w, batch, 1);
    RETURN_IF_ERROR(call.StoreInfo(info, batch));
  }
  return absl::OkStatus();
}

// Eigenvectors of a real matrix: a pair of columns holds the real and the
// imaginary part of a pair of conjugate vectors.
template <typename T>
std::vector<std::complex<T>> UnpackVectors(const std::vector<T>& packed,
                                           const std::vector<T>& imaginary) {
  const auto n = static_cast<int64_t>(imaginary.size());
  std::vector<std::complex<T>> vectors(packed.size());
  int64_t column = 0;
  while (column < n) {
    const bool is_pair = imaginary[column] != 0 && column + 1 < n;
    for (int64_t row = 0; row < n; ++row) {
      const int64_t i = column * n + row;
      if (is_pair) {
        vectors[i] = {packed[i], packed[i + n]};
        vectors[i + n] = {packed[i], -packed[i + n]};
      } else {
        vectors[i] = packed[i];
      }
    }
    column += is_pair ? 2 : 1;
  }
  return vectors;
}

struct GeevModes {
  char left = 'N';
  char right = 'V';
};

// One batch of a real geev.
template <typename T>
absl::Status GeevReal(LapackCall& call, GeevModes modes, int64_t n,
                      int64_t batch, std::vector<T> a) {
  std::vector<T> real(n);
  std::vector<T> imaginary(n);
  std::vector<T> left(n * n);
  std::vector<T> right(n * n);
  const lapack_int info = WithWorkspace<T>([&](T* work, lapack_int size) {
    return Lapack<T>::kGeev(kColumnMajor, modes.left, modes.right, LapackInt(n),
                            a.data(), LeadingDimension(n), real.data(),
                            imaginary.data(), left.data(), LeadingDimension(n),
                            right.data(), LeadingDimension(n), work, size);
  });
  call.StoreVector(real, batch, 0);
  call.StoreVector(imaginary, batch, 1);
  call.StoreMatrix(UnpackVectors(left, imaginary), batch, n, n, 2);
  call.StoreMatrix(UnpackVectors(right, imaginary), batch, n, n, 3);
  return call.StoreInfo(info, batch);
}

template <typename T>
absl::Status GeevComplex(LapackCall& call, GeevModes modes, int64_t n,
                         int64_t batch, std::vector<T> a) {
  std::vector<T> values(n);
  std::vector<T> left(n * n);
  std::vector<T> right(n * n);
  std::vector<RealOf<T>> reals(2 * n);
  const lapack_int info = WithWorkspace<T>([&](T* work, lapack_int size) {
    return Lapack<T>::kGeev(kColumnMajor, modes.left, modes.right, LapackInt(n),
                            a.data(), LeadingDimension(n), values.data(),
                            left.data(), LeadingDimension(n), right.data(),
                            LeadingDimension(n), work, size, reals.data());
  });
  call.StoreVector(values, batch, 0);
  call.StoreMatrix(left, batch, n, n, 1);
  call.StoreMatrix(right, batch, n, n, 2);
  return call.StoreInfo(info, batch);
}

// a -> (wr, wi, vl, vr, info), complex: (w, vl, vr, info). Vectors are complex
// in both.
template <typename T>
absl::Status Geev(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(1));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.SquareMatrix(0));
  GeevModes modes;
  ASSIGN_OR_RETURN(modes.left, call.attributes().Letter("compute_left", "VN"));
  ASSIGN_OR_RETURN(modes.right,
                   call.attributes().Letter("compute_right", "VN"));
  const int64_t n = a.rows;
  constexpr bool kIsComplex = NumericTraits<T>::is_complex;
  constexpr ElementType kVectorType = ElementTypeOf<std::complex<RealOf<T>>>();
  std::vector<Shape> results(kIsComplex ? 1 : 2,
                             call.BatchOf(call.type(), {n}));
  results.insert(results.end(), 2, call.BatchOf(kVectorType, {n, n}));
  results.push_back(call.BatchOf(ElementType::kS32, {}));
  RETURN_IF_ERROR(call.SetResults(std::move(results)));
  if (n == 0) return absl::OkStatus();
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::vector<T> matrix = call.LoadMatrix<T>(0, batch, n, n);
    if (!AllFinite(matrix)) {
      call.Refuse(batch);
      continue;
    }
    if constexpr (kIsComplex) {
      RETURN_IF_ERROR(GeevComplex(call, modes, n, batch, std::move(matrix)));
    } else {
      RETURN_IF_ERROR(GeevReal(call, modes, n, batch, std::move(matrix)));
    }
  }
  return absl::OkStatus();
}

// One batch of gees, for both kinds; real eigenvalues have a second vector.
template <typename T>
absl::Status GeesBatch(LapackCall& call, char mode, int64_t n, int64_t batch) {
  std::vector<T> a = call.LoadMatrix<T>(0, batch, n, n);
  if (!AllFinite(a)) {
    call.Refuse(batch);
    return absl::OkStatus();
  }
  std::vector<T> vectors(n * n);
  std::vector<T> values(n);
  std::vector<RealOf<T>> reals(n);
  std::vector<lapack_logical> flags(n);
  lapack_int selected = 0;
  const lapack_int info = WithWorkspace<T>([&](T* work, lapack_int size) {
    if constexpr (NumericTraits<T>::is_complex) {
      return Lapack<T>::kGees(
          kColumnMajor, mode, 'N', nullptr, LapackInt(n), a.data(),
          LeadingDimension(n), &selected, values.data(), vectors.data(),
          LeadingDimension(n), work, size, reals.data(), flags.data());
    } else {
      return Lapack<T>::kGees(kColumnMajor, mode, 'N', nullptr, LapackInt(n),
                              a.data(), LeadingDimension(n), &selected,
                              values.data(), reals.data(), vectors.data(),
                              LeadingDimension(n), work, size, flags.data());
    }
  });
  call.StoreMatrix(a, batch, n, n, 0);
  call.StoreMatrix(vectors, batch, n, n, 1);
  call.StoreVector(values, batch, 2);
  if constexpr (!NumericTraits<T>::is_complex) {
    call.StoreVector(reals, batch, 3);
  }
  return call.StoreInfo(info, batch);
}

// a -> (t, vs, wr, wi, sdim, info), complex: (t, vs, w, sdim, info)
template <typename T>
absl::Status Gees(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(1));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.SquareMatrix(0));
  ASSIGN_OR_RETURN(const char mode, call.attributes().Letter("mode", "VN"));
  ASSIGN_OR_RETURN(const char sort, call.attributes().Letter("sort", "NS"));
  if (sort == 'S') {
    return Unimplemented(
        "a sorted Schur decomposition needs a function that "
        "selects eigenvalues, which the call cannot name");
  }
  const int64_t n = a.rows;
  std::vector<Shape> results(2, call.BatchOf(call.type(), {n, n}));
  results.insert(results.end(), NumericTraits<T>::is_complex ? 1 : 2,
                 call.BatchOf(call.type(), {n}));
  results.insert(results.end(), 2, call.BatchOf(ElementType::kS32, {}));
  RETURN_IF_ERROR(call.SetResults(std::move(results)));
  if (n == 0) return absl::OkStatus();
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    RETURN_IF_ERROR(GeesBatch<T>(call, mode, n, batch));
  }
  return absl::OkStatus();
}

// a -> (a, d, e, tau, info)
template <typename T>
absl::Status Sytrd(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(1));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.SquareMatrix(0));
  ASSIGN_OR_RETURN(const char uplo, call.attributes().Letter("uplo", "LU"));
  const int64_t n = a.rows;
  const int64_t below = std::max<int64_t>(n - 1, 0);
  RETURN_IF_ERROR(call.SetResults(
      {call.BatchOf(call.type(), {n, n}), call.BatchOf(kRealType<T>, {n}),
       call.BatchOf(kRealType<T>, {below}), call.BatchOf(call.type(), {below}),
       call.BatchOf(ElementType::kS32, {})}));
  if (n == 0) return absl::OkStatus();
  std::vector<RealOf<T>> diagonal(n);
  std::vector<RealOf<T>> off_diagonal(below);
  std::vector<T> tau(below);
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::vector<T> matrix = call.LoadMatrix<T>(0, batch, n, n);
    const lapack_int info = WithWorkspace<T>([&](T* work, lapack_int size) {
      return Lapack<T>::kSytrd(kColumnMajor, uplo, LapackInt(n), matrix.data(),
                               LeadingDimension(n), diagonal.data(),
                               off_diagonal.data(), tau.data(), work, size);
    });
    call.StoreMatrix(matrix, batch, n, n, 0);
    call.StoreVector(diagonal, batch, 1);
    call.StoreVector(off_diagonal, batch, 2);
    call.StoreVector(tau, batch, 3);
    RETURN_IF_ERROR(call.StoreInfo(info, batch));
  }
  return absl::OkStatus();
}

// a -> (a, tau, info)
template <typename T>
absl::Status Gehrd(LapackCall& call) {
  RETURN_IF_ERROR(call.CheckOperandCount(1));
  ASSIGN_OR_RETURN(const MatrixSizes a, call.SquareMatrix(0));
  ASSIGN_OR_RETURN(const int64_t low, call.attributes().Integer("low"));
  ASSIGN_OR_RETURN(const int64_t high, call.attributes().Integer("high"));
  const int64_t n = a.rows;
  const int64_t below = std::max<int64_t>(n - 1, 0);
  RETURN_IF_ERROR(call.SetResults({call.BatchOf(call.type(), {n, n}),
                                   call.BatchOf(call.type(), {below}),
                                   call.BatchOf(ElementType::kS32, {})}));
  if (n == 0) return absl::OkStatus();
  if (low < 1 || high < low || high > n) {
    return InvalidArgument("low is ", low, " and high ", high,
                           ", expected 1 <= low <= high <= ", n);
  }
  std::vector<T> tau(below);
  for (int64_t batch = 0; batch < call.batches(); ++batch) {
    std::vector<T> matrix = call.LoadMatrix<T>(0, batch, n, n);
    const lapack_int info = WithWorkspace<T>([&](T* work, lapack_int size) {
      return Lapack<T>::kGehrd(kColumnMajor, LapackInt(n), LapackInt(low),
                               LapackInt(high), matrix.data(),
                               LeadingDimension(n), tau.data(), work, size);
    });
    call.StoreMatrix(matrix, batch, n, n, 0);
    call.StoreVector(tau, batch, 1);
    RETURN_IF_ERROR(call.StoreInfo(info, batch));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Gesdd(LapackCall& call) {
  return Svd<T>(call, &RunGesdd<T>);
}
template <typename T>
absl::Status Gesvd(LapackCall& call) {
  return Svd<T>(call, &RunGesvd<T>);
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
HILO_LAPACK_HANDLER(Gees)
HILO_LAPACK_HANDLER(Geev)
HILO_LAPACK_HANDLER(Gehrd)
HILO_LAPACK_HANDLER(Gesdd)
HILO_LAPACK_HANDLER(Gesvd)
HILO_LAPACK_HANDLER(Syevd)
HILO_LAPACK_HANDLER(Sytrd)
#undef HILO_LAPACK_HANDLER

}  // namespace hilo::hlo
