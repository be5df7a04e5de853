// Rows of operations on elements, and of those that move them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/stablehlo/print_table.h"
#include "hlo/stablehlo/print_values.h"
#include "runtime/base/status.h"

namespace hilo::stablehlo {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;

// What CHLO has and StableHLO has not.
bool IsChlo(Opcode opcode) {
  constexpr std::array kOpcodes = {
      Opcode::kAcos,  Opcode::kAcosh,        Opcode::kAsin,
      Opcode::kAsinh, Opcode::kAtanh,        Opcode::kCosh,
      Opcode::kErf,   Opcode::kMultiplyHigh, Opcode::kSinh};
  return std::ranges::find(kOpcodes, opcode) != kOpcodes.end();
}

// Functions that take result_accuracy there.
bool TakesAccuracy(Opcode opcode) {
  constexpr std::array kOpcodes = {
      Opcode::kCbrt,        Opcode::kCosine,
      Opcode::kExponential, Opcode::kExponentialMinusOne,
      Opcode::kLog,         Opcode::kLogPlusOne,
      Opcode::kLogistic,    Opcode::kRsqrt,
      Opcode::kSine,        Opcode::kSqrt,
      Opcode::kTan,         Opcode::kTanh};
  return std::ranges::find(kOpcodes, opcode) != kOpcodes.end();
}

absl::Status DescribeElementwise(const Instruction& instruction,
                                 OperationDetails* details) {
  if (!instruction.has_result_accuracy()) return absl::OkStatus();
  if (!TakesAccuracy(instruction.opcode())) {
    return Unimplemented("it has no 'result_accuracy' of this operation");
  }
  const hlo::ResultAccuracy& accuracy = instruction.result_accuracy();
  absl::string_view mode = accuracy.highest ? "HIGHEST" : "DEFAULT";
  std::string numbers;
  if (accuracy.has_tolerance) {
    mode = "TOLERANCE";
    numbers = absl::StrCat("atol = ", FloatText(accuracy.atol),
                           ", rtol = ", FloatText(accuracy.rtol),
                           ", ulps = ", accuracy.ulps, ", ");
  }
  details->Add(
      "result_accuracy",
      absl::StrCat("#stablehlo.result_accuracy<", numbers,
                   "mode = #stablehlo.result_accuracy_mode<", mode, ">>"));
  return absl::OkStatus();
}

absl::Status DescribeCompare(const Instruction& instruction,
                             OperationDetails* details) {
  details->before = absl::StrCat(TextOf(instruction.direction()), ", ");
  details->after = absl::StrCat(", ", TextOf(instruction.comparison_type()));
  return absl::OkStatus();
}

absl::Status DescribeReducePrecision(const Instruction& instruction,
                                     OperationDetails* details) {
  details->after = absl::StrCat(", format = e", instruction.exponent_bits(),
                                "m", instruction.mantissa_bits());
  return absl::OkStatus();
}

// ", KEY = [dimensions]".
absl::Status DescribeDimensions(const Instruction& instruction,
                                OperationDetails* details) {
  details->after =
      absl::StrCat(", dims = ", IntegerListText(instruction.dimensions()));
  return absl::OkStatus();
}

absl::Status DescribeDimension(const Instruction& instruction,
                               OperationDetails* details) {
  details->after = absl::StrCat(", dim = ", instruction.dimensions()[0]);
  return absl::OkStatus();
}

absl::Status DescribeIota(const Instruction& instruction,
                          OperationDetails* details) {
  details->before = absl::StrCat("dim = ", instruction.iota_dimension());
  return absl::OkStatus();
}

absl::Status DescribeSlice(const Instruction& instruction,
                           OperationDetails* details) {
  details->after = " [";
  bool is_first = true;
  for (const hlo::SliceDimension& range : instruction.slice()) {
    absl::StrAppend(&details->after, is_first ? "" : ", ", range.start, ":",
                    range.limit);
    if (range.stride != 1) absl::StrAppend(&details->after, ":", range.stride);
    is_first = false;
  }
  details->after.push_back(']');
  return absl::OkStatus();
}

absl::Status DescribeDynamicSlice(const Instruction& instruction,
                                  OperationDetails* details) {
  details->after = absl::StrCat(
      ", sizes = ", IntegerListText(instruction.dynamic_slice_sizes()));
  return absl::OkStatus();
}

absl::Status DescribePad(const Instruction& instruction,
                         OperationDetails* details) {
  DimensionVector low;
  DimensionVector high;
  DimensionVector interior;
  for (const hlo::PaddingDimension& d : instruction.padding()) {
    low.push_back(d.low);
    high.push_back(d.high);
    interior.push_back(d.interior);
  }
  details->after = absl::StrCat(", low = ", IntegerListText(low),
                                ", high = ", IntegerListText(high),
                                ", interior = ", IntegerListText(interior));
  return absl::OkStatus();
}

absl::Status DescribeRngBitGenerator(const Instruction& instruction,
                                     OperationDetails* details) {
  absl::string_view algorithm;
  switch (instruction.random_algorithm()) {
    case hlo::RandomAlgorithm::kDefault:
      algorithm = "DEFAULT";
      break;
    case hlo::RandomAlgorithm::kThreeFry:
      algorithm = "THREE_FRY";
      break;
    case hlo::RandomAlgorithm::kPhilox:
      algorithm = "PHILOX";
      break;
  }
  details->after = absl::StrCat(", algorithm = ", algorithm);
  return absl::OkStatus();
}

absl::Status DescribeTopK(const Instruction& instruction,
                          OperationDetails* details) {
  details->before = "(";
  details->after = absl::StrCat(", k = ", instruction.k(), ")");
  return absl::OkStatus();
}

void AppendElementwiseRows(std::vector<OperationRow>* rows) {
  for (int i = 0; i < hlo::kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (!hlo::IsElementwiseUnary(opcode) && !hlo::IsElementwiseBinary(opcode)) {
      continue;
    }
    const bool is_chlo = IsChlo(opcode);
    std::string name =
        absl::StrCat(is_chlo ? "chlo." : "stablehlo.", hlo::TextOf(opcode));
    std::ranges::replace(name, '-', '_');
    rows->push_back(
        {.opcode = opcode,
         .name = std::move(name),
         .form = is_chlo ? OperationForm::kArrow : OperationForm::kOneType,
         .describe = &DescribeElementwise});
  }
}

}  // namespace

