// Replays schedules on tagged memory.
#include "passes/buffer_assignment/check_buffers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "passes/buffer_assignment/tagged_memory.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// One tag per array leaf.
using Tags = std::vector<Tag>;

// How often a loop's body is run.
constexpr int kIterations = 2;

int64_t CountArrays(const Shape& shape) {
  if (shape.IsArray() || shape.IsBuffer()) return 1;
  int64_t count = 0;
  for (const Shape& element : shape.elements()) count += CountArrays(element);
  return count;
}

// The array leaves before the sub-shape at `index`.
int64_t ArraysBefore(const Shape& shape, absl::Span<const int64_t> index) {
  if (index.empty()) return 0;
  int64_t count = 0;
  for (int64_t i = 0; i < index.front(); ++i) {
    count += CountArrays(shape.element(i));
  }
  return count + ArraysBefore(shape.element(index.front()), index.subspan(1));
}

bool Overlap(const Slice& a, const Slice& b) {
  return a.allocation == b.allocation &&
         a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes;
}

absl::Status ErrorAt(const Instruction& instruction, const std::string& what) {
  return absl::InternalError(absl::StrCat(TextOf(instruction.opcode()), " ",
                                          instruction.name(), ": ", what));
}

// The operands' tags one after the other, when that is what an instruction
// gives without running code.
bool OnlyForwards(Opcode opcode) {
  return opcode == Opcode::kTuple || opcode == Opcode::kBitcast ||
         opcode == Opcode::kDomain || opcode == Opcode::kAddDependency ||
         opcode == Opcode::kOptimizationBarrier || opcode == Opcode::kAfterAll;
}

// An output leaf that must lie on an operand leaf.
struct MustShare {
  int64_t operand = 0;
  int64_t operand_leaf = 0;
  int64_t output_leaf = 0;
};

std::vector<MustShare> DeclaredSharing(const Instruction& instruction) {
  std::vector<MustShare> result;
  if (instruction.opcode() == Opcode::kDynamicUpdateSlice) return {{}};
  if (instruction.opcode() == Opcode::kScatter) {
    for (int64_t i = 0; i < CountArrays(instruction.shape()); ++i) {
      result.push_back({.operand = i, .operand_leaf = 0, .output_leaf = i});
    }
  }
  for (const hlo::OutputOperandAlias& alias :
       instruction.output_to_operand_aliasing()) {
    const int64_t output =
        ArraysBefore(instruction.shape(), alias.output_index);
    const int64_t input = ArraysBefore(instruction.operand_shape(alias.operand),
                                       alias.operand_index);
    const int64_t count =
        CountArrays(*instruction.shape().At(alias.output_index));
    for (int64_t i = 0; i < count; ++i) {
      result.push_back({.operand = alias.operand,
                        .operand_leaf = input + i,
                        .output_leaf = output + i});
    }
  }
  return result;
}

class Replay {
 public:
  // `places`: for each allocation, the one whose memory it has.
  Replay(const hlo::Module& module, const BufferAssignment& assignment,
         const BufferOptions& options, std::vector<int32_t> places)
      : module_(module),
        assignment_(assignment),
        options_(options),
        places_(std::move(places)),
        memory_(assignment.allocations().size()) {
    tags_.resize(module.computation_count());
    for (const auto& computation : module.computations()) {
      tags_[computation->id()].resize(computation->instruction_count());
    }
  }

