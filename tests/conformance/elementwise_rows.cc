// Uses of element-wise opcodes: those of the table, and those with attributes.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

// The rows HLO_UNARY and HLO_BINARY.
void AddTableRows(std::vector<Row>& rows) {
  for (int i = 0; i < hlo::kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (hlo::IsElementwiseUnary(opcode)) {
      rows.push_back(
          {opcode, {"$T[$S]"}, absl::StrCat(hlo::TextOf(opcode), "($0)")});
    } else if (hlo::IsElementwiseBinary(opcode)) {
      rows.push_back({opcode,
                      {"$T[$S]", "$T[$S]"},
                      absl::StrCat(hlo::TextOf(opcode), "($0, $1)")});
      // The angle of complex numbers cancels for unequal magnitudes.
      if (opcode != Opcode::kAtan2) continue;
      rows.back().types = hlo::kArrayTypes & ~hlo::kComplexTypes;
      rows.push_back({opcode,
                      {"$T[$S]:plain", "$T[$S]:plain"},
                      rows.back().body,
                      Tolerance::kExact,
                      hlo::kComplexTypes});
    }
  }
}

void AddConversions(std::vector<Row>& rows) {
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const auto type = static_cast<hlo::ElementType>(i);
    if (!hlo::IsArrayType(type)) continue;
    const absl::string_view text = hlo::TextOf(type);
    rows.push_back(
        {Opcode::kConvert, {"$T[$S]"}, absl::StrCat(text, "[$S] convert($0)")});
    if (hlo::IsSignedInteger(type)) {
      rows.push_back({Opcode::kStochasticConvert,
                      {"$T[$S]", "$R[$S]"},
                      absl::StrCat(text, "[$S] stochastic-convert($0, $1)")});
    }
  }
}

}  // namespace

std::vector<Row> ElementwiseRows() {
  std::vector<Row> rows = {
      {Opcode::kClamp, {"$T[$S]", "$T[$S]", "$T[$S]"}, "clamp($0, $1, $2)"},
      {Opcode::kClamp, {"$T[]", "$T[$S]", "$T[]"}, "clamp($0, $1, $2)"},
      {Opcode::kComplex, {"$T[$S]", "$T[$S]"}, "complex($0, $1)"},
      {Opcode::kSelect, {"pred[$S]", "$T[$S]", "$T[$S]"}, "select($0, $1, $2)"},
      {Opcode::kSelect, {"pred[]", "$T[$S]", "$T[$S]"}, "select($0, $1, $2)"},
  };
  for (const char* direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
    const std::string call =
        absl::StrCat("compare($0, $1), direction=", direction);
    rows.push_back({Opcode::kCompare, {"$T[$S]", "$T[$S]"}, call});
    rows.push_back({Opcode::kCompare,
                    {"$T[$S]", "$T[$S]"},
                    absl::StrCat(call, ", type=TOTALORDER")});
  }
  for (const char* bits :
       {"exponent_bits=5, mantissa_bits=2", "exponent_bits=8, mantissa_bits=7",
        "exponent_bits=3, mantissa_bits=0"}) {
    rows.push_back({Opcode::kReducePrecision,
                    {"$T[$S]"},
                    absl::StrCat("$T[$S] reduce-precision($0), ", bits)});
  }
  AddTableRows(rows);
  AddConversions(rows);
  return rows;
}

}  // namespace hilo::tests
