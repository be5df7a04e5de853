// Quantized types: !quant.uniform<i8<-127:127>:f32:1, {0.1:0, 0.2:3}>.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/format_element.h"

namespace hilo::stablehlo {
namespace {

using hlo::ElementType;

// "i8" and "u8" of a quantized type.
bool ReadStorageType(absl::string_view word, ElementType* type) {
  constexpr std::array kTypes = {
      ElementType::kS2,  ElementType::kS4, ElementType::kS8, ElementType::kS16,
      ElementType::kS32, ElementType::kU2, ElementType::kU4, ElementType::kU8,
      ElementType::kU16, ElementType::kU32};
  const auto* const found =
      std::ranges::find_if(kTypes, [&](ElementType candidate) {
        const bool is_signed = hlo::IsSignedInteger(candidate);
        return word == absl::StrCat(is_signed ? "i" : "u",
                                    hlo::TextOf(candidate).substr(1));
      });
  if (found == kTypes.end()) return false;
  *type = *found;
  return true;
}

}  // namespace

std::string ToString(const Quantization& quantization) {
  std::string text =
      absl::StrCat(" quantized to ", hlo::TextOf(quantization.expressed), " ",
                   quantization.min, ":", quantization.max);
  if (quantization.dimension >= 0) {
    absl::StrAppend(&text, " along ", quantization.dimension);
  }
  for (size_t i = 0; i < quantization.scales.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? " {" : ", ",
                    FormatElement(quantization.scales[i]), ":",
                    quantization.zero_points[i]);
  }
  return absl::StrCat(text, "}");
}

// <i8:f32, 0.5:10>
bool Parser::ParseQuantizedType(Type* type) {
  if (!Expect('<')) return false;
  ElementType storage = ElementType::kS8;
  if (!ReadStorageType(token_.text, &storage)) {
    return Error(token_.offset,
                 absl::StrCat("quantized values are stored as i2 to i32 or u2 "
                              "to u32, not '",
                              token_.text, "'"));
  }
  Advance();
  Quantization quantization;
  Type expressed;
  if (!ParseStorageRange(storage, &quantization) || !Expect(':')) return false;
  const int64_t offset = token_.offset;
  if (!ParseType(&expressed)) return false;
  if (expressed.kind != TypeKind::kElement ||
      !hlo::IsFloat(expressed.shape.element_type())) {
    return Error(offset, absl::StrCat("quantized values stand for floats, not ",
                                      expressed.ToString()));
  }
  quantization.expressed = expressed.shape.element_type();
  if (Consume(':')) {
    if (token_.Is('{')) {
      return Error(token_.offset,
                   "scales per block, of several dimensions, are not "
                   "supported");
    }
    if (!ParseBareInteger(&quantization.dimension)) return false;
    if (quantization.dimension < 0) {
      return Error(offset, "a dimension is not negative");
    }
  }
  if (!Expect(',')) return false;
  const bool is_read =
      quantization.dimension < 0
          ? ParseScale(&quantization)
          : ParseList('{', '}', [&] { return ParseScale(&quantization); });
  if (!is_read || !Expect('>')) return false;
  *type = {.kind = TypeKind::kElement,
           .shape = hlo::Shape::Scalar(storage),
           .quantization = std::move(quantization)};
  return true;
}

// <-127:127>, or all that the type has.
bool Parser::ParseStorageRange(ElementType storage,
                               Quantization* quantization) {
  const int bits = hlo::InfoOf(storage).bits;
  const bool is_signed = hlo::IsSignedInteger(storage);
  const int64_t values = int64_t{1} << bits;
  const int64_t lowest = is_signed ? -values / 2 : 0;
  const int64_t highest = lowest + values - 1;
  quantization->min = lowest;
  quantization->max = highest;
  const int64_t offset = token_.offset;
  if (!Consume('<')) return true;
  if (!ParseBareInteger(&quantization->min) || !Expect(':') ||
      !ParseBareInteger(&quantization->max) || !Expect('>')) {
    return false;
  }
  if (lowest <= quantization->min && quantization->min < quantization->max &&
      quantization->max <= highest) {
    return true;
  }
  return Error(offset,
               absl::StrCat("the range is not within ", lowest, ":", highest));
}

// 0.5:10, or 0.5 where the zero point is 0.
bool Parser::ParseScale(Quantization* quantization) {
  Attribute scale;
  int64_t zero_point = 0;
  const int64_t offset = token_.offset;
  if (!ParseBareNumber(&scale) ||
      (Consume(':') && !ParseBareInteger(&zero_point))) {
    return false;
  }
  if (!(scale.number > 0) || !std::isfinite(scale.number)) {
    return Error(offset, "a scale is positive and finite");
  }
  if (zero_point < quantization->min || zero_point > quantization->max) {
    return Error(offset,
                 absl::StrCat("the zero point ", zero_point, " is not within ",
                              quantization->min, ":", quantization->max));
  }
  quantization->scales.push_back(scale.number);
  quantization->zero_points.push_back(zero_point);
  return true;
}

}  // namespace hilo::stablehlo
