// How much memory this machine has.
#pragma once

#include <cstdint>

namespace hilo {

// Bytes of physical memory.
int64_t MachineMemoryBytes();

// What programs may use for values alive at once unless told otherwise: 80 %
// of the machine's memory, in bytes.
int64_t DefaultMemoryLimitBytes();

}  // namespace hilo
