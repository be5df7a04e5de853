// Tries changes one after the other, until none is left that keeps the fault.
#include "jit/fuzzing/module_reducer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "hlo/text/printer.h"
#include "hlo/verify/verify.h"
#include "passes/call_graph.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"

namespace hilo::fuzzing {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;
using hlo::Shape;
using passes::Rewriter;

// Whether a computation is what a fold or a sort applies: it has to stay
// associative, or an order.
bool IsApplied(const Computation& computation) {
  constexpr std::array kAppliers = {Opcode::kReduce, Opcode::kReduceWindow,
                                    Opcode::kScatter, Opcode::kSelectAndScatter,
                                    Opcode::kSort};
  for (const auto& other : computation.parent()->computations()) {
    for (const auto& instruction : other->instructions()) {
      if (std::ranges::find(kAppliers, instruction->opcode()) ==
          kAppliers.end()) {
        continue;
      }
      if (absl::c_linear_search(instruction->called_computations(),
                                &computation)) {
        return true;
      }
    }
  }
  return false;
}

// A change of one instruction; false when it does not apply.
using Change = std::function<bool(Instruction& instruction)>;

// The values that an instruction may stand for: its operands, its parameters'
// zeros and the like.
void ReplaceBy(Instruction& instruction, Instruction* replacement) {
  Computation* computation = instruction.parent();
  instruction.ReplaceAllUsesWith(replacement);
  if (computation->root() == &instruction) computation->set_root(replacement);
}

// Zeros of a shape.
Instruction* Zeros(Rewriter& rewriter, const Shape& shape) {
  if (!shape.IsTuple()) {
    return rewriter.Splat(rewriter.Scalar(shape.element_type(), 0), shape);
  }
  std::vector<Instruction*> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(Zeros(rewriter, element));
  }
  return rewriter.Tuple(elements);
}

bool HasOnlyArrays(const Shape& shape) {
  return std::ranges::all_of(shape.Leaves(),
                             [](const Shape* leaf) { return leaf->IsArray(); });
}

// Lets instruction `id` of the entry be the only result.
bool MakeRoot(Instruction& instruction) {
  Computation* entry = instruction.parent();
  const Shape& shape = instruction.shape();
  if (entry->parent()->entry() != entry || entry->root() == &instruction ||
      !HasOnlyArrays(shape)) {
    return false;
  }
  entry->set_root(&instruction);
  hlo::ModuleHeader& header = entry->parent()->header();
  header.input_output_alias.clear();
  if (header.entry_computation_layout) {
    header.entry_computation_layout->result = shape;
  }
  return true;
}

bool ReplaceByOperand(Instruction& instruction, int64_t number) {
  for (Instruction* operand : instruction.operands()) {
    if (!Compatible(operand->shape(), instruction.shape())) continue;
    if (number-- > 0) continue;
    ReplaceBy(instruction, operand);
    return true;
  }
  return false;
}

bool ReplaceByParameter(Instruction& instruction) {
  Computation* entry = instruction.parent();
  if (entry->parent()->entry() != entry || !instruction.shape().IsArray() ||
      instruction.opcode() == Opcode::kParameter) {
    return false;
  }
  Instruction* parameter =
      entry->AddParameter(entry->parameter_count(), instruction.shape());
  parameter->set_name("parameter");
  hlo::ModuleHeader& header = entry->parent()->header();
  if (header.entry_computation_layout) {
    header.entry_computation_layout->parameters.push_back(instruction.shape());
  }
  ReplaceBy(instruction, parameter);
  return true;
}

bool ReplaceByZeros(Instruction& instruction) {
  if (!HasOnlyArrays(instruction.shape()) ||
      instruction.opcode() == Opcode::kParameter ||
      instruction.opcode() == Opcode::kConstant ||
      instruction.opcode() == Opcode::kBroadcast ||
      instruction.opcode() == Opcode::kTuple) {
    return false;
  }
  Rewriter rewriter(instruction);
  ReplaceBy(instruction, Zeros(rewriter, instruction.shape()));
  return true;
}

// What a call, one turn of a loop, or a branch computes.
bool InlineComputation(Instruction& instruction, size_t branch) {
  const Computation* called = nullptr;
  std::vector<Instruction*> arguments = instruction.operands();
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kCall) {
    called = instruction.to_apply();
  } else if (opcode == Opcode::kWhile) {
    called = instruction.body();
  } else if (opcode == Opcode::kConditional) {
    const std::vector<Computation*> branches = instruction.branches();
    if (branch >= branches.size()) return false;
    called = branches[branch];
    arguments = {instruction.operand(static_cast<int64_t>(branch) + 1)};
  }
  if (called == nullptr || (opcode != Opcode::kConditional && branch > 0)) {
    return false;
  }
  ReplaceBy(instruction,
            passes::CopyBody(*called, arguments, instruction.parent()));
  return true;
}

