// From text to module.
#include "hlo/stablehlo/stablehlo.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "hlo/verify/verify.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"
#include "runtime/base/status.h"

namespace hilo {

bool IsStableHloText(absl::string_view text) {
  const stablehlo::Token first = stablehlo::Lexer(text).Next();
  return first.IsWord("module") || first.IsWord("builtin.module") ||
         first.IsWord("func.func") ||
         first.kind == stablehlo::TokenKind::kAttributeAlias ||
         first.kind == stablehlo::TokenKind::kTypeAlias;
}

StableHloProgram ParseStableHlo(std::shared_ptr<const Source> source,
                                const StableHloOptions& options,
                                Diagnostics* diagnostics) {
  const std::unique_ptr<stablehlo::SyntaxModule> syntax =
      stablehlo::Parser(source->text(), diagnostics).ParseModule();
  if (syntax == nullptr) return {};
  StableHloProgram program;
  program.module = std::make_unique<hlo::Module>(
      syntax->name.empty() ? "module" : syntax->name);
  program.module->set_source(std::move(source));
  stablehlo::Converter converter(*syntax, options, program.module.get(),
                                 diagnostics);
  if (!converter.Run()) return {};
  program.checks = converter.TakeChecks();
  return program;
}

absl::StatusOr<std::unique_ptr<hlo::Module>> ParseStableHlo(
    absl::string_view text, absl::string_view name) {
  const auto source =
      std::make_shared<const Source>(std::string(name), std::string(text));
  Diagnostics diagnostics;
  StableHloProgram program = ParseStableHlo(source, {}, &diagnostics);
  if (program.module != nullptr) {
    hlo::Verify(*program.module, &diagnostics);
  }
  RETURN_IF_ERROR(diagnostics.ToStatus(*source));
  return std::move(program.module);
}

}  // namespace hilo
