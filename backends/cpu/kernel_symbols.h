// What kernels call by name: functions of the library.
#pragma once

#include <vector>

#include "backends/cpu/code_loader.h"

namespace hilo::backends {

// hilo_loop_slot and hilo_skip_padding.
std::vector<HostSymbol> KernelSymbols();

}  // namespace hilo::backends
