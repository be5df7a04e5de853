// The error function.
#include "backends/codegen/lane_math.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/math_pieces.h"

namespace hilo::backends {
namespace {

// erf(x) / x - 1 for t = x^2 up to 1.
Lanes NearZero(const Lanes& t) {
  return Polynomial(
      t,
      {.single = {7.85386073e-05, -0.000801019371, 0.00518832775, -0.0268538129,
                  0.112835854, -0.37612626, 0.128379166},
       .full = {
           0x1.0579b4df66246p-34, -0x1.386ac4ca4337ap-30, 0x1.f7a41391f2137p-27,
           -0x1.5f1d36e57e9d3p-23, 0x1.b9def1a25d43cp-20,
           -0x1.f4d1df39a88e3p-17, 0x1.f9a321a122eaep-14,
           -0x1.c02db3d8ed52fp-11, 0x1.565bcd0db02f5p-8, -0x1.b82ce3128499dp-6,
           0x1.ce2f21a042b20p-4, -0x1.812746b0379e6p-2, 0x1.06eba8214db69p-3}});
}

// log(1 - erf(x)) for x from 1 to where erf(x) rounds to 1: precise where
// 1 - erf(x) counts.
Lanes LogOfComplement(const Lanes& x) {
  return Polynomial(
      x, {.single = {0.000185573226, -0.00293960003, 0.021805292, -0.103037313,
                     -0.638225734, -1.12704003, -0.000353726849},
          .full = {-0x1.8eecee5833367p-43, 0x1.3833a9822e019p-37,
                   -0x1.cc60a32671082p-33, 0x1.a913d536dc012p-29,
                   -0x1.1359813b0c1abp-25, 0x1.096ccdf084350p-22,
                   -0x1.8936411475681p-20, 0x1.c5f27de869631p-18,
                   -0x1.9647a086d722dp-16, 0x1.0eedb3d7c537ep-14,
                   -0x1.cf3129ed0bf08p-14, 0x1.6747f076142cep-16,
                   0x1.220500a6f5344p-11,  -0x1.b74fc0b576683p-10,
                   0x1.a9d30be43f050p-13,  0x1.3962cc8aa662dp-6,
                   -0x1.a4f2c3eb75d69p-4,  -0x1.45f329c69f29fp-1,
                   -0x1.20dd7085ec7b9p+0,  -0x1.f935c358d22aep-26}});
}

}  // namespace

Lanes Erf(const Lanes& x) {
  const Lanes magnitude = Abs(x);
  const Lanes near_zero = Fma(NearZero(x * x), x, x);
  const Lanes bounded = SmallerOrSecond(ByFormat(x, 4, 6), magnitude);
  const Lanes far = 1 - ModerateExp(LogOfComplement(bounded));
  return Select(magnitude < 1, near_zero, CopySign(far, x));
}

}  // namespace hilo::backends
