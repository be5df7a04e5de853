// Reports failed checks.
#include "runtime/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace hilo {

CheckFailure::CheckFailure(const char* file, int line, const char* condition) {
  message_ << file << ":" << line << ": check failed: " << condition << " ";
}

CheckFailure::~CheckFailure() {
  std::fputs((message_.str() + "\n").c_str(), stderr);
  std::abort();
}

}  // namespace hilo
