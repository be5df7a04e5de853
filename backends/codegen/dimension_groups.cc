// Finds the dimensions that one counter can walk.
#include "backends/codegen/dimension_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

#include "backends/codegen/array_index.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::backends {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// A coordinate that no loop dimension gives.
constexpr int64_t kFixed = -1;
// A coordinate that is computed from loop dimensions in another way.
constexpr int64_t kComputed = -2;

// Walks from the roots to the arrays they read, and collects which borders
// between loop dimensions must stay.
class Grouping {
 public:
  Grouping(const Shape& loop_shape,
           const absl::flat_hash_set<const Instruction*>& arrays)
      : arrays_(arrays),
        is_border_(static_cast<size_t>(loop_shape.rank()),
                   !loop_shape.HasDefaultLayout()) {
    for (int64_t d = 0; d < loop_shape.rank(); ++d) {
      if (loop_shape.dimension(d) != 1) dimensions_.push_back(d);
    }
  }

  const DimensionVector& dimensions() const { return dimensions_; }

  // Visits an array (or a tuple of such) whose dimensions are the loop's, those
  // of size 1 apart.
  void VisitRoot(const Instruction& root, int64_t loop_rank) {
    DimensionVector map;
    if (!root.shape().IsArray()) {
      for (int64_t d = 0; d < loop_rank; ++d) map.push_back(d);
      return Visit(root, map);
    }
    size_t next = 0;
    for (const int64_t size : root.shape().dimensions()) {
      map.push_back(size == 1 ? kFixed : dimensions_[next++]);
    }
    Visit(root, map);
  }

  // `map` gives the loop dimension of each coordinate of the instruction.
  void Visit(const Instruction& instruction, const DimensionVector& map) {
    if (!seen_.insert({&instruction, map}).second) return;
    if (arrays_.contains(&instruction)) return VisitArray(instruction, map);
    const Opcode opcode = instruction.opcode();
    if (opcode == Opcode::kParameter) {
      // The parameter of a fusion: its operand, or an array of its own.
      const auto operand = operands_.find(&instruction);
      if (operand == operands_.end()) return VisitArray(instruction, map);
      return Visit(*operand->second, map);
    }
    if (opcode == Opcode::kFusion) return VisitFusion(instruction, map);
    if (opcode == Opcode::kTuple && AreArrays(instruction.operands())) {
      const auto loop_rank = static_cast<int64_t>(map.size());
      for (const Instruction* operand : instruction.operands()) {
        VisitRoot(*operand, loop_rank);
      }
      return;
    }
    if (opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement ||
        opcode == Opcode::kCopy || hlo::InfoOf(opcode).Has(hlo::kElementwise)) {
      return VisitOperands(instruction, map);
    }
    if (opcode == Opcode::kReshape || opcode == Opcode::kBitcast) {
      if (VisitReshape(instruction, map)) return;
    }
    if (opcode == Opcode::kBroadcast) return VisitBroadcast(instruction, map);
    if (opcode == Opcode::kTranspose) return VisitTranspose(instruction, map);
    if (opcode == Opcode::kReduce) return VisitReduce(instruction, map);
    if (opcode == Opcode::kIota) {
      return Separate(map[static_cast<size_t>(instruction.iota_dimension())]);
    }
    if (opcode == Opcode::kConstant) return;
    // Anything else may do what it likes with its coordinates.
    for (const int64_t d : map) Separate(d);
    for (const Instruction* operand : instruction.operands()) {
      Visit(*operand,
            DimensionVector(static_cast<size_t>(operand->shape().IsArray()
                                                    ? operand->shape().rank()
                                                    : 0),
                            kComputed));
    }
  }

  bool IsBorderAfter(int64_t d) const {
    return is_border_[static_cast<size_t>(d)];
  }

 private:
  // Whether all have as many dimensions of more than one element as the loop.
  bool AreArrays(const std::vector<Instruction*>& instructions) const {
    return std::ranges::all_of(
        instructions, [&](const Instruction* instruction) {
          const Shape& shape = instruction->shape();
          return shape.IsArray() &&
                 std::ranges::count_if(shape.dimensions(), [](int64_t size) {
                   return size != 1;
                 }) == static_cast<int64_t>(dimensions_.size());
        });
  }

  void VisitOperands(const Instruction& instruction,
                     const DimensionVector& map) {
    for (const Instruction* operand : instruction.operands()) {
      const bool is_scalar = operand->shape().IsScalar();
      Visit(*operand, is_scalar ? DimensionVector() : map);
    }
  }

  void VisitFusion(const Instruction& instruction, const DimensionVector& map) {
    const hlo::Computation& computation = *instruction.calls();
    for (int64_t i = 0; i < computation.parameter_count(); ++i) {
      operands_[computation.parameter(i)] = instruction.operand(i);
    }
    Visit(*computation.root(), map);
  }

  void VisitBroadcast(const Instruction& instruction,
                      const DimensionVector& map) {
    DimensionVector inner;
    for (const int64_t d : instruction.dimensions()) {
      inner.push_back(map[static_cast<size_t>(d)]);
    }
    Visit(*instruction.operand(0), inner);
  }

