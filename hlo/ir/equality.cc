// Compares and hashes instruction by instruction, in post-order.
#include "hlo/ir/equality.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {
namespace {

bool Counts(AttributeId id, const EqualityOptions& options) {
  switch (id) {
    case AttributeId::kMetadata:
    case AttributeId::kOrigin:
    case AttributeId::kStatistics:
      return !options.ignore_metadata;
    case AttributeId::kBackendConfig:
      return !options.ignore_backend_config;
    case AttributeId::kSharding:
      return !options.ignore_sharding;
    default:  // NOLINT: all others are part of the meaning
      return true;
  }
}

std::vector<const Attribute*> CountingAttributes(
    const Instruction& instruction, const EqualityOptions& options) {
  std::vector<const Attribute*> counting;
  for (const Attribute& attribute : instruction.attributes()) {
    if (Counts(attribute.id, options)) counting.push_back(&attribute);
  }
  return counting;
}

// Positions of instructions in their computation's post-order.
struct Numbering {
  explicit Numbering(const Computation& computation)
      : order(computation.PostOrder()),
        position(computation.instruction_count(), 0) {
    for (size_t i = 0; i < order.size(); ++i) {
      position[order[i]->id()] = static_cast<int64_t>(i);
    }
  }
  std::vector<Instruction*> order;
  std::vector<int64_t> position;
};

class Comparer {
 public:
  explicit Comparer(const EqualityOptions& options) : options_(options) {}

  bool Equal(const Computation& a, const Computation& b) {
    // Recursive calls are no modules: a pair being compared counts as equal.
    const auto [known, is_new] =
        known_.emplace(std::pair(a.id(), b.id()), true);
    if (!is_new) return known->second;
    const bool equal = EqualBodies(a, b);
    known_[std::pair(a.id(), b.id())] = equal;
    return equal;
  }

 private:
  bool EqualBodies(const Computation& a, const Computation& b) {
    if (a.instruction_count() != b.instruction_count() ||
        a.execution_thread() != b.execution_thread()) {
      return false;
    }
    const Numbering left(a);
    const Numbering right(b);
    for (size_t i = 0; i < left.order.size(); ++i) {
      if (!EqualInstructions(*left.order[i], left, *right.order[i], right)) {
        return false;
      }
    }
    if (a.root() == nullptr || b.root() == nullptr) {
      return a.root() == b.root();
    }
    return left.position[a.root()->id()] == right.position[b.root()->id()];
  }

  bool EqualInstructions(const Instruction& a, const Numbering& left,
                         const Instruction& b, const Numbering& right) {
    if (a.opcode() != b.opcode() || !EqualShapes(a.shape(), b.shape()) ||
        a.operand_count() != b.operand_count()) {
      return false;
    }
    for (int64_t i = 0; i < a.operand_count(); ++i) {
      if (left.position[a.operand(i)->id()] !=
          right.position[b.operand(i)->id()]) {
        return false;
      }
    }
    const std::vector<const Attribute*> of_a = CountingAttributes(a, options_);
    const std::vector<const Attribute*> of_b = CountingAttributes(b, options_);
    return std::ranges::equal(
        of_a, of_b, [&](const Attribute* x, const Attribute* y) {
          return x->id == y->id && EqualValues(x->value, left, y->value, right);
        });
  }

  bool EqualShapes(const Shape& a, const Shape& b) const {
    if (options_.ignore_layouts) return WithoutLayout(a) == WithoutLayout(b);
    return a == b;
  }

  bool EqualValues(const AttributeValue& a, const Numbering& left,
                   const AttributeValue& b, const Numbering& right) {
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
      case AttributeKind::kComputation:
        return Equal(*ValueAs<AttributeKind::kComputation>(a),
                     *ValueAs<AttributeKind::kComputation>(b));
      case AttributeKind::kComputationList: {
        const auto& of_a = ValueAs<AttributeKind::kComputationList>(a);
        const auto& of_b = ValueAs<AttributeKind::kComputationList>(b);
        return std::ranges::equal(
            of_a, of_b, [&](const Computation* x, const Computation* y) {
              return Equal(*x, *y);
            });
      }
      case AttributeKind::kInstructionList: {
        const auto& of_a = ValueAs<AttributeKind::kInstructionList>(a);
        const auto& of_b = ValueAs<AttributeKind::kInstructionList>(b);
        return std::ranges::equal(
            of_a, of_b, [&](const Instruction* x, const Instruction* y) {
              return left.position[x->id()] == right.position[y->id()];
            });
      }
      default:  // NOLINT: all other kinds compare by value
        return a == b;
    }
  }

