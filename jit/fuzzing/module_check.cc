// Evaluates, perturbs, compiles, runs and compares.
#include "jit/fuzzing/module_check.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "jit/client.h"
#include "jit/comparison.h"
#include "jit/executable.h"
#include "jit/fuzzing/perturbation.h"
#include "jit/generated_inputs.h"
#include "runtime/base/format_element.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"

namespace hilo::fuzzing {
namespace {

using hlo::Literal;
using hlo::Shape;

constexpr hlo::EvaluatorOptions kEvaluatorOptions = {
    .seed = 0, .memory_limit_bytes = int64_t{1} << 30, .step_limit = 200'000};

// The value of a shape, with leaves numbered on.
Literal ArgumentOf(const Shape& shape, uint64_t seed, int64_t* leaf) {
  if (shape.IsArray()) {
    return MixedInput(shape, (*leaf)++, seed).WithShape(shape);
  }
  if (!shape.IsTuple()) return Literal(shape);
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(ArgumentOf(element, seed, leaf));
  }
  return Literal::Tuple(std::move(elements));
}

// The arrays of a value.
std::vector<Literal> ArraysOf(const Literal& value) {
  std::vector<Literal> arrays;
  for (const Literal* leaf : value.Leaves()) {
    if (leaf->shape().IsArray()) arrays.push_back(*leaf);
  }
  return arrays;
}

absl::StatusOr<std::vector<Literal>> EvaluateOn(
    const hlo::Module& module, const std::vector<Literal>& arguments) {
  ASSIGN_OR_RETURN(const Literal value,
                   hlo::Evaluate(module, arguments, kEvaluatorOptions));
  return ArraysOf(value);
}

template <typename T>
inline constexpr bool kIsComplexType = NumericTraits<T>::is_complex;

// The errors of several operations may add up otherwise than in the few ways
// that were tried.
constexpr double kSlack = 4;

// Whether values are like bits of noise that are read as floats: of both signs,
// and of magnitudes that have little in common. Infinities and NaNs are among
// such bits, if rarely.
bool AreNoise(absl::Span<const double> values) {
  constexpr double kSpread = 4096;
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  bool has_positive = false;
  bool has_negative = false;
  for (const double value : values) {
    if (value == 0) continue;
    (value > 0 ? has_positive : has_negative) = true;
    least = std::min(least, std::fabs(value));
    largest = std::max(largest, std::fabs(value));
  }
  return has_positive && has_negative && largest > kSpread * least;
}

// Whether a float is one that a backend may give. `others` are what perturbed
// modules give; they differ from `want` by the errors that are allowed.
bool IsAllowed(double got, double want, absl::Span<const double> others) {
  if (std::isnan(want)) {
    for (const double other : others) {
      if (!std::isnan(other)) return true;
    }
    return std::isnan(got);
  }
  double error = 0;
  bool may_change_sign = want != 0;
  for (const double other : others) {
    if (std::isnan(other) || std::isinf(other) != std::isinf(want)) return true;
    if (std::isinf(want)) {
      if (other != want) return true;
      continue;
    }
    error = std::max(error, std::fabs(other - want));
    if (std::signbit(other) != std::signbit(want) || other != 0) {
      may_change_sign = true;
    }
  }
  if (!std::isfinite(got)) return std::isfinite(want) && AreNoise(others);
  if (got == want) {
    return may_change_sign || std::signbit(got) == std::signbit(want);
  }
  return std::isfinite(want) && std::fabs(got - want) <= kSlack * error;
}

// The same for complex numbers as points: errors of complex functions are
// bounded by the magnitude of the number, not of each part (Brent, Percival and
// Zimmermann, Error bounds on complex floating-point multiplication, 2007).
bool IsAllowedDistance(std::complex<double> got, std::complex<double> want,
                       absl::Span<const double> real,
                       absl::Span<const double> imag) {
  double error = 0;
  for (size_t i = 0; i < real.size(); ++i) {
    error = std::max(error, std::abs(std::complex(real[i], imag[i]) - want));
  }
  const double distance = std::abs(got - want);
  return std::isfinite(distance) && distance <= kSlack * error;
}

template <typename T>
bool IsSameElement(T a, T b) {
  if constexpr (kIsComplexType<T>) {
    return IsSameElement(a.real(), b.real()) &&
           IsSameElement(a.imag(), b.imag());
  } else if constexpr (NumericTraits<T>::is_float) {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return x == y && std::signbit(x) == std::signbit(y);
  } else {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

// Exponents alone are like integers: bits of floats that round are any of them.
template <typename T>
constexpr bool HasMantissa() {
  if constexpr (NumericTraits<T>::is_float) {
    return NumericTraits<T>::mantissa_bits > 0;
  } else {
    return false;
  }
}

template <typename T>
bool IsAllowedElement(T got, T want, absl::Span<const T> others) {
  if (IsSameElement(got, want)) return true;
  if constexpr (kIsComplexType<T>) {
    using Part = T::value_type;
    std::vector<double> real;
    std::vector<double> imag;
    for (const T& other : others) {
      real.push_back(static_cast<double>(Part(other.real())));
      imag.push_back(static_cast<double>(Part(other.imag())));
      // A complex NaN or infinity says nothing about its other part.
      if (!std::isfinite(real.back()) || !std::isfinite(imag.back())) {
        return true;
      }
    }
    return (IsAllowed(got.real(), want.real(), real) &&
            IsAllowed(got.imag(), want.imag(), imag)) ||
           IsAllowedDistance(std::complex<double>(got.real(), got.imag()),
                             std::complex<double>(want.real(), want.imag()),
                             real, imag);
  } else if constexpr (HasMantissa<T>()) {
    std::vector<double> values;
    for (const T& other : others) values.push_back(static_cast<double>(other));
    return IsAllowed(static_cast<double>(got), static_cast<double>(want),
                     values);
  } else {
    return std::ranges::any_of(
        others, [&](const T& other) { return !IsSameElement(other, want); });
  }
}

// What differs between one result and what is wanted; nullopt if nothing.
std::optional<std::string> CompareArray(const Literal& got, const Literal& want,
                                        const std::vector<Literal>& others) {
  if (!Compatible(got.shape(), want.shape())) {
    return absl::StrCat("has shape ", ToString(got.shape()), ", expected ",
                        ToString(want.shape()));
  }
  return hlo::DispatchElementType(
      want.shape().element_type(), [&](auto tag) -> std::optional<std::string> {
        using T = decltype(tag)::type;
        int64_t wrong = 0;
        std::string first;
        // Not std::vector<bool>, which has no elements to point at.
        absl::InlinedVector<T, kPerturbationCount> values(others.size());
        for (int64_t i = 0; i < want.element_count(); ++i) {
          const auto at = static_cast<size_t>(i);
          for (size_t k = 0; k < others.size(); ++k) {
            values[k] = others[k].data<T>()[at];
          }
          const T x = got.data<T>()[at];
          const T y = want.data<T>()[at];
          if (IsAllowedElement<T>(x, y, values)) continue;
          if (wrong++ > 0) continue;
          first =
              absl::StrCat(IndexText(want.shape(), i), " is ", FormatElement(x),
                           ", expected ", FormatElement(y));
        }
        if (wrong == 0) return std::nullopt;
        return absl::StrCat(first, "; ", wrong, " of ", want.element_count(),
                            " elements differ");
      });
}

CheckResult FromStatus(const absl::Status& status, const std::string& who) {
  const bool is_unsupported =
      absl::IsUnimplemented(status) || absl::IsResourceExhausted(status);
  return {.outcome = is_unsupported ? CheckOutcome::kUnsupported
                                    : CheckOutcome::kError,
          .message = absl::StrCat(who, ": ", status.message())};
}

absl::StatusOr<std::vector<Literal>> RunOn(
    const Executable& executable, const std::vector<Literal>& arguments) {
  std::vector<Buffer> buffers;
  for (const Literal& argument : arguments) {
    for (const Literal& array : ArraysOf(argument)) {
      const Shape& shape = executable.argument_leaves()[buffers.size()].shape;
      ASSIGN_OR_RETURN(Buffer buffer,
                       Buffer::FromLiteral(array.WithShape(shape)));
      buffers.push_back(std::move(buffer));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<Buffer> results,
                   executable.Run(std::move(buffers)));
  std::vector<Literal> literals;
  for (const Buffer& result : results) {
    ASSIGN_OR_RETURN(Literal literal, result.ToLiteral());
    literals.push_back(std::move(literal));
  }
  return literals;
}

// Runs a module in several ways, which share the kernels they have in common:
// most of the time of a check goes into making code.
class VariantRunner {
 public:
  absl::StatusOr<std::vector<Literal>> Run(
      const hlo::Module& module, const std::vector<Literal>& arguments,
      const CheckVariant& variant) {
    ASSIGN_OR_RETURN(const Client* client, ClientFor(variant));
    ASSIGN_OR_RETURN(
        std::unique_ptr<Executable> executable,
        client->Compile(module.Clone(),
                        {.is_verified = true,
                         .optimization_level = variant.optimization_level}));
    executables_.push_back(std::move(executable));
    return RunOn(*executables_.back(), arguments);
  }

 private:
  struct TargetClient {
    std::string target_cpu;
    int64_t threads;
    std::unique_ptr<Client> client;
  };

  absl::StatusOr<const Client*> ClientFor(const CheckVariant& variant) {
    for (const TargetClient& known : clients_) {
      if (known.target_cpu == variant.target_cpu &&
          known.threads == variant.threads) {
        return known.client.get();
      }
    }
    ASSIGN_OR_RETURN(std::unique_ptr<Client> client,
                     Client::Create({.backend = "cpu",
                                     .threads = variant.threads,
                                     .target_cpu = variant.target_cpu}));
    clients_.push_back({.target_cpu = variant.target_cpu,
                        .threads = variant.threads,
                        .client = std::move(client)});
    return clients_.back().client.get();
  }

  std::vector<TargetClient> clients_;
  // Kernels are there as long as an executable has them.
  std::vector<std::unique_ptr<Executable>> executables_;
};

}  // namespace

absl::StatusOr<std::vector<Literal>> RunVariant(
    const hlo::Module& module, const std::vector<Literal>& arguments,
    const CheckVariant& variant) {
  return VariantRunner().Run(module, arguments, variant);
}

absl::Status WarmUp() {
  ASSIGN_OR_RETURN(
      const std::unique_ptr<hlo::Module> module,
      hlo::Parse("HloModule warm_up\n"
                 "ENTRY entry {\n"
                 "  x = f32[3,70] parameter(0)\n"
                 "  y = f32[70,3] transpose(x), dimensions={1,0}\n"
                 "  z = f32[3,3] dot(x, y), lhs_contracting_dims={1},"
                 " rhs_contracting_dims={0}\n"
                 "  ROOT e = f32[3,3] exponential(z)\n"
                 "}\n"));
  const Literal argument(module->entry()->parameter(0)->shape());
  return RunVariant(*module, {argument}, {.threads = 1}).status();
}

std::string NameOf(const CheckVariant& variant) {
  std::string name = absl::StrCat("-O", variant.optimization_level);
  if (!variant.target_cpu.empty()) {
    absl::StrAppend(&name, " --target-cpu=", variant.target_cpu);
  }
  if (variant.threads > 0) {
    absl::StrAppend(&name, " --threads=", variant.threads);
  }
  return name;
}

namespace {

// What a module may give: the evaluator's results, and those of perturbed
// copies, as many as it takes.
class Oracle {
 public:
  // Both outlive the oracle.
  Oracle(const hlo::Module& module, const std::vector<Literal>& arguments)
      : module_(module), arguments_(arguments) {}

  absl::Status Evaluate() {
    ASSIGN_OR_RETURN(want_, EvaluateOn(module_, arguments_));
    others_.resize(want_.size());
    return absl::OkStatus();
  }

  // Perturbs in `count` more ways. Those of a module where nothing rounds
  // differ in the bits of NaNs only: two are enough at first.
  absl::Status AddWays(int count) {
    for (int i = 0; i < count; ++i) {
      bool is_exact = false;
      const int way = way_count_++;
      const std::unique_ptr<hlo::Module> perturbed =
          PerturbRoundings(module_, way, &is_exact);
      ASSIGN_OR_RETURN(const std::vector<Literal> values,
                       EvaluateOn(*perturbed, arguments_));
      for (size_t k = 0; k < others_.size(); ++k) {
        others_[k].push_back(values[k]);
      }
      if (is_exact && way == 1) break;
    }
    return absl::OkStatus();
  }

  // The first result that differs; nullopt if none does.
  std::optional<std::string> FindDifference(
      const std::vector<Literal>& got) const {
    for (size_t i = 0; i < want_.size(); ++i) {
      const std::optional<std::string> difference =
          CompareArray(got[i], want_[i], others_[i]);
      if (difference) return absl::StrCat("output", i, " ", *difference);
    }
    return std::nullopt;
  }

 private:
  const hlo::Module& module_;
  const std::vector<Literal>& arguments_;
  int way_count_ = 0;
  std::vector<Literal> want_;
  // By output, then by way.
  std::vector<std::vector<Literal>> others_;
};

// Compares results with the oracle's. What looks wrong in the few ways that are
// tried first may be the result of another way to round: a discontinuity, or
// an order of NaNs.
absl::StatusOr<std::optional<std::string>> FindFault(
    const std::vector<Literal>& got, Oracle& oracle) {
  constexpr int kBatch = 16;
  constexpr int kBatchCount = 8;
  std::optional<std::string> difference = oracle.FindDifference(got);
  for (int batch = 0; difference && batch < kBatchCount; ++batch) {
    RETURN_IF_ERROR(oracle.AddWays(kBatch));
    difference = oracle.FindDifference(got);
  }
  return difference;
}

}  // namespace

CheckResult CheckModule(const hlo::Module& module, uint64_t seed,
                        const std::vector<CheckVariant>& variants) {
  std::vector<Literal> arguments;
  int64_t leaf = 0;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    arguments.push_back(ArgumentOf(parameter->shape(), seed, &leaf));
  }
  return CheckModule(module, arguments, variants);
}

CheckResult CheckModule(const hlo::Module& module,
                        const std::vector<Literal>& arguments,
                        const std::vector<CheckVariant>& variants) {
  Oracle oracle(module, arguments);
  absl::Status status = oracle.Evaluate();
  if (!status.ok()) return FromStatus(status, "evaluator");
  status = oracle.AddWays(kPerturbationCount);
  if (!status.ok()) return FromStatus(status, "perturbed");
  VariantRunner runner;
  for (const CheckVariant& variant : variants) {
    const absl::StatusOr<std::vector<Literal>> got =
        runner.Run(module, arguments, variant);
    if (!got.ok()) return FromStatus(got.status(), NameOf(variant));
    const absl::StatusOr<std::optional<std::string>> fault =
        FindFault(*got, oracle);
    if (!fault.ok()) return FromStatus(fault.status(), "perturbed");
    if (!*fault) continue;
    return {.outcome = CheckOutcome::kMismatch,
            .message = absl::StrCat(NameOf(variant), ": ", **fault)};
  }
  return {};
}

}  // namespace hilo::fuzzing
