// Writes HLO text.
#pragma once

#include <cstdint>
#include <string>

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hilo::hlo {

// What is printed. The defaults give the full form; Parse reads it back.
struct PrintOptions {
  // "%" before names.
  bool percent = true;
  // "(p: f32[2]) -> f32[2]" after computation names.
  bool signatures = true;
  bool operand_shapes = false;
  bool layouts = true;
  bool metadata = true;
  bool backend_config = true;
  bool control_predecessors = true;
  // Arrays of more than this many elements print as "{...}"; -1: never.
  int64_t elide_constants_above = -1;
  // Names are replaced by tmp_N in order of appearance, header attributes but
  // the layouts are dropped: for hashing and comparing.
  bool canonical_names = false;

  // No "%", signatures, metadata nor control predecessors.
  static PrintOptions Short();
  // Names normalised; operand shapes; no metadata, backend configuration nor
  // control predecessors: equal for modules that differ in those only.
  static PrintOptions Canonical();
};

// Print(Parse(x)) is a fixed point. Section 1.14 of the language reference.
std::string Print(const Module& module, const PrintOptions& options = {});
std::string Print(const Computation& computation,
                  const PrintOptions& options = {});
// One line without line end: "%r = f32[] add(%a, %b), metadata={...}".
std::string Print(const Instruction& instruction,
                  const PrintOptions& options = {});

// "{ {1, 2}, {3, 4} }"; exact: parses back to the same bits.
std::string Print(const Literal& literal, int64_t elide_above = -1);

}  // namespace hilo::hlo
