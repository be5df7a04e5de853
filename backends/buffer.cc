// Memory of buffers, and who may use it.
#include "backends/buffer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "backends/buffer_conversion.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"
#include "runtime/memory_pool.h"

namespace hilo::backends {
Buffer Buffer::Adopt(hlo::Shape shape, std::shared_ptr<std::byte> memory) {
  Buffer buffer;
  buffer.shape_ = std::move(shape);
  buffer.storage_ = std::make_shared<Storage>();
  buffer.storage_->memory = std::move(memory);
  return buffer;
}

absl::StatusOr<Buffer> Buffer::Allocate(hlo::Shape shape) {
  RETURN_IF_ERROR(CheckBufferShape(shape));
  const int64_t size_bytes = BufferBytes(shape);
  std::shared_ptr<std::byte> memory =
      runtime::MemoryPool::Shared().Allocate(size_bytes);
  if (memory == nullptr) {
    return ResourceExhausted("no memory for a buffer of ", size_bytes,
                             " bytes (", hlo::ToString(shape), ")");
  }
  return Adopt(std::move(shape), std::move(memory));
}

absl::StatusOr<Buffer> Buffer::View(hlo::Shape shape, const void* elements) {
  RETURN_IF_ERROR(CheckBufferShape(shape));
  static std::byte empty{};
  auto* data = const_cast<std::byte*>(static_cast<const std::byte*>(elements));
  if (data == nullptr) {
    if (BufferBytes(shape) > 0) {
      return InvalidArgument("a view of ", hlo::ToString(shape),
                             " needs elements, the pointer is null");
    }
    data = &empty;
  }
  // Not owned: the deleter does nothing.
  Buffer buffer = Adopt(std::move(shape),
                        std::shared_ptr<std::byte>(data, [](std::byte*) {}));
  buffer.storage_->is_view = true;
  return buffer;
}

absl::StatusOr<Buffer> Buffer::FromLiteral(hlo::Literal literal) {
  const hlo::Shape shape = literal.shape();
  RETURN_IF_ERROR(CheckBufferShape(shape));
  if (HasLiteralForm(shape)) {
    // Shared, because the buffer's memory outlives this function: the memory
    // lives as long as its literal.
    auto owner = std::make_shared<hlo::Literal>(std::move(literal));
    std::byte* data = owner->mutable_untyped_data();
    return Adopt(shape, std::shared_ptr<std::byte>(std::move(owner), data));
  }
  ASSIGN_OR_RETURN(Buffer buffer, Allocate(shape));
  EncodeElements(literal, shape, buffer.storage_->memory.get());
  return buffer;
}

absl::StatusOr<hlo::Literal> Buffer::ToLiteral() const {
  RETURN_IF_ERROR(CheckValid());
  const std::shared_ptr<std::byte> memory = Pin();
  if (memory == nullptr) return CheckValid();
  hlo::Literal literal(shape_);
  DecodeElements(memory.get(), shape_, literal);
  Unpin();
  return literal;
}

absl::Status Buffer::CheckValid() const {
  if (storage_ == nullptr) {
    return absl::FailedPreconditionError(
        "the buffer is empty: it was moved from or never set");
  }
  const std::scoped_lock lock(storage_->mutex);
  if (storage_->memory != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the buffer (", hlo::ToString(shape_),
      ") was donated to a program and has no value any more; pass it without "
      "Donate() to keep it"));
}

const std::byte* Buffer::data() const {
  if (storage_ == nullptr) return nullptr;
  const std::scoped_lock lock(storage_->mutex);
  return storage_->memory.get();
}

int64_t Buffer::size_bytes() const {
  return storage_ == nullptr ? 0 : BufferBytes(shape_);
}

bool Buffer::IsSoleHandle() const {
  // Copying before counting orders this after the last use of a handle that
  // another thread has dropped.
  const std::shared_ptr<Storage> probe = storage_;
  return probe != nullptr && probe.use_count() == 2;
}

std::shared_ptr<std::byte> Buffer::Pin() const {
  if (storage_ == nullptr) return nullptr;
  const std::scoped_lock lock(storage_->mutex);
  if (storage_->memory != nullptr) ++storage_->pin_count;
  return storage_->memory;
}

void Buffer::Unpin() const {
  const std::scoped_lock lock(storage_->mutex);
  --storage_->pin_count;
}

Buffer::Donation Buffer::Consume() const {
  if (storage_ == nullptr) return {};
  const std::scoped_lock lock(storage_->mutex);
  const bool is_exclusive = !storage_->is_view && storage_->pin_count == 0;
  return {.memory = std::exchange(storage_->memory, nullptr),
          .is_exclusive = is_exclusive};
}

}  // namespace hilo::backends
