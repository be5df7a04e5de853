// Tests that an outside project finds, links and uses an installed Hilo.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "tests/support/paths.h"
#include "tests/support/subprocess.h"

namespace hilo::tests {
namespace {

constexpr double kTimeoutSeconds = 300;

ProcessResult RunCMake(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "cmake");
  ProcessResult result = RunProcess(arguments, {.timeout_s = kTimeoutSeconds});
  INFO(result.output << result.error);
  REQUIRE(result.exit_status == 0);
  return result;
}

TEST_CASE("an outside project builds against an installed Hilo") {
  const TemporaryDirectory scratch;
  const std::string prefix = (scratch.path() / "prefix").string();
  const std::string build = (scratch.path() / "build").string();
  const std::string source =
      (SourceDirectory() / "tests" / "install" / "outside").string();
  RunCMake({"--install", BuildDirectory().string(), "--prefix", prefix});
  RunCMake({"-S", source, "-B", build, "-G", "Ninja",
            absl::StrCat("-DCMAKE_PREFIX_PATH=", prefix),
            absl::StrCat("-DCMAKE_CXX_COMPILER=", HILO_CXX_COMPILER),
            absl::StrCat("-DCMAKE_CXX_FLAGS=", HILO_CXX_FLAGS)});
  RunCMake({"--build", build});
  const ProcessResult result =
      RunProcess({absl::StrCat(build, "/outside")}, {});
  INFO(result.error);
  CHECK(result.exit_status == 0);
  CHECK(result.output == "5 7 9\n5 7 9\n");
}

}  // namespace
}  // namespace hilo::tests
