// Texts of the enumerations of enums.def.
#include "hlo/ir/enums.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hilo::hlo {
namespace {

enum class Spelling : uint8_t { kExact, kAnyCase };

template <typename T>
struct EnumRow {
  T value;
  absl::string_view text;
};

template <typename T>
std::optional<T> Find(absl::Span<const EnumRow<T>> rows, Spelling spelling,
                      absl::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const EnumRow<T>& row : rows) {
    if (row.text == text) return row.value;
    if (spelling == Spelling::kAnyCase &&
        absl::EqualsIgnoreCase(row.text, text)) {
      return row.value;
    }
  }
  return std::nullopt;
}

template <typename T>
std::vector<absl::string_view> Texts(absl::Span<const EnumRow<T>> rows) {
  std::vector<absl::string_view> texts;
  for (const EnumRow<T>& row : rows) {
    if (!row.text.empty()) texts.push_back(row.text);
  }
  return texts;
}

#define HLO_ENUM_BEGIN(Type, spelling)                       \
  constexpr Spelling k##Type##Spelling = Spelling::spelling; \
  constexpr EnumRow<Type> k##Type##Rows[] = {
#define HLO_ENUM_VALUE(Type, Enumerator, text) {Type::k##Enumerator, text},
#define HLO_ENUM_END(Type) \
  }                        \
  ;
#include "hlo/ir/enums.def"
#undef HLO_ENUM_BEGIN
#undef HLO_ENUM_VALUE
#undef HLO_ENUM_END

}  // namespace

#define HLO_ENUM_BEGIN(Type, spelling)                             \
  absl::string_view TextOf(Type value) {                           \
    return k##Type##Rows[static_cast<size_t>(value)].text;         \
  }                                                                \
  template <>                                                      \
  std::optional<Type> EnumFromText<Type>(absl::string_view text) { \
    return Find<Type>(k##Type##Rows, k##Type##Spelling, text);     \
  }                                                                \
  template <>                                                      \
  std::vector<absl::string_view> EnumTexts<Type>() {               \
    return Texts<Type>(k##Type##Rows);                             \
  }
#define HLO_ENUM_VALUE(Type, Enumerator, text)
#define HLO_ENUM_END(Type)
#include "hlo/ir/enums.def"
#undef HLO_ENUM_BEGIN
#undef HLO_ENUM_VALUE
#undef HLO_ENUM_END

}  // namespace hilo::hlo
