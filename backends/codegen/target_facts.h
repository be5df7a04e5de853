// What the emitters of elements may use of a processor.
#pragma once

namespace hilo::backends {

// By default, nothing that not every processor with vectors has. The results
// of all code are the same bits whatever the facts are.
struct TargetFacts {
  // Instructions between float and IEEE half precision.
  bool has_f16c = false;
};

}  // namespace hilo::backends
