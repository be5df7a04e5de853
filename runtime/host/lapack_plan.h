// What LAPACK's routines are given: shapes, attributes, workspace, and the
// matrices of one batch in column-major order.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "runtime/host/host_call.h"
#include "runtime/host/item_loop.h"
#include "runtime/host/matrix_numbers.h"

namespace hilo::runtime {

// One operand or result, per batch.
struct LapackArray {
  // Vectors and scalars are matrices of one column.
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t element_bytes = 0;
  // Row-major matrices are transposed into scratch memory.
  bool is_copied = false;

  int64_t bytes() const { return rows * columns * element_bytes; }
};

// The facts of a call that do not depend on the data.
class LapackPlan {
 public:
  explicit LapackPlan(const HostCallDescription& call) : call_(&call) {}
  // The description is looked at no more.
  void EndPreparation() { call_ = nullptr; }

  // Reads the shapes: the batch is that of operand `matrix`, which has at
  // least two dimensions and elements of type T.
  template <typename T>
  absl::Status Start(int64_t operand_count, int64_t matrix) {
    return StartWith(kElementCode<T>, operand_count, matrix);
  }

  // Error unless operand `i` has these dimensions in each batch.
  absl::Status CheckOperand(int64_t i, ElementCode type,
                            const std::vector<int64_t>& dimensions);
  absl::Status CheckResults(
      std::vector<std::pair<ElementCode, std::vector<int64_t>>> expected);

  // The size of dimension `i`, from the last one, of an operand.
  int64_t OperandSize(int64_t operand, int64_t i) const;
  absl::StatusOr<int64_t> Attribute(absl::string_view name) const;
  // An attribute that has been checked to be there.
  char Letter(absl::string_view name) const;

  // Elements of workspaces of a slot: of T, its real type, and integers.
  void SetWorkspace(int64_t work, int64_t reals = 0, int64_t integers = 0) {
    work_size = std::max<int64_t>(work, 1);
    real_size = std::max<int64_t>(reals, 1);
    integer_size = std::max<int64_t>(integers, 1);
  }

  int64_t batches = 1;
  std::vector<LapackArray> operands;
  std::vector<LapackArray> results;
  int64_t work_size = 1;
  int64_t real_size = 1;
  int64_t integer_size = 1;
  // More elements of T that the routine divides itself.
  int64_t extra_size = 0;
  // Attributes and sizes, as the routine understands them.
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  char first_letter = 'N';
  char second_letter = 'N';
  char third_letter = 'N';
  char fourth_letter = 'N';

 private:
  absl::Status StartWith(ElementCode type, int64_t operand_count,
                         int64_t matrix);

  const HostCallDescription* call_;
  std::vector<int64_t> batch_dimensions_;
};

// The arrays of one batch.
template <typename T>
class LapackBatch {
 public:
  LapackBatch(const LapackPlan& plan, const void* const* operands,
              void* const* results, int64_t batch, void* scratch)
      : plan_(plan), operands_(operands), results_(results), batch_(batch) {
    ScratchParts parts(scratch);
    TakeParts(parts);
  }

  // Bytes of scratch memory of a slot.
  static int64_t ScratchBytes(const LapackPlan& plan) {
    ScratchParts parts(nullptr);
    LapackBatch(plan, nullptr, nullptr, 0, nullptr).TakeParts(parts);
    return parts.bytes();
  }

  T* work() const { return work_; }
  RealPart<T>* reals() const { return reals_; }
  int32_t* integers() const { return integers_; }
  T* extra() const { return extra_; }

  // An operand that is only read, column-major.
  template <typename E>
  const E* Operand(int64_t i) const {
    const LapackArray& array = plan_.operands[i];
    const auto* from = OperandData<E>(i);
    if (!array.is_copied) return from;
    E* copy = reinterpret_cast<E*>(operand_copies_[i]);
    TransposeMatrix(from, array.rows, array.columns, copy);
    return copy;
  }

  // Where a result is made, column-major; StoreResults() transposes it.
  template <typename E>
  E* Result(int64_t i) const {
    if (plan_.results[i].is_copied) {
      return reinterpret_cast<E*>(result_copies_[i]);
    }
    return ResultData<E>(i);
  }

  // A result that begins as a copy of an operand.
  template <typename E>
  E* ResultOf(int64_t result, int64_t operand) const {
    const LapackArray& array = plan_.operands[operand];
    const E* from = OperandData<E>(operand);
    E* to = Result<E>(result);
    const int64_t count = array.rows * array.columns;
    if (array.is_copied) {
      TransposeMatrix(from, array.rows, array.columns, to);
    } else if (from != to) {
      std::copy_n(from, count, to);
    }
    return to;
  }

  void StoreResults() const {
    for (size_t i = 0; i < plan_.results.size(); ++i) {
      if (!plan_.results[i].is_copied) continue;
      if (plan_.results[i].element_bytes == sizeof(T)) {
        StoreResult<T>(static_cast<int64_t>(i));
      } else if (plan_.results[i].element_bytes == sizeof(RealPart<T>)) {
        StoreResult<RealPart<T>>(static_cast<int64_t>(i));
      } else {
        StoreResult<std::complex<RealPart<T>>>(static_cast<int64_t>(i));
      }
    }
  }

