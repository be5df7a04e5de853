// Macros that pass errors on: RETURN_IF_ERROR and ASSIGN_OR_RETURN.
#pragma once

#include <sstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace hilo {

// An error that collects streamed context before it is returned.
class StatusBuilder {
 public:
  explicit StatusBuilder(absl::Status status) : status_(std::move(status)) {}

  template <typename T>
  StatusBuilder& operator<<(const T& value) {
    context_ << value;
    return *this;
  }

  // The status; with context, its message is "<message>; <context>".
  operator absl::Status() const;  // NOLINT(google-explicit-constructor)
  template <typename T>
  operator absl::StatusOr<T>() const {  // NOLINT(google-explicit-constructor)
    return static_cast<absl::Status>(*this);
  }

 private:
  absl::Status status_;
  std::ostringstream context_;
};

// Shorthands for statuses whose message is the concatenation of `parts`.
template <typename... Parts>
absl::Status InvalidArgument(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}
template <typename... Parts>
absl::Status Unimplemented(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}
template <typename... Parts>
absl::Status ResourceExhausted(const Parts&... parts) {
  return absl::ResourceExhaustedError(absl::StrCat(parts...));
}

}  // namespace hilo

#define HILO_CONCAT_INNER(a, b) a##b
#define HILO_CONCAT(a, b) HILO_CONCAT_INNER(a, b)

// Returns from the function when `expression` is an error; context may follow:
//   RETURN_IF_ERROR(Verify(module)) << "after parsing " << path;
#define RETURN_IF_ERROR(expression)                                \
  if (absl::Status hilo_status = (expression); hilo_status.ok()) { \
  } else /* NOLINT(readability-misleading-indentation) */          \
    return ::hilo::StatusBuilder(std::move(hilo_status))

// Declares or assigns `lhs` from a StatusOr, or returns its error.
#define ASSIGN_OR_RETURN(lhs, expression) \
  HILO_ASSIGN_OR_RETURN_INNER(HILO_CONCAT(hilo_or_, __LINE__), lhs, expression)
#define HILO_ASSIGN_OR_RETURN_INNER(variable, lhs, expression) \
  auto variable = (expression);                                \
  if (!variable.ok()) return std::move(variable).status();     \
  lhs = *std::move(variable)
