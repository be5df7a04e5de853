// Cholesky factors and triangular systems: HLO's cholesky and triangular-solve.
#pragma once

#include <cstdint>

#include "runtime/host/element_code.h"

namespace hilo::runtime {

// Matrices [batch, size, size], row-major, of a float or complex type.
struct CholeskyMatrices {
  ElementCode type = {};
  // The triangle that is read, and that the factor is in.
  int32_t lower = 0;
  int64_t batch = 1;
  int64_t size = 0;
  // Threads that may work at once; each needs scratch memory.
  int64_t slots = 1;
};

enum class MatrixTranspose : uint8_t { kNone, kTranspose, kAdjoint };

// Systems op(a) * x = b, or x * op(a) = b with left_side 0. a: [batch, m, m];
// b: [batch, rows, columns], where the side's one is m; all row-major, of a
// float or complex type.
struct TriangularSystems {
  ElementCode type = {};
  int32_t left_side = 1;
  int32_t lower = 1;
  int32_t unit_diagonal = 0;
  MatrixTranspose transpose = MatrixTranspose::kNone;
  int64_t batch = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t slots = 1;

  int64_t triangle_size() const { return left_side != 0 ? rows : columns; }
};

// Scratch memory of the calls, to be aligned to 64 bytes.
int64_t ScratchBytes(const CholeskyMatrices& matrices);
int64_t ScratchBytes(const TriangularSystems& systems);

// Solves one system in place of b. Only the triangle of a that the systems name
// is read. A zero on the diagonal divides as such. `scratch` has room for b.
// T: float, double, or complex of these.
template <typename T>
void SolveTriangular(const TriangularSystems& systems, const T* a, T* b,
                     T* scratch);

}  // namespace hilo::runtime

// The factor of each matrix, with zeros in the other triangle; NaN where a
// matrix is not positive definite. The diagonal's imaginary parts are ignored.
// `pool` is a LoopWorkers or null. The result may be `a`.
extern "C" void hilo_cholesky(void* pool,
                              const hilo::runtime::CholeskyMatrices* matrices,
                              const void* a, void* result, void* scratch);

// The solution of each system; the result may be `b`.
extern "C" void hilo_triangular_solve(
    void* pool, const hilo::runtime::TriangularSystems* systems, const void* a,
    const void* b, void* result, void* scratch);
