// The LAPACK routines by element type, on column-major matrices.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>

// Names that lapacke.h looks for.
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

namespace hilo::runtime {

inline constexpr int kColumnMajor = LAPACK_COL_MAJOR;

// Makes the BLAS compute with one thread, so that results do not depend on the
// machine; calls run side by side on our own threads. Thread-safe.
void UseOneBlasThread();

// Lapack<T>::kGetrf and so on: the functions of LAPACKE that take workspace
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

inline lapack_int LapackInt(int64_t value) {
  return static_cast<lapack_int>(value);
}
// A leading dimension: at least one.
inline lapack_int Leading(int64_t rows) {
  return LapackInt(std::max<int64_t>(rows, 1));
}

}  // namespace hilo::runtime
