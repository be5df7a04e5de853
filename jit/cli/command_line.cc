// Finds the subcommand, corrects misspellings, and catches what CLI11 throws.
#include "jit/cli/command_line.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "jit/cli/commands.h"
#include "jit/cli/console.h"
#include "jit/cli/crash_report.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/help.h"
#include "jit/cli/quoting.h"
#include "jit/version.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/status.h"

namespace hilo::cli {
namespace {

// "--seed" of "--seed=3".
std::string NameOfOption(absl::string_view word) {
  return std::string(word.substr(0, word.find('=')));
}

bool HasOption(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name) != nullptr;
}

std::string SuggestOption(const CLI::App& command, absl::string_view name) {
  std::vector<std::string> names;
  for (const OptionDescription& option : DescribeOptions(command)) {
    for (const std::string& spelling : option.names) names.push_back(spelling);
  }
  return SuggestNearest(name, {names.begin(), names.end()});
}

// OK if every option on the command line exists.
absl::Status CheckOptionNames(const CLI::App& command,
                              const std::vector<std::string>& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") break;
    const bool is_option = word.size() > 1 && word[0] == '-' &&
                           !absl::ascii_isdigit(word[1]) && word[1] != '.';
    if (!is_option) continue;
    const bool is_long = word[1] == '-';
    const std::string name = is_long ? NameOfOption(word) : word.substr(0, 2);
    if (HasOption(command, name)) continue;
    const std::string suggestion = SuggestOption(command, name);
    return InvalidArgument("hilo ", command.get_name(), " has no option ", name,
                           suggestion.empty() ? "" : "; ", suggestion);
  }
  return absl::OkStatus();
}

// Inserts the options of HILO_OPTIONS that the command has, before its own.
absl::Status InsertEnvironmentOptions(const CLI::App& application,
                                      const CLI::App& command,
                                      std::vector<std::string>* arguments) {
  const char* text = std::getenv("HILO_OPTIONS");
  if (text == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<std::string> words, SplitWords(text));
  std::vector<std::string> inserted;
  for (const std::string& word : words) {
    const std::string name = NameOfOption(word);
    if (HasOption(command, name)) {
      inserted.push_back(word);
      continue;
    }
    const std::vector<const CLI::App*> commands =
        application.get_subcommands([](const CLI::App*) { return true; });
    const bool is_known = std::ranges::any_of(
        commands,
        [&](const CLI::App* other) { return HasOption(*other, name); });
    if (is_known && absl::StartsWith(word, "--")) continue;
    return InvalidArgument("HILO_OPTIONS: no command has an option ", name,
                           "; write options as --name=value");
  }
  arguments->insert(arguments->begin() + 1, inserted.begin(), inserted.end());
  return absl::OkStatus();
}

// The message for a first word that is no command.
std::string DescribeUnknownCommand(absl::string_view name) {
  for (const PlannedCommand& planned : PlannedCommands()) {
    if (planned.name != name) continue;
    return absl::StrCat("'", name, "' is not available in this version: needs ",
                        planned.needs);
  }
  std::vector<absl::string_view> names;
  for (const CommandInfo& info : Commands()) names.push_back(info.name);
  std::string suggestion = SuggestNearest(name, names);
  if (suggestion.empty()) suggestion = "see hilo --help";
  return absl::StrCat("there is no command '", name, "'; ", suggestion);
}

ColorMode ColorModeOf(const CLI::App& command) {
  const CLI::Option* option = command.get_option_no_throw("--color");
  if (option == nullptr || option->count() == 0) return ColorMode::kAuto;
  const auto value = option->as<std::string>();
  if (value == "always") return ColorMode::kAlways;
  return value == "never" ? ColorMode::kNever : ColorMode::kAuto;
}

// Parses the words of one subcommand and runs it.
int RunSubcommand(CLI::App& application, CLI::App& command,
                  const CommandAction& action,
                  std::vector<std::string> arguments, Console& console) {
  const std::string see =
      absl::StrCat("; see hilo ", command.get_name(), " --help");
  absl::Status status =
      InsertEnvironmentOptions(application, command, &arguments);
  status.Update(CheckOptionNames(command, arguments));
  if (!status.ok()) return console.FailUsage(status.message());
  try {
    // CLI11 takes words from the back.
    std::ranges::reverse(arguments);
    application.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    console.Print(HelpOf(command));
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    return console.FailUsage(absl::StrCat(error.what(), see));
  }
  console.set_color_mode(ColorModeOf(command));
  return action(console);
}

int Dispatch(const std::vector<std::string>& arguments, Console& console) {
  CommandAction action;
  const std::unique_ptr<CLI::App> application = MakeApplication(&action);
  if (arguments.empty()) {
    console.PrintDiagnostics(HelpOf(*application));
    return kUsage;
  }
  const std::string& first = arguments[0];
  if (first == "--help" || first == "-h") {
    console.Print(HelpOf(*application));
    return kSuccess;
  }
  if (first == "--version") {
    console.Print(absl::StrCat("hilo ", Version(), "\n"));
    return kSuccess;
  }
  if (absl::StartsWith(first, "-") && first != "-") {
    return console.FailUsage(absl::StrCat(
        "hilo has no option ", NameOfOption(first),
        " before the command; options follow it: hilo run FILE --name=value"));
  }
  if (FindCommand(first) == nullptr) {
    return console.FailUsage(DescribeUnknownCommand(first));
  }
  CLI::App* command = application->get_subcommand(first);
  return RunSubcommand(*application, *command, action, arguments, console);
}

}  // namespace

int RunCommandLine(const std::vector<std::string>& arguments) {
  // A closed pipe is an error like any other.
  std::signal(SIGPIPE, SIG_IGN);
  InstallCrashHandler(arguments);
  Console console;
  console.set_color_mode(ColorMode::kAuto);
  return console.Finish(Dispatch(arguments, console));
}

}  // namespace hilo::cli