// A tuple result without one of its elements.
bool DropOutput(Instruction& instruction, int64_t number) {
  Computation* entry = instruction.parent();
  if (entry->parent()->entry() != entry || entry->root() != &instruction ||
      instruction.opcode() != Opcode::kTuple ||
      number >= instruction.operand_count() ||
      instruction.operand_count() < 2) {
    return false;
  }
  std::vector<Instruction*> elements = instruction.operands();
  elements.erase(elements.begin() + number);
  Rewriter rewriter(instruction);
  return MakeRoot(*rewriter.Tuple(elements));
}

// get-tuple-element(tuple(a, b), 0) is a.
bool ForwardElement(Instruction& instruction) {
  if (instruction.opcode() != Opcode::kGetTupleElement ||
      instruction.operand(0)->opcode() != Opcode::kTuple) {
    return false;
  }
  ReplaceBy(instruction, instruction.operand(0)->operand(instruction.index()));
  return true;
}

// Numbers of the text, outside of names and constants, that equal `size`.
std::string ReplaceSize(const std::string& text, int64_t size,
                        int64_t smaller) {
  constexpr absl::string_view kBefore = "[,={:x_";
  constexpr absl::string_view kAfter = "],}:x_ {";
  const std::string wanted = absl::StrCat(size);
  std::string result;
  size_t i = 0;
  while (i < text.size()) {
    const bool is_digit = absl::ascii_isdigit(text[i]);
    const char before = i == 0 ? '\n' : text[i - 1];
    size_t end = i;
    while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
    const char after = end < text.size() ? text[end] : '\n';
    const bool is_size = is_digit && text.substr(i, end - i) == wanted &&
                         kBefore.find(before) != absl::string_view::npos &&
                         kAfter.find(after) != absl::string_view::npos;
    if (is_size) {
      absl::StrAppend(&result, smaller);
    } else {
      result.append(text, i, std::max<size_t>(end - i, 1));
    }
    i = std::max(end, i + 1);
  }
  return result;
}

class Reducer {
 public:
  Reducer(const Module& module, const FaultPredicate& has_fault)
      : has_fault_(has_fault), best_(module.Clone()) {}

