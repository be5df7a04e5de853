// Evaluates bitcast and bitcast-convert.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Bits that an element takes where bits are reinterpreted: pred counts as 8.
int64_t WidthOf(ElementType type) {
  return type == ElementType::kPred ? 8 : InfoOf(type).bits;
}

// Whether every bit pattern of the stored bytes is an element.
bool IsPlain(ElementType type) {
  return type != ElementType::kPred && InfoOf(type).bits >= 8;
}

// The code of a narrow element, and back; pred is true for any other than 0.
template <typename T>
uint8_t CodeOf(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else {
    return value.bits();
  }
}
template <typename T>
T FromCode(uint8_t code) {
  if constexpr (std::is_same_v<T, bool>) {
    return code != 0;
  } else {
    return T::FromBits(code);
  }
}

// A stream of bits, low bits of a byte first, to which elements are added and
// from which they are taken in order.
class BitStream {
 public:
  explicit BitStream(int64_t bit_count) : bytes_((bit_count + 7) / 8) {}

  void Put(uint8_t code, int64_t bits) {
    for (int64_t i = 0; i < bits; ++i, ++position_) {
      bytes_[position_ / 8] |= ((code >> i) & 1) << (position_ % 8);
    }
  }
  uint8_t Get(int64_t bits) {
    int code = 0;
    for (int64_t i = 0; i < bits; ++i, ++position_) {
      code |= ((bytes_[position_ / 8] >> (position_ % 8)) & 1) << i;
    }
    return static_cast<uint8_t>(code);
  }
  void Rewind() { position_ = 0; }
  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  int64_t position_ = 0;
};

// The elements' bits one after the other, `width` for each.
BitStream ToBits(const std::byte* elements, ElementType type, int64_t count,
                 int64_t width) {
  BitStream stream(count * width);
  if (IsPlain(type)) {
    if (count > 0) {
      std::memcpy(stream.bytes().data(), elements, count * width / 8);
    }
    return stream;
  }
  DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (sizeof(T) == 1 && !std::is_integral_v<T>) {
      const T* values = reinterpret_cast<const T*>(elements);
      for (int64_t i = 0; i < count; ++i) stream.Put(CodeOf(values[i]), width);
    } else if constexpr (std::is_same_v<T, bool>) {
      const T* values = reinterpret_cast<const T*>(elements);
      for (int64_t i = 0; i < count; ++i) stream.Put(CodeOf(values[i]), width);
    }
  });
  return stream;
}

void FromBits(BitStream stream, ElementType type, int64_t count, int64_t width,
              std::byte* elements) {
  if (IsPlain(type)) {
    if (count > 0) {
      std::memcpy(elements, stream.bytes().data(), count * width / 8);
    }
    return;
  }
  stream.Rewind();
  DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr ((sizeof(T) == 1 && !std::is_integral_v<T>) ||
                  std::is_same_v<T, bool>) {
      T* values = reinterpret_cast<T*>(elements);
      for (int64_t i = 0; i < count; ++i) {
        values[i] = FromCode<T>(stream.Get(width));
      }
    }
  });
}

// Calls f(logical index, physical index) for every element of the array.
template <typename F>
void ForEachPlace(const Shape& shape, F&& f) {
  const Layout layout = shape.layout();
  const int64_t rank = shape.rank();
  // By dimension: how far apart neighbours lie in the buffer.
  std::vector<int64_t> strides(rank, 1);
  int64_t stride = 1;
  for (const int64_t dimension : layout.minor_to_major) {
    strides[dimension] = stride;
    stride *= shape.dimension(dimension);
  }
  std::vector<int64_t> index(rank, 0);
  const int64_t count = shape.ElementCount();
  int64_t physical = 0;
  for (int64_t logical = 0; logical < count; ++logical) {
    f(logical, physical);
    for (int64_t i = rank - 1; i >= 0; --i) {
      physical += strides[i];
      if (++index[i] < shape.dimension(i)) break;
      physical -= strides[i] * shape.dimension(i);
      index[i] = 0;
    }
  }
}

