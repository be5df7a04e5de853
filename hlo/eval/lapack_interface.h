// The LAPACK routines by element type, on column-major matrices.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

// Names that lapacke.h looks for.
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>  // IWYU pragma: export

#include "runtime/base/numeric_traits.h"

namespace hilo::hlo {

// Lapack<T>::Getrf and so on: the functions of LAPACKE that take workspace
// from the caller and do not look for NaN. Names are those of the real
// routines, also where the complex ones are called otherwise.
template <typename T>
struct Lapack;

#define HILO_LAPACK(T, p, orgqr, ormqr, syevd, sytrd)          \
  template <>                                                  \
  struct Lapack<T> {                                           \
    static constexpr auto kGees = &LAPACKE_##p##gees_work;     \
    static constexpr auto kGeev = &LAPACKE_##p##geev_work;     \
    static constexpr auto kGehrd = &LAPACKE_##p##gehrd_work;   \
    static constexpr auto kGeqp3 = &LAPACKE_##p##geqp3_work;   \
    static constexpr auto kGeqrf = &LAPACKE_##p##geqrf_work;   \
    static constexpr auto kGesdd = &LAPACKE_##p##gesdd_work;   \
    static constexpr auto kGesvd = &LAPACKE_##p##gesvd_work;   \
    static constexpr auto kGetrf = &LAPACKE_##p##getrf_work;   \
    static constexpr auto kGtsv = &LAPACKE_##p##gtsv_work;     \
    static constexpr auto kOrgqr = &LAPACKE_##p##orgqr##_work; \
    static constexpr auto kOrmqr = &LAPACKE_##p##ormqr##_work; \
    static constexpr auto kPotrf = &LAPACKE_##p##potrf_work;   \
    static constexpr auto kSyevd = &LAPACKE_##p##syevd##_work; \
    static constexpr auto kSytrd = &LAPACKE_##p##sytrd##_work; \
  };
HILO_LAPACK(float, s, orgqr, ormqr, syevd, sytrd)
HILO_LAPACK(double, d, orgqr, ormqr, syevd, sytrd)
HILO_LAPACK(std::complex<float>, c, ungqr, unmqr, heevd, hetrd)
HILO_LAPACK(std::complex<double>, z, ungqr, unmqr, heevd, hetrd)
#undef HILO_LAPACK

// Elements that a workspace query has asked for, with some room for the
// rounding of large numbers in float.
template <typename T>
lapack_int QueriedSize(T answer) {
  const auto size = static_cast<double>(std::real(answer));
  return static_cast<lapack_int>(size + size / 1e6) + 1;
}

inline constexpr int kColumnMajor = LAPACK_COL_MAJOR;

inline lapack_int LapackInt(int64_t value) {
  return static_cast<lapack_int>(value);
}
// At least one.
inline lapack_int LeadingDimension(int64_t rows) {
  return LapackInt(std::max<int64_t>(rows, 1));
}

// Calls call(work, work size) twice: to ask for the size, and to compute.
template <typename T, typename F>
lapack_int WithWorkspace(F&& call) {
  T answer{};
  const lapack_int info = call(&answer, -1);
  if (info != 0) return info;
  const lapack_int size = QueriedSize(answer);
  std::vector<T> work(size);
  return call(work.data(), size);
}

}  // namespace hilo::hlo
