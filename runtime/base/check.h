// Checks of our own invariants: a failure is a bug in Hilo, never in its input.
#pragma once

#include <ostream>
#include <sstream>

namespace hilo {

// Collects the message of a failed check and aborts the process when destroyed.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();

  std::ostream& stream() { return message_; }

 private:
  std::ostringstream message_;
};

// Turns the streamed message into void, so that CHECK is a statement.
struct CheckVoidify {
  void operator&(std::ostream&) const {}
};

}  // namespace hilo

#define CHECK(condition)                                             \
  (condition) ? (void)0                                              \
              : ::hilo::CheckVoidify() &                             \
                    ::hilo::CheckFailure(__FILE__, __LINE__, #condition) \
                        .stream()

#ifdef NDEBUG
#define DCHECK(condition) CHECK(true || (condition))
#else
#define DCHECK(condition) CHECK(condition)
#endif
