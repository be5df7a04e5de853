// Functions and their instructions.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"
#include "hlo/stablehlo/print_stablehlo.h"
#include "hlo/stablehlo/print_values.h"
#include "hlo/stablehlo/printer.h"
#include "hlo/text/print_attribute.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/rendered.h"
#include "runtime/base/source.h"

namespace hilo {
namespace stablehlo {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Attributes of each leaf of the arguments, or of the results.
using LeafNotes = std::vector<std::vector<std::string>>;

// " {a = 1, b = 2}"; nothing for none.
std::string LeafNotesText(const std::vector<std::string>& notes) {
  if (notes.empty()) return "";
  return absl::StrCat(" {", absl::StrJoin(notes, ", "), "}");
}

// The position of a leaf among all of the shape.
size_t LeafAt(const Shape& shape, absl::Span<const int64_t> index) {
  size_t leaf = 0;
  const Shape* inner = &shape;
  for (const int64_t i : index) {
    for (int64_t before = 0; before < i; ++before) {
      leaf += inner->element(before).Leaves().size();
    }
    inner = &inner->element(i);
  }
  return leaf;
}

void AddLayouts(const Shape& shape, LeafNotes::iterator notes) {
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->IsArray() && !leaf->HasDefaultLayout()) {
      notes->push_back(absl::StrCat("mhlo.layout_mode = ",
                                    StringText(hlo::ToString(leaf->layout()))));
    }
    ++notes;
  }
}

// One sharding for all leaves, or one for each.
void AddShardings(const Instruction& instruction, size_t count,
                  LeafNotes::iterator notes) {
  if (!instruction.has_sharding()) return;
  const hlo::Sharding& sharding = instruction.sharding();
  const bool is_tuple = sharding.type == hlo::ShardingType::kTuple;
  if (is_tuple && sharding.elements.size() != count) return;
  for (size_t i = 0; i < count; ++i) {
    std::string text;
    hlo::AppendSharding(is_tuple ? sharding.elements[i] : sharding, &text);
    notes[static_cast<int64_t>(i)].push_back(
        absl::StrCat("mhlo.sharding = ", StringText(text)));
  }
}

}  // namespace

std::string Printer::Run() {
  symbols_.resize(static_cast<size_t>(module_.computation_count()));
  used_symbols_.insert("main");
  PrintModuleHeader();
  PrintFunction(*module_.entry(), "@main", /*is_entry=*/true);
  // Functions that are printed add those that they call.
  // NOLINTNEXTLINE(modernize-loop-convert)
  for (size_t i = 0; i < functions_.size(); ++i) {
    const Computation& function = *functions_[i];
    PrintFunction(function, symbols_[static_cast<size_t>(function.id())],
                  /*is_entry=*/false);
  }
  text_.append("}\n");
  return diagnostics_->has_errors() ? "" : std::move(text_);
}

void Printer::PrintModuleHeader() {
  const hlo::ModuleHeader& header = module_.header();
  std::string frontend;
  if (!header.frontend_attributes.empty()) {
    std::vector<std::string> entries;
    for (const auto& [key, value] : header.frontend_attributes) {
      entries.push_back(absl::StrCat(KeyText(key), " = ", StringText(value)));
    }
    frontend = absl::StrCat("mhlo.frontend_attributes = {",
                            absl::StrJoin(entries, ", "), "}, ");
  }
  absl::StrAppend(
      &text_, "module ", SymbolText(module_.name()), " attributes {", frontend,
      "mhlo.num_partitions = ", header.num_partitions,
      " : i32, mhlo.num_replicas = ", header.replica_count, " : i32} {\n");
}

std::string Printer::FunctionOf(const Computation& computation) {
  std::string& symbol = symbols_[static_cast<size_t>(computation.id())];
  if (!symbol.empty()) return symbol;
  std::string name = computation.name();
  for (int i = 0; !used_symbols_.insert(name).second; ++i) {
    name = absl::StrCat(computation.name(), "_", i);
  }
  symbol = SymbolText(name);
  functions_.push_back(&computation);
  return symbol;
}

void Printer::PrintFunction(const Computation& computation,
                            absl::string_view symbol, bool is_entry) {
  names_.clear();
  absl::StrAppend(&text_, "  func.func ", is_entry ? "public " : "private ",
                  symbol, "(");
  const std::vector<Values> parameters = PrintArguments(computation, is_entry);
  text_.push_back(')');
  PrintResultTypes(computation, is_entry);
  text_.append(" {\n");
  PrintBody(computation, parameters, "return");
  text_.append("  }\n");
}

std::vector<Printer::Values> Printer::PrintArguments(
    const Computation& computation, bool is_entry) {
  LeafNotes notes;
  std::vector<Values> parameters;
  for (const Instruction* parameter : computation.parameters()) {
    parameters.push_back(
        NewValues(parameter->name(), LeafTypes(parameter->shape())));
    for (const Value& leaf : parameters.back()) {
      if (leaf.type.empty()) {
        Error(*parameter, "it has no such type");
        break;
      }
    }
    AddParameterNotes(*parameter, &notes);
  }
  if (is_entry) AddDonations(&notes);
  size_t position = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string location =
        LocationText(*computation.parameter(static_cast<int64_t>(i)));
    for (const Value& leaf : parameters[i]) {
      absl::StrAppend(&text_, position == 0 ? "" : ", ", leaf.name, ": ",
                      leaf.type, LeafNotesText(notes[position]), location);
      ++position;
    }
  }
  return parameters;
}

