// Calls, control flow, reductions and asynchronous operations.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/print_table.h"
#include "hlo/stablehlo/print_values.h"
#include "hlo/stablehlo/printer.h"

namespace hilo::stablehlo {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// The operation that "applies" names: the reducer is one commutative operation
// of its two parameters in order.
bool IsOneOperation(const Computation& reducer) {
  constexpr std::array kOpcodes = {
      Opcode::kAdd,      Opcode::kAnd, Opcode::kMaximum, Opcode::kMinimum,
      Opcode::kMultiply, Opcode::kOr,  Opcode::kXor};
  const Instruction& root = *reducer.root();
  return reducer.instruction_count() == 3 && reducer.parameter_count() == 2 &&
         std::ranges::find(kOpcodes, root.opcode()) != kOpcodes.end() &&
         root.operand(0) == reducer.parameter(0) &&
         root.operand(1) == reducer.parameter(1) && root.attributes().empty() &&
         root.shape().element_type() ==
             reducer.parameter(0)->shape().element_type();
}

}  // namespace

const absl::flat_hash_map<Opcode, Printer::Handler>& Printer::Handlers() {
  static const auto* const kHandlers =
      new absl::flat_hash_map<Opcode, Handler>({
          {Opcode::kAddDependency, &Printer::PrintAddDependency},
          {Opcode::kAllGatherDone, &Printer::PrintSecondElement},
          {Opcode::kAllGatherStart, &Printer::PrintCollectiveStart},
          {Opcode::kAllReduceDone, &Printer::PrintSame},
          {Opcode::kAsyncDone, &Printer::PrintSecondElement},
          {Opcode::kAsyncStart, &Printer::PrintAsyncStart},
          {Opcode::kAsyncUpdate, &Printer::PrintSame},
          {Opcode::kBitcast, &Printer::PrintBitcast},
          {Opcode::kBitcastConvert, &Printer::PrintBitcastConvert},
          {Opcode::kCall, &Printer::PrintCall},
          {Opcode::kCollectivePermuteDone, &Printer::PrintSecondElement},
          {Opcode::kCollectivePermuteStart, &Printer::PrintCollectiveStart},
          {Opcode::kConditional, &Printer::PrintConditional},
          {Opcode::kConstant, &Printer::PrintConstant},
          {Opcode::kCopy, &Printer::PrintSame},
          {Opcode::kCopyDone, &Printer::PrintFirstElement},
          {Opcode::kCopyStart, &Printer::PrintCopyStart},
          {Opcode::kCustomCall, &Printer::PrintCustomCall},
          {Opcode::kDomain, &Printer::PrintSame},
          {Opcode::kDynamicReshape, &Printer::PrintDynamicReshape},
          {Opcode::kFusion, &Printer::PrintCall},
          {Opcode::kGetTupleElement, &Printer::PrintGetTupleElement},
          {Opcode::kOptimizationBarrier, &Printer::PrintBarrier},
          {Opcode::kRecv, &Printer::PrintTransfer},
          {Opcode::kRecvDone, &Printer::PrintTransferDone},
          {Opcode::kReduce, &Printer::PrintReduce},
          {Opcode::kRng, &Printer::PrintRng},
          {Opcode::kSend, &Printer::PrintTransfer},
          {Opcode::kSendDone, &Printer::PrintTransferDone},
          {Opcode::kTopK, &Printer::PrintTopK},
          {Opcode::kTuple, &Printer::PrintTuple},
          {Opcode::kWhile, &Printer::PrintWhile},
      });
  return *kHandlers;
}

void Printer::PrintByTable(const Instruction& instruction) {
  const OperationRow* row = FindOperationRow(instruction.opcode());
  if (row == nullptr) return Refuse(instruction, "it has no such operation");
  Operation operation = OperationOf(instruction, row->name, row->form);
  if (row->describe != nullptr) {
    const absl::Status status = row->describe(instruction, &operation.details);
    if (!status.ok()) return Refuse(instruction, status.message());
  }
  for (const Computation* computation : instruction.called_computations()) {
    operation.regions.push_back({.computation = computation});
  }
  SetValues(instruction, Print(operation));
}

void Printer::PrintCall(const Instruction& instruction) {
  const Computation& computation = instruction.opcode() == Opcode::kFusion
                                       ? *instruction.calls()
                                       : *instruction.to_apply();
  SetValues(instruction,
            PrintCallOf(instruction, computation, instruction.shape()));
}

