// hilo list: prints the tables.
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

#include "backends/registry.h"
#include "hlo/ir/attribute.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"
#include "jit/cli/commands.h"
#include "jit/cli/console.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/help.h"
#include "jit/cli/option_kinds.h"
#include "passes/legalize/legalize.h"
#include "passes/pipeline.h"
#include "passes/rules/rule.h"
#include "runtime/base/diagnostic.h"

namespace hilo::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string ClassName(hlo::ElementClass element_class) {
  switch (element_class) {
    case hlo::ElementClass::kPredicate:
      return "predicate";
    case hlo::ElementClass::kSigned:
      return "signed";
    case hlo::ElementClass::kUnsigned:
      return "unsigned";
    case hlo::ElementClass::kFloat:
      return "float";
    case hlo::ElementClass::kComplex:
      return "complex";
    case hlo::ElementClass::kNoArray:
      return "no array";
  }
  return "";
}

// The classes of operand types that an element-wise opcode takes.
Json TypeClassNames(hlo::TypeClasses classes) {
  Json names = Json::array();
  for (const hlo::ElementClass element_class :
       {hlo::ElementClass::kPredicate, hlo::ElementClass::kSigned,
        hlo::ElementClass::kUnsigned, hlo::ElementClass::kFloat,
        hlo::ElementClass::kComplex}) {
    if ((classes & hlo::ClassBit(element_class)) == 0) continue;
    names.push_back(ClassName(element_class));
  }
  return names;
}

Json ListOps() {
  Json rows = Json::array();
  for (int i = 0; i < hlo::kOpcodeCount; ++i) {
    const auto opcode = static_cast<hlo::Opcode>(i);
    const hlo::OpcodeInfo& info = hlo::InfoOf(opcode);
    Json attributes = Json::array();
    for (const hlo::AttributeUse& use : info.attributes) {
      attributes.push_back(
          absl::StrCat(hlo::TextOf(use.id), use.required ? "" : "?"));
    }
    Json row = {{"name", std::string(info.text)}};
    row["operands"] =
        info.arity == hlo::kVariadic ? Json("any") : Json(info.arity);
    row["types"] = TypeClassNames(info.types);
    row["attributes"] = std::move(attributes);
    row["max_ulps"] = info.max_ulps;
    row["doc"] = std::string(info.doc);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json ListAttributes() {
  Json rows = Json::array();
  for (int i = 0; i < hlo::kAttributeCount; ++i) {
    const hlo::AttributeInfo& info =
        hlo::InfoOf(static_cast<hlo::AttributeId>(i));
    rows.push_back({{"name", std::string(info.text)},
                    {"kind", std::string(hlo::NameOf(info.kind))},
                    {"doc", std::string(info.doc)}});
  }
  return rows;
}

Json ListTypes() {
  Json rows = Json::array();
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const hlo::ElementTypeInfo& info =
        hlo::InfoOf(static_cast<hlo::ElementType>(i));
    rows.push_back({{"name", std::string(info.text)},
                    {"class", ClassName(info.element_class)},
                    {"bits", info.bits},
                    {"storage_bytes", info.storage_bytes},
                    {"proto_number", info.proto_number}});
  }
  return rows;
}

Json ListBackends() {
  Json rows = Json::array();
  for (const backends::BackendInfo& info : backends::Backends()) {
    rows.push_back(
        {{"name", std::string(info.name)}, {"doc", std::string(info.doc)}});
  }
  return rows;
}

Json ListOptions(const CLI::App& application) {
  Json rows = Json::array();
  for (const CLI::App* command : SubcommandsOf(application)) {
    for (const OptionDescription& option : DescribeOptions(*command)) {
      rows.push_back({{"command", NameOf(*command)},
                      {"name", option.names[0]},
                      {"value", option.value},
                      {"default", option.default_value},
                      {"doc", option.doc}});
    }
  }
  return rows;
}

Json ListPasses() {
  Json rows = Json::array();
  for (const passes::PassId id : passes::Pipeline()) {
    const passes::PassInfo& pass = passes::InfoOf(id);
    rows.push_back({{"name", std::string(pass.name)},
                    {"stage", std::string(passes::InfoOf(pass.stage).name)},
                    {"doc", std::string(pass.doc)}});
  }
  return rows;
}

Json ListStages() {
  Json rows = Json::array();
  for (const passes::StageInfo& stage : passes::Stages()) {
    rows.push_back({{"name", std::string(stage.name)},
                    {"level", stage.level},
                    {"promise", std::string(stage.promise)}});
  }
  return rows;
}

Json ListRules() {
  Json rows = Json::array();
  for (const passes::Rule& rule : passes::Rules()) {
    rows.push_back(
        {{"name", std::string(rule.name)},
         {"types", TypeClassNames(rule.apply == nullptr ? rule.types : 0)},
         {"exactness", std::string(passes::NameOf(rule.exactness))},
         {"text", std::string(rule.text)}});
  }
  return rows;
}

Json ListExpansions() {
  Json rows = Json::array();
  for (const passes::Expansion& expansion : passes::Expansions()) {
    rows.push_back({{"name", std::string(expansion.name)},
                    {"opcode", std::string(hlo::TextOf(expansion.opcode))},
                    {"doc", std::string(expansion.doc)}});
  }
  return rows;
}

// A row of the table of tables.
struct TableInfo {
  const char* name;
  const char* doc;
};
constexpr std::array kTables = {
    TableInfo{"ops", "Opcodes: hlo/ir/opcodes.def"},
    TableInfo{"attributes", "Attributes of instructions"},
    TableInfo{"types", "Element types"},
    TableInfo{"backends", "What can run a module"},
    TableInfo{"options", "Options of all commands"},
    TableInfo{"passes", "Passes, in the order in which they run"},
    TableInfo{"stages", "Stages of the pipeline and what they promise"},
    TableInfo{"rules", "Rules of algebraic simplification"},
    TableInfo{"expansions", "What opcodes without an emitter become"},
};
constexpr std::array kPlannedTables = {"targets"};

Json ListTables() {
  Json rows = Json::array();
  for (const TableInfo& table : kTables) {
    rows.push_back({{"name", table.name}, {"doc", table.doc}});
  }
  return rows;
}

std::string CellOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> words;
  for (const Json& element : value) words.push_back(CellOf(element));
  return absl::StrJoin(words, ",");
}

