// Prints modules, computations and instructions (language reference, 1.14).
#include "hlo/text/printer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/async_sugar.h"
#include "hlo/text/print_attribute.h"

namespace hilo::hlo {
namespace {

// Writes text with one set of options and one naming.
class Printer {
 public:
  Printer(const PrintOptions& options, std::string* out)
      : options_(options), out_(out) {
    references_.computation = [this](const Computation& computation) {
      return Reference(ComputationName(computation));
    };
    references_.instruction = [this](const Instruction& instruction) {
      return Reference(InstructionName(instruction));
    };
  }

  void PrintModule(const Module& module);
  void PrintComputation(const Computation& computation, bool is_entry);
  void PrintInstruction(const Instruction& instruction);

 private:
  static constexpr int64_t kCommentInterval = 5;

  std::string Reference(const std::string& name) const {
    return options_.percent ? absl::StrCat("%", name) : name;
  }
  std::string ComputationName(const Computation& computation);
  std::string InstructionName(const Instruction& instruction);
  void AppendReference(const Instruction& instruction) {
    if (options_.percent) out_->push_back('%');
    if (options_.canonical_names) {
      absl::StrAppend(out_, InstructionName(instruction));
    } else {
      out_->append(instruction.name());
    }
  }
  void AppendShape(const Shape& shape) {
    AppendTo(shape, options_.layouts, /*index_comments=*/true, out_);
  }

  void PrintHeader(const Module& module);
  void PrintLayout(const EntryComputationLayout& layout);
  void PrintAliases(const ModuleHeader& header);
  void PrintBoolList(absl::string_view name, const std::vector<bool>& values);
  void PrintStackFrames(const StackFrameTables& tables);
  void PrintSignature(const Computation& computation);
  void PrintOperands(const Instruction& instruction);
  void PrintAttributes(const Instruction& instruction);
  void PrintCommonAttributes(const Instruction& instruction);
  void PrintAttribute(AttributeId id, const AttributeValue& value);
  bool Omits(AttributeId id) const;
  // Appends `value` when present, or the default when it is always shown.
  void PrintUse(const Instruction& instruction, const AttributeUse& use);

