// The subcommands, one row each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "jit/cli/console.h"

namespace CLI {
class App;
}

namespace hilo::cli {

// Does what a parsed command line asks for; returns the exit status.
using CommandAction = std::function<int(Console& console)>;

// A row of the table.
struct CommandInfo {
  absl::string_view name;
  absl::string_view doc;
  // Lines to try, without indentation; they lead the help.
  absl::string_view examples;
  // Declares the options of `command` and returns what to do with them.
  CommandAction (*declare)(CLI::App& command) = nullptr;
};

absl::Span<const CommandInfo> Commands();

// Null when there is no such command.
const CommandInfo* FindCommand(absl::string_view name);

// A command that is planned but not part of this version, and what it needs.
struct PlannedCommand {
  absl::string_view name;
  absl::string_view needs;
};
absl::Span<const PlannedCommand> PlannedCommands();

// The application with all subcommands; those of them that are parsed leave
// their action in `action`, which must outlive the application.
std::unique_ptr<CLI::App> MakeApplication(CommandAction* action);

// One for each row, in a file of its own.
CommandAction DeclareRun(CLI::App& command);
CommandAction DeclareCheck(CLI::App& command);
CommandAction DeclareOpt(CLI::App& command);
CommandAction DeclareBench(CLI::App& command);
CommandAction DeclareCompare(CLI::App& command);
CommandAction DeclareCompile(CLI::App& command);
CommandAction DeclareFuzz(CLI::App& command);
CommandAction DeclareReduce(CLI::App& command);
CommandAction DeclareConvert(CLI::App& command);
CommandAction DeclareList(CLI::App& command);
CommandAction DeclareCompletion(CLI::App& command);
CommandAction DeclareMan(CLI::App& command);
CommandAction DeclareHelp(CLI::App& command);

}  // namespace hilo::cli