  absl::Status Run() {
    const Computation& entry = *module_.entry();
    int32_t allocation = 0;
    std::vector<Tags> arguments;
    for (const Instruction* parameter : entry.parameters()) {
      arguments.emplace_back();
      for (int64_t i = 0; i < CountArrays(parameter->shape()); ++i) {
        arguments.back().push_back(NewTag());
        const Slice whole = {
            .allocation = allocation,
            .offset_bytes = 0,
            .size_bytes = assignment_.allocations()[allocation].size_bytes};
        memory_.Write(Placed(whole), arguments.back().back());
        ++allocation;
      }
    }
    ASSIGN_OR_RETURN(const Tags results, RunComputation(entry, arguments));
    for (size_t i = 0; i < results.size(); ++i) {
      const Slice& slice =
          assignment_.slice(*entry.root(), static_cast<int64_t>(i));
      const Allocation& place = assignment_.allocations()[slice.allocation];
      if (place.kind != AllocationKind::kResult || slice.offset_bytes != 0 ||
          std::cmp_not_equal(place.number, i) ||
          place.size_bytes != slice.size_bytes) {
        return ErrorAt(*entry.root(),
                       absl::StrCat("array ", i, " is not result ", i));
      }
      if (!memory_.Holds(Placed(slice), results[i])) {
        return ErrorAt(*entry.root(), absl::StrCat("result ", i, " is lost"));
      }
    }
    return absl::OkStatus();
  }

 private:
  Tag NewTag() { return ++last_tag_; }

  Slice Placed(Slice slice) const {
    slice.allocation = places_[slice.allocation];
    return slice;
  }
  Slice PlaceOf(const Instruction& instruction, int64_t leaf) const {
    return Placed(assignment_.slice(instruction, leaf));
  }
  Tags& TagsOf(const Instruction& instruction) {
    return tags_[instruction.parent()->id()][instruction.id()];
  }

