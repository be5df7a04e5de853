// One custom call of a LAPACK routine: operands, results and attributes.
#include "hlo/eval/lapack_call.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/eval/ffi_dictionary.h"
#include "hlo/eval/handlers.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// The element type that a target's name says: "lapack_sgetrf_ffi" is f32.
std::optional<ElementType> TypeOfTarget(absl::string_view target) {
  for (const absl::string_view prefix : {"lapack_", "blas_"}) {
    if (!absl::StartsWith(target, prefix)) continue;
    if (target.size() == prefix.size()) return std::nullopt;
    switch (target[prefix.size()]) {
      case 's':
        return ElementType::kF32;
      case 'd':
        return ElementType::kF64;
      case 'c':
        return ElementType::kC64;
      case 'z':
        return ElementType::kC128;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

// Bytes of one matrix of an array, vectors and batches aside.
int64_t MatrixBytes(const Shape& shape) {
  if (!shape.IsArray() || shape.rank() < 2) return 0;
  const int64_t bytes = StorageBytes(shape.element_type());
  return bytes * shape.dimension(shape.rank() - 1) *
         shape.dimension(shape.rank() - 2);
}

// An estimate: copies and workspace of the routines with the greatest needs.
int64_t ScratchBytes(const Instruction& instruction) {
  constexpr int64_t kCopies = 8;
  int64_t largest = 0;
  for (const Shape* leaf : instruction.shape().Leaves()) {
    largest = std::max(largest, MatrixBytes(*leaf));
  }
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    largest = std::max(largest, MatrixBytes(instruction.operand_shape(i)));
  }
  return largest < std::numeric_limits<int64_t>::max() / kCopies
             ? kCopies * largest
             : std::numeric_limits<int64_t>::max();
}

// Error unless LAPACK's 32-bit integers hold the sizes and their products with
// what workspaces need.
absl::Status CheckSizes(const Shape& shape) {
  constexpr int64_t kLargest = 1 << 26;
  for (const int64_t size : shape.dimensions().last(
           std::min<size_t>(2, shape.dimensions().size()))) {
    if (size > kLargest) {
      return Unimplemented("a matrix dimension of ", size,
                           " is too large for LAPACK");
    }
  }
  return absl::OkStatus();
}

// Nothing happens to integers.
void FillWithNan(Literal& literal, int64_t first, int64_t count) {
  DispatchElementType(literal.shape().element_type(), [&](auto tag) {
    using Element = decltype(tag)::type;
    if constexpr (NumericTraits<Element>::is_float ||
                  NumericTraits<Element>::is_complex) {
      const auto elements = literal.mutable_data<Element>();
      std::ranges::fill(elements.subspan(first, count),
                        NumericTraits<Element>::quiet_nan());
    }
  });
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

absl::StatusOr<LapackCall> LapackCall::Create(
    const Instruction& instruction, absl::Span<const Literal> operands,
    EvaluationContext& context, int64_t first_operand) {
  const auto count = static_cast<int64_t>(operands.size());
  if (count <= first_operand) {
    return InvalidArgument("the routine has ", count,
                           " operands, expected more");
  }
  LapackCall call(instruction, operands.subspan(first_operand));
  for (const Literal& operand : call.operands_) {
    if (!operand.shape().IsArray()) {
      return InvalidArgument("an operand is no array");
    }
    RETURN_IF_ERROR(CheckSizes(operand.shape()));
  }
  const Shape& last = call.operands_.back().shape();
  const Shape& first = call.operands_[0].shape();
  // gtsv begins with vectors: there the last operand is the matrix.
  const Shape& matrix = last.rank() > first.rank() ? last : first;
  if (matrix.rank() < 2) {
    return InvalidArgument("expected a matrix, got ", ToString(matrix));
  }
  call.type_ = matrix.element_type();
  const std::optional<ElementType> expected =
      TypeOfTarget(instruction.custom_call_target());
  if (expected && *expected != call.type_) {
    return InvalidArgument("the routine is for ", TextOf(*expected),
                           ", the matrix is ", ToString(matrix));
  }
  const absl::Span<const int64_t> sizes =
      matrix.dimensions().first(matrix.rank() - 2);
  call.batch_dimensions_.assign(sizes.begin(), sizes.end());
  for (const int64_t size : sizes) call.batches_ *= size;
  if (first_operand == 0) {
    ASSIGN_OR_RETURN(call.attributes_,
                     FfiDictionary::Parse(instruction.backend_config()));
  }
  RETURN_IF_ERROR(context.CheckMemory(instruction, ScratchBytes(instruction)));
  return call;
}

absl::Status LapackCall::CheckOperandCount(int64_t count) const {
  const auto actual = static_cast<int64_t>(operands_.size());
  if (actual == count) return absl::OkStatus();
  return InvalidArgument("the routine has ", actual, " operands, expected ",
                         count);
}

absl::StatusOr<MatrixSizes> LapackCall::Matrix(int64_t i) const {
  const Shape& shape = operands_[i].shape();
  if (shape.rank() < 2 || shape.element_type() != type_) {
    return InvalidArgument("operand ", i, " is ", ToString(shape),
                           ", expected a matrix of ", TextOf(type_));
  }
  const MatrixSizes sizes{.batches = batches_,
                          .rows = shape.dimension(shape.rank() - 2),
                          .columns = shape.dimension(shape.rank() - 1)};
  if (shape.dimensions().first(shape.rank() - 2) !=
      absl::MakeConstSpan(batch_dimensions_)) {
    return InvalidArgument("operand ", i, " is ", ToString(shape),
                           ", which has another batch");
  }
  return sizes;
}

absl::StatusOr<MatrixSizes> LapackCall::SquareMatrix(int64_t i) const {
  ASSIGN_OR_RETURN(const MatrixSizes sizes, Matrix(i));
  if (sizes.rows == sizes.columns) return sizes;
  return InvalidArgument("operand ", i, " is ", ToString(operands_[i].shape()),
                         ", expected a square matrix");
}

absl::StatusOr<int64_t> LapackCall::Vector(int64_t i, ElementType type) const {
  const Shape& shape = operands_[i].shape();
  if (shape.rank() < 1 || shape.element_type() != type ||
      shape.dimensions().first(shape.rank() - 1) !=
          absl::MakeConstSpan(batch_dimensions_)) {
    return InvalidArgument("operand ", i, " is ", ToString(shape),
                           ", expected a vector of ", TextOf(type),
                           " in the same batch");
  }
  return shape.dimensions().back();
}

Shape LapackCall::BatchOf(ElementType type,
                          std::initializer_list<int64_t> dimensions) const {
  DimensionVector all = batch_dimensions_;
  all.insert(all.end(), dimensions.begin(), dimensions.end());
  return Shape::Array(type, all);
}

Shape LapackCall::DeclaredResult(int64_t i) const {
  const Shape& shape = instruction_->shape();
  if (!shape.IsTuple()) return i == 0 ? shape : Shape::Token();
  return i < shape.element_count() ? shape.element(i) : Shape::Token();
}

absl::Status LapackCall::SetResults(std::vector<Shape> expected) {
  const Shape shape =
      expected.size() == 1 ? expected[0] : Shape::Tuple(expected);
  if (!Compatible(shape, instruction_->shape())) {
    return InvalidArgument("the result is ",
                           ToString(instruction_->shape(), false),
                           ", the routine gives ", ToString(shape, false));
  }
  results_.clear();
  for (size_t i = 0; i < expected.size(); ++i) {
    const Shape declared = DeclaredResult(static_cast<int64_t>(i));
    if (!declared.IsArray()) {
      return InvalidArgument("result ", i, " is no array");
    }
    results_.emplace_back(declared);
  }
  return absl::OkStatus();
}

absl::Status LapackCall::CheckInfo(int64_t info) {
  if (info >= 0) return absl::OkStatus();
  return InvalidArgument("LAPACK refuses its argument ", -info);
}

absl::Status LapackCall::StoreInfo(int64_t info, int64_t batch) {
  RETURN_IF_ERROR(CheckInfo(info));
  results_.back().mutable_data<int32_t>()[batch] = static_cast<int32_t>(info);
  return absl::OkStatus();
}

void LapackCall::Refuse(int64_t batch) {
  for (Literal& result : results_) {
    const int64_t size = result.element_count() / batches_;
    FillWithNan(result, batch * size, size);
  }
  results_.back().mutable_data<int32_t>()[batch] = 1;
}

Literal LapackCall::TakeResult() && {
  if (!instruction_->shape().IsTuple()) return std::move(results_[0]);
  return Literal::Tuple(std::move(results_));
}

}  // namespace hilo::hlo
