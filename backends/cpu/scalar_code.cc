// Emits code for single elements: small instructions, comparators.
#include "backends/cpu/scalar_code.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/scalar_emitter.h"
#include "backends/cpu/kernel.h"
#include "hlo/analysis/array_leaves.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::backends {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

bool HasScalarCode(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (!HasElementForm(instruction) || opcode == Opcode::kReduce ||
      opcode == Opcode::kReduceWindow ||
      opcode == Opcode::kDynamicUpdateSlice) {
    return false;
  }
  for (const Shape* leaf : instruction.shape().Leaves()) {
    if (!leaf->IsArray() || leaf->ElementCount() != 1) return false;
  }
  if (opcode != Opcode::kFusion) return true;
  if (UpdateOf(instruction) != nullptr) return false;
  return std::ranges::all_of(
      instruction.calls()->instructions(), [](const auto& inner) {
        return inner->opcode() == Opcode::kParameter ||
               (inner->opcode() != Opcode::kReduce &&
                inner->opcode() != Opcode::kReduceWindow &&
                HasElementForm(*inner));
      });
}

absl::Status EmitScalarCode(
    const Instruction& instruction, llvm::IRBuilderBase& builder,
    absl::FunctionRef<llvm::Value*(const Instruction& value, int64_t leaf)>
        address_of) {
  ElementEmitter emitter(builder, 1);
  for (const Instruction* operand : instruction.operands()) {
    for (int64_t leaf = 0; leaf < hlo::ArrayLeafCount(operand->shape());
         ++leaf) {
      emitter.BindArray(*operand, leaf, address_of(*operand, leaf));
    }
  }
  const std::vector<const Shape*> leaves = instruction.shape().Leaves();
  std::vector<ElementValue> values;
  std::vector<ArrayIndex> indices;
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    indices.emplace_back(static_cast<size_t>(leaves[leaf]->rank()),
                         emitter.math().Constant(0));
    ASSIGN_OR_RETURN(const ElementValue value,
                     emitter.Element(instruction, static_cast<int64_t>(leaf),
                                     indices.back()));
    values.push_back(value);
  }
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    emitter.Store(values[leaf],
                  address_of(instruction, static_cast<int64_t>(leaf)),
                  *leaves[leaf], indices[leaf]);
  }
  return absl::OkStatus();
}

absl::StatusOr<llvm::Function*> EmitComparator(const Computation& comparator,
                                               const std::string& name,
                                               llvm::Module& module) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getInt1Ty(), {builder.getPtrTy()}, false),
      llvm::Function::InternalLinkage, name, module);
  function->addRetAttr(llvm::Attribute::ZExt);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(builder.getContext(), "entry", function));
  ScalarEmitter scalars(builder);
  std::vector<ElementValue> elements;
  for (const Instruction* parameter : comparator.parameters()) {
    llvm::Value* pointer = builder.CreateLoad(
        builder.getPtrTy(),
        builder.CreateConstGEP1_64(builder.getPtrTy(), function->getArg(0),
                                   elements.size()));
    elements.push_back(
        scalars.Load(parameter->shape().element_type(), pointer, 1, nullptr));
  }
  ASSIGN_OR_RETURN(const std::vector<ElementValue> results,
                   EmitScalarComputation(scalars, comparator, elements));
  builder.CreateRet(results[0].real);
  return function;
}

}  // namespace hilo::backends
