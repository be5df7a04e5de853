// Which of LLVM's passes never run.
#include "backends/cpu/code_passes.h"

#include <array>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Pass.h"

namespace hilo::backends {
namespace {

constexpr auto kOmittedPasses = std::to_array<absl::string_view>({
    // Exceptions, garbage collection, other calling conventions and languages.
    "Analyze Machine Code For Garbage Collection",
    "Contiguously Lay Out Funclets",
    "Exception handling preparation",
    "Fixup Statepoint Caller Saved",
    "Lower Garbage Collection Instructions",
    "ObjC ARC contraction",
    "Prepare callbr",
    "Shadow Stack GC Lowering",
    "StackMap Liveness Analysis",
    // Debug information, instrumentation and profiles.
    "Check CFA info and insert CFI instructions if needed",
    "Implement the 'patchable-function' attribute",
    "Insert XRay ops",
    "Insert fentry calls",
    "Instrument function entry/exit with calls to e.g. mcount() (post "
    "inlining)",
    "Live DEBUG_VALUE analysis",
    "Machine Sanitizer Binary Metadata",
    "Pseudo Probe Inserter",
    "Register Allocation Pass Scoring",
    "Remove Loads Into Fake Uses",
    "Remove Redundant DEBUG_VALUE analysis",
    "Stack Frame Layout Analysis",
    "Type-Based Alias Analysis",
    // Hardening.
    "Argument Stack Rebase",
    "Expand indirectbr instructions",
    "Insert KCFI indirect call checks",
    "Insert stack protectors",
    "Safe Stack instrumentation pass",
    "X86 Indirect Branch Tracking",
    "X86 Indirect Thunks",
    "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Return Thunks",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 speculative load hardening",
    // Instructions that no kernel has: tiles, thread-local data, code addressed
    // relative to a global base, comparisons of memory, x87.
    "Expand memcmp() to load/stores",
    "Local Dynamic TLS Access Clean-up",
    "Lower AMX intrinsics",
    "Lower AMX type for load/store",
    "Merge contiguous icmps into a memcmp",
    "Tile Register Configure",
    "Tile Register Pre-configure",
    "X86 Lower Tile Copy",
    "X86 PIC Global Base Reg Initialization",
    "X86 insert wait instruction",
    // Optimisations that our code leaves nothing to.
    "Early If-Conversion",
    "Machine InstCombiner",
    "Partially inline calls to library functions",
    "Post RA top-down list latency scheduler",
    "Replace intrinsics with calls to vector library",
    "X86 Atom pad short functions",
    "X86 Optimize Call Frame",
    "X86 Partial Reduction",
});

bool IsOmitted(llvm::StringRef name) {
  static const auto* const names = new absl::flat_hash_set<absl::string_view>(
      kOmittedPasses.begin(), kOmittedPasses.end());
  return names->contains(absl::string_view(name.data(), name.size()));
}

}  // namespace

absl::Span<const absl::string_view> OmittedPasses() { return kOmittedPasses; }

void CodePasses::add(llvm::Pass* pass) {
  if (IsOmitted(pass->getPassName())) {
    delete pass;
    return;
  }
  passes_.add(pass);
}

}  // namespace hilo::backends
