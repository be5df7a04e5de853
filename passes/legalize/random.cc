// Expansions of random numbers into integer arithmetic on counters.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/legalize/legalize.h"
#include "passes/rewriter.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

constexpr ElementType kU32 = ElementType::kU32;
constexpr ElementType kU64 = ElementType::kU64;

// Integer arithmetic on arrays of one shape.
class Arithmetic {
 public:
  Arithmetic(Rewriter& rewriter, int64_t count)
      : rewriter_(rewriter), count_(count) {}

  int64_t count() const { return count_; }

  Instruction* Number(ElementType type, uint64_t value) {
    return rewriter_.Splat(rewriter_.IntegerScalar(type, value),
                           Shape::Array(type, {count_}));
  }
  Instruction* Spread(Instruction* scalar) {
    return rewriter_.Broadcast(scalar, {count_}, {});
  }
  Instruction* Binary(Opcode opcode, Instruction* lhs, Instruction* rhs) {
    return rewriter_.Binary(opcode, lhs, rhs);
  }
  Instruction* Add(Instruction* lhs, Instruction* rhs) {
    return Binary(Opcode::kAdd, lhs, rhs);
  }
  Instruction* Xor(Instruction* lhs, Instruction* rhs) {
    return Binary(Opcode::kXor, lhs, rhs);
  }
  Instruction* RotateLeft(Instruction* value, int bits) {
    return Binary(
        Opcode::kOr, Binary(Opcode::kShiftLeft, value, Number(kU32, bits)),
        Binary(Opcode::kShiftRightLogical, value, Number(kU32, 32 - bits)));
  }
  // The lower and the upper 32 bits of 64, of arrays or scalars.
  std::array<Instruction*, 2> Halves(Instruction* value) {
    Instruction* shift =
        rewriter_.Splat(rewriter_.IntegerScalar(kU64, 32), value->shape());
    return {rewriter_.Convert(value, kU32),
            rewriter_.Convert(Binary(Opcode::kShiftRightLogical, value, shift),
                              kU32)};
  }
  Instruction* Join(Instruction* low, Instruction* high) {
    return Binary(Opcode::kOr, rewriter_.Convert(low, kU64),
                  Binary(Opcode::kShiftLeft, rewriter_.Convert(high, kU64),
                         Number(kU64, 32)));
  }
  // first, first + 1, ...
  Instruction* CountFrom(Instruction* first) {
    return Add(Spread(first), rewriter_.Iota(Shape::Array(kU64, {count_}), 0));
  }

 private:
  Rewriter& rewriter_;
  int64_t count_;
};

// Threefry-2x32 with 20 rounds. Source: Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<Instruction*, 2> ThreeFry(std::array<Instruction*, 2> key,
                                     std::array<Instruction*, 2> counter,
                                     Arithmetic& math, Rewriter& rewriter) {
  constexpr std::array<std::array<int, 4>, 2> kRotations = {
      {{13, 15, 26, 6}, {17, 29, 16, 24}}};
  Instruction* parity = math.Xor(rewriter.IntegerScalar(kU32, 0x1BD11BDA),
                                 math.Xor(key[0], key[1]));
  const std::array<Instruction*, 3> keys = {
      math.Spread(key[0]), math.Spread(key[1]), math.Spread(parity)};
  Instruction* x0 = math.Add(counter[0], keys[0]);
  Instruction* x1 = math.Add(counter[1], keys[1]);
  for (int group = 1; group <= 5; ++group) {
    for (const int rotation : kRotations[(group - 1) % 2]) {
      x0 = math.Add(x0, x1);
      x1 = math.Xor(math.RotateLeft(x1, rotation), x0);
    }
    x0 = math.Add(x0, keys[group % 3]);
    x1 =
        math.Add(x1, math.Add(keys[(group + 1) % 3], math.Number(kU32, group)));
  }
  return {x0, x1};
}

