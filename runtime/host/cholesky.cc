// Factors positive definite matrices.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <type_traits>

#include "runtime/base/convert_element.h"
#include "runtime/host/item_loop.h"
#include "runtime/host/lapack.h"
#include "runtime/host/linear_algebra.h"
#include "runtime/host/matrix_numbers.h"

namespace hilo::runtime {
namespace {

// Factors the triangle of a row-major matrix in place, which is the other
// triangle of the column-major one: the transposed matrix has the transposed
// factor. Returns whether the matrix is positive definite.
template <typename T>
bool Factor(bool lower, int64_t n, T* matrix) {
  if (Lapack<T>::kPotrf(kColumnMajor, lower ? 'U' : 'L', LapackInt(n), matrix,
                        Leading(n)) != 0) {
    return false;
  }
  // Not all implementations look for NaN.
  for (int64_t i = 0; i < n; ++i) {
    if (!(std::real(matrix[i * n + i]) > 0)) return false;
  }
  return true;
}

// Copies the chosen triangle, with zeros elsewhere.
template <typename T, typename Element>
void CopyTriangle(bool lower, int64_t n, const Element* a, T* matrix) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const bool is_kept = lower ? j <= i : j >= i;
      matrix[i * n + j] = is_kept ? ConvertElement<T>(a[i * n + j]) : T{};
    }
  }
}

template <typename T, typename Element>
void FactorOne(const CholeskyMatrices& matrices, const Element* a,
               Element* result, [[maybe_unused]] T* scratch) {
  const int64_t n = matrices.size;
  const bool lower = matrices.lower != 0;
  if constexpr (std::is_same_v<T, Element>) {
    CopyTriangle(lower, n, a, result);
    if (!Factor(lower, n, result)) std::fill_n(result, n * n, NotANumber<T>());
  } else {
    CopyTriangle(lower, n, a, scratch);
    if (!Factor(lower, n, scratch)) {
      std::fill_n(scratch, n * n, NotANumber<T>());
    }
    for (int64_t i = 0; i < n * n; ++i) {
      result[i] = ConvertElement<Element>(scratch[i]);
    }
  }
}

}  // namespace

// LAPACK's BLAS is the system's choice; only OpenBLAS has threads to turn off.
void UseOneBlasThread() {
  [[maybe_unused]] static const bool kDone = [] {
    using SetThreads = void (*)(int);
    const auto set_threads = reinterpret_cast<SetThreads>(
        dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    if (set_threads != nullptr) set_threads(1);
    return true;
  }();
}

int64_t ScratchBytes(const CholeskyMatrices& matrices) {
  int64_t bytes = 0;
  DispatchMatrixElement(matrices.type, [&](auto element, auto type) {
    using T = decltype(type)::type;
    if constexpr (!std::is_same_v<decltype(element), decltype(type)>) {
      bytes = AlignScratch(matrices.size * matrices.size *
                           static_cast<int64_t>(sizeof(T)));
    }
  });
  return bytes * matrices.slots;
}

}  // namespace hilo::runtime

void hilo_cholesky(void* pool, const hilo::runtime::CholeskyMatrices* matrices,
                   const void* a, void* result, void* scratch) {
  using namespace hilo::runtime;  // NOLINT(google-build-using-namespace)
  UseOneBlasThread();
  const int64_t count = matrices->size * matrices->size;
  if (count == 0) return;
  const int64_t slot_bytes = ScratchBytes(*matrices) / matrices->slots;
  DispatchMatrixElement(matrices->type, [&](auto element, auto type) {
    using Element = decltype(element)::type;
    using T = decltype(type)::type;
    ForEachBlock(pool, matrices->batch, 1, matrices->slots,
                 [&](int64_t slot, int64_t begin, int64_t end) {
                   auto* memory = reinterpret_cast<T*>(
                       static_cast<std::byte*>(scratch) + slot * slot_bytes);
                   for (int64_t i = begin; i < end; ++i) {
                     FactorOne<T, Element>(
                         *matrices, static_cast<const Element*>(a) + i * count,
                         static_cast<Element*>(result) + i * count, memory);
                   }
                 });
  });
}
