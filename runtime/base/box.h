// An owning pointer that copies what it points to.
#pragma once

#include <memory>
#include <utility>

namespace hilo {

// Holds a T or nothing, with the value semantics of T: keeps large or rare
// members out of line without giving up copying and comparing.
template <typename T>
class Box {
 public:
  Box() = default;
  Box(T value)  // NOLINT(google-explicit-constructor)
      : pointer_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& other)
      : pointer_(other ? std::make_unique<T>(*other) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    if (this != &other) *this = Box(other);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  explicit operator bool() const { return pointer_ != nullptr; }
  const T& operator*() const { return *pointer_; }
  T& operator*() { return *pointer_; }
  const T* operator->() const { return pointer_.get(); }
  T* operator->() { return pointer_.get(); }

  friend bool operator==(const Box& a, const Box& b) {
    if (!a || !b) return !a && !b;
    return *a == *b;
  }

 private:
  std::unique_ptr<T> pointer_;
};

}  // namespace hilo
