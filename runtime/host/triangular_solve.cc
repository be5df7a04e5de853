// Solves triangular systems.
#include <algorithm>
#include <array>
#include <complex>  // IWYU pragma: keep
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/base/convert_element.h"
#include "runtime/host/item_loop.h"
#include "runtime/host/linear_algebra.h"
#include "runtime/host/matrix_numbers.h"

namespace hilo::runtime {
namespace {

// A triangular matrix, transposed or conjugated on the fly.
template <typename T>
struct Triangle {
  T At(int64_t i, int64_t j) const {
    const T value = a[i * row_stride + j * column_stride];
    return is_conjugate ? Conjugate(value) : value;
  }

  const T* a = nullptr;
  int64_t size = 0;
  int64_t row_stride = 0;
  int64_t column_stride = 1;
  bool is_lower = true;
  bool is_conjugate = false;
  bool has_unit_diagonal = false;
};

// row -= sum of factors[i] * rows[i], for `count` <= 4 rows that follow each
// other.
template <typename T>
void SubtractRows(const T* factors, int64_t count, const T* rows,
                  int64_t columns, T* row) {
  if (count < 4) {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        row[j] -= PlainProduct(factors[i], rows[i * columns + j]);
      }
    }
    return;
  }
  const T a = factors[0];
  const T b = factors[1];
  const T c = factors[2];
  const T d = factors[3];
  const T* second = rows + columns;
  const T* third = second + columns;
  const T* fourth = third + columns;
  for (int64_t j = 0; j < columns; ++j) {
    row[j] = row[j] - PlainProduct(a, rows[j]) - PlainProduct(b, second[j]) -
             PlainProduct(c, third[j]) - PlainProduct(d, fourth[j]);
  }
}

// Solves triangle * x = b in place, row after row; b: [size, columns].
template <typename T>
void SolveRows(const Triangle<T>& triangle, int64_t columns, T* b) {
  constexpr int64_t kRows = 4;
  const int64_t size = triangle.size;
  for (int64_t step = 0; step < size; ++step) {
    const int64_t i = triangle.is_lower ? step : size - 1 - step;
    T* row = b + i * columns;
    const int64_t first = triangle.is_lower ? 0 : i + 1;
    const int64_t limit = triangle.is_lower ? i : size;
    for (int64_t k = first; k < limit; k += kRows) {
      std::array<T, kRows> factors;
      const int64_t count = std::min(kRows, limit - k);
      for (int64_t l = 0; l < count; ++l) factors[l] = triangle.At(i, k + l);
      SubtractRows(factors.data(), count, b + k * columns, columns, row);
    }
    if (triangle.has_unit_diagonal) continue;
    const T diagonal = triangle.At(i, i);
    for (int64_t j = 0; j < columns; ++j) row[j] = row[j] / diagonal;
  }
}

// Solves triangle * x = b for one vector, along columns of the triangle: they
// are dense where rows are not.
template <typename T>
void SolveVector(const Triangle<T>& triangle, T* x) {
  const int64_t size = triangle.size;
  for (int64_t step = 0; step < size; ++step) {
    const int64_t k = triangle.is_lower ? step : size - 1 - step;
    if (!triangle.has_unit_diagonal) x[k] = x[k] / triangle.At(k, k);
    const int64_t first = triangle.is_lower ? k + 1 : 0;
    const int64_t limit = triangle.is_lower ? size : k;
    const T value = x[k];
    for (int64_t i = first; i < limit; ++i) {
      x[i] -= PlainProduct(triangle.At(i, k), value);
    }
  }
}

// The elements of a matrix as the type of the computation, in `copy` unless
// they have it.
template <typename T, typename Element>
const T* Converted(const Element* elements, int64_t count, T* copy) {
  if constexpr (std::is_same_v<T, Element>) {
    return elements;
  } else {
    for (int64_t i = 0; i < count; ++i) {
      copy[i] = ConvertElement<T>(elements[i]);
    }
    return copy;
  }
}

// The parts of a slot's scratch memory.
template <typename T, typename Element>
struct SolveScratch {
  SolveScratch(ScratchParts& parts, const TriangularSystems& systems)
      : transposed(parts.Take<T>(systems.rows * systems.columns)) {
    if constexpr (!std::is_same_v<T, Element>) {
      const int64_t m = systems.triangle_size();
      a = parts.Take<T>(m * m);
      b = parts.Take<T>(systems.rows * systems.columns);
    }
  }

