// Conversion of elements in registers from one type to another.
#pragma once

#include "backends/codegen/element_value.h"
#include "backends/codegen/target_facts.h"
#include "hlo/ir/element_type.h"

namespace llvm {
class IRBuilderBase;
}  // namespace llvm

namespace hilo::backends {

// As the convert opcode: see hlo/README.md.
ElementValue ConvertElements(llvm::IRBuilderBase& builder,
                             const ElementValue& value, hlo::ElementType from,
                             hlo::ElementType to, TargetFacts facts = {});

}  // namespace hilo::backends