// Philox-4x32 with 10 rounds. Source: the same.
std::array<Instruction*, 4> Philox(std::array<Instruction*, 2> key,
                                   std::array<Instruction*, 4> counter,
                                   Arithmetic& math, Rewriter& rewriter) {
  constexpr int kRounds = 10;
  Instruction* multiplier0 = math.Number(kU32, 0xD2511F53);
  Instruction* multiplier1 = math.Number(kU32, 0xCD9E8D57);
  for (int round = 0; round < kRounds; ++round) {
    Instruction* low0 = math.Binary(Opcode::kMultiply, counter[0], multiplier0);
    Instruction* high0 =
        math.Binary(Opcode::kMultiplyHigh, counter[0], multiplier0);
    Instruction* low1 = math.Binary(Opcode::kMultiply, counter[2], multiplier1);
    Instruction* high1 =
        math.Binary(Opcode::kMultiplyHigh, counter[2], multiplier1);
    counter = {math.Xor(math.Xor(high1, counter[1]), math.Spread(key[0])), low1,
               math.Xor(math.Xor(high0, counter[3]), math.Spread(key[1])),
               low0};
    key[0] = math.Add(key[0], rewriter.IntegerScalar(kU32, 0x9E3779B9));
    key[1] = math.Add(key[1], rewriter.IntegerScalar(kU32, 0xBB67AE85));
  }
  return counter;
}

// Words side by side, row by row, cut to `count`.
Instruction* Interleave(Rewriter::Operands words, int64_t count,
                        Rewriter& rewriter) {
  std::vector<Instruction*> columns;
  const int64_t rows = words[0]->shape().dimension(0);
  columns.reserve(words.size());
  for (Instruction* word : words) {
    columns.push_back(rewriter.Reshape(word, {rows, 1}));
  }
  const auto total = rows * static_cast<int64_t>(words.size());
  Instruction* all =
      rewriter.Reshape(rewriter.Concatenate(columns, 1), {total});
  if (total == count) return all;
  return rewriter.Slice(all, {{.start = 0, .limit = count, .stride = 1}});
}

Instruction* WordOf(Instruction* state, int64_t i, Rewriter& rewriter) {
  return rewriter.Reshape(
      rewriter.Slice(state, {{.start = i, .limit = i + 1, .stride = 1}}), {});
}

// A stream of 32- or 64-bit words and the counter behind it.
struct Stream {
  Instruction* words = nullptr;
  Instruction* low = nullptr;
  Instruction* high = nullptr;
};

// `count` words of Philox, from the 128-bit counter (low, high) on.
Stream PhiloxStream(Instruction* key, Instruction* low, Instruction* high,
                    int64_t count, bool is_wide, Rewriter& rewriter) {
  const int64_t per_block = is_wide ? 2 : 4;
  const int64_t blocks = (count + per_block - 1) / per_block;
  Arithmetic math(rewriter, blocks);
  Instruction* lows = math.CountFrom(low);
  Instruction* has_carried =
      rewriter.Compare(hlo::ComparisonDirection::kLt, lows, math.Spread(low));
  Instruction* highs =
      math.Add(math.Spread(high), rewriter.Convert(has_carried, kU64));
  const auto low_words = math.Halves(lows);
  const auto high_words = math.Halves(highs);
  const auto words =
      Philox(math.Halves(key),
             {low_words[0], low_words[1], high_words[0], high_words[1]}, math,
             rewriter);
  Stream stream;
  stream.words = is_wide ? Interleave({math.Join(words[0], words[1]),
                                       math.Join(words[2], words[3])},
                                      count, rewriter)
                         : Interleave(words, count, rewriter);
  stream.low = math.Add(low, rewriter.IntegerScalar(kU64, blocks));
  Instruction* has_wrapped =
      rewriter.Compare(hlo::ComparisonDirection::kLt, stream.low, low);
  stream.high = math.Add(high, rewriter.Convert(has_wrapped, kU64));
  return stream;
}

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
    const absl::Span<const int64_t> dimensions = shape.dimensions();
    dimension = std::ranges::max_element(dimensions) - dimensions.begin();
  }
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i < dimension) result.outer *= shape.dimension(i);
    if (i > dimension) result.inner *= shape.dimension(i);
  }
  result.split = shape.dimension(dimension);
  return result;
}

// Words for `shape`, with its sizes, and the counter behind them.
Stream ThreeFryStream(Instruction* key, Instruction* counter,
                      const Shape& shape, bool is_wide, Rewriter& rewriter) {
  const PairedShape pairs = PairAlong(shape);
  const int64_t half = (pairs.split + 1) / 2;
  const int64_t blocks =
      is_wide ? shape.ElementCount() : pairs.outer * half * pairs.inner;
  Arithmetic math(rewriter, blocks);
  const auto words = ThreeFry(
      math.Halves(key), math.Halves(math.CountFrom(counter)), math, rewriter);
  Stream stream;
  stream.low = math.Add(counter, rewriter.IntegerScalar(kU64, blocks));
  if (is_wide) {
    stream.words =
        rewriter.Reshape(math.Join(words[0], words[1]), shape.dimensions());
    return stream;
  }
  const DimensionVector one = {pairs.outer, half, 1, pairs.inner};
  Instruction* joined = rewriter.Concatenate(
      {rewriter.Reshape(words[0], one), rewriter.Reshape(words[1], one)}, 2);
  joined = rewriter.Reshape(joined, {pairs.outer, 2 * half, pairs.inner});
  if (2 * half != pairs.split) {
    joined = rewriter.Slice(joined, {{.start = 0, .limit = pairs.outer},
                                     {.start = 0, .limit = pairs.split},
                                     {.start = 0, .limit = pairs.inner}});
  }
  stream.words = rewriter.Reshape(joined, shape.dimensions());
  return stream;
}

