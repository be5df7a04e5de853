// Kernels that compute scores, weights and their product block by block.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "backends/codegen/loop.h"
#include "backends/cpu/attention_plan.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/product_kernel.h"
#include "backends/cpu/row_fusion.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "passes/fusion/attention.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using passes::AttentionLoop;

// The functions of the three parts.
struct AttentionParts {
  llvm::Function* scores = nullptr;
  llvm::Function* rows = nullptr;
  llvm::Function* product = nullptr;
};

// The function of this name, which nothing outside of the module calls.
llvm::Function* OwnFunction(llvm::Module& module, absl::string_view name) {
  llvm::Function* function =
      module.getFunction(llvm::StringRef(name.data(), name.size()));
  function->setLinkage(llvm::Function::InternalLinkage);
  return function;
}

absl::StatusOr<AttentionParts> EmitParts(const AttentionPlan& plan,
                                         absl::string_view name,
                                         KernelContext& context) {
  const std::string scores = absl::StrCat(name, ".scores");
  const std::string rows = absl::StrCat(name, ".rows");
  const std::string product = absl::StrCat(name, ".product");
  llvm::Module& module = context.module;
  RETURN_IF_ERROR(
      EmitProduct(*plan.attention.scores, plan.scores, scores, module));
  KernelFunction function(*plan.attention.rows, rows, context);
  RETURN_IF_ERROR(EmitRows(plan.rows, function));
  RETURN_IF_ERROR(
      EmitProduct(*plan.attention.product, plan.product, product, module));
  return AttentionParts{.scores = OwnFunction(module, scores),
                        .rows = OwnFunction(module, rows),
                        .product = OwnFunction(module, product)};
}

// Emits the loop over units, which calls the parts. Where they read or write
// rows of whole arrays that are not there, they get the address at which such
// an array would begin for its rows of this block to lie in scratch memory.
class AttentionDriver {
 public:
  AttentionDriver(const AttentionPlan& plan, const AttentionParts& parts,
                  KernelFunction& function)
      : plan_(plan),
        attention_(plan.attention),
        parts_(parts),
        function_(function),
        builder_(function.builder()) {}

  absl::Status Emit() {
    scratch_ = ScratchOfSlot(builder_, function_.LoadScratchPointer(),
                             plan_.slots, plan_.slot_bytes);
    score_arguments_ = Table(ArgumentCount(*attention_.scores, plan_.scores));
    row_arguments_ = Table(attention_.rows->operand_count() +
                           static_cast<int64_t>(plan_.rows.outputs.size()) + 1);
    product_arguments_ =
        Table(ArgumentCount(*attention_.product, plan_.product));
    llvm::Value* none = llvm::ConstantPointerNull::get(builder_.getPtrTy());
    RETURN_IF_ERROR(
        EmitLoopWithValues(
            builder_, function_.begin(), function_.end(), 1, {none, none},
            [&](llvm::Value* unit, absl::Span<llvm::Value* const> packed)
                -> absl::StatusOr<CarriedValues> {
              return EmitUnit(unit, packed[0], packed[1]);
            })
            .status());
    function_.Finish();
    return absl::OkStatus();
  }

 private:
  // Where the block of a unit lies.
  struct Block {
    // Its first row, counted through all loops, and the first that is its own.
    llvm::Value* row = nullptr;
    llvm::Value* own_row = nullptr;
    // Whether the two differ (i1).
    llvm::Value* skips_first = nullptr;
    // Elements from the beginning of the arrays that it reads or writes.
    llvm::Value* query = nullptr;
    llvm::Value* key = nullptr;
    llvm::Value* value = nullptr;
    llvm::Value* output = nullptr;
  };

  llvm::Value* Int(int64_t value) {
    return builder_.getInt64(static_cast<uint64_t>(value));
  }
  llvm::Value* Move(llvm::Value* pointer, llvm::Value* index, int64_t bytes) {
    return builder_.CreatePtrAdd(pointer,
                                 builder_.CreateMul(index, Int(bytes)));
  }
  llvm::Value* InScratch(int64_t offset) {
    return builder_.CreatePtrAdd(scratch_, Int(offset));
  }

  static int64_t ArgumentCount(const Instruction& product,
                               const MatmulPlan& plan) {
    return product.operand_count() +
           static_cast<int64_t>(StoredProducts(product).size()) +
           (plan.chunk_bytes == 0 ? 0 : 1) + MatmulBlockFacts::kCount;
  }

  llvm::Value* Table(int64_t entries) {
    return builder_.CreateAlloca(builder_.getPtrTy(), Int(entries));
  }

