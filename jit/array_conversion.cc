// Which numpy type stands for which element type, and checks of codes.
#include "jit/array_conversion.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "jit/npy.h"
#include "runtime/base/status.h"

namespace hilo {
namespace {

using hlo::ElementClass;
using hlo::ElementType;
using hlo::Literal;
using hlo::Shape;

// Whether numpy itself has the type.
bool IsNumpyType(ElementType type) {
  const hlo::ElementTypeInfo& info = hlo::InfoOf(type);
  if (type == ElementType::kBF16) return false;
  if (info.element_class == ElementClass::kPredicate) return true;
  const int min_bits = info.element_class == ElementClass::kFloat ? 16 : 8;
  return info.bits >= min_bits;
}

char KindOf(ElementType type) {
  switch (hlo::InfoOf(type).element_class) {
    case ElementClass::kPredicate:
      return 'b';
    case ElementClass::kSigned:
      return 'i';
    case ElementClass::kUnsigned:
      return 'u';
    case ElementClass::kFloat:
      return IsNumpyType(type) ? 'f' : 'u';
    case ElementClass::kComplex:
      return 'c';
    case ElementClass::kNoArray:
      return 'V';
  }
  return 'V';
}

NpyArray EmptyArray(const Shape& shape) {
  NpyArray array;
  array.kind = KindOf(shape.element_type());
  array.element_bytes = hlo::StorageBytes(shape.element_type());
  array.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  return array;
}

// Whether each byte is a value of T as its C++ type keeps it; makes it so
// where numpy allows more (any non-zero byte is true).
template <typename T>
bool MakeCanonical(absl::Span<T> elements) {
  if constexpr (std::is_same_v<T, bool>) {
    auto* bytes = reinterpret_cast<uint8_t*>(elements.data());
    for (size_t i = 0; i < elements.size(); ++i) bytes[i] = bytes[i] != 0;
  } else if constexpr (sizeof(T) == 1 && !std::is_integral_v<T>) {
    if constexpr (T::kBits == 8) return true;
    for (T& element : elements) {
      const auto byte = std::bit_cast<uint8_t>(element);
      const T canonical = T::FromBits(byte & ((1U << T::kBits) - 1));
      if (std::bit_cast<uint8_t>(canonical) != byte) return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<Literal> LiteralFromArray(const NpyArray& array,
                                         const Shape& shape,
                                         absl::string_view subject) {
  const ElementType type = shape.element_type();
  const NpyArray wanted = EmptyArray(shape);
  const bool is_raw = array.kind == 'V' && !IsNumpyType(type);
  const bool has_type = (array.kind == wanted.kind || is_raw) &&
                        array.element_bytes == wanted.element_bytes;
  if (!has_type || array.dimensions != wanted.dimensions) {
    return InvalidArgument(
        subject, " needs ", hlo::ToString(shape, /*with_layout=*/false),
        " (numpy ", DescriptionOf(wanted), "), got ", DescriptionOf(array));
  }
  Literal literal(hlo::WithoutLayout(shape));
  if (!array.bytes.empty()) {
    std::memcpy(literal.mutable_untyped_data(), array.bytes.data(),
                array.bytes.size());
  }
  const bool is_valid = hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    return MakeCanonical(literal.mutable_data<T>());
  });
  if (is_valid) return literal;
  return InvalidArgument(subject, " needs values of ", hlo::TextOf(type),
                         ", got some that do not fit into ",
                         hlo::InfoOf(type).bits, " bits");
}

NpyArray ArrayFromLiteral(const Literal& literal) {
  NpyArray array = EmptyArray(literal.shape());
  const auto* bytes = reinterpret_cast<const char*>(literal.untyped_data());
  array.bytes.assign(bytes, literal.size_bytes());
  return array;
}

}  // namespace hilo
