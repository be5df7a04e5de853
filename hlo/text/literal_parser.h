// Reads literals.
#pragma once

#include <cstdint>

#include "hlo/ir/literal.h"
#include "hlo/text/parser.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {

// Literals that the text leaves out, "{...}".
struct ElidedLiterals {
  // kError counts like kZeros: the caller reports it.
  ElidedConstants rule = ElidedConstants::kZeros;
  // The next number of kCounter.
  uint32_t counter = 0;
  int64_t count = 0;
  // Where the first one is.
  int64_t first_offset = -1;
};

// Reads a literal of `shape`, which satisfies ValidateShape, into `*literal`
// (language reference, section 1.5); counts what is elided. Memory grows with
// the text; an elided literal may take up to kMaxElidedBytes. False on errors,
// which are reported.
inline constexpr int64_t kMaxElidedBytes = int64_t{16} << 30;
bool ParseLiteral(TokenReader& reader, const Shape& shape, Literal* literal,
                  ElidedLiterals* elided);

}  // namespace hilo::hlo
