// Options as rows: what a command takes, declared without CLI11's headers,
// which cost ten seconds in every file that includes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/layout.h"
#include "hlo/text/parser.h"

namespace CLI {
class App;
}

namespace hilo::cli {

// Where the value of an option goes. A bool makes it a flag; a list may be
// given several times.
using OptionTarget = std::variant<bool*, std::string*, int64_t*, uint64_t*,
                                  double*, std::vector<std::string>*>;

// One option or positional argument.
struct OptionRow {
  // "--output,-o"; a positional argument has its name, "FILE".
  std::string name;
  OptionTarget target;
  std::string doc;
  // What the value is called: "N", "FILE". Not for flags and choices.
  std::string value_name = {};
  // If not empty, the value is one of these; a misspelt one names its
  // neighbours. They are also what it is called: "text|npy".
  std::vector<std::string> choices = {};
  // Returns what is wrong with a value; empty if nothing is.
  std::function<std::string(const std::string& value)> check = nullptr;
  bool is_required = false;
  // Whether help tells the target's value as the default.
  bool shows_default = false;
};

// Declares the option. The target must outlive the command.
void AddOption(CLI::App& command, const OptionRow& row);

// The command's one module, "-" for standard input.
void AddFile(CLI::App& command, std::string& file);
// One module or more.
void AddFiles(CLI::App& command, std::vector<std::string>& files);

// --elided-constants=counter|zeros|error.
void AddElidedConstants(CLI::App& command, std::string& value);
hlo::ElidedConstants ToElidedConstants(absl::string_view value);

// --argument-sizes=0=4x3, for StableHLO that leaves sizes open.
void AddArgumentSizes(CLI::App& command, std::vector<std::string>& values);
// By the argument's number; values are well formed.
absl::flat_hash_map<int64_t, hlo::DimensionVector> ToArgumentSizes(
    const std::vector<std::string>& values);

// Checks for OptionRow::check.
std::string CheckPositive(const std::string& value);
std::string CheckNotNegative(const std::string& value);

// Bytes of "123", "4G", "512MiB", or "80%" of the machine's memory.
// Errors: InvalidArgument that lists the forms.
absl::StatusOr<int64_t> ParseMemorySize(absl::string_view text);

}  // namespace hilo::cli
