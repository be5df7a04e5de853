// StableHLO programs as HLO modules.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/layout.h"
#include "hlo/ir/module.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"

namespace hilo {

// How a check of a test program compares. Integers and truth values must be
// equal in any check; NaN equals NaN, and an infinity itself only.
enum class CheckKind : uint8_t {
  kEqual,
  // By units in the last place between elements, or the parts of complex ones.
  kClose,
  // By differences.
  kAlmostEqual,
};

// An operation check.expect_eq, a custom call of that name, or their like.
struct StableHloCheck {
  CheckKind kind = CheckKind::kEqual;
  // "check.expect_eq".
  std::string name;
  // In the text.
  int64_t offset = 0;
  // kAlmostEqual: the largest difference.
  double tolerance = 0;
  // kClose: between these lies the largest distance.
  uint64_t min_ulps = 0;
  uint64_t max_ulps = 0;
};

struct StableHloOptions {
  // The module's result ends with two arrays for each check of the program:
  // what was computed and what is expected. Otherwise checks are left out.
  bool has_checks = false;
  // Sizes of arguments by their number, for those that the program leaves open
  // (tensor<?x3xf32>). What follows from them is found as for a call.
  absl::flat_hash_map<int64_t, hlo::DimensionVector> argument_sizes = {};
};

struct StableHloProgram {
  std::unique_ptr<hlo::Module> module;
  std::vector<StableHloCheck> checks;
};

// Whether a file is MLIR bytecode.
bool IsStableHloBytecode(absl::string_view bytes);

// Whether a file is StableHLO rather than HLO text: bytecode, or a text whose
// first word is "module" or "func.func" or that begins with an alias, "#" or
// "!".
bool IsStableHlo(absl::string_view bytes);

// Converts a text with the dialects stablehlo, chlo and func, or bytecode:
// portable artifacts of StableHLO 0.9 to 1.20 and plain modules of these
// dialects. The entry is the function "main", or else the only public one.
// Fills `diagnostics` with everything found; a program without a module when
// there were errors. The module keeps `source`; it is not verified yet. Bytes
// of bytecode have no lines: messages say them, instructions have no place.
//
// Errors: what the language forbids, and operations, types and attributes that
// are not supported, by name.
StableHloProgram ParseStableHlo(std::shared_ptr<const Source> source,
                                const StableHloOptions& options,
                                Diagnostics* diagnostics);

// The same for a file in memory, verified and without checks. Errors:
// InvalidArgument with the rendered diagnostics; `name` stands for the file.
absl::StatusOr<std::unique_ptr<hlo::Module>> ParseStableHlo(
    absl::string_view bytes, absl::string_view name = "<text>");

}  // namespace hilo
