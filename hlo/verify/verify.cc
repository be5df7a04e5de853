// Runs the rules of the verifier.
#include "hlo/verify/verify.h"

#include "hlo/verify/rules.h"
#include "hlo/verify/verification.h"

namespace hilo::hlo {
namespace {

constexpr VerifyRule kRules[] = {
    {"roots", "every computation has a root of its own", VerifyRoots},
    {"parameters", "parameters are numbered from 0 without gaps",
     VerifyParameters},
    {"operands", "operands belong to the computation of their users",
     VerifyOperands},
    {"instruction-cycles", "no instruction depends on itself",
     VerifyInstructionCycles},
    {"names", "names are unique in their computation, or module", VerifyNames},
    {"callees", "called computations belong to the module", VerifyCallees},
    {"call-cycles", "no computation calls itself", VerifyCallCycles},
    {"valid-shapes", "shapes fit in memory, layouts are permutations",
     VerifyValidShapes},
    {"attributes", "attributes suit the opcode", VerifyAttributes},
    {"inferred-shapes", "operands, attributes and result fit together",
     VerifyInferredShapes},
    {"dimension-sizes", "a dimension that is set stays within its bound",
     VerifyDimensionSizes},
    {"starts", "what is started asynchronously is awaited once", VerifyStarts},
    {"dones", "what is awaited was started", VerifyDones},
    {"channels", "both halves of a transfer name the same channel",
     VerifyChannels},
    {"entry", "the module has an entry computation", VerifyEntry},
    {"entry-layout", "entry_computation_layout fits the entry computation",
     VerifyEntryLayout},
    {"input-output-alias", "aliased buffers exist, once, in equal sizes",
     VerifyInputOutputAlias},
    {"buffer-donors", "donated buffers exist, once, and are not aliased",
     VerifyBufferDonors},
    {"device-counts", "replica_count and num_partitions are positive",
     VerifyDeviceCounts},
};

}  // namespace

absl::Span<const VerifyRule> VerifyRules() { return kRules; }

void Verify(const Module& module, Diagnostics* diagnostics) {
  Verification verification(module, diagnostics);
  for (const VerifyRule& rule : kRules) rule.check(verification);
}

absl::Status Verify(const Module& module) {
  Diagnostics diagnostics;
  Verify(module, &diagnostics);
  if (module.source() != nullptr) return diagnostics.ToStatus(*module.source());
  return diagnostics.ToStatus(Source(module.name(), ""));
}

}  // namespace hilo::hlo
