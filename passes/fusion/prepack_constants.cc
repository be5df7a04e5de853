// Stores constant matrices as the panels that products read.
//
// The inner loop of a product reads some vectors of columns at one step of the
// depth, then the same columns at the next. In a matrix those lie a whole row
// apart; kernels copy them into panels, which few rows do not pay for. A
// constant can lie in memory as panels from the start:
//   dot(x, w[K,N]) = reshape(dot(x, panels[N/P,K,P])).
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/call_graph.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;
using hlo::Shape;

constexpr const char kPrepackPass[] = "constant-prepacking";

// With more rows, kernels that pack are as fast.
constexpr int64_t kMostRows = 64;

// Columns of a panel: whole vectors, of which common tiles leave no rest. 0: no
// such number divides the columns.
int64_t PanelColumns(int64_t columns, ElementType type,
                     const TargetTraits& traits) {
  constexpr std::array kVectors = {12, 8, 6, 4};
  const int64_t lanes = traits.vector_bytes / hlo::StorageBytes(type);
  for (const int64_t vectors : kVectors) {
    const int64_t panel = vectors * lanes;
    if (columns > panel && columns % panel == 0) return panel;
  }
  return 0;
}

// A constant as the second operand of products.
struct ConstantMatrix {
  // Of columns, in the order of the result, and of depth.
  DimensionVector free;
  DimensionVector contracting;
  int64_t panel_columns = 0;
};

bool IsConstantProduct(const Instruction& dot) {
  if (dot.opcode() != Opcode::kDot || dot.operand_count() != 2 ||
      dot.operand(1)->opcode() != Opcode::kConstant) {
    return false;
  }
  const Shape& shape = dot.operand_shape(1);
  const ElementType type = shape.element_type();
  return (type == ElementType::kF32 || type == ElementType::kF64) &&
         dot.operand_shape(0).element_type() == type &&
         dot.shape().element_type() == type && !shape.IsDynamic() &&
         !dot.operand_shape(0).IsDynamic() && dot.rhs_batch_dims().empty();
}

int64_t SizeAlong(const Shape& shape, const DimensionVector& dimensions) {
  int64_t count = 1;
  for (const int64_t d : dimensions) count *= shape.dimension(d);
  return count;
}

// How a dot reads its constant; no panels where they would not pay.
ConstantMatrix MatrixOf(const Instruction& dot, const PassContext& context) {
  const Shape& shape = dot.operand_shape(1);
  ConstantMatrix matrix = {.free = {},
                           .contracting = dot.rhs_contracting_dims()};
  std::vector<bool> is_contracted(static_cast<size_t>(shape.rank()), false);
  for (const int64_t d : matrix.contracting) {
    is_contracted[static_cast<size_t>(d)] = true;
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!is_contracted[static_cast<size_t>(d)]) matrix.free.push_back(d);
  }
  const int64_t columns = SizeAlong(shape, matrix.free);
  const int64_t depth = SizeAlong(shape, matrix.contracting);
  if (depth == 0 || columns == 0) return matrix;
  const int64_t rows = dot.shape().ElementCount() / columns;
  const char* reason = nullptr;
  if (rows > kMostRows) {
    reason = "enough rows pay for packing";
  } else if (shape.ByteSize() <= context.traits.l1_cache_bytes) {
    reason = "it stays in the first cache";
  } else {
    matrix.panel_columns =
        PanelColumns(columns, shape.element_type(), context.traits);
    if (matrix.panel_columns == 0) reason = "its columns make no whole panels";
  }
  if (reason != nullptr) {
    context.Remember(kPrepackPass, *dot.operand(1), "not packed for ",
                     dot.name(), ": ", reason);
  }
  return matrix;
}

// Offsets, in elements, of all positions along some dimensions, the last one
// fastest.
std::vector<int64_t> OffsetsOf(const Shape& shape,
                               const DimensionVector& dimensions) {
  DimensionVector strides(static_cast<size_t>(shape.rank()), 1);
  for (int64_t d = shape.rank() - 1; d > 0; --d) {
    strides[static_cast<size_t>(d - 1)] =
        strides[static_cast<size_t>(d)] * shape.dimension(d);
  }
  std::vector<int64_t> offsets = {0};
  for (const int64_t d : dimensions) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * static_cast<size_t>(shape.dimension(d)));
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < shape.dimension(d); ++i) {
        next.push_back(offset + i * strides[static_cast<size_t>(d)]);
      }
    }
    offsets = std::move(next);
  }
  return offsets;
}