  const EqualityOptions& options_;
  absl::flat_hash_map<std::pair<ComputationId, ComputationId>, bool> known_;
};

class Hasher {
 public:
  explicit Hasher(const EqualityOptions& options) : options_(options) {}

  size_t Hash(const Computation& computation) {
    const auto known = known_.find(computation.id());
    if (known != known_.end()) return known->second;
    known_[computation.id()] = 0;
    const Numbering numbering(computation);
    size_t hash = absl::HashOf(computation.execution_thread());
    for (const Instruction* instruction : numbering.order) {
      hash = absl::HashOf(hash, HashInstruction(*instruction, numbering));
    }
    known_[computation.id()] = hash;
    return hash;
  }

 private:
  size_t HashInstruction(const Instruction& instruction,
                         const Numbering& numbering) {
    const Shape shape = options_.ignore_layouts
                            ? WithoutLayout(instruction.shape())
                            : instruction.shape();
    size_t hash = absl::HashOf(instruction.opcode(), shape);
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      hash =
          absl::HashOf(hash, numbering.position[instruction.operand(i)->id()]);
    }
    for (const Attribute* attribute :
         CountingAttributes(instruction, options_)) {
      hash = absl::HashOf(hash, attribute->id,
                          HashValue(attribute->value, numbering));
    }
    return hash;
  }

  size_t HashValue(const AttributeValue& value, const Numbering& numbering) {
    return VisitAttribute(value, [&](auto kind, const auto& v) -> size_t {
      if constexpr (kind() == AttributeKind::kComputation) {
        return Hash(*v);
      } else if constexpr (kind() == AttributeKind::kComputationList) {
        size_t hash = v.size();
        for (const Computation* called : v) {
          hash = absl::HashOf(hash, Hash(*called));
        }
        return hash;
      } else if constexpr (kind() == AttributeKind::kInstructionList) {
        size_t hash = v.size();
        for (const Instruction* instruction : v) {
          hash = absl::HashOf(hash, numbering.position[instruction->id()]);
        }
        return hash;
      } else {
        return absl::HashOf(v);
      }
    });
  }

  const EqualityOptions& options_;
  absl::flat_hash_map<ComputationId, size_t> known_;
};

bool EqualLayouts(const EntryComputationLayout& a,
                  const EntryComputationLayout& b,
                  const EqualityOptions& options) {
  if (!options.ignore_layouts) return a == b;
  return std::ranges::equal(a.parameters, b.parameters, Compatible) &&
         Compatible(a.result, b.result);
}

}  // namespace

bool StructurallyEqual(const Computation& a, const Computation& b,
                       const EqualityOptions& options) {
  return Comparer(options).Equal(a, b);
}

bool StructurallyEqual(const Module& a, const Module& b,
                       const EqualityOptions& options) {
  const ModuleHeader& left = a.header();
  const ModuleHeader& right = b.header();
  return left.input_output_alias == right.input_output_alias &&
         left.buffer_donor == right.buffer_donor &&
         left.replica_count == right.replica_count &&
         left.num_partitions == right.num_partitions &&
         EqualLayouts(a.entry_layout(), b.entry_layout(), options) &&
         StructurallyEqual(*a.entry(), *b.entry(), options);
}

size_t StructuralHash(const Computation& computation,
                      const EqualityOptions& options) {
  return Hasher(options).Hash(computation);
}

size_t StructuralHash(const Module& module, const EqualityOptions& options) {
  return StructuralHash(*module.entry(), options);
}

}  // namespace hilo::hlo
