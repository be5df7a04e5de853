// Functions and calls of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/syntax.h"
#include "hlo/text/printer.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Whether arguments may say sizes.
bool MaySaySizes(const Shape& shape) {
  constexpr int64_t kMostSizes = 64;
  return shape.IsArray() && hlo::IsInteger(shape.element_type()) &&
         shape.ElementCount() <= kMostSizes;
}

}  // namespace

const Function* Converter::FindFunction(const std::string& name,
                                        int64_t offset) {
  const auto function = functions_.find(name);
  if (function != functions_.end()) return function->second;
  std::vector<absl::string_view> candidates;
  candidates.reserve(syntax_.functions.size());
  for (const Function& other : syntax_.functions) {
    candidates.emplace_back(other.name);
  }
  Error(offset, absl::StrCat("there is no function '@", name, "'"),
        SuggestNearest(name, candidates));
  return nullptr;
}

// Whether some value in it has sizes that its type leaves open.
bool Converter::IsOpen(const Region& region) const {
  const auto is_open = [&](ValueId id) {
    return HasOpenSizes(TypeOf(id).shape);
  };
  return std::ranges::any_of(region.arguments, is_open) ||
         std::ranges::any_of(
             region.operations, [&](const Operation& operation) {
               return std::ranges::any_of(operation.results, is_open) ||
                      std::ranges::any_of(
                          operation.regions,
                          [&](const Region& inner) { return IsOpen(inner); });
             });
}

hlo::Computation* Converter::ComputationOf(
    const std::string& name, int64_t offset,
    absl::Span<Instruction* const> arguments) {
  std::string key = name;
  const Function* function = nullptr;
  if (!callees_.contains(key)) {
    function = FindFunction(name, offset);
    if (function == nullptr) return nullptr;
    if (IsOpen(function->body)) key = SpecializedName(name, arguments);
  }
  const auto known = callees_.find(key);
  if (known != callees_.end()) {
    if (known->second.is_being_built) {
      Error(offset, absl::StrCat("'@", name, "' calls itself"));
      return nullptr;
    }
    return known->second.computation;
  }
  constexpr int kMaxDepth = 200;
  constexpr size_t kMostCallees = 100000;
  if (depth_ >= kMaxDepth || callees_.size() >= kMostCallees) {
    Error(offset, absl::StrCat("calls are nested more than ", kMaxDepth,
                               " levels deep, or of more than ", kMostCallees,
                               " functions"));
    return nullptr;
  }
  callees_[key] = {.is_being_built = true};
  Scope* const outer = scope_;
  ++depth_;
  hlo::Computation* computation = module_->AddComputation(HloName(name));
  computation->set_source_offset(function->offset);
  Scope scope = {.computation = computation};
  scope_ = &scope;
  // Sizes that another call has found are not those of this one.
  const bool is_special = key != name;
  absl::flat_hash_map<ValueId, Shape> outer_shapes;
  if (is_special) outer_shapes = shapes_;
  std::vector<Instruction*> results;
  const bool is_good =
      (!is_special || SpecializeArguments(*function, arguments)) &&
      ConvertFunctionBody(*function, &results);
  if (is_good) {
    computation->set_root(MakeRoot(results, function->offset, false));
  }
  if (is_special) shapes_ = std::move(outer_shapes);
  scope_ = outer;
  --depth_;
  callees_[key] = {.computation = is_good ? computation : nullptr};
  return is_good ? computation : nullptr;
}

std::string Converter::SpecializedName(
    const std::string& name, absl::Span<Instruction* const> arguments) {
  std::string text = absl::StrCat(name, "(");
  for (const Instruction* argument : arguments) {
    absl::StrAppend(&text, ToString(argument->shape(), false));
    if (MaySaySizes(argument->shape())) {
      const std::optional<hlo::Literal> value = ConstantValue(*argument);
      if (value) absl::StrAppend(&text, "=", hlo::Print(*value));
    }
    absl::StrAppend(&text, ",");
  }
  return absl::StrCat(text, ")");
}

bool Converter::SpecializeArguments(const Function& function,
                                    absl::Span<Instruction* const> arguments) {
  Operation call;
  call.name = absl::StrCat("a call of '@", function.name, "'");
  call.offset = function.offset;
  const std::vector<ValueId>& ids = function.body.arguments;
  if (ids.size() != arguments.size()) {
    return Error(function.offset,
                 absl::StrCat(call.name, " has ", arguments.size(),
                              " arguments, not ", ids.size()));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    const Shape& shape = arguments[i]->shape();
    if (!shape.IsArray()) continue;
    if (!Refine(call, ids[i], shape)) return false;
    constants_.erase(ids[i]);
    if (!MaySaySizes(shape)) continue;
    std::optional<hlo::Literal> value = ConstantValue(*arguments[i]);
    if (value) constants_[ids[i]] = *std::move(value);
  }
  return true;
}

bool Converter::ConvertFunctionBody(const Function& function,
                                    std::vector<Instruction*>* results) {
  if (!AddParameters(function.body)) return false;
  for (const ValueId id : function.body.arguments) {
    const auto constant = constants_.find(id);
    if (constant == constants_.end()) continue;
    scope_->values[id] = AddScalarConstant(constant->second, function.offset);
  }
  if (!ConvertBody(function.body, results)) return false;
  const Operation& end = function.body.operations.back();
  bool is_same = end.operands.size() == function.results.size();
  for (size_t i = 0; is_same && i < end.operands.size(); ++i) {
    is_same =
        TypeOf(end.operands[i]).ToString() == function.results[i].ToString();
  }
  return is_same ||
         Error(end.offset, absl::StrCat("'@", function.name,
                                        "' returns other values than it "
                                        "declares"));
}

bool Converter::ConvertCall(const Operation& operation) {
  return CallFunction(operation, "callee");
}

bool Converter::CallFunction(const Operation& operation,
                             absl::string_view key) {
  AttributeReader reader = Read(operation);
  const std::string name = reader.String(key);
  if (name.empty()) {
    reader.Error(absl::StrCat("'", key, "' is missing"));
    return false;
  }
  std::vector<Instruction*> operands;
  if (!UseOperands(operation, &operands)) return false;
  hlo::Computation* callee = ComputationOf(name, operation.offset, operands);
  if (callee == nullptr) return false;
  // What the function returns may have sizes that the call leaves open.
  const Shape& shape = callee->root()->shape();
  const size_t count = operation.results.size();
  for (size_t i = 0; i < count; ++i) {
    if (!HasOpenSizes(TypeOf(operation.results[i]).shape)) continue;
    const bool is_one = count == 1;
    if ((!is_one && (!shape.IsTuple() ||
                     shape.elements().size() != operation.results.size())) ||
        !Refine(operation, operation.results[i],
                is_one ? shape : shape.elements()[i])) {
      return false;
    }
  }
  Instruction* call = AddSimple(operation, Opcode::kCall);
  if (call == nullptr) return false;
  call->set_to_apply(callee);
  return SetResults(operation, call);
}

}  // namespace hilo::stablehlo
