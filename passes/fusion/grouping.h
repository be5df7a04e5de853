// Which instructions of a computation go together into one loop.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
  // Dimensions of the loop; null: one that takes no further outputs.
  const hlo::Shape* loop_shape = nullptr;
  // The rows that it walks, where its reductions make values of rows.
  std::optional<RowSpace> rows;
  int64_t instruction_count = 0;
  int64_t operand_count = 0;
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

  // Takes the sources of those that were taken into a group as values of rows
  // while their reductions were not. Whether there were any: the computation
  // is to be grouped again then.
  bool ForgetUnsupported(RowSources& sources) const;

 private:
  static constexpr int32_t kNoGroup = -1;
  // How a group reads an instruction.
  struct Reading {
    ReadAt at = ReadAt::kElsewhere;
    double repetitions = 0;
    // Indices at which the group's code computes an element.
    int64_t copies = 0;
    // Uses by others.
    bool is_needed_outside = false;
  };

  void Assign(hlo::Instruction& instruction);
  bool RepeatsInGroups(const hlo::Instruction& instruction) const;
  void Begin(hlo::Instruction& instruction);
  std::vector<int32_t> GroupsOfUsers(const hlo::Instruction& instruction) const;
  bool Joins(hlo::Instruction& instruction, int32_t number);
  // Null if the instruction may be a member of the group; else why not.
  const char* WhyNotMember(const hlo::Instruction& instruction,
                           const FusionGroup& group,
                           const Reading& reading) const;
  const char* WhyNotOutput(const hlo::Instruction& instruction, int32_t number,
                           const Reading& reading) const;
  const char* WhyNotRowValue(const hlo::Instruction& instruction,
                             const FusionGroup& group) const;
  Reading ReadingOf(const hlo::Instruction& instruction, int32_t number) const;
  // Whether what others compute from the instruction is read by the group.
  bool ComesBack(const hlo::Instruction& instruction, int32_t number) const;
  const hlo::Instruction* SourceOf(const hlo::Instruction& instruction) const;

  const hlo::Computation& computation_;
  const RowSources& sources_;
  const PassContext& context_;
  std::vector<FusionGroup> groups_;
  std::vector<int32_t> group_of_;
  // Where, and how often, each element is read within its group.
  std::vector<ReadAt> read_at_;
  std::vector<double> repetitions_;
  std::vector<int64_t> copies_;
  std::vector<bool> is_repeated_;
};

}  // namespace hilo::passes
