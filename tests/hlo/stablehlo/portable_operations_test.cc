// Tests that operations mean the same in text and in bytecode.
#include <string>

#include <catch2/catch.hpp>

#include "tests/hlo/stablehlo/run_program.h"
#include "tests/support/paths.h"

namespace hilo::tests {
namespace {

// The bytecode is jaxlib's portable artifact of the text, VHLO 1.20.
TEST_CASE("stablehlo bytecode: operations compute what their text computes") {
  const auto directory = SourceDirectory() / "tests" / "corpus" / "stablehlo";
  const std::string expected =
      "( { { 4, 10 }, { 5, 11 } }, { { 2, 1 }, { 5, 4 } }, {0, 2, 6, 12, 20, "
      "30}, { {5} }, { { 4, 5, 6 }, { 1, 2, 3 } }, { { 4, 10 }, { 5, 11 } }, { "
      "{ 2, 1 }, { 5, 4 } }, { { 7.389056, 2.7182817 }, { 148.41316, 54.59815 "
      "} } )";
  CHECK(EvaluateStableHlo(ReadFile(directory / "operations.mlir")) == expected);
  CHECK(EvaluateStableHlo(ReadFile(directory / "operations.mlirbc")) ==
        expected);
}

}  // namespace
}  // namespace hilo::tests
