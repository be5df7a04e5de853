// Makes StableHLO text of HLO.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/print_stablehlo.h"
#include "hlo/stablehlo/print_table.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

// Prints instruction by instruction. StableHLO's values are arrays and tokens:
// a tuple of HLO is the list of its leaves, nested ones flattened. What has no
// form in StableHLO is reported, all of it.
class Printer {
 public:
  // All outlive the printer. The module is verified.
  Printer(const hlo::Module& module, const StableHloPrintOptions& options,
          Diagnostics* diagnostics)
      : module_(module), options_(options), diagnostics_(diagnostics) {}

  // The text; empty after errors.
  std::string Run();

 private:
  using Handler = void (Printer::*)(const hlo::Instruction& instruction);

  // A leaf of a value of HLO.
  struct Value {
    // With "%". Empty for what is no value of StableHLO: contexts of
    // asynchronous operations, and results of instructions with errors.
    std::string name;
    std::string type;
  };
  using Values = std::vector<Value>;

  // What a region consists of.
  struct Region {
    const hlo::Computation* computation = nullptr;
    // The values of its parameters; null: they are the region's arguments.
    const std::vector<Values>* parameters = nullptr;
  };

  // An operation to be printed.
  struct Operation {
    // What it is made for.
    const hlo::Instruction* instruction = nullptr;
    std::string name = {};
    OperationForm form = OperationForm::kFunctionType;
    OperationDetails details = {};
    // Attributes of no operation in particular: shardings and the like.
    std::vector<std::string> notes = {};
    Values operands = {};
    std::vector<Region> regions = {};
    // What the results are named after, and their types.
    std::string result_name = {};
    std::vector<std::string> result_types = {};
  };

  // Functions: print_module.cc.
  void PrintModuleHeader();
  void PrintFunction(const hlo::Computation& computation,
                     absl::string_view symbol, bool is_entry);
  std::vector<Values> PrintArguments(const hlo::Computation& computation,
                                     bool is_entry);
  void PrintResultTypes(const hlo::Computation& computation, bool is_entry);
  void AddParameterNotes(const hlo::Instruction& parameter,
                         std::vector<std::vector<std::string>>* notes) const;
  void AddDonations(std::vector<std::vector<std::string>>* notes) const;
  // The name of the function that a computation becomes; printed later.
  std::string FunctionOf(const hlo::Computation& computation);
  void PrintBody(const hlo::Computation& computation,
                 const std::vector<Values>& parameters,
                 absl::string_view terminator);
  void PrintInstruction(const hlo::Instruction& instruction);

  // Operations: print_operation.cc.
  void Error(const hlo::Instruction& instruction, absl::string_view reason);
  // Reports an error; the instruction gets values without names.
  void Refuse(const hlo::Instruction& instruction, absl::string_view reason);
  // A name like the wanted one that the function does not have yet.
  std::string NewName(absl::string_view wanted);
  Values NewValues(absl::string_view wanted,
                   absl::Span<const std::string> types);
  // The types of all leaves; those that StableHLO has not are "".
  static std::vector<std::string> LeafTypes(const hlo::Shape& shape);
  static int64_t LeafCount(const hlo::Shape& shape);
  // Leaves without names.
  static Values NoValues(const std::vector<std::string>& types);
  const Values& ValuesOf(const hlo::Instruction& instruction) const {
    return (*values_)[static_cast<size_t>(instruction.id())];
  }
  void SetValues(const hlo::Instruction& instruction, Values values) {
    (*values_)[static_cast<size_t>(instruction.id())] = std::move(values);
  }
  // The leaves of one element of a tuple.
  Values ElementOf(const hlo::Instruction& tuple, int64_t index) const;
  // The leaves of all operands.
  Values OperandsOf(const hlo::Instruction& instruction) const;
  static std::vector<std::string> NotesOf(const hlo::Instruction& instruction);
  // An operation of the instruction's operands, results and notes.
  Operation OperationOf(const hlo::Instruction& instruction, std::string name,
                        OperationForm form) const;
  // False, with an error, when operands or results are nothing that StableHLO
  // has. Silent about what was reported before.
  bool CanPrint(const Operation& operation);
  // Prints the operation and returns its results; those have no names when it
  // cannot be printed.
  Values Print(const Operation& operation);
  // One of the form kFunctionType on the way to the instruction's result.
  Value PrintStep(const hlo::Instruction& instruction, std::string name,
                  const Value& operand, std::string after,
                  const hlo::Shape& result);
  // "%a:2 = " at the beginning of a line.
  Values PrintResultNames(const Operation& operation);
  void PrintPretty(const Operation& operation);
  void PrintRegions(const std::vector<Region>& regions);
  void PrintRegion(const Region& region);
  void PrintTypes(const Operation& operation);
  void StartLine();
  // Says where the instruction comes from.
  void EndLine(const hlo::Instruction& instruction);
  // " loc(...)"; nothing without metadata.
  std::string LocationText(const hlo::Instruction& instruction) const;

