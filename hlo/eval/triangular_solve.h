// Solution of triangular systems.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "hlo/ir/enums.h"

namespace hilo::hlo {

// What of a is read, and on which side of x it stands.
struct TriangularSystem {
  bool left_side = true;
  bool lower = true;
  bool unit_diagonal = false;
  TransposeOption transpose = TransposeOption::kNoTranspose;
};

// Solves op(a) * x = b, or x * op(a) = b, in place of b. a: [m, m]; b: [rows,
// columns], of which the side's one is m; both row-major. Only the triangle of
// a that the system names is read. A zero on the diagonal divides as such.
// T: float, double or std::complex of these. `scratch` is for reuse.
template <typename T>
void SolveTriangular(const TriangularSystem& system, const T* a, int64_t m,
                     int64_t rows, int64_t columns, T* b,
                     std::vector<T>& scratch);

}  // namespace hilo::hlo
