// Sums of convolutions one by one, without products of padding.
#include "runtime/host/padded_convolution.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/host/element_code.h"
#include "runtime/host/vector_clones.h"

namespace hilo::runtime {
namespace {

// What elements are computed with: double or complex<double>.
template <typename Value>
using LoadFunction = Value (*)(const void* array, int64_t place);

// Elements become numbers of the sums' type first, as in kernels: large ones
// may be infinite there.
template <typename Value, typename Sum>
LoadFunction<Value> LoadFunctionOf(ElementCode type) {
  return DispatchElementCode(
      type, []<typename T>(std::type_identity<T>) -> LoadFunction<Value> {
        return [](const void* array, int64_t place) {
          return ConvertElement<Value>(
              ConvertElement<Sum>(static_cast<const T*>(array)[place]));
        };
      });
}

bool HasNan(double value) { return std::isnan(value); }
bool HasNan(std::complex<double> value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}
bool IsAllNan(double value) { return std::isnan(value); }
bool IsAllNan(std::complex<double> value) {
  return std::isnan(value.real()) && std::isnan(value.imag());
}

double Product(double a, double b) { return a * b; }
// Part by part as kernels do, infinities included.
std::complex<double> Product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

// False where none of the numbers is NaN; infinities of both signs may make it
// true. A row is `columns` numbers, and begins `stride` behind the last one.
template <typename Part>
[[gnu::always_inline]] inline bool SumIsNan(const Part* numbers, int64_t rows,
                                            int64_t columns, int64_t stride) {
  constexpr int64_t kLanes = 64 / sizeof(Part);
  using Vector
      [[gnu::vector_size(64), gnu::aligned(sizeof(Part)), gnu::may_alias]] =
          Part;
  Vector totals = {};
  Part total = 0;
  for (int64_t i = 0; i < rows; ++i, numbers += stride) {
    int64_t j = 0;
    for (; j + kLanes <= columns; j += kLanes) {
      totals += *reinterpret_cast<const Vector*>(numbers + j);
    }
    for (; j < columns; ++j) total += numbers[j];
  }
  using Half [[gnu::vector_size(32)]] = Part;
  Half low;
  Half high;
  std::memcpy(&low, &totals, sizeof(low));
  std::memcpy(&high, reinterpret_cast<const char*>(&totals) + sizeof(low),
              sizeof(high));
  low += high;
  for (int64_t lane = 0; lane < kLanes / 2; ++lane) total += low[lane];
  return std::isnan(total);
}

HILO_VECTOR_CLONES bool MayHaveNan(const float* numbers, int64_t rows,
                                   int64_t columns, int64_t stride) {
  return SumIsNan(numbers, rows, columns, stride);
}
HILO_VECTOR_CLONES bool MayHaveNan(const double* numbers, int64_t rows,
                                   int64_t columns, int64_t stride) {
  return SumIsNan(numbers, rows, columns, stride);
}
template <typename Part>
bool MayHaveNan(const std::complex<Part>* numbers, int64_t rows,
                int64_t columns, int64_t stride) {
  return MayHaveNan(reinterpret_cast<const Part*>(numbers), rows, 2 * columns,
                    2 * stride);
}

// Whether some of the numbers is infinite or NaN as a Sum.
template <typename Sum, typename Part>
[[gnu::always_inline]] inline bool HasNonFinite(const Part* numbers,
                                                int64_t count) {
  constexpr int64_t kBlock = 1024;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(count, begin + kBlock);
    int64_t found = 0;
    // 0, or NaN.
    for (int64_t i = begin; i < end; ++i) {
      found += static_cast<int64_t>(static_cast<Sum>(numbers[i]) * Sum{0} != 0);
    }
    if (found != 0) return true;
  }
  return false;
}

HILO_VECTOR_CLONES bool AnyNonFinite(const float* numbers, int64_t count) {
  return HasNonFinite<float>(numbers, count);
}
HILO_VECTOR_CLONES bool AnyNonFinite(const double* numbers, int64_t count) {
  return HasNonFinite<double>(numbers, count);
}
HILO_VECTOR_CLONES bool AnyNonFiniteAsFloat(const double* numbers,
                                            int64_t count) {
  return HasNonFinite<float>(numbers, count);
}

// Whether all weights are finite as parts of sums.
template <typename SumPart>
bool AreFinite(const PaddedConvolution& convolution, const SpatialLoop* spatial,
               const void* weights) {
  int64_t count = convolution.groups.size * convolution.columns.size *
                  convolution.depth.size;
  for (int32_t d = 0; d < convolution.spatial_rank; ++d) {
    count *= spatial[d].window_size;
  }
  const auto are_finite = [&]<typename T>(std::type_identity<T>) {
    const T* elements = static_cast<const T*>(weights);
    using Part = NumericTraits<T>::Part;
    if constexpr (std::is_same_v<Part, float> || std::is_same_v<Part, double>) {
      const auto* parts = reinterpret_cast<const Part*>(elements);
      const int64_t part_count =
          NumericTraits<T>::is_complex ? 2 * count : count;
      if constexpr (std::is_same_v<Part, double> &&
                    std::is_same_v<SumPart, float>) {
        return !AnyNonFiniteAsFloat(parts, part_count);
      } else {
        return !AnyNonFinite(parts, part_count);
      }
    } else {
      return std::all_of(elements, elements + count, [](T element) {
        return std::isfinite(ConvertElement<float>(element));
      });
    }
  };
  return DispatchElementCode(convolution.rhs_type, are_finite);
}

// Which position of a loop an element of a dense output belongs to.
int64_t PositionIn(int64_t output, int64_t size, int64_t stride) {
  const int64_t position = output / std::abs(stride) % size;
  return stride < 0 ? size - 1 - position : position;
}

const SpatialLoop* SpatialLoopsOf(const PaddedConvolution& convolution) {
  return reinterpret_cast<const SpatialLoop*>(&convolution + 1);
}

template <typename Value, typename Sum>
class Window {
 public:
  Window(const PaddedConvolution& convolution, const void* lhs, const void* rhs)
      : convolution_(convolution),
        spatial_(SpatialLoopsOf(convolution)),
        lhs_(lhs),
        rhs_(rhs),
        load_lhs_(LoadFunctionOf<Value, Sum>(convolution.lhs_type)),
        load_rhs_(LoadFunctionOf<Value, Sum>(convolution.rhs_type)) {}

