// The inner loops of convolutions feature by feature: the sums of one tile.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "backends/codegen/element_value.h"
#include "backends/cpu/matmul_code.h"

namespace hilo::backends {

// Elements begin ... end of a window along one dimension.
struct KnownElements {
  int64_t begin = 0;
  int64_t end = 0;
};
struct WindowElements {
  llvm::Value* begin = nullptr;
  llvm::Value* end = nullptr;
};

// A tile of positions of the last row loop.
struct FeatureTile {
  int rows = 1;
  // The first one (i64).
  llvm::Value* first = nullptr;
  // The elements that exist, by row.
  std::vector<KnownElements> elements = {};
};

// Emits the sums of a tile of positions for one panel of features, position by
// position. `lhs` and `rhs` point to element 0 of the windows of the first
// position, at the panel's first feature. `elements` are those of all depth
// loops but the last.
absl::StatusOr<std::vector<ElementValue>> EmitFeatureSums(
    MatmulCode& code, const FeatureTile& tile, const PanelShape& shape,
    absl::Span<const WindowElements> elements, llvm::Value* lhs,
    llvm::Value* rhs);

}  // namespace hilo::backends
