// The arrays that a program takes and gives, and which of them share memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"

namespace hilo::backends {

// One array among the parameters or results, tuples flattened in pre-order.
// Tokens and opaque values are left out: they hold nothing.
struct ArrayLeaf {
  // The parameter's number; 0 for results.
  int64_t parameter_number = 0;
  hlo::ShapeIndex index;
  // With the layout that callers use.
  hlo::Shape shape;
  // "parameter 3 'weights'", "parameter 0 'state' at {1,0}", "result at {2}".
  std::string description;
  // The parameter's name, "state.1.0" inside tuples; empty for results.
  std::string name;
};

// Entry parameters and results as callers see them.
struct ProgramSignature {
  std::vector<ArrayLeaf> arguments;
  std::vector<ArrayLeaf> results;
  // For each result the argument whose memory it may take (donation).
  std::vector<std::optional<int64_t>> aliased_arguments;
  // For each argument whether the module says that it is given away: by
  // input_output_alias or buffer_donor.
  std::vector<bool> is_donatable;
};

// The signature of a verified module.
ProgramSignature SignatureOf(const hlo::Module& module);

}  // namespace hilo::backends
