// The test program: Catch2's session with the text tests registered.
#define CATCH_CONFIG_RUNNER
#include <cstdio>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/register_text_tests.h"
#include "tests/support/skip.h"
#include "tests/support/text_test_queue.h"

namespace hilo::tests {
namespace {

// How many test cases ended in which way.
struct Summary {
  int passed_count = 0;
  int failed_count = 0;
  int skipped_count = 0;
};

Summary& RunSummary() {
  static Summary summary;
  return summary;
}

// Counts test cases, and says which are skipped.
class SummaryListener : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const std::string reason = TakeSkipReason();
    Summary& summary = RunSummary();
    if (stats.totals.testCases.failed > 0) {
      ++summary.failed_count;
    } else if (reason.empty()) {
      ++summary.passed_count;
    } else {
      ++summary.skipped_count;
      std::printf("skipped: %s: %s\n", stats.testInfo.name.c_str(),
                  reason.c_str());
    }
  }
};

CATCH_REGISTER_LISTENER(SummaryListener)

bool IsListing(const Catch::ConfigData& config) {
  return config.listTests || config.listTestNamesOnly || config.listTags ||
         config.listReporters || config.showHelp;
}

// The names of the test cases that the command line selects, in order.
std::vector<std::string> SelectedTests(const Catch::Config& config) {
  std::vector<std::string> names;
  for (const Catch::TestCase& test : Catch::filterTests(
           Catch::getAllTestCasesSorted(config), config.testSpec(), config)) {
    // Without a filter, hidden test cases are not run.
    if (config.hasTestFilters() || !test.isHidden()) {
      names.push_back(test.name);
    }
  }
  return names;
}

int Run(int argument_count, char** arguments) {
  Catch::Session session;
  bool update = false;
  session.cli(session.cli() |
              Catch::clara::Opt(update)["--update"](
                  "rewrite the golden blocks of text tests that differ"));
  const int usage_status = session.applyCommandLine(argument_count, arguments);
  if (usage_status != 0) return usage_status;
  TextTestQueue queue;
  RegisterTextTests(update, queue);
  if (!IsListing(session.configData())) {
    queue.RunAhead(SelectedTests(session.config()));
  }
  const int failed_count = session.run();
  if (IsListing(session.configData())) return 0;
  const Summary& summary = RunSummary();
  std::printf("%d passed, %d failed", summary.passed_count,
              summary.failed_count);
  if (summary.skipped_count > 0) {
    std::printf(", %d skipped", summary.skipped_count);
  }
  std::printf("\n");
  // A filter that matches nothing is a misspelt one.
  const bool any_ran =
      summary.passed_count + summary.failed_count + summary.skipped_count > 0;
  return failed_count == 0 && any_ran ? 0 : 1;
}

}  // namespace
}  // namespace hilo::tests

int main(int argument_count, char** arguments) {
  return hilo::tests::Run(argument_count, arguments);
}
