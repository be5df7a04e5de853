// Tests that cannot run here: counted apart, with the reason.
#include "tests/support/skip.h"

#include <string>
#include <utility>

namespace hilo::tests {
namespace {

std::string& CurrentReason() {
  static std::string reason;
  return reason;
}

}  // namespace

void Skip(const std::string& reason) { CurrentReason() = reason; }

std::string TakeSkipReason() { return std::exchange(CurrentReason(), ""); }

}  // namespace hilo::tests
