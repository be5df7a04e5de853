// Prints attribute values in HLO syntax.
#pragma once

#include <functional>
#include <string>

#include "absl/strings/string_view.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/sharding.h"

namespace hilo::hlo {

// How names are written where values refer to computations and instructions.
struct ReferencePrinter {
  std::function<std::string(const Computation&)> computation;
  std::function<std::string(const Instruction&)> instruction;
};

// Appends what stands after "name=".
void AppendAttributeValue(const AttributeValue& value,
                          const ReferencePrinter& references, std::string* out);

// "\"...\"" with C escapes (language reference, section 1.1).
void AppendQuoted(absl::string_view text, std::string* out);
// As a raw {dictionary} when it reads back as one, else quoted.
void AppendTextOrDictionary(absl::string_view text, std::string* out);
// "{a=\"x\",b={...}}".
void AppendFrontendAttributes(const FrontendAttributes& attributes,
                              std::string* out);
// "{0,1}".
void AppendIntList(absl::Span<const int64_t> values, std::string* out);

void AppendSharding(const Sharding& sharding, std::string* out);
void AppendReplicaGroups(const ReplicaGroups& groups, std::string* out);

}  // namespace hilo::hlo
