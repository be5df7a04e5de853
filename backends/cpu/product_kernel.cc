// dot and convolution as kernels of programs, with what fusions do to their
// results.
#include "backends/cpu/product_kernel.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/convolution_plan.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/fusion/fusible.h"
#include "passes/fusion/row_space.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

bool IsProductOpcode(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kDot ||
         instruction.opcode() == Opcode::kConvolution;
}

absl::StatusOr<MatmulPlan> PlanProduct(const Instruction& instruction,
                                       const passes::TargetTraits& traits,
                                       KernelPlan& decisions) {
  const Instruction& product = *ProductOf(instruction);
  const hlo::ElementType stored =
      StoredProducts(instruction).front()->shape().element_type();
  const auto plan_any =
      product.opcode() == Opcode::kDot ? &PlanDot : &PlanConvolution;
  ASSIGN_OR_RETURN(MatmulPlan matmul,
                   plan_any(product, traits, decisions, stored));
  matmul.grain = DecideGrain(matmul.units, matmul.grain, decisions);
  return matmul;
}

// Computes the results of a fusion at elements of its product.
class ProductEpilogue {
 public:
  ProductEpilogue(const Instruction& fusion, const MatmulPlan& plan)
      : fusion_(fusion),
        product_(*InLoopDimensions(ProductOf(fusion))),
        results_(StoredProducts(fusion)),
        groups_(
            GroupDimensions(results_, results_.front()->shape(), {&product_})) {
    for (const MatmulLoop& loop : {plan.rows.back(), plan.columns.back()}) {
      if (loop.output_stride == 1 && loop.size > 1) run_ = loop.size;
    }
    is_matrix_ = groups_.size() == 2 && !plan.is_block &&
                 plan.batch_count() == 1 && plan.rows.size() == 1 &&
                 plan.columns.size() == 1 &&
                 plan.columns[0].output_stride == 1 &&
                 plan.columns[0].size == groups_[1].size &&
                 plan.rows[0].size == groups_[0].size;
  }

  absl::StatusOr<ElementValue> Emit(llvm::IRBuilderBase& builder,
                                    const MatmulPosition& position,
                                    const ElementValue& value) const {
    ElementEmitter emitter(builder, position.lanes);
    const hlo::Computation& computation = *fusion_.calls();
    for (int64_t i = 2; i < computation.parameter_count(); ++i) {
      emitter.BindArray(*computation.parameter(i), 0,
                        position.operands[static_cast<size_t>(i - 2)]);
    }
    emitter.BindValue(product_, 0, value);
    const ArrayIndex index = IndexOf(emitter, position);
    return emitter.InScope(
        position.mask, [&]() -> absl::StatusOr<ElementValue> {
          // All loads before all stores: an output may lie over an operand.
          std::vector<ElementValue> values;
          std::vector<ArrayIndex> places;
          for (const Instruction* result : results_) {
            places.push_back(IndexInShape(index, results_.front()->shape(),
                                          result->shape(),
                                          emitter.math().Constant(0)));
            ASSIGN_OR_RETURN(const ElementValue element,
                             emitter.Lanes(*result, 0, places.back()));
            values.push_back(element);
          }
          const auto operands =
              static_cast<size_t>(computation.parameter_count() - 2);
          for (size_t i = 1; i < values.size(); ++i) {
            emitter.Store(values[i], position.operands[operands + i - 1],
                          results_[i]->shape(), places[i]);
          }
          return values.front();
        });
  }

  MatmulEpilogue Get() const {
    return {.operand_count = fusion_.calls()->parameter_count() - 2,
            .further_output_count = static_cast<int64_t>(results_.size()) - 1,
            .is_short = IsShort(),
            .emit = [this](llvm::IRBuilderBase& builder,
                           const MatmulPosition& position,
                           const ElementValue& value) {
              return Emit(builder, position, value);
            }};
  }

 private:
  // The reshape that gives the product the loop's dimensions, if there is one.
  static const Instruction* InLoopDimensions(const Instruction* product) {
    if (product->uses().size() != 1) return product;
    const Instruction* user = product->uses()[0].user;
    return user->opcode() == Opcode::kReshape ? user : product;
  }

  bool IsShort() const {
    constexpr double kShort = 4;
    double cost = 0;
    for (const auto& inner : fusion_.calls()->instructions()) {
      if (inner->opcode() != Opcode::kParameter && inner.get() != &product_ &&
          !IsProductOpcode(*inner)) {
        cost += passes::ElementCost(*inner);
      }
    }
    return cost <= kShort;
  }