std::vector<OperationRow> ElementOperationRows() {
  constexpr auto kOneType = OperationForm::kOneType;
  constexpr auto kFunctionType = OperationForm::kFunctionType;
  constexpr auto kResultTypes = OperationForm::kResultTypes;
  std::vector<OperationRow> rows = {
      {Opcode::kAfterAll, "stablehlo.after_all", kResultTypes},
      {Opcode::kBroadcast, "stablehlo.broadcast_in_dim", kFunctionType,
       &DescribeDimensions},
      {Opcode::kClamp, "stablehlo.clamp", kOneType},
      {Opcode::kCompare, "stablehlo.compare", kFunctionType, &DescribeCompare},
      {Opcode::kComplex, "stablehlo.complex", kFunctionType},
      {Opcode::kConcatenate, "stablehlo.concatenate", kFunctionType,
       &DescribeDimension},
      {Opcode::kConvert, "stablehlo.convert", kFunctionType},
      {Opcode::kDynamicSlice, "stablehlo.dynamic_slice", kFunctionType,
       &DescribeDynamicSlice},
      {Opcode::kDynamicUpdateSlice, "stablehlo.dynamic_update_slice",
       kFunctionType},
      {Opcode::kGetDimensionSize, "stablehlo.get_dimension_size", kFunctionType,
       &DescribeDimension},
      {Opcode::kIota, "stablehlo.iota", kResultTypes, &DescribeIota},
      {Opcode::kPad, "stablehlo.pad", kFunctionType, &DescribePad},
      {Opcode::kReducePrecision, "stablehlo.reduce_precision", kOneType,
       &DescribeReducePrecision},
      {Opcode::kReshape, "stablehlo.reshape", kFunctionType},
      {Opcode::kReverse, "stablehlo.reverse", kOneType, &DescribeDimensions},
      {Opcode::kRngBitGenerator, "stablehlo.rng_bit_generator", kFunctionType,
       &DescribeRngBitGenerator},
      {Opcode::kSelect, "stablehlo.select", OperationForm::kFirstAndResult},
      {Opcode::kSetDimensionSize, "stablehlo.set_dimension_size", kFunctionType,
       &DescribeDimension},
      {Opcode::kSlice, "stablehlo.slice", kFunctionType, &DescribeSlice},
      {Opcode::kTopK, "chlo.top_k", OperationForm::kArrow, &DescribeTopK},
      {Opcode::kTranspose, "stablehlo.transpose", kFunctionType,
       &DescribeDimensions},
  };
  AppendElementwiseRows(&rows);
  return rows;
}

const OperationRow* FindOperationRow(Opcode opcode) {
  static const auto* const kRows = [] {
    auto* rows = new std::vector<OperationRow>(hlo::kOpcodeCount);
    for (const auto& family :
         {ElementOperationRows(), StructuredOperationRows(),
          CollectiveOperationRows()}) {
      for (const OperationRow& row : family) {
        (*rows)[static_cast<size_t>(row.opcode)] = row;
      }
    }
    return rows;
  }();
  const OperationRow& row = (*kRows)[static_cast<size_t>(opcode)];
  return row.name.empty() ? nullptr : &row;
}

}  // namespace hilo::stablehlo
