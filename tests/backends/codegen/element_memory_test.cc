// Elements of every type go between memory and registers.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "catch2/catch.hpp"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Alignment.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/scalar_emitter.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "tests/backends/codegen/compiled_element.h"
#include "tests/backends/codegen/element_samples.h"

namespace hilo::backends {
namespace {

using hlo::ElementType;

constexpr int kMemoryLanes = 4;
// A permutation, and one with a repetition: the last lane counts.
constexpr std::array<int32_t, kMemoryLanes> kOffsets = {6, 0, 3, 6};
constexpr std::array<uint8_t, kMemoryLanes> kMask = {1, 0, 1, 0};

std::vector<ElementType> MemoryTypes() {
  std::vector<ElementType> types;
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (hlo::IsArrayType(type)) types.push_back(type);
  }
  return types;
}

// Bytes of some elements, and how a test moves them.
using Bytes = std::vector<std::byte>;
using Move = void (*)(ElementType type, ScalarEmitter& emitter,
                      llvm::IRBuilderBase& builder,
                      absl::Span<llvm::Value* const> pointers);

llvm::Value* LoadOffsets(llvm::IRBuilderBase& builder, llvm::Value* pointer) {
  return builder.CreateAlignedLoad(
      llvm::FixedVectorType::get(builder.getInt32Ty(), kMemoryLanes), pointer,
      llvm::Align(4));
}

llvm::Value* LoadMask(ScalarEmitter& emitter, llvm::Value* pointer) {
  return emitter.Load(ElementType::kPred, pointer, kMemoryLanes, nullptr).real;
}

// Pointers: source, destination, offsets, mask.
void MoveGathered(ElementType type, ScalarEmitter& emitter,
                  llvm::IRBuilderBase& builder,
                  absl::Span<llvm::Value* const> pointers) {
  llvm::Value* offsets = LoadOffsets(builder, pointers[2]);
  emitter.Store(type, emitter.Gather(type, pointers[0], offsets, nullptr),
                pointers[1], nullptr);
}

void MoveScattered(ElementType type, ScalarEmitter& emitter,
                   llvm::IRBuilderBase& builder,
                   absl::Span<llvm::Value* const> pointers) {
  llvm::Value* offsets = LoadOffsets(builder, pointers[2]);
  emitter.Scatter(type, emitter.Load(type, pointers[0], kMemoryLanes, nullptr),
                  pointers[1], offsets, nullptr);
}

void MoveMasked(ElementType type, ScalarEmitter& emitter,
                llvm::IRBuilderBase& /*builder*/,
                absl::Span<llvm::Value* const> pointers) {
  llvm::Value* mask = LoadMask(emitter, pointers[3]);
  emitter.Store(type, emitter.Load(type, pointers[0], kMemoryLanes, mask),
                pointers[1], mask);
}

void MoveGatheredMasked(ElementType type, ScalarEmitter& emitter,
                        llvm::IRBuilderBase& builder,
                        absl::Span<llvm::Value* const> pointers) {
  llvm::Value* offsets = LoadOffsets(builder, pointers[2]);
  llvm::Value* mask = LoadMask(emitter, pointers[3]);
  emitter.Store(type, emitter.Gather(type, pointers[0], offsets, mask),
                pointers[1], mask);
}

void MoveScatteredMasked(ElementType type, ScalarEmitter& emitter,
                         llvm::IRBuilderBase& builder,
                         absl::Span<llvm::Value* const> pointers) {
  llvm::Value* offsets = LoadOffsets(builder, pointers[2]);
  llvm::Value* mask = LoadMask(emitter, pointers[3]);
  emitter.Scatter(type, emitter.Load(type, pointers[0], kMemoryLanes, mask),
                  pointers[1], offsets, mask);
}

// One lane, whose offset and mask are scalars.
void MoveOne(ElementType type, ScalarEmitter& emitter,
             llvm::IRBuilderBase& builder,
             absl::Span<llvm::Value* const> pointers) {
  llvm::Value* offset = builder.CreateLoad(builder.getInt32Ty(), pointers[2]);
  llvm::Value* mask =
      emitter.Load(ElementType::kPred, pointers[3], 1, nullptr).real;
  emitter.Scatter(type, emitter.Gather(type, pointers[0], offset, mask),
                  pointers[1], offset, mask);
}

// One lane of a vector that would fill a register.
void MoveFirst(ElementType type, ScalarEmitter& emitter,
               llvm::IRBuilderBase& builder,
               absl::Span<llvm::Value* const> pointers) {
  constexpr int kLanes = 16;
  llvm::Value* mask = FirstLanes(builder, kLanes, 1);
  emitter.Store(type, emitter.Load(type, pointers[0], kLanes, mask),
                pointers[1], mask);
}

// The element that goes from each index to each, or nowhere.
struct Expected {
  std::string name;
  Move move;
  std::vector<std::pair<int, int>> moves;
};

const std::vector<Expected>& Rows() {
  static const auto& rows = *new std::vector<Expected>{
      {"gather", &MoveGathered, {{6, 0}, {0, 1}, {3, 2}, {6, 3}}},
      {"scatter", &MoveScattered, {{0, 6}, {1, 0}, {2, 3}, {3, 6}}},
      {"masked", &MoveMasked, {{0, 0}, {2, 2}}},
      {"masked gather", &MoveGatheredMasked, {{6, 0}, {3, 2}}},
      {"masked scatter", &MoveScatteredMasked, {{0, 6}, {2, 3}}},
      {"one", &MoveOne, {{6, 6}}},
      {"first", &MoveFirst, {{0, 0}}},
  };
  return rows;
}

}  // namespace

