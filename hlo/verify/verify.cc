// Runs the rules of the verifier.
#include "hlo/verify/verify.h"

#include <array>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "hlo/ir/module.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/verification.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {
namespace {

constexpr auto kRules = std::to_array<VerifyRule>({
    {.name = "roots",
     .doc = "every computation has a root of its own",
     .check = VerifyRoots},
    {.name = "parameters",
     .doc = "parameters are numbered from 0 without gaps",
     .check = VerifyParameters},
    {.name = "operands",
     .doc = "operands belong to the computation of their users",
     .check = VerifyOperands},
    {.name = "instruction-cycles",
     .doc = "no instruction depends on itself",
     .check = VerifyInstructionCycles},
    {.name = "names",
     .doc = "names are unique in their computation, or module",
     .check = VerifyNames},
    {.name = "callees",
     .doc = "called computations belong to the module",
     .check = VerifyCallees},
    {.name = "call-cycles",
     .doc = "no computation calls itself",
     .check = VerifyCallCycles},
    {.name = "valid-shapes",
     .doc = "shapes fit in memory, layouts are permutations",
     .check = VerifyValidShapes},
    {.name = "attributes",
     .doc = "attributes suit the opcode",
     .check = VerifyAttributes},
    {.name = "inferred-shapes",
     .doc = "operands, attributes and result fit together",
     .check = VerifyInferredShapes},
    {.name = "dimension-sizes",
     .doc = "a dimension that is set stays within its bound",
     .check = VerifyDimensionSizes},
    {.name = "starts",
     .doc = "what is started asynchronously is awaited once",
     .check = VerifyStarts},
    {.name = "dones",
     .doc = "what is awaited was started",
     .check = VerifyDones},
    {.name = "channels",
     .doc = "both halves of a transfer name the same channel",
     .check = VerifyChannels},
    {.name = "entry",
     .doc = "the module has an entry computation",
     .check = VerifyEntry},
    {.name = "entry-layout",
     .doc = "entry_computation_layout fits the entry computation",
     .check = VerifyEntryLayout},
    {.name = "input-output-alias",
     .doc = "aliased buffers exist, once, in equal sizes",
     .check = VerifyInputOutputAlias},
    {.name = "buffer-donors",
     .doc = "donated buffers exist, once, and are not aliased",
     .check = VerifyBufferDonors},
    {.name = "device-counts",
     .doc = "replica_count and num_partitions are positive",
     .check = VerifyDeviceCounts},
});

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
