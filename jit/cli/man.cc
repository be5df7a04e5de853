// hilo man and hilo help: pages made from the option table.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

#include "jit/cli/commands.h"
#include "jit/cli/console.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/help.h"
#include "jit/cli/option_kinds.h"
#include "jit/version.h"

namespace hilo::cli {
namespace {

// Text that roff prints as it is.
std::string ForRoff(absl::string_view text) {
  std::string escaped =
      absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  // A line must not begin with a control character.
  escaped =
      absl::StrReplaceAll(escaped, {{"\n.", "\n\\&."}, {"\n'", "\n\\&'"}});
  if (!escaped.empty() && (escaped[0] == '.' || escaped[0] == '\'')) {
    escaped.insert(0, "\\&");
  }
  return escaped;
}

void AppendManualOption(const OptionDescription& option, std::string* page) {
  std::string names = absl::StrJoin(option.names, ", ");
  if (!option.is_positional && !option.value.empty()) {
    absl::StrAppend(&names, "=", option.value);
  }
  absl::StrAppend(page, ".TP\n.B ", ForRoff(names), "\n", ForRoff(option.doc));
  if (!option.default_value.empty() && !option.value.empty()) {
    absl::StrAppend(page, " (default: ", ForRoff(option.default_value), ")");
  }
  absl::StrAppend(page, ".\n");
}

void AppendCommand(const CLI::App& command, std::string* page) {
  absl::StrAppend(page, ".SS ", ForRoff(UsageOf(command)), "\n",
                  ForRoff(DocOf(command)), ".\n");
  if (const CommandInfo* info = FindCommand(NameOf(command))) {
    absl::StrAppend(page, ".PP\n.nf\n", ForRoff(info->examples), "\n.fi\n");
  }
  for (const OptionDescription& option : DescribeOptions(command)) {
    AppendManualOption(option, page);
  }
}

std::string ManPage(const CLI::App& application) {
  std::string page = absl::StrCat(
      R"(.TH HILO 1 "" "Hilo )", Version(), "\"\n.SH NAME\nhilo \\- ",
      "runs tensor programs written in HLO\n.SH SYNOPSIS\n.B hilo\n",
      ".I COMMAND\n[\\fIOPTIONS\\fR] ...\n.SH DESCRIPTION\n",
      "Parses, verifies, evaluates and compiles modules in HLO or StableHLO "
      "text. A file may ",
      R"(hold several modules, separated by lines that begin with // \-\-\-)",
      "\\-\\-; a file called \\- is standard input.\n.SH COMMANDS\n");
  for (const CLI::App* command : SubcommandsOf(application)) {
    AppendCommand(*command, &page);
  }
  absl::StrAppend(
      &page,
      ".SH ENVIRONMENT\n.TP\n.B HILO_OPTIONS\n"
      "Options of the form \\-\\-name=value for every command that has them; "
      "those of the command line win.\n"
      ".TP\n.B NO_COLOR\nIf set, nothing is coloured.\n"
      ".SH EXIT STATUS\n"
      ".TP\n.B 0\nEverything is fine.\n"
      ".TP\n.B 1\nThere are errors in the input, or it could not be read or "
      "the output written.\n"
      ".TP\n.B 2\nThe command line is wrong.\n"
      ".TP\n.B 3\nResults that should be the same differ.\n"
      ".TP\n.B 4\nInternal error: a reproducer was written.\n");
  return page;
}

}  // namespace

CommandAction DeclareMan(CLI::App& command) {
  return [&command](Console& console) {
    console.Print(ManPage(ApplicationOf(command)));
    return kSuccess;
  };
}

CommandAction DeclareHelp(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto name = std::make_shared<std::string>();
  AddOption(command, {.name = "COMMAND",
                      .target = name.get(),
                      .doc = "Which command's help",
                      .value_name = "COMMAND"});
  return [name, &command](Console& console) {
    const CLI::App& application = ApplicationOf(command);
    if (name->empty()) {
      console.Print(HelpOf(application));
      return static_cast<int>(kSuccess);
    }
    for (const CLI::App* other : SubcommandsOf(application)) {
      if (NameOf(*other) != *name) continue;
      console.Print(HelpOf(*other));
      return static_cast<int>(kSuccess);
    }
    return console.FailUsage(
        absl::StrCat("there is no command '", *name, "'; see hilo --help"));
  };
}

}  // namespace hilo::cli
