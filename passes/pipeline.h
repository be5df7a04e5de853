// The passes, the stages they belong to, and the order in which they run.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/module.h"
#include "passes/pass_context.h"

namespace hilo::passes {

#define HILO_PASS(Function, name, stage, doc)        \
  absl::StatusOr<bool> Function(hlo::Module& module, \
                                const PassContext& context);
#include "passes/passes.def"
#undef HILO_PASS

// One per row of passes.def.
enum class PassId : uint8_t {
#define HILO_PASS(Function, name, stage, doc) k##Function,
#include "passes/passes.def"
#undef HILO_PASS
};

// Parts of the pipeline. A stage promises something that later ones rely on.
enum class Stage : uint8_t { kPrepare, kSimplify, kFuse };

// The row of the table of stages.
struct StageInfo {
  absl::string_view name;
  // The lowest optimisation level that has it.
  int level = 0;
  absl::string_view promise;
  // Errors, naming an instruction, unless the promise is kept.
  absl::Status (*check)(const hlo::Module& module) = nullptr;
};

// The row of passes.def.
struct PassInfo {
  absl::string_view name;
  absl::StatusOr<bool> (*function)(hlo::Module& module,
                                   const PassContext& context) = nullptr;
  Stage stage = Stage::kPrepare;
  absl::string_view doc;
};

// That one pass runs before another, and why.
struct OrderFact {
  PassId before;
  PassId after;
  absl::string_view reason;
};

const PassInfo& InfoOf(PassId pass);
const StageInfo& InfoOf(Stage stage);
absl::Span<const PassInfo> Passes();
absl::Span<const StageInfo> Stages();
absl::Span<const OrderFact> OrderFacts();

// All passes in the order in which they run; some run more than once. The
// passes of a stage stand together.
absl::Span<const PassId> Pipeline();

}  // namespace hilo::passes