// [0, 1) from the upper bits of 32- or 64-bit words.
Instruction* ToUnitInterval(Instruction* words, ElementType type,
                            Rewriter& rewriter) {
  const int significand = type == ElementType::kF64 ? 53 : 24;
  const ElementType word_type = words->shape().element_type();
  const int dropped = hlo::InfoOf(word_type).bits - significand;
  Instruction* kept =
      rewriter.Binary(Opcode::kShiftRightLogical, words,
                      rewriter.Splat(rewriter.IntegerScalar(word_type, dropped),
                                     words->shape()));
  return rewriter.Binary(
      Opcode::kMultiply, rewriter.Convert(kept, type),
      rewriter.Splat(rewriter.Scalar(type, std::ldexp(1.0, -significand)),
                     words->shape()));
}

// `count` words of a stream that goes on from one call to the next.
Instruction* FreshWords(int64_t count, bool is_wide, Rewriter& rewriter) {
  const int64_t per_block = is_wide ? 2 : 4;
  const int64_t blocks = (count + per_block - 1) / per_block;
  Instruction* state =
      rewriter.Add(Opcode::kRngGetAndUpdateState, Shape::Array(kU64, {2}), {},
                   {With::delta(blocks)});
  // Any key serves; the counter makes numbers differ.
  Instruction* key = rewriter.IntegerScalar(kU64, 0x243F6A8885A308D3);
  return PhiloxStream(key, WordOf(state, 0, rewriter),
                      WordOf(state, 1, rewriter), count, is_wide, rewriter)
      .words;
}

// low + u * (high - low), kept below `high`, which rounding may reach.
Instruction* UniformFloats(Instruction& rng, ElementType type,
                           Rewriter& rewriter) {
  const int64_t count = rng.shape().ElementCount();
  Instruction* unit = ToUnitInterval(
      FreshWords(count, type == ElementType::kF64, rewriter), type, rewriter);
  Instruction* low = rewriter.Convert(rng.operand(0), type);
  Instruction* high = rewriter.Convert(rng.operand(1), type);
  Instruction* span = rewriter.Binary(Opcode::kSubtract, high, low);
  Instruction* scaled = rewriter.Binary(Opcode::kMultiply, unit,
                                        rewriter.Splat(span, unit->shape()));
  Instruction* value = rewriter.Convert(
      rewriter.Binary(Opcode::kAdd, scaled, rewriter.Splat(low, unit->shape())),
      rng.shape().element_type());
  const Shape& shape = value->shape();
  Instruction* is_below =
      rewriter.Compare(hlo::ComparisonDirection::kLt, value,
                       rewriter.Splat(rng.operand(1), shape));
  return rewriter.Select(is_below, value,
                         rewriter.Splat(rng.operand(0), shape));
}

// low + word mod (high - low); `low` where the interval is empty.
Instruction* UniformIntegers(Instruction& rng, Rewriter& rewriter) {
  Instruction* words =
      FreshWords(rng.shape().ElementCount(), /*is_wide=*/true, rewriter);
  const ElementType type = rng.shape().element_type();
  Instruction* low = rng.operand(0);
  Instruction* high = rng.operand(1);
  // Through s64, so that small differences of signed bounds stay small.
  const auto widen = [&](Instruction* x) {
    return rewriter.Convert(rewriter.Convert(x, ElementType::kS64), kU64);
  };
  Instruction* span =
      rewriter.Binary(Opcode::kSubtract, widen(high), widen(low));
  Instruction* is_empty =
      rewriter.Compare(hlo::ComparisonDirection::kLe, high, low);
  span = rewriter.Select(is_empty, rewriter.IntegerScalar(kU64, 1), span);
  Instruction* offset = rewriter.Binary(Opcode::kRemainder, words,
                                        rewriter.Splat(span, words->shape()));
  Instruction* sum = rewriter.Binary(
      Opcode::kAdd, rewriter.Splat(widen(low), words->shape()), offset);
  return rewriter.Convert(sum, type);
}

