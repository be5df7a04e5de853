// The options that say how a module is printed.
#pragma once

#include <cstdint>
#include <string>

#include "hlo/text/printer.h"

namespace CLI {
class App;
}

namespace hilo::cli {

struct PrintChoices {
  std::string form = "full";
  bool is_short = false;
  bool is_canonical = false;
  bool no_metadata = false;
  bool no_layouts = false;
  bool no_backend_config = false;
  bool operand_shapes = false;
  int64_t elide_constants_above = -1;

  hlo::PrintOptions print_options() const;
};

// Declares --form, --short, --canonical, --no-metadata, --no-layouts,
// --no-backend-config, --operand-shapes and --elide-constants.
void AddPrintChoices(CLI::App& command, PrintChoices& choices);

}  // namespace hilo::cli
