// Makes HLO of parsed StableHLO.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

// Converts operation by operation. Results have the types that the text says;
// the verifier compares them with what operands and attributes imply. All
// errors of independent operations are reported.
class Converter {
 public:
  // All outlive the converter.
  Converter(const SyntaxModule& syntax, const StableHloOptions& options,
            hlo::Module* module, Diagnostics* diagnostics)
      : syntax_(syntax),
        options_(options),
        module_(module),
        diagnostics_(diagnostics) {}

  // False after errors.
  bool Run();

  std::vector<StableHloCheck> TakeChecks() { return std::move(checks_); }

 private:
  using Handler = bool (Converter::*)(const Operation& operation);

  // The values of a computation under construction. Regions see those of what
  // surrounds them.
  struct Scope {
    hlo::Computation* computation = nullptr;
    Scope* outer = nullptr;
    absl::flat_hash_map<ValueId, hlo::Instruction*> values = {};
  };

  // What calls of a function run; null after errors.
  struct Callee {
    hlo::Computation* computation = nullptr;
    bool is_being_built = false;
  };

  // The module: convert_module.cc.
  const Function* FindEntry();
  bool ConvertEntry(const Function& function);
  void AddParameterAttributes(const Function& function);
  hlo::Computation* ComputationOf(const std::string& name, int64_t offset);
  // Root of a computation that returns `values`: a tuple unless it is one.
  hlo::Instruction* MakeRoot(const std::vector<hlo::Instruction*>& values,
                             int64_t offset, bool is_tuple);
  // One for each argument of the region.
  bool AddParameters(const Region& region);
  bool ConvertFunctionBody(const Function& function,
                           std::vector<hlo::Instruction*>* results);
  bool ConvertBody(const Region& region, std::vector<hlo::Instruction*>* root);
  bool ConvertOperation(const Operation& operation);
  bool Dispatch(const Operation& operation);
  const hlo::Metadata& MetadataOfLocation();

  // Values and instructions.
  bool Error(int64_t offset, std::string message, std::string remedy = "");
  const Type& TypeOf(ValueId id) const {
    return syntax_.values[static_cast<size_t>(id)].type;
  }
  // The shape of a value; false, with an error, where HLO has none.
  bool ShapeOf(ValueId id, int64_t offset, hlo::Shape* shape);
  // Null, with an error, for a value of an outer computation that is no
  // constant.
  hlo::Instruction* Use(ValueId id, int64_t offset);
  hlo::Instruction* Find(ValueId id) const;
  bool UseOperands(const Operation& operation,
                   std::vector<hlo::Instruction*>* operands);
  hlo::Instruction* CloneConstant(const hlo::Instruction& instruction,
                                  int depth);
  hlo::Instruction* Add(hlo::Opcode opcode, hlo::Shape shape,
                        absl::Span<hlo::Instruction* const> operands,
                        int64_t offset);
  hlo::Instruction* AddScalarConstant(hlo::Literal literal, int64_t offset);
  hlo::Instruction* AddElement(hlo::Instruction* tuple, int64_t index,
                               int64_t offset);
  // An operation with one result, of the operands as they are. Null after
  // errors.
  hlo::Instruction* AddSimple(const Operation& operation, hlo::Opcode opcode);
  // Makes `instruction` the only result, or its elements the results.
  bool SetResults(const Operation& operation, hlo::Instruction* instruction);
  bool HasOperands(const Operation& operation, size_t count);
  bool HasOneResult(const Operation& operation);
  AttributeReader Read(const Operation& operation) {
    return {operation, operation.attributes, diagnostics_};
  }
  // The result's shape: one array, or a tuple of several.
  bool ResultShape(const Operation& operation, hlo::Shape* shape);