TEST_CASE("codegen: elements are gathered, scattered and masked") {
  CompiledElements compiled;
  for (const ElementType type : MemoryTypes()) {
    for (const Expected& row : Rows()) {
      compiled.AddRaw(absl::StrCat(row.name, " ", hlo::TextOf(type)), 4,
                      [&](llvm::IRBuilderBase& builder,
                          absl::Span<llvm::Value* const> pointers) {
                        ScalarEmitter emitter(builder);
                        row.move(type, emitter, builder, pointers);
                      });
    }
  }
  compiled.Compile();
  for (const ElementType type : MemoryTypes()) {
    const auto size = static_cast<size_t>(hlo::StorageBytes(type));
    const hlo::Literal samples = SampleOperands(type, 1)[0];
    const std::byte* source = samples.untyped_data();
    for (const Expected& row : Rows()) {
      CAPTURE(row.name, hlo::TextOf(type));
      Bytes got(8 * size, std::byte{0x11});
      Bytes want = got;
      for (const auto& [from, to] : row.moves) {
        std::memcpy(&want[to * size], source + from * size, size);
      }
      auto pointers =
          std::to_array<void*>({const_cast<std::byte*>(source), got.data(),
                                const_cast<int32_t*>(kOffsets.data()),
                                const_cast<uint8_t*>(kMask.data())});
      compiled.RunRaw(absl::StrCat(row.name, " ", hlo::TextOf(type)), pointers);
      CHECK(got == want);
    }
  }
}

TEST_CASE("codegen: constants, zeros and splats have their type's form") {
  CompiledElements compiled;
  std::vector<hlo::Literal> samples;
  for (const ElementType type : MemoryTypes()) {
    samples.push_back(SampleOperands(type, 1)[0]);
    const hlo::Literal& sample = samples.back();
    compiled.AddRaw(std::string(hlo::TextOf(type)), 1,
                    [&](llvm::IRBuilderBase& builder,
                        absl::Span<llvm::Value* const> pointers) {
                      ScalarEmitter emitter(builder);
                      const ElementValue one = emitter.Constant(sample, 1, 1);
                      const ElementValue wide = emitter.Constant(sample, 1, 4);
                      llvm::Value* mask = llvm::ConstantVector::get(
                          {builder.getTrue(), builder.getFalse(),
                           builder.getTrue(), builder.getFalse()});
                      ElementValue value =
                          emitter.Select(mask, emitter.Splat(one, 4), wide);
                      value = emitter.Select(builder.getTrue(), value,
                                             emitter.Zero(type, 4));
                      emitter.Store(type, value, pointers[0], nullptr);
                    });
  }
  compiled.Compile();
  for (const hlo::Literal& sample : samples) {
    const ElementType type = sample.shape().element_type();
    CAPTURE(hlo::TextOf(type));
    const auto size = static_cast<size_t>(hlo::StorageBytes(type));
    Bytes got(4 * size);
    auto pointers = std::to_array<void*>({got.data()});
    compiled.RunRaw(std::string(hlo::TextOf(type)), pointers);
    for (int lane = 0; lane < 4; ++lane) {
      CHECK(std::memcmp(&got[lane * size], sample.untyped_data() + size,
                        size) == 0);
    }
  }
}

}  // namespace hilo::backends
