// The type of a value: an array's element type, dimensions and layout, or a
// tuple, token, opaque value or buffer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/layout.h"
#include "runtime/base/box.h"

namespace hilo::hlo {

// A path into a nested tuple: {} is the whole value.
using ShapeIndex = DimensionVector;

// A value type with cheap copies for arrays of rank <= 4.
//
// Shapes that enter a module satisfy ValidateShape: the functions that count
// elements and bytes rely on it.
class Shape {
 public:
  static constexpr int64_t kMaxRank = 64;
  // The size of an unbounded dynamic dimension, printed "?".
  static constexpr int64_t kUnboundedSize = std::numeric_limits<int64_t>::min();

  // The empty tuple.
  Shape() = default;

  static Shape Array(ElementType type, absl::Span<const int64_t> dimensions);
  static Shape Array(ElementType type,
                     std::initializer_list<int64_t> dimensions) {
    return Array(
        type, absl::Span<const int64_t>(dimensions.begin(), dimensions.size()));
  }
  static Shape Scalar(ElementType type) { return Array(type, {}); }
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token() { return Leaf(ElementType::kToken); }
  static Shape Opaque() { return Leaf(ElementType::kOpaque); }
  // A buffer that holds one array.
  static Shape Buffer(Shape array);

  ElementType element_type() const { return element_type_; }
  bool IsArray() const { return IsArrayType(element_type_); }
  bool IsTuple() const { return element_type_ == ElementType::kTuple; }
  bool IsToken() const { return element_type_ == ElementType::kToken; }
  bool IsOpaque() const { return element_type_ == ElementType::kOpaque; }
  bool IsBuffer() const { return element_type_ == ElementType::kBuffer; }
  bool IsScalar() const { return IsArray() && dimensions_.empty(); }

  // Arrays: dimensions. A bounded dynamic dimension has its bound here.
  int64_t rank() const { return static_cast<int64_t>(dimensions_.size()); }
  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  int64_t dimension(int64_t i) const { return dimensions_[i]; }
  void set_dimension(int64_t i, int64_t size) { dimensions_[i] = size; }
  void set_element_type(ElementType type) { element_type_ = type; }

  bool IsDynamicDimension(int64_t i) const {
    return ((dynamic_dimensions_ >> i) & 1) != 0;
  }
  bool IsUnboundedDimension(int64_t i) const {
    return dimensions_[i] == kUnboundedSize;
  }
  bool IsDynamic() const;  // also inside tuples
  void set_dynamic_dimension(int64_t i, bool dynamic);

  // The product of the dimensions; 1 for scalars. Arrays only.
  int64_t ElementCount() const;
  // Bytes of the elements as a Literal stores them; tuples are summed.
  int64_t ByteSize() const;

  // Arrays: the layout; a default one is not stored.
  bool HasDefaultLayout() const { return !layout_; }
  Layout layout() const { return layout_ ? *layout_ : DefaultLayout(rank()); }
  void set_layout(Layout layout);
  void ClearLayout() { layout_ = {}; }
  // Bits that one element takes in a buffer: 4 for "s4[8]{0:E(4)}".
  int64_t BufferElementBits() const;

  // Tuples: the elements. Buffers: the one array inside.
  const std::vector<Shape>& elements() const { return elements_; }
  std::vector<Shape>& mutable_elements() { return elements_; }
  const Shape& element(int64_t i) const { return elements_[i]; }
  int64_t element_count() const {
    return static_cast<int64_t>(elements_.size());
  }

  // The sub-shape at `index`; null when there is none.
  const Shape* At(absl::Span<const int64_t> index) const;
  // All leaves (non-tuples) in pre-order.
  std::vector<const Shape*> Leaves() const;

  friend bool operator==(const Shape& a, const Shape& b) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Shape& s) {
    h = H::combine(std::move(h), s.element_type_, s.dimensions_,
                   s.dynamic_dimensions_, s.elements_);
    if (s.layout_) h = H::combine(std::move(h), *s.layout_);
    return h;
  }

 private:
  static Shape Leaf(ElementType type) {
    Shape shape;
    shape.element_type_ = type;
    return shape;
  }

  ElementType element_type_ = ElementType::kTuple;
  DimensionVector dimensions_;
  uint64_t dynamic_dimensions_ = 0;
  Box<Layout> layout_;
  std::vector<Shape> elements_;
};

// Same types and dimensions; layouts and dynamic flags do not matter.
bool Compatible(const Shape& a, const Shape& b);
// Compatible, except that one float type may stand for another.
bool CompatibleIgnoringFloatPrecision(const Shape& a, const Shape& b);
bool SameDimensions(const Shape& a, const Shape& b);
// The same shape without any layout.
Shape WithoutLayout(const Shape& shape);
// The same array shape with another element type (layout kept).
Shape WithElementType(const Shape& shape, ElementType type);

// Errors: a rank above kMaxRank, a negative dimension, a layout that is not a
// permutation, elements or bytes that do not fit in 63 bits (also in sum).
absl::Status ValidateShape(const Shape& shape);

// "f32[2,3]{1,0}"; with_layout = false: "f32[2,3]". `index_comments` puts
// "/*index=5*/" before every fifth element of long tuples, as XLA does.
std::string ToString(const Shape& shape, bool with_layout = true,
                     bool index_comments = false);
void AppendTo(const Shape& shape, bool with_layout, bool index_comments,
              std::string* out);

}  // namespace hilo::hlo
