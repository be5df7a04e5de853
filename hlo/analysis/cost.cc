// Counts operations and bytes.
#include "hlo/analysis/cost.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {
namespace {

double Elements(const Shape& shape) {
  return static_cast<double>(shape.ElementCount());
}

double Bytes(const Shape& shape) {
  double bytes = 0;
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->IsArray()) bytes += static_cast<double>(leaf->ByteSize());
  }
  return bytes;
}

// Elements of one result of an instruction that gives one or several.
double ResultElements(const Instruction& instruction) {
  return Elements(*instruction.shape().Leaves()[0]);
}

// Operations on parts that make a sum, and a product with its sum.
double SumCost(ElementType type) { return IsComplex(type) ? 2 : 1; }
double MultiplyAddCost(ElementType type) { return IsComplex(type) ? 8 : 2; }

double ElementwiseCost(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCopy:
    case Opcode::kBitcastConvert:
    case Opcode::kReal:
    case Opcode::kImag:
    case Opcode::kComplex:
      return 0;
    case Opcode::kMultiply:
    case Opcode::kDivide:
      return IsComplex(instruction.shape().element_type()) ? 6 : 1;
    default:  // NOLINT: all others count alike
      return SumCost(instruction.shape().element_type());
  }
}

// Pairs of an output and a window position that meet an element, along one
// dimension.
double MeetingPairs(const WindowDimension& window, int64_t input,
                    int64_t output) {
  const int64_t span = (input - 1) * window.base_dilation + 1;
  double pairs = 0;
  for (int64_t k = 0; k < window.size; ++k) {
    const int64_t offset = k * window.window_dilation - window.padding_low;
    if (window.base_dilation == 1) {
      // Outputs o with 0 <= o * stride + offset < span.
      const int64_t first =
          offset >= 0 ? 0 : (-offset + window.stride - 1) / window.stride;
      const int64_t last =
          span - offset <= 0 ? 0 : (span - offset - 1) / window.stride + 1;
      pairs += static_cast<double>(
          std::max<int64_t>(0, std::min(last, output) - first));
      continue;
    }
    for (int64_t o = 0; o < output; ++o) {
      const int64_t place = o * window.stride + offset;
      const bool is_met =
          place >= 0 && place < span && place % window.base_dilation == 0;
      pairs += is_met ? 1 : 0;
    }
  }
  return pairs;
}

double ConvolutionCost(const Instruction& instruction) {
  const Shape& input = instruction.operand_shape(0);
  const Shape& kernel = instruction.operand_shape(1);
  const Shape& output = instruction.shape();
  const auto& labels = instruction.dim_labels();
  double products =
      static_cast<double>(output.dimension(labels.output_batch)) *
      static_cast<double>(output.dimension(labels.output_feature)) *
      static_cast<double>(kernel.dimension(labels.kernel_input_feature));
  const auto& windows = instruction.window().dimensions;
  for (size_t d = 0; d < windows.size(); ++d) {
    products *=
        MeetingPairs(windows[d], input.dimension(labels.input_spatial[d]),
                     output.dimension(labels.output_spatial[d]));
  }
  return products * MultiplyAddCost(output.element_type());
}

double DotCost(const Instruction& instruction) {
  double products = Elements(instruction.shape());
  for (const int64_t d : instruction.lhs_contracting_dims()) {
    products *= static_cast<double>(instruction.operand_shape(0).dimension(d));
  }
  return products * MultiplyAddCost(instruction.shape().element_type());
}

double FftCost(const Instruction& instruction) {
  double length = 1;
  for (const int64_t size : instruction.fft_length()) {
    length *= static_cast<double>(size);
  }
  if (length == 0) return 0;
  const double signal = std::max(Elements(instruction.operand_shape(0)),
                                 Elements(instruction.shape()));
  return 5 * signal * std::log2(length);
}

// How often a reduction, sort or scatter applies its computation.
double Applications(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kReduce:
    case Opcode::kAllReduce:
      return Elements(instruction.operand_shape(0));
    case Opcode::kReduceWindow: {
      double steps = ResultElements(instruction);
      for (const WindowDimension& d : instruction.window().dimensions) {
        steps *= static_cast<double>(d.size);
      }
      return steps;
    }
    case Opcode::kSelectAndScatter:
      return Elements(instruction.operand_shape(0)) +
             Elements(instruction.operand_shape(1));
    case Opcode::kSort: {
      const auto length = static_cast<double>(
          instruction.operand_shape(0).dimension(instruction.dimensions()[0]));
      return ResultElements(instruction) * std::log2(std::max(length, 1.0));
    }
    case Opcode::kScatter:
      return Elements(
          instruction.operand_shape(instruction.operand_count() - 1));
    case Opcode::kMap:
    case Opcode::kScan:
      return ResultElements(instruction);
    default:  // NOLINT: all others run what they call once
      return 1;
  }
}

class CostAnalysis {
 public:
  explicit CostAnalysis(const TripCounts& trip_counts)
      : trip_counts_(trip_counts) {}