Printer::Values Printer::PrintCallOf(const Instruction& instruction,
                                     const Computation& computation,
                                     const Shape& result) {
  // The dialect of a function's own operations need not be said.
  Operation operation =
      OperationOf(instruction, depth_ == 0 ? "call" : "func.call",
                  OperationForm::kFunctionType);
  operation.details.before = FunctionOf(computation);
  operation.details.has_parentheses = true;
  operation.result_types = LeafTypes(result);
  return Print(operation);
}

// Branches see the values outside: their parameters are those.
void Printer::PrintConditional(const Instruction& instruction) {
  const bool is_predicate =
      instruction.operand_shape(0).element_type() == hlo::ElementType::kPred;
  Operation operation =
      OperationOf(instruction, is_predicate ? "stablehlo.if" : "stablehlo.case",
                  OperationForm::kGeneric);
  const std::vector<Computation*> branches = instruction.branches();
  std::vector<std::vector<Values>> parameters(branches.size());
  operation.regions.reserve(branches.size());
  for (size_t i = 0; i < branches.size(); ++i) {
    const auto number = static_cast<int64_t>(i + 1);
    parameters[i].push_back(ValuesOf(*instruction.operand(number)));
    operation.regions.push_back(
        {.computation = branches[i], .parameters = &parameters[i]});
  }
  if (!CanPrint(operation)) {
    return SetValues(instruction, NoValues(operation.result_types));
  }
  operation.operands = ValuesOf(*instruction.operand(0));
  SetValues(instruction, Print(operation));
}

// (%a init: %i), (%b init: %j) applies stablehlo.add across dimensions = [0]
void Printer::PrintReduce(const Instruction& instruction) {
  const Operation operation = OperationOf(instruction, "stablehlo.reduce",
                                          OperationForm::kFunctionType);
  if (!CanPrint(operation)) {
    return SetValues(instruction, NoValues(operation.result_types));
  }
  Values results = PrintResultNames(operation);
  const size_t count = operation.operands.size() / 2;
  std::vector<std::string> pairs;
  pairs.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    pairs.push_back(absl::StrCat("(", operation.operands[i].name, " init: ",
                                 operation.operands[count + i].name, ")"));
  }
  absl::StrAppend(&text_, operation.name, absl::StrJoin(pairs, ", "));
  const Computation& reducer = *instruction.to_apply();
  const bool is_one_operation = count == 1 && IsOneOperation(reducer);
  if (is_one_operation) {
    absl::StrAppend(&text_, " applies ",
                    FindOperationRow(reducer.root()->opcode())->name);
  }
  absl::StrAppend(&text_, " across dimensions = ",
                  IntegerListText(instruction.dimensions()));
  if (!operation.notes.empty()) {
    absl::StrAppend(&text_, " {", absl::StrJoin(operation.notes, ", "), "}");
  }
  text_.append(" : ");
  PrintTypes(operation);
  if (is_one_operation) {
    EndLine(instruction);
  } else {
    PrintReducer(instruction);
  }
  SetValues(instruction, std::move(results));
}

// reducer(%a: T, %b: T) (%c: T, %d: T) {...}: accumulators with elements.
void Printer::PrintReducer(const Instruction& instruction) {
  const Computation& reducer = *instruction.to_apply();
  std::vector<Values> parameters;
  for (const Instruction* parameter : reducer.parameters()) {
    parameters.push_back(
        NewValues(parameter->name(), LeafTypes(parameter->shape())));
  }
  text_.push_back('\n');
  StartLine();
  text_.append(" reducer");
  const size_t count = parameters.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    const Value& accumulator = parameters[i][0];
    const Value& element = parameters[count + i][0];
    absl::StrAppend(&text_, i == 0 ? "" : " ", "(", accumulator.name, ": ",
                    accumulator.type, ", ", element.name, ": ", element.type,
                    ")");
  }
  text_.append(" {\n");
  PrintRegion({.computation = &reducer, .parameters = &parameters});
  StartLine();
  text_.append(" }");
  EndLine(instruction);
}

