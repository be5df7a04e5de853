// Which operation is converted how.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/special_functions.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// "stablehlo.add" and the like: those that are rows of the opcodes' table.
std::vector<std::string> ElementwiseNames() {
  std::vector<std::string> names;
  for (int i = 0; i < hlo::kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (!hlo::IsElementwiseUnary(opcode) && !hlo::IsElementwiseBinary(opcode)) {
      continue;
    }
    std::string& name =
        names.emplace_back(absl::StrCat("stablehlo.", hlo::TextOf(opcode)));
    std::ranges::replace(name, '-', '_');
  }
  return names;
}

// The opcode of "stablehlo.add", "chlo.sinh" and the like.
std::optional<Opcode> ElementwiseOpcode(absl::string_view name) {
  if (!absl::StartsWith(name, "stablehlo.") &&
      !absl::StartsWith(name, "chlo.")) {
    return std::nullopt;
  }
  std::string text(name.substr(name.find('.') + 1));
  std::ranges::replace(text, '_', '-');
  const std::optional<Opcode> opcode = hlo::OpcodeFromText(text);
  if (!opcode || (!hlo::IsElementwiseUnary(*opcode) &&
                  !hlo::IsElementwiseBinary(*opcode))) {
    return std::nullopt;
  }
  return opcode;
}

// Element by element, in instructions that take more than the operands.
bool HasSizesOfLastOperand(absl::string_view name) {
  constexpr std::array<absl::string_view, 8> kNames = {
      "chlo.atan",         "chlo.conj",       "chlo.is_inf",
      "chlo.is_neg_inf",   "chlo.is_pos_inf", "chlo.square",
      "stablehlo.convert", "stablehlo.select"};
  return std::ranges::find(kNames, name) != kNames.end() ||
         SpecialFunctions().contains(name);
}

}  // namespace

