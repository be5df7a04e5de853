// What the rules of the verifier share: the module, what is known to be sound
// in it, and how violations are reported.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {

// One run of the verifier.
//
// Rules that find something so broken that others cannot look at it mark it
// unsound; later rules skip what is unsound, so that one mistake is reported
// once.
class Verification {
 public:
  Verification(const Module& module, Diagnostics* diagnostics);

  const Module& module() const { return module_; }

  // Reports a violation at an instruction, as "opcode: message". The place is
  // that of the attribute or operand with which the message begins, if it
  // begins with one. Without a source the message names computation and
  // instruction.
  Diagnostic& Error(const Instruction& instruction, absl::string_view message,
                    std::string remedy = "");
  // Reports at a computation, as "computation 'name': message".
  Diagnostic& Error(const Computation& computation, absl::string_view message,
                    std::string remedy = "");
  // Reports at a header attribute, as "attribute: message".
  Diagnostic& HeaderError(absl::string_view attribute,
                          absl::string_view message, std::string remedy = "");

  // Adds "'b' is f32[32,16] here" for the first few operands.
  void AddOperandNotes(const Instruction& instruction, Diagnostic* diagnostic);
  // Adds "'b' is ... here" for one instruction.
  void AddNote(const Instruction& instruction, Diagnostic* diagnostic);

  void MarkUnsound(const Instruction& instruction);
  void MarkUnsound(const Computation& computation);
  // False for what was marked, and for what is no part of the module.
  bool IsSound(const Instruction& instruction) const;
  bool IsSound(const Computation& computation) const;
  // Whether the computation is one of this module's.
  bool Owns(const Computation& computation) const;

 private:
  // "computation 'c', instruction 'i': " where there is no place in a text.
  std::string Prefix(const Instruction& instruction) const;
  int64_t PlaceOf(const Instruction& instruction) const;
  int64_t PlaceOf(const Instruction& instruction,
                  absl::string_view message) const;
  int64_t HeaderPlace(absl::string_view attribute) const;

  const Module& module_;
  Diagnostics* diagnostics_;
  std::vector<bool> is_unsound_computation_;
  // By computation id and instruction id; empty until something is marked.
  std::vector<std::vector<bool>> is_unsound_instruction_;
};

}  // namespace hilo::hlo
