// Reads the text of a module into the IR.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "hlo/text/literal_parser.h"
#include "hlo/text/name_scope.h"
#include "hlo/text/parser.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {

// One instruction as it is read; it enters the computation when it is complete.
struct Statement {
  absl::string_view name;
  int64_t name_offset = -1;
  bool is_root = false;
  bool has_shape = false;
  Shape shape;
  int64_t shape_offset = -1;
  Opcode opcode = Opcode::kParameter;
  int64_t opcode_offset = -1;
  // "add-start" and the like: the opcode that is wrapped.
  bool is_async_sugar = false;
  Opcode wrapped = Opcode::kParameter;
  std::vector<Attribute> wrapped_attributes;
  absl::InlinedVector<Instruction*, 4> operands;
  // Places of the operands.
  absl::InlinedVector<int64_t, 4> operand_offsets;
  // Attributes that stand in the text, also those that hold a default.
  std::vector<Attribute> attributes;
  // By AttributeId.
  std::array<uint64_t, 2> seen = {};
  // Something it refers to had errors: it cannot be built, silently.
  bool poisoned = false;

  bool Has(AttributeId id) const {
    const auto i = static_cast<unsigned>(id);
    return (seen[i / 64] >> (i % 64) & 1) != 0;
  }
  void SetSeen(AttributeId id) {
    const auto i = static_cast<unsigned>(id);
    seen[i / 64] |= uint64_t{1} << (i % 64);
  }
  // Null when it is not in the text.
  const AttributeValue* Find(AttributeId id) const;
};
static_assert(kAttributeCount <= 128);

// Reads one module. The functions are defined by part of the grammar:
// parse_module.cc, parse_instruction.cc, parse_operand.cc, parse_async.cc,
// check_statement.cc, recover.cc. Those that read return false on errors, which
// are in the diagnostics then.
class ModuleParser {
 public:
  // `text` is the source's text, maybe with log prefixes blanked.
  ModuleParser(std::shared_ptr<const Source> source, absl::string_view text,
               const ParseOptions& options, Diagnostics* diagnostics);

  // Null on errors.
  std::unique_ptr<Module> Run();

  // For values of attributes.
  TokenReader& reader() { return reader_; }
  ElidedLiterals* elided() { return &elided_; }
  // A computation's name or an inline "{...}". Null, with true, when it had
  // errors of its own.
  bool ParseComputationReference(Computation** computation);
  // The instruction `token` names in `scope`. Null, with true, when it had
  // errors of its own.
  bool FindInstruction(NameScope& scope, const Token& token,
                       Instruction** instruction);

 private:
  // parse_module.cc
  bool ParseFile();
  bool ParseHeader();
  bool ParseComputations();
  bool ParseComputation();
  bool ParseSignature(bool* has_result, Shape* result);
  bool ParseBody(NameScope& scope);
  bool ParseThread(Computation* computation);
  bool FinishComputation(NameScope& scope, int64_t place);
  bool CheckParameters(NameScope& scope);
  bool ParseNestedComputation(Computation** computation);
  bool SkipNestedComputation(int64_t place);
  bool DefineComputation(absl::string_view name, int64_t place,
                         Computation* computation);
  void MoveBehindCallees(Computation* computation, int64_t old_count);
  bool ParseSingleInstruction();
  void DropMissingFrames();
  void WarnOfElidedLiterals();
  bool FailUnknownComputation(const Token& token);

  // parse_instruction.cc
  bool ParseInstruction(NameScope& scope);
  bool ParseInstructionStart(Statement& statement);
  bool ParseRightSide(NameScope& scope, Statement& statement,
                      bool with_attributes);
  bool ParseOpcode(Statement& statement);
  bool ParseParenthesized(NameScope& scope, Statement& statement);
  bool ParseParameterNumber(NameScope& scope, Statement& statement);
  bool ParseConstant(Statement& statement);
  bool ParseAttributes(NameScope& scope, Statement& statement);
  bool ParseAttribute(NameScope& scope, Statement& statement);
  bool SkipUnknownAttribute(const Statement& statement);
  bool ParseMode();
  Instruction* Build(NameScope& scope, Statement& statement);
  bool InferMissingShape(Statement& statement, Instruction* instruction);
  bool DefineInstruction(NameScope& scope, const Statement& statement,
                         Instruction* instruction);

  // parse_operand.cc
  bool ParseOperands(NameScope& scope, Statement& statement);
  bool ParseOperand(NameScope& scope, Statement& statement);
  bool ParseNamedOperand(NameScope& scope, const Shape* declared, int64_t place,
                         Instruction** operand);
  bool ParseElementIndices(NameScope& scope, Instruction** operand);
  bool ParseAnonymousOperand(NameScope& scope, Shape* declared, int64_t place,
                             Instruction** operand);
  Instruction* TupleElement(NameScope& scope, Instruction* tuple,
                            int64_t index);
  bool AddMissingParameter(NameScope& scope, const Shape& shape,
                           absl::string_view name, int64_t place,
                           Instruction** operand);
  bool FailUnknownName(NameScope& scope, const Token& token);

  // check_statement.cc
  bool CheckStatement(Statement& statement);
  bool CheckOperandCount(const Statement& statement);
  bool CheckRequired(const Statement& statement);
  bool CheckConditional(const Statement& statement);
  bool CheckCollective(Statement& statement);
  bool CheckCustomCall(Statement& statement);
  bool CheckOneDimension(const Statement& statement);
  bool CheckCommon(const Statement& statement);
  bool FailStatement(const Statement& statement, const std::string& message,
                     std::string remedy = "");

  // parse_async.cc
  bool FinishAsync(NameScope& scope, Statement& statement);
  bool FinishAsyncStart(Statement& statement);
  bool FinishAsyncUse(NameScope& scope, Statement& statement);
  bool CheckAsyncAgrees(const Statement& statement, const Instruction& start);
  Computation* WrapAsync(Statement& statement);

  // recover.cc
  void Recover(NameScope& scope, int64_t statement_offset);
  void RecoverAtComputation();
  bool AtInstructionStart() const;
  bool AtComputationStart() const;
  bool AtComputationEnd() const;
  bool IsFirstOnLine() const;
  bool FollowsComma() const;
  void SkipError();
  // Whether more errors would not help.
  bool MustStop();

  std::shared_ptr<const Source> source_;
  const ParseOptions& options_;
  TokenReader reader_;
  std::unique_ptr<Module> module_;
  // By name; null for computations with errors.
  absl::flat_hash_map<absl::string_view, Computation*> computations_;
  Computation* last_computation_ = nullptr;
  int64_t entry_offset_ = -1;
  bool has_entry_ = false;
  ElidedLiterals elided_;
  // In the form of a single instruction, operands may be fresh parameters.
  bool makes_parameters_ = false;
  // Inside an inline computation, which is skipped as a whole on errors.
  bool is_nested_ = false;
  // Braces do not match: no place to go on from.
  bool gave_up_ = false;
  int64_t max_parameter_number_ = 0;
};

}  // namespace hilo::hlo
