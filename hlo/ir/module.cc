// Names, orders and clones the computations of a module.
#include "hlo/ir/module.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"

namespace hilo::hlo {
namespace {

// Gives out names by the rule of the language reference, section 1.14. Keeps
// views of the names it gives out: they must stay where they are.
class NameTable {
 public:
  explicit NameTable(size_t expected_count) { used_.reserve(expected_count); }

  // Renames `named` if its name is taken, or has a number that is not written
  // as it would be printed.
  template <typename Named>
  void MakeUnique(Named* named) {
    const NumberedName name = Split(named->name());
    if (name.is_canonical && used_.insert(KeyOf(named->name())).second) return;
    named->set_name(Unique(name));
    used_.insert(KeyOf(named->name()));
  }

 private:
  struct NumberedName {
    absl::string_view stem;
    // Empty for none.
    absl::string_view digits;
    bool is_canonical = true;
  };

  // Splits "stem.12". A number that does not fit is part of the stem.
  static NumberedName Split(absl::string_view name) {
    constexpr size_t kMostDigits = 18;
    size_t begin = name.size();
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') {
      --begin;
    }
    const absl::string_view digits = name.substr(begin);
    if (begin < 2 || digits.empty() || name[begin - 1] != '.' ||
        digits.size() > kMostDigits) {
      return {.stem = name, .digits = {}, .is_canonical = true};
    }
    return {.stem = name.substr(0, begin - 1),
            .digits = digits,
            .is_canonical = digits.size() == 1 || digits[0] != '0'};
  }

  // "a.0" and "a" are the same number.
  static absl::string_view KeyOf(absl::string_view name) {
    const NumberedName split = Split(name);
    return split.digits == "0" ? split.stem : name;
  }

  bool IsUsed(const std::string& name) const {
    return used_.contains(KeyOf(name));
  }

  // The name with its own number, or else with the smallest free one.
  std::string Unique(const NumberedName& name) {
    if (!name.is_canonical) {
      int64_t number = 0;
      static_cast<void>(absl::SimpleAtoi(name.digits, &number));
      std::string own = absl::StrCat(name.stem, ".", number);
      if (!IsUsed(own)) return own;
    }
    int64_t& next = next_numbers_[std::string(name.stem)];
    while (true) {
      std::string numbered = absl::StrCat(name.stem, ".", next++);
      if (IsUsed(numbered)) continue;
      return numbered;
    }
  }

  absl::flat_hash_set<absl::string_view> used_;
  // By stem: no smaller number is free.
  absl::flat_hash_map<std::string, int64_t> next_numbers_;
};

// Maps the computations and instructions of a module to those of its clone.
class Cloner {
 public:
  Cloner(const Module& from, Module* to) : from_(from), to_(to) {}

  void Run() {
    for (const auto& computation : from_.computations()) {
      to_->AddComputation(computation->name());
    }
    for (const auto& computation : from_.computations()) {
      CloneComputation(*computation, to_->computation(computation->id()));
    }
    if (from_.entry() != nullptr) {
      to_->set_entry(to_->computation(from_.entry()->id()));
    }
  }

 private:
  void CloneComputation(const Computation& from, Computation* to) {
    to->set_execution_thread(from.execution_thread());
    to->set_source_offset(from.source_offset());
    for (const auto& instruction : from.instructions()) {
      Instruction* copy =
          instruction->opcode() == Opcode::kParameter
              ? to->AddParameter(instruction->parameter_number(),
                                 instruction->shape())
              : to->Add(instruction->opcode(), instruction->shape());
      copy->set_name(instruction->name());
      copy->set_source_offset(instruction->source_offset());
    }
    for (const auto& instruction : from.instructions()) {
      Instruction* copy = to->instruction(instruction->id());
      for (int64_t i = 0; i < instruction->operand_count(); ++i) {
        copy->AppendOperand(to->instruction(instruction->operand(i)->id()));
      }
      for (const Attribute& attribute : instruction->attributes()) {
        copy->SetAttribute(attribute.id, MapValue(attribute.value, to));
      }
    }
    if (from.root() != nullptr) {
      to->set_root(to->instruction(from.root()->id()));
    }
  }

