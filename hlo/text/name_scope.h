// The names of one computation while it is read.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/computation.h"

namespace hilo::hlo {

// A computation that is being read. Names are pieces of the text.
struct NameScope {
  Computation* computation = nullptr;
  // Null for names whose definition failed: their uses are not errors again.
  absl::flat_hash_map<absl::string_view, Instruction*> names;
  // Implicit get-tuple-elements by tuple and index.
  absl::flat_hash_map<std::pair<InstructionId, int64_t>, Instruction*> elements;
  // The async-start of each asynchronous value.
  absl::flat_hash_map<InstructionId, Instruction*> async_starts;
  // Places of the parameters, by number; -1 where there is none.
  std::vector<int64_t> parameter_offsets;
  Instruction* marked_root = nullptr;
  int64_t root_offset = -1;
  // Whether an error was found inside.
  bool failed = false;
};

}  // namespace hilo::hlo
