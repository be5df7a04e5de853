// Rows of products, windows, gathers, linear algebra, sorts and scans.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/dot_algorithm.h"
#include "hlo/stablehlo/print_table.h"
#include "hlo/stablehlo/print_values.h"
#include "runtime/base/status.h"

namespace hilo::stablehlo {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;

// A list of dimensions in a structure.
struct NamedList {
  absl::string_view key;
  absl::Span<const int64_t> values;
};

// "#stablehlo.gather<offset_dims = [1], ...>"; empty lists are left out.
std::string StructureText(absl::string_view name,
                          absl::Span<const NamedList> lists,
                          absl::string_view last) {
  std::vector<std::string> entries;
  for (const NamedList& list : lists) {
    if (list.values.empty()) continue;
    entries.push_back(
        absl::StrCat(list.key, " = ", IntegerListText(list.values)));
  }
  if (!last.empty()) entries.emplace_back(last);
  return absl::StrCat("#", name, "<", absl::StrJoin(entries, ", "), ">");
}

// Prefix and suffix stand around each: "DEFAULT", "#stablehlo<precision ...>".
std::string PrecisionText(const hlo::PrecisionList& precision,
                          absl::string_view prefix, absl::string_view suffix) {
  std::vector<std::string> words;
  for (const hlo::Precision value : precision) {
    words.push_back(
        absl::StrCat(prefix, absl::AsciiStrToUpper(TextOf(value)), suffix));
  }
  return absl::StrCat("[", absl::StrJoin(words, ", "), "]");
}

bool IsDefaultPrecision(const hlo::PrecisionList& precision) {
  return std::ranges::all_of(precision, [](hlo::Precision value) {
    return value == hlo::Precision::kDefault;
  });
}

absl::Status DescribeDot(const Instruction& instruction,
                         OperationDetails* details) {
  std::string& after = details->after;
  if (!instruction.lhs_batch_dims().empty()) {
    absl::StrAppend(&after, ", batching_dims = ",
                    IntegerListText(instruction.lhs_batch_dims()), " x ",
                    IntegerListText(instruction.rhs_batch_dims()));
  }
  absl::StrAppend(&after, ", contracting_dims = ",
                  IntegerListText(instruction.lhs_contracting_dims()), " x ",
                  IntegerListText(instruction.rhs_contracting_dims()));
  const hlo::PrecisionList& precision = instruction.operand_precision();
  const bool has_algorithm =
      instruction.dot_algorithm() != hlo::DotAlgorithm::kUnset;
  if (!precision.empty()) {
    absl::StrAppend(&after, ", precision = ", PrecisionText(precision, "", ""));
  }
  if (!has_algorithm) return absl::OkStatus();
  if (!IsDefaultPrecision(precision)) {
    return Unimplemented(
        "its dot_general takes a precision or an algorithm, not both");
  }
  absl::StrAppend(&after, ", algorithm = <",
                  DotAlgorithmText(instruction.dot_algorithm()), ">");
  return absl::OkStatus();
}

absl::Status DescribeRaggedDot(const Instruction& instruction,
                               OperationDetails* details) {
  const std::array<NamedList, 6> lists = {{
      {"lhs_batching_dimensions", instruction.lhs_batch_dims()},
      {"rhs_batching_dimensions", instruction.rhs_batch_dims()},
      {"lhs_contracting_dimensions", instruction.lhs_contracting_dims()},
      {"rhs_contracting_dimensions", instruction.rhs_contracting_dims()},
      {"lhs_ragged_dimensions", instruction.lhs_ragged_dims()},
      {"rhs_group_dimensions", instruction.rhs_group_dims()},
  }};
  details->Add("ragged_dot_dimension_numbers",
               StructureText("chlo.ragged_dot", lists, ""));
  const hlo::PrecisionList& precision = instruction.operand_precision();
  if (!precision.empty()) {
    details->Add("precision_config",
                 PrecisionText(precision, "#chlo<precision ", ">"));
  }
  return absl::OkStatus();
}

// "[b, 0, f]": what each dimension of one array is.
std::string LabelsText(int64_t first, absl::string_view first_label,
                       int64_t second, absl::string_view second_label,
                       const DimensionVector& spatial) {
  std::vector<std::string> labels(spatial.size() + 2);
  labels[static_cast<size_t>(first)] = std::string(first_label);
  labels[static_cast<size_t>(second)] = std::string(second_label);
  for (size_t i = 0; i < spatial.size(); ++i) {
    labels[static_cast<size_t>(spatial[i])] = absl::StrCat(i);
  }
  return absl::StrCat("[", absl::StrJoin(labels, ", "), "]");
}

// A number of each dimension of a window.
template <typename Member>
DimensionVector NumbersOf(const hlo::Window& window, Member member) {
  DimensionVector numbers;
  for (const hlo::WindowDimension& d : window.dimensions) {
    numbers.push_back(static_cast<int64_t>(d.*member));
  }
  return numbers;
}

// "[[0, 1], [2, 0]]".
std::string PaddingText(const hlo::Window& window) {
  std::vector<std::string> pairs;
  pairs.reserve(window.dimensions.size());
  for (const hlo::WindowDimension& d : window.dimensions) {
    pairs.push_back(
        absl::StrCat("[", d.padding_low, ", ", d.padding_high, "]"));
  }
  return absl::StrCat("[", absl::StrJoin(pairs, ", "), "]");
}

bool IsReversed(const hlo::Window& window) {
  return std::ranges::any_of(window.dimensions,
                             &hlo::WindowDimension::reversed);
}

bool IsDilated(const hlo::Window& window) {
  return std::ranges::any_of(
      window.dimensions, [](const hlo::WindowDimension& d) {
        return d.base_dilation != 1 || d.window_dilation != 1;
      });
}

std::string ConvolutionWindowText(const hlo::Window& window) {
  using Dimension = hlo::WindowDimension;
  std::vector<std::string> clauses;
  const auto add = [&](absl::string_view key, absl::string_view value) {
    clauses.push_back(absl::StrCat(key, " = ", value));
  };
  if (window.dimensions.empty()) return "{}";
  add("stride", IntegerListText(NumbersOf(window, &Dimension::stride)));
  add("pad", PaddingText(window));
  if (IsDilated(window)) {
    add("lhs_dilate",
        IntegerListText(NumbersOf(window, &Dimension::base_dilation)));
    add("rhs_dilate",
        IntegerListText(NumbersOf(window, &Dimension::window_dilation)));
  }
  if (IsReversed(window)) {
    std::vector<absl::string_view> words;
    words.reserve(window.dimensions.size());
    for (const Dimension& d : window.dimensions) {
      words.emplace_back(d.reversed ? "true" : "false");
    }
    add("reverse", absl::StrCat("[", absl::StrJoin(words, ", "), "]"));
  }
  return absl::StrCat("{", absl::StrJoin(clauses, ", "), "}");
}

absl::Status DescribeConvolution(const Instruction& instruction,
                                 OperationDetails* details) {
  const hlo::ConvolutionDimensionNumbers& n = instruction.dim_labels();
  if (instruction.has_sparsity_config() || instruction.operand_count() != 2) {
    return Unimplemented("it has no sparse convolutions");
  }
  if (!n.input_unknown.empty() || !n.kernel_unknown.empty() ||
      !n.output_unknown.empty()) {
    return Unimplemented("it has no dimensions that are ignored, '?'");
  }
  const hlo::ConvolutionKind kind = instruction.convolution_kind();
  if (kind == hlo::ConvolutionKind::kDataGradient ||
      kind == hlo::ConvolutionKind::kWeightGradient) {
    return Unimplemented("it has no convolution of the kind ", TextOf(kind));
  }
  details->has_parentheses = true;
  details->after = absl::StrCat(
      " dim_numbers = ",
      LabelsText(n.input_batch, "b", n.input_feature, "f", n.input_spatial),
      "x",
      LabelsText(n.kernel_input_feature, "i", n.kernel_output_feature, "o",
                 n.kernel_spatial),
      "->",
      LabelsText(n.output_batch, "b", n.output_feature, "f", n.output_spatial),
      ", window = ", ConvolutionWindowText(instruction.window()));
  details->Add("batch_group_count",
               IntegerText(instruction.batch_group_count()));
  details->Add("feature_group_count",
               IntegerText(instruction.feature_group_count()));
  const hlo::PrecisionList& precision = instruction.operand_precision();
  if (!precision.empty()) {
    details->Add("precision_config",
                 PrecisionText(precision, "#stablehlo<precision ", ">"));
  }
  return absl::OkStatus();
}

absl::Status DescribeGather(const Instruction& instruction,
                            OperationDetails* details) {
  const std::array<NamedList, 5> lists = {{
      {"offset_dims", instruction.offset_dims()},
      {"collapsed_slice_dims", instruction.collapsed_slice_dims()},
      {"operand_batching_dims", instruction.operand_batching_dims()},
      {"start_indices_batching_dims",
       instruction.start_indices_batching_dims()},
      {"start_index_map", instruction.start_index_map()},
  }};
  details->Add("dimension_numbers",
               StructureText("stablehlo.gather", lists,
                             absl::StrCat("index_vector_dim = ",
                                          instruction.index_vector_dim())));
  details->Add("indices_are_sorted",
               BoolText(instruction.indices_are_sorted()));
  details->Add("slice_sizes", IntegerArrayText(instruction.slice_sizes()));
  return absl::OkStatus();
}

absl::Status DescribeScatter(const Instruction& instruction,
                             OperationDetails* details) {
  const std::array<NamedList, 5> lists = {{
      {"update_window_dims", instruction.update_window_dims()},
      {"inserted_window_dims", instruction.inserted_window_dims()},
      {"input_batching_dims", instruction.input_batching_dims()},
      {"scatter_indices_batching_dims",
       instruction.scatter_indices_batching_dims()},
      {"scatter_dims_to_operand_dims",
       instruction.scatter_dims_to_operand_dims()},
  }};
  details->Add("scatter_dimension_numbers",
               StructureText("stablehlo.scatter", lists,
                             absl::StrCat("index_vector_dim = ",
                                          instruction.index_vector_dim())));
  details->Add("indices_are_sorted",
               BoolText(instruction.indices_are_sorted()));
  details->Add("unique_indices", BoolText(instruction.unique_indices()));
  return absl::OkStatus();
}

void AddWindow(const hlo::Window& window, OperationDetails* details) {
  using Dimension = hlo::WindowDimension;
  DimensionVector padding;
  for (const Dimension& d : window.dimensions) {
    padding.push_back(d.padding_low);
    padding.push_back(d.padding_high);
  }
  const auto rank = static_cast<int64_t>(window.dimensions.size());
  details->Add("padding", DenseText({rank, 2}, padding));
  details->Add("window_dimensions",
               IntegerArrayText(NumbersOf(window, &Dimension::size)));
  details->Add("window_strides",
               IntegerArrayText(NumbersOf(window, &Dimension::stride)));
}

absl::Status DescribeReduceWindow(const Instruction& instruction,
                                  OperationDetails* details) {
  using Dimension = hlo::WindowDimension;
  const hlo::Window& window = instruction.window();
  if (IsReversed(window)) {
    return Unimplemented("its reduce_window has no reversed windows");
  }
  AddWindow(window, details);
  if (!IsDilated(window)) return absl::OkStatus();
  details->Add("base_dilations",
               IntegerArrayText(NumbersOf(window, &Dimension::base_dilation)));
  details->Add("window_dilations", IntegerArrayText(NumbersOf(
                                       window, &Dimension::window_dilation)));
  return absl::OkStatus();
}

absl::Status DescribeSelectAndScatter(const Instruction& instruction,
                                      OperationDetails* details) {
  const hlo::Window& window = instruction.window();
  if (IsReversed(window) || IsDilated(window)) {
    return Unimplemented(
        "its select_and_scatter has no reversed and no dilated "
        "windows");
  }
  AddWindow(window, details);
  return absl::OkStatus();
}

absl::Status DescribeMap(const Instruction& instruction,
                         OperationDetails* details) {
  DimensionVector dimensions;
  for (int64_t d = 0; d < instruction.shape().rank(); ++d) {
    dimensions.push_back(d);
  }
  details->Add("dimensions", IntegerArrayText(dimensions));
  return absl::OkStatus();
}

absl::Status DescribeSort(const Instruction& instruction,
                          OperationDetails* details) {
  details->Add("dimension", IntegerText(instruction.dimensions()[0]));
  details->Add("is_stable", BoolText(instruction.is_stable()));
  return absl::OkStatus();
}

absl::Status DescribeScan(const Instruction& instruction,
                          OperationDetails* details) {
  const int64_t carries = instruction.num_carries();
  const auto segments = [&](int64_t count) {
    return absl::StrCat("array<i32: ", count - carries, ", ", carries, ">");
  };
  const hlo::Shape& shape = instruction.shape();
  details->Add("dimension", IntegerText(instruction.dimensions()[0]));
  details->Add("is_associative", BoolText(instruction.is_associative()));
  details->Add("is_reverse", BoolText(instruction.is_reverse()));
  details->Add("operandSegmentSizes", segments(instruction.operand_count()));
  details->Add("resultSegmentSizes",
               segments(shape.IsTuple() ? shape.element_count() : 1));
  return absl::OkStatus();
}

absl::Status DescribeFft(const Instruction& instruction,
                         OperationDetails* details) {
  details->after =
      absl::StrCat(", type = ", TextOf(instruction.fft_type()),
                   ", length = ", IntegerListText(instruction.fft_length()));
  return absl::OkStatus();
}

absl::Status DescribeCholesky(const Instruction& instruction,
                              OperationDetails* details) {
  details->after = absl::StrCat(", lower = ", BoolText(instruction.lower()));
  return absl::OkStatus();
}

absl::Status DescribeTriangularSolve(const Instruction& instruction,
                                     OperationDetails* details) {
  details->Add("left_side", BoolText(instruction.left_side()));
  details->Add("lower", BoolText(instruction.lower()));
  details->Add("transpose_a",
               absl::StrCat("#stablehlo<transpose ",
                            TextOf(instruction.transpose_a()), ">"));
  details->Add("unit_diagonal", BoolText(instruction.unit_diagonal()));
  return absl::OkStatus();
}

absl::Status DescribeBatchNorm(const Instruction& instruction,
                               OperationDetails* details) {
  details->Add("epsilon",
               absl::StrCat(FloatText(instruction.epsilon()), " : f32"));
  details->Add("feature_index", IntegerText(instruction.feature_index()));
  return absl::OkStatus();
}

}  // namespace

