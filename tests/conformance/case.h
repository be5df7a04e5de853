// Rows made concrete: one element type, one shape, one choice of layouts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {

// The shapes for $S.
inline constexpr int kShapeCount = 12;
// Whether parameters and results have their dimensions in the other order in
// memory.
inline constexpr int kLayoutCount = 4;

// A row with its choices.
struct Case {
  const Row* row = nullptr;
  hlo::ElementType type = hlo::ElementType::kF32;
  int shape = 0;
  int layouts = 0;
};

// Whether the row has $S, and whether it has $T.
bool HasShapes(const Row& row);
bool HasTypes(const Row& row);

// What the case computes, as text: "f32: add($0, $1) of f32[3,5], f32[3,5]".
std::string NameOf(const Case& test);

// A module that computes all of `cases`, which have one choice of layouts, and
// its arguments.
struct CaseModule {
  std::unique_ptr<hlo::Module> module;
  std::vector<hlo::Literal> arguments;
  std::string text;
};

// Errors: those of the parser and the verifier.
absl::StatusOr<CaseModule> MakeModule(absl::Span<const Case> cases);

}  // namespace hilo::tests