  // Instructions with rules of their own: print_control.cc, print_special.cc.
  static const absl::flat_hash_map<hlo::Opcode, Handler>& Handlers();
  // By the opcode's row.
  void PrintByTable(const hlo::Instruction& instruction);
  void PrintCall(const hlo::Instruction& instruction);
  Values PrintCallOf(const hlo::Instruction& instruction,
                     const hlo::Computation& computation,
                     const hlo::Shape& result);
  void PrintConditional(const hlo::Instruction& instruction);
  void PrintReduce(const hlo::Instruction& instruction);
  void PrintReducer(const hlo::Instruction& instruction);
  void PrintWhile(const hlo::Instruction& instruction);
  void PrintAsyncStart(const hlo::Instruction& instruction);
  void PrintCollectiveStart(const hlo::Instruction& instruction);
  void PrintCopyStart(const hlo::Instruction& instruction);
  void PrintFirstElement(const hlo::Instruction& instruction);
  void PrintSecondElement(const hlo::Instruction& instruction);
  void PrintTransfer(const hlo::Instruction& instruction);
  void PrintTransferDone(const hlo::Instruction& instruction);
  void PrintBarrier(const hlo::Instruction& instruction);
  void PrintAddDependency(const hlo::Instruction& instruction);

  void PrintSame(const hlo::Instruction& instruction);
  void PrintTuple(const hlo::Instruction& instruction);
  void PrintGetTupleElement(const hlo::Instruction& instruction);
  void PrintConstant(const hlo::Instruction& instruction);
  void PrintBitcast(const hlo::Instruction& instruction);
  void PrintBitcastConvert(const hlo::Instruction& instruction);
  void PrintDynamicReshape(const hlo::Instruction& instruction);
  void PrintRng(const hlo::Instruction& instruction);
  void PrintTopK(const hlo::Instruction& instruction);
  void PrintComparator(hlo::ElementType type);
  void PrintCustomCall(const hlo::Instruction& instruction);
  void AddCallDetails(const hlo::Instruction& call, Operation* operation);
  static bool AddCallLayouts(const hlo::Instruction& call,
                             absl::Span<const hlo::Shape> results,
                             Operation* operation);
  // Between flattened values and StableHLO's tuples. `leaves` are consumed.
  Value PackTuple(const hlo::Instruction& instruction, const hlo::Shape& shape,
                  absl::Span<const Value>* leaves);
  void UnpackTuple(const hlo::Instruction& instruction, const hlo::Shape& shape,
                   const Value& value, Values* leaves);

  const hlo::Module& module_;
  const StableHloPrintOptions& options_;
  Diagnostics* diagnostics_;
  std::string text_;
  // How deep regions are nested in the function.
  int depth_ = 0;
  int64_t printed_instructions_ = 0;
  // There is too much of it: nothing more is printed.
  bool has_given_up_ = false;
  // By InstructionId, of the computation that is being printed.
  std::vector<Values>* values_ = nullptr;
  absl::flat_hash_map<std::string, int64_t> names_;
  // By ComputationId; empty for those that are no functions.
  std::vector<std::string> symbols_;
  absl::flat_hash_set<std::string> used_symbols_;
  std::vector<const hlo::Computation*> functions_;
};

}  // namespace hilo::stablehlo
