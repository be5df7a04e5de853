// Reads the attributes of one operation as what HLO needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

// What is missing or of another kind is reported at the operation, once; the
// readers give defaults then.
class AttributeReader {
 public:
  // All outlive the reader. `attributes` is that of the operation or a
  // structure within.
  AttributeReader(const Operation& operation, const Attribute& attributes,
                  Diagnostics* diagnostics)
      : operation_(operation),
        attributes_(attributes),
        diagnostics_(diagnostics) {}

  bool ok() const { return ok_; }
  bool Has(absl::string_view key) const {
    return attributes_.Find(key) != nullptr;
  }

  // Without a default, the attribute must be there.
  int64_t Integer(absl::string_view key,
                  std::optional<int64_t> otherwise = std::nullopt);
  double Float(absl::string_view key);
  bool Bool(absl::string_view key, bool otherwise = false);
  std::string String(absl::string_view key, absl::string_view otherwise = "");
  // array<i64: 1, 2>, [1, 2], and dense<[1, 2]> of any shape, in order.
  hlo::DimensionVector Integers(absl::string_view key);
  // The same; none where the attribute is not there.
  hlo::DimensionVector IntegersOrNone(absl::string_view key);
  // One value for each of a window's dimensions; empty means `otherwise`.
  hlo::DimensionVector PerDimension(absl::string_view key, int64_t rank,
                                    int64_t otherwise);
  // The rows of a matrix: dense<[[0, 1], [2, -1]]>, or lists of integers.
  // Negative numbers fill rows up and are left out. None where the attribute is
  // not there.
  std::vector<hlo::DimensionVector> Rows(absl::string_view key);
  // A structure's reader; of no entries when it is not there.
  AttributeReader Structure(absl::string_view key);

  template <typename T>
  T Enum(absl::string_view key, T otherwise) {
    const std::string text = EnumText(key);
    if (text.empty()) return otherwise;
    const std::optional<T> value = hlo::EnumFromText<T>(text);
    if (value) return *value;
    Error(absl::StrCat("'", key, "' cannot be '", text, "'"));
    return otherwise;
  }
  // The word of an enumeration; "" when there is none.
  std::string EnumText(absl::string_view key);

  void Error(const std::string& message);

 private:
  const Attribute* Get(absl::string_view key, bool is_needed);
  void WrongKind(absl::string_view key, absl::string_view what);

  const Operation& operation_;
  const Attribute& attributes_;
  Diagnostics* diagnostics_;
  bool ok_ = true;
};

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]; nullopt when it is nothing like it.
std::optional<hlo::ConvolutionDimensionNumbers> ParseConvolutionLabels(
    absl::string_view text);

}  // namespace hilo::stablehlo