// (%iterArg = %a, %iterArg_0 = %b) : T, T cond {...} do {...}
void Printer::PrintWhile(const Instruction& instruction) {
  const Operation operation =
      OperationOf(instruction, "stablehlo.while", OperationForm::kResultTypes);
  if (!CanPrint(operation)) {
    return SetValues(instruction, NoValues(operation.result_types));
  }
  Values results = PrintResultNames(operation);
  std::vector<Values> parameters(1);
  std::vector<std::string> pairs;
  for (const Value& operand : operation.operands) {
    parameters[0].push_back(
        {.name = absl::StrCat("%", NewName("iterArg")), .type = operand.type});
    pairs.push_back(
        absl::StrCat(parameters[0].back().name, " = ", operand.name));
  }
  absl::StrAppend(&text_, operation.name, "(", absl::StrJoin(pairs, ", "), ")");
  if (!pairs.empty()) {
    text_.append(" : ");
    PrintTypes(operation);
  }
  if (!operation.notes.empty()) {
    absl::StrAppend(&text_, " attributes {",
                    absl::StrJoin(operation.notes, ", "), "}");
  }
  text_.push_back('\n');
  StartLine();
  text_.append("cond {\n");
  PrintRegion(
      {.computation = instruction.condition(), .parameters = &parameters});
  StartLine();
  text_.append("} do {\n");
  PrintRegion({.computation = instruction.body(), .parameters = &parameters});
  StartLine();
  text_.push_back('}');
  EndLine(instruction);
  SetValues(instruction, std::move(results));
}

// Asynchronous operations are what they run; their values are operands, results
// and contexts.
void Printer::PrintAsyncStart(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  Values values = OperandsOf(instruction);
  const Values results =
      PrintCallOf(instruction, *instruction.calls(), shape.element(1));
  values.insert(values.end(), results.begin(), results.end());
  values.resize(static_cast<size_t>(LeafCount(shape)));
  SetValues(instruction, std::move(values));
}

void Printer::PrintCollectiveStart(const Instruction& instruction) {
  const OperationRow& row = *FindOperationRow(instruction.opcode());
  Operation operation = OperationOf(instruction, row.name, row.form);
  const absl::Status status = row.describe(instruction, &operation.details);
  if (!status.ok()) return Refuse(instruction, status.message());
  operation.result_types = LeafTypes(instruction.shape().element(1));
  Values values = operation.operands;
  const Values results = Print(operation);
  values.insert(values.end(), results.begin(), results.end());
  values.resize(static_cast<size_t>(LeafCount(instruction.shape())));
  SetValues(instruction, std::move(values));
}

// (destination, source, context).
void Printer::PrintCopyStart(const Instruction& instruction) {
  Values values = OperandsOf(instruction);
  values.push_back(values[0]);
  values.resize(static_cast<size_t>(LeafCount(instruction.shape())));
  SetValues(instruction, std::move(values));
}

void Printer::PrintFirstElement(const Instruction& instruction) {
  SetValues(instruction, ElementOf(*instruction.operand(0), 0));
}

void Printer::PrintSecondElement(const Instruction& instruction) {
  SetValues(instruction, ElementOf(*instruction.operand(0), 1));
}

// (data, context, token).
void Printer::PrintTransfer(const Instruction& instruction) {
  const OperationRow& row = *FindOperationRow(instruction.opcode());
  Operation operation = OperationOf(instruction, row.name, row.form);
  const absl::Status status = row.describe(instruction, &operation.details);
  if (!status.ok()) return Refuse(instruction, status.message());
  const bool is_send = instruction.opcode() == Opcode::kSend;
  operation.result_types = is_send ? std::vector<std::string>()
                                   : LeafTypes(instruction.shape().element(0));
  operation.result_types.push_back(TypeText(Shape::Token()));
  Values values = Print(operation);
  Value token = std::move(values.back());
  values.pop_back();
  if (is_send) values = ValuesOf(*instruction.operand(0));
  values.emplace_back();
  values.push_back(std::move(token));
  SetValues(instruction, std::move(values));
}

void Printer::PrintTransferDone(const Instruction& instruction) {
  const Instruction& start = *instruction.operand(0);
  Values values = ElementOf(start, 2);
  if (instruction.opcode() == Opcode::kRecvDone) {
    const Values data = ElementOf(start, 0);
    values.insert(values.begin(), data.begin(), data.end());
  }
  SetValues(instruction, std::move(values));
}

void Printer::PrintBarrier(const Instruction& instruction) {
  const Operation operation =
      OperationOf(instruction, "stablehlo.optimization_barrier",
                  OperationForm::kResultTypes);
  if (operation.operands.empty()) return SetValues(instruction, {});
  SetValues(instruction, Print(operation));
}

// A barrier for the value and the token.
void Printer::PrintAddDependency(const Instruction& instruction) {
  Operation operation =
      OperationOf(instruction, "stablehlo.optimization_barrier",
                  OperationForm::kResultTypes);
  operation.result_types.push_back(TypeText(Shape::Token()));
  Values values = Print(operation);
  values.pop_back();
  SetValues(instruction, std::move(values));
}

}  // namespace hilo::stablehlo
