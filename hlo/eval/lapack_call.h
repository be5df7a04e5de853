// One custom call of a LAPACK routine: operands, results and attributes.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/ffi_dictionary.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/linear_algebra.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {

// Makes the BLAS compute with one thread, so that results do not depend on the
// machine. Thread-safe.
void UseOneBlasThread();

// Sizes of a batch of matrices: the last two dimensions.
struct MatrixSizes {
  int64_t batches = 1;
  int64_t rows = 0;
  int64_t columns = 0;

  int64_t smaller() const { return rows < columns ? rows : columns; }
  bool empty() const { return rows == 0 || columns == 0; }
};

// Element type of the components of T.
template <typename T>
using RealOf = NumericTraits<T>::Part;

// Operands and results are batches of column-major matrices or of vectors;
// the batch dimensions are those before the matrix of operand 0. Literals are
// row-major: matrices are transposed on the way in and out.
class LapackCall {
 public:
  // Reads the attributes, checks that operands are arrays whose sizes fit the
  // routines' integers, and asks for memory. `first_operand` operands before
  // the matrices are left out (the older calling convention has sizes there).
  static absl::StatusOr<LapackCall> Create(const Instruction& instruction,
                                           absl::Span<const Literal> operands,
                                           EvaluationContext& context,
                                           int64_t first_operand = 0);

  const FfiDictionary& attributes() const { return attributes_; }
  int64_t batches() const { return batches_; }

  // Errors: fewer operands.
  absl::Status CheckOperandCount(int64_t count) const;
  // The sizes of operand `i`, which must be matrices of the call's element
  // type in the call's batch.
  absl::StatusOr<MatrixSizes> Matrix(int64_t i) const;
  absl::StatusOr<MatrixSizes> SquareMatrix(int64_t i) const;
  // The length of the vectors of operand `i`.
  absl::StatusOr<int64_t> Vector(int64_t i, ElementType type) const;

  ElementType type() const { return type_; }
  // An array of the call's batch dimensions and `dimensions`.
  Shape BatchOf(ElementType type,
                std::initializer_list<int64_t> dimensions) const;
  // Declares what the routine returns, and makes zeros of it.
  // Errors: the instruction has another shape.
  absl::Status SetResults(std::vector<Shape> expected);
  // Shape of result `i` as the instruction declares it, for results that a
  // mode leaves undefined. A token if there is none.
  Shape DeclaredResult(int64_t i) const;

  // Matrix or vector number `batch` of an operand, and into a result.
  template <typename T>
  std::vector<T> LoadMatrix(int64_t i, int64_t batch, int64_t rows,
                            int64_t columns) const;
  template <typename T>
  std::vector<T> LoadVector(int64_t i, int64_t batch, int64_t size) const;
  template <typename T>
  void StoreMatrix(const std::vector<T>& matrix, int64_t batch, int64_t rows,
                   int64_t columns, int64_t result);
  template <typename T>
  void StoreVector(const std::vector<T>& vector, int64_t batch, int64_t result);

  // Stores what the routine said, as the last result.
  // Errors: it found an argument illegal.
  absl::Status StoreInfo(int64_t info, int64_t batch);
  // An error for a negative `info`, of routines that have no such result.
  static absl::Status CheckInfo(int64_t info);
  // Makes one batch of all results NaN, and its info 1: for input that a
  // routine would iterate on for ever.
  void Refuse(int64_t batch);

  Literal TakeResult() &&;

 private:
  LapackCall(const Instruction& instruction, absl::Span<const Literal> operands)
      : instruction_(&instruction), operands_(operands) {}

  const Instruction* instruction_;
  absl::Span<const Literal> operands_;
  FfiDictionary attributes_;
  ElementType type_ = ElementType::kF32;
  DimensionVector batch_dimensions_;
  int64_t batches_ = 1;
  std::vector<Literal> results_;
};

template <typename T>
bool AllFinite(const std::vector<T>& values) {
  return std::ranges::all_of(values, [](T value) {
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
  });
}

// The identity, cut or extended to the size.
template <typename T>
std::vector<T> IdentityMatrix(int64_t rows, int64_t columns) {
  std::vector<T> matrix(rows * columns);
  for (int64_t i = 0; i < rows && i < columns; ++i) matrix[i * rows + i] = 1;
  return matrix;
}

template <typename T>
std::vector<T> LapackCall::LoadMatrix(int64_t i, int64_t batch, int64_t rows,
                                      int64_t columns) const {
  const T* source = operands_[i].data<T>().data() + batch * rows * columns;
  std::vector<T> matrix(rows * columns);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      matrix[column * rows + row] = source[row * columns + column];
    }
  }
  return matrix;
}

template <typename T>
std::vector<T> LapackCall::LoadVector(int64_t i, int64_t batch,
                                      int64_t size) const {
  const T* source = operands_[i].data<T>().data() + batch * size;
  return std::vector<T>(source, source + size);
}

template <typename T>
void LapackCall::StoreMatrix(const std::vector<T>& matrix, int64_t batch,
                             int64_t rows, int64_t columns, int64_t result) {
  T* destination =
      results_[result].mutable_data<T>().data() + batch * rows * columns;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      destination[row * columns + column] = matrix[column * rows + row];
    }
  }
}

template <typename T>
void LapackCall::StoreVector(const std::vector<T>& vector, int64_t batch,
                             int64_t result) {
  T* destination = results_[result].mutable_data<T>().data();
  const auto size = static_cast<int64_t>(vector.size());
  for (int64_t i = 0; i < size; ++i) destination[batch * size + i] = vector[i];
}

// Runs routine(TypeTag<T>{}, call) with T from the call's element type; it
// returns an absl::Status.
template <typename F>
absl::StatusOr<Literal> RunLapack(const Instruction& instruction,
                                  absl::Span<const Literal> operands,
                                  EvaluationContext& context, F&& routine,
                                  int64_t first_operand = 0) {
  UseOneBlasThread();
  ASSIGN_OR_RETURN(LapackCall call, LapackCall::Create(instruction, operands,
                                                       context, first_operand));
  const absl::Status status = DispatchMatrixType(
      call.type(),
      [&](auto tag) -> absl::Status { return routine(tag, call); });
  RETURN_IF_ERROR(status) << "in " << instruction.custom_call_target();
  return std::move(call).TakeResult();
}

}  // namespace hilo::hlo
