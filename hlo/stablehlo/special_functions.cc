// Gamma, error and Bessel functions.
//
// Sources of the approximations: Lanczos, A precision approximation of the
// gamma function, 1964, with g = 7; Giles, Approximating the erfinv function,
// 2012; Moshier, Cephes mathematical library (erfc, i1e).
#include "hlo/stablehlo/special_functions.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/element_math.h"

namespace hilo::stablehlo {
namespace {

using hlo::ComparisonDirection;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A Chebyshev series, the highest term first.
Term Chebyshev(Term x, absl::Span<const double> coefficients) {
  Term b0 = x.math()->Number(coefficients[0]);
  Term b1 = x.math()->Number(0);
  Term b2 = b1;
  for (size_t i = 1; i < coefficients.size(); ++i) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + coefficients[i];
  }
  return (b0 - b2) * 0.5;
}

constexpr double kLanczosG = 7;
constexpr double kLanczosBase = 0.99999999999980993227684700473478;
constexpr std::array kLanczos = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

}  // namespace

// Reflected below 1/2.
Term LogGamma(Term x) {
  const Term is_reflected = x < 0.5;
  const Term z = Select(is_reflected, -x, x - 1.0);
  Term sum = x.math()->Number(kLanczosBase);
  for (size_t i = 0; i < kLanczos.size(); ++i) {
    sum = sum + kLanczos[i] / (z + static_cast<double>(i + 1));
  }
  const double shift = kLanczosG + 0.5;
  const Term t = z + shift;
  const Term log_t = Log1p(z / shift) + std::log(shift);
  const Term log_gamma = (z + 0.5 - t / log_t) * log_t + Log(sum) +
                         0.5 * std::log(2 * std::numbers::pi);
  const Term magnitude = Abs(x);
  const Term fraction = magnitude - Floor(magnitude);
  const Term reduced = Select(fraction <= 0.5, fraction, 1.0 - fraction);
  const Term denominator = Log(Sin(reduced * std::numbers::pi));
  const Term reflected = Select(
      IsFinite(denominator),
      std::log(std::numbers::pi) - denominator - log_gamma, -denominator);
  const Term result = Select(is_reflected, reflected, log_gamma);
  return Select(magnitude == x.math()->Number(kInfinity),
                x.math()->Number(kInfinity), result);
}

Term Digamma(Term x) {
  const Term is_reflected = x < 0.5;
  const Term z = Select(is_reflected, -x, x - 1.0);
  Term numerator = x.math()->Number(0);
  Term denominator = x.math()->Number(kLanczosBase);
  for (size_t i = 0; i < kLanczos.size(); ++i) {
    const Term place = z + static_cast<double>(i + 1);
    numerator = numerator - kLanczos[i] / (place * place);
    denominator = denominator + kLanczos[i] / place;
  }
  const double shift = kLanczosG + 0.5;
  const Term t = z + shift;
  const Term log_t = Log1p(z / shift) + std::log(shift);
  const Term y = log_t + numerator / denominator - kLanczosG / t;
  const Term angle = (x + Abs(Floor(x + 0.5))) * std::numbers::pi;
  const Term reflected = y - Cos(angle) * std::numbers::pi / Sin(angle);
  const Term result = Select(is_reflected, reflected, y);
  const Term is_pole = x.math()->And(x <= 0.0, x == Floor(x));
  return Select(is_pole,
                x.math()->Number(std::numeric_limits<double>::quiet_NaN()),
                result);
}

namespace {

Term ErfInvSingle(Term x, Term w) {
  constexpr std::array kNear = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                -0.00417768164,  0.246640727,    1.50140941};
  constexpr std::array kFar = {-0.000200214257, 0.000100950558, 0.00134934322,
                               -0.00367342844,  0.00573950773,  -0.0076224613,
                               0.00943887047,   1.00167406,     2.83297682};
  return Select(w < 5.0, Polynomial(w - 2.5, kNear),
                Polynomial(Sqrt(w) - 3.0, kFar)) *
         x;
}

