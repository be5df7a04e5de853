// Groups instructions, consumers first.
#include "passes/fusion/grouping.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/fusion/fusible.h"
#include "passes/fusion/row_space.h"
#include "passes/pass_context.h"
#include "passes/target_traits.h"
#include "runtime/base/check.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

constexpr const char kFusionPass[] = "fusion";

// Beyond these a kernel runs out of registers, or takes long to compile.
constexpr size_t kMaxInstructions = 512;
constexpr size_t kMaxOperands = 24;
constexpr size_t kMaxOutputs = 8;
// Arrays beside a product, whose tiles are too narrow to stream many.
constexpr int64_t kMaxArraysOfProduct = 3;

// Shorter rows are reduced side by side, one a lane.
constexpr int64_t kLeastRow = 16;
// Longer ones leave the cache before they are read again.
constexpr int64_t kLongestRow = 1 << 16;
// Few rows keep few cores busy, which matters from this many elements on.
constexpr int64_t kSmallArray = 1 << 15;

size_t Id(const Instruction& instruction) {
  return static_cast<size_t>(instruction.id());
}

bool AreWorthwhileRows(const RowSpace& space, const TargetTraits& traits) {
  const int64_t row = space.row_elements();
  return row >= kLeastRow && row <= kLongestRow && space.rows() > 0 &&
         (space.rows() >= traits.cores || space.rows() * row <= kSmallArray);
}

// At how many indices a group's code may compute an instruction. Chains of
// slices and paddings double that with each step.
int64_t MaxCopies(const Instruction& instruction) {
  constexpr int64_t kMostCopies = 8;
  constexpr double kMostWork = 64;
  const double cost = std::max(1.0, ElementCost(instruction));
  return std::min(kMostCopies, static_cast<int64_t>(kMostWork / cost));
}

// What one row may cost besides its elements.
double MaxRowCost(const RowSpace& space) {
  return std::max(16.0, static_cast<double>(space.row_elements()) / 2);
}

// The rows of a reduction that is another's source.
RowSpace RowsOfSource(const Instruction& source) {
  const std::optional<RowSpace> rows = RowSpaceOf(source);
  CHECK(rows.has_value()) << source.name() << " has no rows";
  return *rows;
}

// The operand whose rows the instruction has one value of, too.
const Instruction* RowSourceOf(const Instruction& instruction,
                               const RowSources& sources) {
  const bool is_reshape =
      instruction.opcode() == Opcode::kReshape &&
      ChangesUnitDimensionsOnly(instruction.operand_shape(0),
                                instruction.shape());
  if (!is_reshape && !IsElementwise(instruction)) return nullptr;
  for (const Instruction* operand : instruction.operands()) {
    const Instruction* source = sources[Id(*operand)];
    if (source == nullptr) continue;
    if (is_reshape ||
        hlo::SameDimensions(operand->shape(), instruction.shape())) {
      return source;
    }
  }
  return nullptr;
}

// The array that a group writes its result onto; null: none.
const Instruction* UpdatedArray(const FusionGroup& group) {
  const Instruction* root = group.outputs.front();
  return root->opcode() == Opcode::kDynamicUpdateSlice ? root->operand(0)
                                                       : nullptr;
}

// Whether a group reads, through `instruction`, elements of the array that it
// writes onto which it may have overwritten. The slice that an update replaces
// is read before it is written when all between is element-wise.
bool ReadsOverwritten(const Instruction& instruction,
                      const FusionGroup& group) {
  const Instruction* updated = UpdatedArray(group);
  if (updated == nullptr ||
      std::ranges::count(instruction.operands(), updated) == 0) {
    return false;
  }
  const Instruction* root = group.outputs.front();
  if (instruction.opcode() != Opcode::kDynamicSlice ||
      !hlo::SameDimensions(instruction.shape(), root->operand_shape(1))) {
    return true;
  }
  for (int64_t i = 1; i < instruction.operand_count(); ++i) {
    if (instruction.operand(i) != root->operand(i + 1)) return true;
  }
  std::vector<const Instruction*> stack = {&instruction};
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    for (const Instruction::Use& use : value->uses()) {
      if (use.user == root && use.operand_index == 1) continue;
      if (!IsElementwise(*use.user) ||
          !hlo::SameDimensions(use.user->shape(), value->shape())) {
        return true;
      }
      stack.push_back(use.user);
    }
  }
  return false;
}

}  // namespace

RowSources FindRowSources(const Computation& computation,
                          const TargetTraits& traits) {
  RowSources sources(static_cast<size_t>(computation.instruction_count()),
                     nullptr);
  for (const Instruction* instruction : computation.PostOrder()) {
    const Instruction*& source = sources[Id(*instruction)];
    if (instruction->opcode() == Opcode::kReduce) {
      const std::optional<RowSpace> space = RowSpaceOf(*instruction);
      if (space.has_value() && AreWorthwhileRows(*space, traits)) {
        source = instruction;
      }
    } else {
      source = RowSourceOf(*instruction, sources);
    }
  }
  return sources;
}

