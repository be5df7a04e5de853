// Hashes indices to values.
#include "jit/generated_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_types.h"
#include "runtime/base/status.h"

namespace hilo {
namespace {

using hlo::Literal;
using hlo::Shape;

uint64_t Hash(uint64_t seed, uint64_t leaf, uint64_t index) {
  uint64_t z = seed * 0x9E3779B97F4A7C15 + leaf * 0xD1B54A32D192ED03 +
               index * 0x2545F4914F6CDD1D;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// The real number of a hash. Two roundings: the product is stored before the
// sum, so that no compiler contracts them.
double RealOf(uint64_t hash, const InputSettings& settings) {
  const double unit = static_cast<double>(hash >> 11) * 0x1p-52 - 1.0;
  volatile double product = unit * settings.scale;
  return product + settings.offset;
}

template <typename T>
uint64_t ModulusOf(const InputSettings& settings) {
  constexpr uint64_t kDefaultModulus = 100;
  if (settings.range && *settings.range >= 1) {
    return static_cast<uint64_t>(*settings.range);
  }
  const auto highest = static_cast<uint64_t>(NumericTraits<T>::highest());
  return std::min(kDefaultModulus - 1, highest) + 1;
}

template <typename T>
T GenerateElement(uint64_t hash, const InputSettings& settings,
                  uint64_t modulus) {
  if constexpr (std::is_same_v<T, bool>) {
    return hash >> 63 != 0;
  } else if constexpr (std::is_same_v<T, Float8E8M0FNU>) {
    return ConvertElement<T>(std::ldexp(1.0, static_cast<int>(hash % 4)));
  } else if constexpr (NumericTraits<T>::is_integer) {
    const uint64_t value =
        hash % modulus +
        static_cast<uint64_t>(static_cast<int64_t>(settings.offset));
    return ConvertElement<T>(value);
  } else if constexpr (NumericTraits<T>::kBits <= 16 &&
                       !std::is_same_v<T, Float16>) {
    // Through f32, as ml_dtypes rounds the types that numpy lacks.
    return ConvertElement<T>(static_cast<float>(RealOf(hash, settings)));
  } else {
    return ConvertElement<T>(RealOf(hash, settings));
  }
}

template <typename T>
std::vector<T> RealEdgeValues() {
  using Traits = NumericTraits<T>;
  std::vector<T> values;
  if constexpr (Traits::is_float) {
    // What the type lacks comes out as what conversion makes of it.
    const int min_exponent = 2 - (1 << (Traits::exponent_bits - 1));
    const int min_subnormal_exponent = min_exponent - Traits::mantissa_bits;
    values = {Traits::quiet_nan(),
              ConvertElement<T>(0.0),
              ConvertElement<T>(-0.0),
              Traits::infinity(),
              ConvertElement<T>(-std::numeric_limits<double>::infinity()),
              Traits::highest(),
              Traits::lowest(),
              ConvertElement<T>(std::ldexp(1.0, min_exponent)),
              ConvertElement<T>(std::ldexp(1.0, min_subnormal_exponent)),
              ConvertElement<T>(-std::ldexp(1.0, min_subnormal_exponent)),
              ConvertElement<T>(1.0),
              ConvertElement<T>(-1.0)};
  } else if constexpr (Traits::is_integer) {
    values = {ConvertElement<T>(0), ConvertElement<T>(1), ConvertElement<T>(-1),
              Traits::highest(), Traits::lowest()};
  }
  return values;
}

template <typename T>
void FillEdges(absl::Span<T> elements) {
  const auto count = elements.size();
  if constexpr (std::is_same_v<T, bool>) {
    for (size_t i = 0; i < count; ++i) elements[i] = i % 2 == 1;
  } else if constexpr (NumericTraits<T>::is_complex) {
    using Part = T::value_type;
    const std::vector<Part> values = RealEdgeValues<Part>();
    for (size_t i = 0; i < count; ++i) {
      elements[i] = {values[i % values.size()],
                     values[i / values.size() % values.size()]};
    }
  } else {
    const std::vector<T> values = RealEdgeValues<T>();
    for (size_t i = 0; i < count; ++i) elements[i] = values[i % values.size()];
  }
}

// A value of any magnitude.
template <typename T>
T WideElement(uint64_t hash) {
  if constexpr (std::is_same_v<T, bool>) {
    return hash >> 63 != 0;
  } else if constexpr (NumericTraits<T>::is_integer) {
    return ConvertElement<T>(hash >> (hash % 61));
  } else {
    using Traits = NumericTraits<T>;
    const int exponents = std::min(1 << Traits::exponent_bits, 2000);
    const int exponent = static_cast<int>(hash % exponents) - exponents / 2;
    return ConvertElement<T>(std::ldexp(RealOf(hash, {}), exponent));
  }
}

template <typename T>
void FillWide(uint64_t seed, uint64_t leaf, absl::Span<T> elements) {
  for (size_t i = 0; i < elements.size(); ++i) {
    if constexpr (NumericTraits<T>::is_complex) {
      using Part = T::value_type;
      elements[i] = {WideElement<Part>(Hash(seed, leaf, 2 * i)),
                     WideElement<Part>(Hash(seed, leaf, 2 * i + 1))};
    } else {
      elements[i] = WideElement<T>(Hash(seed, leaf, i));
    }
  }
}

// Puts special values at some places.
template <typename T>
void MixInEdges(uint64_t seed, absl::Span<T> elements) {
  std::array<T, 64> edges;
  FillEdges(absl::Span<T>(edges.data(), edges.size()));
  for (size_t i = 0; i < elements.size(); ++i) {
    const uint64_t hash = Hash(seed, ~uint64_t{0}, i);
    if (hash % 4 == 0) elements[i] = edges[(hash >> 8) % edges.size()];
  }
}

// "3: scale=0.02 offset=1".
absl::Status ReadSettingsLine(absl::string_view line,
                              InputSettingsByLeaf* settings) {
  absl::Status error =
      InvalidArgument("malformed line '// INPUT ", line,
                      "': expected LEAF: scale=X offset=Y range=N");
  const std::vector<absl::string_view> halves =
      absl::StrSplit(line, absl::MaxSplits(": ", 1));
  int64_t leaf = 0;
  if (halves.size() != 2 || !absl::SimpleAtoi(halves[0], &leaf)) return error;
  InputSettings& entry = (*settings)[leaf];
  for (absl::string_view word :
       absl::StrSplit(halves[1], absl::ByAnyChar(" \t\r"), absl::SkipEmpty())) {
    const std::vector<absl::string_view> pair =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    double value = 0;
    if (pair.size() != 2 || !absl::SimpleAtod(pair[1], &value)) return error;
    if (pair[0] == "scale") {
      entry.scale = value;
    } else if (pair[0] == "offset") {
      entry.offset = value;
    } else if (pair[0] == "range" && value >= 1 && value < 0x1p63) {
      entry.range = value;
    } else {
      return error;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InputSettingsByLeaf> ReadInputSettings(absl::string_view text) {
  constexpr absl::string_view kPrefix = "// INPUT ";
  InputSettingsByLeaf settings;
  for (size_t at = text.find(kPrefix); at != absl::string_view::npos;
       at = text.find(kPrefix, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    absl::string_view line = text.substr(at + kPrefix.size());
    line = line.substr(0, line.find('\n'));
    // Other comments may begin with the same word.
    if (line.empty() || !absl::ascii_isdigit(line[0])) continue;
    RETURN_IF_ERROR(
        ReadSettingsLine(absl::StripTrailingAsciiWhitespace(line), &settings));
  }
  return settings;
}

Literal GenerateInput(const Shape& shape, int64_t leaf, uint64_t seed,
                      const InputSettings& settings) {
  Literal literal(hlo::WithoutLayout(shape));
  const auto leaf_bits = static_cast<uint64_t>(leaf);
  hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    const absl::Span<T> elements = literal.mutable_data<T>();
    if constexpr (NumericTraits<T>::is_complex) {
      using Part = T::value_type;
      for (size_t i = 0; i < elements.size(); ++i) {
        elements[i] = {
            static_cast<Part>(RealOf(Hash(seed, leaf_bits, 2 * i), settings)),
            static_cast<Part>(
                RealOf(Hash(seed, leaf_bits, 2 * i + 1), settings))};
      }
    } else {
      uint64_t modulus = 1;
      if constexpr (NumericTraits<T>::is_integer) {
        modulus = ModulusOf<T>(settings);
      }
      for (size_t i = 0; i < elements.size(); ++i) {
        elements[i] =
            GenerateElement<T>(Hash(seed, leaf_bits, i), settings, modulus);
      }
    }
  });
  return literal;
}

Literal IotaInput(const Shape& shape) {
  Literal literal(hlo::WithoutLayout(shape));
  hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    const absl::Span<T> elements = literal.mutable_data<T>();
    for (size_t i = 0; i < elements.size(); ++i) {
      elements[i] = ConvertElement<T>(static_cast<uint64_t>(i));
    }
  });
  return literal;
}

Literal EdgeInput(const Shape& shape) {
  Literal literal(hlo::WithoutLayout(shape));
  hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    FillEdges(literal.mutable_data<T>());
  });
  return literal;
}

namespace {

// How the values of a leaf are spread, by the number of its kind.
constexpr uint64_t kWideKind = 6;
constexpr uint64_t kEdgeKind = 7;
struct MixedScale {
  double scale;
  double offset;
};
constexpr auto kMixedScales = std::to_array<MixedScale>(
    {{1, 0}, {1, 0}, {4, -3}, {0.5, 0.5}, {100, 0}, {8, 0}, {1, 0}, {2, -1}});
// Of these only whole numbers are left.
constexpr uint64_t kWholeKind = 5;

}  // namespace

Literal MixedInput(const Shape& shape, int64_t leaf, uint64_t seed) {
  const auto leaf_bits = static_cast<uint64_t>(leaf);
  const uint64_t kind =
      Hash(seed, leaf_bits, ~uint64_t{0}) % kMixedScales.size();
  InputSettings settings;
  settings.scale = kMixedScales[kind].scale;
  settings.offset = kMixedScales[kind].offset;
  Literal literal = GenerateInput(shape, leaf, seed, settings);
  hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    const absl::Span<T> elements = literal.mutable_data<T>();
    if (kind == kWideKind) FillWide(seed, leaf_bits, elements);
    if (kind == kEdgeKind) MixInEdges(seed + leaf_bits, elements);
    if constexpr (NumericTraits<T>::is_float) {
      if (kind != kWholeKind) return;
      for (T& element : elements) {
        element = ConvertElement<T>(std::floor(static_cast<double>(element)));
      }
    }
  });
  return literal;
}

}  // namespace hilo
