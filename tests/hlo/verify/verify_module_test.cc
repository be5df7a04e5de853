// Tests of the verifier on modules that no text can express.
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/verify.h"

namespace hilo::hlo {
namespace {

Shape ScalarShape() { return Shape::Scalar(ElementType::kF32); }

std::string Errors(const Module& module) {
  return std::string(Verify(module).message());
}

Instruction* AddNamed(Computation* computation, Opcode opcode, std::string name,
                      std::initializer_list<Instruction*> operands) {
  Instruction* instruction = computation->Add(opcode, ScalarShape());
  instruction->set_name(std::move(name));
  for (Instruction* operand : operands) instruction->AppendOperand(operand);
  return instruction;
}

// An entry 'e' with parameter 'p', which is its root.
struct Fixture {
  Module module{"m"};
  Computation* entry = module.AddComputation("e");
  Instruction* parameter = entry->AddParameter(0, ScalarShape());

  Fixture() {
    parameter->set_name("p");
    entry->set_root(parameter);
    module.set_entry(entry);
  }
};

TEST_CASE("a sound module has no errors") {
  Fixture f;
  f.entry->set_root(AddNamed(f.entry, Opcode::kNegate, "n", {f.parameter}));
  CHECK(Errors(f.module).empty());
}

TEST_CASE("without a source the message names computation and instruction") {
  Fixture f;
  AddNamed(f.entry, Opcode::kNot, "n", {f.parameter});
  CHECK_THAT(Errors(f.module),
             Catch::Contains("computation 'e', instruction 'n': not: "));
}

TEST_CASE("computations need a root of their own and all parameters") {
  Fixture f;
  Computation* callee = f.module.AddComputation("c");
  callee->AddParameter(2, ScalarShape())->set_name("x");
  Instruction* call = AddNamed(f.entry, Opcode::kCall, "call", {f.parameter});
  call->set_to_apply(callee);
  const std::string errors = Errors(f.module);
  CHECK_THAT(errors, Catch::Contains("computation 'c': there is no root"));
  CHECK_THAT(errors,
             Catch::Contains("computation 'c': parameter 0 is missing"));
  CHECK_THAT(errors, !Catch::Contains("instruction 'call'"));
}

TEST_CASE("a module needs an entry") {
  Module module("m");
  CHECK_THAT(Errors(module), Catch::Contains("there is no entry computation"));
}

TEST_CASE("operands and roots stay inside their computation") {
  Fixture f;
  Computation* other = f.module.AddComputation("c");
  Instruction* foreign = AddNamed(other, Opcode::kNegate, "n", {f.parameter});
  other->set_root(foreign);
  CHECK_THAT(Errors(f.module),
             Catch::Contains("operand 0 ('p') belongs to another computation"));
  f.entry->set_root(foreign);
  CHECK_THAT(Errors(f.module),
             Catch::Contains(
                 "computation 'e': the root belongs to another computation"));
}

TEST_CASE("instructions must not depend on themselves") {
  Fixture f;
  Instruction* a = AddNamed(f.entry, Opcode::kNegate, "a", {f.parameter});
  Instruction* b = AddNamed(f.entry, Opcode::kNegate, "b", {a});
  SECTION("through operands") { a->ReplaceOperand(0, b); }
  SECTION("through control predecessors") { a->set_control_predecessors({b}); }
  CHECK_THAT(Errors(f.module), Catch::Contains("depends on itself"));
}

TEST_CASE("computations must not call themselves") {
  Fixture f;
  Computation* c = f.module.AddComputation("c");
  Computation* d = f.module.AddComputation("d");
  for (Computation* computation : {c, d}) {
    Instruction* x = computation->AddParameter(0, ScalarShape());
    x->set_name("x");
    Instruction* call = AddNamed(computation, Opcode::kCall, "call", {x});
    call->set_to_apply(computation == c ? d : c);
    computation->set_root(call);
  }
  CHECK_THAT(Errors(f.module),
             Catch::Contains("computation 'c' calls itself through 'd'"));
}

TEST_CASE("a deep chain of calls and instructions takes no stack") {
  constexpr int kDepth = 100000;
  Fixture f;
  Computation* callee = nullptr;
  Instruction* value = f.parameter;
  for (int i = 0; i < kDepth; ++i) {
    value = AddNamed(f.entry, Opcode::kNegate, "", {value});
    Computation* caller = f.module.AddComputation("");
    Instruction* x = caller->AddParameter(0, ScalarShape());
    caller->set_root(x);
    if (callee != nullptr) {
      Instruction* call = AddNamed(caller, Opcode::kCall, "", {x});
      call->set_to_apply(callee);
      caller->set_root(call);
    }
    callee = caller;
  }
  CHECK(Errors(f.module).empty());
}

TEST_CASE("names are unique in a computation") {
  Fixture f;
  AddNamed(f.entry, Opcode::kNegate, "p", {f.parameter});
  Computation* twin = f.module.AddComputation("e");
  twin->set_root(twin->AddParameter(0, ScalarShape()));
  const std::string errors = Errors(f.module);
  CHECK_THAT(errors, Catch::Contains("the name 'p' is taken"));
  CHECK_THAT(errors,
             Catch::Contains("the name is taken by another computation"));
}

TEST_CASE("called computations belong to the module") {
  Fixture f;
  Fixture other;
  Instruction* call = AddNamed(f.entry, Opcode::kCall, "call", {f.parameter});
  call->set_to_apply(other.entry);
  CHECK_THAT(Errors(f.module),
             Catch::Contains("a called computation belongs to another module"));
}

TEST_CASE("attributes suit their opcode") {
  Fixture f;
  Instruction* n = AddNamed(f.entry, Opcode::kNegate, "n", {f.parameter});
  n->set_dimensions({0});
  CHECK_THAT(Errors(f.module),
             Catch::Contains("takes no attribute 'dimensions'"));
}

TEST_CASE("every rule has a name and a line of documentation") {
  for (const VerifyRule& rule : VerifyRules()) {
    CHECK_FALSE(rule.name.empty());
    CHECK_FALSE(rule.doc.empty());
  }
}

}  // namespace
}  // namespace hilo::hlo
