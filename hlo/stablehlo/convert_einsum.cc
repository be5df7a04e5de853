// Products that name dimensions by letters, and gathers along one dimension.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/element_math.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// "ab,bc->ac" in its parts.
struct EinsumLabels {
  std::vector<std::string> operands;
  std::string result;
};

// False when it is something else, or needs a rank to be understood.
bool ReadEinsumLabels(const std::string& config, EinsumLabels* labels) {
  const std::vector<std::string> sides =
      absl::StrSplit(absl::StrReplaceAll(config, {{" ", ""}}), "->");
  if (sides.size() != 2) return false;
  labels->operands = absl::StrSplit(sides[0], ',');
  labels->result = sides[1];
  std::string sorted = labels->result;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return false;
  std::string given;
  for (const std::string& operand : labels->operands) given += operand;
  for (const char label : labels->result) {
    if (!absl::StrContains(given, label)) return false;
  }
  return absl::c_all_of(given, [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c));
  });
}

// Zeros where the indices of two dimensions differ.
Instruction* ZeroOffDiagonal(ElementMath& math, Instruction* operand,
                             int64_t first, int64_t second) {
  const Shape indices =
      hlo::WithElementType(operand->shape(), ElementType::kS32);
  const auto iota = [&](int64_t dimension) {
    Instruction* index = math.Add(Opcode::kIota, indices, {});
    index->set_iota_dimension(dimension);
    return Term(&math, index);
  };
  return math
      .Select(iota(first) == iota(second), Term(&math, operand), math.Number(0))
      .value();
}

}  // namespace

Instruction* Converter::AddEinsumSums(const Operation& operation,
                                      Instruction* operand,
                                      absl::string_view kept,
                                      std::string* labels) {
  DimensionVector summed;
  std::string left;
  for (size_t i = 0; i < labels->size(); ++i) {
    const char label = (*labels)[i];
    const auto d = static_cast<int64_t>(i);
    const size_t first = labels->find(label);
    if (first != i) {
      const auto other = static_cast<int64_t>(first);
      const Shape& shape = operand->shape();
      if (shape.dimension(d) != shape.dimension(other)) {
        Error(operation.offset,
              absl::StrCat(operation.name, ": '", labels->substr(i, 1),
                           "' names sizes ", shape.dimension(other), " and ",
                           shape.dimension(d)));
        return nullptr;
      }
      ElementMath math(scope_->computation, shape, operation.offset);
      operand = ZeroOffDiagonal(math, operand, other, d);
      summed.push_back(d);
    } else if (!absl::StrContains(kept, label)) {
      summed.push_back(d);
    } else {
      left.push_back(label);
    }
  }
  *labels = left;
  return summed.empty() ? operand
                        : AddReduce(operand, summed, operation.offset);
}

Instruction* Converter::AddEinsumProduct(const Operation& operation,
                                         Instruction* lhs, Instruction* rhs,
                                         absl::string_view kept,
                                         std::string* labels,
                                         const std::string& rhs_labels) {
  AttributeReader reader = Read(operation);
  DimensionVector lhs_batch;
  DimensionVector rhs_batch;
  DimensionVector lhs_contracting;
  DimensionVector rhs_contracting;
  DimensionVector sizes;
  std::string product;
  for (size_t i = 0; i < labels->size(); ++i) {
    const char label = (*labels)[i];
    const size_t j = rhs_labels.find(label);
    if (j == std::string::npos) continue;
    const bool is_batch = absl::StrContains(kept, label);
    (is_batch ? lhs_batch : lhs_contracting).push_back(static_cast<int64_t>(i));
    (is_batch ? rhs_batch : rhs_contracting).push_back(static_cast<int64_t>(j));
    if (!is_batch) continue;
    product.push_back(label);
    sizes.push_back(lhs->shape().dimension(static_cast<int64_t>(i)));
  }
  const auto add_free = [&](const std::string& own, const std::string& other,
                            const Shape& shape) {
    for (size_t i = 0; i < own.size(); ++i) {
      if (absl::StrContains(other, own[i])) continue;
      product.push_back(own[i]);
      sizes.push_back(shape.dimension(static_cast<int64_t>(i)));
    }
  };
  add_free(*labels, rhs_labels, lhs->shape());
  add_free(rhs_labels, *labels, rhs->shape());
  Shape result;
  if (!ResultShape(operation, &result)) return nullptr;
  Instruction* dot =
      Add(Opcode::kDot, Shape::Array(result.element_type(), sizes), {lhs, rhs},
          operation.offset);
  dot->set_lhs_batch_dims(std::move(lhs_batch));
  dot->set_rhs_batch_dims(std::move(rhs_batch));
  dot->set_lhs_contracting_dims(std::move(lhs_contracting));
  dot->set_rhs_contracting_dims(std::move(rhs_contracting));
  hlo::PrecisionList precision = ReadPrecision(operation, &reader);
  if (!precision.empty()) dot->set_operand_precision(std::move(precision));
  *labels = product;
  return reader.ok() ? dot : nullptr;
}

