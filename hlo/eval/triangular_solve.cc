// Evaluates triangular-solve.
#include "hlo/eval/triangular_solve.h"

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/linear_algebra.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// destination[j][i] = source[i][j].
template <typename T>
void TransposeInto(const T* source, int64_t rows, int64_t columns,
                   T* destination) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      destination[j * rows + i] = source[i * columns + j];
    }
  }
}

// A triangular matrix, transposed or conjugated on the fly.
template <typename T>
struct Triangle {
  const T* a = nullptr;
  int64_t size = 0;
  bool lower = true;
  bool transpose = false;
  bool conjugate = false;
  bool unit_diagonal = false;

  T At(int64_t i, int64_t j) const {
    const T value = transpose ? a[j * size + i] : a[i * size + j];
    return conjugate ? Conjugate(value) : value;
  }
};

// Solves triangle * x = b in place, row after row; b: [size, columns].
template <typename T>
void Substitute(const Triangle<T>& triangle, int64_t columns, T* b) {
  const int64_t size = triangle.size;
  for (int64_t step = 0; step < size; ++step) {
    const int64_t i = triangle.lower ? step : size - 1 - step;
    T* row = b + i * columns;
    const int64_t first = triangle.lower ? 0 : i + 1;
    const int64_t limit = triangle.lower ? i : size;
    for (int64_t k = first; k < limit; ++k) {
      const T factor = triangle.At(i, k);
      const T* solved = b + k * columns;
      for (int64_t j = 0; j < columns; ++j) {
        row[j] -= Product(factor, solved[j]);
      }
    }
    if (triangle.unit_diagonal) continue;
    const T diagonal = triangle.At(i, i);
    for (int64_t j = 0; j < columns; ++j) row[j] = row[j] / diagonal;
  }
}

template <typename T>
Literal SolveBatches(const Instruction& instruction, const Literal& a,
                     const Literal& b) {
  const TriangularSystem system{.left_side = instruction.left_side(),
                                .lower = instruction.lower(),
                                .unit_diagonal = instruction.unit_diagonal(),
                                .transpose = instruction.transpose_a()};
  const int64_t m = a.shape().dimensions().back();
  const int64_t rows = b.shape().dimension(b.shape().rank() - 2);
  const int64_t columns = b.shape().dimensions().back();
  Literal result(b.shape());
  if (result.element_count() == 0) return result;
  const int64_t batches = result.element_count() / (rows * columns);
  std::vector<T> matrix(m * m);
  std::vector<T> solution(rows * columns);
  std::vector<T> scratch;
  for (int64_t i = 0; i < batches; ++i) {
    LoadElements(a, i * m * m, absl::MakeSpan(matrix));
    LoadElements(b, i * rows * columns, absl::MakeSpan(solution));
    SolveTriangular(system, matrix.data(), m, rows, columns, solution.data(),
                    scratch);
    StoreElements<T>(solution, i * rows * columns, result);
  }
  return result;
}

}  // namespace

template <typename T>
void SolveTriangular(const TriangularSystem& system, const T* a, int64_t m,
                     int64_t rows, int64_t columns, T* b,
                     std::vector<T>& scratch) {
  const bool transpose = system.transpose != TransposeOption::kNoTranspose;
  const bool adjoint = system.transpose == TransposeOption::kAdjoint;
  // x * op(a) = b is transpose(op(a)) * transpose(x) = transpose(b).
  const bool transpose_all = transpose == system.left_side;
  const Triangle<T> triangle{.a = a,
                             .size = m,
                             .lower = system.lower != transpose_all,
                             .transpose = transpose_all,
                             .conjugate = adjoint,
                             .unit_diagonal = system.unit_diagonal};
  if (system.left_side) {
    Substitute(triangle, columns, b);
    return;
  }
  scratch.resize(rows * columns);
  TransposeInto(b, rows, columns, scratch.data());
  Substitute(triangle, rows, scratch.data());
  TransposeInto(scratch.data(), columns, rows, b);
}

#define HILO_INSTANTIATE(T)                                                    \
  template void SolveTriangular<T>(const TriangularSystem&, const T*, int64_t, \
                                   int64_t, int64_t, T*, std::vector<T>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
#undef HILO_INSTANTIATE

absl::StatusOr<Literal> EvaluateTriangularSolve(const Instruction& instruction,
                                                absl::Span<Literal> operands,
                                                EvaluationContext& context) {
  RETURN_IF_ERROR(context.CheckMemory(
      instruction, MatrixScratchBytes(instruction, {0, 1, 1})));
  return DispatchWideMatrixType(
      instruction.shape().element_type(),
      [&](auto tag) -> absl::StatusOr<Literal> {
        return SolveBatches<typename decltype(tag)::type>(
            instruction, operands[0], operands[1]);
      });
}

}  // namespace hilo::hlo