  const PrintOptions& options_;
  std::string* out_;
  ReferencePrinter references_;
  // Canonical names, in order of appearance.
  absl::flat_hash_map<std::pair<ComputationId, InstructionId>, int64_t>
      instruction_numbers_;
  absl::flat_hash_map<ComputationId, int64_t> computation_numbers_;
};

std::string Printer::ComputationName(const Computation& computation) {
  if (!options_.canonical_names) return computation.name();
  const auto number = static_cast<int64_t>(computation_numbers_.size());
  return absl::StrCat(
      "computation_",
      computation_numbers_.emplace(computation.id(), number).first->second);
}

std::string Printer::InstructionName(const Instruction& instruction) {
  if (!options_.canonical_names) return instruction.name();
  const auto number = static_cast<int64_t>(instruction_numbers_.size());
  return absl::StrCat("tmp_", instruction_numbers_
                                  .emplace(std::pair(instruction.parent()->id(),
                                                     instruction.id()),
                                           number)
                                  .first->second);
}

void Printer::PrintBoolList(absl::string_view name,
                            const std::vector<bool>& values) {
  if (values.empty()) return;
  absl::StrAppend(out_, ", ", name, "={");
  for (size_t i = 0; i < values.size(); ++i) {
    absl::StrAppend(out_, i > 0 ? "," : "", values[i] ? "true" : "false");
  }
  out_->push_back('}');
}

void Printer::PrintAliases(const ModuleHeader& header) {
  if (!header.input_output_alias.empty()) {
    out_->append(", input_output_alias={");
    bool first = true;
    for (const InputOutputAlias& alias : header.input_output_alias) {
      out_->append(first ? " " : ", ");
      first = false;
      AppendIntList(alias.output_index, out_);
      absl::StrAppend(out_, ": (", alias.parameter_number, ", ");
      AppendIntList(alias.parameter_index, out_);
      out_->append(alias.must_alias ? ", must-alias)" : ", may-alias)");
    }
    out_->append(" }");
  }
  if (header.buffer_donor.empty()) return;
  out_->append(", buffer_donor={");
  bool first = true;
  for (const BufferDonor& donor : header.buffer_donor) {
    absl::StrAppend(out_, first ? " (" : ", (", donor.parameter_number, ", ");
    first = false;
    AppendIntList(donor.parameter_index, out_);
    out_->push_back(')');
  }
  out_->append(" }");
}

void Printer::PrintLayout(const EntryComputationLayout& layout) {
  out_->append(", entry_computation_layout={(");
  for (size_t i = 0; i < layout.parameters.size(); ++i) {
    if (i > 0) out_->append(", ");
    if (i > 0 && i % kCommentInterval == 0 &&
        static_cast<int64_t>(layout.parameters.size()) > kCommentInterval) {
      absl::StrAppend(out_, "/*index=", i, "*/");
    }
    AppendTo(layout.parameters[i], /*with_layout=*/true,
             /*index_comments=*/true, out_);
  }
  out_->append(")->");
  AppendTo(layout.result, /*with_layout=*/true, /*index_comments=*/true, out_);
  out_->push_back('}');
}

void Printer::PrintHeader(const Module& module) {
  const ModuleHeader& header = module.header();
  absl::StrAppend(out_, "HloModule ",
                  options_.canonical_names ? "module" : module.name());
  if (header.is_scheduled) out_->append(", is_scheduled=true");
  PrintAliases(header);
  if (header.alias_passthrough_params) {
    out_->append(", alias_passthrough_params=true");
  }
  if (header.entry_computation_layout && options_.layouts) {
    PrintLayout(*header.entry_computation_layout);
  }
  PrintBoolList("allow_spmd_sharding_propagation_to_parameters",
                header.allow_spmd_sharding_propagation_to_parameters);
  PrintBoolList("allow_spmd_sharding_propagation_to_output",
                header.allow_spmd_sharding_propagation_to_output);
  if (header.replica_count != 1) {
    absl::StrAppend(out_, ", replica_count=", header.replica_count);
  }
  if (header.num_partitions != 1) {
    absl::StrAppend(out_, ", num_partitions=", header.num_partitions);
  }
  if (!options_.canonical_names) {
    if (!header.frontend_attributes.empty()) {
      out_->append(", frontend_attributes=");
      AppendFrontendAttributes(header.frontend_attributes, out_);
    }
    if (!header.origin_recovery_table.empty()) {
      absl::StrAppend(out_,
                      ", origin_recovery_table=", header.origin_recovery_table);
    }
    if (!header.debug_attributes.empty()) {
      absl::StrAppend(out_, ", debug_attributes=", header.debug_attributes);
    }
  }
  out_->append("\n\n");
  if (options_.metadata) PrintStackFrames(header.stack_frames);
}

void Printer::PrintStackFrames(const StackFrameTables& tables) {
  if (tables.empty()) return;
  const auto strings = [&](absl::string_view title,
                           const std::vector<std::string>& list) {
    absl::StrAppend(out_, title, "\n");
    for (size_t i = 0; i < list.size(); ++i) {
      absl::StrAppend(out_, i + 1, " ");
      AppendQuoted(list[i], out_);
      out_->push_back('\n');
    }
    out_->push_back('\n');
  };
  strings("FileNames", tables.file_names);
  strings("FunctionNames", tables.function_names);
  out_->append("FileLocations\n");
  for (size_t i = 0; i < tables.file_locations.size(); ++i) {
    const StackFrameTables::FileLocation& l = tables.file_locations[i];
    absl::StrAppend(out_, i + 1, " {file_name_id=", l.file_name_id,
                    " function_name_id=", l.function_name_id);
    absl::StrAppend(out_, " line=", l.line, " end_line=", l.end_line,
                    " column=", l.column, " end_column=", l.end_column, "}\n");
  }
  out_->append("\nStackFrames\n");
  for (size_t i = 0; i < tables.stack_frames.size(); ++i) {
    const StackFrameTables::StackFrame& frame = tables.stack_frames[i];
    absl::StrAppend(out_, i + 1, " {file_location_id=", frame.file_location_id,
                    " parent_frame_id=", frame.parent_frame_id + 1, "}\n");
  }
  out_->append("\n\n");
}

void Printer::PrintModule(const Module& module) {
  PrintHeader(module);
  const std::vector<bool> is_sugar = FindAsyncSugar(module);
  for (const Computation* computation : module.PostOrder()) {
    if (is_sugar[computation->id()]) continue;
    PrintComputation(*computation, computation == module.entry());
    out_->push_back('\n');
  }
}

void Printer::PrintSignature(const Computation& computation) {
  out_->append(" (");
  bool first = true;
  for (const Instruction* parameter : computation.parameters()) {
    if (parameter == nullptr) continue;
    if (!first) out_->append(", ");
    first = false;
    absl::StrAppend(out_, InstructionName(*parameter), ": ");
    AppendTo(parameter->shape(), /*with_layout=*/false,
             /*index_comments=*/false, out_);
  }
  out_->append(") -> ");
  if (computation.root() != nullptr) {
    AppendTo(computation.root()->shape(), /*with_layout=*/false,
             /*index_comments=*/true, out_);
  }
}

void Printer::PrintComputation(const Computation& computation, bool is_entry) {
  if (is_entry) out_->append("ENTRY ");
  out_->append(Reference(ComputationName(computation)));
  if (options_.signatures) PrintSignature(computation);
  out_->append(" {\n");
  for (const Instruction* instruction : computation.PrintOrder()) {
    out_->append(instruction == computation.root() ? "  ROOT " : "  ");
    PrintInstruction(*instruction);
    out_->push_back('\n');
  }
  out_->push_back('}');
  if (computation.execution_thread() != "main") {
    out_->append(", execution_thread=");
    AppendQuoted(computation.execution_thread(), out_);
  }
  out_->push_back('\n');
}

void Printer::PrintOperands(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kParameter) {
    absl::StrAppend(out_, instruction.parameter_number());
    return;
  }
  if (instruction.opcode() == Opcode::kConstant) {
    absl::StrAppend(out_,
                    Print(instruction.value(), options_.elide_constants_above));
    return;
  }
  const int64_t count = instruction.operand_count();
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) out_->append(", ");
    if (i > 0 && i % kCommentInterval == 0 && count > kCommentInterval) {
      absl::StrAppend(out_, "/*index=", i, "*/");
    }
    if (options_.operand_shapes) {
      AppendShape(instruction.operand_shape(i));
      out_->push_back(' ');
    }
    AppendReference(*instruction.operand(i));
  }
}

