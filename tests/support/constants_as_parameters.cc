// Rewrites a module so that it takes its constants as parameters.
#include "tests/support/constants_as_parameters.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "hlo/text/printer.h"
#include "runtime/base/status.h"

namespace hilo::tests {
namespace {

std::vector<hlo::Instruction*> ArrayConstants(
    const hlo::Computation& computation) {
  std::vector<hlo::Instruction*> constants;
  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() == hlo::Opcode::kConstant &&
        instruction->shape().IsArray()) {
      constants.push_back(instruction.get());
    }
  }
  return constants;
}

// Puts a new parameter of the same name in the constant's place, which then
// has no users.
void ReplaceByParameter(hlo::Instruction& constant, hlo::Module& module) {
  hlo::Computation& entry = *module.entry();
  hlo::Instruction* parameter =
      entry.AddParameter(entry.parameter_count(), constant.shape());
  parameter->set_name(constant.name());
  constant.ReplaceAllUsesWith(parameter);
  if (entry.root() == &constant) entry.set_root(parameter);
  if (module.header().entry_computation_layout) {
    module.header().entry_computation_layout->parameters.push_back(
        constant.shape());
  }
}

}  // namespace

absl::StatusOr<ParameterizedModule> TurnConstantsIntoParameters(
    absl::string_view text) {
  ASSIGN_OR_RETURN(const std::unique_ptr<hlo::Module> module, hlo::Parse(text));
  ParameterizedModule result;
  hlo::Computation& entry = *module->entry();
  std::vector<hlo::InstructionId> replaced;
  for (hlo::Instruction* constant : ArrayConstants(entry)) {
    result.inputs.push_back(absl::StrCat("--input=", constant->name(), "=",
                                         hlo::Print(constant->value())));
    ReplaceByParameter(*constant, *module);
    replaced.push_back(constant->id());
  }
  std::vector<bool> keep(static_cast<size_t>(entry.instruction_count()), true);
  for (const hlo::InstructionId id : replaced) {
    keep[static_cast<size_t>(id)] = false;
  }
  entry.RemoveExcept(keep);
  // The parameters come last in the text: it is no schedule any more.
  module->header().is_scheduled = false;
  result.text = hlo::Print(*module);
  return result;
}

}  // namespace hilo::tests
