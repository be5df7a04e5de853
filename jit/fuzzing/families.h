// The families of operations that random modules are made of.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ops/builder.h"
#include "jit/fuzzing/scope.h"

namespace hilo::fuzzing {

// A row of the table: how to add one operation to a computation.
struct Family {
  absl::string_view name;
  // How often it is taken, relative to others.
  int weight = 1;
  // Whether it needs computations of its own that hold any operations.
  bool is_nested = false;
  void (*generate)(Scope& scope) = nullptr;
};

// The tables, by subject.
absl::Span<const Family> ElementwiseFamilies();
absl::Span<const Family> MovementFamilies();
absl::Span<const Family> IndexingFamilies();
absl::Span<const Family> ReductionFamilies();
absl::Span<const Family> ContractionFamilies();
absl::Span<const Family> ControlFamilies();

// Adds operations of all families while there is budget, at most `count`.
void GenerateOperations(Scope& scope, int64_t count);

}  // namespace hilo::fuzzing
