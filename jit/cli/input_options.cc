// Generates inputs or reads them from files and literals.
#include "jit/cli/input_options.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/program_signature.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "jit/array_conversion.h"
#include "jit/cli/console.h"
#include "jit/cli/option_kinds.h"
#include "jit/generated_inputs.h"
#include "jit/npy.h"
#include "jit/npz.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/status.h"

namespace hilo::cli {
namespace {

using backends::ArrayLeaf;
using hlo::Literal;
using Leaves = absl::Span<const ArrayLeaf>;

constexpr std::array<absl::string_view, 5> kKinds = {"generated", "zeros",
                                                     "iota", "edge", "mixed"};

// The leaf that a position ("3") or a parameter's name ("state.1") means.
absl::StatusOr<size_t> FindLeaf(absl::string_view key, Leaves leaves) {
  size_t position = 0;
  if (absl::SimpleAtoi(key, &position)) {
    if (position < leaves.size()) return position;
    return InvalidArgument("there is no parameter leaf ", position,
                           ": the module takes ", leaves.size(), " arrays");
  }
  std::vector<absl::string_view> names;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].name == key) return i;
    names.emplace_back(leaves[i].name);
  }
  const std::string suggestion = SuggestNearest(key, names);
  return InvalidArgument("no parameter is called '", key, "'",
                         suggestion.empty() ? "" : "; ", suggestion);
}

absl::StatusOr<Literal> ReadValue(absl::string_view value,
                                  const ArrayLeaf& leaf) {
  if (absl::EndsWith(value, ".npy")) {
    ASSIGN_OR_RETURN(const NpyArray array, ReadNpy(std::string(value)));
    return LiteralFromArray(array, leaf.shape, leaf.description);
  }
  const std::string needs =
      absl::StrCat(leaf.description, " needs ",
                   hlo::ToString(leaf.shape, /*with_layout=*/false));
  // In a module, "3" can stand for an array of zeros that begins with 3, and
  // "{...}" for any values: here they are mistakes.
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(value);
  if (leaf.shape.rank() > 0 && !absl::StartsWith(text, "{")) {
    return InvalidArgument(needs, ", got '", value,
                           "': neither an .npy file nor a literal in braces");
  }
  absl::StatusOr<Literal> literal =
      hlo::ParseLiteral(value, hlo::WithoutLayout(leaf.shape));
  if (literal.ok() && literal->is_elided()) {
    return InvalidArgument(needs, ", got a literal without values");
  }
  if (literal.ok()) return literal;
  return InvalidArgument(
      needs, ", got no such literal: ",
      absl::StripTrailingAsciiWhitespace(literal.status().message()));
}

// Fills literals from "KEY=VALUE" words.
absl::Status ReadOverrides(const std::vector<std::string>& words, Leaves leaves,
                           std::vector<std::optional<Literal>>* literals) {
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
      return InvalidArgument("--input=", word,
                             ": expected LEAF=FILE.npy or LEAF='{1, 2, 3}'");
    }
    const absl::string_view text = word;
    ASSIGN_OR_RETURN(const size_t leaf,
                     FindLeaf(text.substr(0, equals), leaves));
    ASSIGN_OR_RETURN((*literals)[leaf],
                     ReadValue(text.substr(equals + 1), leaves[leaf]));
  }
  return absl::OkStatus();
}

// The leaf whose array is called `name`: "input3", or a parameter's name.
std::optional<size_t> LeafOfArray(absl::string_view name, Leaves leaves) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (name == absl::StrCat("input", i) || name == leaves[i].name) return i;
  }
  return std::nullopt;
}

