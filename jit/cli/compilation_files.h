// The files of --plan and --dump.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/plan/kernel_plan.h"
#include "jit/client.h"
#include "jit/dump_directory.h"

namespace CLI {
class App;
}

namespace hilo::cli {

// Declares --plan and --dump.
void AddPlan(CLI::App& command, std::string& plan);
void AddDump(CLI::App& command, std::string& dump);

// What compiling reads and writes beside the module.
class CompilationFiles {
 public:
  // `plan` and `dump` are what the options name; empty: they are not given.
  // Errors: what the system says; diagnostics of the plans.
  static absl::StatusOr<CompilationFiles> Open(const std::string& plan,
                                               const std::string& dump);

  // For the compilation of a verified module; refers to this object.
  CompileOptions OptionsFor(absl::string_view module_name);
  const backends::GivenPlans* plans() const { return plans_.get(); }

 private:
  CompilationFiles() = default;

  // Null: none.
  std::unique_ptr<backends::GivenPlans> plans_;
  std::optional<DumpDirectory> dump_;
};

}  // namespace hilo::cli
