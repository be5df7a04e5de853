// Normalises shapes, then adds what stands between them and callers.
#include "passes/layout_assignment/layout_assignment.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/analysis/array_leaves.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/copy_insertion/tuple_editor.h"
#include "passes/layout_assignment/logical_bitcast.h"
#include "passes/layout_assignment/product_layouts.h"
#include "passes/pass_context.h"
#include "runtime/base/box.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Layout;
using hlo::Literal;
using hlo::Shape;

constexpr absl::string_view kLayoutAssignment = "layout-assignment";

// The shape with those parts of its layouts that say where elements lie.
Shape PhysicalShape(const Shape& shape) {
  if (shape.IsTuple() || shape.IsBuffer()) {
    Shape result = shape;
    for (Shape& element : result.mutable_elements()) {
      element = PhysicalShape(element);
    }
    return result;
  }
  if (!shape.IsArray() || shape.HasDefaultLayout()) return shape;
  Layout layout = {.minor_to_major = shape.layout().minor_to_major,
                   .properties = {}};
  const int64_t bits = shape.BufferElementBits();
  if (bits != int64_t{8} * hlo::StorageBytes(shape.element_type())) {
    hlo::LayoutProperties properties;
    properties.element_size_bits = bits;
    layout.properties = hilo::Box<hlo::LayoutProperties>(properties);
  }
  Shape result = shape;
  result.set_layout(std::move(layout));
  return result;
}

// The same literal with default layouts.
Literal PlainLiteral(const Literal& literal) {
  if (!literal.IsTuple()) {
    return literal.shape().IsArray()
               ? literal.WithShape(WithoutLayout(literal.shape()))
               : literal;
  }
  std::vector<Literal> elements;
  for (const Literal& element : literal.elements()) {
    elements.push_back(PlainLiteral(element));
  }
  return Literal::Tuple(std::move(elements));
}

// Whether memory in the form of one array is memory in the form of the other:
// dimensions of size 1 may be anywhere.
bool HaveSameBytes(const Shape& a, const Shape& b) {
  if (a.BufferElementBits() != b.BufferElementBits()) return false;
  const auto order_of = [&](const Shape& shape) {
    std::vector<int64_t> order;
    for (const int64_t dimension : shape.layout().minor_to_major) {
      if (shape.dimension(dimension) != 1) order.push_back(dimension);
    }
    return order;
  };
  return order_of(a) == order_of(b);
}

class LayoutAssigner {
 public:
  LayoutAssigner(hlo::Module& module, const PassContext& context)
      : module_(module), context_(context) {}

  absl::StatusOr<bool> Run() {
    const hlo::EntryComputationLayout layout = module_.entry_layout();
    for (const auto& computation : module_.computations()) {
      RETURN_IF_ERROR(Normalise(*computation));
    }
    AssignProducts();
    ConvertParameters(layout);
    ConvertResult(layout);
    if (!has_changed_) return false;
    module_.header().entry_computation_layout =
        hilo::Box<hlo::EntryComputationLayout>(layout);
    module_.header().is_scheduled = false;
    module_.UniquifyNames();
    return true;
  }

