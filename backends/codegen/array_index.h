// Where the lanes of a vector lie in an array: indices as LLVM values.
#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace hilo::backends {

// One coordinate of an index, for all lanes.
struct Coordinate {
  // i64: the value in lane 0. Or <lanes x i64>: one value a lane.
  llvm::Value* base = nullptr;
  // Added from lane to lane; 0 when `base` is a vector.
  int64_t stride = 0;

  bool IsVector() const;
  // Whether all lanes have the same value.
  bool IsUniform() const { return stride == 0 && !IsVector(); }
  friend bool operator==(const Coordinate&, const Coordinate&) = default;
};

using ArrayIndex = absl::InlinedVector<Coordinate, 6>;

bool IsUniform(absl::Span<const Coordinate> index);

// The smaller and the larger of two i64, or lane by lane of two vectors of
// them; of two constants a constant.
llvm::Value* MinIndex(llvm::IRBuilderBase& builder, llvm::Value* a,
                      llvm::Value* b);
llvm::Value* MaxIndex(llvm::IRBuilderBase& builder, llvm::Value* a,
                      llvm::Value* b);

// Arithmetic on coordinates. Appends instructions to one builder; constants
// are folded.
class IndexMath {
 public:
  IndexMath(llvm::IRBuilderBase& builder, int lanes)
      : builder_(builder), lanes_(lanes) {}

  int lanes() const { return lanes_; }
  Coordinate Constant(int64_t value);

  Coordinate Add(const Coordinate& a, int64_t b);
  Coordinate Add(const Coordinate& a, const Coordinate& b);
  Coordinate Multiply(const Coordinate& a, int64_t b);
  // Quotient and remainder of a coordinate that is not negative.
  Coordinate Divide(const Coordinate& a, int64_t b);
  Coordinate Remainder(const Coordinate& a, int64_t b);
  // The coordinate limited to [0, high].
  Coordinate Clamp(const Coordinate& a, int64_t high);

  // low <= a < high, as i1 for uniform coordinates, else one bit a lane.
  llvm::Value* IsInRange(const Coordinate& a, int64_t low, int64_t high);
  llvm::Value* IsEqual(const Coordinate& a, int64_t b);
  // Conjunction of two conditions of either form; null stands for true.
  llvm::Value* And(llvm::Value* a, llvm::Value* b);
  // A condition of either form as one bit a lane.
  llvm::Value* SplatCondition(llvm::Value* condition);

  // One i64 a lane (a scalar when there is one lane).
  llvm::Value* Lanes(const Coordinate& a);

 private:
  llvm::Value* LaneNumbers(int64_t stride);

  llvm::IRBuilderBase& builder_;
  int lanes_;
};

}  // namespace hilo::backends
