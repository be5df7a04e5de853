// Evaluates the random number opcodes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/random_bits.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

constexpr std::array<uint32_t, 2> Halves(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}
constexpr uint64_t Joined(uint32_t low, uint32_t high) {
  return low | uint64_t{high} << 32;
}

// Writes integers of any width: the low bits of what is given.
class BitsWriter {
 public:
  explicit BitsWriter(Literal* bits)
      : type_(bits->shape().element_type()),
        data_(bits->mutable_untyped_data()),
        count_(bits->element_count()) {}

  int64_t count() const { return count_; }
  // Whether elements take 64 random bits rather than 32.
  bool is_wide() const { return InfoOf(type_).bits == 64; }

  void Write(int64_t index, uint64_t bits) {
    DispatchElementType(type_, [&](auto tag) {
      using T = decltype(tag)::type;
      if constexpr (NumericTraits<T>::is_integer) {
        reinterpret_cast<T*>(data_)[index] = ConvertElement<T>(bits);
      }
    });
  }

 private:
  ElementType type_;
  std::byte* data_;
  int64_t count_;
};

// How 32-bit results of Threefry are laid out: pairs of words lie next to each
// other along one dimension.
struct PairedShape {
  int64_t outer = 1;
  int64_t split = 1;
  int64_t inner = 1;
};

// Splits the first dimension of even size, else the first largest one.
PairedShape PairAlong(const Shape& shape) {
  PairedShape result;
  if (shape.rank() == 0) return result;
  int64_t dimension = -1;
  for (int64_t i = 0; i < shape.rank() && dimension < 0; ++i) {
    if (shape.dimension(i) % 2 == 0) dimension = i;
  }
  if (dimension < 0) {
    const auto* const largest =
        std::max_element(shape.dimensions().begin(), shape.dimensions().end());
    dimension = largest - shape.dimensions().begin();
  }
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i < dimension) result.outer *= shape.dimension(i);
    if (i > dimension) result.inner *= shape.dimension(i);
  }
  result.split = shape.dimension(dimension);
  return result;
}

// Fills `bits` and advances the counter state[1].
void FillThreeFry(absl::Span<uint64_t> state, Literal* bits) {
  const std::array<uint32_t, 2> key = Halves(state[0]);
  BitsWriter writer(bits);
  if (writer.is_wide()) {
    for (int64_t i = 0; i < writer.count(); ++i) {
      const auto words = ThreeFryBlock(key, Halves(state[1] + i));
      writer.Write(i, Joined(words[0], words[1]));
    }
    state[1] += writer.count();
    return;
  }
  const PairedShape shape = PairAlong(bits->shape());
  uint64_t counter = state[1];
  for (int64_t outer = 0; outer < shape.outer; ++outer) {
    for (int64_t j = 0; j < shape.split; j += 2) {
      const int64_t first = (outer * shape.split + j) * shape.inner;
      for (int64_t inner = 0; inner < shape.inner; ++inner) {
        const auto words = ThreeFryBlock(key, Halves(counter++));
        writer.Write(first + inner, words[0]);
        if (j + 1 == shape.split) continue;
        writer.Write(first + inner + shape.inner, words[1]);
      }
    }
  }
  state[1] = counter;
}

// Fills `bits` and advances the 128-bit counter: its low word is state[1], its
// high word state[2], or in the short form the key itself.
void FillPhilox(absl::Span<uint64_t> state, Literal* bits) {
  const std::array<uint32_t, 2> key = Halves(state[0]);
  uint64_t low = state[1];
  uint64_t high = state.size() == 3 ? state[2] : state[0];
  BitsWriter writer(bits);
  const int64_t per_block = writer.is_wide() ? 2 : 4;
  for (int64_t first = 0; first < writer.count(); first += per_block) {
    const auto words = PhiloxBlock(key, {Halves(low)[0], Halves(low)[1],
                                         Halves(high)[0], Halves(high)[1]});
    const int64_t count = std::min(per_block, writer.count() - first);
    for (int64_t i = 0; i < count; ++i) {
      writer.Write(first + i, writer.is_wide()
                                  ? Joined(words[2 * i], words[2 * i + 1])
                                  : words[i]);
    }
    if (++low == 0) ++high;
  }
  state[1] = low;
  if (state.size() == 3) state[2] = high;
}

absl::Status CheckBitGenerator(const Instruction& instruction,
                               const Literal& state) {
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple() || shape.element_count() != 2 ||
      !Compatible(shape.element(0), state.shape()) ||
      !IsInteger(shape.element(1).element_type())) {
    return InvalidArgument("the result ", ToString(shape),
                           " is not (state, integers)");
  }
  const bool is_three_fry =
      instruction.random_algorithm() == RandomAlgorithm::kThreeFry;
  const Shape& state_shape = state.shape();
  if (state_shape.element_type() == ElementType::kU64 &&
      state_shape.rank() == 1 &&
      (state_shape.dimension(0) == 2 ||
       (state_shape.dimension(0) == 3 && !is_three_fry))) {
    return absl::OkStatus();
  }
  return Unimplemented("a state of ", ToString(state_shape), " instead of ",
                       is_three_fry ? "u64[2]" : "u64[2] or u64[3]");
}

