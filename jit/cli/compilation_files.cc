// Reads plans, and opens the directory for dumps.
#include "jit/cli/compilation_files.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/plan/kernel_plan.h"
#include "jit/cli/option_kinds.h"
#include "jit/client.h"
#include "jit/dump_directory.h"
#include "jit/files.h"
#include "runtime/base/source.h"
#include "runtime/base/status.h"

namespace hilo::cli {

void AddPlan(CLI::App& command, std::string& plan) {
  AddOption(command, {.name = "--plan",
                      .target = &plan,
                      .doc = "Plans for some kernels, in the form that hilo "
                             "compile --emit=plan prints: what they do not "
                             "decide is decided as always",
                      .value_name = "FILE"});
}

void AddDump(CLI::App& command, std::string& dump) {
  AddOption(command,
            {.name = "--dump",
             .target = &dump,
             .doc = "Writes the module after each pass that changed it, "
                    "buffers, plans, LLVM IR and assembly to new, numbered "
                    "files of this directory",
             .value_name = "DIR"});
}

absl::StatusOr<CompilationFiles> CompilationFiles::Open(
    const std::string& plan, const std::string& dump) {
  CompilationFiles files;
  if (!plan.empty()) {
    ASSIGN_OR_RETURN(std::string text, ReadFile(plan));
    const std::string name = plan == "-" ? "<stdin>" : plan;
    ASSIGN_OR_RETURN(backends::GivenPlans plans,
                     backends::GivenPlans::Parse(std::make_shared<const Source>(
                         name, std::move(text))));
    files.plans_ = std::make_unique<backends::GivenPlans>(std::move(plans));
  }
  if (!dump.empty()) {
    ASSIGN_OR_RETURN(files.dump_, DumpDirectory::Open(dump));
  }
  return files;
}

CompileOptions CompilationFiles::OptionsFor(absl::string_view module_name) {
  CompileOptions options{.is_verified = true, .plans = plans_.get()};
  if (dump_) options.dump = dump_->ForModule(module_name);
  return options;
}

}  // namespace hilo::cli
