// Finds parts of a statement in the text, for diagnostics.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

#include "runtime/base/source.h"

namespace hilo::hlo {

// The byte offset of the attribute spelt `attribute_text` in the statement of
// the instruction whose name stands at `instruction_offset`. Reads the
// statement again. Returns `instruction_offset` when the attribute is not
// there, and -1 for an offset of -1.
int64_t LocateAttribute(const Source& source, int64_t instruction_offset,
                        absl::string_view attribute_text);

// The same for an operand by its index.
int64_t LocateOperand(const Source& source, int64_t instruction_offset,
                      int64_t operand_index);

// The same for the opcode.
int64_t LocateOpcode(const Source& source, int64_t instruction_offset);

}  // namespace hilo::hlo
