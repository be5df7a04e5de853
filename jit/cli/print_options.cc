// Declares the options of printing.
#include "jit/cli/print_options.h"

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
  const OptionRow flags[] = {
      {"--short", &choices.is_short, "Stands for --form=short"},
      {"--canonical", &choices.is_canonical, "Stands for --form=canonical"},
      {"--no-metadata", &choices.no_metadata, "Leaves out metadata"},
      {"--no-layouts", &choices.no_layouts, "Leaves out layouts"},
      {"--no-backend-config", &choices.no_backend_config,
       "Leaves out backend configurations"},
      {"--operand-shapes", &choices.operand_shapes,
       "Prints the shape of each operand"},
  };
  for (const OptionRow& row : flags) AddOption(command, row);
}

}  // namespace hilo::cli