 private:
  // Those of fusions are parts of kernels.
  void AssignProducts() {
    absl::flat_hash_set<const Computation*> fused;
    for (const auto& computation : module_.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (instruction->opcode() == hlo::Opcode::kFusion) {
          fused.insert(instruction->calls());
        }
      }
    }
    for (const auto& computation : module_.computations()) {
      if (fused.contains(computation.get())) continue;
      has_changed_ |= AssignProductLayouts(*computation, context_);
    }
  }

  // Gives all arrays of a computation default layouts.
  absl::Status Normalise(Computation& computation) {
    // Later ones are added here.
    const int64_t count = computation.instruction_count();
    std::vector<Shape> shapes;
    shapes.reserve(count);
    for (int64_t id = 0; id < count; ++id) {
      shapes.push_back(At(computation, id).shape());
    }
    for (int64_t id = 0; id < count; ++id) {
      Instruction& instruction = At(computation, id);
      Shape plain = WithoutLayout(instruction.shape());
      if (plain == instruction.shape()) continue;
      has_changed_ = true;
      instruction.set_shape(std::move(plain));
      if (instruction.opcode() == hlo::Opcode::kConstant) {
        instruction.set_value(PlainLiteral(instruction.value()));
      }
    }
    for (int64_t id = 0; id < count; ++id) {
      Instruction& instruction = At(computation, id);
      if (instruction.opcode() == hlo::Opcode::kBitcast) {
        RETURN_IF_ERROR(KeepBitcast(
            instruction, shapes[instruction.operand(0)->id()], shapes[id]));
      } else if (instruction.has_operand_layout_constraints()) {
        ConvertCustomCall(instruction, shapes[id]);
      }
    }
    RemoveReplaced(computation);
    return absl::OkStatus();
  }

  // Removes the bitcasts that mean something else now.
  void RemoveReplaced(Computation& computation) {
    if (replaced_.empty()) return;
    std::vector<bool> keep(computation.instruction_count(), true);
    for (const Instruction* instruction : replaced_) {
      keep[instruction->id()] = false;
    }
    for (const auto& instruction : computation.instructions()) {
      std::vector<Instruction*> before = instruction->control_predecessors();
      const size_t count = before.size();
      std::erase_if(
          before, [&](const Instruction* other) { return !keep[other->id()]; });
      if (before.size() < count) {
        instruction->set_control_predecessors(std::move(before));
      }
    }
    computation.RemoveExcept(keep);
    replaced_.clear();
  }

  static Instruction& At(Computation& computation, int64_t id) {
    return *computation.instruction(static_cast<hlo::InstructionId>(id));
  }

  absl::Status KeepBitcast(Instruction& bitcast, const Shape& from,
                           const Shape& to) {
    if (IsRowMajorBitcast(from, to)) return absl::OkStatus();
    absl::StatusOr<Instruction*> same =
        AddLogicalBitcast(bitcast.operand(0), from, to);
    if (!same.ok()) {
      return hilo::StatusBuilder(std::move(same).status())
             << "bitcast " << bitcast.name();
    }
    has_changed_ = true;
    context_.Remember(kLayoutAssignment, bitcast, "bitcast from ",
                      ToString(from), " to ", ToString(to),
                      " became other instructions");
    Redirect(bitcast, *same);
    replaced_.push_back(&bitcast);
    return absl::OkStatus();
  }

  // Makes all who use `old` use `replacement`, which may use `old` itself.
  static void Redirect(Instruction& old, Instruction* replacement) {
    std::vector<Instruction::Use> uses(old.uses().begin(), old.uses().end());
    for (const Instruction::Use& use : uses) {
      if (use.user != replacement) {
        use.user->ReplaceOperand(use.operand_index, replacement);
      }
    }
    Computation* computation = old.parent();
    if (computation->root() == &old) computation->set_root(replacement);
  }

  // One array in another form.
  Instruction* Convert(Instruction* array, const Shape& to) {
    Computation* computation = array->parent();
    const bool same_bytes = HaveSameBytes(array->shape(), to);
    Instruction* converted = computation->Add(
        same_bytes ? hlo::Opcode::kBitcast : hlo::Opcode::kCopy, to);
    converted->set_name(same_bytes ? "bitcast" : "copy");
    converted->AppendOperand(array);
    has_changed_ = true;
    if (!same_bytes) {
      context_.Remember(kLayoutAssignment, *array, "copied from ",
                        ToString(array->shape()), " to ", ToString(to));
    }
    return converted;
  }

  // `value` with its arrays in the form of `to`; itself when they have it.
  Instruction* ConvertLeaves(Instruction* value, const Shape& to) {
    TupleEditor editor(value->parent());
    const std::vector<const Shape*> from_leaves =
        hlo::ArrayLeaves(value->shape());
    const std::vector<const Shape*> to_leaves = hlo::ArrayLeaves(to);
    absl::flat_hash_map<int64_t, Instruction*> converted;
    for (size_t i = 0; i < to_leaves.size(); ++i) {
      if (*from_leaves[i] == *to_leaves[i]) continue;
      const auto leaf = static_cast<int64_t>(i);
      converted[leaf] = Convert(editor.Leaf(value, leaf), *to_leaves[i]);
    }
    return converted.empty() ? value : editor.WithLeaves(value, converted);
  }

  void ConvertCustomCall(Instruction& call, const Shape& old_shape) {
    const std::vector<Shape>& constraints = call.operand_layout_constraints();
    for (int64_t i = 0; i < call.operand_count(); ++i) {
      if (std::cmp_greater_equal(i, constraints.size())) break;
      call.ReplaceOperand(
          i, ConvertLeaves(call.operand(i), PhysicalShape(constraints[i])));
    }
    const Shape plain = call.shape();
    call.set_shape(PhysicalShape(old_shape));
    RestoreBelow(call, plain);
  }

  // Lets the users of `source`, which has callers' layouts, see `plain` ones.
  void RestoreBelow(Instruction& source, const Shape& plain) {
    if (source.shape() == plain) return;
    const std::vector<Instruction::Use> uses(source.uses().begin(),
                                             source.uses().end());
    const bool is_root = source.parent()->root() == &source;
    Instruction* restored = ConvertLeaves(&source, plain);
    for (const Instruction::Use& use : uses) {
      use.user->ReplaceOperand(use.operand_index, restored);
    }
    if (is_root) source.parent()->set_root(restored);
  }

  void ConvertParameters(const hlo::EntryComputationLayout& layout) {
    for (Instruction* parameter : module_.entry()->parameters()) {
      const Shape plain = parameter->shape();
      parameter->set_shape(
          PhysicalShape(layout.parameters[parameter->parameter_number()]));
      RestoreBelow(*parameter, plain);
    }
  }

  void ConvertResult(const hlo::EntryComputationLayout& layout) {
    Computation* entry = module_.entry();
    entry->set_root(ConvertLeaves(entry->root(), PhysicalShape(layout.result)));
  }

  hlo::Module& module_;
  const PassContext& context_;
  bool has_changed_ = false;
  // Instructions of the present computation that nobody uses any more.
  std::vector<const Instruction*> replaced_;
};

}  // namespace

absl::StatusOr<bool> AssignLayouts(hlo::Module& module,
                                   const PassContext& context) {
  return LayoutAssigner(module, context).Run();
}

}  // namespace hilo::passes