  AttributeValue MapValue(const AttributeValue& value, Computation* to) const {
    switch (value.kind()) {
      case AttributeKind::kComputation: {
        const auto* called = ValueAs<AttributeKind::kComputation>(value);
        return MakeAttributeValue<AttributeKind::kComputation>(
            to_->computation(called->id()));
      }
      case AttributeKind::kComputationList: {
        std::vector<Computation*> list;
        for (const Computation* called :
             ValueAs<AttributeKind::kComputationList>(value)) {
          list.push_back(to_->computation(called->id()));
        }
        return MakeAttributeValue<AttributeKind::kComputationList>(
            std::move(list));
      }
      case AttributeKind::kInstructionList: {
        std::vector<Instruction*> list;
        for (const Instruction* instruction :
             ValueAs<AttributeKind::kInstructionList>(value)) {
          list.push_back(to->instruction(instruction->id()));
        }
        return MakeAttributeValue<AttributeKind::kInstructionList>(
            std::move(list));
      }
      default:  // NOLINT: all other kinds hold no references
        return value;
    }
  }

  const Module& from_;
  Module* to_;
};

}  // namespace

Computation* Module::AddComputation(std::string name) {
  computations_.push_back(std::unique_ptr<Computation>(
      new Computation(this, static_cast<ComputationId>(computations_.size()))));
  computations_.back()->set_name(std::move(name));
  return computations_.back().get();
}

void Module::MoveToEnd(Computation* computation) {
  const auto from = computations_.begin() + computation->id();
  std::rotate(from, from + 1, computations_.end());
  const auto count = static_cast<ComputationId>(computations_.size());
  for (ComputationId id = computation->id(); id < count; ++id) {
    if (computations_[id].get() != computation) computations_[id]->id_ = id;
  }
  computation->id_ = count - 1;
}

void Module::UniquifyNames() {
  NameTable computation_names(computations_.size());
  NameTable instruction_names(static_cast<size_t>(instruction_count()));
  for (const auto& computation : computations_) {
    computation_names.MakeUnique(computation.get());
    for (const auto& instruction : computation->instructions()) {
      instruction_names.MakeUnique(instruction.get());
    }
  }
}

std::vector<Computation*> Module::PostOrder() const {
  std::vector<bool> is_called(computations_.size(), false);
  std::vector<std::vector<Computation*>> callees(computations_.size());
  for (const auto& computation : computations_) {
    for (const Instruction* instruction : computation->PrintOrder()) {
      for (Computation* callee : instruction->called_computations()) {
        callees[computation->id()].push_back(callee);
        is_called[callee->id()] = true;
      }
    }
  }
  std::vector<Computation*> order;
  std::vector<bool> entered(computations_.size(), false);
  std::vector<std::pair<Computation*, size_t>> stack;
  for (const auto& start : computations_) {
    if (is_called[start->id()]) continue;
    stack.emplace_back(start.get(), 0);
    entered[start->id()] = true;
    while (!stack.empty()) {
      Computation* top = stack.back().first;
      const size_t next = stack.back().second++;
      if (next < callees[top->id()].size()) {
        Computation* callee = callees[top->id()][next];
        if (entered[callee->id()]) continue;
        entered[callee->id()] = true;
        stack.emplace_back(callee, 0);
        continue;
      }
      order.push_back(top);
      stack.pop_back();
    }
  }
  return order;
}

int64_t Module::instruction_count() const {
  int64_t count = 0;
  for (const auto& computation : computations_) {
    count += computation->instruction_count();
  }
  return count;
}

std::unique_ptr<Module> Module::Clone() const {
  auto copy = std::make_unique<Module>(name_);
  copy->header_ = header_;
  copy->source_ = source_;
  Cloner(*this, copy.get()).Run();
  return copy;
}

EntryComputationLayout Module::entry_layout() const {
  if (header_.entry_computation_layout) {
    return *header_.entry_computation_layout;
  }
  EntryComputationLayout layout;
  for (const Instruction* parameter : entry_->parameters()) {
    layout.parameters.push_back(parameter->shape());
  }
  layout.result = entry_->root()->shape();
  return layout;
}

}  // namespace hilo::hlo