  // The index of an element that is known by its place in memory.
  ArrayIndex IndexOf(ElementEmitter& emitter,
                     const MatmulPosition& position) const {
    IndexMath& math = emitter.math();
    const Shape& shape = results_.front()->shape();
    ArrayIndex index(static_cast<size_t>(shape.rank()), math.Constant(0));
    Coordinate rest{.base = position.output_offset,
                    .stride = position.lanes == 1 ? 0 : 1};
    if (is_matrix_) {
      index[static_cast<size_t>(groups_[0].last - 1)] = {.base = position.row};
      index[static_cast<size_t>(groups_[1].last - 1)] = {
          .base = position.column, .stride = rest.stride};
      return index;
    }
    for (size_t g = groups_.size(); g-- > 0;) {
      Coordinate& place = index[static_cast<size_t>(groups_[g].last - 1)];
      const int64_t size = groups_[g].size;
      if (g == 0) {
        place = rest;
      } else if (rest.stride == 1 && size % run_ == 0) {
        // A vector lies within the group.
        const Coordinate first{.base = rest.base};
        place = math.Remainder(first, size);
        place.stride = 1;
        rest = math.Divide(first, size);
      } else {
        place = math.Remainder(rest, size);
        rest = math.Divide(rest, size);
      }
    }
    return index;
  }

  const Instruction& fusion_;
  // What has the product's elements.
  const Instruction& product_;
  std::vector<const Instruction*> results_;
  std::vector<DimensionGroup> groups_;
  // Elements that are neighbours in memory and in the plan's loops.
  int64_t run_ = 1;
  // The plan's rows and columns are the two groups.
  bool is_matrix_ = false;
};

}  // namespace

std::vector<const Instruction*> StoredProducts(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kFusion) return {&instruction};
  return passes::OutputsOf(*instruction.calls());
}

const Instruction* ProductOf(const Instruction& instruction) {
  if (IsProductOpcode(instruction)) return &instruction;
  if (instruction.opcode() != Opcode::kFusion) return nullptr;
  for (const auto& inner : instruction.calls()->instructions()) {
    if (IsProductOpcode(*inner)) return inner.get();
  }
  return nullptr;
}

absl::Status EmitProduct(const Instruction& instruction, const MatmulPlan& plan,
                         absl::string_view name, llvm::Module& module) {
  bool is_simple = true;
  if (instruction.opcode() == Opcode::kFusion) {
    const ProductEpilogue epilogue(instruction, plan);
    const MatmulEpilogue steps = epilogue.Get();
    is_simple = steps.is_short;
    RETURN_IF_ERROR(EmitMatmul(plan, module, name, steps));
  } else {
    RETURN_IF_ERROR(EmitMatmul(plan, module, name));
  }
  if (is_simple) {
    // Loops step through panels that have been packed.
    HaveSimpleAddresses(
        *module.getFunction(llvm::StringRef(name.data(), name.size())));
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> EmitProductKernel(const Instruction& instruction,
                                         absl::string_view name,
                                         KernelContext& context) {
  ASSIGN_OR_RETURN(const MatmulPlan plan,
                   PlanProduct(instruction, context.traits, context.plan));
  RETURN_IF_ERROR(EmitProduct(instruction, plan, name, context.module));
  return Kernel{.name = std::string(name),
                .units = plan.units,
                .grain = plan.grain,
                .slots = plan.slots(),
                .scratch_bytes = plan.scratch_bytes()};
}

bool StoresProductsOnce(const Instruction& instruction,
                        const passes::TargetTraits& traits,
                        KernelPlan& decisions) {
  const absl::StatusOr<MatmulPlan> plan =
      PlanProduct(instruction, traits, decisions);
  return plan.ok() && plan->depth_block >= plan->depth.back().size;
}

int64_t KernelScratchBytes(const Instruction& instruction,
                           const passes::TargetTraits& traits,
                           KernelPlan& decisions) {
  // What cannot be planned is reported when it is emitted.
  if (IsAttention(instruction, traits)) {
    return AttentionScratchBytes(instruction, traits, decisions);
  }
  if (ProductOf(instruction) != nullptr) {
    const absl::StatusOr<MatmulPlan> plan =
        PlanProduct(instruction, traits, decisions);
    return plan.ok() ? plan->scratch_bytes() : 0;
  }
  return RowFusionScratchBytes(instruction, traits, decisions);
}

}  // namespace hilo::backends
