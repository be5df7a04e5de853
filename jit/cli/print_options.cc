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
  AddChoice(command, "--form", choices.form, {"full", "short", "canonical"},
            "Form of the text; canonical: names normalised, for comparing");
  command.add_flag("--short", choices.is_short, "Stands for --form=short");
  command.add_flag("--canonical", choices.is_canonical,
                   "Stands for --form=canonical");
  command.add_flag("--no-metadata", choices.no_metadata, "Leaves out metadata");
  command.add_flag("--no-layouts", choices.no_layouts, "Leaves out layouts");
  command.add_flag("--no-backend-config", choices.no_backend_config,
                   "Leaves out backend configurations");
  command.add_flag("--operand-shapes", choices.operand_shapes,
                   "Prints the shape of each operand");
  command
      .add_option("--elide-constants", choices.elide_constants_above,
                  "Prints constants of more than N elements as {...}")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
}

}  // namespace hilo::cli
