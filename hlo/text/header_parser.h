// Reads the line "HloModule name, ..." and the tables after it.
#pragma once

#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {

// Reads ", name=value" as often as it stands there (language reference,
// section 1.3). False on errors, which are reported.
bool ParseHeaderAttributes(TokenReader& reader, const ParseOptions& options,
                           ModuleHeader* header);

// Reads the stack-frame tables, if there are any.
bool ParseStackFrameTables(TokenReader& reader, StackFrameTables* tables);

}  // namespace hilo::hlo