Term ErfInvDouble(Term x, Term w) {
  constexpr std::array kNear = {
      -3.6444120640178196996e-21, -1.685059138182016589e-19,
      1.2858480715256400167e-18,  1.115787767802518096e-17,
      -1.333171662854620906e-16,  2.0972767875968561637e-17,
      6.6376381343583238325e-15,  -4.0545662729752068639e-14,
      -8.1519341976054721522e-14, 2.6335093153082322977e-12,
      -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-09,   -4.1126339803469836976e-09,
      -2.9070369957882005086e-08, 4.2347877827932403518e-07,
      -1.3654692000834678645e-06, -1.3882523362786468719e-05,
      0.0001867342080340571352,   -0.00074070253416626697512,
      -0.0060336708714301490533,  0.24015818242558961693,
      1.6536545626831027356};
  constexpr std::array kMiddle = {
      2.2137376921775787049e-09,  9.0756561938885390979e-08,
      -2.7517406297064545428e-07, 1.8239629214389227755e-08,
      1.5027403968909827627e-06,  -4.013867526981545969e-06,
      2.9234449089955446044e-06,  1.2475304481671778723e-05,
      -4.7318229009055733981e-05, 6.8284851459573175448e-05,
      2.4031110387097893999e-05,  -0.0003550375203628474796,
      0.00095328937973738049703,  -0.0016882755560235047313,
      0.0024914420961078508066,   -0.0037512085075692412107,
      0.005370914553590063617,    1.0052589676941592334,
      3.0838856104922207635};
  constexpr std::array kFar = {
      -2.7109920616438573243e-11, -2.5556418169965252055e-10,
      1.5076572693500548083e-09,  -3.7894654401267369937e-09,
      7.6157012080783393804e-09,  -1.4960026627149240478e-08,
      2.9147953450901080826e-08,  -6.7711997758452339498e-08,
      2.2900482228026654717e-07,  -9.9298272942317002539e-07,
      4.5260625972231537039e-06,  -1.9681778105531670567e-05,
      7.5995277030017761139e-05,  -0.00021503011930044477347,
      -0.00013871931833623122026, 1.0103004648645343977,
      4.8499064014085844221};
  const Term root = Sqrt(w);
  return Select(w < 6.25, Polynomial(w - 3.125, kNear),
                Select(w < 16.0, Polynomial(root - 3.25, kMiddle),
                       Polynomial(root - 5.0, kFar))) *
         x;
}

Term ErfInv(Term x) {
  const Term w = -Log1p(-(x * x));
  const Term result = x.math()->type() == ElementType::kF64
                          ? ErfInvDouble(x, w)
                          : ErfInvSingle(x, w);
  return Select(Abs(x) == x.math()->Number(1), x * kInfinity, result);
}

// 1 - erf(x), for |x| > 1 without the subtraction.
Term ErfcFar(Term x) {
  const Term magnitude = Abs(x);
  const Term scale = Exp(-(x * x));
  Term far = scale;
  if (x.math()->type() == ElementType::kF64) {
    constexpr std::array kP = {
        2.46196981473530512524e-10, 5.64189564831068821977e-1,
        7.46321056442269912687e0,   4.86371970985681366614e1,
        1.96520832956077098242e2,   5.26445194995477358631e2,
        9.34528527171957607540e2,   1.02755188689515710272e3,
        5.57535335369399327526e2};
    constexpr std::array kQ = {1.0,
                               1.32281951154744992508e1,
                               8.67072140885989742329e1,
                               3.54937778887819891062e2,
                               9.75708501743205489753e2,
                               1.82390916687909736289e3,
                               2.24633760818710981792e3,
                               1.65666309194161350182e3,
                               5.57535340817727675546e2};
    constexpr std::array kR = {
        5.64189583547755073984e-1, 1.27536670759978104416e0,
        5.01905042251180477414e0,  6.16021097993053585195e0,
        7.40974269950448939160e0,  2.97886665372100240670e0};
    constexpr std::array kS = {1.0,
                               2.26052863220117276590e0,
                               9.39603524938001434673e0,
                               1.20489539808096656605e1,
                               1.70814450747565897222e1,
                               9.60896809063285878198e0,
                               3.36907645100081516050e0};
    far = scale * Select(magnitude < 8.0,
                         Polynomial(magnitude, kP) / Polynomial(magnitude, kQ),
                         Polynomial(magnitude, kR) / Polynomial(magnitude, kS));
  } else {
    constexpr std::array kP = {
        2.326819970068386e-2,  -1.387039388740657e-1, 3.687424674597105e-1,
        -5.824733027278666e-1, 6.210004621745983e-1,  -4.944515323274145e-1,
        3.404879937665872e-1,  -2.741127028184656e-1, 5.638259427386472e-1};
    constexpr std::array kR = {-1.047766399936249e+1, 1.297719955372516e+1,
                               -7.495518717768503e+0, 2.921019019210786e+0,
                               -1.015265279202700e+0, 4.218463358204948e-1,
                               -2.820767439740514e-1, 5.641895067754075e-1};
    const Term q = 1.0 / magnitude;
    const Term y = q * q;
    far = scale * q *
          Select(magnitude < 2.0, Polynomial(y, kP), Polynomial(y, kR));
  }
  // Scales that underflow times infinities are zeros.
  far = Select(magnitude == x.math()->Number(kInfinity), x.math()->Number(0),
               far);
  return Select(x < 0.0, 2.0 - far, far);
}

