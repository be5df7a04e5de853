// StableHLO programs as HLO modules.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"

namespace hilo {

// How a check of a test program compares.
enum class CheckKind : uint8_t {
  // Equal elements; NaN equals NaN.
  kEqual,
  // At most three units in the last place between the parts of elements.
  kClose,
  // At most 1e-3 between elements.
  kAlmostEqual,
};

// A custom call of check.expect_eq and its like.
struct StableHloCheck {
  CheckKind kind = CheckKind::kEqual;
  // "check.expect_eq".
  std::string name;
  // In the text.
  int64_t offset = 0;
};

struct StableHloOptions {
  // The module's result ends with two arrays for each check of the program:
  // what was computed and what is expected. Otherwise checks are left out.
  bool has_checks = false;
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
