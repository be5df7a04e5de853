// Tests of instructions, computations and modules as data structures.
#include "hlo/ir/module.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "catch2/catch.hpp"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/equality.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {
namespace {

Shape FloatScalar() { return Shape::Scalar(ElementType::kF32); }

Instruction* AddBinary(Computation* computation, Opcode opcode,
                       Instruction* lhs, Instruction* rhs, std::string name) {
  Instruction* instruction = computation->Add(opcode, FloatScalar());
  instruction->AppendOperand(lhs);
  instruction->AppendOperand(rhs);
  instruction->set_name(std::move(name));
  return instruction;
}

// x + x * y, and a reduction's computation that nobody calls.
std::unique_ptr<Module> MakeModule(std::string parameter_name = "x") {
  auto module = std::make_unique<Module>("m");
  Computation* entry = module->AddComputation("entry");
  Instruction* x = entry->AddParameter(0, FloatScalar());
  x->set_name(std::move(parameter_name));
  Instruction* y = entry->AddParameter(1, FloatScalar());
  y->set_name("y");
  Instruction* product = AddBinary(entry, Opcode::kMultiply, x, y, "product");
  entry->set_root(AddBinary(entry, Opcode::kAdd, x, product, "sum"));
  module->set_entry(entry);
  return module;
}

TEST_CASE("uses follow operands") {
  const auto module = MakeModule();
  Computation* entry = module->entry();
  Instruction* x = entry->parameter(0);
  Instruction* y = entry->parameter(1);
  CHECK(x->uses().size() == 2);
  CHECK(y->uses().size() == 1);
  entry->root()->ReplaceOperand(0, y);
  CHECK(x->uses().size() == 1);
  CHECK(y->uses().size() == 2);
  y->ReplaceAllUsesWith(x);
  CHECK(y->uses().empty());
  CHECK(x->uses().size() == 3);
  for (const Instruction::Use& use : x->uses()) {
    CHECK(use.user->operand(use.operand_index) == x);
  }
  x->ReplaceAllUsesWith(y);
  CHECK(y->uses().size() == 3);
}

TEST_CASE("replacing the root's uses moves the root") {
  const auto module = MakeModule();
  Computation* entry = module->entry();
  Instruction* product = entry->root()->operand(1);
  entry->root()->ReplaceAllUsesWith(product);
  CHECK(entry->root() == product);
}

TEST_CASE("removing instructions renumbers the others") {
  const auto module = MakeModule();
  Computation* entry = module->entry();
  entry->set_root(entry->root()->operand(1));
  entry->RemoveExcept({true, true, true, false});
  CHECK(entry->instruction_count() == 3);
  CHECK(entry->parameter(0)->uses().size() == 1);
  for (InstructionId id = 0; id < entry->instruction_count(); ++id) {
    CHECK(entry->instruction(id)->id() == id);
  }
}

TEST_CASE("attributes keep only what differs from the default") {
  const auto module = MakeModule();
  Instruction* sum = module->entry()->root();
  sum->set_feature_group_count(1);
  CHECK_FALSE(sum->has_feature_group_count());
  sum->set_feature_group_count(3);
  CHECK(sum->feature_group_count() == 3);
  sum->set_dimensions({2, 0});
  CHECK(sum->attributes().size() == 2);
  CHECK(sum->attributes()[0].id < sum->attributes()[1].id);
  sum->RemoveAttribute(AttributeId::kFeatureGroupCount);
  CHECK(sum->feature_group_count() == 1);
}

TEST_CASE("names are made unique by stem and number") {
  Module module("m");
  Computation* entry = module.AddComputation("main");
  module.set_entry(entry);
  const std::vector<std::string> given = {"a", "a", "y.01", "a.1", "z.0", "z"};
  for (const std::string& name : given) {
    entry->Add(Opcode::kReplicaId, FloatScalar())->set_name(name);
  }
  entry->set_root(entry->instruction(0));
  module.UniquifyNames();
  const std::vector<std::string> want = {"a",   "a.1", "y.1",
                                         "a.2", "z.0", "z.1"};
  for (size_t i = 0; i < want.size(); ++i) {
    CHECK(entry->instruction(static_cast<InstructionId>(i))->name() == want[i]);
  }
}

TEST_CASE("a clone is equal, separate and complete") {
  const auto module = MakeModule();
  module->header().replica_count = 2;
  module->entry()->root()->set_control_predecessors(
      {module->entry()->parameter(0)});
  const auto clone = module->Clone();
  CHECK(StructurallyEqual(*module, *clone));
  CHECK(StructuralHash(*module) == StructuralHash(*clone));
  CHECK(clone->entry()->root()->control_predecessors()[0] ==
        clone->entry()->parameter(0));
  clone->entry()->root()->set_dimensions({1});
  CHECK_FALSE(StructurallyEqual(*module, *clone));
}

TEST_CASE("names do not count for equality, operands do") {
  const auto module = MakeModule();
  const auto renamed = MakeModule("other");
  CHECK(StructurallyEqual(*module, *renamed));
  CHECK(StructuralHash(*module) == StructuralHash(*renamed));
  Instruction* root = renamed->entry()->root();
  root->ReplaceOperand(0, renamed->entry()->parameter(1));
  CHECK_FALSE(StructurallyEqual(*module, *renamed));
}

TEST_CASE("deep chains are ordered, cloned and destroyed without recursion") {
  Module module("deep");
  Computation* entry = module.AddComputation("entry");
  Instruction* last = entry->AddParameter(0, FloatScalar());
  constexpr int kDepth = 300000;
  for (int i = 0; i < kDepth; ++i) {
    last = AddBinary(entry, Opcode::kAdd, last, last, absl::StrCat("i.", i));
  }
  entry->set_root(last);
  module.set_entry(entry);
  CHECK(entry->PostOrder().size() == kDepth + 1);
  CHECK(module.Clone()->instruction_count() == kDepth + 1);
}

}  // namespace
}  // namespace hilo::hlo
