// Tests that cannot run here: counted apart, with the reason.
#pragma once

#include <string>
#include <vector>

namespace hilo::tests {

// Says that the running test case cannot be run here, and why. The caller
// returns right after.
void Skip(const std::string& reason);

// The reason given by Skip() since the last call; empty when there was none.
std::string TakeSkipReason();

}  // namespace hilo::tests
