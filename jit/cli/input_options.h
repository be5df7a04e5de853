// Where the values of a module's parameters come from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/program_signature.h"
#include "hlo/ir/literal.h"
#include "jit/cli/console.h"

namespace CLI {
class App;
}

namespace hilo::cli {

struct InputOptions {
  // "generated", "zeros", "iota", "edge", "mixed", or the name of an .npz file.
  std::string inputs = "generated";
  // "3=FILE.npy", "weights={1, 2, 3}": what single leaves get instead.
  std::vector<std::string> overrides;
};

// Declares --inputs and --input.
void AddInputOptions(CLI::App& command, InputOptions& options);

// One literal per leaf, of its type and dimensions. `module_text` is read for
// "// INPUT" lines; notes about arrays that are not used go to `console`.
// Errors: InvalidArgument that names the parameter, what it needs and what it
// got; what the system says about files.
absl::StatusOr<std::vector<hlo::Literal>> ReadInputs(
    const InputOptions& options, uint64_t seed, absl::string_view module_text,
    absl::Span<const backends::ArrayLeaf> leaves, Console& console);

}  // namespace hilo::cli
