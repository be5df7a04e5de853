// Runs shape rules on instructions given as text.
#include "tests/hlo/ops/infer_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/ir/shape.h"
#include "hlo/ops/shape_inference.h"
#include "hlo/text/parser.h"

namespace hilo::hlo {

std::string InferText(absl::string_view text) {
  const auto module = Parse(text);
  if (!module.ok()) {
    return absl::StrCat("parse error: ", module.status().message());
  }
  const auto shape = InferShape(*(*module)->entry()->root());
  if (shape.ok()) return ToString(*shape, /*with_layout=*/false);
  return absl::StrCat("error: ", shape.status().message());
}

void CheckInference(const std::vector<InferenceRow>& rows) {
  for (const InferenceRow& row : rows) {
    CAPTURE(row.text);
    CHECK_THAT(InferText(row.text), Catch::Contains(row.expected));
  }
}

}  // namespace hilo::hlo
