// Random modules, for tests that compare backends.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"

#include "hlo/ir/module.h"

namespace hilo::fuzzing {

// Makes a verified module that depends on the seed only: all opcodes that work
// on one device, all element types, nested computations, odd and empty sizes,
// layouts, donation.
//
// Errors: those of Builder and Verify; a fault of the generator.
absl::StatusOr<std::unique_ptr<hlo::Module>> GenerateModule(uint64_t seed);

}  // namespace hilo::fuzzing
