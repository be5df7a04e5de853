// Compares a module's results with stored arrays, within the type's tolerance.
#include "tests/support/compare_arrays.h"

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "jit/npy.h"
#include "jit/npz.h"
#include "runtime/base/status.h"

namespace hilo::tests {
namespace {

using Complex = std::complex<double>;

// The name of an expected array: an output, perhaps thinned out.
struct ExpectedName {
  std::string output;
  int64_t step = 1;
};

std::optional<ExpectedName> ParseName(const std::string& name) {
  const std::vector<std::string> parts = absl::StrSplit(name, "_every_");
  ExpectedName parsed{.output = parts[0], .step = 1};
  if (parts.size() == 1) return parsed;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &parsed.step) ||
      parsed.step < 1) {
    return std::nullopt;
  }
  return parsed;
}

size_t ElementBytes(const NpyArray& array) {
  return static_cast<size_t>(array.element_bytes);
}

// Elements 0, step, 2 * step, … of `array`, as one dimension.
NpyArray EveryElement(const NpyArray& array, int64_t step) {
  if (step == 1) return array;
  const size_t element_bytes = ElementBytes(array);
  const size_t stride = element_bytes * static_cast<size_t>(step);
  NpyArray thinned{.kind = array.kind,
                   .element_bytes = array.element_bytes,
                   .dimensions = {0},
                   .bytes = ""};
  for (size_t i = 0; i < array.bytes.size(); i += stride) {
    thinned.bytes.append(array.bytes, i, element_bytes);
    ++thinned.dimensions[0];
  }
  return thinned;
}

