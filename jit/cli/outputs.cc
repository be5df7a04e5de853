// Formats results.
#include "jit/cli/outputs.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/printer.h"
#include "jit/array_conversion.h"
#include "jit/npy.h"
#include "jit/npz.h"
#include "runtime/base/numeric_types.h"
#include "runtime/base/status.h"

namespace hilo::cli {
namespace {

using hlo::Literal;

std::string FormatText(absl::Span<const Literal> results) {
  std::string text;
  for (const Literal& result : results) {
    absl::StrAppend(&text, hlo::ToString(result.shape(), /*with_layout=*/false),
                    " ", hlo::Print(result), "\n");
  }
  return text;
}

// JSON has no NaN and no infinity: those become strings.
template <typename T>
void AppendJsonElement(T value, std::string* text) {
  using Traits = NumericTraits<T>;
  if constexpr (Traits::is_complex) {
    absl::StrAppend(text, "[");
    AppendJsonElement(value.real(), text);
    absl::StrAppend(text, ", ");
    AppendJsonElement(value.imag(), text);
    absl::StrAppend(text, "]");
  } else if constexpr (Traits::is_float) {
    const bool is_finite = std::isfinite(static_cast<double>(value));
    absl::StrAppend(text, is_finite ? "" : "\"", FormatElement(value),
                    is_finite ? "" : "\"");
  } else {
    AppendElement(value, text);
  }
}

std::string FormatJson(absl::Span<const Literal> results) {
  std::string text = "[";
  for (size_t i = 0; i < results.size(); ++i) {
    const hlo::Shape& shape = results[i].shape();
    absl::StrAppend(&text, i == 0 ? "" : ",\n ", R"({"name": "output)", i,
                    R"(", "type": ")", hlo::TextOf(shape.element_type()),
                    R"(", "shape": [)", absl::StrJoin(shape.dimensions(), ", "),
                    "], \"data\": [");
    hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
      using T = decltype(tag)::type;
      bool is_first = true;
      for (const T& element : results[i].data<T>()) {
        if (!is_first) absl::StrAppend(&text, ", ");
        is_first = false;
        AppendJsonElement(element, &text);
      }
    });
    absl::StrAppend(&text, "]}");
  }
  absl::StrAppend(&text, "]\n");
  return text;
}

absl::StatusOr<std::string> FormatArchive(absl::Span<const Literal> results) {
  std::vector<NamedArray> arrays;
  arrays.reserve(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    arrays.emplace_back(absl::StrCat("output", i),
                        ArrayFromLiteral(results[i]));
  }
  return FormatNpz(arrays);
}

}  // namespace

std::vector<std::string> OutputFormats() {
  return {"text", "npy", "npz", "json"};
}

absl::StatusOr<std::string> FormatResults(absl::Span<const Literal> results,
                                          absl::string_view format) {
  if (format == "text") return FormatText(results);
  if (format == "json") return FormatJson(results);
  if (format == "npz") return FormatArchive(results);
  if (results.size() == 1) return FormatNpy(ArrayFromLiteral(results[0]));
  return InvalidArgument("an .npy file holds one array, the module returns ",
                         results.size(), "; use npz");
}

std::string FormatOfFile(absl::string_view path) {
  for (std::string& format : OutputFormats()) {
    if (absl::EndsWith(path, absl::StrCat(".", format))) {
      return std::move(format);
    }
  }
  return "text";
}

}  // namespace hilo::cli
