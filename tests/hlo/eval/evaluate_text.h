// Evaluates modules and instructions given as text.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {

// A literal from "f32[2] {1, 2}". The text must be right.
Literal ParseTyped(absl::string_view text);

// The value of a module in HLO text for arguments as ParseTyped reads them, as
// text without its shape; or "error: " and the message. All NaN read "nan".
std::string EvaluateText(absl::string_view text,
                         const std::vector<std::string>& arguments = {},
                         const EvaluatorOptions& options = {});

// The value of one instruction, such as "s32[2] add(x, y)", whose operands x,
// y, z, ... are the arguments.
std::string Apply(absl::string_view instruction,
                  const std::vector<std::string>& arguments);

// An instruction whose operands x, y, z, ... are given as text, and its value.
struct ApplyRow {
  std::string instruction;
  std::vector<std::string> operands;
  std::string expected;
};

// Checks that Apply gives each row's value.
void CheckApply(const std::vector<ApplyRow>& rows);

}  // namespace hilo::hlo
