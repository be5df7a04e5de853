// How HLO's opcodes are written in StableHLO: one row each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"

namespace hilo::stablehlo {

// How an operation is laid out, and how its types are.
enum class OperationForm : uint8_t {
  // name %a, %b : type, which is that of all; else as kFunctionType.
  kOneType,
  // name %a, %b : (types) -> type
  kFunctionType,
  // name %a, %b, %c : type of %a, type
  kFirstAndResult,
  // name %a, %b : types of the results
  kResultTypes,
  // name %a, %b : types -> type
  kArrow,
  // "name"(%a, %b) <{key = value}> ({regions}) : (types) -> type
  kGeneric,
};

// What an operation says beside operands, regions and types.
struct OperationDetails {
  // What stands before the operands and behind them in all but generic forms.
  std::string before = {};
  std::string after = {};
  // Whether the operands stand in parentheses.
  bool has_parentheses = false;
  // "key = value".
  std::vector<std::string> entries = {};

  void Add(absl::string_view key, absl::string_view value) {
    entries.push_back(absl::StrCat(key, " = ", value));
  }
};

// Fills in the details. Errors: Unimplemented that says what StableHLO has not.
using DescribeOperation = absl::Status (*)(const hlo::Instruction& instruction,
                                           OperationDetails* details);

struct OperationRow {
  hlo::Opcode opcode = hlo::Opcode::kAbs;
  // With its dialect.
  std::string name = {};
  OperationForm form = OperationForm::kOneType;
  // Null when there are none.
  DescribeOperation describe = nullptr;
};

// The row of an opcode whose operands, computations and results are those of
// one operation; null for those without, or with rules of their own.
const OperationRow* FindOperationRow(hlo::Opcode opcode);

// Rows by family: print_elements.cc, print_structured.cc, print_collectives.cc.
std::vector<OperationRow> ElementOperationRows();
std::vector<OperationRow> StructuredOperationRows();
std::vector<OperationRow> CollectiveOperationRows();

}  // namespace hilo::stablehlo