  T* transposed;
  T* a = nullptr;
  T* b = nullptr;
};

template <typename T, typename Element>
void SolveOne(const TriangularSystems& systems, const Element* a,
              const Element* b, Element* result,
              const SolveScratch<T, Element>& scratch) {
  const int64_t m = systems.triangle_size();
  const int64_t count = systems.rows * systems.columns;
  const T* triangle = Converted(a, m * m, scratch.a);
  if constexpr (std::is_same_v<T, Element>) {
    if (b != result) std::copy_n(b, count, result);
    SolveTriangular(systems, triangle, result, scratch.transposed);
  } else {
    Converted(b, count, scratch.b);
    SolveTriangular(systems, triangle, scratch.b, scratch.transposed);
    for (int64_t i = 0; i < count; ++i) {
      result[i] = ConvertElement<Element>(scratch.b[i]);
    }
  }
}

}  // namespace

template <typename T>
void SolveTriangular(const TriangularSystems& systems, const T* a, T* b,
                     T* scratch) {
  const bool is_left = systems.left_side != 0;
  const bool is_transposed = systems.transpose != MatrixTranspose::kNone;
  const int64_t m = systems.triangle_size();
  // x * op(a) = b is transpose(op(a)) * transpose(x) = transpose(b).
  const bool is_turned = is_transposed == is_left;
  const Triangle<T> triangle{
      .a = a,
      .size = m,
      .row_stride = is_turned ? 1 : m,
      .column_stride = is_turned ? m : 1,
      .is_lower = (systems.lower != 0) != is_turned,
      .is_conjugate = systems.transpose == MatrixTranspose::kAdjoint,
      .has_unit_diagonal = systems.unit_diagonal != 0};
  const int64_t vectors = is_left ? systems.columns : systems.rows;
  if (vectors == 1 && is_turned) {
    SolveVector(triangle, b);
  } else if (is_left) {
    SolveRows(triangle, systems.columns, b);
  } else {
    TransposeMatrix(b, systems.rows, systems.columns, scratch);
    SolveRows(triangle, systems.rows, scratch);
    TransposeMatrix(scratch, systems.columns, systems.rows, b);
  }
}

template void SolveTriangular<float>(const TriangularSystems&, const float*,
                                     float*, float*);
template void SolveTriangular<double>(const TriangularSystems&, const double*,
                                      double*, double*);
template void SolveTriangular<std::complex<float>>(const TriangularSystems&,
                                                   const std::complex<float>*,
                                                   std::complex<float>*,
                                                   std::complex<float>*);
template void SolveTriangular<std::complex<double>>(const TriangularSystems&,
                                                    const std::complex<double>*,
                                                    std::complex<double>*,
                                                    std::complex<double>*);

int64_t ScratchBytes(const TriangularSystems& systems) {
  ScratchParts parts(nullptr);
  DispatchMatrixElement(systems.type, [&](auto element, auto type) {
    (void)SolveScratch<typename decltype(type)::type,
                       typename decltype(element)::type>(parts, systems);
  });
  return parts.bytes() * systems.slots;
}

}  // namespace hilo::runtime

void hilo_triangular_solve(void* pool,
                           const hilo::runtime::TriangularSystems* systems,
                           const void* a, const void* b, void* result,
                           void* scratch) {
  using namespace hilo::runtime;  // NOLINT(google-build-using-namespace)
  const int64_t m = systems->triangle_size();
  const int64_t count = systems->rows * systems->columns;
  if (count == 0) return;
  const int64_t slot_bytes = ScratchBytes(*systems) / systems->slots;
  DispatchMatrixElement(systems->type, [&](auto element, auto type) {
    using Element = decltype(element)::type;
    using T = decltype(type)::type;
    ForEachBlock(pool, systems->batch, 1, systems->slots,
                 [&](int64_t slot, int64_t begin, int64_t end) {
                   ScratchParts parts(static_cast<std::byte*>(scratch) +
                                      slot * slot_bytes);
                   const SolveScratch<T, Element> memory(parts, *systems);
                   for (int64_t i = begin; i < end; ++i) {
                     SolveOne<T, Element>(
                         *systems, static_cast<const Element*>(a) + i * m * m,
                         static_cast<const Element*>(b) + i * count,
                         static_cast<Element*>(result) + i * count, memory);
                   }
                 });
  });
}