Term Erfc(Term x) {
  const Term near = 1.0 - x.math()->Unary(Opcode::kErf, x);
  return Select(Abs(x) < 1.0, near, ErfcFar(x));
}

// exp(-|x|) I_1(x).
Term BesselI1e(Term x) {
  constexpr std::array kNear = {
      2.77791411276104639959e-18, -2.11142121435816608115e-17,
      1.55363195773620046921e-16, -1.10559694773538630805e-15,
      7.60068429473540693410e-15, -5.04218550472791168711e-14,
      3.22379336594557470981e-13, -1.98397439776494371520e-12,
      1.17361862988909016308e-11, -6.66348972350202774223e-11,
      3.62559028155211703701e-10, -1.88724975172282928790e-9,
      9.38153738649577178388e-9,  -4.44505912879632808065e-8,
      2.00329475355213526229e-7,  -8.56872026469545474066e-7,
      3.47025130813767847674e-6,  -1.32731636560394358279e-5,
      4.78156510755005422638e-5,  -1.61760815825896745588e-4,
      5.12285956168575772895e-4,  -1.51357245063125314899e-3,
      4.15642294431288815669e-3,  -1.05640848946261981558e-2,
      2.47264490306265168283e-2,  -5.29459812080949914269e-2,
      1.02643658689847095384e-1,  -1.76416518357834055153e-1,
      2.52587186443633654823e-1};
  constexpr std::array kFar = {
      7.51729631084210481353e-18,  4.41434832307170791151e-18,
      -4.65030536848935832153e-17, -3.20952592199342395980e-17,
      2.96262899764595013876e-16,  3.30820231092092828324e-16,
      -1.88035477551078244854e-15, -3.81440307243700780478e-15,
      1.04202769841288027642e-14,  4.27244001671195135429e-14,
      -2.10154184277266431302e-14, -4.08355111109219731823e-13,
      -7.19855177624590851209e-13, 2.03562854414708950722e-12,
      1.41258074366137813316e-11,  3.25260358301548823856e-11,
      -1.89749581235054123450e-11, -5.58974346219658380687e-10,
      -3.83538038596423702205e-9,  -2.63146884688951950684e-8,
      -2.51223623787020892529e-7,  -3.88256480887769039346e-6,
      -1.10588938762623716291e-4,  -9.76109749136146840777e-3,
      7.78576235018280120474e-1};
  // The terms before these are nothing in f32.
  constexpr size_t kNearSingle = 12;
  constexpr size_t kFarSingle = 18;
  const bool is_double = x.math()->type() == ElementType::kF64;
  const auto near =
      absl::MakeConstSpan(kNear).subspan(is_double ? 0 : kNearSingle);
  const auto far =
      absl::MakeConstSpan(kFar).subspan(is_double ? 0 : kFarSingle);
  const Term z = Abs(x);
  const Term result = Select(z <= 8.0, Chebyshev(z * 0.5 - 2.0, near) * z,
                             Chebyshev(32.0 / z - 2.0, far) / Sqrt(z));
  return x.math()->Unary(Opcode::kSign, x) * result;
}

// Calls `function` with terms, in f32 for narrower types.
template <typename Function>
Instruction* EmitWide(hlo::Computation* computation,
                      absl::Span<Instruction* const> operands, int64_t offset,
                      Function function) {
  const Shape shape = operands[0]->shape();
  const bool is_narrow = hlo::InfoOf(shape.element_type()).bits < 32;
  const Shape wide =
      is_narrow ? hlo::WithElementType(shape, ElementType::kF32) : shape;
  ElementMath math(computation, wide, offset);
  std::vector<Term> terms;
  for (Instruction* operand : operands) {
    if (is_narrow) operand = math.Add(Opcode::kConvert, wide, {operand});
    terms.emplace_back(&math, operand);
  }
  Instruction* result = function(terms).value();
  return is_narrow ? math.Add(Opcode::kConvert, shape, {result}) : result;
}

