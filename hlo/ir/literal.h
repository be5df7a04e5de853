// Constant values: typed arrays and tuples of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/shape.h"
#include "runtime/base/check.h"

namespace hilo::hlo {

// A value of an array or tuple shape (tokens and opaque values have no data).
//
// Elements are stored as the C++ type of the element type, one per
// StorageBytes (sub-byte types too), in logical row-major order whatever the
// layout of shape(): a layout only says how a buffer would hold the value.
// Copies share the elements; writing to shared elements copies them first.
class Literal {
 public:
  // The empty tuple.
  Literal() = default;
  // Zeros. The shape satisfies ValidateShape and has no unbounded dimensions.
  explicit Literal(Shape shape);

  // A view of the caller's elements, which must outlive all copies.
  static Literal Borrow(Shape shape, const void* elements);
  // A view of elements that `owner` keeps alive.
  static Literal Share(Shape shape, std::shared_ptr<const void> owner,
                       const void* elements);
  static Literal Tuple(std::vector<Literal> elements);
  template <typename T>
  static Literal Scalar(T value) {
    Literal literal(Shape::Scalar(ElementTypeOf<T>()));
    literal.mutable_data<T>()[0] = value;
    return literal;
  }
  template <typename T>
  static Literal Array(absl::Span<const int64_t> dimensions,
                       absl::Span<const T> values);

  const Shape& shape() const { return shape_; }
  bool IsTuple() const { return shape_.IsTuple(); }

  // Arrays. T is the C++ type of the element type.
  template <typename T>
  absl::Span<const T> data() const;
  template <typename T>
  absl::Span<T> mutable_data();
  const std::byte* untyped_data() const { return data_; }
  std::byte* mutable_untyped_data();
  int64_t size_bytes() const { return shape_.ByteSize(); }
  int64_t element_count() const { return shape_.ElementCount(); }

  // Tuples.
  const std::vector<Literal>& elements() const { return elements_; }
  const Literal& element(int64_t i) const { return elements_[i]; }
  // Moves the elements out and leaves the empty tuple.
  std::vector<Literal> TakeElements() &&;
  // The sub-value at `index`, which must exist.
  const Literal& At(absl::Span<const int64_t> index) const;
  // All leaves (non-tuples) in pre-order.
  std::vector<const Literal*> Leaves() const;

  // Whether writing needs no copy.
  bool IsUnique() const { return owner_ != nullptr && owner_.use_count() == 1; }

  // The same elements under another array shape of the same element storage
  // and count; no copy.
  Literal WithShape(Shape shape) const&;
  Literal WithShape(Shape shape) &&;

  // Whether the text said "{...}": the elements are zeros then.
  bool is_elided() const { return is_elided_; }
  void set_is_elided(bool elided) { is_elided_ = elided; }

  // Same shape (layouts compared) and same bits.
  friend bool operator==(const Literal& a, const Literal& b);
  template <typename H>
  friend H AbslHashValue(H h, const Literal& literal) {
    for (const Literal& e : literal.elements_) h = H::combine(std::move(h), e);
    h = H::combine(std::move(h), literal.shape_);
    if (!literal.shape_.IsArray()) return h;
    return H::combine_contiguous(
        std::move(h), reinterpret_cast<const unsigned char*>(literal.data_),
        literal.size_bytes());
  }

 private:
  Shape shape_;
  // Shared by copies, so that tuples and reshapes cost nothing; not owned by
  // any single Literal.
  std::shared_ptr<void> owner_;
  std::byte* data_ = nullptr;
  bool is_borrowed_ = false;
  bool is_elided_ = false;
  std::vector<Literal> elements_;
};

template <typename T>
absl::Span<const T> Literal::data() const {
  DCHECK(shape_.element_type() == ElementTypeOf<T>());
  // Not a braced list: a Span of bool would take that for two elements.
  return absl::Span<const T>(reinterpret_cast<const T*>(data_),
                             static_cast<size_t>(element_count()));
}

template <typename T>
absl::Span<T> Literal::mutable_data() {
  DCHECK(shape_.element_type() == ElementTypeOf<T>());
  return absl::Span<T>(reinterpret_cast<T*>(mutable_untyped_data()),
                       static_cast<size_t>(element_count()));
}

template <typename T>
Literal Literal::Array(absl::Span<const int64_t> dimensions,
                       absl::Span<const T> values) {
  Literal literal(Shape::Array(ElementTypeOf<T>(), dimensions));
  absl::Span<T> data = literal.mutable_data<T>();
  HILO_CHECK(data.size() == values.size());
  for (size_t i = 0; i < data.size(); ++i) data[i] = values[i];
  return literal;
}

}  // namespace hilo::hlo
