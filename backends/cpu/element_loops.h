// The loops of a kernel over the elements of an array.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"
#include "backends/cpu/kernel_function.h"

namespace hilo::backends {

// What an element of a simple loop is assumed to cost.
constexpr double kElementNanoseconds = 0.25;

// Loops over groups of dimensions, the last one in steps of a vector; a rest
// that fills no vector is done under a mask. Units are iterations of the outer
// loops, or blocks of the only one.
class ElementLoops {
 public:
  // Emits code for one vector of elements at `index`, one coordinate per
  // dimension. The emitter reads the kernel's operands from memory.
  using Body =
      std::function<absl::Status(ElementEmitter&, const ArrayIndex& index)>;

  ElementLoops(KernelFunction& function, std::vector<DimensionGroup> groups,
               int64_t rank, const passes::TargetTraits& traits,
               absl::string_view lanes_name = "lanes");

  // Emits the loops over the kernel's range of units.
  absl::Status Emit(const Body& body);
  // Over another range: of one of several nests in a kernel.
  absl::Status EmitUnits(llvm::Value* begin, llvm::Value* end,
                         const Body& body);
  int64_t units() const { return units_; }

  // Ends the function. Elements are assumed to cost `element_nanoseconds`.
  Kernel Finish(absl::string_view name,
                double element_nanoseconds = kElementNanoseconds);

 private:
  // The outer loops' counters in a unit, and in the one after it.
  std::vector<llvm::Value*> OuterCounters(llvm::Value* unit);
  std::vector<llvm::Value*> NextCounters(
      absl::Span<llvm::Value* const> counters);
  absl::Status EmitInner(const Body& body, absl::Span<llvm::Value* const> outer,
                         llvm::Value* start, llvm::Value* stop);
  absl::Status EmitBody(const Body& body, absl::Span<llvm::Value* const> outer,
                        llvm::Value* i, llvm::Value* mask);

  KernelFunction& function_;
  const passes::TargetTraits& traits_;
  int64_t rank_;
  // The outer loops; `inner_` is the vectorised one.
  std::vector<DimensionGroup> groups_;
  DimensionGroup inner_;
  int64_t lanes_ = 1;
  int64_t outer_size_ = 1;
  // Elements of a unit where there is one loop only.
  int64_t block_ = 1;
  int64_t units_ = 1;
};

}  // namespace hilo::backends
