// Declares options with CLI11.
#include "jit/cli/option_kinds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/layout.h"
#include "hlo/text/parser.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/machine_memory.h"
#include "runtime/base/status.h"

namespace hilo::cli {
namespace {

std::string CheckChoice(const std::vector<std::string>& choices,
                        const std::string& value) {
  if (std::ranges::find(choices, value) != choices.end()) {
    return "";
  }
  const std::vector<absl::string_view> names(choices.begin(), choices.end());
  const std::string suggestion = SuggestNearest(value, names);
  return absl::StrCat("'", value, "' is none of ", absl::StrJoin(choices, ", "),
                      suggestion.empty() ? "" : "; ", suggestion);
}

// The bytes that a suffix stands for; 0 if it is not one.
double UnitBytes(absl::string_view suffix) {
  if (suffix.empty()) return 1;
  constexpr absl::string_view kPrefixes = "KMGT";
  const size_t power = kPrefixes.find(
      absl::ascii_toupper(static_cast<unsigned char>(suffix[0])));
  const absl::string_view rest = suffix.substr(1);
  const bool is_unit =
      rest.empty() || rest == "B" || rest == "i" || rest == "iB";
  if (power == absl::string_view::npos || !is_unit) return 0;
  return std::ldexp(1.0, 10 * static_cast<int>(power + 1));
}

// "0=4x3".
bool ParseArgumentSize(absl::string_view text, int64_t* number,
                       hlo::DimensionVector* sizes) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '=');
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], number)) return false;
  for (const absl::string_view size : absl::StrSplit(parts[1], 'x')) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(size, &value) || value < 0) return false;
    sizes->push_back(value);
  }
  return true;
}

}  // namespace

void AddOption(CLI::App& command, const OptionRow& row) {
  CLI::Option* option = std::visit(
      [&](auto* target) {
        if constexpr (std::is_same_v<decltype(target), bool*>) {
          return command.add_flag(row.name, *target, row.doc);
        } else {
          return command.add_option(row.name, *target, row.doc);
        }
      },
      row.target);
  if (!row.value_name.empty()) option->type_name(row.value_name);
  if (!row.choices.empty()) {
    option->type_name(absl::StrJoin(row.choices, "|"))
        ->check([choices = row.choices](const std::string& value) {
          return CheckChoice(choices, value);
        });
  }
  if (row.check) option->check(row.check);
  if (row.is_required) option->required();
  if (row.shows_default) option->capture_default_str();
  // A named list takes one value each time; a positional one takes them all.
  if (std::holds_alternative<std::vector<std::string>*>(row.target) &&
      !option->get_positional()) {
    option->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
  }
}

void AddFile(CLI::App& command, std::string& file) {
  AddOption(command,
            {.name = "FILE",
             .target = &file,
             .doc = "A module: HLO text, StableHLO text or bytecode; - is "
                    "standard input",
             .value_name = "FILE",
             .is_required = true});
}

void AddFiles(CLI::App& command, std::vector<std::string>& files) {
  AddOption(command,
            {.name = "FILE",
             .target = &files,
             .doc = "Modules: HLO text, StableHLO text or bytecode; - is "
                    "standard input",
             .value_name = "FILE",
             .is_required = true});
}

void AddElidedConstants(CLI::App& command, std::string& value) {
  AddOption(command,
            {.name = "--elided-constants",
             .target = &value,
             .doc = "Values of constant({...}); counter: as XLA's tools",
             .choices = {"counter", "zeros", "error"},
             .shows_default = true});
}

hlo::ElidedConstants ToElidedConstants(absl::string_view value) {
  if (value == "zeros") return hlo::ElidedConstants::kZeros;
  if (value == "error") return hlo::ElidedConstants::kError;
  return hlo::ElidedConstants::kCounter;
}

void AddArgumentSizes(CLI::App& command, std::vector<std::string>& values) {
  AddOption(command,
            {.name = "--argument-sizes",
             .target = &values,
             .doc = "Sizes of an argument of StableHLO, by its number, that "
                    "the program leaves open",
             .value_name = "N=4x3",
             .check = [](const std::string& value) {
               int64_t number = 0;
               hlo::DimensionVector sizes;
               return ParseArgumentSize(value, &number, &sizes)
                          ? ""
                          : absl::StrCat("'", value,
                                         "' is no number and sizes, as 0=4x3");
             }});
}

absl::flat_hash_map<int64_t, hlo::DimensionVector> ToArgumentSizes(
    const std::vector<std::string>& values) {
  absl::flat_hash_map<int64_t, hlo::DimensionVector> sizes;
  for (const std::string& value : values) {
    int64_t number = 0;
    hlo::DimensionVector own;
    if (ParseArgumentSize(value, &number, &own)) sizes[number] = own;
  }
  return sizes;
}

std::string CheckPositive(const std::string& value) {
  double number = 0;
  if (absl::SimpleAtod(value, &number) && number > 0) return "";
  return absl::StrCat("'", value, "' is no positive number");
}

std::string CheckNotNegative(const std::string& value) {
  double number = 0;
  if (absl::SimpleAtod(value, &number) && number >= 0) return "";
  return absl::StrCat("'", value, "' is no number from 0 on");
}

absl::StatusOr<int64_t> ParseMemorySize(absl::string_view text) {
  const size_t digits =
      std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  double unit = 0;
  if (absl::SimpleAtod(text.substr(0, digits), &number)) {
    const absl::string_view suffix = text.substr(digits);
    unit = suffix == "%" ? static_cast<double>(MachineMemoryBytes()) / 100
                         : UnitBytes(suffix);
  }
  const double bytes = number * unit;
  if (unit > 0 && bytes >= 1 && bytes < 0x1p63) {
    return static_cast<int64_t>(bytes);
  }
  return InvalidArgument("'", text,
                         "' is no amount of memory: write bytes, 512M, 4G, or "
                         "80% of the machine's");
}

}  // namespace hilo::cli
