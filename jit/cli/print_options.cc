// Declares the options of printing.
#include "jit/cli/print_options.h"

#include <array>

#include "hlo/text/printer.h"
#include "jit/cli/option_kinds.h"

namespace hilo::cli {

hlo::PrintOptions PrintChoices::print_options() const {
  hlo::PrintOptions options;
  if (is_short || form == "short") options = hlo::PrintOptions::Short();
  if (is_canonical || form == "canonical") {
    options = hlo::PrintOptions::Canonical();
  }
  if (no_metadata) options.metadata = false;
  if (no_layouts) options.layouts = false;
  if (no_backend_config) options.backend_config = false;
  if (operand_shapes) options.operand_shapes = true;
  if (elide_constants_above >= 0) {
    options.elide_constants_above = elide_constants_above;
  }
  return options;
}

void AddPrintChoices(CLI::App& command, PrintChoices& choices) {
  AddOption(command,
            {.name = "--form",
             .target = &choices.form,
             .doc = "Form of the text; canonical: names normalised, for "
                    "comparing",
             .choices = {"full", "short", "canonical"},
             .shows_default = true});
  AddOption(command,
            {.name = "--elide-constants",
             .target = &choices.elide_constants_above,
             .doc = "Prints constants of more than N elements as {...}",
             .value_name = "N",
             .check = &CheckNotNegative});
  const auto flags = std::to_array<OptionRow>({
      {.name = "--short",
       .target = &choices.is_short,
       .doc = "Stands for --form=short"},
      {.name = "--canonical",
       .target = &choices.is_canonical,
       .doc = "Stands for --form=canonical"},
      {.name = "--no-metadata",
       .target = &choices.no_metadata,
       .doc = "Leaves out metadata"},
      {.name = "--no-layouts",
       .target = &choices.no_layouts,
       .doc = "Leaves out layouts"},
      {.name = "--no-backend-config",
       .target = &choices.no_backend_config,
       .doc = "Leaves out backend configurations"},
      {.name = "--operand-shapes",
       .target = &choices.operand_shapes,
       .doc = "Prints the shape of each operand"},
  });
  for (const OptionRow& row : flags) AddOption(command, row);
}

}  // namespace hilo::cli
