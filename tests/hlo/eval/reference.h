// What tests of structured operations share: computing results again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/literal.h"
#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {

// The value of one instruction as text, as Apply gives it but without spaces;
// `computations` is HLO text of those it calls.
std::string ApplyWith(absl::string_view computations,
                      absl::string_view instruction,
                      const std::vector<std::string>& arguments);

// Checks that each row's value reads as expected, except for spaces.
void CheckRows(absl::string_view computations,
               const std::vector<ApplyRow>& rows);

// The value of an instruction for literals as operands x, y, z, ... Must not
// fail.
Literal RunInstruction(absl::string_view computations,
                       absl::string_view instruction,
                       const std::vector<Literal>& operands);

// "name { a = type[] parameter(0) b = ... ROOT r = type[] opcode(a, b) }".
std::string Reducer(absl::string_view name, absl::string_view type,
                    absl::string_view opcode);

int64_t Product(const std::vector<int64_t>& sizes);

// Small numbers in an order that looks random, the same for each seed.
std::vector<int64_t> SomeNumbers(int64_t count, int64_t limit, int64_t seed);

// An array whose elements' bytes look random.
Literal SomeBytes(const Shape& shape, int64_t seed);

// Calls f with each index of an array, in row-major order.
void ForEachIndex(absl::Span<const int64_t> dimensions,
                  absl::FunctionRef<void(absl::Span<const int64_t>)> f);

// Row-major position of an index; -1 outside of the array.
int64_t PositionOf(absl::Span<const int64_t> dimensions,
                   absl::Span<const int64_t> index);

// Builds an array from where each of its elements is found in `source`; at -1,
// it is the scalar `otherwise`.
Literal MoveElements(
    const Shape& shape, const Literal& source, const Literal& otherwise,
    absl::FunctionRef<int64_t(absl::Span<const int64_t>)> position);

}  // namespace hilo::hlo