// A table.
const absl::flat_hash_map<absl::string_view, Converter::Handler>&
Converter::Handlers() {  // NOLINT(readability-function-size)
  static const auto* const kHandlers =
      new absl::flat_hash_map<absl::string_view, Handler>({
          {"stablehlo.after_all", &Converter::ConvertAfterAll},
          {"stablehlo.all_gather", &Converter::ConvertAllGather},
          {"stablehlo.all_reduce", &Converter::ConvertAllReduce},
          {"stablehlo.all_to_all", &Converter::ConvertAllToAll},
          {"stablehlo.async_done", &Converter::ConvertAsyncDone},
          {"stablehlo.async_start", &Converter::ConvertAsyncStart},
          {"stablehlo.batch_norm_grad", &Converter::ConvertBatchNorm},
          {"stablehlo.batch_norm_inference", &Converter::ConvertBatchNorm},
          {"stablehlo.batch_norm_training", &Converter::ConvertBatchNorm},
          {"stablehlo.bitcast_convert", &Converter::ConvertBitcast},
          {"stablehlo.broadcast", &Converter::ConvertBroadcast},
          {"stablehlo.broadcast_in_dim", &Converter::ConvertBroadcastInDim},
          {"stablehlo.case", &Converter::ConvertCase},
          {"stablehlo.cholesky", &Converter::ConvertCholesky},
          {"stablehlo.clamp", &Converter::ConvertClamp},
          {"stablehlo.collective_broadcast",
           &Converter::ConvertCollectiveBroadcast},
          {"stablehlo.collective_reduce", &Converter::ConvertCollectiveReduce},
          {"stablehlo.collective_permute",
           &Converter::ConvertCollectivePermute},
          {"stablehlo.compare", &Converter::ConvertCompare},
          {"stablehlo.complex", &Converter::ConvertComplex},
          {"stablehlo.composite", &Converter::ConvertComposite},
          {"stablehlo.concatenate", &Converter::ConvertConcatenate},
          {"stablehlo.constant", &Converter::ConvertConstant},
          {"stablehlo.convert", &Converter::ConvertConversion},
          {"stablehlo.convolution", &Converter::ConvertConvolution},
          {"stablehlo.create_token", &Converter::ConvertAfterAll},
          {"stablehlo.cross-replica-sum", &Converter::ConvertCrossReplicaSum},
          {"stablehlo.custom_call", &Converter::ConvertCustomCall},
          {"stablehlo.dot", &Converter::ConvertDot},
          {"stablehlo.dot_general", &Converter::ConvertDotGeneral},
          {"stablehlo.dynamic_broadcast_in_dim",
           &Converter::ConvertDynamicBroadcastInDim},
          {"stablehlo.dynamic_conv", &Converter::ConvertDynamicConvolution},
          {"stablehlo.dynamic_gather", &Converter::ConvertDynamicGather},
          {"stablehlo.dynamic_iota", &Converter::ConvertDynamicIota},
          {"stablehlo.dynamic_pad", &Converter::ConvertDynamicPad},
          {"stablehlo.dynamic_reshape", &Converter::ConvertDynamicReshape},
          {"stablehlo.dynamic_slice", &Converter::ConvertDynamicSlice},
          {"stablehlo.dynamic_update_slice",
           &Converter::ConvertDynamicUpdateSlice},
          {"stablehlo.einsum", &Converter::ConvertEinsum},
          {"stablehlo.fft", &Converter::ConvertFft},
          {"stablehlo.gather", &Converter::ConvertGather},
          {"stablehlo.get_dimension_size", &Converter::ConvertGetDimensionSize},
          {"stablehlo.get_tuple_element", &Converter::ConvertGetTupleElement},
          {"stablehlo.if", &Converter::ConvertIf},
          {"stablehlo.infeed", &Converter::ConvertInfeed},
          {"stablehlo.iota", &Converter::ConvertIota},
          {"stablehlo.map", &Converter::ConvertMap},
          {"stablehlo.optimization_barrier", &Converter::ConvertBarrier},
          {"stablehlo.outfeed", &Converter::ConvertOutfeed},
          {"stablehlo.pad", &Converter::ConvertPad},
          {"stablehlo.partition_id", &Converter::ConvertPartitionId},
          {"stablehlo.real_dynamic_slice", &Converter::ConvertRealDynamicSlice},
          {"stablehlo.recv", &Converter::ConvertRecv},
          {"stablehlo.reduce", &Converter::ConvertReduce},
          {"stablehlo.reduce_precision", &Converter::ConvertReducePrecision},
          {"stablehlo.reduce_scatter", &Converter::ConvertReduceScatter},
          {"stablehlo.reduce_window", &Converter::ConvertReduceWindow},
          {"stablehlo.replica_id", &Converter::ConvertReplicaId},
          {"stablehlo.reshape", &Converter::ConvertReshape},
          {"stablehlo.reverse", &Converter::ConvertReverse},
          {"stablehlo.rng", &Converter::ConvertRng},
          {"stablehlo.rng_bit_generator", &Converter::ConvertRngBitGenerator},
          {"stablehlo.scatter", &Converter::ConvertScatter},
          {"stablehlo.select", &Converter::ConvertSelect},
          {"stablehlo.select_and_scatter", &Converter::ConvertSelectAndScatter},
          {"stablehlo.send", &Converter::ConvertSend},
          {"stablehlo.set_dimension_size", &Converter::ConvertSetDimensionSize},
          {"stablehlo.slice", &Converter::ConvertSlice},
          {"stablehlo.sort", &Converter::ConvertSort},
          {"stablehlo.torch_index_select", &Converter::ConvertTorchIndexSelect},
          {"stablehlo.transpose", &Converter::ConvertTranspose},
          {"stablehlo.triangular_solve", &Converter::ConvertTriangularSolve},
          {"stablehlo.tuple", &Converter::ConvertTuple},
          {"stablehlo.unary_einsum", &Converter::ConvertEinsum},
          {"stablehlo.uniform_dequantize", &Converter::ConvertUniform},
          {"stablehlo.uniform_quantize", &Converter::ConvertUniform},
          {"stablehlo.while", &Converter::ConvertWhile},
          {"chlo.atan", &Converter::ConvertAtan},
          {"chlo.conj", &Converter::ConvertConjugate},
          {"chlo.constant", &Converter::ConvertConstant},
          {"chlo.constant_like", &Converter::ConvertConstantLike},
          {"chlo.is_inf", &Converter::ConvertIsInfinite},
          {"chlo.is_neg_inf", &Converter::ConvertIsInfinite},
          {"chlo.is_pos_inf", &Converter::ConvertIsInfinite},
          {"chlo.ragged_dot", &Converter::ConvertRaggedDot},
          {"chlo.scan", &Converter::ConvertScan},
          {"chlo.square", &Converter::ConvertSquare},
          {"chlo.top_k", &Converter::ConvertTopK},
          {"func.call", &Converter::ConvertCall},
          {"check.expect_almost_eq", &Converter::ConvertCheckOperation},
          {"check.expect_almost_eq_const", &Converter::ConvertCheckOperation},
          {"check.expect_close", &Converter::ConvertCheckOperation},
          {"check.expect_eq", &Converter::ConvertCheckOperation},
          {"check.expect_eq_const", &Converter::ConvertCheckOperation},
          {"check.expect_serialized_eq", &Converter::ConvertSerializedCheck},
          {"builtin.unrealized_conversion_cast", &Converter::ConvertIdentity},
          {"interpreter.print", &Converter::ConvertNothing},
          {"interpreter.probe", &Converter::ConvertIdentity},
          {"sdy.manual_computation", &Converter::ConvertManualComputation},
          {"sdy.named_computation", &Converter::ConvertManualComputation},
          {"sdy.propagation_barrier", &Converter::ConvertIdentity},
          {"sdy.reshard", &Converter::ConvertIdentity},
          {"sdy.sharding_constraint", &Converter::ConvertIdentity},
          {"sdy.sharding_group", &Converter::ConvertNothing},
      });
  return *kHandlers;
}