// Columns as wide as needed, up to a limit; the last one runs free.
std::string FormatTable(const Json& rows) {
  constexpr size_t kMaxColumnWidth = 40;
  if (rows.empty()) return "";
  std::vector<std::vector<std::string>> cells(1);
  for (const auto& [key, value] : rows[0].items()) cells[0].push_back(key);
  for (const Json& row : rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (const auto& [key, value] : row.items()) line.push_back(CellOf(value));
  }
  std::vector<size_t> widths(cells[0].size(), 0);
  for (const std::vector<std::string>& line : cells) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] =
          std::max(widths[i], std::min(line[i].size(), kMaxColumnWidth));
    }
  }
  std::string text;
  for (std::vector<std::string>& line : cells) {
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      line[i].resize(std::max(line[i].size(), widths[i]), ' ');
    }
    absl::StrAppend(&text, absl::StrJoin(line, "  "), "\n");
  }
  return text;
}

struct ListOptionsOfCommand {
  std::string table;
  bool is_json = false;
};

int FailUnknownTable(const std::string& table, Console& console) {
  if (std::ranges::find(kPlannedTables, table) != kPlannedTables.end()) {
    return console.FailUsage(
        absl::StrCat("'", table,
                     "' is not available in this version: needs passes or a "
                     "backend that generates code"));
  }
  std::vector<absl::string_view> names;
  names.reserve(kTables.size());
  for (const TableInfo& info : kTables) names.emplace_back(info.name);
  const std::string suggestion = SuggestNearest(table, names);
  return console.FailUsage(absl::StrCat(
      "there is no table '", table, "'; there is: ", absl::StrJoin(names, ", "),
      suggestion.empty() ? "" : "; ", suggestion));
}

int List(const ListOptionsOfCommand& options, const CLI::App& application,
         Console& console) {
  Json rows;
  if (options.table.empty()) {
    rows = ListTables();
  } else if (options.table == "ops") {
    rows = ListOps();
  } else if (options.table == "attributes") {
    rows = ListAttributes();
  } else if (options.table == "types") {
    rows = ListTypes();
  } else if (options.table == "backends") {
    rows = ListBackends();
  } else if (options.table == "options") {
    rows = ListOptions(application);
  } else if (options.table == "passes") {
    rows = ListPasses();
  } else if (options.table == "stages") {
    rows = ListStages();
  } else if (options.table == "rules") {
    rows = ListRules();
  } else if (options.table == "expansions") {
    rows = ListExpansions();
  } else {
    return FailUnknownTable(options.table, console);
  }
  console.Print(options.is_json ? absl::StrCat(rows.dump(1), "\n")
                                : FormatTable(rows));
  return kSuccess;
}

}  // namespace

CommandAction DeclareList(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto options = std::make_shared<ListOptionsOfCommand>();
  std::vector<std::string> names;
  names.reserve(kTables.size());
  for (const TableInfo& info : kTables) names.emplace_back(info.name);
  AddOption(command, {.name = "TABLE",
                      .target = &options->table,
                      .doc = "Which table; without it, what tables there are",
                      .value_name = absl::StrJoin(names, "|")});
  AddOption(command, {.name = "--json",
                      .target = &options->is_json,
                      .doc = "Prints an array of objects"});
  return [options, &command](Console& console) {
    return List(*options, ApplicationOf(command), console);
  };
}

}  // namespace hilo::cli