  std::unique_ptr<Module> Run() {
    // The fault may need what nothing reads.
    std::unique_ptr<Module> live = best_->Clone();
    drops_dead_code_ = passes::EliminateDeadCode(*live, {}).ok() &&
                       hlo::Verify(*live).ok() && has_fault_(*live);
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Change& change : Changes()) {
        changed = TryEverywhere(change) || changed;
      }
      changed = TryHeader() || changed;
      changed = TrySizes() || changed;
    }
    return std::move(best_);
  }

 private:
  static std::vector<Change> Changes() {
    std::vector<Change> changes = {&MakeRoot};
    for (int64_t i = 0; i < 6; ++i) {
      changes.emplace_back(
          [i](Instruction& instruction) { return DropOutput(instruction, i); });
    }
    for (size_t i = 0; i < 3; ++i) {
      changes.emplace_back([i](Instruction& instruction) {
        return InlineComputation(instruction, i);
      });
    }
    for (int64_t i = 0; i < 3; ++i) {
      changes.emplace_back([i](Instruction& instruction) {
        return ReplaceByOperand(instruction, i);
      });
    }
    changes.emplace_back(&ForwardElement);
    changes.emplace_back(&ReplaceByParameter);
    changes.emplace_back(&ReplaceByZeros);
    return changes;
  }

  // Takes over a module if it is a well-formed one that shows the fault.
  bool Accept(std::unique_ptr<Module> module) {
    if (drops_dead_code_ && !passes::EliminateDeadCode(*module, {}).ok()) {
      return false;
    }
    module->UniquifyNames();
    // As a reader of its text will see it.
    absl::StatusOr<std::unique_ptr<Module>> parsed =
        hlo::Parse(hlo::Print(*module), "reduced");
    if (!parsed.ok() || !hlo::Verify(**parsed).ok()) return false;
    if (!has_fault_(**parsed)) return false;
    best_ = *std::move(parsed);
    return true;
  }

  // Parameters that nothing reads; the others are numbered anew. Their inputs
  // change with their numbers, so that this is a change of its own.
  static bool DropParameters(Module& module) {
    Computation* entry = module.entry();
    Computation* fresh = module.AddComputation(entry->name());
    Rewriter rewriter(fresh);
    hlo::EntryComputationLayout layout = module.entry_layout();
    std::vector<Shape> shapes;
    std::vector<Instruction*> arguments;
    for (const Instruction* parameter : entry->parameters()) {
      const Shape& shape = parameter->shape();
      if (!parameter->HasUses() && parameter != entry->root() &&
          HasOnlyArrays(shape)) {
        arguments.push_back(Zeros(rewriter, shape));
        continue;
      }
      const auto number = static_cast<size_t>(parameter->parameter_number());
      arguments.push_back(
          fresh->AddParameter(static_cast<int64_t>(shapes.size()), shape));
      arguments.back()->set_name(parameter->name());
      shapes.push_back(layout.parameters[number]);
    }
    if (shapes.size() == layout.parameters.size() ||
        !module.header().input_output_alias.empty()) {
      return false;
    }
    fresh->set_root(passes::CopyBody(*entry, arguments, fresh));
    module.set_entry(fresh);
    passes::RemoveUnusedComputations(module);
    if (module.header().entry_computation_layout) {
      module.header().entry_computation_layout->parameters = shapes;
    }
    return true;
  }

  // Applies a change to each instruction in turn; results first, so that much
  // goes at once.
  bool TryEverywhere(const Change& change) {
    bool changed = false;
    for (int64_t c = best_->computation_count() - 1; c >= 0; --c) {
      // Earlier changes may have removed some.
      if (c >= best_->computation_count() ||
          IsApplied(*best_->computation(static_cast<int32_t>(c)))) {
        continue;
      }
      int64_t i = 0;
      while (c < best_->computation_count() &&
             i < best_->computation(static_cast<int32_t>(c))
                     ->instruction_count()) {
        const int64_t before = best_->instruction_count();
        std::unique_ptr<Module> candidate = best_->Clone();
        Instruction* instruction =
            candidate->computation(static_cast<int32_t>(c))
                ->instruction(static_cast<int32_t>(i));
        const bool is_accepted =
            change(*instruction) && Accept(std::move(candidate));
        changed = changed || is_accepted;
        // After a change that removed something, the same place is another.
        if (!is_accepted || best_->instruction_count() >= before) ++i;
      }
    }
    return changed;
  }

  bool TryHeader() {
    bool changed = false;
    if (!best_->header().input_output_alias.empty()) {
      std::unique_ptr<Module> candidate = best_->Clone();
      candidate->header().input_output_alias.clear();
      changed = Accept(std::move(candidate));
    }
    {
      std::unique_ptr<Module> candidate = best_->Clone();
      if (DropParameters(*candidate)) {
        changed = Accept(std::move(candidate)) || changed;
      }
    }
    if (best_->header().entry_computation_layout) {
      std::unique_ptr<Module> candidate = best_->Clone();
      candidate->header().entry_computation_layout = {};
      changed = Accept(std::move(candidate)) || changed;
    }
    return changed;
  }

  bool TrySizes() {
    std::set<int64_t> sizes;
    for (const auto& computation : best_->computations()) {
      for (const auto& instruction : computation->instructions()) {
        for (const Shape* leaf : instruction->shape().Leaves()) {
          if (!leaf->IsArray()) continue;
          sizes.insert(leaf->dimensions().begin(), leaf->dimensions().end());
        }
      }
    }
    bool changed = false;
    for (const int64_t size : std::views::reverse(sizes)) {
      for (const int64_t smaller :
           {int64_t{1}, int64_t{2}, int64_t{3}, size / 2, size - 1}) {
        if (smaller >= size || smaller < 1) continue;
        absl::StatusOr<std::unique_ptr<Module>> candidate = hlo::Parse(
            ReplaceSize(hlo::Print(*best_), size, smaller), "reduced");
        if (!candidate.ok() || !hlo::Verify(**candidate).ok()) continue;
        if (!Accept(*std::move(candidate))) continue;
        changed = true;
        break;
      }
    }
    return changed;
  }

  const FaultPredicate& has_fault_;
  std::unique_ptr<Module> best_;
  bool drops_dead_code_ = true;
};

}  // namespace

std::unique_ptr<Module> ReduceModule(const Module& module,
                                     const FaultPredicate& has_fault) {
  return Reducer(module, has_fault).Run();
}

}  // namespace hilo::fuzzing
