// Evaluates custom-call: the table of targets.
#include "hlo/eval/custom_call.h"

#include <array>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

struct Target {
  absl::string_view name;
  Handler handler;
};

constexpr auto kTargets = std::to_array<Target>({
#define HLO_CUSTOM_CALL(target, handler) {target, &handler},
#include "hlo/eval/custom_calls.def"
#undef HLO_CUSTOM_CALL
});

}  // namespace

Handler FindCustomCall(absl::string_view target) {
  for (const Target& row : kTargets) {
    if (row.name == target) return row.handler;
  }
  return nullptr;
}

absl::StatusOr<Literal> EvaluateCustomCall(const Instruction& instruction,
                                           absl::Span<Literal> operands,
                                           EvaluationContext& context) {
  const std::string& target = instruction.custom_call_target();
  const Handler handler = FindCustomCall(target);
  if (handler != nullptr) return handler(instruction, operands, context);
  std::vector<absl::string_view> names;
  names.reserve(kTargets.size());
  for (const Target& row : kTargets) names.push_back(row.name);
  const std::string suggestion = SuggestNearest(target, names);
  return Unimplemented("the target \"", target, "\" is not known",
                       suggestion.empty() ? "" : "; ", suggestion);
}

}  // namespace hilo::hlo