Grouping::Grouping(const Computation& computation, const RowSources& sources,
                   const PassContext& context)
    : computation_(computation),
      sources_(sources),
      context_(context),
      group_of_(static_cast<size_t>(computation.instruction_count()), kNoGroup),
      positions_(group_of_.size(), 0),
      read_at_(group_of_.size(), ReadAt::kElsewhere),
      places_(group_of_.size()),
      is_repeated_(group_of_.size(), false) {
  const std::vector<Instruction*> order = computation.PostOrder();
  for (size_t i = 0; i < order.size(); ++i) {
    positions_[Id(*order[i])] = static_cast<int64_t>(i);
  }
  for (Instruction* instruction : std::views::reverse(order)) {
    Assign(*instruction);
  }
}

bool Grouping::IsInGroup(const Instruction& instruction, int32_t group) const {
  return Id(instruction) < group_of_.size() &&
         group_of_[Id(instruction)] == group;
}

bool Grouping::IsRepeated(const Instruction& instruction) const {
  return IsCheapToRepeat(instruction) ||
         (Id(instruction) < is_repeated_.size() &&
          is_repeated_[Id(instruction)]);
}

const Instruction* Grouping::SourceOf(const Instruction& instruction) const {
  return sources_[Id(instruction)];
}

void Grouping::Assign(Instruction& instruction) {
  if (IsCheapToRepeat(instruction)) return;
  const std::vector<int32_t> groups = GroupsOfUsers(instruction);
  if (RepeatsInGroups(instruction)) {
    is_repeated_[Id(instruction)] = true;
    context_.Remember(kFusionPass, instruction, "repeated by all who read it");
    return;
  }
  for (const int32_t group : groups) {
    if (Joins(instruction, group)) return;
  }
  if (CanBeFusionRoot(instruction)) Begin(instruction);
}

// A broadcast of something smaller that only groups read, more than one.
bool Grouping::RepeatsInGroups(const Instruction& instruction) const {
  if (instruction.opcode() != Opcode::kBroadcast ||
      2 * instruction.operand_shape(0).ElementCount() >
          instruction.shape().ElementCount() ||
      instruction.parent()->root() == &instruction) {
    return false;
  }
  int32_t first = kNoGroup;
  bool has_several = false;
  for (const Instruction::Use& use : instruction.uses()) {
    const int32_t group = group_of_[Id(*use.user)];
    if (group == kNoGroup || !CanReadElements(*use.user, use.operand_index) ||
        ReadsOverwritten(instruction, groups_[static_cast<size_t>(group)])) {
      return false;
    }
    has_several = has_several || (first != kNoGroup && first != group);
    first = group;
  }
  return has_several;
}

void Grouping::Begin(Instruction& instruction) {
  FusionGroup group;
  group.outputs = {&instruction};
  ReadAt at = ReadAt::kOwnElement;
  const Instruction* source = SourceOf(instruction);
  const bool is_reduction = instruction.opcode() == Opcode::kReduce;
  if (source != nullptr) {
    const RowSpace rows = RowsOfSource(*source);
    group.row_cost = is_reduction ? 0 : ElementCost(instruction);
    group.rows = rows;
    group.loop_shape = rows.shape;
    at = ReadAt::kOwnRow;
  } else if (!is_reduction && instruction.opcode() != Opcode::kReduceWindow &&
             instruction.opcode() != Opcode::kDynamicUpdateSlice) {
    group.loop_shape = &instruction.shape();
  }
  group_of_[Id(instruction)] = static_cast<int32_t>(groups_.size());
  read_at_[Id(instruction)] = at;
  Place place;
  place.number = at == ReadAt::kOwnRow ? kRowPlace : kOwnPlace;
  places_[Id(instruction)] = {place};
  AddMember(instruction, group);
  groups_.push_back(std::move(group));
}

void Grouping::AddMember(const Instruction& instruction, FusionGroup& group) {
  group.members.push_back(&instruction);
  group.last_position =
      std::max(group.last_position, positions_[Id(instruction)]);
  group.operands.erase(&instruction);
  // Consumers come first: no operand is a member yet.
  for (const Instruction* operand : instruction.operands()) {
    if (!IsCheapToRepeat(*operand)) group.operands.insert(operand);
  }
}

