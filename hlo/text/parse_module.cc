// Files, headers and computations: language reference, section 1.2.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/text/header_parser.h"
#include "hlo/text/lexer.h"
#include "hlo/text/module_parser.h"
#include "hlo/text/name_scope.h"
#include "hlo/text/parser.h"
#include "hlo/text/shape_parser.h"
#include "hlo/text/token_reader.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"

namespace hilo::hlo {
namespace {

Diagnostic Note(int64_t offset, std::string message) {
  return {.severity = Severity::kNote,
          .offset = offset,
          .message = std::move(message),
          .remedy = {},
          .notes = {}};
}

}  // namespace

ModuleParser::ModuleParser(std::shared_ptr<const Source> source,
                           absl::string_view text, const ParseOptions& options,
                           Diagnostics* diagnostics)
    : source_(std::move(source)),
      options_(options),
      reader_(text, diagnostics),
      module_(std::make_unique<Module>("")) {
  elided_.rule = options.elided_constants;
  // A parameter takes at least this much text, so larger numbers leave a gap.
  constexpr int64_t kBytesPerParameter = 16;
  constexpr int64_t kMostParameters = 1 << 20;
  max_parameter_number_ = std::min(
      static_cast<int64_t>(text.size()) / kBytesPerParameter, kMostParameters);
}

std::unique_ptr<Module> ModuleParser::Run() {
  const bool ok = ParseFile();
  if (!ok || reader_.diagnostics().has_errors()) return nullptr;
  WarnOfElidedLiterals();
  DropMissingFrames();
  module_->UniquifyNames();
  module_->set_source(std::move(source_));
  return std::move(module_);
}

bool ModuleParser::ParseFile() {
  if (reader_.Is(TokenKind::kEnd)) {
    return reader_.Fail(0, "the text holds no module");
  }
  const bool has_header = reader_.Is(TokenKind::kHloModule);
  if (has_header && !ParseHeader()) RecoverAtComputation();
  if (!has_header && !reader_.Is(TokenKind::kEntry)) {
    const Token next = reader_.Peek();
    if (next.kind != TokenKind::kLeftBrace) return ParseSingleInstruction();
    if (reader_.IsWord("hlo_module") || reader_.IsWord("hlo")) {
      return reader_.Fail(reader_.offset(),
                          "this is a protobuf in text form, not HLO text");
    }
  }
  if (!ParseComputations()) return false;
  if (!has_header && module_->entry() != nullptr) {
    module_->set_name(absl::StrCat("module_", module_->entry()->name()));
  }
  return true;
}

bool ModuleParser::ParseHeader() {
  reader_.Advance();
  if (!IsNameKind(reader_.kind())) return reader_.FailExpected("a module name");
  if (!IsLegalName(reader_.token().text)) {
    return reader_.Fail(reader_.offset(), "a type word cannot name a module");
  }
  const absl::string_view name = reader_.token().text;
  module_->set_name(std::string(name));
  reader_.Advance();
  ModuleHeader& header = module_->header();
  return ParseHeaderAttributes(reader_, options_, &header) &&
         ParseStackFrameTables(reader_, &header.stack_frames);
}

bool ModuleParser::ParseComputations() {
  if (reader_.Is(TokenKind::kEnd)) {
    return reader_.Fail(reader_.offset(), "the module has no computation");
  }
  while (!reader_.Is(TokenKind::kEnd)) {
    if (!ParseComputation()) RecoverAtComputation();
    if (MustStop()) return false;
  }
  if (module_->entry() == nullptr) module_->set_entry(last_computation_);
  return true;
}

bool ModuleParser::ParseComputation() {
  const int64_t entry_offset = reader_.offset();
  const bool is_entry = reader_.Accept(TokenKind::kEntry);
  if (reader_.Is(TokenKind::kHloModule)) {
    return reader_.Fail(reader_.offset(), "a second 'HloModule' in one text",
                        "separate modules by a line '// -----'");
  }
  if (!IsNameKind(reader_.kind())) {
    return reader_.FailExpected("a computation");
  }
  const absl::string_view name = reader_.token().text;
  const int64_t place = reader_.offset();
  if (!IsLegalName(name)) {
    return reader_.Fail(place, absl::StrCat("the type word ", Quoted(name),
                                            " cannot name a computation"));
  }
  reader_.Advance();
  if (is_entry && has_entry_) {
    reader_.diagnostics()
        .Error(entry_offset, "a second ENTRY computation")
        .notes.push_back(Note(entry_offset_, "the first one is here"));
  }
  const int64_t old_count = module_->computation_count();
  NameScope scope;
  scope.computation = module_->AddComputation(std::string(name));
  scope.computation->set_source_offset(place);
  bool has_result = false;
  Shape result;
  const int64_t signature_offset = reader_.offset();
  if (reader_.Is(TokenKind::kLeftParen) &&
      !ParseSignature(&has_result, &result)) {
    scope.failed = true;
    DefineComputation(name, place, nullptr);
    return false;
  }
  const bool is_whole = ParseBody(scope) && ParseThread(scope.computation);
  bool ok = is_whole && FinishComputation(scope, place);
  if (ok && has_result &&
      !Compatible(result, scope.computation->root()->shape())) {
    ok = reader_.Fail(
        signature_offset,
        absl::StrCat("computation ", Quoted(name), ": the signature's result ",
                     ToString(result, false), " differs from the root's ",
                     ToString(scope.computation->root()->shape(), false)));
  }
  if (!DefineComputation(name, place, ok ? scope.computation : nullptr)) {
    ok = false;
  }
  MoveBehindCallees(scope.computation, old_count);
  if (ok) last_computation_ = scope.computation;
  if (is_entry) {
    has_entry_ = true;
    entry_offset_ = entry_offset;
    module_->set_entry(scope.computation);
  }
  // The body has been read to its end: no need to look for the next one.
  return true;
}

bool ModuleParser::ParseSignature(bool* has_result, Shape* result) {
  reader_.Advance();
  if (!reader_.Is(TokenKind::kRightParen)) {
    do {
      if (!reader_.Is(TokenKind::kName)) {
        return reader_.FailExpected(
            "a parameter's name, directly followed by "
            "':'");
      }
      reader_.Advance();
      Shape ignored;
      if (!ParseShape(reader_, &ignored)) return false;
    } while (reader_.Accept(TokenKind::kComma));
  }
  *has_result = true;
  return reader_.Expect(TokenKind::kRightParen, "after the parameters") &&
         reader_.Expect(TokenKind::kArrow, "before the result's shape") &&
         ParseShape(reader_, result);
}

// Reads "{ instructions }". False when no body is there; errors of instructions
// only mark the scope.
bool ModuleParser::ParseBody(NameScope& scope) {
  if (!reader_.Expect(TokenKind::kLeftBrace, "before the instructions")) {
    scope.failed = true;
    return false;
  }
  while (!reader_.Is(TokenKind::kRightBrace)) {
    if (reader_.Is(TokenKind::kEnd)) {
      scope.failed = true;
      return reader_.Fail(
          reader_.offset(),
          absl::StrCat("the text ends inside computation ",
                       Quoted(scope.computation->name()), ": '}' is missing"));
    }
    const int64_t place = reader_.offset();
    if (ParseInstruction(scope)) continue;
    scope.failed = true;
    if (is_nested_ || MustStop()) return false;
    Recover(scope, place);
    if (AtComputationStart()) return false;
  }
  reader_.Advance();
  return true;
}

bool ModuleParser::ParseThread(Computation* computation) {
  if (!reader_.Is(TokenKind::kComma)) return true;
  reader_.Advance();
  if (!reader_.AcceptAttribute("execution_thread")) {
    return reader_.FailExpected("execution_thread=");
  }
  std::string thread;
  if (!reader_.ReadString(&thread)) return false;
  computation->set_execution_thread(std::move(thread));
  return true;
}

bool ModuleParser::FinishComputation(NameScope& scope, int64_t place) {
  if (scope.failed) return false;
  Computation* const computation = scope.computation;
  if (computation->instruction_count() == 0) {
    return reader_.Fail(
        place, absl::StrCat("computation ", Quoted(computation->name()),
                            " has no instructions"));
  }
  computation->set_root(scope.marked_root != nullptr
                            ? scope.marked_root
                            : computation->instructions().back().get());
  return CheckParameters(scope);
}

bool ModuleParser::CheckParameters(NameScope& scope) {
  for (size_t i = 0; i < scope.parameter_offsets.size(); ++i) {
    if (scope.parameter_offsets[i] >= 0) continue;
    return reader_.Fail(
        scope.parameter_offsets.back(),
        absl::StrCat("computation ", Quoted(scope.computation->name()),
                     " has a parameter(", scope.parameter_offsets.size() - 1,
                     ") but no parameter(", i, ")"));
  }
  return true;
}

bool ModuleParser::DefineComputation(absl::string_view name, int64_t place,
                                     Computation* computation) {
  const auto [it, is_new] = computations_.emplace(name, computation);
  if (is_new) return true;
  if (it->second == nullptr) {
    it->second = computation;
    return true;
  }
  Diagnostic& error = reader_.diagnostics().Error(
      place, absl::StrCat("computation ", Quoted(name), " is defined twice"));
  error.notes.push_back(
      Note(it->second->source_offset(), "the first definition is here"));
  return false;
}

// Computations that were read inside this one come before it.
void ModuleParser::MoveBehindCallees(Computation* computation,
                                     int64_t old_count) {
  if (module_->computation_count() == old_count + 1) return;
  module_->MoveToEnd(computation);
}

bool ModuleParser::ParseNestedComputation(Computation** computation) {
  const Nesting nesting(reader_);
  if (!nesting.ok()) return false;
  const int64_t place = reader_.offset();
  const int64_t old_count = module_->computation_count();
  NameScope scope;
  scope.computation = module_->AddComputation("_");
  scope.computation->set_source_offset(place);
  const bool was_making = std::exchange(makes_parameters_, false);
  const bool was_nested = is_nested_;
  is_nested_ = true;
  const bool has_body = ParseBody(scope);
  makes_parameters_ = was_making;
  is_nested_ = was_nested;
  if (!has_body) return SkipNestedComputation(place);
  *computation = FinishComputation(scope, place) ? scope.computation : nullptr;
  MoveBehindCallees(scope.computation, old_count);
  return true;
}

// After an error in an inline computation, goes on behind it.
bool ModuleParser::SkipNestedComputation(int64_t place) {
  if (MustStop()) return false;
  reader_.Seek(place);
  absl::string_view ignored;
  if (reader_.ReadRawBraces(&ignored)) return true;
  // Nothing that encloses it is balanced, either.
  gave_up_ = true;
  return false;
}

bool ModuleParser::ParseComputationReference(Computation** computation) {
  *computation = nullptr;
  if (reader_.Is(TokenKind::kLeftBrace)) {
    return ParseNestedComputation(computation);
  }
  if (!IsNameKind(reader_.kind())) {
    return reader_.FailExpected("a computation's name or '{'");
  }
  const auto it = computations_.find(reader_.token().text);
  if (it == computations_.end()) return FailUnknownComputation(reader_.token());
  *computation = it->second;
  reader_.Advance();
  return true;
}

bool ModuleParser::FailUnknownComputation(const Token& token) {
  std::vector<absl::string_view> names;
  for (const auto& computation : module_->computations()) {
    names.emplace_back(computation->name());
  }
  constexpr size_t kMostCandidates = 2000;
  if (names.size() > kMostCandidates) names.resize(kMostCandidates);
  std::string remedy = SuggestNearest(token.text, names);
  // A definition begins its line.
  const absl::string_view rest = reader_.text().substr(token.offset);
  for (const absl::string_view before :
       {"\n%", "\n", "\nENTRY %", "\nENTRY "}) {
    const std::string start = absl::StrCat(before, token.text, " ");
    if (token.text.size() < 1000 &&
        rest.find(start) != absl::string_view::npos) {
      remedy = "its definition comes later: move it before this computation";
    }
  }
  return reader_.Fail(
      token.offset,
      absl::StrCat("no computation ", Quoted(token.text), " is defined here"),
      std::move(remedy));
}

bool ModuleParser::ParseSingleInstruction() {
  module_->set_name("_");
  module_->header().is_scheduled = true;
  NameScope scope;
  scope.computation = module_->AddComputation("_");
  scope.computation->set_source_offset(reader_.offset());
  module_->set_entry(scope.computation);
  makes_parameters_ = true;
  if (!ParseInstruction(scope)) return false;
  if (!reader_.Is(TokenKind::kEnd)) {
    return reader_.FailExpected(
        "the end of the text after a single instruction",
        "a module begins with 'HloModule name'");
  }
  scope.marked_root = scope.computation->instructions().back().get();
  return FinishComputation(scope, scope.computation->source_offset());
}

// References to stack frames that the tables lack are dropped.
void ModuleParser::DropMissingFrames() {
  const auto count =
      static_cast<int64_t>(module_->header().stack_frames.stack_frames.size());
  for (const auto& computation : module_->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!instruction->has_metadata()) continue;
      const int64_t frame = instruction->metadata().stack_frame_id;
      if (frame >= 0 && frame <= count) continue;
      Metadata metadata = instruction->metadata();
      metadata.stack_frame_id = 0;
      instruction->set_metadata(std::move(metadata));
    }
  }
}

void ModuleParser::WarnOfElidedLiterals() {
  if (elided_.count == 0) return;
  reader_.diagnostics().Warning(
      elided_.first_offset,
      absl::StrCat(elided_.count,
                   elided_.count == 1 ? " constant" : " constants",
                   " without values, '{...}': read as ",
                   elided_.rule == ElidedConstants::kCounter
                       ? "successive integers, or zeros for floats"
                       : "zeros"));
}

}  // namespace hilo::hlo
