// What a pass is told besides the module, and where it leaves its remarks.
#pragma once

#include <cstdint>
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
  // Where remarks go; null: nobody wants them.
  std::vector<Remark>* remarks = nullptr;

  template <typename... Parts>
  void Remember(absl::string_view pass, const hlo::Instruction& instruction,
                const Parts&... parts) const {
    if (remarks == nullptr) return;
    remarks->push_back({.pass = std::string(pass),
                        .instruction = instruction.name(),
                        .text = absl::StrCat(parts...)});
  }
};

}  // namespace hilo::passes