// Of one operand or two.
bool Converter::ConvertEinsum(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const std::string config = reader.String("einsum_config");
  EinsumLabels labels;
  Shape shape;
  std::vector<Instruction*> operands;
  if (!reader.ok() || !HasOneResult(operation) ||
      !ResultShape(operation, &shape) || !UseOperands(operation, &operands)) {
    return false;
  }
  bool is_right = ReadEinsumLabels(config, &labels) &&
                  labels.operands.size() == operands.size() &&
                  (operands.size() == 1 || operands.size() == 2) &&
                  static_cast<int64_t>(labels.result.size()) == shape.rank();
  for (size_t i = 0; is_right && i < operands.size(); ++i) {
    is_right = static_cast<int64_t>(labels.operands[i].size()) ==
               operands[i]->shape().rank();
  }
  if (!is_right) {
    return Error(operation.offset, absl::StrCat(operation.name, ": '", config,
                                                "' does not fit the arrays"));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string others =
        operands.size() == 1 ? "" : labels.operands[1 - i];
    operands[i] = AddEinsumSums(operation, operands[i], labels.result + others,
                                &labels.operands[i]);
    if (operands[i] == nullptr) return false;
  }
  Instruction* value = operands[0];
  std::string& have = labels.operands[0];
  if (operands.size() == 2) {
    value = AddEinsumProduct(operation, operands[0], operands[1], labels.result,
                             &have, labels.operands[1]);
    if (value == nullptr) return false;
  }
  DimensionVector permutation;
  for (const char label : labels.result) {
    permutation.push_back(static_cast<int64_t>(have.find(label)));
  }
  Instruction* result =
      Add(Opcode::kTranspose,
          hlo::WithElementType(shape, value->shape().element_type()), {value},
          operation.offset);
  result->set_dimensions(permutation);
  if (result->shape() != shape) {
    result = Add(Opcode::kConvert, shape, {result}, operation.offset);
  }
  return SetResults(operation, result);
}

// Slices of size 1 along `dim`, one for each index, batch by batch.
bool Converter::ConvertTorchIndexSelect(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t dimension = reader.Integer("dim");
  const int64_t batch = reader.Integer("batch_dims", 0);
  Instruction* gather = AddSimple(operation, Opcode::kGather);
  if (!reader.ok() || gather == nullptr || !HasOperands(operation, 2)) {
    return false;
  }
  const Shape& operand = gather->operand_shape(0);
  const int64_t index_rank = gather->operand_shape(1).rank();
  if (batch < 0 || batch > dimension || batch > index_rank ||
      dimension >= operand.rank()) {
    return Error(operation.offset,
                 absl::StrCat("torch_index_select: ", ToString(operand, false),
                              " has no dimension ", dimension, " after ", batch,
                              " of batches"));
  }
  DimensionVector batches;
  for (int64_t d = 0; d < batch; ++d) batches.push_back(d);
  DimensionVector offsets;
  DimensionVector sizes;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const bool is_whole = d >= batch && d != dimension;
    sizes.push_back(is_whole ? operand.dimension(d)
                             : std::min<int64_t>(operand.dimension(d), 1));
    if (!is_whole) continue;
    offsets.push_back(d < dimension ? d : d - 1 + index_rank - batch);
  }
  gather->set_offset_dims(offsets);
  gather->set_collapsed_slice_dims({dimension});
  gather->set_start_index_map({dimension});
  gather->set_operand_batching_dims(batches);
  gather->set_start_indices_batching_dims(batches);
  gather->set_index_vector_dim(index_rank);
  gather->set_slice_sizes(sizes);
  return SetResults(operation, gather);
}

}  // namespace hilo::stablehlo
