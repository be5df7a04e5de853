// Makes HLO of parsed StableHLO.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
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
  bool RefineEntryArguments(const Function& function);
  void AddParameterAttributes(const Function& function);
  // Root of a computation that returns `values`: a tuple unless it is one.
  hlo::Instruction* MakeRoot(const std::vector<hlo::Instruction*>& values,
                             int64_t offset, bool is_tuple);
  // One for each argument of the region.
  bool AddParameters(const Region& region);
  bool ConvertBody(const Region& region, std::vector<hlo::Instruction*>* root);
  bool ConvertOperation(const Operation& operation);
  // Those of an operation go to the instruction that it has become, unless that
  // was there before: its id is less than `first_new`.
  bool KeepFrontendAttributes(const Operation& operation, int64_t first_new);
  // Adds what a dictionary holds under "mhlo.frontend_attributes".
  bool AddFrontendAttributes(const Attribute& attributes, int64_t offset,
                             hlo::Instruction& instruction);
  const hlo::Metadata& MetadataOfLocation();
  // As the types of operands and results want it.
  bool ConvertWithTypes(const Operation& operation);
  // By the operation's name, whatever its types are.
  bool Dispatch(const Operation& operation);
  // The same with these operands, in the places of those that it names, and
  // results of these shapes.
  bool DispatchAs(const Operation& operation,
                  const std::vector<hlo::Instruction*>& operands,
                  const std::vector<hlo::Shape>& results);

  // Functions: convert_function.cc.
  // What a function computes; of one whose types leave sizes open, of these
  // arguments. Null after errors.
  hlo::Computation* ComputationOf(
      const std::string& name, int64_t offset,
      absl::Span<hlo::Instruction* const> arguments);
  bool ConvertFunctionBody(const Function& function,
                           std::vector<hlo::Instruction*>* results);
  // Makes the sizes of arguments known, and the values of constant integers.
  bool SpecializeArguments(const Function& function,
                           absl::Span<hlo::Instruction* const> arguments);
  // Names a function with what SpecializeArguments takes from the arguments.
  static std::string SpecializedName(
      const std::string& name, absl::Span<hlo::Instruction* const> arguments);
  bool IsOpen(const Region& region) const;
  const Function* FindFunction(const std::string& name, int64_t offset);
  // A call of the function that the attribute names.
  bool CallFunction(const Operation& operation, absl::string_view key);
  bool ConvertCall(const Operation& operation);

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
  // Whether a size is "?", without a bound.
  static bool HasOpenSizes(const hlo::Shape& shape);
  // Gives a value sizes that its type leaves open; an error where it says
  // other ones.
  bool Refine(const Operation& operation, ValueId id, const hlo::Shape& shape);
  // Finds sizes that the text leaves open.
  bool RefineShape(const Operation& operation, hlo::Instruction* instruction);
  // Makes `instruction` the only result, or its elements the results.
  bool SetResults(const Operation& operation, hlo::Instruction* instruction);
  bool HasOperands(const Operation& operation, size_t count);
  bool HasOneResult(const Operation& operation);
  // The operands of an operation with so many and one result, and the shape of
  // that.
  bool ReadOperation(const Operation& operation, size_t operand_count,
                     std::vector<hlo::Instruction*>* operands,
                     hlo::Shape* shape);
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
  bool ConvertComposite(const Operation& operation);
  // A call of the only region.
  bool CallRegion(const Operation& operation);
  bool ConvertWhile(const Operation& operation);
  bool ConvertIf(const Operation& operation);
  bool ConvertCase(const Operation& operation);
  bool ConvertBranches(const Operation& operation, bool is_predicate);
  bool ConvertReduce(const Operation& operation);
  // A reduction of arrays and their initial values.
  hlo::Instruction* AddFold(const Operation& operation, hlo::Opcode opcode);
  bool ConvertReduceWindow(const Operation& operation);
  bool ConvertSelectAndScatter(const Operation& operation);
  bool ConvertScatter(const Operation& operation);
  bool ConvertSort(const Operation& operation);
  bool ConvertMap(const Operation& operation);
  // Adds scalars, or says whether both are true.
  hlo::Computation* MakeReducer(hlo::ElementType type, int64_t offset);
  // The array folded by that over dimensions.
  hlo::Instruction* AddReduce(hlo::Instruction* operand,
                              const hlo::DimensionVector& dimensions,
                              int64_t offset);
  static hlo::Window ReadWindow(const Operation& operation,
                                AttributeReader* reader,
                                const hlo::DimensionVector& sizes);

  // The table of operations: convert_handlers.cc.
  static const absl::flat_hash_map<absl::string_view, Handler>& Handlers();

  // Operations of elements and shapes: convert_operation.cc.
  bool ConvertElementwise(const Operation& operation, hlo::Opcode opcode);
  bool ConvertComplex(const Operation& operation);
  bool ConvertAtan(const Operation& operation);
  bool ConvertConstant(const Operation& operation);
  // The array that the attribute 'value' says; null after errors.
  hlo::Instruction* AddDense(const Operation& operation, hlo::Shape shape);
  bool ConvertIota(const Operation& operation);
  bool ConvertConversion(const Operation& operation);
  bool ConvertBitcast(const Operation& operation);
  bool ConvertReshape(const Operation& operation);
  bool ConvertBroadcastInDim(const Operation& operation);
  // Null after errors.
  hlo::Instruction* AddBroadcast(const Operation& operation,
                                 hlo::Instruction* operand, hlo::Shape shape,
                                 const hlo::DimensionVector& dimensions);
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
  bool ConvertIdentity(const Operation& operation);
  bool ConvertNothing(const Operation& operation);
  bool ConvertTuple(const Operation& operation);
  bool ConvertGetTupleElement(const Operation& operation);
  bool ConvertAfterAll(const Operation& operation);

  // Structured operations: convert_structured.cc.
  bool ConvertDot(const Operation& operation);
  // Batch and contracting dimensions.
  static void SetDotDimensions(AttributeReader* numbers, hlo::Instruction& dot);
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
  bool ConvertCustomCall(const Operation& operation);
  bool ConvertExtension(const Operation& operation);
  bool ConvertShapeAssertion(const Operation& operation);
  static void SetBackendConfig(const Operation& operation,
                               hlo::Instruction& call);
  void SetCallLayouts(const Operation& operation, AttributeReader* reader,
                      hlo::Instruction& call);
  void SetCallAliases(const Operation& operation, hlo::Instruction& call);

  // Accuracy: convert_precision.cc.
  static hlo::PrecisionList ReadPrecision(const Operation& operation,
                                          AttributeReader* reader);
  void SetResultAccuracy(const Operation& operation, AttributeReader* reader,
                         hlo::Instruction& instruction);

  // Checks of test programs: convert_check.cc.
  bool ConvertCheckCall(const Operation& operation, const std::string& target);
  bool ConvertCheckOperation(const Operation& operation);
  bool AddCheck(const Operation& operation, StableHloCheck check,
                const std::vector<hlo::Instruction*>& operands);
  hlo::Instruction* AddComparison(const StableHloCheck& check,
                                  hlo::Instruction* got,
                                  hlo::Instruction* want);
  bool ConvertSerializedCheck(const Operation& operation);

  // Communication: convert_collective.cc.
  static void SetChannel(AttributeReader* reader, const Operation& operation,
                         hlo::Instruction& instruction);
  // Replica groups and all else that collectives of groups have.
  static void SetGroups(AttributeReader* reader, const Operation& operation,
                        hlo::Instruction& instruction);
  bool ConvertAllGather(const Operation& operation);
  bool ConvertAllReduce(const Operation& operation);
  bool ConvertCrossReplicaSum(const Operation& operation);
  bool ConvertCollectiveReduce(const Operation& operation);
  bool ConvertAllToAll(const Operation& operation);
  hlo::Instruction* Interleave(hlo::Instruction* blocks, int64_t split,
                               int64_t concat, int64_t count,
                               const hlo::Shape& shape, int64_t offset);
  bool ConvertReduceScatter(const Operation& operation);
  bool ConvertCollectivePermute(const Operation& operation);
  bool ConvertCollectiveBroadcast(const Operation& operation);
  bool ConvertManualComputation(const Operation& operation);
  bool ConvertReplicaId(const Operation& operation);
  bool ConvertPartitionId(const Operation& operation);

  // Transfers: convert_transfer.cc.
  static void SetTransfer(AttributeReader* reader, const Operation& operation,
                          hlo::Instruction& instruction);
  bool ConvertSend(const Operation& operation);
  void SetReceived(const Operation& operation, hlo::Instruction* received);
  bool ConvertRecv(const Operation& operation);
  bool ConvertInfeed(const Operation& operation);
  bool ConvertOutfeed(const Operation& operation);
  bool ConvertAsyncStart(const Operation& operation);
  bool ConvertAsyncDone(const Operation& operation);

  // Sizes that are computed: convert_dynamic.cc.
  // The value of what is computed from constants; nullopt for others.
  static std::optional<hlo::Literal> ConstantValue(
      const hlo::Instruction& instruction);
  // The integers of an operand that is constant; nullopt for others.
  std::optional<hlo::DimensionVector> ConstantOperand(
      const Operation& operation, size_t operand);
  // Takes the result's sizes from the operand; without a constant they must be
  // known from the result's type.
  bool RefineResult(const Operation& operation, size_t operand);
  // As the operation `name`, of the first `kept` operands, with the others'
  // constants as attributes.
  bool ConvertAsStatic(
      const Operation& operation, absl::string_view name, size_t kept,
      std::initializer_list<std::pair<absl::string_view, size_t>> constants);
  bool ConvertGetDimensionSize(const Operation& operation);
  bool ConvertSetDimensionSize(const Operation& operation);
  bool ConvertDynamicBroadcastInDim(const Operation& operation);
  bool ConvertDynamicReshape(const Operation& operation);
  bool ConvertDynamicIota(const Operation& operation);
  bool ConvertDynamicPad(const Operation& operation);
  bool ConvertDynamicGather(const Operation& operation);
  bool ConvertDynamicConvolution(const Operation& operation);
  bool ConvertRealDynamicSlice(const Operation& operation);

  // Products named by letters, and gathers along one dimension:
  // convert_einsum.cc.
  bool ConvertEinsum(const Operation& operation);
  // Sums over dimensions that `kept` does not name, and over all but the
  // diagonal of those named twice.
  hlo::Instruction* AddEinsumSums(const Operation& operation,
                                  hlo::Instruction* operand,
                                  absl::string_view kept, std::string* labels);
  hlo::Instruction* AddEinsumProduct(const Operation& operation,
                                     hlo::Instruction* lhs,
                                     hlo::Instruction* rhs,
                                     absl::string_view kept,
                                     std::string* labels,
                                     const std::string& rhs_labels);
  bool ConvertTorchIndexSelect(const Operation& operation);

  // Quantized values, which are held as their integers: convert_quantized.cc.
  bool IsQuantized(const Operation& operation) const;
  bool HasOneQuantization(const Operation& operation) const;
  bool HasSameArguments(const Operation& operation) const;
  bool ConvertQuantized(const Operation& operation);
  bool ComputeOnNumbers(const Operation& operation);
  bool ConvertUniform(const Operation& operation);
  hlo::Instruction* AddNumbers(const std::vector<double>& numbers,
                               const hlo::Shape& shape, int64_t dimension,
                               int64_t offset);
  hlo::Instruction* Dequantize(hlo::Instruction* operand,
                               const Quantization& quantization,
                               int64_t offset);
  hlo::Instruction* Quantize(hlo::Instruction* operand,
                             const Quantization& quantization,
                             hlo::ElementType storage, int64_t offset);

  // CHLO: convert_chlo.cc.
  // chlo.broadcast_add and the like.
  bool ConvertBroadcasting(const Operation& operation);
  bool ConvertConjugate(const Operation& operation);
  bool ConvertSquare(const Operation& operation);
  bool ConvertIsInfinite(const Operation& operation);
  bool ConvertConstantLike(const Operation& operation);
  bool ConvertRaggedDot(const Operation& operation);
  bool ConvertScan(const Operation& operation);

  const SyntaxModule& syntax_;
  const StableHloOptions& options_;
  hlo::Module* module_;
  Diagnostics* diagnostics_;
  Scope* scope_ = nullptr;
  // Of values whose types say something else.
  absl::flat_hash_map<ValueId, hlo::Shape> shapes_;
  // Arguments of functions that have one value in the call at hand.
  absl::flat_hash_map<ValueId, hlo::Literal> constants_;
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