template <typename T>
T ReadAt(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

double HalfToDouble(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  if (exponent == 0x1f) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  return sign * std::ldexp(mantissa + 0x400, exponent - 25);
}

double BfloatToDouble(uint16_t bits) {
  const uint32_t widened = static_cast<uint32_t>(bits) << 16;
  float value = 0;
  std::memcpy(&value, &widened, sizeof(value));
  return value;
}

// How elements of a floating type are read, and how near they must be.
struct FloatType {
  absl::string_view type;
  double tolerance;
  Complex (*read)(const std::string& bytes, size_t offset);
};

constexpr auto kFloatTypes = std::to_array<FloatType>({
    {"f8", 2e-9,
     [](const std::string& bytes, size_t offset) {
       return Complex(ReadAt<double>(bytes, offset));
     }},
    {"f4", 2e-5,
     [](const std::string& bytes, size_t offset) {
       return Complex(ReadAt<float>(bytes, offset));
     }},
    {"f2", 4e-3,
     [](const std::string& bytes, size_t offset) {
       return Complex(HalfToDouble(ReadAt<uint16_t>(bytes, offset)));
     }},
    {"bf16", 3e-2,
     [](const std::string& bytes, size_t offset) {
       return Complex(BfloatToDouble(ReadAt<uint16_t>(bytes, offset)));
     }},
    {"c8", 2e-5,
     [](const std::string& bytes, size_t offset) {
       return Complex(ReadAt<std::complex<float>>(bytes, offset));
     }},
    {"c16", 2e-9,
     [](const std::string& bytes, size_t offset) {
       return ReadAt<Complex>(bytes, offset);
     }},
});

// The floating type of `array`; null for integers and predicates.
const FloatType* FindFloatType(const NpyArray& array, bool has_bf16) {
  const std::string name = TypeNameOf(array);
  const bool is_bf16 = has_bf16 && name == "u2";
  for (const FloatType& row : kFloatTypes) {
    if (row.type == (is_bf16 ? "bf16" : name)) return &row;
  }
  return nullptr;
}

std::vector<Complex> ReadFloats(const NpyArray& array, const FloatType& type) {
  std::vector<Complex> values;
  const size_t element_bytes = ElementBytes(array);
  values.reserve(array.bytes.size() / element_bytes);
  for (size_t i = 0; i < array.bytes.size(); i += element_bytes) {
    values.push_back(type.read(array.bytes, i));
  }
  return values;
}

bool IsFinite(Complex value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

bool IsNan(Complex value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

double RootMeanSquare(const std::vector<Complex>& values) {
  double sum = 0;
  int64_t count = 0;
  for (const Complex value : values) {
    if (!IsFinite(value)) continue;
    sum += std::norm(value);
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

// The relative error of one element; infinite when special values differ.
double ErrorOf(Complex got, Complex want, double scale) {
  if (got == want || (IsNan(got) && IsNan(want))) return 0;
  if (!IsFinite(want) || !IsFinite(got)) {
    return std::numeric_limits<double>::infinity();
  }
  return std::abs(got - want) / (std::abs(want) + scale + 1e-300);
}

// Collects which elements are wrong and which is the worst.
struct Verdict {
  int64_t count = 0;
  int64_t wrong_count = 0;
  size_t worst_index = 0;
  double worst_error = -1;

  void Add(size_t index, double error, double tolerance) {
    ++count;
    if (error > tolerance) ++wrong_count;
    if (error > worst_error) {
      worst_error = error;
      worst_index = index;
    }
  }

  bool IsWithin(double wrong_share) const {
    return static_cast<double>(wrong_count) <=
           wrong_share * static_cast<double>(count);
  }
};

std::string ComplexText(Complex value) {
  if (value.imag() == 0) return absl::StrCat(value.real());
  return absl::StrCat("(", value.real(), ", ", value.imag(), ")");
}

std::optional<std::string> CompareFloats(const NpyArray& got,
                                         const NpyArray& want,
                                         const FloatType& type,
                                         const ArrayTolerance& tolerance) {
  const std::vector<Complex> got_values = ReadFloats(got, type);
  const std::vector<Complex> want_values = ReadFloats(want, type);
  const double scale = RootMeanSquare(want_values);
  const double limit = tolerance.error.value_or(type.tolerance);
  Verdict verdict;
  for (size_t i = 0; i < want_values.size(); ++i) {
    verdict.Add(i, ErrorOf(got_values[i], want_values[i], scale), limit);
  }
  if (verdict.IsWithin(tolerance.wrong_share)) return std::nullopt;
  const size_t worst = verdict.worst_index;
  return absl::StrCat("element ", worst, " is ", ComplexText(got_values[worst]),
                      ", expected ", ComplexText(want_values[worst]),
                      " (error ", verdict.worst_error, "); ",
                      verdict.wrong_count, " of ", verdict.count,
                      " elements are beyond ", limit);
}

std::optional<std::string> CompareBits(const NpyArray& got,
                                       const NpyArray& want,
                                       const ArrayTolerance& tolerance) {
  Verdict verdict;
  const size_t element_bytes = ElementBytes(want);
  for (size_t i = 0; i < want.bytes.size(); i += element_bytes) {
    const bool differs =
        want.bytes.compare(i, element_bytes, got.bytes, i, element_bytes) != 0;
    verdict.Add(i / element_bytes, differs ? 1 : 0, 0);
  }
  if (verdict.IsWithin(tolerance.wrong_share)) return std::nullopt;
  return absl::StrCat(verdict.wrong_count, " of ", verdict.count,
                      " elements differ, first element ", verdict.worst_index);
}

// What differs between two arrays, if anything.
std::optional<std::string> CompareArray(const NpyArray& got,
                                        const NpyArray& want,
                                        const ArrayTolerance& tolerance) {
  if (got.dimensions != want.dimensions || got.kind != want.kind ||
      got.element_bytes != want.element_bytes ||
      got.bytes.size() != want.bytes.size()) {
    return absl::StrCat("got ", DescriptionOf(got), ", expected ",
                        DescriptionOf(want));
  }
  const FloatType* type = FindFloatType(want, tolerance.has_bf16);
  return type != nullptr ? CompareFloats(got, want, *type, tolerance)
                         : CompareBits(got, want, tolerance);
}

absl::StatusOr<NamedArrays> LoadArrays(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(std::vector<NamedArray> arrays, ReadNpz(path.string()));
  NamedArrays by_name;
  for (NamedArray& array : arrays) by_name.insert(std::move(array));
  return by_name;
}

}  // namespace

std::vector<std::string> CompareArrays(const NamedArrays& got,
                                       const NamedArrays& want,
                                       const ArrayTolerance& tolerance) {
  std::vector<std::string> differences;
  if (want.empty()) differences.emplace_back("no expected arrays");
  for (const auto& [name, expected] : want) {
    const std::optional<ExpectedName> parsed = ParseName(name);
    if (!parsed.has_value()) {
      differences.push_back(absl::StrCat("not the name of an output: ", name));
      continue;
    }
    const auto found = got.find(parsed->output);
    if (found == got.end()) {
      differences.push_back(absl::StrCat(parsed->output, " is missing"));
      continue;
    }
    const std::optional<std::string> difference = CompareArray(
        EveryElement(found->second, parsed->step), expected, tolerance);
    if (difference.has_value()) {
      differences.push_back(absl::StrCat(name, ": ", *difference));
    }
  }
  return differences;
}

std::vector<std::string> CompareArrayFiles(
    const std::filesystem::path& got_path,
    const std::filesystem::path& want_path, const ArrayTolerance& tolerance) {
  absl::StatusOr<NamedArrays> got = LoadArrays(got_path);
  if (!got.ok()) return {std::string(got.status().message())};
  absl::StatusOr<NamedArrays> want = LoadArrays(want_path);
  if (!want.ok()) return {std::string(want.status().message())};
  return CompareArrays(*got, *want, tolerance);
}

}  // namespace hilo::tests