bool Converter::ConvertOperation(const Operation& operation) {
  const LocationId outer = std::exchange(location_, operation.location);
  const int64_t first_new = scope_->computation->instruction_count();
  const bool is_good = ConvertWithTypes(operation) &&
                       KeepFrontendAttributes(operation, first_new);
  location_ = outer;
  return is_good;
}

bool Converter::KeepFrontendAttributes(const Operation& operation,
                                       int64_t first_new) {
  if (operation.results.empty()) return true;
  const auto value = scope_->values.find(operation.results[0]);
  if (value == scope_->values.end() || value->second == nullptr) return true;
  Instruction* instruction = value->second;
  if (instruction->opcode() == Opcode::kGetTupleElement) {
    instruction = instruction->operand(0);
  }
  return instruction->id() < first_new ||
         AddFrontendAttributes(operation.attributes, operation.offset,
                               *instruction);
}

bool Converter::AddFrontendAttributes(const Attribute& attributes,
                                      int64_t offset,
                                      Instruction& instruction) {
  const Attribute* frontend = attributes.Find("mhlo.frontend_attributes");
  if (frontend == nullptr) return true;
  hlo::FrontendAttributes all = instruction.frontend_attributes();
  for (const auto& [key, value] : frontend->entries) {
    if (HloName(key) != key) {
      return Error(offset, absl::StrCat("HLO has no frontend attribute named '",
                                        key, "'"));
    }
    all.emplace_back(key, value.text);
  }
  std::ranges::sort(all);
  instruction.set_frontend_attributes(std::move(all));
  return true;
}

bool Converter::ConvertWithTypes(const Operation& operation) {
  // Of poisoned operands.
  for (const ValueId id : operation.operands) {
    const auto known = scope_->values.find(id);
    if (known != scope_->values.end() && known->second == nullptr) return false;
  }
  if (HasSizesOfLastOperand(operation.name) && operation.results.size() == 1 &&
      !operation.operands.empty()) {
    const Instruction* last =
        Use(operation.operands.back(), operation.operand_offsets.back());
    const ValueId id = operation.results[0];
    if (last == nullptr) return false;
    if (last->shape().IsArray() && HasOpenSizes(TypeOf(id).shape) &&
        !Refine(operation, id,
                hlo::WithElementType(last->shape(),
                                     TypeOf(id).shape.element_type()))) {
      return false;
    }
  }
  return IsQuantized(operation) ? ConvertQuantized(operation)
                                : Dispatch(operation);
}

bool Converter::Dispatch(const Operation& operation) {
  const auto handler = Handlers().find(operation.name);
  if (handler != Handlers().end()) return (this->*handler->second)(operation);
  if (SpecialFunctions().contains(operation.name)) {
    return ConvertSpecialFunction(operation);
  }
  if (absl::StartsWith(operation.name, "chlo.broadcast_")) {
    return ConvertBroadcasting(operation);
  }
  const std::optional<Opcode> opcode = ElementwiseOpcode(operation.name);
  if (opcode) return ConvertElementwise(operation, *opcode);
  const std::vector<std::string> elementwise = ElementwiseNames();
  std::vector<absl::string_view> candidates(elementwise.begin(),
                                            elementwise.end());
  for (const auto& entry : Handlers()) candidates.push_back(entry.first);
  for (const auto& entry : SpecialFunctions()) {
    candidates.push_back(entry.first);
  }
  return Error(operation.offset,
               absl::StrCat("'", operation.name, "' is not supported yet"),
               SuggestNearest(operation.name, candidates));
}

bool Converter::DispatchAs(const Operation& operation,
                           const std::vector<Instruction*>& operands,
                           const std::vector<Shape>& results) {
  // Those that this computation does not have yet are null.
  std::vector<std::pair<ValueId, Instruction*>> replaced;
  for (size_t i = 0; i < operands.size(); ++i) {
    Instruction*& value = scope_->values[operation.operands[i]];
    replaced.emplace_back(operation.operands[i], value);
    value = operands[i];
  }
  for (size_t i = 0; i < results.size(); ++i) {
    shapes_[operation.results[i]] = results[i];
  }
  const bool is_good = Dispatch(operation);
  for (const ValueId id : operation.results) shapes_.erase(id);
  // Backwards, for operands that are named twice.
  for (size_t i = replaced.size(); i-- > 0;) {
    const auto& [id, value] = replaced[i];
    if (value == nullptr) {
      scope_->values.erase(id);
    } else {
      scope_->values[id] = value;
    }
  }
  return is_good;
}

}  // namespace hilo::stablehlo
