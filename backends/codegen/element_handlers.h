// How the element of each opcode follows from those of its operands.
#pragma once

#include "absl/status/statusor.h"

#include "backends/codegen/element_emitter.h"

namespace hilo::backends {

// What a handler is asked for.
struct ElementRequest {
  const hlo::Instruction& instruction;
  int64_t leaf = 0;
  const ArrayIndex& index;
};

using ElementHandler = absl::StatusOr<ElementValue> (*)(
    ElementEmitter& emitter, const ElementRequest& request);

absl::StatusOr<ElementValue> BroadcastElement(ElementEmitter&,
                                              const ElementRequest&);
absl::StatusOr<ElementValue> ConcatenateElement(ElementEmitter&,
                                                const ElementRequest&);
absl::StatusOr<ElementValue> ConstantElement(ElementEmitter&,
                                             const ElementRequest&);
absl::StatusOr<ElementValue> DynamicSliceElement(ElementEmitter&,
                                                 const ElementRequest&);
absl::StatusOr<ElementValue> DynamicUpdateSliceElement(ElementEmitter&,
                                                       const ElementRequest&);
absl::StatusOr<ElementValue> FusionElement(ElementEmitter&,
                                           const ElementRequest&);
absl::StatusOr<ElementValue> GatherElement(ElementEmitter&,
                                           const ElementRequest&);
absl::StatusOr<ElementValue> GetTupleElementElement(ElementEmitter&,
                                                    const ElementRequest&);
absl::StatusOr<ElementValue> IotaElement(ElementEmitter&,
                                         const ElementRequest&);
absl::StatusOr<ElementValue> OperandElement(ElementEmitter&,
                                            const ElementRequest&);
absl::StatusOr<ElementValue> PadElement(ElementEmitter&, const ElementRequest&);
absl::StatusOr<ElementValue> ReduceElement(ElementEmitter&,
                                           const ElementRequest&);
absl::StatusOr<ElementValue> ReduceWindowElement(ElementEmitter&,
                                                 const ElementRequest&);
absl::StatusOr<ElementValue> ReshapeElement(ElementEmitter&,
                                            const ElementRequest&);
absl::StatusOr<ElementValue> ReverseElement(ElementEmitter&,
                                            const ElementRequest&);
absl::StatusOr<ElementValue> SliceElement(ElementEmitter&,
                                          const ElementRequest&);
absl::StatusOr<ElementValue> TransposeElement(ElementEmitter&,
                                              const ElementRequest&);
absl::StatusOr<ElementValue> TupleElement(ElementEmitter&,
                                          const ElementRequest&);

}  // namespace hilo::backends
