// Reads HLO text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"

namespace hilo::hlo {

// What `constant({...})` means.
enum class ElidedConstants : uint8_t {
  // Integers and pred: successive 32-bit numbers as bit patterns, counted
  // through all elided constants of a module, as XLA's tools do; narrow types
  // are masked to their range. Distinct indices stay distinct. Floats: zeros,
  // to which XLA's CPU code flushes the subnormals that such patterns are.
  kCounter,
  kZeros,
  kError,
};

struct ParseOptions {
  // Where values are made up, one warning counts the constants.
  ElidedConstants elided_constants = ElidedConstants::kCounter;
  // Unknown attributes are skipped with a warning; true makes them errors.
  bool unknown_attributes_are_errors = false;
};

// Parses one module in HLO text form (language reference, section 1). Fills
// `diagnostics` with everything found; returns null when there were errors.
// The module keeps `source` for later diagnostics. Log prefixes are stripped
// and a text without header is accepted, by the rules of sections 1.2, 1.12.
std::unique_ptr<Module> Parse(std::shared_ptr<const Source> source,
                              const ParseOptions& options,
                              Diagnostics* diagnostics);

// The same for a text in memory. Errors: InvalidArgument with the rendered
// diagnostics; `name` stands for the file.
absl::StatusOr<std::unique_ptr<Module>> Parse(absl::string_view text,
                                              absl::string_view name = "<text>",
                                              const ParseOptions& options = {});

// Parses a shape, "f32[2,3]{1,0}", that makes up the whole text.
absl::StatusOr<Shape> ParseShape(absl::string_view text);

// Parses a literal of `shape`, "{ {1, 2}, {3, 4} }", that makes up the whole
// text. Errors carry the column in the message.
absl::StatusOr<Literal> ParseLiteral(absl::string_view text,
                                     const Shape& shape);

// Splits a file that holds several modules at lines that begin "// -----".
// Each piece keeps its line numbers: earlier lines are replaced by empty ones.
std::vector<std::string> SplitModules(absl::string_view text);

}  // namespace hilo::hlo