bool Printer::Omits(AttributeId id) const {
  switch (id) {
    case AttributeId::kMetadata:
    case AttributeId::kStatistics:
    case AttributeId::kOrigin:
      return !options_.metadata;
    case AttributeId::kBackendConfig:
      return !options_.backend_config;
    case AttributeId::kControlPredecessors:
      return !options_.control_predecessors;
    default:  // NOLINT: every other attribute is part of the meaning
      return false;
  }
}

void Printer::PrintAttribute(AttributeId id, const AttributeValue& value) {
  absl::StrAppend(out_, ", ", TextOf(id), "=");
  if (id == AttributeId::kBackendConfig) {
    AppendTextOrDictionary(ValueAs<AttributeKind::kString>(value), out_);
    return;
  }
  AppendAttributeValue(value, references_, out_);
}

void Printer::PrintUse(const Instruction& instruction,
                       const AttributeUse& use) {
  if (use.ignored) return;
  if (use.id == AttributeId::kType &&
      instruction.comparison_type() ==
          DefaultComparisonType(instruction.operand_shape(0).element_type())) {
    return;
  }
  if (const AttributeValue* value = instruction.FindValue(use.id)) {
    PrintAttribute(use.id, *value);
    return;
  }
  if (!use.shown) return;
  if (use.id == AttributeId::kOutfeedShape) {
    if (instruction.operand_count() == 0) return;
    PrintAttribute(use.id, MakeAttributeValue<AttributeKind::kShape>(
                               instruction.operand_shape(0)));
    return;
  }
  // A computation that is missing (the module was not verified) has no name.
  if (InfoOf(use.id).kind == AttributeKind::kComputation) return;
  PrintAttribute(use.id, DefaultValue(use.id));
}

void Printer::PrintAttributes(const Instruction& instruction) {
  for (const AttributeUse& use : InfoOf(instruction.opcode()).attributes) {
    PrintUse(instruction, use);
  }
}

void Printer::PrintCommonAttributes(const Instruction& instruction) {
  for (const Attribute& attribute : instruction.attributes()) {
    if (attribute.id < kFirstCommonAttribute || Omits(attribute.id)) continue;
    PrintAttribute(attribute.id, attribute.value);
  }
}

void Printer::PrintInstruction(const Instruction& instruction) {
  AppendReference(instruction);
  out_->append(" = ");
  AppendShape(instruction.shape());
  out_->push_back(' ');
  const Instruction* wrapped = AsyncSugarFor(instruction);
  const absl::string_view text = TextOf(instruction.opcode());
  if (wrapped == nullptr) {
    absl::StrAppend(out_, text);
  } else {
    constexpr absl::string_view kPrefix = "async";
    absl::StrAppend(out_, TextOf(wrapped->opcode()),
                    text.substr(kPrefix.size()));
  }
  out_->push_back('(');
  PrintOperands(instruction);
  out_->push_back(')');
  if (wrapped == nullptr) {
    PrintAttributes(instruction);
  } else if (instruction.opcode() == Opcode::kAsyncStart) {
    if (const AttributeValue* thread =
            instruction.FindValue(AttributeId::kAsyncExecutionThread)) {
      PrintAttribute(AttributeId::kAsyncExecutionThread, *thread);
    }
    PrintAttributes(*wrapped);
    if (const AttributeValue* aliasing =
            instruction.FindValue(AttributeId::kOutputToOperandAliasing)) {
      PrintAttribute(AttributeId::kOutputToOperandAliasing, *aliasing);
    }
  }
  PrintCommonAttributes(instruction);
}

}  // namespace

PrintOptions PrintOptions::Short() {
  PrintOptions options;
  options.percent = false;
  options.signatures = false;
  options.metadata = false;
  options.control_predecessors = false;
  return options;
}

PrintOptions PrintOptions::Canonical() {
  PrintOptions options;
  options.operand_shapes = true;
  options.metadata = false;
  options.backend_config = false;
  options.control_predecessors = false;
  options.canonical_names = true;
  return options;
}

std::string Print(const Module& module, const PrintOptions& options) {
  std::string out;
  Printer(options, &out).PrintModule(module);
  return out;
}

std::string Print(const Computation& computation, const PrintOptions& options) {
  std::string out;
  Printer(options, &out)
      .PrintComputation(computation,
                        computation.parent()->entry() == &computation);
  return out;
}

std::string Print(const Instruction& instruction, const PrintOptions& options) {
  std::string out;
  Printer(options, &out).PrintInstruction(instruction);
  return out;
}

}  // namespace hilo::hlo
