// Walks the option tree of CLI11.
#include "jit/cli/help.h"

#include <cstddef>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "jit/cli/commands.h"

namespace hilo::cli {
namespace {

constexpr size_t kWidth = 79;
constexpr size_t kDocColumn = 26;

constexpr absl::string_view kTopExamples =
    "hilo run model.hlo\n"
    "hilo check model.hlo\n"
    "hilo opt model.hlo --form=short\n"
    "hilo list ops";

OptionDescription Describe(const CLI::Option& option) {
  OptionDescription description;
  description.is_positional = option.get_positional();
  if (description.is_positional) {
    description.names.push_back(option.get_name(/*positional=*/true));
  } else {
    for (const std::string& name : option.get_lnames()) {
      description.names.push_back("--" + name);
    }
    for (const std::string& name : option.get_snames()) {
      description.names.push_back("-" + name);
    }
  }
  description.is_required = option.get_required();
  description.is_repeatable = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    description.value = type.substr(0, type.find(':'));
  }
  description.default_value = option.get_default_str();
  description.doc = option.get_description();
  return description;
}

// Appends `left`, and `doc` in its column, wrapped.
void AppendEntry(const std::string& left, const std::string& doc,
                 std::string* text) {
  std::string line = absl::StrCat("  ", left);
  if (line.size() + 2 > kDocColumn) {
    absl::StrAppend(text, line, "\n");
    line.clear();
  }
  line.resize(kDocColumn, ' ');
  for (const absl::string_view word : absl::StrSplit(doc, ' ')) {
    if (line.size() + word.size() > kWidth && line.size() > kDocColumn) {
      absl::StrAppend(text, line.substr(0, line.size() - 1), "\n");
      line.assign(kDocColumn, ' ');
    }
    absl::StrAppend(&line, word, " ");
  }
  absl::StrAppend(text, line.substr(0, line.size() - 1), "\n");
}

void AppendOption(const OptionDescription& option, std::string* text) {
  std::string left = absl::StrJoin(option.names, ", ");
  if (!option.is_positional && !option.value.empty()) {
    absl::StrAppend(&left, "=", option.value);
  }
  std::string doc = option.doc;
  if (!option.default_value.empty() && !option.value.empty()) {
    absl::StrAppend(&doc, " [", option.default_value, "]");
  }
  AppendEntry(left, doc, text);
}

void AppendExamples(absl::string_view examples, std::string* text) {
  absl::StrAppend(text, "Examples:\n  ",
                  absl::StrReplaceAll(examples, {{"\n", "\n  "}}), "\n");
}

std::string HelpOfApplication(const CLI::App& application) {
  std::string text = "hilo: runs tensor programs written in HLO.\n\n";
  AppendExamples(kTopExamples, &text);
  absl::StrAppend(&text, "\nUsage: ", UsageOf(application), "\n\nCommands:\n");
  for (const CLI::App* command : SubcommandsOf(application)) {
    AppendEntry(command->get_name(), command->get_description(), &text);
  }
  absl::StrAppend(&text, "\nOptions:\n");
  for (const OptionDescription& option : DescribeOptions(application)) {
    AppendOption(option, &text);
  }
  absl::StrAppend(
      &text,
      "\nHILO_OPTIONS holds options for every command that has them.\n"
      "Exit status: 0 fine, 1 errors in the input, 2 wrong usage, 3 results "
      "differ,\n4 internal error. More: hilo help COMMAND.\n");
  return text;
}

}  // namespace

std::vector<std::string> OptionDescription::choices() const {
  std::vector<std::string> words;
  if (!absl::StrContains(value, '|')) return words;
  for (const absl::string_view word : absl::StrSplit(value, '|')) {
    // "FILE.npz" stands for many.
    if (!absl::StartsWith(word, "FILE")) words.emplace_back(word);
  }
  return words;
}

const CLI::App& ApplicationOf(const CLI::App& command) {
  return *command.get_parent();
}

std::string NameOf(const CLI::App& command) { return command.get_name(); }

std::string DocOf(const CLI::App& command) { return command.get_description(); }

std::vector<OptionDescription> DescribeOptions(const CLI::App& command) {
  std::vector<OptionDescription> descriptions;
  for (const CLI::Option* option : command.get_options()) {
    descriptions.push_back(Describe(*option));
  }
  return descriptions;
}

std::vector<const CLI::App*> SubcommandsOf(const CLI::App& application) {
  return application.get_subcommands([](const CLI::App*) { return true; });
}

std::string UsageOf(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "hilo COMMAND [OPTIONS] ...";
  std::string usage = absl::StrCat("hilo ", command.get_name(), " [OPTIONS]");
  for (const OptionDescription& option : DescribeOptions(command)) {
    if (!option.is_positional) continue;
    const std::string name =
        absl::StrCat(option.names[0], option.is_repeatable ? "..." : "");
    absl::StrAppend(&usage, " ",
                    option.is_required ? name : absl::StrCat("[", name, "]"));
  }
  return usage;
}

std::string HelpOf(const CLI::App& command) {
  if (command.get_parent() == nullptr) return HelpOfApplication(command);
  std::string text = absl::StrCat("hilo ", command.get_name(), ": ",
                                  command.get_description(), ".\n\n");
  if (const CommandInfo* info = FindCommand(command.get_name())) {
    AppendExamples(info->examples, &text);
  }
  absl::StrAppend(&text, "\nUsage: ", UsageOf(command), "\n\nOptions:\n");
  for (const OptionDescription& option : DescribeOptions(command)) {
    AppendOption(option, &text);
  }
  return text;
}

}  // namespace hilo::cli
