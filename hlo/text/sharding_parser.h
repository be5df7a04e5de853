// Reads shardings, replica groups and domains.
#pragma once

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/sharding.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {

// Each reads one value, from its first token on, into an empty `*value`, and
// leaves the reader at the token after it. False on errors, which are reported.

// "{devices=[2,1]<=[2]}" and all other forms of the language reference,
// section 1.8.
bool ParseSharding(TokenReader& reader, Sharding* value);

// "{{0,1},{2,3}}", "[2,4]<=[8]", "mesh['x'=2] {'x'}" (section 1.9).
bool ParseReplicaGroups(TokenReader& reader, ReplicaGroups* value);

// "{kind="sharding", entry=⟨sharding⟩, exit=⟨sharding⟩}".
bool ParseDomain(TokenReader& reader, Domain* value);

}  // namespace hilo::hlo
