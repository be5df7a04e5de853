// Loops of convolutions whose lanes are features.
#include "backends/cpu/feature_lanes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/feature_sums.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_result.h"
#include "backends/cpu/matmul_unit.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// The elements that exist of the window at one position.
KnownElements ElementsAt(const MatmulWindow& window, int64_t size,
                         int64_t position) {
  const int64_t start = position * window.step - window.padding_low;
  const int64_t room = window.input_size - 1 - start;
  const int64_t begin = start < 0 ? DivideUp(-start, window.dilation) : 0;
  const int64_t end = room < 0 ? 0 : std::min(size, room / window.dilation + 1);
  return {std::min(begin, size), std::max(std::min(begin, size), end)};
}

// Emits one unit.
class FeatureNest {
 public:
  FeatureNest(MatmulCode& code, MatmulResult& result, const MatmulUnit& unit)
      : code_(code),
        plan_(code.plan()),
        builder_(code.builder()),
        result_(result),
        unit_(unit),
        window_size_(plan_.depth.back().size) {}

  absl::Status Emit() {
    // Depth loops that belong to no row loop come first.
    std::vector<WindowElements> elements;
    for (size_t i = 0; i + plan_.rows.size() < plan_.depth.size(); ++i) {
      elements.push_back({code_.Int(0), code_.Int(plan_.depth[i].size)});
    }
    return EmitRows(0, unit_.cursor, elements);
  }

 private:
  absl::Status EmitRows(size_t level, const MatmulCursor& cursor,
                        const std::vector<WindowElements>& elements);
  absl::Status EmitTiles(const MatmulCursor& cursor,
                         absl::Span<const WindowElements> elements);
  absl::Status EmitTile(const FeatureTile& tile, const MatmulCursor& cursor,
                        absl::Span<const WindowElements> elements);
  absl::Status EmitPanel(const FeatureTile& tile, const PanelShape& shape,
                         llvm::Value* panel, const MatmulCursor& cursor,
                         absl::Span<const WindowElements> elements);
  WindowElements ElementsOf(size_t level, llvm::Value* position);
  FeatureTile TileAt(int64_t number);
  int64_t LeadingTiles() const;
  int64_t TrailingTiles(int64_t leading) const;

  MatmulCode& code_;
  const MatmulPlan& plan_;
  llvm::IRBuilderBase& builder_;
  MatmulResult& result_;
  const MatmulUnit& unit_;
  int64_t window_size_;
};

absl::Status FeatureNest::EmitRows(
    size_t level, const MatmulCursor& cursor,
    const std::vector<WindowElements>& elements) {
  if (level + 1 == plan_.rows.size()) return EmitTiles(cursor, elements);
  const MatmulLoop& loop = plan_.rows[level];
  llvm::Value* begin = level == 0 ? unit_.rows.begin : code_.Int(0);
  llvm::Value* end = level == 0 ? unit_.rows.end : code_.Int(loop.size);
  return EmitLoop(builder_, begin, end, 1, [&](llvm::Value* i) {
    llvm::Value* local =
        level == 0 ? builder_.CreateSub(i, unit_.first_row) : i;
    const MatmulCursor moved = AtRow(code_, cursor, loop, i, local);
    std::vector<WindowElements> inner = elements;
    inner.push_back(ElementsOf(level, i));
    return EmitRows(level + 1, moved, inner);
  });
}

