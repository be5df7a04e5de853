// From files to modules.
#include "hlo/stablehlo/stablehlo.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/stablehlo/bytecode.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "hlo/verify/verify.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"
#include "runtime/base/status.h"

namespace hilo {

namespace {

// Bytes of a file without lines.
void AddWithoutPlaces(const Diagnostics& found, Diagnostics* diagnostics) {
  const auto without_place = [](Diagnostic* diagnostic) {
    if (diagnostic->offset >= 0) {
      diagnostic->message =
          absl::StrCat("byte ", diagnostic->offset, ": ", diagnostic->message);
    }
    diagnostic->offset = -1;
  };
  for (Diagnostic diagnostic : found.list()) {
    without_place(&diagnostic);
    for (Diagnostic& note : diagnostic.notes) without_place(&note);
    diagnostics->Add(std::move(diagnostic));
  }
}

StableHloProgram Convert(const stablehlo::SyntaxModule& syntax,
                         std::shared_ptr<const Source> source,
                         const StableHloOptions& options,
                         Diagnostics* diagnostics) {
  StableHloProgram program;
  program.module = std::make_unique<hlo::Module>(
      syntax.name.empty() ? "module" : stablehlo::HloName(syntax.name));
  program.module->set_source(std::move(source));
  stablehlo::Converter converter(syntax, options, program.module.get(),
                                 diagnostics);
  if (!converter.Run()) return {};
  program.checks = converter.TakeChecks();
  return program;
}

StableHloProgram ConvertBytecode(std::shared_ptr<const Source> source,
                                 const StableHloOptions& options,
                                 Diagnostics* diagnostics) {
  Diagnostics found;
  const std::unique_ptr<stablehlo::SyntaxModule> syntax =
      stablehlo::ReadBytecode(source->text(), &found);
  StableHloProgram program;
  if (syntax != nullptr) {
    program = Convert(*syntax, std::move(source), options, &found);
  }
  AddWithoutPlaces(found, diagnostics);
  if (program.module == nullptr) return {};
  for (const auto& computation : program.module->computations()) {
    computation->set_source_offset(-1);
    for (const auto& instruction : computation->instructions()) {
      instruction->set_source_offset(-1);
    }
  }
  for (StableHloCheck& check : program.checks) check.offset = -1;
  return program;
}

}  // namespace

bool IsStableHloBytecode(absl::string_view bytes) {
  return stablehlo::IsBytecode(bytes);
}

bool IsStableHlo(absl::string_view bytes) {
  if (IsStableHloBytecode(bytes)) return true;
  const stablehlo::Token first = stablehlo::Lexer(bytes).Next();
  return first.IsWord("module") || first.IsWord("builtin.module") ||
         first.IsWord("func.func") ||
         first.kind == stablehlo::TokenKind::kAttributeAlias ||
         first.kind == stablehlo::TokenKind::kTypeAlias;
}

StableHloProgram ParseStableHlo(std::shared_ptr<const Source> source,
                                const StableHloOptions& options,
                                Diagnostics* diagnostics) {
  if (IsStableHloBytecode(source->text())) {
    return ConvertBytecode(std::move(source), options, diagnostics);
  }
  const std::unique_ptr<stablehlo::SyntaxModule> syntax =
      stablehlo::Parser(source->text(), diagnostics).ParseModule();
  if (syntax == nullptr) return {};
  return Convert(*syntax, std::move(source), options, diagnostics);
}

absl::StatusOr<std::unique_ptr<hlo::Module>> ParseStableHlo(
    absl::string_view bytes, absl::string_view name) {
  const auto source =
      std::make_shared<const Source>(std::string(name), std::string(bytes));
  Diagnostics diagnostics;
  StableHloProgram program = ParseStableHlo(source, {}, &diagnostics);
  if (program.module != nullptr) {
    hlo::Verify(*program.module, &diagnostics);
  } else if (!diagnostics.has_errors()) {
    return absl::InternalError("a program was refused without a reason");
  }
  RETURN_IF_ERROR(diagnostics.ToStatus(*source));
  return std::move(program.module);
}

}  // namespace hilo
