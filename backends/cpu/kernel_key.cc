// Texts that are equal for instructions that one kernel can serve.
#include "backends/cpu/kernel_key.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/xxhash.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/print_attribute.h"
#include "hlo/text/printer.h"

namespace hilo::backends {
namespace {

using hlo::AttributeId;
using hlo::Instruction;

// What says nothing about the code.
constexpr std::array kIgnored = {AttributeId::kMetadata,
                                 AttributeId::kBackendConfig,
                                 AttributeId::kSharding,
                                 AttributeId::kFrontendAttributes,
                                 AttributeId::kControlPredecessors,
                                 AttributeId::kStatistics,
                                 AttributeId::kOrigin,
                                 AttributeId::kParameterReplication,
                                 AttributeId::kOutputToOperandAliasing};

}  // namespace

std::string KernelKey(const Instruction& instruction) {
  std::string key = absl::StrCat(hlo::TextOf(instruction.opcode()), " ",
                                 hlo::ToString(instruction.shape()));
  const std::vector<Instruction*> operands = instruction.operands();
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto first =
        std::ranges::find(operands, operands[i]) - operands.begin();
    absl::StrAppend(&key, " ", first, ":", hlo::ToString(operands[i]->shape()));
  }
  const hlo::ReferencePrinter references{
      .computation =
          [](const hlo::Computation& computation) {
            return hlo::Print(computation, hlo::PrintOptions::Canonical());
          },
      .instruction = [](const Instruction&) { return std::string(); }};
  for (const hlo::Attribute& attribute : instruction.attributes()) {
    if (std::ranges::find(kIgnored, attribute.id) != kIgnored.end()) continue;
    absl::StrAppend(&key, " ", hlo::TextOf(attribute.id), "=");
    hlo::AppendAttributeValue(attribute.value, references, &key);
  }
  return key;
}

std::string KernelName(const Instruction& instruction, const std::string& key) {
  const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t*>(key.data()), key.size()));
  return absl::StrCat(hlo::TextOf(instruction.opcode()), "_",
                      absl::Hex(hash.high64, absl::kZeroPad16),
                      absl::Hex(hash.low64, absl::kZeroPad16));
}

}  // namespace hilo::backends
