// Accuracy of f32 functions over all magnitudes (case 83 of the bug reports).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "backends/registry.h"
#include "hlo/ir/literal.h"
#include "jit/client.h"

namespace hilo {
namespace {

constexpr int64_t kSampleCount = int64_t{1} << 20;
constexpr double kMaxUlps = 2;

struct Function {
  absl::string_view opcode;
  double (*reference)(double) = nullptr;
};

// Double's own error is no part of what is measured.
const std::vector<Function>& Functions() {
  static const std::vector<Function> functions = {
      {.opcode = "exponential", .reference = std::exp},
      {.opcode = "log", .reference = std::log},
      {.opcode = "tanh", .reference = std::tanh},
      {.opcode = "sine", .reference = std::sin},
      {.opcode = "cosine", .reference = std::cos},
      {.opcode = "log-plus-one", .reference = std::log1p},
      {.opcode = "exponential-minus-one", .reference = std::expm1},
      {.opcode = "erf", .reference = std::erf},
      {.opcode = "logistic",
       .reference = [](double x) { return 1 / (1 + std::exp(-x)); }},
      {.opcode = "cbrt", .reference = std::cbrt},
  };
  return functions;
}

// One number out of each 4096 neighbours, over all floats of both signs.
std::vector<float> Samples() {
  std::vector<float> samples(kSampleCount);
  uint32_t random = 1;
  for (size_t i = 0; i < samples.size(); ++i) {
    random = (random * 1664525U) + 1013904223U;
    const auto bits = static_cast<uint32_t>(i << 12U) | (random >> 20U);
    samples[i] = std::bit_cast<float>(bits);
  }
  samples[0] = 0;
  samples[1] = -16.740633F;
  return samples;
}

// The distance in units of the last place that `expected` has as a float.
// Infinity counts as 2^128, the first number that rounds to it.
double UlpsBetween(float actual, double expected) {
  if (std::isnan(actual) || std::isnan(expected)) {
    return std::isnan(actual) == std::isnan(expected)
               ? 0
               : std::numeric_limits<double>::infinity();
  }
  const double limit =
      std::ldexp(1.0, std::numeric_limits<float>::max_exponent);
  const double bounded = std::clamp(expected, -limit, limit);
  const double difference =
      std::abs(std::clamp<double>(actual, -limit, limit) - bounded);
  if (difference == 0) return 0;
  const int exponent =
      bounded == 0 ? std::numeric_limits<float>::min_exponent
                   : std::clamp(std::ilogb(bounded),
                                std::numeric_limits<float>::min_exponent - 1,
                                std::numeric_limits<float>::max_exponent - 1);
  return std::ldexp(difference,
                    std::numeric_limits<float>::digits - 1 - exponent);
}

// All functions of one parameter, as a tuple.
std::string ModuleText() {
  const std::string shape = absl::StrCat("f32[", kSampleCount, "]");
  std::string text =
      absl::StrCat("HloModule m\nENTRY e {\n  x = ", shape, " parameter(0)\n");
  std::string shapes;
  std::string names;
  for (const Function& function : Functions()) {
    const absl::string_view separator = names.empty() ? "" : ", ";
    absl::StrAppend(&names, separator, "r.", function.opcode);
    absl::StrAppend(&shapes, separator, shape);
    absl::StrAppend(&text, "  r.", function.opcode, " = ", shape, " ",
                    function.opcode, "(x)\n");
  }
  absl::StrAppend(&text, "  ROOT r = (", shapes, ") tuple(", names, ")\n}\n");
  return text;
}

// The sample with the largest error.
size_t WorstSample(const Function& function, const std::vector<float>& samples,
                   absl::Span<const float> results) {
  size_t worst = 0;
  double worst_ulps = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double ulps = UlpsBetween(results[i], function.reference(samples[i]));
    if (ulps <= worst_ulps) continue;
    worst = i;
    worst_ulps = ulps;
  }
  return worst;
}

TEST_CASE("f32 functions are within 2 ulps for all magnitudes") {
  const std::vector<float> samples = Samples();
  const std::vector<hlo::Literal> arguments = {
      hlo::Literal::Array<float>({kSampleCount}, samples)};
  for (const backends::BackendInfo& backend : backends::Backends()) {
    CAPTURE(backend.name);
    const auto client =
        Client::Create({.backend = std::string(backend.name)}).value();
    const auto executable = client->Compile(ModuleText()).value();
    const std::vector<hlo::Literal> results =
        executable->RunLiterals(arguments).value();
    for (size_t i = 0; i < Functions().size(); ++i) {
      const Function& function = Functions()[i];
      const absl::Span<const float> values = results[i].data<float>();
      const size_t worst = WorstSample(function, samples, values);
      CAPTURE(function.opcode, samples[worst], values[worst]);
      CHECK(UlpsBetween(values[worst], function.reference(samples[worst])) <=
            kMaxUlps);
    }
  }
}

TEST_CASE("logistic and tanh stay in their ranges") {
  const std::vector<float> samples = Samples();
  const std::vector<hlo::Literal> arguments = {
      hlo::Literal::Array<float>({kSampleCount}, samples)};
  for (const backends::BackendInfo& backend : backends::Backends()) {
    CAPTURE(backend.name);
    const auto client =
        Client::Create({.backend = std::string(backend.name)}).value();
    const auto executable = client->Compile(ModuleText()).value();
    const std::vector<hlo::Literal> results =
        executable->RunLiterals(arguments).value();
    for (size_t i = 0; i < Functions().size(); ++i) {
      const absl::string_view opcode = Functions()[i].opcode;
      if (opcode != "tanh" && opcode != "logistic") continue;
      CAPTURE(opcode);
      const float lowest = opcode == "tanh" ? -1 : 0;
      const absl::Span<const float> values = results[i].data<float>();
      CHECK(std::ranges::none_of(values, [lowest](float value) {
        return value < lowest || value > 1;
      }));
    }
  }
}

}  // namespace
}  // namespace hilo
