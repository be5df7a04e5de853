// Rules about the module's header.
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/verification.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {
namespace {

constexpr absl::string_view kAlias = "input_output_alias";
constexpr absl::string_view kDonor = "buffer_donor";
constexpr absl::string_view kLayout = "entry_computation_layout";

std::string IndexText(const ShapeIndex& index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

// A part of a parameter.
using ParameterPart = std::pair<int64_t, ShapeIndex>;

std::string PartText(const ParameterPart& part) {
  return absl::StrCat("parameter ", part.first, " at ", IndexText(part.second));
}

std::string ShapeText(const Shape& shape) {
  return ToString(shape, /*with_layout=*/false);
}

// The entry computation if it can be looked at, else null.
const Computation* SoundEntry(const Verification& verification) {
  const Computation* entry = verification.module().entry();
  if (entry == nullptr || !verification.IsSound(*entry)) return nullptr;
  return entry;
}

// The shape of a parameter's part; reports and returns null if there is none.
const Shape* FindPart(const Computation& entry, const ParameterPart& part,
                      absl::string_view attribute, Verification& verification) {
  if (part.first < 0 || part.first >= entry.parameter_count()) {
    verification.HeaderError(attribute,
                             absl::StrCat("parameter ", part.first,
                                          " does not exist, the entry has ",
                                          entry.parameter_count()));
    return nullptr;
  }
  const Instruction& parameter = *entry.parameter(part.first);
  const Shape* shape = parameter.shape().At(part.second);
  if (shape != nullptr) return shape;
  Diagnostic& diagnostic = verification.HeaderError(
      attribute, absl::StrCat(PartText(part), " does not exist"));
  verification.AddNote(parameter, &diagnostic);
  return nullptr;
}

// Sizes of the two sides of an alias.
void VerifyAliasSizes(const Computation& entry, const InputOutputAlias& alias,
                      Verification& verification) {
  const ParameterPart part(alias.parameter_number, alias.parameter_index);
  const Shape* input = FindPart(entry, part, kAlias, verification);
  const Shape* output = entry.root()->shape().At(alias.output_index);
  if (output == nullptr) {
    Diagnostic& diagnostic = verification.HeaderError(
        kAlias, absl::StrCat("output ", IndexText(alias.output_index),
                             " does not exist"));
    verification.AddNote(*entry.root(), &diagnostic);
  }
  if (input == nullptr || output == nullptr) return;
  if (input->ByteSize() == output->ByteSize()) return;
  Diagnostic& diagnostic = verification.HeaderError(
      kAlias,
      absl::StrCat("sizes differ: output ", IndexText(alias.output_index),
                   " is ", ShapeText(*output), ", ", PartText(part), " is ",
                   ShapeText(*input)));
  verification.AddNote(*entry.parameter(part.first), &diagnostic);
  verification.AddNote(*entry.root(), &diagnostic);
}

}  // namespace

void VerifyEntry(Verification& verification) {
  const Computation* entry = verification.module().entry();
  if (entry == nullptr) {
    verification.HeaderError("module", "there is no entry computation");
  } else if (!verification.Owns(*entry)) {
    verification.HeaderError("module",
                             "the entry computation belongs to another module");
  }
}

void VerifyEntryLayout(Verification& verification) {
  const Computation* entry = SoundEntry(verification);
  const ModuleHeader& header = verification.module().header();
  if (entry == nullptr || !header.entry_computation_layout) return;
  const EntryComputationLayout& layout = *header.entry_computation_layout;
  const auto count = static_cast<int64_t>(layout.parameters.size());
  if (count != entry->parameter_count()) {
    verification.HeaderError(
        kLayout, absl::StrCat("it has ", count,
                              " parameters, the entry computation has ",
                              entry->parameter_count()));
    return;
  }
  for (int64_t i = 0; i <= count; ++i) {
    const bool is_result = i == count;
    const Shape& shape = is_result ? layout.result : layout.parameters[i];
    const Instruction& instruction =
        is_result ? *entry->root() : *entry->parameter(i);
    const absl::Status status = ValidateShape(shape);
    const std::string what =
        is_result ? std::string("the result") : absl::StrCat("parameter ", i);
    if (!status.ok()) {
      verification.HeaderError(kLayout,
                               absl::StrCat(what, ": ", status.message()));
    } else if (!Compatible(shape, instruction.shape())) {
      Diagnostic& diagnostic = verification.HeaderError(
          kLayout, absl::StrCat(what, " is ", ShapeText(shape),
                                ", the entry computation has ",
                                ShapeText(instruction.shape())));
      verification.AddNote(instruction, &diagnostic);
    }
  }
}

void VerifyInputOutputAlias(Verification& verification) {
  const Computation* entry = SoundEntry(verification);
  if (entry == nullptr) return;
  absl::flat_hash_set<ParameterPart> inputs;
  absl::flat_hash_set<ShapeIndex> outputs;
  for (const InputOutputAlias& alias :
       verification.module().header().input_output_alias) {
    VerifyAliasSizes(*entry, alias, verification);
    const ParameterPart part(alias.parameter_number, alias.parameter_index);
    if (!inputs.insert(part).second) {
      verification.HeaderError(
          kAlias, absl::StrCat(PartText(part), " is aliased twice"));
    }
    if (!outputs.insert(alias.output_index).second) {
      verification.HeaderError(
          kAlias, absl::StrCat("output ", IndexText(alias.output_index),
                               " is aliased twice"));
    }
  }
}

void VerifyBufferDonors(Verification& verification) {
  const Computation* entry = SoundEntry(verification);
  if (entry == nullptr) return;
  const ModuleHeader& header = verification.module().header();
  absl::flat_hash_set<ParameterPart> aliased;
  for (const InputOutputAlias& alias : header.input_output_alias) {
    aliased.emplace(alias.parameter_number, alias.parameter_index);
  }
  absl::flat_hash_set<ParameterPart> donated;
  for (const BufferDonor& donor : header.buffer_donor) {
    const ParameterPart part(donor.parameter_number, donor.parameter_index);
    if (FindPart(*entry, part, kDonor, verification) == nullptr) continue;
    if (aliased.contains(part)) {
      verification.HeaderError(
          kDonor, absl::StrCat(PartText(part), " is already aliased"));
    }
    if (!donated.insert(part).second) {
      verification.HeaderError(
          kDonor, absl::StrCat(PartText(part), " is donated twice"));
    }
  }
}

void VerifyDeviceCounts(Verification& verification) {
  const ModuleHeader& header = verification.module().header();
  if (header.replica_count < 1) {
    verification.HeaderError(
        "replica_count",
        absl::StrCat("it is ", header.replica_count, ", expected at least 1"));
  }
  if (header.num_partitions < 1) {
    verification.HeaderError(
        "num_partitions",
        absl::StrCat("it is ", header.num_partitions, ", expected at least 1"));
  }
}

}  // namespace hilo::hlo