// In [0, 1), with as many bits as a double holds.
double UniformDouble(EvaluationContext& context) {
  return static_cast<double>(context.NextRandom() >> 11) * 0x1p-53;
}

template <typename T>
T UniformFloat(T low, T high, EvaluationContext& context) {
  constexpr int kAttempts = 64;
  const auto from = static_cast<double>(low);
  const auto to = static_cast<double>(high);
  // Rounding may reach the upper end, which does not belong to the interval.
  for (int i = 0; i < kAttempts; ++i) {
    const T value =
        ConvertElement<T>(from + UniformDouble(context) * (to - from));
    if (static_cast<double>(value) < to) return value;
  }
  return low;
}

template <typename T>
T UniformInteger(T low, T high, EvaluationContext& context) {
  const auto from = ConvertElement<int64_t>(low);
  const uint64_t count = static_cast<uint64_t>(ConvertElement<int64_t>(high)) -
                         static_cast<uint64_t>(from);
  const uint64_t random = context.NextRandom();
  if (count == 0 || high < low) return low;
  return ConvertElement<T>(static_cast<uint64_t>(from) + random % count);
}

// Box-Muller.
template <typename T>
T Normal(T mean, T deviation, EvaluationContext& context) {
  const double radius = std::sqrt(-2 * std::log(1 - UniformDouble(context)));
  const double angle = 2 * std::numbers::pi * UniformDouble(context);
  return ConvertElement<T>(static_cast<double>(mean) +
                           static_cast<double>(deviation) * radius *
                               std::cos(angle));
}

template <typename T>
absl::Status FillRandom(RandomDistribution distribution,
                        absl::Span<const Literal> operands,
                        EvaluationContext& context, Literal* result) {
  const T a = operands[0].data<T>()[0];
  const T b = operands[1].data<T>()[0];
  const bool is_uniform = distribution == RandomDistribution::kUniform;
  for (T& element : result->mutable_data<T>()) {
    if constexpr (NumericTraits<T>::is_float) {
      element =
          is_uniform ? UniformFloat(a, b, context) : Normal(a, b, context);
    } else if constexpr (NumericTraits<T>::is_integer) {
      if (!is_uniform) return Unimplemented("normal distribution of integers");
      element = UniformInteger(a, b, context);
    } else {
      return Unimplemented("random ", kNumericName<T>);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> EvaluateRng(const Instruction& instruction,
                                    absl::Span<Literal> operands,
                                    EvaluationContext& context) {
  const Shape& shape = instruction.shape();
  const Shape scalar = Shape::Scalar(shape.element_type());
  if (!shape.IsArray() || operands.size() != 2 ||
      !Compatible(operands[0].shape(), scalar) ||
      !Compatible(operands[1].shape(), scalar)) {
    return InvalidArgument("needs two scalars of the result's element type");
  }
  Literal result(shape);
  RETURN_IF_ERROR(DispatchElementType(shape.element_type(), [&](auto tag) {
    return FillRandom<typename decltype(tag)::type>(instruction.distribution(),
                                                    operands, context, &result);
  }));
  return result;
}

absl::StatusOr<Literal> EvaluateRngBitGenerator(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  RETURN_IF_ERROR(CheckBitGenerator(instruction, operands[0]));
  Literal state = std::move(operands[0]);
  Literal bits(instruction.shape().element(1));
  const absl::Span<uint64_t> words = state.mutable_data<uint64_t>();
  switch (instruction.random_algorithm()) {
    case RandomAlgorithm::kThreeFry:
      FillThreeFry(words, &bits);
      break;
    case RandomAlgorithm::kDefault:
    case RandomAlgorithm::kPhilox:
      FillPhilox(words, &bits);
      break;
  }
  return Literal::Tuple({std::move(state), std::move(bits)});
}

absl::StatusOr<Literal> EvaluateRngGetAndUpdateState(
    const Instruction& instruction, absl::Span<Literal> /*operands*/,
    EvaluationContext& context) {
  const Shape& shape = instruction.shape();
  if (!Compatible(shape, Shape::Array(ElementType::kU64, {2}))) {
    return InvalidArgument("the result is ", ToString(shape),
                           " instead of u64[2]");
  }
  Literal result(shape);
  uint64_t* state = context.RandomState(instruction);
  const absl::Span<uint64_t> words = result.mutable_data<uint64_t>();
  words[0] = state[0];
  words[1] = state[1];
  const auto delta = static_cast<uint64_t>(instruction.delta());
  state[0] += delta;
  if (state[0] < delta) ++state[1];
  if (instruction.delta() < 0) --state[1];
  return result;
}

}  // namespace hilo::hlo
