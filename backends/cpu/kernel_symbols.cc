// The addresses of what kernels call.
#include "backends/cpu/kernel_symbols.h"

#include <vector>

#include "backends/cpu/code_loader.h"
#include "runtime/host/padded_convolution.h"
#include "runtime/parallel_for.h"

namespace hilo::backends {

std::vector<HostSymbol> KernelSymbols() {
  return {{.name = "hilo_loop_slot",
           .address = reinterpret_cast<const void*>(&hilo_loop_slot)},
          {.name = "hilo_skip_padding",
           .address = reinterpret_cast<const void*>(&hilo_skip_padding)}};
}

}  // namespace hilo::backends
