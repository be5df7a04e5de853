// Compiles what ScalarEmitter emits, and runs it on arrays.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/scalar_emitter.h"
#include "backends/codegen/target_facts.h"
#include "backends/cpu/code_compiler.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace hilo::backends {

// Functions over arrays, compiled together. Errors end the test.
class CompiledElements {
 public:
  explicit CompiledElements(TargetFacts facts = {});
  CompiledElements(CompiledElements&&) noexcept;
  ~CompiledElements();

  // Whether this machine has what TargetFacts names.
  bool HasAllFacts() const { return compiler_->vector_bytes() >= 32; }

  // What a function computes from its operands at one index, or at a lane's.
  using Body = std::function<ElementValue(
      ScalarEmitter& emitter, llvm::IRBuilderBase& builder,
      absl::Span<const ElementValue> operands)>;

  // Adds a function that applies `body` to all elements of arrays of
  // `operand_types`, `lanes` at a time, into an array of `result_type`.
  void Add(const std::string& name, std::vector<hlo::ElementType> operand_types,
           hlo::ElementType result_type, int lanes, const Body& body);

  // Adds a function with the array pointers as arguments: operands, result.
  using RawBody = std::function<void(llvm::IRBuilderBase& builder,
                                     absl::Span<llvm::Value* const> pointers)>;
  void AddRaw(const std::string& name, int pointers, const RawBody& body) const;

  // After all are added.
  void Compile();

  // The number of elements must be a multiple of the function's lanes.
  hlo::Literal Run(const std::string& name,
                   absl::Span<const hlo::Literal> operands,
                   hlo::ElementType result_type) const;
  void RunRaw(const std::string& name, absl::Span<void* const> pointers) const;

 private:
  std::unique_ptr<CodeCompiler> compiler_;
  LlvmModule module_;
  std::unique_ptr<LoadedCode> code_;
};

// A module whose root is `instruction`, such as "s32[64] add(x, y)", over
// parameters x, y, z of `types` and as many elements.
std::unique_ptr<hlo::Module> ModuleOf(absl::string_view instruction,
                                      absl::Span<const hlo::ElementType> types,
                                      int64_t count);

}  // namespace hilo::backends
