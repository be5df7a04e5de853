// Loops and sums of convolutions whose lanes are features.
#include "backends/cpu/feature_lanes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_result.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// WindowElements begin ... end of a window along one dimension.
struct KnownElements {
  int64_t begin = 0;
  int64_t end = 0;
};
struct WindowElements {
  llvm::Value* begin = nullptr;
  llvm::Value* end = nullptr;
};

// The elements that exist of the window at one position.
KnownElements ElementsAt(const MatmulWindow& window, int64_t size,
                         int64_t position) {
  const int64_t start = position * window.step - window.padding_low;
  const int64_t room = window.input_size - 1 - start;
  const int64_t begin = start < 0 ? DivideUp(-start, window.dilation) : 0;
  const int64_t end = room < 0 ? 0 : std::min(size, room / window.dilation + 1);
  return {std::min(begin, size), std::max(std::min(begin, size), end)};
}

// A tile of positions of the last row loop.
struct FeatureTile {
  int rows = 1;
  // The first one (i64).
  llvm::Value* first = nullptr;
  // The elements that exist, by row.
  std::vector<KnownElements> elements = {};
};

// Emits one unit.
class FeatureNest {
 public:
  FeatureNest(MatmulCode& code, MatmulResult& result, const FeatureUnit& unit)
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
  const FeatureUnit& unit_;
  int64_t window_size_;
};

// The sums of one tile.
class FeatureSums {
 public:
  FeatureSums(MatmulCode& code, const FeatureTile& tile,
              const PanelShape& shape)
      : code_(code),
        plan_(code.plan()),
        tile_(tile),
        shape_(shape),
        lhs_row_bytes_(plan_.rows.back().lhs_stride * code.lhs_bytes()),
        lhs_step_bytes_(plan_.depth.back().lhs_stride * code.lhs_bytes()),
        rhs_step_bytes_(plan_.depth.back().rhs_stride * code.rhs_bytes()) {}

