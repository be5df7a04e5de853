// The rules of the verifier.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/verify/verification.h"

namespace hilo::hlo {

// One rule: reports its violations in the whole module.
struct VerifyRule {
  absl::string_view name;
  absl::string_view doc;
  void (*check)(Verification& verification);
};

// All rules in the order in which they run: structure first, since the others
// rely on it.
absl::Span<const VerifyRule> VerifyRules();

// Structure (verify_structure.cc).
void VerifyRoots(Verification& verification);
void VerifyParameters(Verification& verification);
void VerifyOperands(Verification& verification);
void VerifyInstructionCycles(Verification& verification);
void VerifyNames(Verification& verification);

// Calls (verify_calls.cc).
void VerifyCallees(Verification& verification);
void VerifyCallCycles(Verification& verification);

// Shapes (verify_shapes.cc).
void VerifyValidShapes(Verification& verification);
void VerifyAttributes(Verification& verification);
void VerifyInferredShapes(Verification& verification);
void VerifyDimensionSizes(Verification& verification);

// Asynchronous pairs (verify_async.cc).
void VerifyStarts(Verification& verification);
void VerifyDones(Verification& verification);
void VerifyChannels(Verification& verification);

// Header (verify_header.cc).
void VerifyEntry(Verification& verification);
void VerifyEntryLayout(Verification& verification);
void VerifyInputOutputAlias(Verification& verification);
void VerifyBufferDonors(Verification& verification);
void VerifyDeviceCounts(Verification& verification);

}  // namespace hilo::hlo
