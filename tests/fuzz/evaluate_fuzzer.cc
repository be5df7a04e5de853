// Fuzzes the evaluator with every valid module whose arrays are small.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "hlo/verify/verify.h"

namespace hilo::hlo {
namespace {

// Keeps the slowest module within a second or so.
constexpr int64_t kMaxElementCount = 4096;
constexpr EvaluatorOptions kOptions = {
    .seed = 0, .memory_limit_bytes = 64 << 20, .step_limit = 10000};

bool IsSmall(const Shape& shape) {
  return std::ranges::all_of(shape.Leaves(), [](const Shape* leaf) {
    return !leaf->IsArray() ||
           (std::ranges::none_of(leaf->dimensions(),
                                 [](int64_t size) { return size < 0; }) &&
            leaf->ElementCount() <= kMaxElementCount);
  });
}

bool HasSmallArrays(const Module& module) {
  for (const std::unique_ptr<Computation>& computation :
       module.computations()) {
    for (const std::unique_ptr<Instruction>& instruction :
         computation->instructions()) {
      if (instruction != nullptr && !IsSmall(instruction->shape())) {
        return false;
      }
    }
  }
  return true;
}

void ParseAndEvaluate(absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<Module>> module =
      Parse(text, "input.hlo");
  if (!module.ok() || !Verify(**module).ok()) return;
  if (!HasSmallArrays(**module)) return;
  std::vector<Literal> arguments;
  for (const Instruction* parameter : (*module)->entry()->parameters()) {
    arguments.emplace_back(parameter->shape());
  }
  // Errors are fine: unimplemented opcodes, limits.
  (void)Evaluate(**module, std::move(arguments), kOptions);
}

}  // namespace
}  // namespace hilo::hlo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hilo::hlo::ParseAndEvaluate({reinterpret_cast<const char*>(data), size});
  return 0;
}