// The elements of the window of a row loop that exist at a position.
WindowElements FeatureNest::ElementsOf(size_t level, llvm::Value* position) {
  const int64_t size =
      plan_.depth[plan_.depth.size() - plan_.rows.size() + level].size;
  WindowElements elements{code_.Int(0), code_.Int(size)};
  if (plan_.windows.empty()) return elements;
  const MatmulWindow& window = plan_.windows[level];
  llvm::Value* zero = code_.Int(0);
  const auto divide = [&](llvm::Value* x) {
    return window.dilation == 1
               ? x
               : builder_.CreateSDiv(x, code_.Int(window.dilation));
  };
  llvm::Value* start = builder_.CreateSub(
      code_.Scale(position, window.step, zero), code_.Int(window.padding_low));
  const KnownElements first = ElementsAt(window, size, 0);
  const KnownElements last =
      ElementsAt(window, size, plan_.rows[level].size - 1);
  if (first.begin > 0) {
    // -start / dilation, rounded up.
    llvm::Value* missing =
        divide(builder_.CreateSub(code_.Int(window.dilation - 1), start));
    elements.begin =
        MinIndex(builder_, MaxIndex(builder_, missing, zero), elements.end);
  }
  if (last.end < size) {
    llvm::Value* room =
        builder_.CreateSub(code_.Int(window.input_size - 1), start);
    llvm::Value* end =
        builder_.CreateSelect(builder_.CreateICmpSLT(room, zero), zero,
                              builder_.CreateAdd(divide(room), code_.Int(1)));
    elements.end = MinIndex(builder_, end, elements.end);
  }
  return elements;
}

// FeatureTile `number`, whose place is known.
FeatureTile FeatureNest::TileAt(int64_t number) {
  const int64_t first = number * plan_.row_tile;
  const int64_t rows =
      std::min<int64_t>(plan_.row_tile, plan_.rows.back().size - first);
  FeatureTile tile{.rows = static_cast<int>(rows), .first = code_.Int(first)};
  for (int64_t row = 0; row < rows; ++row) {
    tile.elements.push_back(
        plan_.windows.empty()
            ? KnownElements{0, window_size_}
            : ElementsAt(plan_.windows.back(), window_size_, first + row));
  }
  return tile;
}

// Tiles in the beginning where elements lie before the input.
int64_t FeatureNest::LeadingTiles() const {
  if (plan_.windows.empty()) return 0;
  const MatmulWindow& window = plan_.windows.back();
  const int64_t positions =
      DivideUp(std::max<int64_t>(window.padding_low, 0), window.step);
  return std::min(DivideUp(positions, plan_.row_tile), plan_.row_tiles());
}

// Tiles in the end, behind `leading` ones, that have fewer rows or where
// elements lie behind the input.
int64_t FeatureNest::TrailingTiles(int64_t leading) const {
  const int64_t size = plan_.rows.back().size;
  const int64_t tiles = plan_.row_tiles();
  int64_t begin = size % plan_.row_tile == 0 ? tiles : tiles - 1;
  begin = std::max(begin, leading);
  if (plan_.windows.empty()) return tiles - begin;
  const auto is_inside = [&](int64_t tile) {
    const int64_t last = std::min((tile + 1) * plan_.row_tile, size) - 1;
    return ElementsAt(plan_.windows.back(), window_size_, last).end ==
           window_size_;
  };
  while (begin > leading && !is_inside(begin - 1)) --begin;
  return tiles - begin;
}

absl::Status FeatureNest::EmitTiles(const MatmulCursor& cursor,
                                    absl::Span<const WindowElements> elements) {
  const bool is_blocked = plan_.rows.size() == 1;
  llvm::Value* begin = is_blocked ? unit_.rows.begin : code_.Int(0);
  llvm::Value* end = is_blocked ? unit_.rows.end : code_.Int(plan_.row_tiles());
  const int64_t leading = LeadingTiles();
  const int64_t inner_end = plan_.row_tiles() - TrailingTiles(leading);
  const auto emit_at = [&](int64_t number) {
    llvm::Value* tile = code_.Int(number);
    return EmitIf(builder_,
                  builder_.CreateAnd(builder_.CreateICmpSLE(begin, tile),
                                     builder_.CreateICmpSLT(tile, end)),
                  [&] { return EmitTile(TileAt(number), cursor, elements); });
  };
  for (int64_t number = 0; number < leading; ++number) {
    RETURN_IF_ERROR(emit_at(number));
  }
  if (leading < inner_end) {
    RETURN_IF_ERROR(EmitLoop(
        builder_, MaxIndex(builder_, begin, code_.Int(leading)),
        MinIndex(builder_, end, code_.Int(inner_end)), 1,
        [&](llvm::Value* number) {
          FeatureTile tile{
              .rows = plan_.row_tile,
              .first = code_.Scale(number, plan_.row_tile, code_.Int(0))};
          tile.elements.assign(static_cast<size_t>(tile.rows),
                               {0, window_size_});
          return EmitTile(tile, cursor, elements);
        }));
  }
  for (int64_t number = inner_end; number < plan_.row_tiles(); ++number) {
    RETURN_IF_ERROR(emit_at(number));
  }
  return absl::OkStatus();
}