std::vector<OperationRow> StructuredOperationRows() {
  constexpr auto kGeneric = OperationForm::kGeneric;
  constexpr auto kFunctionType = OperationForm::kFunctionType;
  return {
      {Opcode::kBatchNormGrad, "stablehlo.batch_norm_grad", kGeneric,
       &DescribeBatchNorm},
      {Opcode::kBatchNormInference, "stablehlo.batch_norm_inference", kGeneric,
       &DescribeBatchNorm},
      {Opcode::kBatchNormTraining, "stablehlo.batch_norm_training", kGeneric,
       &DescribeBatchNorm},
      {Opcode::kCholesky, "stablehlo.cholesky", OperationForm::kOneType,
       &DescribeCholesky},
      {Opcode::kConvolution, "stablehlo.convolution", kFunctionType,
       &DescribeConvolution},
      {Opcode::kDot, "stablehlo.dot_general", kFunctionType, &DescribeDot},
      {Opcode::kFft, "stablehlo.fft", kFunctionType, &DescribeFft},
      {Opcode::kGather, "stablehlo.gather", kGeneric, &DescribeGather},
      {Opcode::kMap, "stablehlo.map", kGeneric, &DescribeMap},
      {Opcode::kRaggedDot, "chlo.ragged_dot", kGeneric, &DescribeRaggedDot},
      {Opcode::kReduceWindow, "stablehlo.reduce_window", kGeneric,
       &DescribeReduceWindow},
      {Opcode::kScan, "chlo.scan", kGeneric, &DescribeScan},
      {Opcode::kScatter, "stablehlo.scatter", kGeneric, &DescribeScatter},
      {Opcode::kSelectAndScatter, "stablehlo.select_and_scatter", kGeneric,
       &DescribeSelectAndScatter},
      {Opcode::kSort, "stablehlo.sort", kGeneric, &DescribeSort},
      {Opcode::kTriangularSolve, "stablehlo.triangular_solve", kGeneric,
       &DescribeTriangularSolve},
  };
}

}  // namespace hilo::stablehlo
