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
  void operator&(std::ostream& /*message*/) const {}
};

}  // namespace hilo

#define HILO_CHECK_TEXT(condition, text) \
  (condition) ? (void)0                  \
              : ::hilo::CheckVoidify() & \
                    ::hilo::CheckFailure(__FILE__, __LINE__, text).stream()

// CHECK for headers: in a test, CHECK is Catch2's.
#define HILO_CHECK(condition) HILO_CHECK_TEXT(condition, #condition)

#ifndef CATCH_VERSION_MAJOR
#define CHECK(condition) HILO_CHECK_TEXT(condition, #condition)
#endif

#ifdef NDEBUG
#define DCHECK(condition) HILO_CHECK(true || (condition))
#else
#define DCHECK(condition) HILO_CHECK(condition)
#endif
