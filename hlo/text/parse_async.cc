// Asynchronous instructions and their sugar: language reference, section 1.10.
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/module_parser.h"
#include "hlo/text/name_scope.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {
namespace {

std::string ThreadOf(const Statement& statement) {
  const AttributeValue* const value =
      statement.Find(AttributeId::kAsyncExecutionThread);
  return value == nullptr ? "main" : ValueAs<AttributeKind::kString>(*value);
}

void Drop(Statement& statement, AttributeId id) {
  std::erase_if(statement.attributes,
                [id](const Attribute& a) { return a.id == id; });
}

}  // namespace

// Checks asynchronous statements and builds what sugar stands for.
bool ModuleParser::FinishAsync(NameScope& scope, Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kAsyncStart:
      return FinishAsyncStart(statement);
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return FinishAsyncUse(scope, statement);
    default:  // NOLINT: all other opcodes are synchronous
      return true;
  }
}

bool ModuleParser::FinishAsyncStart(Statement& statement) {
  const Shape& shape = statement.shape;
  if (!shape.IsTuple() || shape.element_count() < 2 ||
      !shape.element(0).IsTuple()) {
    return FailStatement(statement,
                         absl::StrCat("the shape must be ((operands), result, "
                                      "...), got ",
                                      ToString(shape, false)));
  }
  if (statement.is_async_sugar) {
    Computation* const wrapped = WrapAsync(statement);
    if (wrapped == nullptr) return false;
    statement.attributes.push_back(
        {.id = AttributeId::kCalls,
         .value = MakeAttributeValue<AttributeKind::kComputation>(wrapped)});
  }
  const AttributeValue* const calls = statement.Find(AttributeId::kCalls);
  ValueAs<AttributeKind::kComputation>(*calls)->set_execution_thread(
      ThreadOf(statement));
  return true;
}

// The computation of parameters and one root that "op-start" wraps; null on
// errors.
Computation* ModuleParser::WrapAsync(Statement& statement) {
  const Shape& shape = statement.shape;
  Statement root;
  root.opcode = statement.wrapped;
  root.opcode_offset = statement.opcode_offset;
  root.name_offset = statement.name_offset;
  root.has_shape = true;
  root.shape = shape.element(1);
  root.attributes = std::move(statement.wrapped_attributes);
  root.seen[0] = statement.seen[0];
  root.seen[1] = statement.seen[1];
  Computation* const computation = module_->AddComputation("async_wrapped");
  computation->set_source_offset(statement.name_offset);
  for (int64_t i = 0; i < shape.element(0).element_count(); ++i) {
    Instruction* const parameter =
        computation->AddParameter(i, shape.element(0).element(i));
    parameter->set_name("async_param");
    parameter->set_source_offset(statement.name_offset);
    root.operands.push_back(parameter);
    root.operand_offsets.push_back(statement.opcode_offset);
  }
  if (!CheckStatement(root)) return nullptr;
  Instruction* const instruction =
      computation->Add(root.opcode, std::move(root.shape));
  instruction->set_name("async_wrapped_root");
  instruction->set_source_offset(statement.name_offset);
  for (Instruction* const operand : root.operands) {
    instruction->AppendOperand(operand);
  }
  for (Attribute& attribute : root.attributes) {
    instruction->SetAttribute(attribute.id, std::move(attribute.value));
  }
  computation->set_root(instruction);
  return computation;
}

// async-update and async-done, which continue an asynchronous value.
bool ModuleParser::FinishAsyncUse(NameScope& scope, Statement& statement) {
  const Instruction* value =
      statement.operands.empty() ? nullptr : statement.operands[0];
  const bool is_async =
      value != nullptr && (value->opcode() == Opcode::kAsyncStart ||
                           value->opcode() == Opcode::kAsyncUpdate);
  if (!is_async) {
    return FailStatement(statement,
                         "operand 0 must be an async-start or async-update");
  }
  const bool is_update = statement.opcode == Opcode::kAsyncUpdate;
  if (statement.operands.size() > 1 && !is_update) {
    return FailStatement(statement, absl::StrCat("takes 1 operand, got ",
                                                 statement.operands.size()));
  }
  if (is_update && statement.operands.size() == 1 &&
      !Compatible(statement.shape, value->shape())) {
    return FailStatement(
        statement,
        absl::StrCat("the result is ", ToString(statement.shape, false),
                     ", its operand is ", ToString(value->shape(), false)));
  }
  const auto it = scope.async_starts.find(value->id());
  Instruction* const start =
      it != scope.async_starts.end() ? it->second : statement.operands[0];
  if (!CheckAsyncAgrees(statement, *start)) return false;
  // The start says both.
  Drop(statement, AttributeId::kCalls);
  Drop(statement, AttributeId::kAsyncExecutionThread);
  if (is_update) {
    scope.async_starts.emplace(
        static_cast<InstructionId>(scope.computation->instruction_count()),
        start);
  }
  return true;
}

// Whether opcode, computation and thread are those of the start.
bool ModuleParser::CheckAsyncAgrees(const Statement& statement,
                                    const Instruction& start) {
  const Computation* const called = start.calls();
  if (statement.is_async_sugar &&
      called->root()->opcode() != statement.wrapped) {
    return FailStatement(
        statement,
        absl::StrCat("wraps ", TextOf(statement.wrapped), ", its start wraps ",
                     TextOf(called->root()->opcode())));
  }
  const AttributeValue* const calls = statement.Find(AttributeId::kCalls);
  if (calls != nullptr &&
      ValueAs<AttributeKind::kComputation>(*calls) != called) {
    return FailStatement(
        statement,
        absl::StrCat(
            "calls ",
            Quoted(ValueAs<AttributeKind::kComputation>(*calls)->name()),
            ", its start calls ", Quoted(called->name())));
  }
  if (statement.Has(AttributeId::kAsyncExecutionThread) &&
      ThreadOf(statement) != start.async_execution_thread()) {
    return FailStatement(
        statement, absl::StrCat("runs on thread ", Quoted(ThreadOf(statement)),
                                ", its start on ",
                                Quoted(start.async_execution_thread())));
  }
  return true;
}

}  // namespace hilo::hlo