  void SetInfo(int64_t info) const {
    *ResultData<int32_t>(static_cast<int64_t>(plan_.results.size()) - 1) =
        static_cast<int32_t>(info);
  }

 private:
  template <typename E>
  const E* OperandData(int64_t i) const {
    return reinterpret_cast<const E*>(
        static_cast<const std::byte*>(operands_[i]) +
        batch_ * plan_.operands[i].bytes());
  }
  template <typename E>
  E* ResultData(int64_t i) const {
    return reinterpret_cast<E*>(static_cast<std::byte*>(results_[i]) +
                                batch_ * plan_.results[i].bytes());
  }
  template <typename E>
  void StoreResult(int64_t i) const {
    const LapackArray& array = plan_.results[i];
    TransposeMatrix(reinterpret_cast<const E*>(result_copies_[i]),
                    array.columns, array.rows, ResultData<E>(i));
  }

  void TakeParts(ScratchParts& parts) {
    work_ = parts.Take<T>(plan_.work_size);
    reals_ = parts.Take<RealPart<T>>(plan_.real_size);
    integers_ = parts.Take<int32_t>(plan_.integer_size);
    extra_ = parts.Take<T>(plan_.extra_size);
    for (size_t i = 0; i < plan_.operands.size(); ++i) {
      if (!plan_.operands[i].is_copied) continue;
      operand_copies_[i] = parts.Take<std::byte>(plan_.operands[i].bytes());
    }
    for (size_t i = 0; i < plan_.results.size(); ++i) {
      if (!plan_.results[i].is_copied) continue;
      result_copies_[i] = parts.Take<std::byte>(plan_.results[i].bytes());
    }
  }

  static constexpr int64_t kMaxArrays = 8;

  const LapackPlan& plan_;
  const void* const* operands_;
  void* const* results_;
  int64_t batch_;
  T* work_ = nullptr;
  RealPart<T>* reals_ = nullptr;
  int32_t* integers_ = nullptr;
  T* extra_ = nullptr;
  std::array<std::byte*, kMaxArrays> operand_copies_ = {};
  std::array<std::byte*, kMaxArrays> result_copies_ = {};
};

// A routine for elements of type T: how a call is checked and prepared, and
// what it does for one batch.
struct LapackRoutine {
  absl::Status (*prepare)(LapackPlan& plan) = nullptr;
  void (*run)(const LapackPlan& plan, const void* const* operands,
              void* const* results, int64_t batch, void* scratch) = nullptr;
  int64_t (*scratch_bytes)(const LapackPlan& plan) = nullptr;
};

// One routine for all element types: real and complex ones by their letters.
struct LapackRoutineRow {
  absl::string_view name;
  std::vector<HostCallAttribute> attributes;
  // By the letters "sdcz"; without functions where there is no such routine.
  std::array<LapackRoutine, 4> routines;
};

// The rows of both families, sorted by name.
std::vector<LapackRoutineRow> LapackFactorRows();
std::vector<LapackRoutineRow> LapackEigenRows();

// The routine of a class template with static functions Prepare(LapackPlan&)
// and Run(const LapackPlan&, const LapackBatch<T>&).
template <typename T, template <typename> typename Routine>
LapackRoutine MakeRoutine() {
  return {.prepare = &Routine<T>::Prepare,
          .run =
              [](const LapackPlan& plan, const void* const* operands,
                 void* const* results, int64_t batch, void* scratch) {
                const LapackBatch<T> arrays(plan, operands, results, batch,
                                            scratch);
                Routine<T>::Run(plan, arrays);
                arrays.StoreResults();
              },
          .scratch_bytes = &LapackBatch<T>::ScratchBytes};
}

// The rows of a routine whose complex form has another name.
template <template <typename> typename Routine>
void AddRows(absl::string_view real_name, absl::string_view complex_name,
             const std::vector<HostCallAttribute>& attributes,
             std::vector<LapackRoutineRow>& rows) {
  using Routines = std::array<LapackRoutine, 4>;
  const Routines all = {MakeRoutine<float, Routine>(),
                        MakeRoutine<double, Routine>(),
                        MakeRoutine<std::complex<float>, Routine>(),
                        MakeRoutine<std::complex<double>, Routine>()};
  if (real_name == complex_name) {
    rows.push_back({real_name, attributes, all});
    return;
  }
  rows.push_back({real_name, attributes, Routines{all[0], all[1]}});
  rows.push_back({complex_name, attributes,
                  Routines{LapackRoutine{}, LapackRoutine{}, all[2], all[3]}});
}

// The size that a workspace query has returned, with some room for the
// rounding of large numbers in float.
template <typename T>
int64_t WorkspaceSize(T answer) {
  const auto size = static_cast<double>(std::real(answer));
  return static_cast<int64_t>(size + size / 1e6) + 1;
}

}  // namespace hilo::runtime
