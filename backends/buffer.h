// Array values in host memory, in the physical form that a layout describes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"

namespace hilo::backends {

// A handle to one array in host memory: what programs take and give.
//
// The memory holds the elements in the order and packing of shape()'s layout:
// minor_to_major, and E(1), E(2), E(4) packed with low bits first. Handles are
// cheap to copy; copies share the memory. Donating one handle to a program
// invalidates all of them. Handles may be used from many threads, but one
// handle from one thread at a time, as any value.
class Buffer {
 public:
  // A handle to nothing, as after moving from it.
  Buffer() = default;

  // Uninitialised memory. Errors: InvalidArgument for shapes that buffers
  // cannot have; ResourceExhausted when there is no memory.
  static absl::StatusOr<Buffer> Allocate(hlo::Shape shape);
  // The caller's elements without a copy: they must outlive all handles, and
  // not change while a program reads them. They are never written to.
  static absl::StatusOr<Buffer> View(hlo::Shape shape, const void* elements);
  // As View, for an array of the C++ type T in row-major order.
  template <typename T>
  static absl::StatusOr<Buffer> View(absl::Span<const int64_t> dimensions,
                                     const T* elements) {
    return View(hlo::Shape::Array(hlo::ElementTypeOf<T>(), dimensions),
                static_cast<const void*>(elements));
  }
  // A literal's elements in the form of its shape's layout. Takes the memory
  // of a literal that nobody shares where the form is the same; else copies.
  static absl::StatusOr<Buffer> FromLiteral(hlo::Literal literal);
  // Memory that already has the form of `shape`.
  static Buffer Adopt(hlo::Shape shape, std::shared_ptr<std::byte> memory);

  // A copy of the elements. Errors: FailedPrecondition when invalid.
  absl::StatusOr<hlo::Literal> ToLiteral() const;

  // OK, or FailedPrecondition that says why the value is gone.
  absl::Status CheckValid() const;
  bool IsValid() const { return CheckValid().ok(); }

  const hlo::Shape& shape() const { return shape_; }
  // The elements; null when the value is gone.
  const std::byte* data() const;
  int64_t size_bytes() const;

  // Marks a handle so that the program it is passed to may overwrite the
  // memory. Afterwards all handles to it are invalid, whether or not the
  // program made use of that. Moves from this handle.
  Buffer Donate() {
    Buffer donated = std::move(*this);
    donated.is_donated_ = true;
    return donated;
  }
  bool is_donated() const { return is_donated_; }
  // Whether no other handle shares the memory.
  bool IsSoleHandle() const;

  // For those who run programs -----------------------------------------------

  // Keeps the memory readable until the matching Unpin, even when another
  // thread donates it. Null when the value is gone.
  std::shared_ptr<std::byte> Pin() const;
  void Unpin() const;

  // What donating a buffer yields.
  struct Donation {
    // Null when the value was gone already.
    std::shared_ptr<std::byte> memory;
    // Whether nobody else reads the memory: it may be written to.
    bool is_exclusive = false;
  };
  // Takes the memory away from all handles.
  Donation Consume() const;

 private:
  struct Storage {
    std::mutex mutex;
    // Shared with programs that run; null once donated.
    std::shared_ptr<std::byte> memory;
    bool is_view = false;
    int64_t pin_count = 0;
  };

  hlo::Shape shape_;
  // Shared by copies of a handle.
  std::shared_ptr<Storage> storage_;
  bool is_donated_ = false;
};

}  // namespace hilo::backends