  // Adds the products of depth loops from `level` on.
  absl::StatusOr<std::vector<ElementValue>> Emit(
      size_t level, absl::Span<const WindowElements> elements, llvm::Value* lhs,
      llvm::Value* rhs, std::vector<ElementValue> sums) {
    if (level == elements.size()) return EmitLast(lhs, rhs, std::move(sums));
    const WindowElements& range = elements[level];
    const int64_t lhs_bytes = plan_.depth[level].lhs_stride * code_.lhs_bytes();
    const int64_t rhs_bytes = plan_.depth[level].rhs_stride * code_.rhs_bytes();
    const auto body = [&](llvm::Value* from_lhs, llvm::Value* from_rhs,
                          std::vector<ElementValue>& in) -> absl::Status {
      ASSIGN_OR_RETURN(
          in, Emit(level + 1, elements, from_lhs, from_rhs, std::move(in)));
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(
        Loop(range, 1, {lhs, lhs_bytes}, {rhs, rhs_bytes}, body, sums));
    return sums;
  }

 private:
  // An operand at element 0 of a window, and the bytes from one to the next.
  struct Operand {
    llvm::Value* pointer = nullptr;
    int64_t bytes = 0;
  };

  // Runs `body` for every step-th element.
  template <typename Body>
  absl::Status Loop(const WindowElements& range, int64_t step,
                    const Operand& lhs, const Operand& rhs, Body body,
                    std::vector<ElementValue>& sums) {
    CarriedValues carried = {
        code_.Advance(lhs.pointer, range.begin, lhs.bytes),
        code_.Advance(rhs.pointer, range.begin, rhs.bytes)};
    const CarriedValues parts = Flatten(sums);
    carried.insert(carried.end(), parts.begin(), parts.end());
    ASSIGN_OR_RETURN(
        carried,
        EmitLoopWithValues(
            code_.builder(), range.begin, range.end, step, carried,
            [&](llvm::Value*, absl::Span<llvm::Value* const> in)
                -> absl::StatusOr<CarriedValues> {
              std::vector<ElementValue> values = code_.Unflatten(in.subspan(2));
              RETURN_IF_ERROR(body(in[0], in[1], values));
              CarriedValues out = Flatten(values);
              out.insert(out.begin(), {code_.Advance(in[0], step * lhs.bytes),
                                       code_.Advance(in[1], step * rhs.bytes)});
              return out;
            }));
    sums = code_.Unflatten(absl::MakeConstSpan(carried).subspan(2));
    return absl::OkStatus();
  }

  // The last depth loop, depth_unroll elements at once: in a loop where they
  // are there for all rows.
  absl::StatusOr<std::vector<ElementValue>> EmitLast(
      llvm::Value* lhs, llvm::Value* rhs, std::vector<ElementValue> sums) {
    const int64_t unroll = plan_.depth_unroll;
    KnownElements any = tile_.elements.front();
    KnownElements all = any;
    for (const KnownElements& row : tile_.elements) {
      any = {std::min(any.begin, row.begin), std::max(any.end, row.end)};
      all = {std::max(all.begin, row.begin), std::min(all.end, row.end)};
    }
    if (all.end - all.begin < unroll) all = {any.end, any.end};
    all.end -= (all.end - all.begin) % unroll;
    EmitInParts({any.begin, all.begin}, lhs, rhs, sums);
    const std::vector<KnownElements> every(tile_.elements.size(), {0, unroll});
    const auto step = [&](llvm::Value* from_lhs, llvm::Value* from_rhs,
                          std::vector<ElementValue>& in) {
      EmitElements({0, unroll}, every, from_lhs, from_rhs, in);
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(Loop({code_.Int(all.begin), code_.Int(all.end)}, unroll,
                         {lhs, lhs_step_bytes_}, {rhs, rhs_step_bytes_}, step,
                         sums));
    EmitInParts({all.end, any.end}, lhs, rhs, sums);
    return sums;
  }

  void EmitInParts(const KnownElements& range, llvm::Value* lhs,
                   llvm::Value* rhs, std::vector<ElementValue>& sums) {
    for (int64_t e = range.begin; e < range.end; e += plan_.depth_unroll) {
      EmitElements({e, std::min(e + plan_.depth_unroll, range.end)},
                   tile_.elements, lhs, rhs, sums);
    }
  }

  // Some elements for the rows that have them. Each input is loaded once for
  // all rows that it is an element of; every row sums in the same order.
  void EmitElements(const KnownElements& range,
                    absl::Span<const KnownElements> rows, llvm::Value* lhs,
                    llvm::Value* rhs, std::vector<ElementValue>& sums) {
    struct Use {
      int row;
      int64_t element;
    };
    std::map<int64_t, std::vector<Use>> inputs;
    for (int row = 0; row < tile_.rows; ++row) {
      const KnownElements& exist = rows[row];
      for (int64_t e = std::max(range.begin, exist.begin);
           e < std::min(range.end, exist.end); ++e) {
        inputs[row * lhs_row_bytes_ + e * lhs_step_bytes_].push_back({row, e});
      }
    }
    for (int v = 0; v < shape_.vectors; ++v) {
      std::vector<ElementValue> weights;
      for (int64_t e = range.begin; e < range.end; ++e) {
        weights.push_back(LoadRhs(code_.Advance(rhs, e * rhs_step_bytes_), v));
      }
      for (const auto& [offset, uses] : inputs) {
        const ElementValue input = LoadLhs(code_.Advance(lhs, offset), v);
        for (const Use& use : uses) {
          ElementValue& sum = sums[use.row * shape_.vectors + v];
          sum =
              code_.MultiplyAdd(input, weights[use.element - range.begin], sum);
        }
      }
    }
  }

  ElementValue LoadRhs(llvm::Value* rhs, int vector) {
    return code_.LoadOperand(
        plan_.tile_rhs_type(),
        code_.Advance(rhs, code_.rhs_bytes() * plan_.lanes * vector),
        plan_.lanes, code_.Mask(shape_, vector));
  }

  ElementValue LoadLhs(llvm::Value* lhs, int vector) {
    const hlo::ElementType type = plan_.tile_lhs_type();
    const int lanes = plan_.lanes;
    if (plan_.lhs_repeats == 1) {
      return code_.LoadOperand(
          type, code_.Advance(lhs, code_.lhs_bytes() * lanes * vector), lanes,
          code_.Mask(shape_, vector));
    }
    if (plan_.lhs_repeats >= lanes) {
      return code_.scalars().Splat(code_.LoadOperand(type, lhs, 1, nullptr),
                                   lanes);
    }
    const auto repeats = static_cast<int>(plan_.lhs_repeats);
    const int active =
        (code_.ActiveLanes(shape_, vector) + repeats - 1) / repeats;
    const ElementValue inputs = code_.LoadOperand(
        type, lhs, lanes / repeats, code_.Mask(lanes / repeats, active));
    return {.real = Repeat(inputs.real, repeats),
            .imag = inputs.imag == nullptr ? nullptr
                                           : Repeat(inputs.imag, repeats)};
  }

  // Every lane so many times.
  llvm::Value* Repeat(llvm::Value* vector, int repeats) {
    llvm::SmallVector<int, 32> indices;
    for (int i = 0; i < plan_.lanes; ++i) indices.push_back(i / repeats);
    return code_.builder().CreateShuffleVector(vector, indices);
  }

  MatmulCode& code_;
  const MatmulPlan& plan_;
  const FeatureTile& tile_;
  PanelShape shape_;
  int64_t lhs_row_bytes_;
  int64_t lhs_step_bytes_;
  int64_t rhs_step_bytes_;
};

absl::Status FeatureNest::EmitRows(
    size_t level, const MatmulCursor& cursor,
    const std::vector<WindowElements>& elements) {
  if (level + 1 == plan_.rows.size()) return EmitTiles(cursor, elements);
  const MatmulLoop& loop = plan_.rows[level];
  llvm::Value* begin = level == 0 ? unit_.rows_begin : code_.Int(0);
  llvm::Value* end = level == 0 ? unit_.rows_end : code_.Int(loop.size);
  return EmitLoop(builder_, begin, end, 1, [&](llvm::Value* i) {
    MatmulCursor moved = cursor;
    llvm::Value* local =
        level == 0 ? builder_.CreateSub(i, unit_.first_row) : i;
    moved.lhs =
        code_.Advance(cursor.lhs, local, loop.lhs_stride * code_.lhs_bytes());
    moved.output = code_.Advance(cursor.output, i,
                                 loop.output_stride * code_.stored_bytes());
    moved.output_offset =
        code_.Scale(i, loop.output_stride, cursor.output_offset);
    moved.row = code_.Scale(cursor.row, loop.size, i);
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
  llvm::Value* begin = is_blocked ? unit_.rows_begin : code_.Int(0);
  llvm::Value* end = is_blocked ? unit_.rows_end : code_.Int(plan_.row_tiles());
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
  const MatmulLoop& loop = plan_.rows.back();
  MatmulCursor moved = cursor;
  llvm::Value* local = plan_.rows.size() == 1
                           ? builder_.CreateSub(tile.first, unit_.first_row)
                           : tile.first;
  moved.lhs =
      code_.Advance(cursor.lhs, local, loop.lhs_stride * code_.lhs_bytes());
  moved.output = code_.Advance(cursor.output, tile.first,
                               loop.output_stride * code_.stored_bytes());
  moved.output_offset =
      code_.Scale(tile.first, loop.output_stride, cursor.output_offset);
  moved.row = code_.Scale(cursor.row, loop.size, tile.first);
  const int64_t columns = plan_.columns.back().size;
  const int64_t full = columns / plan_.panel_columns();
  const auto rest = static_cast<int>(columns % plan_.panel_columns());
  const PanelShape whole{plan_.column_tile, plan_.lanes};
  llvm::Value* end = unit_.panels_end;
  RETURN_IF_ERROR(
      EmitLoop(builder_, unit_.panels_begin,
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
  std::vector<ElementValue> zeros(
      static_cast<size_t>(tile.rows) * shape.vectors, code_.Zero(plan_.lanes));
  ASSIGN_OR_RETURN(
      const std::vector<ElementValue> sums,
      FeatureSums(code_, tile, shape)
          .Emit(0, elements, moved.lhs, moved.rhs, std::move(zeros)));
  return result_.StoreVectors(tile.rows, shape, sums, moved);
}

}  // namespace

absl::Status EmitFeatureUnit(MatmulCode& code, MatmulResult& result,
                             const FeatureUnit& unit) {
  return FeatureNest(code, result, unit).Emit();
}

}  // namespace hilo::backends
