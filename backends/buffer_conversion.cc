// Permutes and packs elements.
#include "backends/buffer_conversion.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Literal;
using hlo::Shape;

constexpr int kBitsPerByte = 8;

int64_t NaturalBits(ElementType type) {
  return int64_t{kBitsPerByte} * hlo::StorageBytes(type);
}

bool IsPacked(const Shape& shape) {
  return shape.BufferElementBits() < kBitsPerByte;
}

bool IsSubByte(ElementType type) {
  return type != ElementType::kPred && hlo::InfoOf(type).bits < kBitsPerByte;
}

// Whether elements come in row-major order; dimensions of size 1 play no part.
bool IsRowMajor(const Shape& shape) {
  if (shape.HasDefaultLayout()) return true;
  const hlo::Layout layout = shape.layout();
  int64_t last = shape.rank();
  for (const int64_t dimension : layout.minor_to_major) {
    if (shape.dimension(dimension) == 1) continue;
    if (dimension > last) return false;
    last = dimension;
  }
  return true;
}

// Distance in elements of the buffer between neighbours in each dimension.
DimensionVector PhysicalStrides(const Shape& shape) {
  DimensionVector strides(shape.rank(), 1);
  int64_t stride = 1;
  const hlo::Layout layout = shape.layout();
  for (const int64_t dimension : layout.minor_to_major) {
    strides[dimension] = stride;
    stride *= shape.dimension(dimension);
  }
  return strides;
}

// Calls visit(logical index, physical index, stride, count) for each run along
// the last dimension.
template <typename Visit>
void VisitRuns(const Shape& shape, Visit visit) {
  const int64_t count = shape.ElementCount();
  if (count == 0) return;
  if (shape.rank() == 0) {
    visit(0, 0, 1, 1);
    return;
  }
  const DimensionVector strides = PhysicalStrides(shape);
  const int64_t last = shape.rank() - 1;
  const int64_t run = shape.dimension(last);
  DimensionVector index(shape.rank(), 0);
  int64_t physical = 0;
  for (int64_t logical = 0; logical < count; logical += run) {
    visit(logical, physical, strides[last], run);
    for (int64_t d = last - 1; d >= 0; --d) {
      physical += strides[d];
      if (++index[d] < shape.dimension(d)) break;
      physical -= strides[d] * shape.dimension(d);
      index[d] = 0;
    }
  }
}

enum class Direction : uint8_t { kToPhysical, kToLogical };

template <typename Word>
void PermuteWords(const Shape& shape, Direction direction, const Word* from,
                  Word* to) {
  VisitRuns(shape, [&](int64_t logical, int64_t physical, int64_t stride,
                       int64_t count) {
    if (direction == Direction::kToLogical) {
      for (int64_t i = 0; i < count; ++i) {
        to[logical + i] = from[physical + i * stride];
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        to[physical + i * stride] = from[logical + i];
      }
    }
  });
}

struct Word16 {
  std::array<uint64_t, 2> parts;
};

// Moves elements of StorageBytes each into the other order.
void Permute(const Shape& shape, Direction direction, const std::byte* from,
             std::byte* to) {
  const auto permute = [&]<typename Word>(Word*) {
    PermuteWords(shape, direction, reinterpret_cast<const Word*>(from),
                 reinterpret_cast<Word*>(to));
  };
  if (IsRowMajor(shape)) {
    const int64_t size = shape.ByteSize();
    if (size > 0) std::memcpy(to, from, size);
    return;
  }
  switch (hlo::StorageBytes(shape.element_type())) {
    case 1:
      permute(static_cast<uint8_t*>(nullptr));
      break;
    case 2:
      permute(static_cast<uint16_t*>(nullptr));
      break;
    case 4:
      permute(static_cast<uint32_t*>(nullptr));
      break;
    case 8:
      permute(static_cast<uint64_t*>(nullptr));
      break;
    case 16:
      permute(static_cast<Word16*>(nullptr));
      break;
    default:
      CHECK(false) << "no element has the size of those of "
                   << hlo::ToString(shape);
  }
}

