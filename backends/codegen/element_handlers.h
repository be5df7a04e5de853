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

// The element of an array in one form whatever the path: scalar for uniform
// indices, else one value a lane, so that values of branches can be merged.
absl::StatusOr<ElementValue> InOneForm(ElementEmitter& emitter,
                                       const hlo::Instruction& instruction,
                                       const ArrayIndex& index, bool is_scalar);

absl::StatusOr<ElementValue> BroadcastElement(ElementEmitter& emitter,
                                              const ElementRequest& request);
absl::StatusOr<ElementValue> ConcatenateElement(ElementEmitter& emitter,
                                                const ElementRequest& request);
absl::StatusOr<ElementValue> ConstantElement(ElementEmitter& emitter,
                                             const ElementRequest& request);
absl::StatusOr<ElementValue> DynamicSliceElement(ElementEmitter& emitter,
                                                 const ElementRequest& request);
absl::StatusOr<ElementValue> DynamicUpdateSliceElement(
    ElementEmitter& emitter, const ElementRequest& request);
absl::StatusOr<ElementValue> FusionElement(ElementEmitter& emitter,
                                           const ElementRequest& request);
absl::StatusOr<ElementValue> GatherElement(ElementEmitter& emitter,
                                           const ElementRequest& request);
absl::StatusOr<ElementValue> GetTupleElementElement(
    ElementEmitter& emitter, const ElementRequest& request);
absl::StatusOr<ElementValue> IotaElement(ElementEmitter& emitter,
                                         const ElementRequest& request);
absl::StatusOr<ElementValue> OperandElement(ElementEmitter& emitter,
                                            const ElementRequest& request);
absl::StatusOr<ElementValue> PadElement(ElementEmitter& emitter,
                                        const ElementRequest& request);
absl::StatusOr<ElementValue> ReduceElement(ElementEmitter& emitter,
                                           const ElementRequest& request);
absl::StatusOr<ElementValue> ReduceWindowElement(ElementEmitter& emitter,
                                                 const ElementRequest& request);
absl::StatusOr<ElementValue> ReshapeElement(ElementEmitter& emitter,
                                            const ElementRequest& request);
absl::StatusOr<ElementValue> ReverseElement(ElementEmitter& emitter,
                                            const ElementRequest& request);
absl::StatusOr<ElementValue> SliceElement(ElementEmitter& emitter,
                                          const ElementRequest& request);
absl::StatusOr<ElementValue> TransposeElement(ElementEmitter& emitter,
                                              const ElementRequest& request);
absl::StatusOr<ElementValue> TupleElement(ElementEmitter& emitter,
                                          const ElementRequest& request);

}  // namespace hilo::backends
