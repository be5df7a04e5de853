// The table of subcommands, and the application made from it.
#include "jit/cli/commands.h"

#include <array>
#include <memory>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hilo::cli {
namespace {

constexpr std::array kCommands = {
    CommandInfo{.name = "run",
                .doc = "Compiles and runs a module",
                .examples =
                    "hilo run model.hlo\n"
                    "hilo run model.hlo --inputs=zeros --input=1=weights.npy\n"
                    "hilo run model.hlo --input=0='{1, 2, 3}' --format=json\n"
                    "hilo run model.hlo --inputs=in.npz --output=out.npz",
                .declare = &DeclareRun},
    CommandInfo{.name = "check",
                .doc = "Parses and verifies modules; prints all errors",
                .examples = "hilo check model.hlo\n"
                            "hilo check *.hlo",
                .declare = &DeclareCheck},
    CommandInfo{.name = "opt",
                .doc = "Parses, verifies and prints a module",
                .examples =
                    "hilo opt model.hlo\n"
                    "hilo opt model.hlo --form=short --no-layouts\n"
                    "hilo opt model.hlo --verify-roundtrip --output=out.hlo",
                .declare = &DeclareOpt},
    CommandInfo{.name = "bench",
                .doc = "Measures compiling and running",
                .examples = "hilo bench model.hlo\n"
                            "hilo bench *.hlo --min-time=2 --json > base.json\n"
                            "hilo bench *.hlo --compare-with=base.json",
                .declare = &DeclareBench},
    CommandInfo{.name = "compile",
                .doc = "Compiles a module and prints a stage of that",
                .examples = "hilo compile model.hlo --emit=buffers\n"
                            "hilo compile model.hlo --target-cpu=x86-64-v3\n"
                            "hilo compile model.hlo --emit=obj -o model.o\n"
                            "hilo compile model.hlo --dump=steps -o model.s",
                .declare = &DeclareCompile},
    CommandInfo{.name = "compare",
                .doc = "Compares the results of backends with the evaluator's",
                .examples = "hilo compare model.hlo\n"
                            "hilo compare *.hlo --inputs=edge",
                .declare = &DeclareCompare},
    CommandInfo{.name = "fuzz",
                .doc = "Checks random modules on every optimisation level",
                .examples = "hilo fuzz --count=1000 --seed=1\n"
                            "hilo fuzz --time-limit=600 --output=findings\n"
                            "hilo fuzz --print-module --seed=17",
                .declare = &DeclareFuzz},
    CommandInfo{.name = "reduce",
                .doc = "Shrinks a module that fails as long as it fails",
                .examples = "hilo reduce fuzz_17.hlo --seed=17 -O2\n"
                            "hilo reduce model.hlo --output=small.hlo",
                .declare = &DeclareReduce},
    CommandInfo{.name = "convert",
                .doc = "Converts a module between text forms",
                .examples = "hilo convert model.hlo short.hlo --form=short\n"
                            "hilo convert log.txt - --no-metadata",
                .declare = &DeclareConvert},
    CommandInfo{.name = "list",
                .doc = "Prints one of the tables that Hilo is made of",
                .examples = "hilo list ops\n"
                            "hilo list attributes --json",
                .declare = &DeclareList},
    CommandInfo{
        .name = "completion",
        .doc = "Prints a completion script for a shell",
        .examples =
            "hilo completion bash > /etc/bash_completion.d/hilo\n"
            "hilo completion zsh > ~/.zfunc/_hilo\n"
            "hilo completion fish > ~/.config/fish/completions/hilo.fish",
        .declare = &DeclareCompletion},
    CommandInfo{.name = "man",
                .doc = "Prints the man page",
                .examples = "hilo man | man -l -",
                .declare = &DeclareMan},
    CommandInfo{.name = "help",
                .doc = "Prints the help of a command",
                .examples = "hilo help run",
                .declare = &DeclareHelp},
};

constexpr std::array kPlannedCommands = {
    PlannedCommand{.name = "explain", .needs = "kernel plans and profiles"},
    PlannedCommand{.name = "bisect", .needs = "optimisation levels"},
    PlannedCommand{.name = "tune", .needs = "kernel plans given by hand"},
};

}  // namespace

absl::Span<const CommandInfo> Commands() { return kCommands; }

const CommandInfo* FindCommand(absl::string_view name) {
  for (const CommandInfo& info : kCommands) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

absl::Span<const PlannedCommand> PlannedCommands() { return kPlannedCommands; }

std::unique_ptr<CLI::App> MakeApplication(CommandAction* action) {
  auto application =
      std::make_unique<CLI::App>("Runs tensor programs written in HLO", "hilo");
  application->set_help_flag("-h,--help", "Prints this help");
  application->add_flag_callback("--version", [] {}, "Prints the version");
  // One command only: a file may have the name of another.
  application->require_subcommand(0, 1);
  for (const CommandInfo& info : kCommands) {
    CLI::App* command = application->add_subcommand(std::string(info.name),
                                                    std::string(info.doc));
    // What is given twice counts the last time: HILO_OPTIONS comes first.
    command->option_defaults()->multi_option_policy(
        CLI::MultiOptionPolicy::TakeLast);
    CommandAction declared = info.declare(*command);
    command->add_option("--color", "Colours diagnostics; auto: on a terminal")
        ->type_name("auto|always|never")
        ->default_str("auto")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    command->callback(
        [action, declared = std::move(declared)] { *action = declared; });
  }
  return application;
}

}  // namespace hilo::cli
