// Evaluates cholesky.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/linear_algebra.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Replaces the lower triangle of a [n, n], row-major, by its factor, row after
// row. Returns false when a pivot is not positive.
template <typename T>
bool FactorLower(int64_t n, T* a) {
  using Real = NumericTraits<T>::Part;
  for (int64_t i = 0; i < n; ++i) {
    T* row = a + i * n;
    for (int64_t j = 0; j <= i; ++j) {
      const T* other = a + j * n;
      T sum = row[j];
      for (int64_t k = 0; k < j; ++k) {
        sum -= Product(row[k], Conjugate(other[k]));
      }
      if (j < i) {
        row[j] = sum / std::real(other[j]);
        continue;
      }
      const Real pivot = std::real(sum);
      if (!(pivot > 0)) return false;
      row[j] = std::sqrt(pivot);
    }
  }
  return true;
}

// The chosen triangle of a matrix as a lower one, zeros elsewhere: the upper
// one is conjugated and transposed.
template <typename T>
void KeepTriangle(int64_t n, bool lower, std::vector<T>& a) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) {
      if (!lower) a[j * n + i] = Conjugate(a[i * n + j]);
      a[i * n + j] = T{};
    }
  }
}

template <typename T>
void ConjugateTranspose(int64_t n, std::vector<T>& a) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const T below = Conjugate(a[i * n + j]);
      a[i * n + j] = Conjugate(a[j * n + i]);
      a[j * n + i] = below;
    }
  }
}

template <typename T>
T NotANumber() {
  using Real = NumericTraits<T>::Part;
  constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
  if constexpr (NumericTraits<T>::is_complex) {
    return {kNan, kNan};
  } else {
    return kNan;
  }
}

template <typename T>
Literal FactorBatches(const Literal& operand, bool lower) {
  Literal result(operand.shape());
  if (result.element_count() == 0) return result;
  const int64_t n = operand.shape().dimensions().back();
  const int64_t batches = operand.element_count() / (n * n);
  std::vector<T> matrix(n * n);
  for (int64_t i = 0; i < batches; ++i) {
    LoadElements(operand, i * n * n, absl::MakeSpan(matrix));
    KeepTriangle(n, lower, matrix);
    if (!FactorLower(n, matrix.data())) {
      matrix.assign(n * n, NotANumber<T>());
    } else if (!lower) {
      ConjugateTranspose(n, matrix);
    }
    StoreElements<T>(matrix, i * n * n, result);
  }
  return result;
}

}  // namespace

absl::StatusOr<Literal> EvaluateCholesky(const Instruction& instruction,
                                         absl::Span<Literal> operands,
                                         EvaluationContext& context) {
  RETURN_IF_ERROR(
      context.CheckMemory(instruction, MatrixScratchBytes(instruction, {0})));
  return DispatchWideMatrixType(
      instruction.shape().element_type(),
      [&](auto tag) -> absl::StatusOr<Literal> {
        return FactorBatches<typename decltype(tag)::type>(operands[0],
                                                           instruction.lower());
      });
}

}  // namespace hilo::hlo
