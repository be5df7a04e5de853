// Fuzzes parser, verifier and printer: no input may crash, hang or change.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "hlo/text/printer.h"
#include "hlo/verify/verify.h"
#include "runtime/base/check.h"

namespace hilo::hlo {
namespace {

// A valid module prints to a text that parses and prints to itself.
void CheckRoundTrip(const Module& module) {
  const std::string printed = Print(module);
  const absl::StatusOr<std::unique_ptr<Module>> parsed =
      Parse(printed, "printed.hlo");
  CHECK(parsed.ok()) << parsed.status().ToString() << "\n" << printed;
  CHECK(Verify(**parsed).ok()) << printed;
  CHECK(Print(**parsed) == printed) << printed;
}

void ParseAndVerify(absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<Module>> module =
      Parse(text, "input.hlo");
  if (!module.ok() || !Verify(**module).ok()) return;
  CheckRoundTrip(**module);
  Print(**module, PrintOptions::Short());
  Print(**module, PrintOptions::Canonical());
}

}  // namespace
}  // namespace hilo::hlo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hilo::hlo::ParseAndVerify({reinterpret_cast<const char*>(data), size});
  return 0;
}
