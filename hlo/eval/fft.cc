// Evaluates fft.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/fourier_transform.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/linear_algebra.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

using Complex = FourierTransform::Complex;

// The transforms of one block: what lies within the transformed dimensions.
class BlockTransform {
 public:
  explicit BlockTransform(absl::Span<const int64_t> lengths);

  // Transforms all dimensions, in place.
  void Run(bool inverse, Complex* block);
  // The same for a block whose last dimension holds only the first half of a
  // Hermitian one, [..., n / 2 + 1]; the result is [..., n].
  void RunHalfInverse(const Complex* half, Complex* block);

  int64_t size() const { return size_; }

 private:
  void RunDimension(size_t dimension, int64_t last_size, bool inverse,
                    Complex* block);

  std::vector<int64_t> lengths_;
  int64_t size_ = 1;
  std::vector<std::unique_ptr<FourierTransform>> transforms_;
  std::vector<Complex> line_;
  std::vector<Complex> half_;
};

BlockTransform::BlockTransform(absl::Span<const int64_t> lengths)
    : lengths_(lengths.begin(), lengths.end()) {
  for (const int64_t length : lengths) {
    size_ *= length;
    transforms_.push_back(std::make_unique<FourierTransform>(length));
    line_.resize(std::max<size_t>(line_.size(), length));
  }
}

// Transforms each line along one dimension of a block whose last dimension
// has `last_size` elements.
void BlockTransform::RunDimension(size_t dimension, int64_t last_size,
                                  bool inverse, Complex* block) {
  const bool is_last = dimension + 1 == lengths_.size();
  const int64_t length = is_last ? last_size : lengths_[dimension];
  int64_t stride = is_last ? 1 : last_size;
  for (size_t i = dimension + 1; i + 1 < lengths_.size(); ++i) {
    stride *= lengths_[i];
  }
  int64_t outer = 1;
  for (size_t i = 0; i < dimension; ++i) outer *= lengths_[i];
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t j = 0; j < stride; ++j) {
      Complex* first = block + i * length * stride + j;
      for (int64_t k = 0; k < length; ++k) line_[k] = first[k * stride];
      transforms_[dimension]->Run(inverse, line_.data());
      for (int64_t k = 0; k < length; ++k) first[k * stride] = line_[k];
    }
  }
}

void BlockTransform::Run(bool inverse, Complex* block) {
  for (size_t i = lengths_.size(); i > 0; --i) {
    RunDimension(i - 1, lengths_.back(), inverse, block);
  }
}

void BlockTransform::RunHalfInverse(const Complex* half, Complex* block) {
  const int64_t length = lengths_.back();
  const int64_t half_length = length / 2 + 1;
  const int64_t lines = size_ / length;
  half_.assign(half, half + lines * half_length);
  for (size_t i = 0; i + 1 < lengths_.size(); ++i) {
    RunDimension(i, half_length, /*inverse=*/true, half_.data());
  }
  for (int64_t i = 0; i < lines; ++i) {
    const Complex* source = half_.data() + i * half_length;
    Complex* line = block + i * length;
    line[0] = source[0].real();
    for (int64_t k = 1; k < half_length; ++k) {
      line[length - k] = std::conj(source[k]);
      line[k] = source[k];
    }
    if (length % 2 == 0) line[length / 2] = source[length / 2].real();
    transforms_.back()->Run(/*inverse=*/true, line);
  }
}

// Elements of one block of an array whose last dimension may be halved.
int64_t BlockSize(const Shape& shape, size_t transformed) {
  int64_t size = 1;
  for (size_t i = 0; i < transformed; ++i) {
    size *= shape.dimension(shape.rank() - 1 - static_cast<int64_t>(i));
  }
  return size;
}

// Keeps the first `kept` of each `length` elements.
void KeepHalf(int64_t length, int64_t kept, std::vector<Complex>& block) {
  const int64_t lines = static_cast<int64_t>(block.size()) / length;
  for (int64_t i = 0; i < lines; ++i) {
    std::copy_n(block.begin() + i * length, kept, block.begin() + i * kept);
  }
}

void TransformBlocks(FftType type, const Literal& operand,
                     BlockTransform& transform, Literal& result,
                     size_t transformed) {
  const int64_t operand_size = BlockSize(operand.shape(), transformed);
  const int64_t result_size = BlockSize(result.shape(), transformed);
  const int64_t blocks = result.element_count() / result_size;
  const bool inverse = type == FftType::kIfft || type == FftType::kIrfft;
  const auto total = static_cast<double>(transform.size());
  std::vector<Complex> source(operand_size);
  std::vector<Complex> block;
  for (int64_t i = 0; i < blocks; ++i) {
    LoadElements(operand, i * operand_size, absl::MakeSpan(source));
    if (type == FftType::kIrfft) {
      block.resize(transform.size());
      transform.RunHalfInverse(source.data(), block.data());
    } else {
      block = source;
      transform.Run(inverse, block.data());
    }
    if (inverse) {
      for (Complex& value : block) value /= total;
    }
    if (type == FftType::kRfft) {
      KeepHalf(operand.shape().dimensions().back(),
               result.shape().dimensions().back(), block);
    }
    StoreElements(absl::MakeConstSpan(block).first(result_size),
                  i * result_size, result);
  }
}

}  // namespace

absl::StatusOr<Literal> EvaluateFft(const Instruction& instruction,
                                    absl::Span<Literal> operands,
                                    EvaluationContext& context) {
  Literal result(instruction.shape());
  const absl::Span<const int64_t> lengths = instruction.fft_length();
  if (result.element_count() == 0 || operands[0].element_count() == 0) {
    return result;
  }
  int64_t bytes = 0;
  int64_t size = 1;
  for (const int64_t length : lengths) {
    bytes += FourierTransform::ScratchBytes(length);
    size *= length;
  }
  constexpr int64_t kBlocksHeld = 3;
  bytes += kBlocksHeld * size * static_cast<int64_t>(sizeof(Complex));
  RETURN_IF_ERROR(context.CheckMemory(instruction, bytes));
  BlockTransform transform(lengths);
  TransformBlocks(instruction.fft_type(), operands[0], transform, result,
                  lengths.size());
  return result;
}

}  // namespace hilo::hlo