// Packs one element a byte into `bits` each, low bits first.
void Pack(const std::byte* from, int64_t count, int64_t bits, std::byte* to) {
  const int64_t per_byte = kBitsPerByte / bits;
  const unsigned mask = (1U << bits) - 1;
  for (int64_t i = 0; i < count; i += per_byte) {
    unsigned packed = 0;
    for (int64_t j = 0; j < per_byte && i + j < count; ++j) {
      packed |= (std::to_integer<unsigned>(from[i + j]) & mask) << (j * bits);
    }
    to[i / per_byte] = static_cast<std::byte>(packed);
  }
}

void Unpack(const std::byte* from, int64_t count, int64_t bits, std::byte* to) {
  const int64_t per_byte = kBitsPerByte / bits;
  const unsigned mask = (1U << bits) - 1;
  for (int64_t i = 0; i < count; ++i) {
    const auto packed = std::to_integer<unsigned>(from[i / per_byte]);
    to[i] = static_cast<std::byte>((packed >> (i % per_byte * bits)) & mask);
  }
}

// Brings bytes that hold a code in their low bits into the form that the
// element type's C++ type keeps.
void MakeCanonical(ElementType type, int64_t count, std::byte* elements) {
  hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    for (int64_t i = 0; i < count; ++i) {
      const auto code = std::to_integer<uint8_t>(elements[i]);
      if constexpr (std::is_same_v<T, bool>) {
        elements[i] = static_cast<std::byte>(code != 0 ? 1 : 0);
      } else if constexpr (sizeof(T) == 1 && !std::is_integral_v<T>) {
        constexpr unsigned kMask = (1U << T::kBits) - 1;
        const T value = T::FromBits(static_cast<uint8_t>(code & kMask));
        std::memcpy(&elements[i], &value, 1);
      }
    }
  });
}

}  // namespace

absl::Status CheckBufferShape(const Shape& shape) {
  if (!shape.IsArray()) {
    return InvalidArgument("buffers hold arrays, not ", hlo::ToString(shape));
  }
  RETURN_IF_ERROR(hlo::ValidateShape(shape));
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.IsUnboundedDimension(i)) {
      return InvalidArgument("buffers need the size of dimension ", i, " of ",
                             hlo::ToString(shape));
    }
  }
  const int64_t bits = shape.BufferElementBits();
  if (bits == NaturalBits(shape.element_type())) return absl::OkStatus();
  const bool is_packed_size = bits == 1 || bits == 2 || bits == 4;
  if (!is_packed_size || bits < hlo::InfoOf(shape.element_type()).bits) {
    return Unimplemented("elements of ", bits, " bits for ",
                         hlo::ToString(shape));
  }
  return absl::OkStatus();
}

int64_t BufferBytes(const Shape& shape) {
  const int64_t count = shape.ElementCount();
  if (!IsPacked(shape)) return shape.ByteSize();
  const int64_t per_byte = kBitsPerByte / shape.BufferElementBits();
  return (count + per_byte - 1) / per_byte;
}

bool HasLiteralForm(const Shape& shape) {
  return !IsPacked(shape) && !IsSubByte(shape.element_type()) &&
         IsRowMajor(shape);
}

void EncodeElements(const Literal& literal, const Shape& shape,
                    std::byte* physical) {
  if (!IsPacked(shape)) {
    Permute(shape, Direction::kToPhysical, literal.untyped_data(), physical);
    return;
  }
  std::vector<std::byte> unpacked(shape.ElementCount());
  Permute(shape, Direction::kToPhysical, literal.untyped_data(),
          unpacked.data());
  Pack(unpacked.data(), shape.ElementCount(), shape.BufferElementBits(),
       physical);
}

void DecodeElements(const std::byte* physical, const Shape& shape,
                    Literal& literal) {
  std::byte* elements = literal.mutable_untyped_data();
  std::vector<std::byte> unpacked;
  if (IsPacked(shape)) {
    unpacked.resize(shape.ElementCount());
    Unpack(physical, shape.ElementCount(), shape.BufferElementBits(),
           unpacked.data());
    physical = unpacked.data();
  }
  Permute(shape, Direction::kToLogical, physical, elements);
  if (IsPacked(shape) || IsSubByte(shape.element_type())) {
    MakeCanonical(shape.element_type(), shape.ElementCount(), elements);
  }
}

}  // namespace hilo::backends
