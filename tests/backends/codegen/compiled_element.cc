// Compiles what ScalarEmitter emits, and runs it on arrays.
#include "tests/backends/codegen/compiled_element.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/scalar_emitter.h"
#include "backends/codegen/target_facts.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/code_loader.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "runtime/base/check.h"

namespace hilo::backends {
namespace {

using hlo::ElementType;

using Function = void (*)(void* const* pointers, int64_t count);

llvm::Value* ElementPointer(llvm::IRBuilderBase& builder, ElementType type,
                            llvm::Value* array, llvm::Value* index) {
  llvm::Value* bytes =
      builder.CreateMul(index, builder.getInt64(hlo::StorageBytes(type)));
  return builder.CreateGEP(builder.getInt8Ty(), array, bytes);
}

}  // namespace

CompiledElements::CompiledElements(TargetFacts facts) : module_("test") {
  SetTargetFacts(facts, *module_.module);
  absl::StatusOr<std::unique_ptr<CodeCompiler>> compiler =
      CodeCompiler::Create({});
  HILO_CHECK(compiler.ok()) << compiler.status();
  compiler_ = *std::move(compiler);
}
CompiledElements::CompiledElements(CompiledElements&&) noexcept = default;
CompiledElements::~CompiledElements() = default;

// What is added lies behind a pointer.
// NOLINTNEXTLINE(readability-make-member-function-const)
void CompiledElements::Add(const std::string& name,
                           std::vector<ElementType> operand_types,
                           ElementType result_type, int lanes,
                           const Body& body) {
  llvm::LLVMContext& context = *module_.context;
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* index_type = llvm::Type::getInt64Ty(context);
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {pointer, index_type}, false),
      llvm::Function::ExternalLinkage, name, *module_.module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  std::vector<llvm::Value*> arrays;
  arrays.reserve(operand_types.size() + 1);
  for (size_t i = 0; i <= operand_types.size(); ++i) {
    arrays.push_back(builder.CreateLoad(
        pointer, builder.CreateConstGEP1_64(pointer, function->getArg(0),
                                            static_cast<int64_t>(i))));
  }
  llvm::BasicBlock* start = builder.GetInsertBlock();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(context, "", function);
  llvm::BasicBlock* end = llvm::BasicBlock::Create(context, "", function);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* index = builder.CreatePHI(index_type, 2);
  index->addIncoming(builder.getInt64(0), start);
  ScalarEmitter emitter(builder);
  std::vector<ElementValue> operands;
  operands.reserve(operand_types.size());
  for (size_t i = 0; i < operand_types.size(); ++i) {
    operands.push_back(emitter.Load(
        operand_types[i],
        ElementPointer(builder, operand_types[i], arrays[i], index), lanes,
        nullptr));
  }
  const ElementValue result = body(emitter, builder, operands);
  HILO_CHECK(builder.GetInsertBlock() == loop) << name << " left its block";
  emitter.Store(result_type, result,
                ElementPointer(builder, result_type, arrays.back(), index),
                nullptr);
  llvm::Value* next = builder.CreateAdd(index, builder.getInt64(lanes));
  index->addIncoming(next, loop);
  builder.CreateCondBr(builder.CreateICmpSLT(next, function->getArg(1)), loop,
                       end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
}

void CompiledElements::AddRaw(const std::string& name, int pointers,
                              const RawBody& body) const {
  llvm::LLVMContext& context = *module_.context;
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {pointer, llvm::Type::getInt64Ty(context)},
                              false),
      llvm::Function::ExternalLinkage, name, *module_.module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  std::vector<llvm::Value*> arrays;
  arrays.reserve(static_cast<size_t>(pointers));
  for (int i = 0; i < pointers; ++i) {
    arrays.push_back(builder.CreateLoad(
        pointer, builder.CreateConstGEP1_64(pointer, function->getArg(0), i)));
  }
  body(builder, arrays);
  builder.CreateRetVoid();
}

void CompiledElements::Compile() {
  compiler_->Prepare(*module_.module);
  absl::StatusOr<std::string> object =
      compiler_->CompileToObject(*module_.module);
  HILO_CHECK(object.ok()) << object.status();
  std::vector<std::string> objects;
  objects.push_back(*std::move(object));
  absl::StatusOr<LoadedCode> code = compiler_->Load(objects, {});
  HILO_CHECK(code.ok()) << code.status();
  code_ = std::make_unique<LoadedCode>(*std::move(code));
}

hlo::Literal CompiledElements::Run(const std::string& name,
                                   absl::Span<const hlo::Literal> operands,
                                   ElementType result_type) const {
  hlo::Literal result(hlo::WithElementType(operands[0].shape(), result_type));
  std::vector<void*> pointers;
  pointers.reserve(operands.size());
  for (const hlo::Literal& operand : operands) {
    pointers.push_back(const_cast<std::byte*>(operand.untyped_data()));
  }
  pointers.push_back(result.mutable_untyped_data());
  const absl::StatusOr<void*> function = code_->Find(name);
  HILO_CHECK(function.ok()) << function.status();
  reinterpret_cast<Function>(*function)(pointers.data(),
                                        result.element_count());
  return result;
}

void CompiledElements::RunRaw(const std::string& name,
                              absl::Span<void* const> pointers) const {
  const absl::StatusOr<void*> function = code_->Find(name);
  HILO_CHECK(function.ok()) << function.status();
  reinterpret_cast<Function>(*function)(pointers.data(), 0);
}

std::unique_ptr<hlo::Module> ModuleOf(absl::string_view instruction,
                                      absl::Span<const ElementType> types,
                                      int64_t count) {
  std::string text = "HloModule test\nENTRY entry {\n";
  for (size_t i = 0; i < types.size(); ++i) {
    absl::StrAppend(&text, "  ", std::string(1, "xyz"[i]), " = ",
                    hlo::TextOf(types[i]), "[", count, "] parameter(", i,
                    ")\n");
  }
  absl::StrAppend(&text, "  ROOT result = ", instruction, "\n}\n");
  absl::StatusOr<std::unique_ptr<hlo::Module>> module = hlo::Parse(text);
  HILO_CHECK(module.ok()) << module.status();
  return *std::move(module);
}

}  // namespace hilo::backends
