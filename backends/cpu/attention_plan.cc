// Chooses blocks of rows and lays out a chunk's scratch memory.
#include "backends/cpu/attention_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/cpu/kernel.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_roles.h"
#include "backends/cpu/product_kernel.h"
#include "backends/cpu/row_fusion_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/fusion/attention.h"
#include "passes/target_traits.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using passes::Attention;
using passes::AttentionLoop;

constexpr int64_t kPartAlignment = 64;

// Whether all that a fused attention reads from outside are its parameters.
bool ReadsParameters(const Attention& attention) {
  const auto are_inside = [&](const Instruction& instruction) {
    return std::ranges::all_of(
        instruction.operands(), [&](const Instruction* operand) {
          return operand->opcode() == Opcode::kParameter ||
                 (operand->opcode() == Opcode::kGetTupleElement &&
                  operand->operand(0) == attention.rows) ||
                 std::ranges::find(attention.chain, operand) !=
                     attention.chain.end();
        });
  };
  return are_inside(*attention.product) &&
         std::ranges::all_of(attention.chain, [&](const Instruction* step) {
           return are_inside(*step);
         });
}

std::optional<Attention> AttentionOf(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kFusion) return std::nullopt;
  passes::AttentionMatch match =
      passes::FindAttention(*instruction.calls()->root());
  if (!match.attention.has_value() || !ReadsParameters(*match.attention)) {
    return std::nullopt;
  }
  return std::move(match.attention);
}

// Turns of a block, at most `most` of all: a divisor, if there is one that is
// not much smaller.
int64_t TurnsPerBlock(int64_t turns, int64_t most) {
  const int64_t blocks = DivideUp(turns, most);
  for (int64_t more = blocks; more < 2 * blocks; ++more) {
    if (turns % more == 0) return turns / more;
  }
  return DivideUp(turns, blocks);
}

class AttentionPlanner {
 public:
  AttentionPlanner(Attention attention, const passes::TargetTraits& traits,
                   KernelPlan& decisions)
      : traits_(traits), decisions_(decisions) {
    plan_.attention = std::move(attention);
  }

  absl::StatusOr<AttentionPlan> Run() {
    RETURN_IF_ERROR(PlanRowPart());
    ASSIGN_OR_RETURN(plan_.scores, Describe(*plan_.attention.scores));
    ASSIGN_OR_RETURN(plan_.product, Describe(*plan_.attention.product));
    if (plan_.attention.weights_operand == 1) SwapMatmulOperands(plan_.product);
    ChooseBlock();
    PlanPart("scores", RowLoops(&AttentionLoop::query_stride), plan_.scores);
    std::vector<MatmulLoop> rows = RowLoops(&AttentionLoop::output_stride);
    for (MatmulLoop& row : rows) std::swap(row.lhs_stride, row.output_stride);
    rows.front().may_skip_first = plan_.full_blocks() < plan_.blocks;
    PlanPart("product", std::move(rows), plan_.product);
    decisions_.set_part("");
    LayOutScratch();
    plan_.grain = DecideGrain(
        plan_.units, ChooseGrain(plan_.units, UnitNanoseconds(), traits_),
        decisions_);
    plan_.slots = CountSlots(plan_.units, plan_.grain, traits_);
    return std::move(plan_);
  }

 private:
  absl::Status PlanRowPart() {
    decisions_.set_part("rows");
    std::optional<RowFusionPlan> rows =
        PlanRows(*plan_.attention.rows, traits_, decisions_);
    decisions_.set_part("");
    if (!rows.has_value()) {
      return Unimplemented(plan_.attention.rows->name(),
                           ": no plan for the rows of attention");
    }
    plan_.rows = std::move(*rows);
    return absl::OkStatus();
  }

  static absl::StatusOr<MatmulPlan> Describe(const Instruction& product) {
    return DescribeDot(*passes::DotOf(product),
                       StoredProducts(product).front()->shape().element_type());
  }

  void PlanPart(absl::string_view name, std::vector<MatmulLoop> rows,
                MatmulPlan& part) {
    decisions_.set_part(name);
    PlanMatmulBlock(traits_, std::move(rows), part, decisions_);
  }

  // The loops over a block's rows, from an array to rows of scores.
  std::vector<MatmulLoop> RowLoops(int64_t AttentionLoop::* stride) const {
    const std::vector<AttentionLoop>& all = plan_.attention.loops;
    std::vector<MatmulLoop> rows;
    int64_t score_stride = plan_.attention.row_elements * plan_.inner_rows;
    for (auto i = static_cast<size_t>(plan_.attention.block_loop);
         i < all.size(); ++i) {
      const bool is_cut = rows.empty();
      if (!is_cut) score_stride /= all[i].size;
      rows.push_back({.size = is_cut ? plan_.row_block : all[i].size,
                      .lhs_stride = all[i].*stride,
                      .output_stride = score_stride});
    }
    return rows;
  }

  int64_t BytesOf(int64_t output) const {
    const hlo::Shape& shape =
        plan_.rows.outputs[static_cast<size_t>(output)]->shape();
    return hlo::StorageBytes(shape.element_type());
  }

