// A function: instructions with parameters and a root.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/instruction.h"

namespace hilo::hlo {

// Position of a computation in its module; dense.
using ComputationId = int32_t;

class Module;

// Owns its instructions. Their ids are dense: side tables are vectors of
// instruction_count() entries. Operands come before their users in the list
// unless a pass has appended operands later: PostOrder() is always valid.
class Computation {
 public:
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  ~Computation() = default;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  ComputationId id() const { return id_; }
  Module* parent() const { return parent_; }
  // "main" unless an asynchronous call names another thread.
  const std::string& execution_thread() const { return execution_thread_; }
  void set_execution_thread(std::string thread) {
    execution_thread_ = std::move(thread);
  }
  int64_t source_offset() const { return source_offset_; }
  void set_source_offset(int64_t offset) { source_offset_ = offset; }

  int64_t instruction_count() const {
    return static_cast<int64_t>(instructions_.size());
  }
  Instruction* instruction(InstructionId id) const {
    return instructions_[id].get();
  }
  // All instructions by id: the text order of a parsed computation.
  const std::vector<std::unique_ptr<Instruction>>& instructions() const {
    return instructions_;
  }

  // The root; null while the computation is being built.
  Instruction* root() const { return root_; }
  void set_root(Instruction* root) { root_ = root; }

  // Parameters by number. A number that is missing (in a module that was not
  // verified) is null.
  int64_t parameter_count() const {
    return static_cast<int64_t>(parameters_.size());
  }
  Instruction* parameter(int64_t number) const { return parameters_[number]; }
  absl::Span<Instruction* const> parameters() const { return parameters_; }

  // Appends an instruction without operands, attributes or name.
  Instruction* Add(Opcode opcode, Shape shape);
  // Appends parameter `number`, which must be new.
  Instruction* AddParameter(int64_t number, Shape shape);
  // Removes instructions for which keep[id] is false; none may be in use by
  // one that stays. Ids are renumbered, order is kept.
  void RemoveExcept(const std::vector<bool>& keep);

  // Operands (and control predecessors) before users: starting from the
  // instructions without users in id order, depth first, control predecessors
  // before operands. Without recursion.
  std::vector<Instruction*> PostOrder() const;
  // The order in which instructions are printed: by id in scheduled modules,
  // whose text order is the schedule, else PostOrder().
  std::vector<Instruction*> PrintOrder() const;

 private:
  friend class Module;

  Computation(Module* parent, ComputationId id) : parent_(parent), id_(id) {}

  Module* parent_;
  ComputationId id_;
  int64_t source_offset_ = -1;
  std::string name_;
  std::string execution_thread_ = "main";
  std::vector<std::unique_ptr<Instruction>> instructions_;
  std::vector<Instruction*> parameters_;
  Instruction* root_ = nullptr;
};

}  // namespace hilo::hlo
