// What a pass is told besides the module, and where it leaves its remarks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"

namespace hilo::passes {

// Why something was or was not done at one instruction.
struct Remark {
  std::string pass;
  std::string instruction;
  std::string text;
};

// Facts and choices that hold for a whole compilation. A pass reads the facts
// and appends remarks; logging, timing and dumping are the runner's.
struct PassContext {
  TargetTraits traits;
  // Allows rewrites that are true only over the reals.
  bool fast_math = false;
  // Rules of algebraic simplification that are left out.
  std::vector<std::string> disabled_rules = {};
  // Where remarks go; null: nobody wants them.
  std::vector<Remark>* remarks = nullptr;
  // How often each rule was applied, by name; null: nobody counts.
  std::map<std::string, int64_t>* rule_counts = nullptr;

  template <typename... Parts>
  void Remember(absl::string_view pass, const hlo::Instruction& instruction,
                const Parts&... parts) const {
    if (remarks == nullptr) return;
    remarks->push_back({.pass = std::string(pass),
                        .instruction = instruction.name(),
                        .text = absl::StrCat(parts...)});
  }

  bool IsRuleDisabled(absl::string_view rule) const {
    return std::ranges::find(disabled_rules, rule) != disabled_rules.end();
  }
  void CountRule(absl::string_view rule) const {
    if (rule_counts != nullptr) ++(*rule_counts)[std::string(rule)];
  }
};

}  // namespace hilo::passes