int64_t WidestOf(const Shape& shape) {
  return int64_t{8} * StorageBytes(shape.element_type());
}

bool IsRowMajor(const Shape& shape) {
  return shape.layout().minor_to_major ==
         DefaultLayout(shape.rank()).minor_to_major;
}

// The elements in the order of the buffer.
std::vector<std::byte> ToPhysicalOrder(const Literal& literal) {
  const int64_t bytes = StorageBytes(literal.shape().element_type());
  std::vector<std::byte> result(literal.size_bytes());
  ForEachPlace(literal.shape(), [&](int64_t logical, int64_t physical) {
    std::memcpy(result.data() + physical * bytes,
                literal.untyped_data() + logical * bytes, bytes);
  });
  return result;
}

Literal FromPhysicalOrder(const Shape& shape,
                          const std::vector<std::byte>& elements) {
  const int64_t bytes = StorageBytes(shape.element_type());
  Literal result(shape);
  std::byte* data = result.mutable_untyped_data();
  ForEachPlace(shape, [&](int64_t logical, int64_t physical) {
    std::memcpy(data + logical * bytes, elements.data() + physical * bytes,
                bytes);
  });
  return result;
}

}  // namespace

absl::StatusOr<Literal> EvaluateBitcastConvert(const Instruction& instruction,
                                               absl::Span<Literal> operands,
                                               EvaluationContext& /*context*/) {
  const Shape& shape = instruction.shape();
  const Shape& from = operands[0].shape();
  if (!shape.IsArray() || !from.IsArray()) {
    return InvalidArgument("not an operation on arrays");
  }
  const int64_t from_width = WidthOf(from.element_type());
  const int64_t width = WidthOf(shape.element_type());
  if (from.ElementCount() * from_width != shape.ElementCount() * width) {
    return InvalidArgument(ToString(from), " and ", ToString(shape),
                           " differ in size");
  }
  if (from_width == width && IsPlain(from.element_type()) &&
      IsPlain(shape.element_type())) {
    return std::move(operands[0]).WithShape(shape);
  }
  Literal result(shape);
  FromBits(ToBits(operands[0].untyped_data(), from.element_type(),
                  from.ElementCount(), from_width),
           shape.element_type(), shape.ElementCount(), width,
           result.mutable_untyped_data());
  return result;
}

absl::StatusOr<Literal> EvaluateBitcast(const Instruction& instruction,
                                        absl::Span<Literal> operands,
                                        EvaluationContext& /*context*/) {
  const Shape& shape = instruction.shape();
  // The layout of the operand's buffer is what its instruction declares.
  const Shape& from = instruction.operand_shape(0);
  if (!shape.IsArray() || !from.IsArray()) {
    if (Compatible(shape, from)) return std::move(operands[0]);
    return InvalidArgument("not an operation on arrays");
  }
  const int64_t from_width = from.BufferElementBits();
  const int64_t width = shape.BufferElementBits();
  if (from_width > WidestOf(from) || width > WidestOf(shape)) {
    return Unimplemented("elements padded to more than their size");
  }
  if (from.ElementCount() * from_width != shape.ElementCount() * width) {
    return InvalidArgument("buffers of ", ToString(from), " and ",
                           ToString(shape), " differ in size");
  }
  if (from.element_type() == shape.element_type() && IsRowMajor(from) &&
      IsRowMajor(shape)) {
    return std::move(operands[0]).WithShape(shape);
  }
  std::vector<std::byte> elements = ToPhysicalOrder(operands[0]);
  if (from.element_type() != shape.element_type()) {
    BitStream stream = ToBits(elements.data(), from.element_type(),
                              from.ElementCount(), from_width);
    elements.resize(shape.ByteSize());
    FromBits(std::move(stream), shape.element_type(), shape.ElementCount(),
             width, elements.data());
  }
  return FromPhysicalOrder(shape, elements);
}

}  // namespace hilo::hlo
