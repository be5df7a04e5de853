// Modules from text that must be right.
#include "tests/support/parse_text.h"

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/ir/module.h"
#include "hlo/text/parser.h"

namespace hilo::tests {

std::unique_ptr<hlo::Module> ParseText(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<hlo::Module>> module = hlo::Parse(text);
  INFO(module.status());
  REQUIRE(module.ok());
  return *std::move(module);
}

}  // namespace hilo::tests
