// Builds, checks, compares and prints shapes.
#include "hlo/ir/shape.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/layout.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Adds the bytes of `shape` to `*total`; false when they do not fit.
bool AddByteSize(const Shape& shape, int64_t* total) {
  if (shape.IsTuple() || shape.IsBuffer()) {
    return std::all_of(shape.elements().begin(), shape.elements().end(),
                       [&](const Shape& e) { return AddByteSize(e, total); });
  }
  if (!shape.IsArray()) return true;
  int64_t bytes = StorageBytes(shape.element_type());
  bool overflow = false;
  bool empty = false;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.IsUnboundedDimension(i)) continue;
    if (shape.dimension(i) == 0) empty = true;
  }
  for (int64_t i = 0; i < shape.rank() && !empty; ++i) {
    if (shape.IsUnboundedDimension(i)) continue;
    overflow |= __builtin_mul_overflow(bytes, shape.dimension(i), &bytes);
  }
  if (empty) bytes = 0;
  overflow |= __builtin_add_overflow(*total, bytes, total);
  return !overflow;
}

absl::Status ValidateArray(const Shape& shape) {
  if (shape.rank() > Shape::kMaxRank) {
    return InvalidArgument("rank ", shape.rank(), " exceeds the limit of ",
                           Shape::kMaxRank);
  }
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.dimension(i) < 0 && !shape.IsUnboundedDimension(i)) {
      return InvalidArgument("dimension ", i,
                             " is negative: ", shape.dimension(i));
    }
  }
  if (!shape.HasDefaultLayout() &&
      !IsPermutation(shape.layout().minor_to_major, shape.rank())) {
    return InvalidArgument("layout ", ToString(shape.layout()),
                           " is not a permutation of the ", shape.rank(),
                           " dimensions");
  }
  return absl::OkStatus();
}

absl::Status ValidateNode(const Shape& shape) {
  if (shape.IsArray()) return ValidateArray(shape);
  for (const Shape& element : shape.elements()) {
    RETURN_IF_ERROR(ValidateNode(element));
  }
  return absl::OkStatus();
}

void AppendLeaves(const Shape& shape, std::vector<const Shape*>* leaves) {
  if (!shape.IsTuple()) {
    leaves->push_back(&shape);
    return;
  }
  for (const Shape& element : shape.elements()) AppendLeaves(element, leaves);
}

template <typename LeafEqual>
bool CompatibleIf(const Shape& a, const Shape& b, LeafEqual equal) {
  if (a.IsArray() && b.IsArray()) {
    return equal(a.element_type(), b.element_type()) && SameDimensions(a, b);
  }
  if (a.element_type() != b.element_type()) return false;
  if (a.element_count() != b.element_count()) return false;
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (!CompatibleIf(a.element(i), b.element(i), equal)) return false;
  }
  return true;
}

void AppendArray(const Shape& shape, bool with_layout, std::string* out) {
  absl::StrAppend(out, TextOf(shape.element_type()), "[");
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) out->push_back(',');
    if (shape.IsUnboundedDimension(i)) {
      out->push_back('?');
      continue;
    }
    // Messages about shapes of too high a rank print them.
    if (i < Shape::kMaxRank && shape.IsDynamicDimension(i)) out->append("<=");
    absl::StrAppend(out, shape.dimension(i));
  }
  out->push_back(']');
  if (!with_layout) return;
  if (!shape.HasDefaultLayout()) {
    out->append(ToString(shape.layout()));
    return;
  }
  for (int64_t i = shape.rank() - 1; i >= 0; --i) {
    out->push_back(i == shape.rank() - 1 ? '{' : ',');
    absl::StrAppend(out, i);
  }
  if (shape.rank() > 0) out->push_back('}');
}

}  // namespace

Shape Shape::Array(ElementType type, absl::Span<const int64_t> dimensions) {
  CHECK(IsArrayType(type)) << TextOf(type);
  Shape shape = Leaf(type);
  shape.dimensions_.assign(dimensions.begin(), dimensions.end());
  for (int64_t i = 0; i < std::min(shape.rank(), kMaxRank); ++i) {
    if (shape.IsUnboundedDimension(i)) shape.set_dynamic_dimension(i, true);
  }
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.elements_ = std::move(elements);
  return shape;
}

