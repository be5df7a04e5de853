// custom-call by the library's table of LAPACK routines.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/cpu/host_function.h"
#include "hlo/eval/ffi_dictionary.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"
#include "runtime/host/host_call.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;

bool IsColumnMajor(const Shape& shape) {
  if (shape.rank() < 2) return false;
  return shape.layout().minor_to_major[0] == shape.rank() - 2;
}

// The arrays of a value, with what the library must know of them.
std::vector<runtime::HostArray> ArraysOf(const Shape& shape) {
  std::vector<runtime::HostArray> arrays;
  for (const Shape* leaf : shape.Leaves()) {
    if (!leaf->IsArray()) continue;
    arrays.push_back(
        {.type = CodeOf(leaf->element_type()),
         .dimensions = {leaf->dimensions().begin(), leaf->dimensions().end()},
         .is_column_major = IsColumnMajor(*leaf)});
  }
  return arrays;
}

absl::StatusOr<runtime::HostCallDescription> Describe(
    const Instruction& call, const passes::TargetTraits& traits) {
  runtime::HostCallDescription description;
  description.target = call.custom_call_target();
  description.slots = traits.cores;
  for (const Instruction* operand : call.operands()) {
    for (runtime::HostArray& array : ArraysOf(operand->shape())) {
      description.operands.push_back(std::move(array));
    }
  }
  description.results = ArraysOf(call.shape());
  ASSIGN_OR_RETURN(const hlo::FfiDictionary dictionary,
                   hlo::FfiDictionary::Parse(call.backend_config()));
  const auto* attributes =
      runtime::FindHostCallAttributes(call.custom_call_target());
  for (const runtime::HostCallAttribute& attribute : *attributes) {
    if (dictionary.Find(attribute.name) == nullptr) continue;
    int64_t value = 0;
    if (!attribute.letters.empty()) {
      ASSIGN_OR_RETURN(const char letter,
                       dictionary.Letter(attribute.name, attribute.letters));
      value = static_cast<unsigned char>(letter);
    } else if (absl::StatusOr<int64_t> number =
                   dictionary.Integer(attribute.name);
               number.ok()) {
      value = *number;
    } else {
      ASSIGN_OR_RETURN(const bool flag, dictionary.Flag(attribute.name));
      value = flag ? 1 : 0;
    }
    description.attributes.emplace_back(attribute.name, value);
  }
  return description;
}

}  // namespace

absl::StatusOr<HostFunction> PlanCustomCall(
    const Instruction& instruction, const passes::TargetTraits& traits) {
  const std::string& target = instruction.custom_call_target();
  if (runtime::FindHostCallAttributes(target) == nullptr) {
    return Unimplemented("custom-call '", instruction.name(), "': the target '",
                         target, "' is not supported by the CPU backend");
  }
  ASSIGN_OR_RETURN(const runtime::HostCallDescription description,
                   Describe(instruction, traits));
  const size_t operand_count = description.operands.size();
  const size_t result_count = description.results.size();
  absl::StatusOr<runtime::HostCall> call =
      runtime::HostCall::Create(description);
  if (!call.ok()) {
    return StatusBuilder(call.status())
           << "in custom-call '" << instruction.name() << "'";
  }
  auto shared = std::make_shared<const runtime::HostCall>(*std::move(call));
  HostFunction function;
  function.scratch_bytes = shared->scratch_bytes();
  function.run = [shared, operand_count, result_count,
                  has_scratch = function.scratch_bytes > 0](
                     void* workers, void* const* arguments) {
    shared->Run(
        workers, arguments, arguments + operand_count,
        has_scratch ? arguments[operand_count + result_count] : nullptr);
  };
  return function;
}

}  // namespace hilo::backends
