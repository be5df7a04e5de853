// hilo compare: every backend against the reference evaluator.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

#include "backends/registry.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "jit/cli/commands.h"
#include "jit/cli/compilation_files.h"
#include "jit/cli/console.h"
#include "jit/cli/execution_options.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/input_options.h"
#include "jit/cli/module_files.h"
#include "jit/cli/option_kinds.h"
#include "jit/client.h"
#include "jit/comparison.h"
#include "jit/executable.h"
#include "runtime/base/status.h"

namespace hilo::cli {
namespace {

constexpr char kReference[] = "interpreter";

struct CompareOptions {
  std::vector<std::string> files;
  ExecutionOptions execution;
  std::vector<std::string> optimization_levels;
  std::vector<std::string> target_cpus;
};

// A way to run a module that is compared with the reference.
struct Variant {
  // "cpu -O0 x86-64".
  std::string name;
  ExecutionOptions execution;
};

// The results of a module on one backend.
absl::StatusOr<std::vector<hlo::Literal>> ResultsOf(
    const hlo::Module& module, absl::string_view text,
    const ExecutionOptions& execution, const CompileOptions& compile_options,
    Console& console) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Client> client,
                   CreateClient(execution));
  ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable,
                   client->Compile(module.Clone(), compile_options));
  ASSIGN_OR_RETURN(std::vector<hlo::Literal> inputs,
                   ReadInputs(execution.inputs, execution.seed, text,
                              executable->argument_leaves(), console));
  return executable->RunLiterals(inputs);
}

std::string HistogramText(const Comparison& comparison) {
  std::string text;
  for (int bucket = 0; bucket < Comparison::kBuckets; ++bucket) {
    const int64_t count = comparison.histogram[static_cast<size_t>(bucket)];
    if (count == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", BucketLabel(bucket), ": ",
                    count);
  }
  if (comparison.zero_sign_count > 0) {
    absl::StrAppend(&text,
                    ", zeros of the other sign: ", comparison.zero_sign_count);
  }
  return text;
}

// Every backend but the reference, at every level and for every processor that
// are asked for.
std::vector<Variant> VariantsOf(const CompareOptions& options) {
  std::vector<Variant> variants;
  for (const backends::BackendInfo& info : backends::Backends()) {
    if (info.name == kReference) continue;
    if (options.execution.backend != kReference &&
        options.execution.backend != info.name) {
      continue;
    }
    for (const std::string& target_cpu : options.target_cpus) {
      for (const std::string& level : options.optimization_levels) {
        Variant variant{.name = absl::StrCat(info.name, " -O", level),
                        .execution = options.execution};
        if (!target_cpu.empty())
          absl::StrAppend(&variant.name, " ", target_cpu);
        variant.execution.backend = std::string(info.name);
        variant.execution.optimization_level = level[0] - '0';
        variant.execution.target_cpu = target_cpu;
        variants.push_back(std::move(variant));
      }
    }
  }
  return variants;
}

// Prints how one result differs; returns whether it is within the tolerance.
bool Report(const std::string& label, const std::string& variant, size_t number,
            const hlo::Literal& got, const hlo::Literal& want,
            Console& console) {
  if (!hlo::Compatible(got.shape(), want.shape())) {
    console.Print(absl::StrCat(label, ": ", variant, ": output", number,
                               ": has shape ", hlo::ToString(got.shape()),
                               ", expected ", hlo::ToString(want.shape()),
                               "\n"));
    return false;
  }
  const Comparison comparison = Compare(got, want);
  console.Print(absl::StrFormat("%s: %s: output%d: %s; elements by ulps: %s\n",
                                label, variant, number,
                                comparison.wrong_count == 0 ? "ok" : "MISMATCH",
                                HistogramText(comparison)));
  if (comparison.wrong_count == 0) return true;
  console.Print(absl::StrFormat(
      "  %d of %d elements are wrong, the worst at %s by %.1e\n",
      comparison.wrong_count, comparison.element_count,
      IndexText(want.shape(), comparison.worst_element),
      comparison.worst_error));
  return false;
}

absl::StatusOr<bool> CompareModule(const hlo::Module& module,
                                   const ModuleText& text,
                                   const CompareOptions& options,
                                   CompilationFiles& files, Console& console) {
  ExecutionOptions reference = options.execution;
  reference.backend = kReference;
  ASSIGN_OR_RETURN(const std::vector<hlo::Literal> want,
                   ResultsOf(module, text.source->text(), reference,
                             {.is_verified = true}, console));
  bool is_equal = true;
  for (const Variant& variant : VariantsOf(options)) {
    const CompileOptions compile_options =
        files.OptionsFor(absl::StrCat(module.name(), ".", variant.name));
    ASSIGN_OR_RETURN(const std::vector<hlo::Literal> got,
                     ResultsOf(module, text.source->text(), variant.execution,
                               compile_options, console));
    for (size_t i = 0; i < want.size(); ++i) {
      if (!Report(text.label, variant.name, i, got[i], want[i], console)) {
        is_equal = false;
      }
    }
  }
  return is_equal;
}

int CompareFile(const std::string& file, const CompareOptions& options,
                CompilationFiles& files, Console& console) {
  const absl::StatusOr<std::vector<ModuleText>> texts = ReadModuleTexts(file);
  if (!texts.ok()) return console.Fail(texts.status());
  int exit_status = kSuccess;
  for (const ModuleText& text : *texts) {
    const std::unique_ptr<hlo::Module> module = ParseModule(
        text, options.execution.read_options(), /*verify=*/true, console);
    if (module == nullptr) {
      exit_status = std::max<int>(exit_status, kDiagnostics);
      continue;
    }
    const absl::StatusOr<bool> is_equal =
        CompareModule(*module, text, options, files, console);
    if (!is_equal.ok()) {
      exit_status =
          std::max(exit_status, console.Fail(is_equal.status(), text.label));
    } else if (!*is_equal) {
      exit_status = std::max<int>(exit_status, kMismatch);
    }
  }
  return exit_status;
}

int CompareFiles(CompareOptions options, Console& console) {
  if (options.optimization_levels.empty()) {
    options.optimization_levels = {"0", "1", "2"};
  }
  if (options.target_cpus.empty()) options.target_cpus = {""};
  // A backend that does not exist must not pass for one that agrees.
  const absl::StatusOr<std::unique_ptr<Client>> client =
      CreateClient(options.execution);
  if (!client.ok()) return console.FailUsage(client.status().message());
  absl::StatusOr<CompilationFiles> files =
      CompilationFiles::Open(/*plan=*/"", options.execution.dump);
  if (!files.ok()) return console.Fail(files.status());
  int exit_status = kSuccess;
  for (const std::string& file : options.files) {
    exit_status =
        std::max(exit_status, CompareFile(file, options, *files, console));
  }
  return exit_status;
}

}  // namespace

CommandAction DeclareCompare(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto options = std::make_shared<CompareOptions>();
  AddFiles(command, options->files);
  AddExecutionOptions(command, options->execution);
  AddOption(command, {.name = "--optimization-level,-O",
                      .target = &options->optimization_levels,
                      .doc = "Compares this level; may be given several times "
                             "[all]",
                      .choices = {"0", "1", "2"}});
  AddOption(command,
            {.name = "--target-cpu",
             .target = &options->target_cpus,
             .doc = "Compares code for this processor, by LLVM's name; "
                    "may be given several times [this machine's]",
             .value_name = "NAME"});
  AddDump(command, options->execution.dump);
  return
      [options](Console& console) { return CompareFiles(*options, console); };
}

}  // namespace hilo::cli