std::vector<int32_t> Grouping::GroupsOfUsers(
    const Instruction& instruction) const {
  std::vector<int32_t> groups;
  for (const Instruction::Use& use : instruction.uses()) {
    const int32_t group = group_of_[Id(*use.user)];
    if (group == kNoGroup || std::ranges::find(groups, group) != groups.end()) {
      continue;
    }
    groups.push_back(group);
  }
  return groups;
}

// Adds where a member reads an operand, unless it is known.
void Grouping::AddPlaces(const Instruction::Use& use, ReadAt at,
                         std::vector<Place>& places) {
  const auto add = [&](int32_t number, double repetitions) {
    if (std::ranges::find(places, number, &Place::number) == places.end()) {
      places.push_back({.number = number, .repetitions = repetitions});
    }
  };
  if (at != ReadAt::kElsewhere) {
    add(at == ReadAt::kOwnRow ? kRowPlace : kOwnPlace, 1);
    return;
  }
  const Instruction& user = *use.user;
  const double repetitions = RepetitionsBy(user, use.operand_index);
  for (const Place& place : places_[Id(user)]) {
    if (IsElementwise(user)) {
      add(place.number, place.repetitions);
      continue;
    }
    // Each operand of a concatenation or the like is read at a place of its
    // own.
    const int64_t mover = user.id() * int64_t{64} + use.operand_index % 64;
    const auto next =
        static_cast<int32_t>(moved_places_.size()) + kRowPlace + 1;
    add(moved_places_.try_emplace({mover, place.number}, next).first->second,
        place.repetitions * repetitions);
  }
}

Grouping::Reading Grouping::ReadingOf(const Instruction& instruction,
                                      int32_t number) {
  const FusionGroup& group = groups_[static_cast<size_t>(number)];
  Reading reading;
  reading.is_needed_outside = instruction.parent()->root() == &instruction;
  // The rows of the group, or those that it would get.
  std::optional<RowSpace> rows = group.rows;
  if (!rows.has_value() && SourceOf(instruction) != nullptr) {
    rows = RowsOfSource(*SourceOf(instruction));
  }
  std::optional<ReadAt> at;
  for (const Instruction::Use& use : instruction.uses()) {
    const Instruction& user = *use.user;
    if (group_of_[Id(user)] != number) {
      reading.is_needed_outside = true;
      continue;
    }
    ReadAt by_user = ReadAt::kElsewhere;
    if (group.loop_shape != nullptr) {
      by_user = ReadAtThrough(user, use.operand_index, read_at_[Id(user)],
                              rows.has_value() ? &*rows : nullptr);
    }
    at = !at.has_value() || *at == by_user ? by_user : ReadAt::kElsewhere;
    AddPlaces(use, by_user, reading.places);
  }
  reading.at = at.value_or(ReadAt::kElsewhere);
  return reading;
}

bool Grouping::Joins(Instruction& instruction, int32_t number) {
  FusionGroup& group = groups_[static_cast<size_t>(number)];
  const Reading reading = ReadingOf(instruction, number);
  const char* reason = WhyNotMember(instruction, group, reading);
  if (reason == nullptr && reading.is_needed_outside) {
    reason = WhyNotOutput(instruction, number, reading);
  }
  const std::string& name = group.outputs.front()->name();
  if (reason != nullptr) {
    context_.Remember(kFusionPass, instruction, "not fused into ", name, ": ",
                      reason);
    return false;
  }
  const bool is_row_value =
      reading.at == ReadAt::kOwnRow && SourceOf(instruction) != nullptr;
  if (is_row_value && !group.rows.has_value()) {
    group.rows = RowsOfSource(*SourceOf(instruction));
  }
  if (reading.at == ReadAt::kOwnRow &&
      instruction.opcode() != Opcode::kReduce) {
    group.row_cost += ElementCost(instruction);
  }
  if (IsProduct(instruction)) group.product = &instruction;
  // Without its product, a reshape would only move the loop's index about.
  if (group.product == nullptr) group.product = ReshapedProduct(instruction);
  group_of_[Id(instruction)] = number;
  read_at_[Id(instruction)] = reading.at;
  places_[Id(instruction)] = reading.places;
  AddMember(instruction, group);
  if (reading.is_needed_outside) {
    group.outputs.push_back(&instruction);
    AddSpan(group);
  }
  context_.Remember(
      kFusionPass, instruction, "fused into ", name,
      reading.is_needed_outside ? ", as a result of its own" : "");
  return true;
}