  // Whether weights can be stored where the scores of their row were read.
  bool WeightsTakePlaceOfScores() const {
    const Attention& attention = plan_.attention;
    const auto last_read = plan_.rows.last_reads.find(
        attention.rows->calls()->parameter(attention.scores_operand));
    return last_read != plan_.rows.last_reads.end() &&
           last_read->second <= plan_.rows.PhaseOf(attention.weights_output) &&
           BytesOf(attention.weights_output) ==
               hlo::StorageBytes(plan_.scores.stored_type);
  }

  // A block, and what is made of it, stay in the second cache beside the
  // panels; all threads get some.
  void ChooseBlock() {
    constexpr int64_t kLeastRows = 32;
    constexpr int64_t kUnitsPerCore = 4;
    int64_t bytes = hlo::StorageBytes(plan_.scores.stored_type);
    if (!WeightsTakePlaceOfScores()) {
      bytes += BytesOf(plan_.attention.weights_output);
    }
    if (plan_.product.lhs_type != plan_.product.accumulator_type) {
      bytes += hlo::StorageBytes(plan_.product.accumulator_type);
    }
    const std::vector<AttentionLoop>& loops = plan_.attention.loops;
    int64_t outer = 1;
    for (size_t i = 0; i < loops.size(); ++i) {
      const auto number = static_cast<int64_t>(i);
      if (number < plan_.attention.block_loop) outer *= loops[i].size;
      if (number > plan_.attention.block_loop) {
        plan_.inner_rows *= loops[i].size;
      }
    }
    const int64_t turns = plan_.block_loop().size;
    const int64_t least = DivideUp(kLeastRows, plan_.inner_rows);
    int64_t block = std::max(
        least, traits_.l2_cache_bytes / 2 /
                   (bytes * plan_.attention.row_elements * plan_.inner_rows));
    if (traits_.cores > 1) {
      const int64_t wanted = DivideUp(traits_.cores * kUnitsPerCore, outer);
      block = std::min(block, std::max(least, DivideUp(turns, wanted)));
    }
    plan_.blocks = DivideUp(
        turns, decisions_.Decide("row_block", TurnsPerBlock(turns, block),
                                 {.minimum = 1, .maximum = turns}));
    plan_.row_block = DivideUp(turns, plan_.blocks);
    plan_.units = outer * plan_.blocks;
  }

  double UnitNanoseconds() const {
    constexpr double kPerOperation = 0.02;
    const double elements = static_cast<double>(plan_.block_rows()) *
                            static_cast<double>(plan_.attention.row_elements);
    return elements * 2 * kPerOperation *
               static_cast<double>(plan_.scores.depth_count() +
                                   plan_.product.column_count()) +
           RowNanoseconds(plan_.rows) * static_cast<double>(plan_.block_rows());
  }

  int64_t Append(int64_t bytes) {
    const int64_t offset = plan_.slot_bytes;
    plan_.slot_bytes += DivideUp(bytes, kPartAlignment) * kPartAlignment;
    return offset;
  }

  void LayOutScratch() {
    const int64_t elements = plan_.block_rows() * plan_.attention.row_elements;
    plan_.scores_offset =
        Append(elements * hlo::StorageBytes(plan_.scores.stored_type));
    const bool share = WeightsTakePlaceOfScores();
    for (size_t i = 0; i < plan_.rows.outputs.size(); ++i) {
      const auto output = static_cast<int64_t>(i);
      const bool is_weights = output == plan_.attention.weights_output;
      plan_.row_outputs_offset.push_back(
          is_weights && share
              ? plan_.scores_offset
              : Append(BytesOf(output) *
                       (is_weights ? elements : plan_.block_rows())));
    }
    plan_.scores_scratch_offset = Append(plan_.scores.chunk_bytes);
    plan_.rows_scratch_offset = Append(plan_.rows.row_bytes);
    plan_.product_scratch_offset = Append(plan_.product.chunk_bytes);
  }

  const passes::TargetTraits& traits_;
  KernelPlan& decisions_;
  AttentionPlan plan_;
};

}  // namespace

absl::StatusOr<AttentionPlan> PlanAttention(const Instruction& fusion,
                                            const passes::TargetTraits& traits,
                                            KernelPlan& decisions) {
  std::optional<Attention> attention = AttentionOf(fusion);
  CHECK(attention.has_value()) << fusion.name() << " is no attention";
  return AttentionPlanner(std::move(*attention), traits, decisions).Run();
}

bool IsAttention(const Instruction& instruction,
                 const passes::TargetTraits& /*traits*/) {
  return AttentionOf(instruction).has_value();
}

int64_t AttentionScratchBytes(const Instruction& instruction,
                              const passes::TargetTraits& traits,
                              KernelPlan& plan) {
  const absl::StatusOr<AttentionPlan> attention =
      PlanAttention(instruction, traits, plan);
  // What cannot be planned is reported when it is emitted.
  return attention.ok() ? attention->scratch_bytes() : 0;
}

}  // namespace hilo::backends