Shape Shape::Buffer(Shape array) {
  Shape shape = Leaf(ElementType::kBuffer);
  shape.elements_.push_back(std::move(array));
  return shape;
}

bool Shape::IsDynamic() const {
  if (dynamic_dimensions_ != 0) return true;
  return std::ranges::any_of(elements_,
                             [](const Shape& e) { return e.IsDynamic(); });
}

void Shape::set_dynamic_dimension(int64_t i, bool dynamic) {
  // A shape of too high a rank is not valid, whatever its dimensions are.
  if (i >= kMaxRank) return;
  const uint64_t bit = uint64_t{1} << i;
  dynamic_dimensions_ =
      dynamic ? dynamic_dimensions_ | bit : dynamic_dimensions_ & ~bit;
}

int64_t Shape::ElementCount() const {
  int64_t count = 1;
  for (const int64_t size : dimensions_) count *= size;
  return count;
}

int64_t Shape::ByteSize() const {
  int64_t total = 0;
  AddByteSize(*this, &total);
  return total;
}

void Shape::set_layout(Layout layout) {
  if (layout.properties && *layout.properties == LayoutProperties()) {
    layout.properties = {};
  }
  if (layout == DefaultLayout(rank())) {
    layout_ = {};
  } else {
    layout_ = std::move(layout);
  }
}

int64_t Shape::BufferElementBits() const {
  if (layout_ && layout_->properties &&
      layout_->properties->element_size_bits != 0) {
    return layout_->properties->element_size_bits;
  }
  return int64_t{8} * StorageBytes(element_type_);
}

const Shape* Shape::At(absl::Span<const int64_t> index) const {
  const Shape* shape = this;
  for (const int64_t i : index) {
    if (!shape->IsTuple() || i < 0 || i >= shape->element_count()) {
      return nullptr;
    }
    shape = &shape->elements_[i];
  }
  return shape;
}

std::vector<const Shape*> Shape::Leaves() const {
  std::vector<const Shape*> leaves;
  AppendLeaves(*this, &leaves);
  return leaves;
}

bool SameDimensions(const Shape& a, const Shape& b) {
  return a.dimensions() == b.dimensions();
}

bool Compatible(const Shape& a, const Shape& b) {
  return CompatibleIf(a, b,
                      [](ElementType x, ElementType y) { return x == y; });
}

bool CompatibleIgnoringFloatPrecision(const Shape& a, const Shape& b) {
  return CompatibleIf(a, b, [](ElementType x, ElementType y) {
    return x == y || (IsFloat(x) && IsFloat(y));
  });
}

Shape WithoutLayout(const Shape& shape) {
  Shape result = shape;
  result.ClearLayout();
  for (Shape& element : result.mutable_elements()) {
    element = WithoutLayout(element);
  }
  return result;
}

Shape WithElementType(const Shape& shape, ElementType type) {
  Shape result = shape;
  result.set_element_type(type);
  return result;
}

absl::Status ValidateShape(const Shape& shape) {
  RETURN_IF_ERROR(ValidateNode(shape));
  int64_t total = 0;
  if (!AddByteSize(shape, &total)) {
    return InvalidArgument("shape ", ToString(shape, /*with_layout=*/false),
                           " has more than 2^63-1 bytes");
  }
  return absl::OkStatus();
}

void AppendTo(const Shape& shape, bool with_layout, bool index_comments,
              std::string* out) {
  if (shape.IsArray()) {
    AppendArray(shape, with_layout, out);
    return;
  }
  if (shape.IsToken() || shape.IsOpaque()) {
    absl::StrAppend(out, TextOf(shape.element_type()), "[]");
    return;
  }
  if (shape.IsBuffer()) out->push_back('b');
  out->push_back('(');
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    if (i > 0) out->append(", ");
    if (index_comments && i > 0 && i % 5 == 0 && shape.element_count() > 5) {
      absl::StrAppend(out, "/*index=", i, "*/");
    }
    AppendTo(shape.element(i), with_layout, index_comments, out);
  }
  out->push_back(')');
}

std::string ToString(const Shape& shape, bool with_layout,
                     bool index_comments) {
  std::string out;
  AppendTo(shape, with_layout, index_comments, &out);
  return out;
}

}  // namespace hilo::hlo
