// Names, orders and clones the computations of a module.
#include "hlo/ir/module.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace hilo::hlo {
namespace {

// Gives out names by the rule of the language reference, section 1.14.
class NameTable {
 public:
  std::string Unique(absl::string_view name) {
    absl::string_view stem = name;
    int64_t number = 0;
    const bool had_digits = SplitNumber(name, &stem, &number);
    Numbers& numbers = numbers_[std::string(stem)];
    if (!numbers.used.insert(number).second) {
      while (!numbers.used.insert(numbers.next).second) ++numbers.next;
      number = numbers.next;
    }
    if (number == 0 && !had_digits) return std::string(stem);
    return absl::StrCat(stem, ".", number);
  }

 private:
  struct Numbers {
    absl::flat_hash_set<int64_t> used;
    int64_t next = 1;
  };

  // Splits "stem.12"; false when there is no such number.
  static bool SplitNumber(absl::string_view name, absl::string_view* stem,
                          int64_t* number) {
    const size_t dot = name.rfind('.');
    if (dot == absl::string_view::npos || dot == 0) return false;
    const absl::string_view digits = name.substr(dot + 1);
    if (digits.empty() ||
        !std::all_of(digits.begin(), digits.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; }) ||
        !absl::SimpleAtoi(digits, number)) {
      return false;
    }
    *stem = name.substr(0, dot);
    return true;
  }

  absl::flat_hash_map<std::string, Numbers> numbers_;
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
    switch (static_cast<AttributeKind>(value.index())) {
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
  computations_.push_back(std::unique_ptr<Computation>(new Computation(
      this, static_cast<ComputationId>(computations_.size()))));
  computations_.back()->set_name(std::move(name));
  return computations_.back().get();
}

void Module::UniquifyNames() {
  NameTable computation_names;
  NameTable instruction_names;
  for (const auto& computation : computations_) {
    computation->set_name(computation_names.Unique(computation->name()));
    for (const auto& instruction : computation->instructions()) {
      instruction->set_name(instruction_names.Unique(instruction->name()));
    }
  }
}

std::vector<Computation*> Module::PostOrder() const {
  std::vector<bool> is_called(computations_.size(), false);
  std::vector<std::vector<Computation*>> callees(computations_.size());
  for (const auto& computation : computations_) {
    for (const auto& instruction : computation->instructions()) {
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
