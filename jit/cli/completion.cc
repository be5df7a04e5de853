// hilo completion: shell scripts made from the option table.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

#include "jit/cli/commands.h"
#include "jit/cli/console.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/help.h"
#include "jit/cli/option_kinds.h"

namespace hilo::cli {
namespace {

std::vector<std::string> CommandNames(const CLI::App& application) {
  std::vector<std::string> names;
  for (const CLI::App* command : SubcommandsOf(application)) {
    names.push_back(NameOf(*command));
  }
  return names;
}

// "--seed=" for options with a value, "--json" for flags.
std::vector<std::string> OptionWords(const CLI::App& command) {
  std::vector<std::string> words;
  for (const OptionDescription& option : DescribeOptions(command)) {
    if (option.is_positional) continue;
    words.push_back(
        absl::StrCat(option.names[0], option.value.empty() ? "" : "="));
  }
  return words;
}

// The words that a positional argument can be; empty if it is a file.
std::vector<std::string> PositionalChoices(const CLI::App& command) {
  for (const OptionDescription& option : DescribeOptions(command)) {
    if (option.is_positional) return option.choices();
  }
  return {};
}

std::string BashScript(const CLI::App& application) {
  std::string cases;
  for (const CLI::App* command : SubcommandsOf(application)) {
    absl::StrAppend(&cases, "    ", NameOf(*command), ")\n", "      options='",
                    absl::StrJoin(OptionWords(*command), " "), "'\n",
                    "      words='",
                    absl::StrJoin(PositionalChoices(*command), " "), "'\n");
    std::string values;
    for (const OptionDescription& option : DescribeOptions(*command)) {
      if (option.is_positional || option.choices().empty()) continue;
      absl::StrAppend(&values, "        ", option.names[0], ") values='",
                      absl::StrJoin(option.choices(), " "), "' ;;\n");
    }
    if (!values.empty()) {
      absl::StrAppend(&cases, "      case $name in\n", values, "      esac\n");
    }
    absl::StrAppend(&cases, "      ;;\n");
  }
  return absl::StrCat(
      "# bash completion of hilo, made by: hilo completion bash\n"
      "_hilo() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} name= options= words= values=\n"
      "  local line=${COMP_LINE:0:COMP_POINT}\n"
      "  local last=${line##* }\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '",
      absl::StrJoin(CommandNames(application), " "),
      " --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  # The shell splits --name=value at the equals sign.\n"
      "  [[ $last == --*=* ]] && name=${last%%=*}\n"
      "  case ${COMP_WORDS[1]} in\n",
      cases,
      "  esac\n"
      "  if [[ -n $name ]]; then\n"
      "    word=${last#*=}\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "    ((${#COMPREPLY[@]})) || COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  elif [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
      "  elif [[ -n $words ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _hilo hilo\n");
}

// Text within single quotes of zsh's _arguments: brackets and colons have a
// meaning there.
std::string ForZsh(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"'", "'\\''"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
}

std::string ZshArguments(const CLI::App& command) {
  std::string lines;
  for (const OptionDescription& option : DescribeOptions(command)) {
    const std::vector<std::string> choices = option.choices();
    const std::string completer =
        choices.empty() ? "_files"
                        : absl::StrCat("(", absl::StrJoin(choices, " "), ")");
    if (option.is_positional) {
      absl::StrAppend(&lines, " \\\n        '", option.is_repeatable ? "*" : "",
                      ":", ForZsh(option.names[0]), ":", completer, "'");
      continue;
    }
    absl::StrAppend(&lines, " \\\n        '", option.names[0],
                    option.value.empty() ? "" : "=", "[", ForZsh(option.doc),
                    "]");
    if (!option.value.empty()) {
      absl::StrAppend(&lines, ":", ForZsh(option.value), ":", completer);
    }
    absl::StrAppend(&lines, "'");
  }
  return lines;
}

std::string ZshScript(const CLI::App& application) {
  std::string names;
  std::string cases;
  for (const CLI::App* command : SubcommandsOf(application)) {
    absl::StrAppend(&names, "    '", NameOf(*command), ":",
                    ForZsh(DocOf(*command)), "'\n");
    absl::StrAppend(&cases, "    ", NameOf(*command), ")\n", "      _arguments",
                    ZshArguments(*command), "\n", "      ;;\n");
  }
  return absl::StrCat(
      "#compdef hilo\n"
      "# zsh completion of hilo, made by: hilo completion zsh\n"
      "_hilo() {\n"
      "  local -a commands=(\n",
      names,
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $words[1] in\n",
      cases,
      "  esac\n"
      "}\n"
      "_hilo \"$@\"\n");
}

std::string ForFish(const std::string& text) {
  return absl::StrCat(
      "'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::string FishScript(const CLI::App& application) {
  std::string script =
      "# fish completion of hilo, made by: hilo completion fish\n";
  for (const CLI::App* command : SubcommandsOf(application)) {
    absl::StrAppend(&script, "complete -c hilo -n __fish_use_subcommand -f -a ",
                    NameOf(*command), " -d ", ForFish(DocOf(*command)), "\n");
  }
  for (const CLI::App* command : SubcommandsOf(application)) {
    const std::string prefix =
        absl::StrCat("complete -c hilo -n '__fish_seen_subcommand_from ",
                     NameOf(*command), "'");
    for (const OptionDescription& option : DescribeOptions(*command)) {
      const std::vector<std::string> choices = option.choices();
      const std::string values = absl::StrJoin(choices, " ");
      if (option.is_positional) {
        if (choices.empty()) continue;
        absl::StrAppend(&script, prefix, " -f -a ", ForFish(values), "\n");
        continue;
      }
      absl::StrAppend(&script, prefix, " -l ", option.names[0].substr(2),
                      option.value.empty() ? "" : " -r", " -d ",
                      ForFish(option.doc));
      if (!choices.empty()) absl::StrAppend(&script, " -a ", ForFish(values));
      absl::StrAppend(&script, "\n");
    }
  }
  return script;
}

}  // namespace

CommandAction DeclareCompletion(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto shell = std::make_shared<std::string>();
  AddOption(command, {.name = "SHELL",
                      .target = shell.get(),
                      .doc = "Which shell's script",
                      .choices = {"bash", "zsh", "fish"},
                      .is_required = true});
  return [shell, &command](Console& console) {
    const CLI::App& application = ApplicationOf(command);
    if (*shell == "bash") console.Print(BashScript(application));
    if (*shell == "zsh") console.Print(ZshScript(application));
    if (*shell == "fish") console.Print(FishScript(application));
    return kSuccess;
  };
}

}  // namespace hilo::cli
