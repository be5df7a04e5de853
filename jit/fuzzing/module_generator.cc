// Puts random modules together.
#include "jit/fuzzing/module_generator.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/builder.h"
#include "hlo/verify/verify.h"
#include "jit/fuzzing/families.h"
#include "jit/fuzzing/random_source.h"
#include "jit/fuzzing/scope.h"
#include "passes/rewriter.h"
#include "runtime/base/status.h"

namespace hilo::fuzzing {
namespace {

using hlo::ElementType;
using hlo::Shape;

constexpr int kMaxDepth = 3;

// An element type, and how often modules have it.
struct TypeRow {
  ElementType type;
  int weight;
};
constexpr auto kTypeRows = std::to_array<TypeRow>({
    {ElementType::kF32, 40},       {ElementType::kS32, 14},
    {ElementType::kF64, 8},        {ElementType::kBF16, 10},
    {ElementType::kF16, 7},        {ElementType::kPred, 4},
    {ElementType::kS8, 5},         {ElementType::kU8, 5},
    {ElementType::kS16, 3},        {ElementType::kU16, 3},
    {ElementType::kU32, 5},        {ElementType::kS64, 5},
    {ElementType::kU64, 4},        {ElementType::kC64, 5},
    {ElementType::kC128, 3},       {ElementType::kS4, 3},
    {ElementType::kU4, 3},         {ElementType::kS2, 1},
    {ElementType::kU2, 1},         {ElementType::kS1, 1},
    {ElementType::kU1, 1},         {ElementType::kF8E5M2, 1},
    {ElementType::kF8E4M3, 1},     {ElementType::kF8E4M3FN, 1},
    {ElementType::kF8E3M4, 1},     {ElementType::kF8E4M3B11FNUZ, 1},
    {ElementType::kF8E5M2FNUZ, 1}, {ElementType::kF8E4M3FNUZ, 1},
    {ElementType::kF8E8M0FNU, 1},  {ElementType::kF4E2M1FN, 1},
    {ElementType::kF6E3M2FN, 1},   {ElementType::kF6E2M3FN, 1},
});

ElementType PickType(RandomSource& random) {
  int total = 0;
  for (const TypeRow& row : kTypeRows) total += row.weight;
  int64_t point = random.Below(total);
  for (const TypeRow& row : kTypeRows) {
    point -= row.weight;
    if (point < 0) return row.type;
  }
  return ElementType::kF32;
}

ModuleChoices Choose(RandomSource& random) {
  ModuleChoices choices;
  const int64_t type_count = random.Between(1, 4);
  for (int64_t i = 0; i < type_count; ++i) {
    choices.types.push_back(PickType(random));
  }
  choices.max_elements = random.Chance(15) ? 20000 : 600;
  choices.budget =
      random.Chance(20) ? random.Between(20, 60) : random.Between(2, 20);
  choices.has_odd_layouts = random.Chance(35);
  return choices;
}

std::vector<const Family*> AllFamilies() {
  std::vector<const Family*> families;
  for (const absl::Span<const Family> table :
       {ElementwiseFamilies(), MovementFamilies(), IndexingFamilies(),
        ReductionFamilies(), ContractionFamilies(), ControlFamilies()}) {
    for (const Family& family : table) families.push_back(&family);
  }
  return families;
}

// Makes the results of what nothing reads, and of some other values.
void ChooseRoot(hlo::Module& module, RandomSource& random) {
  hlo::Computation* entry = module.entry();
  std::vector<hlo::Instruction*> unread;
  std::vector<hlo::Instruction*> arrays;
  for (const auto& instruction : entry->instructions()) {
    if (!instruction->shape().IsArray()) continue;
    arrays.push_back(instruction.get());
    const bool is_parameter = instruction->opcode() == hlo::Opcode::kParameter;
    if (!instruction->HasUses() && !is_parameter) {
      unread.push_back(instruction.get());
    }
  }
  random.Shuffle(unread);
  constexpr size_t kMostResults = 10;
  if (unread.size() > kMostResults) unread.resize(kMostResults);
  if (unread.empty() || random.Chance(20)) {
    unread.push_back(random.Pick(arrays));
  }
  if (unread.size() == 1 && random.Chance(70)) {
    entry->set_root(unread[0]);
    return;
  }
  passes::Rewriter rewriter(entry);
  if (unread.size() > 2 && random.Chance(15)) {
    hlo::Instruction* last = unread.back();
    unread.pop_back();
    unread.back() = rewriter.Tuple({unread.back(), last});
  }
  entry->set_root(rewriter.Tuple(unread));
}

// Lets results take the memory of arguments of their shape.
void AddAliases(hlo::Module& module, RandomSource& random) {
  const Shape& result = module.entry()->root()->shape();
  if (!result.IsTuple()) return;
  std::vector<bool> is_taken(
      static_cast<size_t>(module.entry()->parameter_count()));
  for (int64_t i = 0; i < result.element_count(); ++i) {
    for (const hlo::Instruction* parameter : module.entry()->parameters()) {
      const auto number = static_cast<size_t>(parameter->parameter_number());
      if (is_taken[number] || parameter->shape() != result.element(i) ||
          random.Chance(40)) {
        continue;
      }
      is_taken[number] = true;
      std::vector<hlo::InputOutputAlias>& aliases =
          module.header().input_output_alias;
      aliases.resize(aliases.size() + 1);
      aliases.back().output_index.push_back(i);
      aliases.back().parameter_number = static_cast<int64_t>(number);
      aliases.back().must_alias = random.Chance(30);
      break;
    }
  }
}

// Callers may want results in another layout than they are computed in.
void ChooseResultLayouts(hlo::Module& module, Scope& scope) {
  hlo::EntryComputationLayout layout = module.entry_layout();
  if (layout.result.IsArray()) {
    layout.result = scope.MaybeOddLayout(layout.result);
  } else {
    for (Shape& element : layout.result.mutable_elements()) {
      if (element.IsArray()) element = scope.MaybeOddLayout(element);
    }
  }
  module.header().entry_computation_layout = layout;
}

}  // namespace

void GenerateOperations(Scope& scope, int64_t count) {
  const std::vector<const Family*> families = AllFamilies();
  int64_t total = 0;
  for (const Family* family : families) total += family->weight;
  for (int64_t i = 0; i < count && scope.choices().budget > 0; ++i) {
    --scope.choices().budget;
    int64_t point = scope.random().Below(total);
    for (const Family* family : families) {
      point -= family->weight;
      if (point >= 0) continue;
      if (!family->is_nested || scope.depth() < kMaxDepth) {
        family->generate(scope);
      }
      break;
    }
  }
}

absl::StatusOr<std::unique_ptr<hlo::Module>> GenerateModule(uint64_t seed) {
  RandomSource random(seed);
  ModuleChoices choices = Choose(random);
  hlo::Builder builder(absl::StrCat("random_", seed));
  Scope scope(builder, random, choices, 0);
  const int64_t favourites = random.Between(1, 3);
  std::vector<hlo::DimensionVector> chosen;
  chosen.reserve(static_cast<size_t>(favourites));
  for (int64_t i = 0; i < favourites; ++i) {
    chosen.push_back(scope.NewDimensions(i == 0 ? 1 : 0));
  }
  choices.favourites = std::move(chosen);
  scope.AllowNewParameters(random.Between(1, 7));
  const int64_t parameters = random.Between(1, 4);
  for (int64_t i = 0; i < parameters; ++i) {
    scope.NewParameter(scope.MaybeOddLayout(scope.NewShape()));
  }
  GenerateOperations(scope, choices.budget);
  ASSIGN_OR_RETURN(std::unique_ptr<hlo::Module> module,
                   builder.Build(scope.values().back()));
  ChooseRoot(*module, random);
  module->UniquifyNames();
  if (random.Chance(30)) AddAliases(*module, random);
  if (choices.has_odd_layouts && random.Chance(50)) {
    ChooseResultLayouts(*module, scope);
  }
  RETURN_IF_ERROR(hlo::Verify(*module));
  return module;
}

}  // namespace hilo::fuzzing
