// Structural equality and hashes of computations and modules.
#pragma once

#include <cstddef>

#include "hlo/ir/computation.h"
#include "hlo/ir/module.h"

namespace hilo::hlo {

// What two computations may differ in and still be equal. Names, places and
// the order of independent instructions never count.
struct EqualityOptions {
  bool ignore_metadata = true;  // also origin and statistics
  bool ignore_backend_config = false;
  bool ignore_sharding = false;
  bool ignore_layouts = false;
};

// Whether both compute the same by the same operations. Called computations
// are compared too; each pair once. Linear in the sizes.
bool StructurallyEqual(const Computation& a, const Computation& b,
                       const EqualityOptions& options = {});
// Entry computations, and headers as far as they change what callers see:
// entry layout, aliasing, donors, replica and partition counts.
bool StructurallyEqual(const Module& a, const Module& b,
                       const EqualityOptions& options = {});

// Equal computations have equal hashes, under the same options. Valid within
// one process; across processes compare the canonical text.
size_t StructuralHash(const Computation& computation,
                      const EqualityOptions& options = {});
size_t StructuralHash(const Module& module,
                      const EqualityOptions& options = {});

}  // namespace hilo::hlo
