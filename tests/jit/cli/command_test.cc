// Tests of the command's tables, help and pages, which take no module.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include <catch2/catch.hpp>

#include "tests/support/paths.h"
#include "tests/support/subprocess.h"

namespace hilo::tests {
namespace {

constexpr double kCommandSeconds = 60;

ProcessResult RunHilo(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HiloBinary().string());
  return RunProcess(arguments, {.timeout_s = kCommandSeconds});
}

TEST_CASE("the command prints its tables and pages") {
  struct Row {
    std::vector<std::string> arguments;
    std::vector<std::string> texts;
  };
  for (const Row& row : {
           Row{{"--version"}, {"hilo 0."}},
           Row{{"--help"}, {"Examples:\n  hilo run", "Commands:\n  run "}},
           Row{{"run", "--help"},
               {"Examples:\n  hilo run model.hlo\n", "--memory-limit=SIZE"}},
           Row{{"help", "bench"}, {"--min-time=SECONDS"}},
           Row{{"list"}, {"ops ", "options "}},
           Row{{"list", "ops"}, {"add ", "dot "}},
           Row{{"list", "types", "--json"}, {"\"name\": \"bf16\",\n"}},
           Row{{"list", "attributes"}, {"to_apply "}},
           Row{{"list", "backends"}, {"interpreter "}},
           Row{{"list", "options"}, {"--verify-roundtrip "}},
           Row{{"list", "passes"}, {"call-inlining "}},
           Row{{"list", "stages"}, {"simplify "}},
           Row{{"fuzz", "--count=3"}, {"3 modules in ", ": 0 failed"}},
           Row{{"fuzz", "--print-module", "--seed=7"}, {"HloModule random_7"}},
           Row{{"list", "rules"}, {"multiply-one "}},
           Row{{"list", "expansions"}, {"topk-custom-call "}},
           Row{{"man"},
               {".TH HILO 1", R"(\-\-elided\-constants=counter|zeros|error)"}},
           Row{{"completion", "bash"},
               {"complete -o filenames -F _hilo hilo", "--seed="}},
           Row{{"completion", "zsh"}, {"#compdef hilo", "--seed="}},
           Row{{"completion", "fish"}, {"-l seed -r"}},
       }) {
    CAPTURE(row.arguments);
    const ProcessResult result = RunHilo(row.arguments);
    CAPTURE(result.error);
    CHECK(result.exit_status == 0);
    for (const std::string& text : row.texts) {
      CAPTURE(text);
      const bool has_text = absl::StrContains(result.output, text);
      CHECK(has_text);
    }
  }
}

TEST_CASE("what the command does not know is a usage error") {
  struct Row {
    std::vector<std::string> arguments;
    std::string error;
  };
  for (const Row& row : {
           Row{{}, "Usage: hilo COMMAND"},
           Row{{"list", "opps"}, "did you mean 'ops'?"},
           Row{{"list", "targets"}, "not available in this version"},
           Row{{"help", "rnu"}, "there is no command 'rnu'"},
           Row{{"completion", "bsh"}, "did you mean 'bash'"},
           Row{{"--seed=3"}, "hilo has no option --seed"},
           Row{{"run"}, "FILE is required"},
       }) {
    CAPTURE(row.arguments);
    const ProcessResult result = RunHilo(row.arguments);
    CAPTURE(result.error);
    CHECK(result.exit_status == 2);
    const bool has_error = absl::StrContains(result.error, row.error);
    CHECK(has_error);
  }
}

}  // namespace
}  // namespace hilo::tests