absl::Status FeatureNest::EmitTile(const FeatureTile& tile,
                                   const MatmulCursor& cursor,
                                   absl::Span<const WindowElements> elements) {
  llvm::Value* local = plan_.rows.size() == 1
                           ? builder_.CreateSub(tile.first, unit_.first_row)
                           : tile.first;
  const MatmulCursor moved =
      AtRow(code_, cursor, plan_.rows.back(), tile.first, local);
  const int64_t columns = plan_.columns.back().size;
  const int64_t full = columns / plan_.panel_columns();
  const auto rest = static_cast<int>(columns % plan_.panel_columns());
  const PanelShape whole{plan_.column_tile, plan_.lanes};
  llvm::Value* end = unit_.columns.end;
  RETURN_IF_ERROR(
      EmitLoop(builder_, unit_.columns.begin,
               rest == 0 ? end : MinIndex(builder_, end, code_.Int(full)), 1,
               [&](llvm::Value* panel) {
                 return EmitPanel(tile, whole, panel, moved, elements);
               }));
  if (rest == 0) return absl::OkStatus();
  const int vectors = (rest + plan_.lanes - 1) / plan_.lanes;
  const PanelShape tail{vectors, rest - (vectors - 1) * plan_.lanes};
  return EmitIf(builder_, builder_.CreateICmpSGT(end, code_.Int(full)), [&] {
    return EmitPanel(tile, tail, code_.Int(full), moved, elements);
  });
}

absl::Status FeatureNest::EmitPanel(const FeatureTile& tile,
                                    const PanelShape& shape, llvm::Value* panel,
                                    const MatmulCursor& cursor,
                                    absl::Span<const WindowElements> elements) {
  const MatmulLoop& loop = plan_.columns.back();
  MatmulCursor moved = cursor;
  llvm::Value* column = code_.Scale(panel, plan_.panel_columns(), code_.Int(0));
  llvm::Value* input =
      plan_.lhs_repeats == 1
          ? column
          : builder_.CreateUDiv(column, code_.Int(plan_.lhs_repeats));
  moved.lhs =
      code_.Advance(cursor.lhs, input, loop.lhs_stride * code_.lhs_bytes());
  moved.rhs =
      code_.Advance(cursor.rhs, builder_.CreateSub(column, unit_.first_column),
                    loop.rhs_stride * code_.rhs_bytes());
  moved.output = code_.Advance(cursor.output, column,
                               loop.output_stride * code_.stored_bytes());
  moved.output_offset =
      code_.Scale(column, loop.output_stride, cursor.output_offset);
  moved.column = code_.Scale(cursor.column, loop.size, column);
  ASSIGN_OR_RETURN(
      const std::vector<ElementValue> sums,
      EmitFeatureSums(code_, tile, shape, elements, moved.lhs, moved.rhs));
  return result_.StoreVectors(tile.rows, shape, sums, moved);
}

}  // namespace

absl::Status EmitFeatureUnit(MatmulCode& code, MatmulResult& result,
                             const MatmulUnit& unit) {
  return FeatureNest(code, result, unit).Emit();
}

}  // namespace hilo::backends
