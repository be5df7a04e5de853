// Flattens the entry's parameters and results.
#include "backends/program_signature.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"

namespace hilo::backends {
namespace {

using hlo::Shape;
using hlo::ShapeIndex;

void AppendLeaves(const Shape& shape, const ArrayLeaf& parent,
                  std::vector<ArrayLeaf>* leaves) {
  if (shape.IsTuple()) {
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      ArrayLeaf child = parent;
      child.index.push_back(i);
      AppendLeaves(shape.element(i), child, leaves);
    }
    return;
  }
  if (!shape.IsArray()) return;
  ArrayLeaf leaf = parent;
  leaf.shape = shape;
  if (!leaf.index.empty()) {
    absl::StrAppend(&leaf.description, " at {", absl::StrJoin(leaf.index, ","),
                    "}");
    if (!leaf.name.empty()) {
      absl::StrAppend(&leaf.name, ".", absl::StrJoin(leaf.index, "."));
    }
  }
  leaves->push_back(std::move(leaf));
}

std::optional<int64_t> FindLeaf(const std::vector<ArrayLeaf>& leaves,
                                int64_t parameter_number,
                                const ShapeIndex& index) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].parameter_number == parameter_number &&
        leaves[i].index == index) {
      return static_cast<int64_t>(i);
    }
  }
  return std::nullopt;
}

void FillDonations(const hlo::ModuleHeader& header,
                   ProgramSignature* signature) {
  signature->aliased_arguments.resize(signature->results.size());
  signature->is_donatable.resize(signature->arguments.size(), false);
  for (const hlo::InputOutputAlias& alias : header.input_output_alias) {
    const std::optional<int64_t> result =
        FindLeaf(signature->results, 0, alias.output_index);
    const std::optional<int64_t> argument = FindLeaf(
        signature->arguments, alias.parameter_number, alias.parameter_index);
    if (!result || !argument) continue;
    signature->aliased_arguments[*result] = argument;
    signature->is_donatable[*argument] = true;
  }
  for (const hlo::BufferDonor& donor : header.buffer_donor) {
    const std::optional<int64_t> argument = FindLeaf(
        signature->arguments, donor.parameter_number, donor.parameter_index);
    if (argument) signature->is_donatable[*argument] = true;
  }
}

}  // namespace

ProgramSignature SignatureOf(const hlo::Module& module) {
  ProgramSignature signature;
  const hlo::EntryComputationLayout layout = module.entry_layout();
  for (size_t i = 0; i < layout.parameters.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    const std::string& name = module.entry()->parameter(number)->name();
    ArrayLeaf parent;
    parent.parameter_number = number;
    parent.description = absl::StrCat("parameter ", number, " '", name, "'");
    parent.name = name;
    AppendLeaves(layout.parameters[i], parent, &signature.arguments);
  }
  ArrayLeaf parent;
  parent.description = "result";
  AppendLeaves(layout.result, parent, &signature.results);
  FillDonations(module.header(), &signature);
  return signature;
}

}  // namespace hilo::backends
