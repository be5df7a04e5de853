// Computations over scalars, applied to arrays' elements by reduce and others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/scalar_program.h"
#include "hlo/ir/computation.h"

namespace hilo::hlo {

using ElementTypes = absl::InlinedVector<ElementType, 4>;

// The element types of arrays, each also for a tuple's elements.
ElementTypes ElementTypesOf(const Shape& shape);
void AppendElementTypes(absl::Span<const Literal> literals,
                        ElementTypes& types);

// A computation from scalars to scalars. Runs as a ScalarProgram where that is
// possible, else by calls. Where a parameter or result differs from the
// caller's arrays in float precision, converts.
class ScalarBody {
 public:
  static constexpr int64_t kMaxLanes = ScalarProgram::kMaxLanes;

  // `argument_types` and `result_types` are those of the caller's elements.
  // Errors: Unimplemented when they need a conversion that is not one between
  // float types. `computation` and `context` must outlive the body.
  static absl::StatusOr<ScalarBody> Create(
      const Computation& computation,
      absl::Span<const ElementType> argument_types,
      absl::Span<const ElementType> result_types, EvaluationContext& context);

  // Applies the computation to `lanes` (1 ... kMaxLanes) elements of each
  // argument. A result may be the same memory as an argument.
  absl::Status Run(int64_t lanes, absl::Span<const void* const> arguments,
                   absl::Span<void* const> results);

  // Whether parameter `i` can change the results.
  bool Uses(int64_t i) const;

 private:
  // An argument or result whose caller's type differs from the computation's.
  struct Conversion {
    int64_t position = 0;
    ElementType outer_type = ElementType::kF32;
    ElementType inner_type = ElementType::kF32;
    std::vector<std::byte> elements;
  };

  ScalarBody(const Computation& computation, EvaluationContext& context);

  absl::Status AddConversions(absl::Span<const ElementType> outer_types,
                              absl::Span<const ElementType> inner_types,
                              std::vector<Conversion>& conversions);
  absl::Status RunConverted(int64_t lanes,
                            absl::Span<const void* const> arguments,
                            absl::Span<void* const> results);
  absl::Status RunCalls(int64_t lanes, absl::Span<const void* const> arguments,
                        absl::Span<void* const> results);

  const Computation* computation_;
  EvaluationContext* context_;
  std::optional<ScalarProgram> program_;
  std::vector<Conversion> argument_conversions_;
  std::vector<Conversion> result_conversions_;
};

}  // namespace hilo::hlo
