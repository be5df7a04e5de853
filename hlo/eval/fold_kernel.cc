// Typed loops for reducers that are a single common operation.
#include "hlo/eval/fold_kernel.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {
namespace {

// Types that have loops of their own; others take the general way.
template <typename T>
inline constexpr bool kHasLoops =
    std::is_arithmetic_v<T> || std::is_same_v<T, Float16> ||
    std::is_same_v<T, BFloat16>;

// Unsigned and at least as wide as int, so that products wrap.
template <typename T>
using Wrapping =
    std::conditional_t<(sizeof(T) > sizeof(uint32_t)), uint64_t, uint32_t>;

struct AddOperation {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) +
                            static_cast<Wrapping<T>>(b));
    } else {
      return a + b;
    }
  }
};

struct MultiplyOperation {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) *
                            static_cast<Wrapping<T>>(b));
    } else {
      return a * b;
    }
  }
};

// NaN if either is; -0 < +0.
struct MaximumOperation {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
      if (a == b) return std::signbit(a) ? b : a;
    }
    return a > b ? a : b;
  }
};

struct MinimumOperation {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
      if (a == b) return std::signbit(a) ? a : b;
    }
    return a < b ? a : b;
  }
};

struct AndOperation {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct OrOperation {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};

template <typename T, typename Operation>
T Apply(T a, T b) {
  if constexpr (std::is_arithmetic_v<T>) {
    return Operation::Apply(a, b);
  } else {
    return ConvertElement<T>(
        Operation::Apply(ConvertElement<float>(a), ConvertElement<float>(b)));
  }
}

template <typename T, typename Operation>
void FoldLanes(void* accumulators, const void* elements, int64_t count,
               int64_t element_stride) {
  T* to = static_cast<T*>(accumulators);
  const T* from = static_cast<const T*>(elements);
  if (element_stride == 1) {
    for (int64_t i = 0; i < count; ++i) {
      to[i] = Apply<T, Operation>(to[i], from[i]);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    to[i] = Apply<T, Operation>(to[i], from[i * element_stride]);
  }
}

template <typename T, typename Operation>
void FoldRun(void* accumulators, const void* elements, int64_t count,
             int64_t element_stride) {
  const T* from = static_cast<const T*>(elements);
  T value = *static_cast<T*>(accumulators);
  for (int64_t i = 0; i < count; ++i) {
    value = Apply<T, Operation>(value, from[i * element_stride]);
  }
  *static_cast<T*>(accumulators) = value;
}

template <typename Operation>
std::optional<FoldKernel> KernelOf(ElementType type) {
  return DispatchElementType(type, [](auto tag) -> std::optional<FoldKernel> {
    using T = decltype(tag)::type;
    constexpr bool kIsBitwise = std::is_same_v<Operation, AndOperation> ||
                                std::is_same_v<Operation, OrOperation>;
    constexpr bool kIsDefined = !kIsBitwise || std::is_integral_v<T>;
    if constexpr (kHasLoops<T> && kIsDefined) {
      return FoldKernel{.fold_lanes = &FoldLanes<T, Operation>,
                        .fold_run = &FoldRun<T, Operation>,
                        .is_order_free = std::is_integral_v<T>};
    } else {
      return std::nullopt;
    }
  });
}

bool IsParameter(const Instruction* instruction, int64_t number) {
  return instruction->opcode() == Opcode::kParameter &&
         instruction->parameter_number() == number;
}

// Whether the root combines parameters 0 and 1, both of the given type.
bool CombinesParameters(const Instruction& root, ElementType type) {
  if (root.operand_count() != 2 || !root.shape().IsScalar()) return false;
  if (root.shape().element_type() != type) return false;
  for (int64_t i = 0; i < 2; ++i) {
    if (root.operand_shape(i).element_type() != type) return false;
  }
  const Instruction* lhs = root.operand(0);
  const Instruction* rhs = root.operand(1);
  return (IsParameter(lhs, 0) && IsParameter(rhs, 1)) ||
         (IsParameter(lhs, 1) && IsParameter(rhs, 0));
}

}  // namespace

std::optional<FoldKernel> FindFoldKernel(const Computation& body,
                                         ElementType type) {
  const Instruction& root = *body.root();
  if (body.parameter_count() != 2 || !CombinesParameters(root, type)) {
    return std::nullopt;
  }
  const Opcode opcode = root.opcode();
  if (opcode == Opcode::kAdd) return KernelOf<AddOperation>(type);
  if (opcode == Opcode::kMultiply) return KernelOf<MultiplyOperation>(type);
  if (opcode == Opcode::kMaximum) return KernelOf<MaximumOperation>(type);
  if (opcode == Opcode::kMinimum) return KernelOf<MinimumOperation>(type);
  if (opcode == Opcode::kAnd) return KernelOf<AndOperation>(type);
  if (opcode == Opcode::kOr) return KernelOf<OrOperation>(type);
  return std::nullopt;
}

}  // namespace hilo::hlo
