// How accurate products and functions are to be.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {

hlo::PrecisionList Converter::ReadPrecision(const Operation& operation,
                                            AttributeReader* reader) {
  hlo::PrecisionList precision;
  const Attribute* list = operation.attributes.Find("precision_config");
  if (list == nullptr) return precision;
  bool is_default = true;
  for (const Attribute& element : list->elements) {
    const std::optional<hlo::Precision> value =
        hlo::EnumFromText<hlo::Precision>(element.text);
    if (!value) {
      reader->Error(
          absl::StrCat("'precision_config' cannot be '", element.text, "'"));
      return {};
    }
    precision.push_back(*value);
    is_default = is_default && *value == hlo::Precision::kDefault;
  }
  return is_default ? hlo::PrecisionList() : precision;
}

void Converter::SetResultAccuracy(const Operation& operation,
                                  AttributeReader* reader,
                                  hlo::Instruction& instruction) {
  if (!reader->Has("result_accuracy")) return;
  AttributeReader accuracy = reader->Structure("result_accuracy");
  const std::string mode = accuracy.EnumText("mode");
  hlo::ResultAccuracy wanted;
  if (mode == "HIGHEST") {
    wanted.highest = true;
  } else if (mode == "TOLERANCE") {
    wanted.has_tolerance = true;
    wanted.atol = accuracy.Has("atol") ? accuracy.Float("atol") : 0;
    wanted.rtol = accuracy.Has("rtol") ? accuracy.Float("rtol") : 0;
    wanted.ulps = accuracy.Integer("ulps", 0);
  } else if (!mode.empty() && mode != "DEFAULT") {
    Error(operation.offset,
          absl::StrCat(operation.name, ": an accuracy cannot be '", mode, "'"));
    return;
  }
  instruction.set_result_accuracy(wanted);
}

}  // namespace hilo::stablehlo