absl::Status ReadArrays(const std::string& path, Leaves leaves,
                        Console& console,
                        std::vector<std::optional<Literal>>* literals) {
  ASSIGN_OR_RETURN(const std::vector<NamedArray> arrays, ReadNpz(path));
  for (const auto& [name, array] : arrays) {
    const std::optional<size_t> leaf = LeafOfArray(name, leaves);
    if (!leaf) {
      console.PrintNote(absl::StrCat(path, ": array '", name,
                                     "' is no parameter and is not used"));
      continue;
    }
    if ((*literals)[*leaf]) continue;
    ASSIGN_OR_RETURN((*literals)[*leaf],
                     LiteralFromArray(array, leaves[*leaf].shape,
                                      leaves[*leaf].description));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if ((*literals)[i]) continue;
    return InvalidArgument(leaves[i].description, " needs ",
                           hlo::ToString(leaves[i].shape, false),
                           ", got none: ", path, " has no array 'input", i,
                           "' or '", leaves[i].name, "'");
  }
  return absl::OkStatus();
}

absl::Status FillGenerated(const std::string& kind, uint64_t seed,
                           absl::string_view module_text, Leaves leaves,
                           std::vector<std::optional<Literal>>* literals) {
  ASSIGN_OR_RETURN(InputSettingsByLeaf settings,
                   ReadInputSettings(module_text));
  for (size_t i = 0; i < leaves.size(); ++i) {
    std::optional<Literal>& literal = (*literals)[i];
    if (literal) continue;
    const hlo::Shape& shape = leaves[i].shape;
    const auto leaf = static_cast<int64_t>(i);
    if (kind == "generated") {
      literal = GenerateInput(shape, leaf, seed, settings[leaf]);
    } else if (kind == "iota") {
      literal = IotaInput(shape);
    } else if (kind == "edge") {
      literal = EdgeInput(shape);
    } else if (kind == "mixed") {
      literal = MixedInput(shape, leaf, seed);
    } else {
      literal = Literal(hlo::WithoutLayout(shape));
    }
  }
  return absl::OkStatus();
}

std::string CheckInputs(const std::string& value) {
  const std::vector<absl::string_view> kinds(kKinds.begin(), kKinds.end());
  const bool is_kind = std::ranges::find(kinds, value) != kinds.end();
  if (is_kind || absl::EndsWith(value, ".npz")) return "";
  const std::string suggestion = SuggestNearest(value, kinds);
  return absl::StrCat(
      "'", value,
      "' is none of generated, zeros, iota, edge, mixed, nor an .npz "
      "file",
      suggestion.empty() ? "" : "; ", suggestion);
}

}  // namespace

void AddInputOptions(CLI::App& command, InputOptions& options) {
  AddOption(command,
            {.name = "--inputs",
             .target = &options.inputs,
             .doc = "Values of all parameters: a kind, or an .npz file with "
                    "arrays input0, input1, ... or named as the parameters",
             .value_name = "generated|zeros|iota|edge|mixed|FILE.npz",
             .check = &CheckInputs,
             .shows_default = true});
  AddOption(command, {.name = "--input",
                      .target = &options.overrides,
                      .doc = "Value of one parameter leaf, by position (tuples "
                             "flattened) or name: 3=FILE.npy or 3='{1, 2, 3}'",
                      .value_name = "LEAF=VALUE"});
}

absl::StatusOr<std::vector<Literal>> ReadInputs(const InputOptions& options,
                                                uint64_t seed,
                                                absl::string_view module_text,
                                                Leaves leaves,
                                                Console& console) {
  std::vector<std::optional<Literal>> literals(leaves.size());
  RETURN_IF_ERROR(ReadOverrides(options.overrides, leaves, &literals));
  if (absl::EndsWith(options.inputs, ".npz")) {
    RETURN_IF_ERROR(ReadArrays(options.inputs, leaves, console, &literals));
  } else {
    RETURN_IF_ERROR(
        FillGenerated(options.inputs, seed, module_text, leaves, &literals));
  }
  std::vector<Literal> values;
  values.reserve(literals.size());
  for (std::optional<Literal>& literal : literals) {
    // Each has been filled, or an error returned.
    if (literal.has_value()) values.push_back(*std::move(literal));
  }
  return values;
}

}  // namespace hilo::cli