  void Store(llvm::Value* table, absl::Span<llvm::Value* const> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      builder_.CreateStore(arguments[i], builder_.CreateConstGEP1_64(
                                             builder_.getPtrTy(), table, i));
    }
  }

  void Call(llvm::Function* part, llvm::Value* table, llvm::Value* begin,
            llvm::Value* end) {
    builder_.CreateCall(part, {table, begin, end});
  }

  // Sets the block's rows, from the first turn of the loop that is cut and the
  // position of the loops outside; returns that turn.
  llvm::Value* PlaceRows(llvm::Value* outer, llvm::Value* number,
                         Block& block) {
    llvm::Value* turn = builder_.CreateMul(number, Int(plan_.row_block));
    block.skips_first = builder_.getFalse();
    if (plan_.full_blocks() < plan_.blocks) {
      llvm::Value* full = Int(plan_.full_blocks());
      block.skips_first = builder_.CreateICmpUGE(number, full);
      llvm::Value* missing =
          builder_.CreateAdd(builder_.CreateSub(number, full), Int(1));
      turn = builder_.CreateSub(
          turn, builder_.CreateSelect(block.skips_first, missing, Int(0)));
    }
    block.row = builder_.CreateAdd(
        builder_.CreateMul(outer, Int(plan_.block_loop().size)), turn);
    block.own_row = builder_.CreateAdd(
        block.row,
        builder_.CreateZExt(block.skips_first, builder_.getInt64Ty()));
    for (llvm::Value** row : {&block.row, &block.own_row}) {
      *row = builder_.CreateMul(*row, Int(plan_.inner_rows));
    }
    return turn;
  }

  // The digits of a unit say where its block lies.
  Block BlockOf(llvm::Value* unit) {
    llvm::Value* blocks = Int(plan_.blocks);
    llvm::Value* outer = builder_.CreateUDiv(unit, blocks);
    Block block{
        .query = Int(0), .key = Int(0), .value = Int(0), .output = Int(0)};
    const auto add = [&](const AttentionLoop& loop, llvm::Value* index) {
      const auto moved = [&](llvm::Value* offset, int64_t stride) {
        if (stride == 0) return offset;
        return builder_.CreateAdd(offset,
                                  builder_.CreateMul(index, Int(stride)));
      };
      block.query = moved(block.query, loop.query_stride);
      block.key = moved(block.key, loop.key_stride);
      block.value = moved(block.value, loop.value_stride);
      block.output = moved(block.output, loop.output_stride);
    };
    add(plan_.block_loop(),
        PlaceRows(outer, builder_.CreateURem(unit, blocks), block));
    for (auto i = static_cast<size_t>(attention_.block_loop); i-- > 0;) {
      const AttentionLoop& loop = attention_.loops[i];
      add(loop, i == 0 ? outer : builder_.CreateURem(outer, Int(loop.size)));
      outer = builder_.CreateUDiv(outer, Int(loop.size));
    }
    return block;
  }

  // The address of what a part reads.
  llvm::Value* AddressOf(const Instruction& value, llvm::Value* row) {
    if (value.opcode() == Opcode::kParameter) {
      return function_.operand(value.parameter_number());
    }
    if (&value == attention_.scores) {
      return Virtual(plan_.scores_offset, row,
                     attention_.row_elements *
                         hlo::StorageBytes(value.shape().element_type()));
    }
    if (&value == attention_.rows) return RowOutput(0, row);
    if (value.opcode() == Opcode::kGetTupleElement) {
      return RowOutput(value.index(), row);
    }
    return AddressOf(*value.operand(0), row);
  }

  // Where an array would begin whose row of this number lies in scratch memory.
  llvm::Value* Virtual(int64_t offset, llvm::Value* row, int64_t row_bytes) {
    return Move(InScratch(offset), row, -row_bytes);
  }

  llvm::Value* RowOutput(int64_t output, llvm::Value* row) {
    const auto number = static_cast<size_t>(output);
    const int64_t elements =
        output == attention_.weights_output ? attention_.row_elements : 1;
    return Virtual(
        plan_.row_outputs_offset[number], row,
        elements * hlo::StorageBytes(
                       plan_.rows.outputs[number]->shape().element_type()));
  }

  static int64_t OperandBytes(const Instruction& instruction, int64_t operand) {
    return hlo::StorageBytes(instruction.operand_shape(operand).element_type());
  }

  // Ends the arguments of a product.
  void AppendFacts(const MatmulPlan& plan, int64_t scratch_offset,
                   llvm::Value* packs, llvm::Value* output_offset,
                   llvm::Value* skips_first,
                   std::vector<llvm::Value*>& arguments) {
    if (plan.chunk_bytes != 0) arguments.push_back(InScratch(scratch_offset));
    for (llvm::Value* fact : {packs, output_offset, skips_first}) {
      arguments.push_back(builder_.CreateIntToPtr(
          builder_.CreateZExt(fact, builder_.getInt64Ty()),
          builder_.getPtrTy()));
    }
  }

  void CallScores(const Block& block, llvm::Value* key, llvm::Value* packs) {
    llvm::Value* row = block.row;
    const Instruction& scores = *attention_.scores;
    std::vector<llvm::Value*> arguments = {
        Move(AddressOf(*scores.operand(0), row), block.query,
             OperandBytes(scores, 0)),
        key};
    for (int64_t i = 2; i < scores.operand_count(); ++i) {
      arguments.push_back(AddressOf(*scores.operand(i), row));
    }
    arguments.push_back(InScratch(plan_.scores_offset));
    AppendFacts(plan_.scores, plan_.scores_scratch_offset, packs,
                builder_.CreateMul(row, Int(attention_.row_elements)),
                builder_.getFalse(), arguments);
    Store(score_arguments_, arguments);
    Call(parts_.scores, score_arguments_, Int(0), Int(1));
  }

  void CallRows(const Block& block) {
    llvm::Value* row = block.row;
    std::vector<llvm::Value*> arguments;
    for (const Instruction* operand : attention_.rows->operands()) {
      arguments.push_back(AddressOf(*operand, row));
    }
    for (size_t i = 0; i < plan_.rows.outputs.size(); ++i) {
      arguments.push_back(RowOutput(static_cast<int64_t>(i), row));
    }
    arguments.push_back(InScratch(plan_.rows_scratch_offset));
    Store(row_arguments_, arguments);
    Call(parts_.rows, row_arguments_, block.own_row,
         builder_.CreateAdd(row, Int(plan_.block_rows())));
  }

  void CallProduct(const Block& block, llvm::Value* values,
                   llvm::Value* packs) {
    const Instruction& product = *attention_.product;
    const auto weights = static_cast<size_t>(attention_.weights_operand);
    std::vector<llvm::Value*> arguments(2, values);
    arguments[weights] = InScratch(plan_.row_outputs_offset[static_cast<size_t>(
        attention_.weights_output)]);
    for (int64_t i = 2; i < product.operand_count(); ++i) {
      arguments.push_back(AddressOf(*product.operand(i), block.row));
    }
    arguments.push_back(Move(function_.output(0), block.output,
                             hlo::StorageBytes(plan_.product.stored_type)));
    const auto outputs = static_cast<int64_t>(StoredProducts(product).size());
    for (int64_t i = 1; i < outputs; ++i) {
      arguments.push_back(function_.output(i));
    }
    AppendFacts(plan_.product, plan_.product_scratch_offset, packs,
                block.output, block.skips_first, arguments);
    Store(product_arguments_, arguments);
    Call(parts_.product, product_arguments_, Int(0), Int(1));
  }

  // `packed_keys` and `packed_values` are those of the last unit.
  CarriedValues EmitUnit(llvm::Value* unit, llvm::Value* packed_keys,
                         llvm::Value* packed_values) {
    const Block block = BlockOf(unit);
    const Instruction& product = *attention_.product;
    const int64_t values_operand = 1 - attention_.weights_operand;
    llvm::Value* keys =
        Move(AddressOf(*attention_.scores->operand(1), block.row), block.key,
             OperandBytes(*attention_.scores, 1));
    llvm::Value* values =
        Move(AddressOf(*product.operand(values_operand), block.row),
             block.value, OperandBytes(product, values_operand));
    CallScores(block, keys, builder_.CreateICmpNE(keys, packed_keys));
    CallRows(block);
    CallProduct(block, values, builder_.CreateICmpNE(values, packed_values));
    return {keys, values};
  }

  const AttentionPlan& plan_;
  const passes::Attention& attention_;
  const AttentionParts& parts_;
  KernelFunction& function_;
  llvm::IRBuilder<>& builder_;
  llvm::Value* scratch_ = nullptr;
  llvm::Value* score_arguments_ = nullptr;
  llvm::Value* row_arguments_ = nullptr;
  llvm::Value* product_arguments_ = nullptr;
};

}  // namespace

absl::StatusOr<Kernel> EmitAttentionKernel(const Instruction& instruction,
                                           absl::string_view name,
                                           KernelContext& context) {
  ASSIGN_OR_RETURN(const AttentionPlan plan,
                   PlanAttention(instruction, context.traits, context.plan));
  ASSIGN_OR_RETURN(const AttentionParts parts, EmitParts(plan, name, context));
  KernelFunction function(instruction, name, context);
  RETURN_IF_ERROR(AttentionDriver(plan, parts, function).Emit());
  return Kernel{.name = std::string(name),
                .units = plan.units,
                .grain = plan.grain,
                .slots = plan.slots,
                .scratch_bytes = plan.scratch_bytes()};
}

}  // namespace hilo::backends
