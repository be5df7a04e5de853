// Which instructions of a computation go together into one loop.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "passes/fusion/row_space.h"
#include "passes/pass_context.h"

namespace hilo::passes {

// Instructions that one loop computes.
struct FusionGroup {
  // Those that are needed outside. The first is what the group began with, and
  // is computed last.
  std::vector<hlo::Instruction*> outputs;
  // All, consumers first. None: the group was united with another.
  std::vector<const hlo::Instruction*> members;
  // Dimensions of the loop; null: one that takes no further outputs.
  const hlo::Shape* loop_shape = nullptr;
  // The rows that it walks, where its reductions make values of rows.
  std::optional<RowSpace> rows;
  // The product whose elements the loop works on where they are computed; null:
  // a loop of its own.
  hlo::Instruction* product = nullptr;
  // Arrays that members read and no member computes.
  absl::flat_hash_set<const hlo::Instruction*> operands;
  // The last member's place in the computation's order, operands first.
  int64_t last_position = 0;
  // What is computed once for each row, in additions.
  double row_cost = 0;
};

// For each instruction the reduction whose rows it has one value of; null:
// none. What is computed from such values alone is one, too.
using RowSources = std::vector<const hlo::Instruction*>;
RowSources FindRowSources(const hlo::Computation& computation,
                          const TargetTraits& traits);

// Assigns the instructions of one computation to groups, consumers first, so
// that a producer finds out whether all who use it are together.
class Grouping {
 public:
  Grouping(const hlo::Computation& computation, const RowSources& sources,
           const PassContext& context);

  const std::vector<FusionGroup>& groups() const { return groups_; }
  bool IsInGroup(const hlo::Instruction& instruction, int32_t group) const;
  // Whether every group that reads the instruction computes it itself.
  bool IsRepeated(const hlo::Instruction& instruction) const;

  // Makes one group of those that read the same elements of an array.
  void UniteSiblings();

  // Takes the sources of those that were taken into a group as values of rows
  // while their reductions were not. Whether there were any: the computation
  // is to be grouped again then.
  bool ForgetUnsupported(RowSources& sources) const;

 private:
  static constexpr int32_t kNoGroup = -1;
  // An index at which a group reads an instruction: whoever reads at the same
  // one shares what is computed there.
  struct Place {
    int32_t number = 0;
    // How often each element is read there, on average.
    double repetitions = 1;
  };
  static constexpr int32_t kOwnPlace = 0;
  static constexpr int32_t kRowPlace = 1;

  // How a group reads an instruction.
  struct Reading {
    ReadAt at = ReadAt::kElsewhere;
    std::vector<Place> places;
    // Uses by others.
    bool is_needed_outside = false;
  };

  void Assign(hlo::Instruction& instruction);
  bool RepeatsInGroups(const hlo::Instruction& instruction) const;
  void AddMember(const hlo::Instruction& instruction, FusionGroup& group);
  void Begin(hlo::Instruction& instruction);
  std::vector<int32_t> GroupsOfUsers(const hlo::Instruction& instruction) const;
  bool Joins(hlo::Instruction& instruction, int32_t number);
  // Null if the instruction may be a member of the group; else why not.
  const char* WhyNotMember(const hlo::Instruction& instruction,
                           const FusionGroup& group,
                           const Reading& reading) const;
  const char* WhyNotOutput(const hlo::Instruction& instruction, int32_t number,
                           const Reading& reading) const;
  const char* WhyNotProduct(const hlo::Instruction& instruction,
                            const FusionGroup& group,
                            const Reading& reading) const;
  const char* WhyNotRowValue(const hlo::Instruction& instruction,
                             const FusionGroup& group) const;
  void AddPlaces(const hlo::Instruction::Use& use, ReadAt at,
                 std::vector<Place>& places);
  Reading ReadingOf(const hlo::Instruction& instruction, int32_t number);
  // Arrays of the loop's size that it reads or writes.
  int64_t WholeArrays(const FusionGroup& group) const;
  // Remembers where a group of several results is computed.
  void AddSpan(const FusionGroup& group);
  // The last place in the computation's order from which anything may lead to
  // a group.
  int64_t LastPositionBefore(int32_t number) const;
  // Whether a group reads what others compute from one of the instructions,
  // uses within `own` apart.
  bool ComesBack(const std::vector<const hlo::Instruction*>& instructions,
                 int32_t own, int32_t number) const;
  // Null if the two groups, which read `operand`, may be one; else why not.
  const char* WhyNotTogether(const hlo::Instruction& operand, int32_t first,
                             int32_t second) const;
  bool ReadsAtOwnElement(const hlo::Instruction& operand, int32_t number) const;
  void Unite(int32_t first, int32_t second);
  const hlo::Instruction* SourceOf(const hlo::Instruction& instruction) const;

  const hlo::Computation& computation_;
  const RowSources& sources_;
  const PassContext& context_;
  std::vector<FusionGroup> groups_;
  std::vector<int32_t> group_of_;
  // Places in an order with operands first.
  std::vector<int64_t> positions_;
  // From the first to the last place of groups of several results: what leads
  // to one of these leads to all. First places to last ones; none overlap.
  std::map<int64_t, int64_t> spans_;
  // Where elements are read within their group.
  std::vector<ReadAt> read_at_;
  std::vector<std::vector<Place>> places_;
  // The place to which an instruction moves what is read at a place.
  absl::flat_hash_map<std::pair<int64_t, int32_t>, int32_t> moved_places_;
  std::vector<bool> is_repeated_;
};

}  // namespace hilo::passes