void Printer::AddParameterNotes(const Instruction& parameter,
                                LeafNotes* notes) const {
  const size_t first = notes->size();
  const auto count = static_cast<size_t>(LeafCount(parameter.shape()));
  notes->resize(first + count);
  const auto begin = notes->begin() + static_cast<int64_t>(first);
  if (parameter.parent() == module_.entry()) {
    AddLayouts(
        module_.entry_layout()
            .parameters[static_cast<size_t>(parameter.parameter_number())],
        begin);
  }
  AddShardings(parameter, count, begin);
  const std::vector<bool>& replication = parameter.parameter_replication();
  for (size_t i = 0; i < count && i < replication.size(); ++i) {
    begin[static_cast<int64_t>(i)].push_back(absl::StrCat(
        "mhlo.parameter_replication = [", BoolText(replication[i]), "]"));
  }
  for (const std::string& note : NotesOf(parameter)) {
    if (absl::StartsWith(note, "mhlo.sharding")) continue;
    for (size_t i = 0; i < count; ++i) {
      begin[static_cast<int64_t>(i)].push_back(note);
    }
  }
}

void Printer::AddDonations(LeafNotes* notes) const {
  const Computation& entry = *module_.entry();
  std::vector<size_t> firsts;
  size_t next = 0;
  for (const Instruction* parameter : entry.parameters()) {
    firsts.push_back(next);
    next += static_cast<size_t>(LeafCount(parameter->shape()));
  }
  const auto leaf_of = [&](int64_t number, const hlo::ShapeIndex& index) {
    return firsts[static_cast<size_t>(number)] +
           LeafAt(entry.parameter(number)->shape(), index);
  };
  for (const hlo::InputOutputAlias& alias :
       module_.header().input_output_alias) {
    const size_t leaf = leaf_of(alias.parameter_number, alias.parameter_index);
    (*notes)[leaf].push_back(absl::StrCat(
        "tf.aliasing_output = ",
        LeafAt(entry.root()->shape(), alias.output_index), " : i32"));
  }
  for (const hlo::BufferDonor& donor : module_.header().buffer_donor) {
    const size_t leaf = leaf_of(donor.parameter_number, donor.parameter_index);
    (*notes)[leaf].emplace_back("jax.buffer_donor = true");
  }
}

void Printer::PrintResultTypes(const Computation& computation, bool is_entry) {
  const Instruction& root = *computation.root();
  const std::vector<std::string> types = LeafTypes(root.shape());
  if (types.empty()) return;
  LeafNotes notes(types.size());
  if (is_entry) {
    AddLayouts(module_.entry_layout().result, notes.begin());
    AddShardings(root, types.size(), notes.begin());
  }
  std::vector<std::string> results;
  bool has_notes = false;
  for (size_t i = 0; i < types.size(); ++i) {
    has_notes = has_notes || !notes[i].empty();
    results.push_back(absl::StrCat(types[i], LeafNotesText(notes[i])));
  }
  const bool is_bare = results.size() == 1 && !has_notes;
  absl::StrAppend(&text_, " -> ", is_bare ? "" : "(",
                  absl::StrJoin(results, ", "), is_bare ? "" : ")");
}

void Printer::PrintBody(const Computation& computation,
                        const std::vector<Values>& parameters,
                        absl::string_view terminator) {
  std::vector<Values> values(
      static_cast<size_t>(computation.instruction_count()));
  std::vector<Values>* const outer = values_;
  values_ = &values;
  for (const Instruction* instruction : computation.PrintOrder()) {
    if (instruction->opcode() == Opcode::kParameter) {
      SetValues(
          *instruction,
          parameters[static_cast<size_t>(instruction->parameter_number())]);
    } else {
      PrintInstruction(*instruction);
    }
  }
  const Values& results = ValuesOf(*computation.root());
  std::vector<std::string> names;
  std::vector<std::string> types;
  for (const Value& value : results) {
    if (value.name.empty() && !diagnostics_->has_errors()) {
      Error(*computation.root(),
            "it has no contexts of asynchronous operations");
    }
    names.push_back(value.name);
    types.push_back(value.type);
  }
  StartLine();
  absl::StrAppend(&text_, terminator, names.empty() ? "" : " ",
                  absl::StrJoin(names, ", "), names.empty() ? "" : " : ",
                  absl::StrJoin(types, ", "), "\n");
  values_ = outer;
}

void Printer::PrintInstruction(const Instruction& instruction) {
  // Computations that share others are printed again and again: not without
  // end.
  constexpr int64_t kMostCopies = 16;
  constexpr int64_t kFewInstructions = int64_t{1} << 20;
  if (has_given_up_) return;
  if (++printed_instructions_ >
      kFewInstructions + kMostCopies * module_.instruction_count()) {
    has_given_up_ = true;
    return Error(instruction, "the program's regions repeat too much");
  }
  const auto handler = Handlers().find(instruction.opcode());
  const Handler print =
      handler == Handlers().end() ? &Printer::PrintByTable : handler->second;
  (this->*print)(instruction);
}

}  // namespace stablehlo

std::string PrintStableHlo(const hlo::Module& module,
                           const StableHloPrintOptions& options,
                           Diagnostics* diagnostics) {
  return stablehlo::Printer(module, options, diagnostics).Run();
}

absl::StatusOr<std::string> PrintStableHlo(
    const hlo::Module& module, const StableHloPrintOptions& options) {
  Diagnostics diagnostics;
  std::string text = PrintStableHlo(module, options, &diagnostics);
  if (!diagnostics.has_errors()) return text;
  const std::shared_ptr<const Source> source =
      module.source() != nullptr
          ? module.source()
          : std::make_shared<const Source>(module.name(), "");
  return MarkRendered(absl::UnimplementedError(diagnostics.Render(*source)));
}

}  // namespace hilo
