// The values of the floating-point types of at most eight bits, as tables.
#include "runtime/base/numeric_types.h"

#include <cstddef>
#include <cstdint>

namespace hilo::internal {
namespace {

template <typename Float>
constexpr FloatTable MakeTable() noexcept {
  FloatTable table{};
  for (size_t code = 0; code < table.size(); ++code) {
    table[code] = Float::FromBits(static_cast<uint8_t>(code)).Decode();
  }
  return table;
}

}  // namespace

template <>
constinit const FloatTable SmallFloatValues<Float8E5M2>::kTable =
    MakeTable<Float8E5M2>();
template <>
constinit const FloatTable SmallFloatValues<Float8E4M3>::kTable =
    MakeTable<Float8E4M3>();
template <>
constinit const FloatTable SmallFloatValues<Float8E3M4>::kTable =
    MakeTable<Float8E3M4>();
template <>
constinit const FloatTable SmallFloatValues<Float8E4M3FN>::kTable =
    MakeTable<Float8E4M3FN>();
template <>
constinit const FloatTable SmallFloatValues<Float8E4M3B11FNUZ>::kTable =
    MakeTable<Float8E4M3B11FNUZ>();
template <>
constinit const FloatTable SmallFloatValues<Float8E4M3FNUZ>::kTable =
    MakeTable<Float8E4M3FNUZ>();
template <>
constinit const FloatTable SmallFloatValues<Float8E5M2FNUZ>::kTable =
    MakeTable<Float8E5M2FNUZ>();
template <>
constinit const FloatTable SmallFloatValues<Float8E8M0FNU>::kTable =
    MakeTable<Float8E8M0FNU>();
template <>
constinit const FloatTable SmallFloatValues<Float4E2M1FN>::kTable =
    MakeTable<Float4E2M1FN>();
template <>
constinit const FloatTable SmallFloatValues<Float6E3M2FN>::kTable =
    MakeTable<Float6E3M2FN>();
template <>
constinit const FloatTable SmallFloatValues<Float6E2M3FN>::kTable =
    MakeTable<Float6E2M3FN>();

}  // namespace hilo::internal