  // A reshape that adds or drops dimensions of size 1 only; else false.
  bool VisitReshape(const Instruction& instruction,
                    const DimensionVector& map) {
    const Shape& from = instruction.operand_shape(0);
    const Shape& to = instruction.shape();
    DimensionVector inner(static_cast<size_t>(from.rank()), kFixed);
    int64_t o = 0;
    for (int64_t i = 0; i < from.rank(); ++i) {
      if (from.dimension(i) == 1) continue;
      while (o < to.rank() && to.dimension(o) == 1) ++o;
      if (o == to.rank() || to.dimension(o) != from.dimension(i)) return false;
      inner[static_cast<size_t>(i)] = map[static_cast<size_t>(o++)];
    }
    if (from.ElementCount() != to.ElementCount()) return false;
    Visit(*instruction.operand(0), inner);
    return true;
  }

  void VisitTranspose(const Instruction& instruction,
                      const DimensionVector& map) {
    DimensionVector inner(map.size(), kFixed);
    for (size_t i = 0; i < map.size(); ++i) {
      inner[static_cast<size_t>(instruction.dimensions()[i])] = map[i];
    }
    Visit(*instruction.operand(0), inner);
  }

  void VisitReduce(const Instruction& instruction, const DimensionVector& map) {
    const int64_t inputs = instruction.operand_count() / 2;
    for (int64_t i = 0; i < inputs; ++i) {
      DimensionVector inner;
      size_t next = 0;
      const auto& reduced = instruction.dimensions();
      for (int64_t d = 0; d < instruction.operand_shape(i).rank(); ++d) {
        const bool is_reduced = std::ranges::find(reduced, d) != reduced.end();
        inner.push_back(is_reduced ? kComputed : map[next++]);
      }
      Visit(*instruction.operand(i), inner);
      Visit(*instruction.operand(inputs + i), {});
    }
  }

  // An array in memory: neighbours must be neighbours there.
  void VisitArray(const Instruction& instruction, const DimensionVector& map) {
    const Shape& shape = instruction.shape();
    const bool is_row_major = !shape.IsArray() || shape.HasDefaultLayout();
    // Dimensions of size 1 are no distance.
    DimensionVector dense;
    for (size_t i = 0; i < map.size(); ++i) {
      if (shape.dimension(static_cast<int64_t>(i)) != 1)
        dense.push_back(map[i]);
    }
    for (size_t i = 0; i + 1 < dimensions_.size(); ++i) {
      const int64_t d = dimensions_[i];
      auto* const first = std::ranges::find(dense, d);
      auto* const second = std::ranges::find(dense, dimensions_[i + 1]);
      if (first == dense.end() && second == dense.end()) continue;
      const bool are_neighbours =
          is_row_major && first != dense.end() && second == first + 1 &&
          std::ranges::count(dense, d) == 1 &&
          std::ranges::count(dense, dimensions_[i + 1]) == 1;
      if (!are_neighbours) SetBorderAfter(d);
    }
  }

  // Loop dimension `d` needs a counter of its own.
  void Separate(int64_t d) {
    if (d < 0) return;
    SetBorderAfter(d);
    auto* const place = std::ranges::find(dimensions_, d);
    if (place != dimensions_.end() && place != dimensions_.begin()) {
      SetBorderAfter(*(place - 1));
    }
  }

  void SetBorderAfter(int64_t d) { is_border_[static_cast<size_t>(d)] = true; }

  // Those of the loop that are not of size 1.
  DimensionVector dimensions_;
  const absl::flat_hash_set<const Instruction*>& arrays_;
  std::vector<bool> is_border_;
  absl::flat_hash_set<std::pair<const Instruction*, DimensionVector>> seen_;
  absl::flat_hash_map<const Instruction*, const Instruction*> operands_;
};

}  // namespace

ArrayIndex IndexInShape(const ArrayIndex& index, const Shape& from,
                        const Shape& to, const Coordinate& zero) {
  ArrayIndex result(static_cast<size_t>(to.rank()), zero);
  int64_t next = 0;
  for (int64_t d = 0; d < to.rank(); ++d) {
    if (to.dimension(d) == 1) continue;
    while (from.dimension(next) == 1) ++next;
    result[static_cast<size_t>(d)] = index[static_cast<size_t>(next++)];
  }
  return result;
}

std::vector<DimensionGroup> GroupDimensions(
    const std::vector<const Instruction*>& roots, const Shape& loop_shape,
    const absl::flat_hash_set<const Instruction*>& arrays) {
  Grouping grouping(loop_shape, arrays);
  for (const Instruction* root : roots) {
    grouping.VisitRoot(*root, loop_shape.rank());
  }
  std::vector<DimensionGroup> groups;
  for (const int64_t d : grouping.dimensions()) {
    if (groups.empty() || grouping.IsBorderAfter(groups.back().last - 1)) {
      groups.push_back({.first = d, .last = d, .size = 1});
    }
    groups.back().last = d + 1;
    groups.back().size *= loop_shape.dimension(d);
  }
  return groups;
}

}  // namespace hilo::backends
