// Library calls by name: LAPACK's routines as custom calls of programs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "runtime/host/element_code.h"

namespace hilo::runtime {

// An attribute that a call reads: its name, and the letters that it may have
// as character codes; none for integers and flags.
struct HostCallAttribute {
  absl::string_view name;
  absl::string_view letters;
};

// A dense operand or result. Batch dimensions are row-major and outermost; the
// last two dimensions, of a matrix, may be column-major: no copy is made then.
struct HostArray {
  ElementCode type = {};
  std::vector<int64_t> dimensions;
  bool is_column_major = false;
};

struct HostCallDescription {
  absl::string_view target;
  std::vector<HostArray> operands;
  std::vector<HostArray> results;
  // Values of the attributes: integers, flags as 0 or 1, codes of characters.
  std::vector<std::pair<absl::string_view, int64_t>> attributes;
  // Threads that may work at once; each needs scratch memory.
  int64_t slots = 1;
};

// The attributes of a target, or null when there is no such call.
// Targets: lapack_{s,d,c,z}ROUTINE_ffi.
const std::vector<HostCallAttribute>* FindHostCallAttributes(
    absl::string_view target);
// All targets, sorted.
std::vector<std::string> HostCallTargets();

// A prepared call: matrix after matrix of a batch, in parallel. What a routine
// says goes into its info result; input that is not finite makes the iterative
// routines' results NaN and info 1. Thread-safe once created.
class HostCall {
 public:
  // Errors: NotFound for an unknown target; InvalidArgument for operands,
  // results or attributes that do not fit the routine; Unimplemented for
  // matrices that are too large for LAPACK's integers, and for sorted Schur
  // decompositions.
  static absl::StatusOr<HostCall> Create(const HostCallDescription& call);

  HostCall(HostCall&&) noexcept;
  HostCall& operator=(HostCall&&) noexcept;
  ~HostCall();

  // Bytes of scratch memory, aligned to 64 bytes.
  int64_t scratch_bytes() const;

  // `pool` is a LoopWorkers or null. Results do not overlap each other; a
  // result may be the operand that it replaces (results 0 of operands 0, b of
  // trsm, c of ormqr, all of gtsv). Takes no memory of ours.
  void Run(void* pool, const void* const* operands, void* const* results,
           void* scratch) const;

 private:
  struct Plan;
  explicit HostCall(std::unique_ptr<const Plan> plan);

  std::unique_ptr<const Plan> plan_;
};

}  // namespace hilo::runtime

// HostCall::Run for compiled code; `call` is a HostCall.
extern "C" void hilo_host_call(void* pool, const void* call,
                               const void* const* operands,
                               void* const* results, void* scratch);
