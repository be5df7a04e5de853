// Where every array of a program lies in memory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_options.h"

namespace hilo::passes {

// Whose memory an allocation is.
enum class AllocationKind : uint8_t {
  // An argument, as the caller gives it. Read only.
  kArgument,
  // A result, to be handed to the caller.
  kResult,
  // The elements of a constant. Read only.
  kConstant,
  // The arena: whatever lives only while the program runs. At most one.
  kTemporary,
};

// A stretch of memory with an address of its own, aligned to 64 bytes.
struct Allocation {
  AllocationKind kind = AllocationKind::kTemporary;
  // Arguments and results: which array leaf, in the order of a program's
  // signature. Constants: which array leaf of the constant. The arena: 0.
  int64_t number = 0;
  // Constants: the instruction; otherwise null.
  const hlo::Instruction* constant = nullptr;
  int64_t size_bytes = 0;
};

// A part of an allocation. In the arena, offsets are multiples of 64.
struct Slice {
  int32_t allocation = 0;
  int64_t offset_bytes = 0;
  int64_t size_bytes = 0;

  friend bool operator==(const Slice&, const Slice&) = default;
};

// Order, places and sharing of all arrays in sequential computations: the
// entry, and what while, conditional and call run.
//
// Every value is a list of array leaves in pre-order; tokens and opaque values
// are left out. No code runs for instructions that only alias, and none for
// the borders of computations: the carried leaves of a loop have one slice in
// init, parameters, body root and result; the root leaves of all branches have
// the slice of the conditional's result, and so on. Refers to the module.
class BufferAssignment {
 public:
  // By computation id, then by instruction id.
  template <typename T>
  using ByInstruction = std::vector<std::vector<T>>;

  // Everything there is to know; see the accessors.
  struct Tables {
    std::vector<Allocation> allocations;
    // Empty for computations that are not sequential.
    std::vector<std::vector<hlo::Instruction*>> schedules;
    // The place of an instruction's leaf 0 in `slices`.
    ByInstruction<int32_t> first_slices;
    std::vector<Slice> slices;
    // Places in `slices`; -1: no scratch.
    ByInstruction<int32_t> scratch_slices;
    std::vector<bool> may_share_argument;
    int64_t peak_bytes = 0;
    int64_t lower_bound_bytes = 0;
  };

  explicit BufferAssignment(Tables tables) : tables_(std::move(tables)) {}

  // First arguments, then results, both by number; then constants; then the
  // arena, if any array lies there.
  const std::vector<Allocation>& allocations() const {
    return tables_.allocations;
  }
  // The place of an array leaf of an instruction of a sequential computation.
  const Slice& slice(const hlo::Instruction& instruction,
                     int64_t leaf = 0) const;
  // The work memory of an instruction, which nothing else uses while it runs;
  // null when it has none.
  const Slice* scratch(const hlo::Instruction& instruction) const;
  // The instructions of a sequential computation in the order in which they
  // run, those without code included. Empty for other computations.
  const std::vector<hlo::Instruction*>& schedule(
      const hlo::Computation& computation) const;

  // Whether result `number` may be given the memory of the argument that the
  // module's input_output_alias names for it. False when it names none. A copy
  // from an argument to its result then finds both at one address.
  bool may_share_argument(int64_t number) const {
    return tables_.may_share_argument[number];
  }

  // Bytes of the arena, and of what lives at once when most does.
  int64_t peak_bytes() const { return tables_.peak_bytes; }
  int64_t lower_bound_bytes() const { return tables_.lower_bound_bytes; }

  // The allocations, then per computation the schedule with every slice.
  std::string ToString() const;

 private:
  Tables tables_;
};

// Orders the instructions of a module, and places its arrays.
//
// The module has been through InsertCopies with the same options. Sizes are
// StorageBytes per element, except that leaves whose layout asks for another
// element size (entry parameters and results) have their packed size. Errors:
// FailedPrecondition for a module whose arrays cannot lie where they must, as
// after a change that InsertCopies has not seen; Unimplemented, with the
// instruction's name, for asynchronous calls.
absl::StatusOr<BufferAssignment> AssignBuffers(const hlo::Module& module,
                                               const BufferOptions& options);

}  // namespace hilo::passes