// Box and Muller's.
Instruction* NormalFloats(Instruction& rng, ElementType type,
                          Rewriter& rewriter) {
  const int64_t count = rng.shape().ElementCount();
  const bool is_wide = type == ElementType::kF64;
  Instruction* words = FreshWords(2 * count, is_wide, rewriter);
  const auto half = [&](int64_t first) {
    Instruction* part = rewriter.Slice(
        words, {{.start = first, .limit = first + count, .stride = 1}});
    return ToUnitInterval(part, type, rewriter);
  };
  Instruction* first = half(0);
  const Shape shape = first->shape();
  const auto number = [&](double value) {
    return rewriter.Splat(rewriter.Scalar(type, value), shape);
  };
  Instruction* radius = rewriter.Unary(
      Opcode::kSqrt,
      rewriter.Binary(Opcode::kMultiply, number(-2),
                      rewriter.Unary(Opcode::kLogPlusOne,
                                     rewriter.Unary(Opcode::kNegate, first))));
  Instruction* angle = rewriter.Binary(
      Opcode::kMultiply, number(2 * std::numbers::pi), half(count));
  Instruction* normal = rewriter.Binary(Opcode::kMultiply, radius,
                                        rewriter.Unary(Opcode::kCosine, angle));
  const auto parameter = [&](int64_t i) {
    return rewriter.Splat(rewriter.Convert(rng.operand(i), type), shape);
  };
  Instruction* scaled =
      rewriter.Binary(Opcode::kMultiply, normal, parameter(1));
  return rewriter.Convert(rewriter.Binary(Opcode::kAdd, scaled, parameter(0)),
                          rng.shape().element_type());
}

}  // namespace

absl::StatusOr<Instruction*> ExpandRng(Instruction& instruction,
                                       Rewriter& rewriter) {
  const Shape& shape = instruction.shape();
  const ElementType type = shape.element_type();
  const bool is_uniform =
      instruction.distribution() == hlo::RandomDistribution::kUniform;
  if (shape.IsDynamic() || instruction.operand_count() != 2) {
    return Unimplemented("a result of shape ", ToString(shape, false));
  }
  const ElementType float_type =
      type == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
  Instruction* values = nullptr;
  if (hlo::IsFloat(type)) {
    values = is_uniform ? UniformFloats(instruction, float_type, rewriter)
                        : NormalFloats(instruction, float_type, rewriter);
  } else if (hlo::IsInteger(type) && is_uniform) {
    values = UniformIntegers(instruction, rewriter);
  } else {
    return Unimplemented("random ", hlo::TextOf(type), " of this distribution");
  }
  return rewriter.Reshape(values, shape.dimensions());
}

absl::StatusOr<Instruction*> ExpandRngBitGenerator(Instruction& instruction,
                                                   Rewriter& rewriter) {
  Instruction* state = instruction.operand(0);
  const Shape& shape = instruction.shape().element(1);
  const bool is_three_fry =
      instruction.random_algorithm() == hlo::RandomAlgorithm::kThreeFry;
  const Shape& state_shape = state->shape();
  const bool is_known = state_shape.element_type() == kU64 &&
                        state_shape.rank() == 1 &&
                        (state_shape.dimension(0) == 2 ||
                         (state_shape.dimension(0) == 3 && !is_three_fry));
  if (!is_known || !hlo::IsInteger(shape.element_type()) || shape.IsDynamic()) {
    return Unimplemented("a state of ", ToString(state_shape), " and bits of ",
                         ToString(shape));
  }
  const bool is_wide = hlo::InfoOf(shape.element_type()).bits == 64;
  Instruction* key = WordOf(state, 0, rewriter);
  Instruction* low = WordOf(state, 1, rewriter);
  const bool has_high = state_shape.dimension(0) == 3;
  Instruction* high = has_high ? WordOf(state, 2, rewriter) : key;
  Stream stream = is_three_fry
                      ? ThreeFryStream(key, low, shape, is_wide, rewriter)
                      : PhiloxStream(key, low, high, shape.ElementCount(),
                                     is_wide, rewriter);
  std::vector<Instruction*> next = {rewriter.Reshape(key, {1}),
                                    rewriter.Reshape(stream.low, {1})};
  if (has_high) next.push_back(rewriter.Reshape(stream.high, {1}));
  Instruction* bits = rewriter.Convert(
      rewriter.Reshape(stream.words, shape.dimensions()), shape.element_type());
  return rewriter.Tuple({rewriter.Concatenate(next, 0), bits});
}

}  // namespace hilo::passes
