// Storage of constant values.
#include "hlo/ir/literal.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/shape.h"
#include "runtime/base/check.h"

namespace hilo::hlo {
namespace {

constexpr size_t kAlignmentBytes = 64;

// Zeroed memory; large blocks come as untouched pages from calloc.
std::shared_ptr<void> AllocateZeros(size_t size_bytes) {
  constexpr size_t kLargeBytes = size_t{1} << 20;
  if (size_bytes >= kLargeBytes) {
    void* memory = std::calloc(size_bytes, 1);
    CHECK(memory != nullptr) << "out of memory for " << size_bytes << " bytes";
    return {memory, std::free};
  }
  const size_t rounded =
      (size_bytes + kAlignmentBytes) / kAlignmentBytes * kAlignmentBytes;
  void* memory = std::aligned_alloc(kAlignmentBytes, rounded);
  CHECK(memory != nullptr) << "out of memory for " << size_bytes << " bytes";
  std::memset(memory, 0, rounded);
  return {memory, std::free};
}

void AppendLeaves(const Literal& literal, std::vector<const Literal*>* leaves) {
  if (!literal.IsTuple()) {
    leaves->push_back(&literal);
    return;
  }
  for (const Literal& element : literal.elements()) {
    AppendLeaves(element, leaves);
  }
}

}  // namespace

Literal::Literal(Shape shape) : shape_(std::move(shape)) {
  if (shape_.IsArray()) {
    owner_ = AllocateZeros(shape_.ByteSize());
    data_ = static_cast<std::byte*>(owner_.get());
    return;
  }
  if (!shape_.IsTuple()) return;
  elements_.reserve(shape_.element_count());
  for (const Shape& element : shape_.elements())
    elements_.emplace_back(element);
}

Literal Literal::Borrow(Shape shape, const void* elements) {
  return Share(std::move(shape), nullptr, elements);
}

Literal Literal::Share(Shape shape, std::shared_ptr<const void> owner,
                       const void* elements) {
  Literal literal;
  literal.shape_ = std::move(shape);
  literal.owner_ = std::const_pointer_cast<void>(std::move(owner));
  literal.data_ =
      const_cast<std::byte*>(static_cast<const std::byte*>(elements));
  literal.is_borrowed_ = true;
  return literal;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Literal& element : elements) shapes.push_back(element.shape());
  Literal literal;
  literal.shape_ = Shape::Tuple(std::move(shapes));
  literal.elements_ = std::move(elements);
  return literal;
}

std::byte* Literal::mutable_untyped_data() {
  CHECK(shape_.IsArray()) << "only arrays have elements";
  if (!is_borrowed_ && IsUnique()) return data_;
  const size_t size = size_bytes();
  std::shared_ptr<void> copy = AllocateZeros(size);
  if (size > 0 && data_ != nullptr) std::memcpy(copy.get(), data_, size);
  owner_ = std::move(copy);
  data_ = static_cast<std::byte*>(owner_.get());
  is_borrowed_ = false;
  return data_;
}

std::vector<Literal> Literal::TakeElements() && {
  shape_.mutable_elements().clear();
  return std::exchange(elements_, {});
}

const Literal& Literal::At(absl::Span<const int64_t> index) const {
  const Literal* literal = this;
  for (const int64_t i : index) literal = &literal->elements_[i];
  return *literal;
}

std::vector<const Literal*> Literal::Leaves() const {
  std::vector<const Literal*> leaves;
  AppendLeaves(*this, &leaves);
  return leaves;
}

Literal Literal::WithShape(Shape shape) const& {
  return Literal(*this).WithShape(std::move(shape));
}

Literal Literal::WithShape(Shape shape) && {
  CHECK(shape.IsArray() && shape.ByteSize() == shape_.ByteSize())
      << "storage differs";
  Literal result = std::move(*this);
  result.shape_ = std::move(shape);
  return result;
}

bool operator==(const Literal& a, const Literal& b) {
  if (!(a.shape_ == b.shape_)) return false;
  if (!a.shape_.IsArray()) return a.elements_ == b.elements_;
  const size_t size = a.size_bytes();
  return size == 0 || std::memcmp(a.data_, b.data_, size) == 0;
}

}  // namespace hilo::hlo