const char* Grouping::WhyNotMember(const Instruction& instruction,
                                   const FusionGroup& group,
                                   const Reading& reading) const {
  // Its reshape is there.
  if (group.product == &instruction) return nullptr;
  for (const Instruction::Use& use : instruction.uses()) {
    if (IsInGroup(*use.user, group_of_[Id(*group.outputs.front())]) &&
        !CanReadElements(*use.user, use.operand_index)) {
      return "it is no array that is read element by element";
    }
  }
  const bool is_row_value =
      reading.at == ReadAt::kOwnRow && SourceOf(instruction) != nullptr;
  if (ReadsOverwritten(instruction, group)) {
    return "it reads what the update overwrites";
  }
  const char* reason = nullptr;
  if (is_row_value) {
    reason = WhyNotRowValue(instruction, group);
  } else if (IsProduct(instruction) ||
             ReshapedProduct(instruction) != nullptr) {
    reason = WhyNotProduct(instruction, group, reading);
  } else {
    double repetitions = 0;
    for (const Place& place : reading.places) {
      repetitions = std::max(repetitions, place.repetitions);
    }
    reason = WhyNotFused(instruction, repetitions);
  }
  if (reason != nullptr) return reason;
  if (static_cast<int64_t>(reading.places.size()) > MaxCopies(instruction)) {
    return "its code would be repeated too often";
  }
  if (group.members.size() >= kMaxInstructions ||
      group.operands.size() + static_cast<size_t>(instruction.operand_count()) >
          kMaxOperands) {
    return "the loop is long enough";
  }
  return nullptr;
}

const char* Grouping::WhyNotProduct(const Instruction& instruction,
                                    const FusionGroup& group,
                                    const Reading& reading) const {
  if (group.rows.has_value()) return "the loop walks rows";
  if (group.product != nullptr) return "the loop has a product";
  if (group.loop_shape == nullptr || reading.at != ReadAt::kOwnElement ||
      instruction.shape().ElementCount() != group.loop_shape->ElementCount()) {
    return "its elements are not read one by one";
  }
  if (WholeArrays(group) - 1 > kMaxArraysOfProduct) {
    return "the loop reads or writes too many arrays";
  }
  return nullptr;
}

int64_t Grouping::WholeArrays(const FusionGroup& group) const {
  absl::flat_hash_set<const Instruction*> arrays(group.outputs.begin(),
                                                 group.outputs.end());
  for (const Instruction* operand : group.operands) {
    if (!IsRepeated(*operand) && operand->shape().IsArray() &&
        operand->shape().ElementCount() == group.loop_shape->ElementCount()) {
      arrays.insert(operand);
    }
  }
  return static_cast<int64_t>(arrays.size());
}

const char* Grouping::WhyNotRowValue(const Instruction& instruction,
                                     const FusionGroup& group) const {
  const RowSpace rows = RowsOfSource(*SourceOf(instruction));
  if (group.loop_shape == nullptr) return "the loop has no rows";
  if (group.product != nullptr) return "the loop is that of a product";
  if (!ChangesUnitDimensionsOnly(*group.loop_shape, *rows.shape) ||
      (group.rows.has_value() && !IsSameSpace(*group.rows, rows))) {
    return "its rows are others";
  }
  if (instruction.opcode() != Opcode::kReduce &&
      group.row_cost + ElementCost(instruction) > MaxRowCost(rows)) {
    return "rows are too short for so much work between them";
  }
  return nullptr;
}

const char* Grouping::WhyNotOutput(const Instruction& instruction,
                                   int32_t number,
                                   const Reading& reading) const {
  const FusionGroup& group = groups_[static_cast<size_t>(number)];
  if (group.loop_shape == nullptr) return "the loop has one result only";
  if (reading.at == ReadAt::kElsewhere) {
    return "it is needed elsewhere, and not read element by element";
  }
  if (reading.at == ReadAt::kOwnElement &&
      !ChangesUnitDimensionsOnly(instruction.shape(), *group.loop_shape)) {
    return "it is needed elsewhere, in other dimensions";
  }
  if (group.outputs.size() >= kMaxOutputs) {
    return "it is needed elsewhere, and the loop has enough results";
  }
  if (ComesBack({&instruction}, number, number)) {
    return "the loop needs what others compute from it";
  }
  return nullptr;
}

bool Grouping::ForgetUnsupported(RowSources& sources) const {
  bool found = false;
  std::vector<bool> is_supported(group_of_.size(), false);
  for (const Instruction* instruction : computation_.PostOrder()) {
    const size_t id = Id(*instruction);
    const int32_t group = group_of_[id];
    if (group == kNoGroup || read_at_[id] != ReadAt::kOwnRow ||
        sources[id] == nullptr) {
      continue;
    }
    bool is_computed = instruction->opcode() == Opcode::kReduce;
    for (const Instruction* operand : instruction->operands()) {
      is_computed = is_computed || (group_of_[Id(*operand)] == group &&
                                    is_supported[Id(*operand)]);
    }
    is_supported[id] = is_computed;
    if (is_computed) continue;
    sources[id] = nullptr;
    found = true;
  }
  return found;
}

}  // namespace hilo::passes
