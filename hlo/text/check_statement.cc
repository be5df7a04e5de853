// What the parser demands of a complete statement, opcode by opcode.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/module_parser.h"

namespace hilo::hlo {
namespace {

std::string Count(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// Whether `dimensions` holds exactly one dimension.
bool TakesOneDimension(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSort:
    case Opcode::kScan:
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kReduceScatter:
    case Opcode::kAllToAll:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
    case Opcode::kConcatenate:
      return true;
    default:  // NOLINT: lists of any length, or none
      return false;
  }
}

}  // namespace

bool ModuleParser::FailStatement(const Statement& statement,
                                 const std::string& message,
                                 std::string remedy) {
  return reader_.Fail(statement.opcode_offset,
                      absl::StrCat(TextOf(statement.opcode), ": ", message),
                      std::move(remedy));
}

bool ModuleParser::CheckStatement(Statement& statement) {
  if (statement.is_async_sugar) return true;
  if (!CheckOperandCount(statement) || !CheckRequired(statement) ||
      !CheckOneDimension(statement) || !CheckCommon(statement)) {
    return false;
  }
  switch (statement.opcode) {
    case Opcode::kConditional:
      return CheckConditional(statement);
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return CheckCollective(statement);
    case Opcode::kCustomCall:
      return CheckCustomCall(statement);
    case Opcode::kInfeed:
      if (statement.shape.IsTuple() && statement.shape.element_count() > 0) {
        return true;
      }
      return FailStatement(statement, "the result must be a non-empty tuple");
    case Opcode::kOutfeed:
      if (!statement.Has(AttributeId::kOutfeedShape) && !statement.poisoned) {
        statement.attributes.push_back(
            {.id = AttributeId::kOutfeedShape,
             .value = MakeAttributeValue<AttributeKind::kShape>(
                 statement.operands[0]->shape())});
      }
      return true;
    default:  // NOLINT: no other opcode has rules of its own
      return true;
  }
}

bool ModuleParser::CheckOperandCount(const Statement& statement) {
  const int arity = InfoOf(statement.opcode).arity;
  const auto count = static_cast<int64_t>(statement.operands.size());
  if (arity == kVariadic || count == arity) return true;
  // The operands of a constant are its value.
  return FailStatement(
      statement,
      absl::StrCat("takes ", Count(arity, "operand"), ", got ", count));
}

bool ModuleParser::CheckRequired(const Statement& statement) {
  for (const AttributeUse& use : InfoOf(statement.opcode).attributes) {
    if (!use.required || statement.Has(use.id)) continue;
    return FailStatement(
        statement, absl::StrCat("attribute ", TextOf(use.id), " is missing"));
  }
  if (statement.poisoned || statement.operands.empty()) return true;
  const Shape& first = statement.operands[0]->shape();
  if (statement.opcode == Opcode::kBroadcast && first.rank() > 0 &&
      !statement.Has(AttributeId::kDimensions)) {
    return FailStatement(statement, "attribute dimensions is missing",
                         "only scalars may be broadcast without it");
  }
  const bool is_windowed = statement.opcode == Opcode::kReduceWindow ||
                           statement.opcode == Opcode::kSelectAndScatter;
  if (is_windowed && first.rank() > 0 && !statement.Has(AttributeId::kWindow)) {
    return FailStatement(statement, "attribute window is missing");
  }
  return true;
}

bool ModuleParser::CheckOneDimension(const Statement& statement) {
  if (!TakesOneDimension(statement.opcode)) return true;
  const AttributeValue* const value = statement.Find(AttributeId::kDimensions);
  if (value == nullptr) return true;
  const size_t count = ValueAs<AttributeKind::kIntList>(*value).size();
  if (count == 1) return true;
  return FailStatement(statement, absl::StrCat("dimensions must hold one "
                                               "dimension, got ",
                                               count));
}

bool ModuleParser::CheckCommon(const Statement& statement) {
  const AttributeValue* const replication =
      statement.Find(AttributeId::kParameterReplication);
  if (replication == nullptr) return true;
  const size_t given = ValueAs<AttributeKind::kBoolList>(*replication).size();
  const size_t leaves = statement.shape.Leaves().size();
  if (given == leaves) return true;
  return FailStatement(
      statement, absl::StrCat("parameter_replication has ", given,
                              " entries for a shape of ", leaves, " leaves"));
}

bool ModuleParser::CheckConditional(const Statement& statement) {
  if (statement.operands.empty()) {
    return FailStatement(statement, "the branch selector is missing");
  }
  if (statement.operands[0] == nullptr) return true;
  const Shape& selector = statement.operands[0]->shape();
  const bool has_true = statement.Has(AttributeId::kTrueComputation);
  const bool has_false = statement.Has(AttributeId::kFalseComputation);
  const bool has_branches = statement.Has(AttributeId::kBranchComputations);
  if (selector.IsScalar() && selector.element_type() == ElementType::kPred) {
    if (has_true && has_false && !has_branches) return true;
    return FailStatement(statement,
                         "with a pred[] operand, true_computation and "
                         "false_computation must be given, and no others");
  }
  if (selector.IsScalar() && selector.element_type() == ElementType::kS32) {
    if (has_branches && !has_true && !has_false) return true;
    return FailStatement(statement,
                         "with an s32[] operand, branch_computations must be "
                         "given, and no others");
  }
  return FailStatement(statement, absl::StrCat("operand 0 must be pred[] or "
                                               "s32[], got ",
                                               ToString(selector, false)));
}

bool ModuleParser::CheckCollective(Statement& statement) {
  const AttributeValue* const global =
      statement.Find(AttributeId::kUseGlobalDeviceIds);
  if (global == nullptr || !ValueAs<AttributeKind::kBool>(*global)) return true;
  if (statement.Has(AttributeId::kChannelId)) return true;
  return FailStatement(statement,
                       "use_global_device_ids=true needs a channel_id");
}

bool ModuleParser::CheckCustomCall(Statement& statement) {
  const AttributeValue* const constraints =
      statement.Find(AttributeId::kOperandLayoutConstraints);
  if (constraints != nullptr && !statement.poisoned) {
    const std::vector<Shape>& shapes =
        ValueAs<AttributeKind::kShapeList>(*constraints);
    if (shapes.size() != statement.operands.size()) {
      return FailStatement(
          statement,
          absl::StrCat("operand_layout_constraints has ",
                       Count(static_cast<int64_t>(shapes.size()), "shape"),
                       ", there are ",
                       Count(static_cast<int64_t>(statement.operands.size()),
                             "operand")));
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Shape& operand = statement.operands[i]->shape();
      if (Compatible(shapes[i], operand)) continue;
      return FailStatement(
          statement,
          absl::StrCat("operand_layout_constraints: shape ", i, " is ",
                       ToString(shapes[i], false), ", the operand is ",
                       ToString(operand, false)));
    }
  }
  if (!statement.Has(AttributeId::kToApply) || statement.poisoned) return true;
  // to_apply wins over called_computations, and is kept as such.
  std::vector<Attribute> kept;
  for (Attribute& attribute : statement.attributes) {
    if (attribute.id == AttributeId::kCalledComputations) continue;
    if (attribute.id == AttributeId::kToApply) {
      attribute = {
          .id = AttributeId::kCalledComputations,
          .value = MakeAttributeValue<AttributeKind::kComputationList>(
              {ValueAs<AttributeKind::kComputation>(attribute.value)})};
    }
    kept.push_back(std::move(attribute));
  }
  statement.attributes = std::move(kept);
  return true;
}

}  // namespace hilo::hlo
