// Makes one fusion of scores, the fusion of their rows, and what they weigh.
//
// The array of scores has an element for each pair of a query and a key, far
// more than its neighbours. Where it does not stay in the cache, a kernel that
// goes from queries to results block by block is faster, and needs no memory
// for it.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/builder.h"
#include "passes/call_graph.h"
#include "passes/fusion/attention.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

constexpr const char kAttentionPass[] = "attention-fusion";

int64_t ScoreBytes(const Attention& attention) {
  const hlo::Shape& shape = attention.scores->shape();
  return shape.ElementCount() * hlo::StorageBytes(shape.element_type());
}

// The fused computation has the chain and the product; all that they read from
// elsewhere are parameters.
void Fuse(const Attention& attention, Instruction* product) {
  Computation* fused =
      product->parent()->parent()->AddComputation("fused_attention");
  InstructionCopies copies;
  std::vector<Instruction*> operands;
  const auto add_operands = [&](const Instruction& instruction) {
    for (Instruction* operand : instruction.operands()) {
      const bool is_inside =
          std::ranges::find(attention.chain, operand) != attention.chain.end();
      if (is_inside || copies.contains(operand->id())) continue;
      // Other outputs of the rows.
      if (operand->opcode() == Opcode::kGetTupleElement &&
          operand->operand(0) == attention.rows) {
        continue;
      }
      Instruction* parameter = fused->AddParameter(
          static_cast<int64_t>(operands.size()), operand->shape());
      parameter->set_name(operand->name());
      operands.push_back(operand);
      copies[operand->id()] = parameter;
    }
  };
  for (const Instruction* step : attention.chain) add_operands(*step);
  add_operands(*product);
  fused->set_root(CopyInto(*product, copies, fused));
  Instruction* fusion = Rewriter(*product).Add(
      Opcode::kFusion, product->shape(), operands,
      {hlo::With::calls(fused),
       hlo::With::fusion_kind(hlo::FusionKind::kOutput)});
  product->ReplaceAllUsesWith(fusion);
  Computation* computation = product->parent();
  if (computation->root() == product) computation->set_root(fusion);
}

bool FuseAttentionIn(Computation& computation, const PassContext& context) {
  bool changed = false;
  for (Instruction* product : computation.PostOrder()) {
    const AttentionMatch match = FindAttention(*product);
    if (match.why_not != nullptr) {
      context.Remember(kAttentionPass, *product,
                       "not fused with scores: ", match.why_not);
    }
    if (!match.attention.has_value()) continue;
    if (ScoreBytes(*match.attention) <= context.traits.l3_cache_bytes) {
      context.Remember(kAttentionPass, *product,
                       "not fused with scores: they stay in the cache");
      continue;
    }
    context.Remember(kAttentionPass, *product, "fused with scores, ",
                     match.attention->scores->name(), ", and their rows, ",
                     match.attention->rows->name());
    Fuse(*match.attention, product);
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> FuseAttention(hlo::Module& module,
                                   const PassContext& context) {
  bool changed = false;
  for (Computation* computation : ComputationsInSequence(module)) {
    if (FuseAttentionIn(*computation, context)) changed = true;
  }
  // The originals have no users any more.
  if (changed) {
    RETURN_IF_ERROR(EliminateDeadCode(module, context).status());
  }
  return changed;
}

}  // namespace hilo::passes