template <Term (*function)(Term)>
Instruction* EmitUnary(hlo::Computation* computation,
                       absl::Span<Instruction* const> operands,
                       int64_t offset) {
  return EmitWide(
      computation, operands, offset,
      [](const std::vector<Term>& terms) { return function(terms[0]); });
}

template <Term (*function)(Term, Term)>
Instruction* EmitBinary(hlo::Computation* computation,
                        absl::Span<Instruction* const> operands,
                        int64_t offset) {
  return EmitWide(computation, operands, offset,
                  [](const std::vector<Term>& terms) {
                    return function(terms[0], terms[1]);
                  });
}

// The next number from x in the direction of y.
//
// On the bits: magnitudes are integers that grow with the number.
Instruction* EmitNextAfter(hlo::Computation* computation,
                           absl::Span<Instruction* const> operands,
                           int64_t offset) {
  Instruction* const x = operands[0];
  Instruction* const y = operands[1];
  const Shape shape = x->shape();
  const int bits = hlo::InfoOf(shape.element_type()).bits;
  ElementType word = ElementType::kU64;
  if (bits == 16) word = ElementType::kU16;
  if (bits == 32) word = ElementType::kU32;
  ElementMath floats(computation, shape, offset);
  ElementMath words(computation, hlo::WithElementType(shape, word), offset);
  const auto bits_of = [&](Instruction* value) {
    return Term(&words, words.Add(Opcode::kBitcastConvert,
                                  hlo::WithElementType(shape, word), {value}));
  };
  const Term sign = words.Number(std::ldexp(1.0, bits - 1));
  const Term from = bits_of(x);
  const Term to = bits_of(y);
  const Term not_sign = sign - words.Number(1);
  const Term magnitude = words.And(from, not_sign);
  const Term other = words.And(to, not_sign);
  const Term zero = words.Number(0);
  const Term one = words.Number(1);
  const Term from_sign = words.And(from, sign);
  const Term to_sign = words.And(to, sign);
  const Term is_smaller = words.Binary(
      Opcode::kOr, words.Compare(ComparisonDirection::kNe, from_sign, to_sign),
      words.Compare(ComparisonDirection::kGt, magnitude, other));
  // One less or one more; from zero, the smallest number on the other's side.
  Term next = words.Select(is_smaller, from - one, from + one);
  next = words.Select(magnitude == zero,
                      words.Binary(Opcode::kOr, to_sign, one), next);
  const Term stepped(
      &floats, floats.Add(Opcode::kBitcastConvert, shape, {next.value()}));
  const Term a(&floats, x);
  const Term b(&floats, y);
  const Term is_nan =
      words.Binary(Opcode::kOr, floats.Compare(ComparisonDirection::kNe, a, a),
                   floats.Compare(ComparisonDirection::kNe, b, b));
  const Term result = floats.Select(a == b, b, stepped);
  return floats
      .Select(is_nan, floats.Number(std::numeric_limits<double>::quiet_NaN()),
              result)
      .value();
}

}  // namespace

const absl::flat_hash_map<absl::string_view, SpecialFunction>&
SpecialFunctions() {
  static const auto* const kFunctions =
      new absl::flat_hash_map<absl::string_view, SpecialFunction>({
          {"chlo.bessel_i1e", {1, &EmitUnary<&BesselI1e>}},
          {"chlo.digamma", {1, &EmitUnary<&Digamma>}},
          {"chlo.erf_inv", {1, &EmitUnary<&ErfInv>}},
          {"chlo.erfc", {1, &EmitUnary<&Erfc>}},
          {"chlo.lgamma", {1, &EmitUnary<&LogGamma>}},
          {"chlo.next_after", {2, &EmitNextAfter}},
          {"chlo.polygamma", {2, &EmitBinary<&Polygamma>}},
          {"chlo.zeta", {2, &EmitBinary<&HurwitzZeta>}},
      });
  return *kFunctions;
}

}  // namespace hilo::stablehlo