  // Without recursion: computations may be nested deeply.
  Cost Of(const Computation& computation) {
    std::vector<const Computation*> stack = {&computation};
    while (!stack.empty()) {
      const Computation* next = stack.back();
      const size_t depth = stack.size();
      for (const auto& instruction : next->instructions()) {
        for (const Computation* callee : instruction->called_computations()) {
          if (!known_.contains(callee)) stack.push_back(callee);
        }
      }
      if (stack.size() > depth) continue;
      stack.pop_back();
      if (known_.contains(next)) continue;
      Cost cost;
      for (const auto& instruction : next->instructions()) {
        cost += OfInstruction(*instruction);
      }
      known_[next] = cost;
    }
    return known_[&computation];
  }

  Cost Of(const Instruction& instruction) {
    for (const Computation* callee : instruction.called_computations()) {
      Of(*callee);
    }
    return OfInstruction(instruction);
  }

 private:
  // A function with an error bound, on numbers that are not integers.
  static bool IsTranscendental(const Instruction& instruction) {
    const OpcodeInfo& info = InfoOf(instruction.opcode());
    if (instruction.opcode() == Opcode::kAbs) {
      return IsComplex(instruction.operand_shape(0).element_type());
    }
    return info.Has(kElementwise) && info.max_ulps > 0 &&
           instruction.shape().IsArray() &&
           !IsInteger(instruction.shape().element_type());
  }

  // What the instruction calls is known.
  Cost OfInstruction(const Instruction& instruction) const {
    Cost cost = Called(instruction);
    const double own = Own(instruction);
    cost.operations += own;
    if (IsTranscendental(instruction)) cost.transcendentals += own;
    switch (instruction.opcode()) {
      case Opcode::kCall:
      case Opcode::kConditional:
      case Opcode::kWhile:
        break;
      default:  // NOLINT: what others call is computed in registers
        cost.bytes = Bytes(instruction.shape());
        for (const Instruction* operand : instruction.operands()) {
          cost.bytes += Bytes(operand->shape());
        }
    }
    return cost;
  }

  static double Own(const Instruction& instruction) {
    switch (instruction.opcode()) {
      case Opcode::kDot:
      case Opcode::kScaledDot:
        return DotCost(instruction);
      case Opcode::kConvolution:
        return ConvolutionCost(instruction);
      case Opcode::kFft:
        return FftCost(instruction);
      case Opcode::kCholesky: {
        const Shape& shape = instruction.shape();
        const auto n = static_cast<double>(shape.dimension(shape.rank() - 1));
        return Elements(shape) * n / 3;
      }
      case Opcode::kTriangularSolve: {
        const Shape& a = instruction.operand_shape(0);
        const auto n = static_cast<double>(a.dimension(a.rank() - 1));
        return Elements(instruction.shape()) * n;
      }
      default:  // NOLINT: element by element, or no arithmetic of their own
        break;
    }
    if (!InfoOf(instruction.opcode()).Has(kElementwise) ||
        !instruction.shape().IsArray()) {
      return 0;
    }
    return ElementwiseCost(instruction) * Elements(instruction.shape());
  }

  Cost Called(const Instruction& instruction) const {
    Cost cost;
    if (instruction.opcode() == Opcode::kConditional) {
      for (const Computation* branch : instruction.called_computations()) {
        const Cost& other = known_.at(branch);
        if (other.operations >= cost.operations) cost = other;
      }
      return cost;
    }
    for (const Computation* callee : instruction.called_computations()) {
      cost += known_.at(callee);
    }
    if (instruction.opcode() != Opcode::kWhile) {
      return cost * Applications(instruction);
    }
    const std::optional<int64_t> turns = trip_counts_(instruction);
    cost.is_lower_bound = cost.is_lower_bound || !turns;
    return cost * static_cast<double>(turns.value_or(1));
  }

  const TripCounts& trip_counts_;
  absl::flat_hash_map<const Computation*, Cost> known_;
};

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  operations += other.operations;
  transcendentals += other.transcendentals;
  bytes += other.bytes;
  is_lower_bound = is_lower_bound || other.is_lower_bound;
  return *this;
}

Cost Cost::operator*(double times) const {
  return {.operations = operations * times,
          .transcendentals = transcendentals * times,
          .bytes = bytes * times,
          .is_lower_bound = is_lower_bound};
}

Cost CostOf(const Instruction& instruction, const TripCounts& trip_counts) {
  return CostAnalysis(trip_counts).Of(instruction);
}

Cost CostOf(const Module& module, const TripCounts& trip_counts) {
  const Computation& entry = *module.entry();
  Cost cost = CostAnalysis(trip_counts).Of(entry);
  cost.bytes = Bytes(entry.root()->shape());
  for (const Instruction* parameter : entry.parameters()) {
    cost.bytes += Bytes(parameter->shape());
  }
  return cost;
}

}  // namespace hilo::hlo