  // All arrays of `value`, which `reader` needs, are where they should be.
  absl::Status CheckHeld(const Instruction& reader, const Instruction& value) {
    const Tags& tags = TagsOf(value);
    for (size_t i = 0; i < tags.size(); ++i) {
      if (memory_.Holds(PlaceOf(value, static_cast<int64_t>(i)), tags[i])) {
        continue;
      }
      return ErrorAt(reader, absl::StrCat("array ", i, " of ", value.name(),
                                          " is overwritten when it is read"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Tags> RunComputation(const Computation& computation,
                                      const std::vector<Tags>& parameters) {
    std::vector<bool> has_run(computation.instruction_count(), false);
    for (const Instruction* instruction : assignment_.schedule(computation)) {
      RETURN_IF_ERROR(CheckOrder(*instruction, has_run));
      has_run[instruction->id()] = true;
      if (instruction->opcode() == Opcode::kParameter) {
        TagsOf(*instruction) = parameters[instruction->parameter_number()];
        continue;
      }
      RETURN_IF_ERROR(RunInstruction(*instruction));
    }
    if (std::ranges::find(has_run, false) != has_run.end()) {
      return ErrorAt(*computation.root(), "the schedule is incomplete");
    }
    RETURN_IF_ERROR(CheckHeld(*computation.root(), *computation.root()));
    return TagsOf(*computation.root());
  }

  static absl::Status CheckOrder(const Instruction& instruction,
                                 const std::vector<bool>& has_run) {
    if (has_run[instruction.id()]) return ErrorAt(instruction, "runs twice");
    for (const auto& before :
         {instruction.operands(), instruction.control_predecessors()}) {
      for (const Instruction* other : before) {
        if (!has_run[other->id()]) {
          return ErrorAt(instruction,
                         absl::StrCat("runs before ", other->name()));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunInstruction(const Instruction& instruction) {
    Tags& tags = TagsOf(instruction);
    tags.clear();
    switch (instruction.opcode()) {
      case Opcode::kConstant:
        return RunConstant(instruction);
      case Opcode::kGetTupleElement: {
        const Tags& all = TagsOf(*instruction.operand(0));
        const std::array index = {instruction.index()};
        const int64_t first = ArraysBefore(instruction.operand_shape(0), index);
        const auto begin = all.begin() + first;
        tags.assign(begin, begin + CountArrays(instruction.shape()));
        return CheckForwarded(instruction, 0, first, 0);
      }
      case Opcode::kWhile:
        return RunLoop(instruction);
      case Opcode::kConditional:
        return RunBranches(instruction, instruction.branches());
      case Opcode::kCall:
        return RunBranches(instruction, {instruction.to_apply()});
      default:  // NOLINT: all others run code or forward
        break;
    }
    if (!OnlyForwards(instruction.opcode())) return RunCode(instruction);
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const Tags& operand = TagsOf(*instruction.operand(i));
      const auto first = static_cast<int64_t>(tags.size());
      tags.insert(tags.end(), operand.begin(), operand.end());
      RETURN_IF_ERROR(CheckForwarded(instruction, i, 0, first));
    }
    return absl::OkStatus();
  }

  // What forwards lies where its operand lies.
  absl::Status CheckForwarded(const Instruction& instruction, int64_t operand,
                              int64_t operand_leaf, int64_t leaf) {
    const int64_t count = std::min(
        CountArrays(instruction.shape()) - leaf,
        CountArrays(instruction.operand_shape(operand)) - operand_leaf);
    for (int64_t i = 0; i < count; ++i) {
      if (assignment_.slice(instruction, leaf + i) !=
          assignment_.slice(*instruction.operand(operand), operand_leaf + i)) {
        return ErrorAt(instruction,
                       absl::StrCat("array ", leaf + i,
                                    " lies elsewhere than its operand"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunConstant(const Instruction& constant) {
    for (int64_t i = 0; i < CountArrays(constant.shape()); ++i) {
      const Slice& slice = assignment_.slice(constant, i);
      const Allocation& place = assignment_.allocations()[slice.allocation];
      if (place.constant != &constant || place.number != i) {
        return ErrorAt(constant, "lies elsewhere");
      }
      TagsOf(constant).push_back(NewTag());
      memory_.Write(Placed(slice), TagsOf(constant).back());
    }
    return absl::OkStatus();
  }

  absl::Status RunCode(const Instruction& instruction) {
    for (const Instruction* operand : instruction.operands()) {
      RETURN_IF_ERROR(CheckHeld(instruction, *operand));
    }
    RETURN_IF_ERROR(CheckDeclared(instruction));
    const int64_t count = CountArrays(instruction.shape());
    for (int64_t i = 0; i < count; ++i) {
      RETURN_IF_ERROR(CheckOutput(instruction, i));
    }
    if (const Slice* scratch = assignment_.scratch(instruction);
        scratch != nullptr) {
      RETURN_IF_ERROR(CheckScratch(instruction, *scratch));
      memory_.Write(Placed(*scratch), 0);
    }
    for (int64_t i = 0; i < count; ++i) {
      TagsOf(instruction).push_back(NewTag());
      memory_.Write(PlaceOf(instruction, i), TagsOf(instruction).back());
    }
    return absl::OkStatus();
  }

  absl::Status CheckDeclared(const Instruction& instruction) const {
    for (const MustShare& share : DeclaredSharing(instruction)) {
      const Slice& operand = assignment_.slice(
          *instruction.operand(share.operand), share.operand_leaf);
      if (assignment_.slice(instruction, share.output_leaf) != operand) {
        return ErrorAt(instruction, "is not in place");
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckOutput(const Instruction& instruction, int64_t leaf) const {
    const Slice slice = PlaceOf(instruction, leaf);
    const Allocation& place = assignment_.allocations()[slice.allocation];
    if (place.kind != AllocationKind::kResult &&
        place.kind != AllocationKind::kTemporary) {
      return ErrorAt(instruction, "writes to read-only memory");
    }
    if (slice.offset_bytes < 0 ||
        slice.offset_bytes + slice.size_bytes > place.size_bytes) {
      return ErrorAt(instruction, "writes outside its allocation");
    }
    for (int64_t other = 0; other < leaf; ++other) {
      if (Overlap(slice, PlaceOf(instruction, other))) {
        return ErrorAt(instruction, "writes two arrays to one place");
      }
    }
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const Instruction& operand = *instruction.operand(i);
      for (int64_t j = 0; j < CountArrays(operand.shape()); ++j) {
        const Slice input = PlaceOf(operand, j);
        if (!Overlap(slice, input)) continue;
        if (input.offset_bytes != slice.offset_bytes ||
            !MayOverwrite(instruction, i, j, leaf)) {
          return ErrorAt(instruction,
                         absl::StrCat("writes over operand ", operand.name()));
        }
      }
    }
    return absl::OkStatus();
  }

  bool MayOverwrite(const Instruction& instruction, int64_t operand,
                    int64_t operand_leaf, int64_t leaf) const {
    if (instruction.opcode() == Opcode::kCopy &&
        instruction.shape() == instruction.operand_shape(0)) {
      return true;
    }
    for (const MustShare& share : DeclaredSharing(instruction)) {
      if (share.operand == operand && share.operand_leaf == operand_leaf &&
          share.output_leaf == leaf) {
        return true;
      }
    }
    return options_.can_share != nullptr &&
           options_.can_share(instruction, operand, operand_leaf, leaf);
  }

  absl::Status CheckScratch(const Instruction& instruction,
                            const Slice& scratch) const {
    const auto overlaps = [&](const Instruction& value) {
      for (int64_t i = 0; i < CountArrays(value.shape()); ++i) {
        if (Overlap(Placed(scratch), PlaceOf(value, i))) return true;
      }
      return false;
    };
    const std::vector<Instruction*> operands = instruction.operands();
    if (overlaps(instruction) ||
        std::ranges::any_of(
            operands, [&](const Instruction* o) { return overlaps(*o); })) {
      return ErrorAt(instruction, "has scratch memory over its arrays");
    }
    return absl::OkStatus();
  }

  // Two values that flow into each other lie in one place.
  absl::Status CheckTogether(const Instruction& call, const Instruction& a,
                             const Instruction& b) const {
    for (int64_t i = 0; i < CountArrays(a.shape()); ++i) {
      if (assignment_.slice(a, i) != assignment_.slice(b, i)) {
        return ErrorAt(call,
                       absl::StrCat("array ", i, " of ", a.name(),
                                    " lies elsewhere than that of ", b.name()));
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunLoop(const Instruction& loop) {
    const Instruction& init = *loop.operand(0);
    const std::vector<const Instruction*> places = {
        &init, loop.body()->parameter(0), loop.condition()->parameter(0),
        loop.body()->root()};
    for (const Instruction* other : places) {
      RETURN_IF_ERROR(CheckTogether(loop, loop, *other));
    }
    RETURN_IF_ERROR(CheckHeld(loop, init));
    std::vector<TaggedMemory> ends;
    std::vector<Tags> end_tags;
    Tags tags = TagsOf(init);
    for (int i = 0; i <= kIterations; ++i) {
      RETURN_IF_ERROR(RunComputation(*loop.condition(), {tags}).status());
      TagsOf(loop) = tags;
      RETURN_IF_ERROR(CheckHeld(loop, loop));
      ends.push_back(memory_);
      end_tags.push_back(tags);
      if (i == kIterations) break;
      ASSIGN_OR_RETURN(tags, RunComputation(*loop.body(), {tags}));
    }
    Meet(loop, ends, end_tags);
    return absl::OkStatus();
  }

  absl::Status RunBranches(const Instruction& call,
                           const std::vector<Computation*>& branches) {
    const bool is_call = call.opcode() == Opcode::kCall;
    if (!is_call) {
      RETURN_IF_ERROR(CheckHeld(call, *call.operand(0)));
    }
    const TaggedMemory before = memory_;
    std::vector<TaggedMemory> ends;
    std::vector<Tags> end_tags;
    for (size_t i = 0; i < branches.size(); ++i) {
      memory_ = before;
      std::vector<Tags> parameters;
      for (Instruction* parameter : branches[i]->parameters()) {
        const Instruction& operand =
            *call.operand(is_call ? parameter->parameter_number()
                                  : static_cast<int64_t>(i) + 1);
        RETURN_IF_ERROR(CheckTogether(call, operand, *parameter));
        parameters.push_back(TagsOf(operand));
      }
      RETURN_IF_ERROR(CheckTogether(call, call, *branches[i]->root()));
      ASSIGN_OR_RETURN(Tags tags, RunComputation(*branches[i], parameters));
      ends.push_back(memory_);
      end_tags.push_back(std::move(tags));
    }
    Meet(call, ends, end_tags);
    return absl::OkStatus();
  }

  // Goes on with what all ways to the end of a call have in common, and names
  // anew what differs among its results.
  void Meet(const Instruction& call, const std::vector<TaggedMemory>& ends,
            const std::vector<Tags>& end_tags) {
    memory_ = ends.front();
    for (const TaggedMemory& end : ends) memory_.IntersectWith(end);
    TagsOf(call) = end_tags.front();
    for (size_t i = 0; i < end_tags.front().size(); ++i) {
      const bool is_same = std::ranges::all_of(end_tags, [&](const Tags& tags) {
        return tags[i] == end_tags.front()[i];
      });
      if (is_same) continue;
      TagsOf(call)[i] = NewTag();
      memory_.Write(PlaceOf(call, static_cast<int64_t>(i)), TagsOf(call)[i]);
    }
  }

  const hlo::Module& module_;
  const BufferAssignment& assignment_;
  const BufferOptions& options_;
  std::vector<int32_t> places_;
  TaggedMemory memory_;
  // By computation id and instruction id.
  std::vector<std::vector<Tags>> tags_;
  Tag last_tag_ = 0;
};

// The argument that a result may take the memory of, by result; -1: none.
std::vector<int64_t> SharedArguments(const hlo::Module& module,
                                     const BufferAssignment& assignment) {
  const Computation& entry = *module.entry();
  std::vector<int64_t> result(CountArrays(entry.root()->shape()), -1);
  for (const hlo::InputOutputAlias& alias :
       module.header().input_output_alias) {
    int64_t argument = 0;
    for (int64_t i = 0; i < alias.parameter_number; ++i) {
      argument += CountArrays(entry.parameter(i)->shape());
    }
    const Shape& parameter = entry.parameter(alias.parameter_number)->shape();
    argument += ArraysBefore(parameter, alias.parameter_index);
    const int64_t first =
        ArraysBefore(entry.root()->shape(), alias.output_index);
    const int64_t count = CountArrays(*parameter.At(alias.parameter_index));
    for (int64_t i = 0; i < count; ++i) {
      if (assignment.may_share_argument(first + i)) {
        result[first + i] = argument + i;
      }
    }
  }
  return result;
}

}  // namespace

absl::Status CheckBuffers(const hlo::Module& module,
                          const BufferAssignment& assignment,
                          const BufferOptions& options) {
  std::vector<int32_t> places(assignment.allocations().size());
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<int32_t>(i);
  }
  RETURN_IF_ERROR(Replay(module, assignment, options, places).Run());
  int64_t argument_count = 0;
  for (const Instruction* parameter : module.entry()->parameters()) {
    argument_count += CountArrays(parameter->shape());
  }
  const std::vector<int64_t> shared = SharedArguments(module, assignment);
  bool is_shared = false;
  for (size_t result = 0; result < shared.size(); ++result) {
    if (shared[result] < 0) continue;
    places[shared[result]] =
        static_cast<int32_t>(argument_count + static_cast<int64_t>(result));
    is_shared = true;
  }
  if (!is_shared) return absl::OkStatus();
  return Replay(module, assignment, options, std::move(places)).Run();
}

}  // namespace hilo::passes