  // Whether some element of the window lies on padding or a hole.
  bool HasPadding(int64_t output) const {
    for (int32_t d = 0; d < convolution_.spatial_rank; ++d) {
      const SpatialLoop& loop = spatial_[d];
      const int64_t position =
          PositionIn(output, loop.output_size, loop.output_stride);
      for (int64_t e = 0; e < loop.window_size; ++e) {
        if (loop.InputElement(position, e) < 0) return true;
      }
    }
    return false;
  }

  Value SumAt(int64_t output) {
    output_ = output;
    sum_ = Value{};
    int64_t lhs = 0;
    int64_t rhs = convolution_.rhs_offset;
    for (const ConvolutionLoop& loop :
         {convolution_.groups, convolution_.batch, convolution_.columns}) {
      const int64_t position =
          PositionIn(output, loop.size, loop.output_stride);
      lhs += position * loop.lhs_stride;
      rhs += position * loop.rhs_stride;
    }
    AddProducts(0, lhs, rhs);
    return sum_;
  }

 private:
  // Adds the products of spatial loops d ... . False: nothing changes the sum
  // any more.
  bool AddProducts(int32_t d, int64_t lhs, int64_t rhs) {
    if (d == convolution_.spatial_rank) {
      const ConvolutionLoop& depth = convolution_.depth;
      for (int64_t i = 0; i < depth.size; ++i) {
        sum_ += Product(load_lhs_(lhs_, lhs + i * depth.lhs_stride),
                        load_rhs_(rhs_, rhs + i * depth.rhs_stride));
        if (IsAllNan(sum_)) return false;
      }
      return true;
    }
    const SpatialLoop& loop = spatial_[d];
    const int64_t position =
        PositionIn(output_, loop.output_size, loop.output_stride);
    for (int64_t e = 0; e < loop.window_size; ++e) {
      const int64_t input = loop.InputElement(position, e);
      if (input < 0) continue;
      if (!AddProducts(d + 1, lhs + input * loop.lhs_stride,
                       rhs + e * loop.rhs_stride)) {
        return false;
      }
    }
    return true;
  }

  const PaddedConvolution& convolution_;
  const SpatialLoop* spatial_;
  const void* lhs_;
  const void* rhs_;
  LoadFunction<Value> load_lhs_;
  LoadFunction<Value> load_rhs_;
  int64_t output_ = 0;
  Value sum_;
};

// hilo_skip_padding for one type of sums, computed anew as Value.
template <typename Value, typename Sum>
void SkipPadding(const PaddedConvolution& convolution, void* const* arguments,
                 const void* output, Sum* sums, int64_t columns,
                 WeightsState& state) {
  const int64_t rows = convolution.tile_rows;
  const int64_t stride = convolution.sum_row_stride;
  if (!MayHaveNan(sums, rows, columns, stride)) return;
  if (state == WeightsState::kUnknown) {
    state = AreFinite<typename NumericTraits<Sum>::Part>(
                convolution, SpatialLoopsOf(convolution), arguments[1])
                ? WeightsState::kFinite
                : WeightsState::kNotFinite;
  }
  if (state == WeightsState::kFinite) return;
  const auto* begin =
      static_cast<const std::byte*>(arguments[convolution.output_argument]);
  const int64_t first = (static_cast<const std::byte*>(output) - begin) /
                        convolution.output_bytes;
  Window<Value, Sum> window(convolution, arguments[0], arguments[1]);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      Sum& sum = sums[i * stride + j];
      if (!HasNan(static_cast<Value>(sum))) continue;
      const int64_t place =
          first + i * convolution.row_stride + j * convolution.column_stride;
      if (window.HasPadding(place)) sum = static_cast<Sum>(window.SumAt(place));
    }
  }
}

}  // namespace
}  // namespace hilo::runtime

void hilo_skip_padding(const hilo::runtime::PaddedConvolution* convolution,
                       void* const* arguments, const void* output, void* sums,
                       int64_t columns, hilo::runtime::WeightsState* state) {
  using namespace hilo::runtime;  // NOLINT(google-build-using-namespace)
  const ElementCode type = convolution->sum_type;
  if (type == kElementCode<float>) {
    SkipPadding<double>(*convolution, arguments, output,
                        static_cast<float*>(sums), columns, *state);
  } else if (type == kElementCode<double>) {
    SkipPadding<double>(*convolution, arguments, output,
                        static_cast<double*>(sums), columns, *state);
  } else if (type == kElementCode<std::complex<float>>) {
    SkipPadding<std::complex<double>>(*convolution, arguments, output,
                                      static_cast<std::complex<float>*>(sums),
                                      columns, *state);
  } else {
    SkipPadding<std::complex<double>>(*convolution, arguments, output,
                                      static_cast<std::complex<double>*>(sums),
                                      columns, *state);
  }
}
