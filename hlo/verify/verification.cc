// Reports violations and remembers what is unsound.
#include "hlo/verify/verification.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/locate.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kMaxOperandNotes = 4;

// The shape as a note shows it: long tuples are cut.
std::string NoteText(const Shape& shape) {
  constexpr size_t kMaxLength = 120;
  std::string text = ToString(shape, /*with_layout=*/false);
  if (text.size() <= kMaxLength) return text;
  text.resize(kMaxLength);
  return text + "...";
}

absl::string_view FirstWord(absl::string_view message) {
  return message.substr(0, message.find_first_of(" :,"));
}

// Reads the number in "operand 3 is ...".
bool ReadOperandIndex(absl::string_view message, int64_t* index) {
  if (!absl::ConsumePrefix(&message, "operand ")) return false;
  return absl::SimpleAtoi(FirstWord(message), index) && *index >= 0;
}

}  // namespace

Verification::Verification(const Module& module, Diagnostics* diagnostics)
    : module_(module),
      diagnostics_(diagnostics),
      is_unsound_computation_(module.computation_count(), false),
      is_unsound_instruction_(module.computation_count()) {}

Diagnostic& Verification::Error(const Instruction& instruction,
                                absl::string_view message, std::string remedy) {
  return diagnostics_->Error(
      PlaceOf(instruction, message),
      absl::StrCat(Prefix(instruction), TextOf(instruction.opcode()), ": ",
                   message),
      std::move(remedy));
}

Diagnostic& Verification::Error(const Computation& computation,
                                absl::string_view message, std::string remedy) {
  const int64_t offset =
      module_.source() == nullptr ? -1 : computation.source_offset();
  return diagnostics_->Error(
      offset, absl::StrCat("computation '", computation.name(), "': ", message),
      std::move(remedy));
}

Diagnostic& Verification::HeaderError(absl::string_view attribute,
                                      absl::string_view message,
                                      std::string remedy) {
  return diagnostics_->Error(HeaderPlace(attribute),
                             absl::StrCat(attribute, ": ", message),
                             std::move(remedy));
}

void Verification::AddOperandNotes(const Instruction& instruction,
                                   Diagnostic* diagnostic) {
  const int64_t count = std::min(instruction.operand_count(), kMaxOperandNotes);
  for (int64_t i = 0; i < count; ++i) {
    const Instruction* operand = instruction.operand(i);
    const std::vector<Instruction*> operands = instruction.operands();
    const auto first = std::ranges::find(operands, operand);
    if (first == operands.begin() + i) AddNote(*operand, diagnostic);
  }
}

void Verification::AddNote(const Instruction& instruction,
                           Diagnostic* diagnostic) {
  diagnostic->notes.push_back(
      {.severity = Severity::kNote,
       .offset = PlaceOf(instruction),
       .message = absl::StrCat("'", instruction.name(), "' is ",
                               NoteText(instruction.shape()), " here"),
       .remedy = "",
       .notes = {}});
}

void Verification::MarkUnsound(const Instruction& instruction) {
  const Computation& computation = *instruction.parent();
  std::vector<bool>& marks = is_unsound_instruction_[computation.id()];
  marks.resize(computation.instruction_count(), false);
  marks[instruction.id()] = true;
}

void Verification::MarkUnsound(const Computation& computation) {
  is_unsound_computation_[computation.id()] = true;
}

bool Verification::IsSound(const Instruction& instruction) const {
  if (!Owns(*instruction.parent())) return false;
  const std::vector<bool>& marks =
      is_unsound_instruction_[instruction.parent()->id()];
  return marks.empty() || !marks[instruction.id()];
}

bool Verification::IsSound(const Computation& computation) const {
  return Owns(computation) && !is_unsound_computation_[computation.id()];
}

bool Verification::Owns(const Computation& computation) const {
  return computation.parent() == &module_;
}

std::string Verification::Prefix(const Instruction& instruction) const {
  if (PlaceOf(instruction) >= 0) return "";
  return absl::StrCat("computation '", instruction.parent()->name(),
                      "', instruction '", instruction.name(), "': ");
}

int64_t Verification::PlaceOf(const Instruction& instruction) const {
  return module_.source() == nullptr ? -1 : instruction.source_offset();
}

int64_t Verification::PlaceOf(const Instruction& instruction,
                              absl::string_view message) const {
  const int64_t offset = PlaceOf(instruction);
  // Locating reads the statement again: not for errors that nobody sees.
  if (offset < 0 ||
      diagnostics_->error_count() >= Diagnostics::kMaxDiagnostics) {
    return offset;
  }
  const absl::string_view word = FirstWord(message);
  for (const Attribute& attribute : instruction.attributes()) {
    if (TextOf(attribute.id) != word) continue;
    return LocateAttribute(*module_.source(), offset, word);
  }
  int64_t operand = 0;
  if (word == "operand" && ReadOperandIndex(message, &operand) &&
      operand < instruction.operand_count()) {
    return LocateOperand(*module_.source(), offset, operand);
  }
  return offset;
}

int64_t Verification::HeaderPlace(absl::string_view attribute) const {
  if (module_.source() == nullptr) return -1;
  absl::string_view header = module_.source()->text();
  for (const auto& computation : module_.computations()) {
    const int64_t offset = computation->source_offset();
    if (offset >= 0) header = header.substr(0, offset);
  }
  const size_t place = header.find(attribute);
  return place == absl::string_view::npos ? 0 : static_cast<int64_t>(place);
}

}  // namespace hilo::hlo
