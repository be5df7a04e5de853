// How much memory this machine has.
#include "runtime/base/machine_memory.h"

#include <cstdint>
#include <unistd.h>

namespace hilo {

int64_t MachineMemoryBytes() {
  static const int64_t kBytes =
      int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return kBytes;
}

int64_t DefaultMemoryLimitBytes() { return MachineMemoryBytes() / 5 * 4; }

}  // namespace hilo
