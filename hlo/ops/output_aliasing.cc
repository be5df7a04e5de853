// Checks the attribute output_to_operand_aliasing.
#include "hlo/ops/output_aliasing.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

std::string IndexText(const ShapeIndex& index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

absl::Status CheckAlias(const Instruction& instruction,
                        const OutputOperandAlias& alias) {
  const Shape* output = instruction.shape().At(alias.output_index);
  if (output == nullptr) {
    return InvalidArgument("aliased output ", IndexText(alias.output_index),
                           " does not exist in ",
                           ShapeText(instruction.shape()));
  }
  if (alias.operand < 0 || alias.operand >= instruction.operand_count()) {
    return InvalidArgument("aliased operand ", alias.operand,
                           " does not exist, there are ",
                           instruction.operand_count());
  }
  const Shape& operand = instruction.operand_shape(alias.operand);
  const Shape* input = operand.At(alias.operand_index);
  if (input == nullptr) {
    return InvalidArgument("aliased index ", IndexText(alias.operand_index),
                           " does not exist in operand ", alias.operand, ", ",
                           ShapeText(operand));
  }
  if (output->ByteSize() != input->ByteSize()) {
    return InvalidArgument("aliased sizes differ: output ",
                           IndexText(alias.output_index), " is ",
                           ShapeText(*output), ", operand ", alias.operand,
                           " has ", ShapeText(*input));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckOutputAliasing(const Instruction& instruction) {
  std::vector<ShapeIndex> seen;
  for (const OutputOperandAlias& alias :
       instruction.output_to_operand_aliasing()) {
    RETURN_IF_ERROR(CheckAlias(instruction, alias));
    if (std::ranges::find(seen, alias.output_index) != seen.end()) {
      return InvalidArgument("output ", IndexText(alias.output_index),
                             " is aliased twice");
    }
    seen.push_back(alias.output_index);
  }
  return absl::OkStatus();
}

}  // namespace hilo::hlo
