// Evaluates map.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/scalar_body.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// One operand: an array, or a scalar that every element sees.
struct MapArgument {
  const std::byte* elements = nullptr;
  int element_bytes = 0;
  bool is_scalar = false;
  std::vector<std::byte> copies;
};

std::vector<MapArgument> PrepareArguments(absl::Span<const Literal> operands) {
  std::vector<MapArgument> arguments;
  for (const Literal& operand : operands) {
    MapArgument& argument = arguments.emplace_back();
    argument.elements = operand.untyped_data();
    argument.element_bytes = StorageBytes(operand.shape().element_type());
    argument.is_scalar = operand.shape().IsScalar();
    if (!argument.is_scalar) continue;
    argument.copies.resize(ScalarBody::kMaxLanes * argument.element_bytes);
    FillElements(argument.copies.data(), ScalarBody::kMaxLanes,
                 argument.elements, argument.element_bytes);
  }
  return arguments;
}

}  // namespace

absl::StatusOr<Literal> EvaluateMap(const Instruction& instruction,
                                    absl::Span<Literal> operands,
                                    EvaluationContext& context) {
  Literal result(instruction.shape());
  const int64_t count = result.element_count();
  if (count == 0) return result;
  ElementTypes types;
  AppendElementTypes(operands, types);
  const ElementTypes result_types = ElementTypesOf(instruction.shape());
  ASSIGN_OR_RETURN(ScalarBody body,
                   ScalarBody::Create(*instruction.to_apply(), types,
                                      result_types, context));
  const std::vector<MapArgument> arguments = PrepareArguments(operands);
  const int bytes = StorageBytes(result_types[0]);
  std::byte* elements = result.mutable_untyped_data();
  std::vector<const void*> lanes(arguments.size());
  for (int64_t i = 0; i < count; i += ScalarBody::kMaxLanes) {
    for (size_t k = 0; k < arguments.size(); ++k) {
      const MapArgument& argument = arguments[k];
      lanes[k] = argument.is_scalar
                     ? argument.copies.data()
                     : argument.elements + i * argument.element_bytes;
    }
    void* output = elements + i * bytes;
    RETURN_IF_ERROR(body.Run(std::min(ScalarBody::kMaxLanes, count - i), lanes,
                             absl::MakeConstSpan(&output, 1)));
  }
  return result;
}

}  // namespace hilo::hlo
