// Fuzzes the reader of StableHLO text and bytecode: no input may crash or hang.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/text/parser.h"
#include "hlo/text/printer.h"
#include "runtime/base/check.h"

namespace hilo {
namespace {

// What was verified is HLO text that reads back.
void Convert(absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<hlo::Module>> module =
      ParseStableHlo(text, "input.mlir");
  if (!module.ok()) return;
  const std::string printed = hlo::Print(**module);
  const absl::StatusOr<std::unique_ptr<hlo::Module>> parsed =
      hlo::Parse(printed, "printed.hlo");
  CHECK(parsed.ok()) << parsed.status().ToString() << "\n" << printed;
}

}  // namespace
}  // namespace hilo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hilo::Convert({reinterpret_cast<const char*>(data), size});
  return 0;
}