void CopyPanels(const Literal& from, const std::vector<int64_t>& columns,
                const std::vector<int64_t>& depths, int64_t panel_columns,
                Literal& to) {
  const auto element =
      static_cast<size_t>(hlo::StorageBytes(from.shape().element_type()));
  const std::byte* source = from.untyped_data();
  std::byte* target = to.mutable_untyped_data();
  const auto width = static_cast<size_t>(panel_columns);
  for (size_t first = 0; first < columns.size(); first += width) {
    const size_t last = first + width - 1;
    // Columns are neighbours in memory, or all pieces have one element.
    const bool is_run = columns[last] == columns[first] + panel_columns - 1;
    const size_t piece = is_run ? width : 1;
    for (const int64_t depth : depths) {
      for (size_t i = first; i <= last; i += piece) {
        std::memcpy(target, source + (columns[i] + depth) * element,
                    piece * element);
        target += piece * element;
      }
    }
  }
}

// [columns / panel_columns, depth..., panel_columns].
Literal PanelsOf(const Literal& value, const ConstantMatrix& matrix) {
  const Shape& shape = value.shape();
  const std::vector<int64_t> columns = OffsetsOf(shape, matrix.free);
  const std::vector<int64_t> depths = OffsetsOf(shape, matrix.contracting);
  DimensionVector sizes = {static_cast<int64_t>(columns.size()) /
                           matrix.panel_columns};
  for (const int64_t d : matrix.contracting) {
    sizes.push_back(shape.dimension(d));
  }
  sizes.push_back(matrix.panel_columns);
  Literal panels(Shape::Array(shape.element_type(), sizes));
  CopyPanels(value, columns, depths, matrix.panel_columns, panels);
  return panels;
}

// Packs the constants of one computation.
class ConstantPacker {
 public:
  explicit ConstantPacker(const PassContext& context) : context_(context) {}

  bool Run(hlo::Computation& computation) {
    bool changed = false;
    for (Instruction* instruction : computation.PostOrder()) {
      if (!IsConstantProduct(*instruction)) continue;
      const ConstantMatrix matrix = MatrixOf(*instruction, context_);
      if (matrix.panel_columns == 0) continue;
      const auto [place, is_new] =
          can_pack_.try_emplace(instruction->operand(1), false);
      if (is_new) place->second = AllReadPanels(*instruction, matrix);
      if (!place->second) continue;
      Replace(*instruction, matrix);
      changed = true;
    }
    return changed;
  }

 private:
  // Whether nothing needs the constant as it is.
  bool AllReadPanels(const Instruction& dot,
                     const ConstantMatrix& matrix) const {
    const Instruction& constant = *dot.operand(1);
    if (constant.parent()->root() == &constant) return false;
    for (const Instruction::Use& use : constant.uses()) {
      if (use.user == &dot && use.operand_index == 1) continue;
      if (use.operand_index != 1 || !IsConstantProduct(*use.user) ||
          use.user->rhs_contracting_dims() != matrix.contracting ||
          MatrixOf(*use.user, context_).panel_columns != matrix.panel_columns) {
        context_.Remember(kPrepackPass, constant, "not packed for ", dot.name(),
                          ": others read it otherwise");
        return false;
      }
    }
    return true;
  }

  void Replace(Instruction& dot, const ConstantMatrix& matrix) {
    Instruction* constant = dot.operand(1);
    Instruction*& panels = panels_[constant];
    if (panels == nullptr) {
      panels =
          Rewriter(*constant).Constant(PanelsOf(constant->value(), matrix));
      context_.Remember(kPrepackPass, *constant, "stored as panels of ",
                        matrix.panel_columns, " columns");
    }
    const auto depth_rank = static_cast<int64_t>(matrix.contracting.size());
    const auto row_rank =
        dot.shape().rank() - static_cast<int64_t>(matrix.free.size());
    DimensionVector sizes(dot.shape().dimensions().begin(),
                          dot.shape().dimensions().begin() + row_rank);
    sizes.push_back(panels->shape().dimension(0));
    sizes.push_back(matrix.panel_columns);
    DimensionVector contracting;
    for (int64_t d = 1; d <= depth_rank; ++d) contracting.push_back(d);
    Rewriter rewriter(dot);
    Instruction* product =
        rewriter.Like(dot, Shape::Array(dot.shape().element_type(), sizes),
                      {dot.operand(0), panels});
    product->set_rhs_contracting_dims(contracting);
    Instruction* result = rewriter.Reshape(product, dot.shape().dimensions());
    dot.ReplaceAllUsesWith(result);
    if (dot.parent()->root() == &dot) dot.parent()->set_root(result);
  }

  const PassContext& context_;
  std::map<const Instruction*, bool> can_pack_;
  std::map<const Instruction*, Instruction*> panels_;
};

}  // namespace

absl::StatusOr<bool> PrepackConstants(hlo::Module& module,
                                      const PassContext& context) {
  bool changed = false;
  for (hlo::Computation* computation : ReachableComputations(module)) {
    changed = ConstantPacker(context).Run(*computation) || changed;
  }
  // The originals have no users any more.
  if (changed) {
    RETURN_IF_ERROR(EliminateDeadCode(module, context).status());
  }
  return changed;
}

}  // namespace hilo::passes
