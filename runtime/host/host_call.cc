// Library calls by name: LAPACK's routines as custom calls of programs.
#include "runtime/host/host_call.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "runtime/base/status.h"
#include "runtime/host/element_code.h"
#include "runtime/host/item_loop.h"
#include "runtime/host/lapack.h"
#include "runtime/host/lapack_plan.h"

namespace hilo::runtime {
namespace {

constexpr absl::string_view kTypeLetters = "sdcz";

const std::vector<LapackRoutineRow>& AllRows() {
  static const std::vector<LapackRoutineRow>& rows = *[] {
    auto* all = new std::vector<LapackRoutineRow>(LapackFactorRows());
    for (LapackRoutineRow& row : LapackEigenRows()) {
      all->push_back(std::move(row));
    }
    return all;
  }();
  return rows;
}

struct FoundRoutine {
  const LapackRoutineRow* row = nullptr;
  const LapackRoutine* routine = nullptr;
};

FoundRoutine FindRoutine(absl::string_view target) {
  if (!absl::ConsumePrefix(&target, "lapack_") ||
      !absl::ConsumeSuffix(&target, "_ffi") || target.empty()) {
    return {};
  }
  const size_t type = kTypeLetters.find(target[0]);
  if (type == absl::string_view::npos) return {};
  for (const LapackRoutineRow& row : AllRows()) {
    if (row.name != target.substr(1)) continue;
    if (row.routines[type].run == nullptr) return {};
    return {&row, &row.routines[type]};
  }
  return {};
}

std::string TextOf(const HostArray& array) {
  return absl::StrCat(internal::kElementNames[static_cast<size_t>(array.type)],
                      "[", absl::StrJoin(array.dimensions, ","), "]");
}

absl::Status CheckAttributes(const FoundRoutine& found,
                             const HostCallDescription& call) {
  for (const HostCallAttribute& attribute : found.row->attributes) {
    const auto given = std::ranges::find_if(
        call.attributes,
        [&](const auto& entry) { return entry.first == attribute.name; });
    if (given == call.attributes.end()) {
      return InvalidArgument(call.target, ": attribute ", attribute.name,
                             " is missing");
    }
    if (attribute.letters.empty()) continue;
    const bool is_allowed = std::ranges::any_of(
        attribute.letters,
        [&](char letter) { return letter == given->second; });
    if (!is_allowed) {
      return InvalidArgument(call.target, ": attribute ", attribute.name,
                             " is ", given->second, ", expected one of ",
                             attribute.letters);
    }
  }
  return absl::OkStatus();
}

}  // namespace

struct HostCall::Plan {
  LapackPlan plan;
  const LapackRoutine* routine;
  int64_t slots;
  int64_t slot_bytes;
};

int64_t LapackPlan::OperandSize(int64_t operand, int64_t i) const {
  const std::vector<int64_t>& dimensions = call_->operands[operand].dimensions;
  return std::cmp_less(i, dimensions.size())
             ? dimensions[dimensions.size() - 1 - i]
             : 1;
}

absl::StatusOr<int64_t> LapackPlan::Attribute(absl::string_view name) const {
  for (const auto& [key, value] : call_->attributes) {
    if (key == name) return value;
  }
  return InvalidArgument(call_->target, ": attribute ", name, " is missing");
}

char LapackPlan::Letter(absl::string_view name) const {
  for (const auto& [key, value] : call_->attributes) {
    if (key == name) return static_cast<char>(value);
  }
  return 'N';
}

absl::Status LapackPlan::StartWith(ElementCode type, int64_t operand_count,
                                   int64_t matrix) {
  const auto count = static_cast<int64_t>(call_->operands.size());
  if (count != operand_count) {
    return InvalidArgument(call_->target, " has ", count,
                           " operands, expected ", operand_count);
  }
  const HostArray& array = call_->operands[matrix];
  if (array.dimensions.size() < 2 || array.type != type) {
    return InvalidArgument(call_->target, ": operand ", matrix, " is ",
                           TextOf(array), ", expected a matrix of ",
                           internal::kElementNames[static_cast<size_t>(type)]);
  }
  batch_dimensions_.assign(array.dimensions.begin(),
                           array.dimensions.end() - 2);
  batches = 1;
  for (const int64_t size : batch_dimensions_) batches *= size;
  constexpr int64_t kLargest = 1 << 26;
  for (const HostArray& operand : call_->operands) {
    for (const int64_t size : operand.dimensions) {
      if (size <= kLargest) continue;
      return Unimplemented(call_->target, ": a dimension of ", size,
                           " is too large for LAPACK");
    }
  }
  return absl::OkStatus();
}

namespace {

// Error unless the array is a batch of arrays of these dimensions.
absl::StatusOr<LapackArray> ReadArray(
    const std::string& name, const HostArray& array, ElementCode type,
    const std::vector<int64_t>& batch_dimensions,
    const std::vector<int64_t>& dimensions) {
  std::vector<int64_t> expected = batch_dimensions;
  expected.insert(expected.end(), dimensions.begin(), dimensions.end());
  if (array.type != type || array.dimensions != expected) {
    return InvalidArgument(name, " is ", TextOf(array), ", expected ",
                           TextOf(HostArray{type, expected}));
  }
  LapackArray result{.element_bytes =
                         DispatchElementCode(type, [](auto tag) -> int64_t {
                           return sizeof(typename decltype(tag)::type);
                         })};
  if (!dimensions.empty()) result.rows = dimensions[0];
  if (dimensions.size() > 1) {
    result.columns = dimensions[1];
    result.is_copied =
        !array.is_column_major && result.rows > 1 && result.columns > 1;
  }
  return result;
}

}  // namespace

absl::Status LapackPlan::CheckOperand(int64_t i, ElementCode type,
                                      const std::vector<int64_t>& dimensions) {
  ASSIGN_OR_RETURN(
      const LapackArray array,
      ReadArray(absl::StrCat(call_->target, ": operand ", i),
                call_->operands[i], type, batch_dimensions_, dimensions));
  operands.resize(call_->operands.size());
  operands[i] = array;
  return absl::OkStatus();
}

absl::Status LapackPlan::CheckResults(
    std::vector<std::pair<ElementCode, std::vector<int64_t>>> expected) {
  if (call_->results.size() != expected.size()) {
    return InvalidArgument(call_->target, " has ", call_->results.size(),
                           " results, expected ", expected.size());
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSIGN_OR_RETURN(const LapackArray array,
                     ReadArray(absl::StrCat(call_->target, ": result ", i),
                               call_->results[i], expected[i].first,
                               batch_dimensions_, expected[i].second));
    results.push_back(array);
  }
  return absl::OkStatus();
}

const std::vector<HostCallAttribute>* FindHostCallAttributes(
    absl::string_view target) {
  const FoundRoutine found = FindRoutine(target);
  return found.row == nullptr ? nullptr : &found.row->attributes;
}

std::vector<std::string> HostCallTargets() {
  std::vector<std::string> targets;
  for (const LapackRoutineRow& row : AllRows()) {
    for (size_t i = 0; i < row.routines.size(); ++i) {
      if (row.routines[i].run == nullptr) continue;
      targets.push_back(
          absl::StrCat("lapack_", kTypeLetters.substr(i, 1), row.name, "_ffi"));
    }
  }
  std::ranges::sort(targets);
  return targets;
}

absl::StatusOr<HostCall> HostCall::Create(const HostCallDescription& call) {
  UseOneBlasThread();
  const FoundRoutine found = FindRoutine(call.target);
  if (found.routine == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("there is no library call ", call.target));
  }
  RETURN_IF_ERROR(CheckAttributes(found, call));
  LapackPlan plan(call);
  RETURN_IF_ERROR(found.routine->prepare(plan));
  plan.EndPreparation();
  const int64_t slots = std::max<int64_t>(1, call.slots);
  const int64_t slot_bytes = found.routine->scratch_bytes(plan);
  return HostCall(std::unique_ptr<const Plan>(
      new Plan{std::move(plan), found.routine, slots, slot_bytes}));
}

HostCall::HostCall(std::unique_ptr<const Plan> plan) : plan_(std::move(plan)) {}
HostCall::HostCall(HostCall&&) noexcept = default;
HostCall& HostCall::operator=(HostCall&&) noexcept = default;
HostCall::~HostCall() = default;

int64_t HostCall::scratch_bytes() const {
  return plan_->slots * plan_->slot_bytes;
}

void HostCall::Run(void* pool, const void* const* operands,
                   void* const* results, void* scratch) const {
  ForEachBlock(
      pool, plan_->plan.batches, 1, plan_->slots,
      [&](int64_t slot, int64_t begin, int64_t end) {
        void* memory =
            static_cast<std::byte*>(scratch) + slot * plan_->slot_bytes;
        for (int64_t i = begin; i < end; ++i) {
          plan_->routine->run(plan_->plan, operands, results, i, memory);
        }
      });
}

}  // namespace hilo::runtime

void hilo_host_call(void* pool, const void* call, const void* const* operands,
                    void* const* results, void* scratch) {
  static_cast<const hilo::runtime::HostCall*>(call)->Run(pool, operands,
                                                         results, scratch);
}