  // Regions and calls: convert_control.cc.
  // A computation with a parameter for each argument of the region; null after
  // errors.
  hlo::Computation* ConvertRegion(const Operation& operation, size_t region,
                                  absl::string_view name);
  // One with a tuple of the arguments and captured values as its parameter; a
  // loop's body returns the captured values as well.
  hlo::Computation* ConvertTupleRegion(const Region& region,
                                       const std::vector<ValueId>& captured,
                                       absl::string_view name,
                                       bool returns_captured, bool is_tuple);
  void FindCaptured(const Region& region, std::vector<ValueId>* captured) const;
  // A call of the function that the attribute names.
  bool CallFunction(const Operation& operation, absl::string_view key);
  bool ConvertCall(const Operation& operation);
  bool ConvertComposite(const Operation& operation);
  bool ConvertWhile(const Operation& operation);
  bool ConvertIf(const Operation& operation);
  bool ConvertCase(const Operation& operation);
  bool ConvertBranches(const Operation& operation, bool is_predicate);
  bool ConvertReduce(const Operation& operation);
  bool ConvertReduceWindow(const Operation& operation);
  bool ConvertSelectAndScatter(const Operation& operation);
  bool ConvertScatter(const Operation& operation);
  bool ConvertSort(const Operation& operation);
  bool ConvertMap(const Operation& operation);
  hlo::Window ReadWindow(const Operation& operation, AttributeReader* reader,
                         const hlo::DimensionVector& sizes);

  // Operations of elements and shapes: convert_operation.cc.
  static const absl::flat_hash_map<absl::string_view, Handler>& Handlers();
  bool ConvertElementwise(const Operation& operation, hlo::Opcode opcode);
  bool ConvertComplex(const Operation& operation);
  bool ConvertAtan(const Operation& operation);
  bool ConvertConstant(const Operation& operation);
  bool ConvertIota(const Operation& operation);
  bool ConvertConversion(const Operation& operation);
  bool ConvertBitcast(const Operation& operation);
  bool ConvertReshape(const Operation& operation);
  bool ConvertBroadcastInDim(const Operation& operation);
  bool ConvertBroadcast(const Operation& operation);
  bool ConvertTranspose(const Operation& operation);
  bool ConvertReverse(const Operation& operation);
  bool ConvertConcatenate(const Operation& operation);
  bool ConvertSlice(const Operation& operation);
  bool ConvertDynamicSlice(const Operation& operation);
  bool ConvertDynamicUpdateSlice(const Operation& operation);
  bool ConvertPad(const Operation& operation);
  bool ConvertCompare(const Operation& operation);
  bool ConvertSelect(const Operation& operation);
  bool ConvertClamp(const Operation& operation);
  bool ConvertReducePrecision(const Operation& operation);
  bool ConvertBarrier(const Operation& operation);
  bool ConvertTuple(const Operation& operation);
  bool ConvertGetTupleElement(const Operation& operation);
  bool ConvertAfterAll(const Operation& operation);

  // Structured operations: convert_structured.cc.
  bool ConvertDot(const Operation& operation);
  bool ConvertDotGeneral(const Operation& operation);
  bool ConvertConvolution(const Operation& operation);
  bool ConvertGather(const Operation& operation);
  bool ConvertFft(const Operation& operation);
  bool ConvertCholesky(const Operation& operation);
  bool ConvertTriangularSolve(const Operation& operation);
  bool ConvertBatchNorm(const Operation& operation);
  bool ConvertRng(const Operation& operation);
  bool ConvertRngBitGenerator(const Operation& operation);
  bool ConvertTopK(const Operation& operation);
  bool ConvertSpecialFunction(const Operation& operation);
  bool ConvertNextAfter(const Operation& operation);
  bool ConvertCustomCall(const Operation& operation);
  bool ConvertExtension(const Operation& operation);
  static void SetBackendConfig(const Operation& operation,
                               hlo::Instruction& call);
  void SetCallLayouts(const Operation& operation, AttributeReader* reader,
                      hlo::Instruction& call);
  void SetCallAliases(const Operation& operation, hlo::Instruction& call);
  bool ConvertCheck(const Operation& operation, const std::string& target);
  hlo::PrecisionList ReadPrecision(const Operation& operation,
                                   AttributeReader* reader);

  const SyntaxModule& syntax_;
  const StableHloOptions& options_;
  hlo::Module* module_;
  Diagnostics* diagnostics_;
  Scope* scope_ = nullptr;
  absl::flat_hash_map<absl::string_view, const Function*> functions_;
  absl::flat_hash_map<std::string, Callee> callees_;
  std::vector<StableHloCheck> checks_;
  // Two for each check.
  std::vector<hlo::Instruction*> checked_;
  // Of the operation under conversion, and what HLO keeps of those seen.
  LocationId location_ = -1;
  absl::flat_hash_map<LocationId, hlo::Metadata> metadata_;
  int depth_ = 0;
};

}  // namespace hilo::stablehlo
