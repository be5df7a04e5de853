// Says which opcodes fuse, and when recomputing costs too much.
#include "passes/fusion/fusible.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Opcodes that compute nothing: each element is one of an operand.
bool MovesElements(const Instruction& instruction) {
  constexpr std::array kMovements = {
      Opcode::kBroadcast, Opcode::kConcatenate, Opcode::kDynamicSlice,
      Opcode::kGather,    Opcode::kPad,         Opcode::kReverse,
      Opcode::kSlice};
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kReshape) {
    return ChangesUnitDimensionsOnly(instruction.operand_shape(0),
                                     instruction.shape());
  }
  if (opcode == Opcode::kTranspose) {
    // Reading across rows is left to a kernel that does it in tiles.
    const auto& dimensions = instruction.dimensions();
    return dimensions.empty() ||
           dimensions.back() == static_cast<int64_t>(dimensions.size()) - 1;
  }
  return std::ranges::find(kMovements, opcode) != kMovements.end();
}

// A window that spans a whole dimension: a kernel of its own computes these in
// one pass.
bool IsCumulative(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kReduceWindow) return false;
  const auto& dimensions = instruction.window().dimensions;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const int64_t size =
        instruction.operand_shape(0).dimension(static_cast<int64_t>(d));
    if (dimensions[d].size == size && size > 1 &&
        dimensions[d].padding_low + dimensions[d].padding_high == size - 1) {
      return true;
    }
  }
  return false;
}

double Ratio(const Shape& a, const Shape& b) {
  return static_cast<double>(a.ElementCount()) /
         static_cast<double>(std::max<int64_t>(b.ElementCount(), 1));
}

bool HasPlainArrays(const Instruction& instruction) {
  const auto is_plain = [](const Shape& shape) {
    return shape.IsArray() && !shape.IsDynamic();
  };
  return is_plain(instruction.shape()) &&
         std::ranges::all_of(instruction.operands(),
                             [&](const Instruction* operand) {
                               return is_plain(operand->shape());
                             });
}

// Each piece costs a comparison per element.
constexpr int64_t kMaxPieces = 8;

}  // namespace

bool IsElementwise(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kCopy) {
    return instruction.shape() == instruction.operand_shape(0);
  }
  if (opcode == Opcode::kBitcastConvert) {
    return hlo::SameDimensions(instruction.shape(),
                               instruction.operand_shape(0));
  }
  return hlo::InfoOf(opcode).Has(hlo::kElementwise) &&
         opcode != Opcode::kStochasticConvert;
}

double ElementCost(const Instruction& instruction) {
  constexpr double kMathCost = 16;
  constexpr double kDivisionCost = 4;
  switch (instruction.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kReshape:
    case Opcode::kTuple:
      return 0;
    case Opcode::kDivide:
    case Opcode::kGather:
    case Opcode::kRemainder:
    case Opcode::kSqrt:
      return kDivisionCost;
    case Opcode::kAtan2:
    case Opcode::kPower:
      return 2 * kMathCost;
    default:  // NOLINT: math functions have a trait, all others are additions.
      return hlo::InfoOf(instruction.opcode()).Has(hlo::kMathFunction)
                 ? kMathCost
                 : 1;
  }
}

bool ChangesUnitDimensionsOnly(const Shape& from, const Shape& to) {
  const auto sizes = [](const Shape& shape) {
    hlo::DimensionVector result;
    for (const int64_t size : shape.dimensions()) {
      if (size != 1) result.push_back(size);
    }
    return result;
  };
  return sizes(from) == sizes(to);
}

bool IsCheapToRepeat(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConstant:
      return instruction.shape().IsArray() &&
             instruction.shape().ElementCount() == 1;
    case Opcode::kIota:
      return true;
    case Opcode::kBroadcast:
      return instruction.operand(0)->opcode() == Opcode::kConstant &&
             IsCheapToRepeat(*instruction.operand(0));
    default:  // NOLINT: all others are computed once.
      return false;
  }
}

bool CanBeFusionRoot(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (IsCumulative(instruction)) return false;
  if (opcode == Opcode::kReduce || opcode == Opcode::kReduceWindow) {
    return std::ranges::all_of(instruction.shape().Leaves(),
                               [](const Shape* leaf) {
                                 return leaf->IsArray() && !leaf->IsDynamic();
                               });
  }
  if (!HasPlainArrays(instruction)) return false;
  if (instruction.shape().ElementCount() <= 1 &&
      opcode != Opcode::kDynamicUpdateSlice) {
    return false;
  }
  return IsElementwise(instruction) || MovesElements(instruction) ||
         opcode == Opcode::kDynamicUpdateSlice;
}

bool CanReadElements(const Instruction& user, int64_t operand) {
  switch (user.opcode()) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return operand < user.operand_count() / 2;
    case Opcode::kDynamicUpdateSlice:
      return operand == 1;
    case Opcode::kConvolution:
    case Opcode::kDot:
      return false;
    default:  // NOLINT: group members read all their operands so.
      return true;
  }
}

bool IsProduct(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  return (opcode == Opcode::kDot || opcode == Opcode::kConvolution) &&
         instruction.operand_count() == 2 && HasPlainArrays(instruction);
}

Instruction* ReshapedProduct(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kReshape || MovesElements(instruction)) {
    return nullptr;
  }
  Instruction* product = instruction.operand(0);
  const bool is_only_reader =
      product->uses().size() == 1 && product->parent()->root() != product;
  return IsProduct(*product) && is_only_reader ? product : nullptr;
}

double RepetitionsBy(const Instruction& user, int64_t operand) {
  const Shape& read = user.operand_shape(operand);
  switch (user.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kSlice:
      return Ratio(user.shape(), read);
    case Opcode::kReduceWindow: {
      double reads = 1;
      for (const hlo::WindowDimension& d : user.window().dimensions) {
        reads *= static_cast<double>(d.size) / static_cast<double>(d.stride);
      }
      return std::max(reads, 1.0);
    }
    default:  // NOLINT: all others read an element once at most.
      return 1;
  }
}

const char* WhyNotFused(const Instruction& instruction, double repetitions) {
  constexpr double kMaxRepetitions = 1.5;
  if (!HasPlainArrays(instruction)) return "it is no array of fixed size";
  if (instruction.opcode() == Opcode::kConcatenate &&
      instruction.operand_count() > kMaxPieces) {
    return "it has too many pieces";
  }
  if (MovesElements(instruction)) return nullptr;
  if (!IsElementwise(instruction)) return "it needs a loop of its own";
  if (instruction.shape().ElementCount() <= 1) {
    return "one element is computed before the loop";
  }
  if (repetitions > kMaxRepetitions) {
    return "its elements would be computed several times";
  }
  return nullptr;
}

}  // namespace hilo::passes
