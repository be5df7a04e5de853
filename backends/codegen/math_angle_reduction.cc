// Reduction of doubles, however large, by multiples of pi/2.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

#include "backends/codegen/lanes.h"
#include "backends/codegen/math_pieces.h"
#include "backends/codegen/math_trigonometric.h"

namespace hilo::backends {
namespace {

// pi/2 = kHalfPi[0] + kHalfPi[1] + kHalfPi[2].
constexpr std::array<double, 3> kHalfPi = {
    0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
// Below it, subtracting multiples of pi/2 in three pieces is precise.
constexpr double kHuge = 0x1p+21;

// floor(2/pi * 2^1216), the lowest word first, with two words of zeros on top.
constexpr std::array<uint64_t, 21> kTwoOverPi = {0x56033046fc7b6bab,
                                                 0x6bfb5fb11f8d5d08,
                                                 0x3d0739f78a5292ea,
                                                 0x7527bac7ebe5f17b,
                                                 0x4f463f669e5fea2d,
                                                 0x6d367ecf27cb09b7,
                                                 0xef2f118b5a0a6d1f,
                                                 0x1ff897ffde05980f,
                                                 0x9c845f8bbdf9283b,
                                                 0x3991d639835339f4,
                                                 0xe99c7026b45f7e41,
                                                 0xe88235f52ebb4484,
                                                 0xfe1deb1cb129a73e,
                                                 0x06492eea09d1921c,
                                                 0xb7246e3a424dd2e0,
                                                 0xfe5163abdebbc561,
                                                 0xdb6295993c439041,
                                                 0xfc2757d1f534ddc0,
                                                 0xa2f9836e4e441529,
                                                 0,
                                                 0};
constexpr int kFractionBits = 1216;

llvm::GlobalVariable* TwoOverPi(llvm::Module& module) {
  constexpr const char* kName = "hilo.two_over_pi";
  if (auto* table = module.getGlobalVariable(kName, true)) return table;
  llvm::Constant* words =
      llvm::ConstantDataArray::get(module.getContext(), kTwoOverPi);
  return new llvm::GlobalVariable(module, words->getType(), true,
                                  llvm::GlobalValue::InternalLinkage, words,
                                  kName);
}

// A 64-bit word at a bit position of the table: (high : low) >> shift.
Lanes WordAt(const Lanes& index, const Lanes& shift, int offset) {
  llvm::IRBuilderBase& builder = index.builder();
  llvm::GlobalVariable* table =
      TwoOverPi(*builder.GetInsertBlock()->getModule());
  const auto load = [&](int word) {
    llvm::Value* pointer =
        builder.CreateGEP(builder.getInt64Ty(), table, (index + word).value());
    return builder.CreateLoad(builder.getInt64Ty(), pointer);
  };
  llvm::Value* low = load(offset);
  llvm::Value* high = load(offset + 1);
  return {builder,
          builder.CreateIntrinsic(llvm::Intrinsic::fshr, {builder.getInt64Ty()},
                                  {high, low, shift.value()})};
}

// The quadrant and the signed fraction of a quadrant, as an integer of 128
// bits: x * 2/pi modulo 4, for a scalar x >= kHuge / 2.
//
// x is m * 2^e. Bits of 2/pi whose product with x is a multiple of 4 are not
// needed, those below the next 192 do not count.
// Source: M. Payne and R. Hanek, Radian reduction for trigonometric functions,
// ACM SIGNUM Newsletter 18(1), 1983.
struct Quadrants {
  Lanes quadrant;
  Lanes fraction;
};
Quadrants MultiplyByTwoOverPi(const Lanes& x) {
  const Lanes bits = BitsOf(x);
  const Lanes mantissa =
      (bits & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  const Lanes exponent = (bits >> 52) - 1075;
  // The table's bit of weight 2^-i is its bit kFractionBits - i.
  const Lanes position = (kFractionBits - 190) - exponent;
  const Lanes index = position >> 6;
  const Lanes shift = position & 63;
  const Lanes wide_mantissa = ResizeUnsigned(mantissa, 128);
  const auto product = [&](int word) {
    return wide_mantissa * ResizeUnsigned(WordAt(index, shift, word), 128);
  };
  const Lanes low = product(0) >> 64;
  const Lanes middle = product(1) + low;
  const Lanes high = (product(2) << 64) + middle;
  const Lanes fraction = high << 2;
  const Lanes is_upper_half = ResizeUnsigned(fraction >> 127, 64);
  const Lanes quadrant = ResizeUnsigned(high >> 126, 64) + is_upper_half;
  return {quadrant, fraction};
}

// fraction / 2^128 * pi/2 in two doubles, for a signed fraction that is not 0.
DoubledLanes AngleOf(const Lanes& fraction) {
  llvm::IRBuilderBase& builder = fraction.builder();
  const Lanes negative = ShiftArithmetic(fraction, fraction.Constant(127));
  const Lanes magnitude = ((fraction ^ negative) - negative) | 1;
  const Lanes zeros(builder, builder.CreateBinaryIntrinsic(
                                 llvm::Intrinsic::ctlz, magnitude.value(),
                                 builder.getTrue()));
  const Lanes normal = magnitude << zeros;
  const Lanes upper = ResizeUnsigned(normal >> 75, 64);
  const Lanes lower =
      ResizeUnsigned(normal >> 22, 64) & ((uint64_t{1} << 53) - 1);
  const Lanes scale = FloatOfBits((1023 - ResizeUnsigned(zeros, 64)) << 52);
  const Lanes signed_scale = Select(negative != 0, -scale, scale);
  const Lanes first = SignedToFloat(upper, true) * 0x1p-53 * signed_scale;
  const Lanes second = SignedToFloat(lower, true) * 0x1p-106 * signed_scale;
  const DoubledLanes product = ExactProduct(first, first.Constant(kHalfPi[0]));
  const Lanes low =
      Fma(second, kHalfPi[0], Fma(first, kHalfPi[1], product.low));
  return ExactSum(product.high, low);
}

// quadrant, high and low of a scalar x >= kHuge; anything for others.
std::vector<Lanes> ReduceHuge(const Lanes& x) {
  return CallOutlined(
      "reduce_huge_angle", {&x, 1}, [](absl::Span<const Lanes> arguments) {
        // Keeps the table index in range.
        const Lanes bounded =
            LargerOrSecond(arguments[0], arguments[0].Constant(kHuge));
        const Quadrants quadrants = MultiplyByTwoOverPi(bounded);
        const DoubledLanes angle = AngleOf(quadrants.fraction);
        return std::vector<Lanes>{quadrants.quadrant, angle.high, angle.low};
      });
}

// For x < kHuge: x - n pi/2 with the first piece's product exact, then in two
// doubles.
std::vector<Lanes> ReduceModerate(const Lanes& x) {
  constexpr double kTwoOverPiRounded = 0x1.45f306dc9c883p-1;
  const double rounding = RoundingNumber(x);
  const Lanes sum = Fma(x, kTwoOverPiRounded, rounding);
  const Lanes count = sum - rounding;
  const Lanes first = Fma(count, -kHalfPi[0], x);
  const DoubledLanes product = ExactProduct(count, x.Constant(kHalfPi[1]));
  const DoubledLanes rest = ExactSumOfAny(first, -product.high);
  const Lanes low = Fma(count, -kHalfPi[2], rest.low - product.low);
  const DoubledLanes result = ExactSum(rest.high, low);
  return {BitsOf(sum), result.high, result.low};
}

Lanes Lane(const Lanes& x, unsigned lane) {
  if (x.count() == 1) return x;
  return {x.builder(), x.builder().CreateExtractElement(
                           x.value(), static_cast<uint64_t>(lane))};
}

// What ReduceHuge says, lane by lane.
std::vector<Lanes> ReplaceHuge(const Lanes& x,
                               const std::vector<Lanes>& moderate) {
  llvm::IRBuilderBase& builder = x.builder();
  std::vector<Lanes> results = moderate;
  for (unsigned lane = 0; lane < x.count(); ++lane) {
    const std::vector<Lanes> huge = ReduceHuge(Lane(x, lane));
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] = x.count() == 1
                       ? huge[i]
                       : Lanes(builder, builder.CreateInsertElement(
                                            results[i].value(), huge[i].value(),
                                            static_cast<uint64_t>(lane)));
    }
  }
  return results;
}

std::vector<Lanes> EmitReduction(const Lanes& x) {
  const std::vector<Lanes> moderate = ReduceModerate(x);
  return WithSlowPath(x >= kHuge, moderate,
                      [&] { return ReplaceHuge(x, moderate); });
}

}  // namespace

ReducedAngle ReduceAngle(const Lanes& x) {
  const Lanes magnitude = Abs(x);
  const std::vector<Lanes> reduced = CallOutlined(
      "reduce_angle", {&magnitude, 1}, [](absl::Span<const Lanes> arguments) {
        return EmitReduction(arguments[0]);
      });
  const Lanes high = Select(magnitude < kInfinity, reduced[1], kNotANumber);
  return {reduced[0], high, reduced[2]};
}

}  // namespace hilo::backends
