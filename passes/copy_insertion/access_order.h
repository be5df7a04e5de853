// Control predecessors that keep shared memory safe.
#pragma once

#include <cstdint>

#include "passes/buffer_assignment/shared_memory.h"

namespace hilo::passes {

// Adds control predecessors so that in every valid order those who read an
// array run before those who write the next one to the same memory, as they do
// in the present schedule. Returns how many were added.
int64_t KeepAccessOrder(const ScheduledValues& scheduled,
                        const SharedMemory& memory);

}  // namespace hilo::passes
