// The table of algorithms.
#include "hlo/stablehlo/dot_algorithm.h"

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

// The types that operands are rounded to, the type of the sums, and how many
// products of them make up one.
struct DotAlgorithmNumbers {
  absl::string_view operand_type;
  absl::string_view accumulation_type;
  int64_t primitive_operations = 1;
  bool allows_imprecise_accumulation = false;
};

struct DotAlgorithmRow {
  hlo::DotAlgorithm algorithm;
  DotAlgorithmNumbers numbers;
};

constexpr auto kDotAlgorithms = std::to_array<DotAlgorithmRow>({
    {hlo::DotAlgorithm::kAnyF8AnyF8F32, {"f8E5M2", "f32"}},
    {hlo::DotAlgorithm::kAnyF8AnyF8F32FastAccum, {"f8E5M2", "f32", 1, true}},
    {hlo::DotAlgorithm::kF16F16F16, {"f16", "f16"}},
    {hlo::DotAlgorithm::kF16F16F32, {"f16", "f32"}},
    {hlo::DotAlgorithm::kBF16BF16BF16, {"bf16", "bf16"}},
    {hlo::DotAlgorithm::kBF16BF16F32, {"bf16", "f32"}},
    {hlo::DotAlgorithm::kBF16BF16F32X3, {"bf16", "f32", 3}},
    {hlo::DotAlgorithm::kBF16BF16F32X6, {"bf16", "f32", 6}},
    {hlo::DotAlgorithm::kBF16BF16F32X9, {"bf16", "f32", 9}},
    {hlo::DotAlgorithm::kTF32TF32F32, {"tf32", "f32"}},
    {hlo::DotAlgorithm::kTF32TF32F32X3, {"tf32", "f32", 3}},
    {hlo::DotAlgorithm::kF32F32F32, {"f32", "f32"}},
    {hlo::DotAlgorithm::kF64F64F64, {"f64", "f64"}},
});

}  // namespace

std::string DotAlgorithmText(hlo::DotAlgorithm algorithm) {
  for (const auto& [row_algorithm, numbers] : kDotAlgorithms) {
    if (row_algorithm != algorithm) continue;
    return absl::StrCat(
        "lhs_precision_type = ", numbers.operand_type,
        ", rhs_precision_type = ", numbers.operand_type,
        ", accumulation_type = ", numbers.accumulation_type,
        ", lhs_component_count = 1, rhs_component_count = 1, "
        "num_primitive_operations = ",
        numbers.primitive_operations, ", allow_imprecise_accumulation = ",
        numbers.allows_imprecise_accumulation ? "true" : "false");
  }
  return "";
}

hlo::DotAlgorithm ReadDotAlgorithm(const Operation& operation,
                                   AttributeReader* reader) {
  const Attribute* algorithm = operation.attributes.Find("algorithm");
  if (algorithm == nullptr) return hlo::DotAlgorithm::kUnset;
  AttributeReader numbers = reader->Structure("algorithm");
  // Types of eight bits count as one.
  const auto has_type = [&](absl::string_view key, absl::string_view wanted) {
    const Attribute* type = algorithm->Find(key);
    if (type == nullptr) return false;
    const absl::string_view text =
        type->type.kind == TypeKind::kElement
            ? hlo::TextOf(type->type.shape.element_type())
            : absl::string_view(type->type.text);
    return absl::EqualsIgnoreCase(text, wanted) ||
           (absl::StartsWith(wanted, "f8") && absl::StartsWith(text, "f8"));
  };
  const bool is_single = numbers.Integer("lhs_component_count", 1) == 1 &&
                         numbers.Integer("rhs_component_count", 1) == 1;
  const int64_t count = numbers.Integer("num_primitive_operations", 1);
  const bool is_imprecise = numbers.Bool("allow_imprecise_accumulation");
  for (const auto& [row_algorithm, row] : kDotAlgorithms) {
    if (is_single && count == row.primitive_operations &&
        is_imprecise == row.allows_imprecise_accumulation &&
        has_type("lhs_precision_type", row.operand_type) &&
        has_type("rhs_precision_type", row.operand_type) &&
        has_type("accumulation_type", row.accumulation_type)) {
      return row_algorithm;
    }
  }
  reader->Error("'algorithm' is none of those that HLO has");
  return hlo::DotAlgorithm::kUnset;
}

}  // namespace hilo::stablehlo
