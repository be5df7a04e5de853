// Emits entry code: schedules, control flow, calls of kernels.
#include "backends/cpu/program_emitter.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Casting.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/codegen/scalar_emitter.h"
#include "backends/codegen/target_facts.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/host_function.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_key.h"
#include "backends/cpu/kernel_library.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/array_leaves.h"
#include "hlo/analysis/cost.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// New kernels of one LLVM module: fewer cost more fixed time each, more leave
// nothing to compile side by side. The first module holds the entry code, too.
constexpr size_t kKernelsPerModule = 12;
// Instructions with code that one function of the entry code runs itself.
constexpr size_t kInstructionsPerFunction = 256;

// Whether one element is computed with straight-line code: too little for a
// kernel of its own.
bool IsTiny(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (!HasElementForm(instruction) || opcode == Opcode::kReduce ||
      opcode == Opcode::kReduceWindow ||
      opcode == Opcode::kDynamicUpdateSlice) {
    return false;
  }
  for (const Shape* leaf : instruction.shape().Leaves()) {
    if (!leaf->IsArray() || leaf->ElementCount() != 1) return false;
  }
  if (opcode != Opcode::kFusion) return true;
  if (UpdateOf(instruction) != nullptr) return false;
  return std::ranges::all_of(
      instruction.calls()->instructions(), [](const auto& inner) {
        return inner->opcode() == Opcode::kParameter ||
               (inner->opcode() != Opcode::kReduce &&
                inner->opcode() != Opcode::kReduceWindow &&
                HasElementForm(*inner));
      });
}

// A function of the entry code under construction.
struct Section {
  explicit Section(llvm::LLVMContext& context)
      : entry_builder(context), builder(context) {}

  llvm::Function* function = nullptr;
  // Before the code: addresses of allocations.
  llvm::IRBuilder<> entry_builder;
  llvm::IRBuilder<> builder;
  llvm::BasicBlock* body = nullptr;
  absl::flat_hash_map<int32_t, llvm::Value*> allocations;
  // Whether it does more than call.
  bool has_arithmetic = false;
};

class ProgramEmitter {
 public:
  ProgramEmitter(const hlo::Module& module,
                 const passes::BufferAssignment& buffers,
                 const passes::TargetTraits& traits,
                 const EmissionOptions& options)
      : module_(module), buffers_(buffers), traits_(traits), options_(options) {
    AddModule("entry");
    program_.is_profiled = options.profiles;
  }

  absl::StatusOr<EmittedProgram> Emit() {
    const std::unique_ptr<Section> section = BeginSection(
        EmittedProgram::kEntryName, llvm::Function::ExternalLinkage);
    RETURN_IF_ERROR(EmitComputation(*module_.entry(), *section));
    EndSection(*section);
    return std::move(program_);
  }

 private:
  llvm::Module& entry_module() { return *program_.modules[0].module; }

  std::unique_ptr<Section> BeginSection(const std::string& name,
                                        llvm::Function::LinkageTypes linkage) {
    llvm::LLVMContext& context = *program_.modules[0].context;
    auto owned = std::make_unique<Section>(context);
    Section& section = *owned;
    llvm::Type* pointer = section.builder.getPtrTy();
    section.function = llvm::Function::Create(
        llvm::FunctionType::get(section.builder.getVoidTy(), {pointer, pointer},
                                false),
        linkage, name, entry_module());
    section.entry_builder.SetInsertPoint(
        llvm::BasicBlock::Create(context, "entry", section.function));
    section.body = llvm::BasicBlock::Create(context, "body", section.function);
    section.builder.SetInsertPoint(section.body);
    return owned;
  }

  static void EndSection(Section& section) {
    section.entry_builder.CreateBr(section.body);
    section.builder.CreateRetVoid();
    if (!section.has_arithmetic) HaveSimpleAddresses(*section.function);
  }

  // Addresses -------------------------------------------------------------

  static llvm::Value* Address(Section& section, const passes::Slice& slice) {
    llvm::Value*& base = section.allocations[slice.allocation];
    if (base == nullptr) {
      llvm::IRBuilder<>& builder = section.entry_builder;
      base = builder.CreateLoad(
          builder.getPtrTy(),
          builder.CreateConstGEP1_64(builder.getPtrTy(),
                                     section.function->getArg(0),
                                     static_cast<uint64_t>(slice.allocation)));
    }
    return section.builder.CreateConstGEP1_64(
        section.builder.getInt8Ty(), base,
        static_cast<uint64_t>(slice.offset_bytes));
  }

  llvm::Value* Address(Section& section, const Instruction& instruction,
                       int64_t leaf) {
    return Address(section, buffers_.slice(instruction, leaf));
  }

  // Sequences -------------------------------------------------------------

  // Runs a computation within the section, in functions of its own where it is
  // long.
  absl::Status EmitComputation(const Computation& computation,
                               Section& section) {
    std::vector<const Instruction*> order;
    for (const Instruction* instruction : buffers_.schedule(computation)) {
      if (hlo::RunsCode(*instruction) || hlo::IsSequentialCall(*instruction)) {
        order.push_back(instruction);
      }
    }
    if (order.size() <= kInstructionsPerFunction) {
      return EmitSequence(order, section);
    }
    for (size_t i = 0; i < order.size(); i += kInstructionsPerFunction) {
      const std::unique_ptr<Section> part =
          BeginSection(absl::StrCat("section_", section_count_++),
                       llvm::Function::InternalLinkage);
      const size_t count = std::min(kInstructionsPerFunction, order.size() - i);
      RETURN_IF_ERROR(
          EmitSequence(absl::MakeConstSpan(order).subspan(i, count), *part));
      EndSection(*part);
      section.builder.CreateCall(part->function, {section.function->getArg(0),
                                                  section.function->getArg(1)});
    }
    return absl::OkStatus();
  }

  absl::Status EmitSequence(absl::Span<const Instruction* const> order,
                            Section& section) {
    for (const Instruction* instruction : order) {
      RETURN_IF_ERROR(EmitInstruction(*instruction, section));
    }
    return absl::OkStatus();
  }

  absl::Status EmitInstruction(const Instruction& instruction,
                               Section& section) {
    const Opcode opcode = instruction.opcode();
    if (opcode == Opcode::kWhile) return EmitWhile(instruction, section);
    if (opcode == Opcode::kConditional) {
      return EmitConditional(instruction, section);
    }
    if (opcode == Opcode::kCall) {
      return EmitComputation(*instruction.to_apply(), section);
    }
    if (opcode == Opcode::kCopy && IsPlainCopy(instruction)) {
      EmitPlainCopy(instruction, section);
      return absl::OkStatus();
    }
    if (HasNoElements(instruction)) return absl::OkStatus();
    if (opcode == Opcode::kRngGetAndUpdateState) {
      EmitRandomState(instruction, section);
      return absl::OkStatus();
    }
    if (IsHostFunction(instruction)) {
      return EmitTimed(instruction, section,
                       [&] { return EmitHostCall(instruction, section); });
    }
    if (IsTiny(instruction)) return EmitTiny(instruction, section);
    if (loop_depth_ > 0 && FitsInline(instruction, traits_)) {
      return EmitInline(instruction, section);
    }
    return EmitTimed(instruction, section,
                     [&] { return EmitCall(instruction, section); });
  }

  // What `emit` appends, between two looks at the clock if that is wanted.
  absl::Status EmitTimed(const Instruction& instruction, Section& section,
                         const std::function<absl::Status()>& emit) {
    if (!options_.profiles) return emit();
    llvm::IRBuilder<>& builder = section.builder;
    llvm::Type* word = builder.getInt64Ty();
    const llvm::FunctionCallee clock = entry_module().getOrInsertFunction(
        "hilo_profile_clock", llvm::FunctionType::get(word, false));
    llvm::Value* start = builder.CreateCall(clock);
    RETURN_IF_ERROR(emit());
    llvm::Value* time = builder.CreateSub(builder.CreateCall(clock), start);
    llvm::Value* counters =
        builder.CreateLoad(builder.getPtrTy(),
                           builder.CreateConstGEP1_64(
                               builder.getInt8Ty(), section.function->getArg(1),
                               offsetof(RunContext, profile)));
    const auto add = [&](uint64_t place, llvm::Value* amount) {
      llvm::Value* counter = builder.CreateConstGEP1_64(word, counters, place);
      builder.CreateStore(
          builder.CreateAdd(builder.CreateLoad(word, counter), amount),
          counter);
    };
    const uint64_t number = program_.profiled.size();
    add(2 * number, time);
    add(2 * number + 1, builder.getInt64(1));
    const bool has_plan = !program_.plans.empty() &&
                          program_.plans.back().first == instruction.name();
    program_.profiled.push_back(
        {.instruction = instruction.name(),
         .plan = has_plan ? program_.plans.back().second
                          : absl::StrCat(hlo::TextOf(instruction.opcode()),
                                         " by a library function"),
         .cost = hlo::CostOf(instruction, [](const Instruction&) {
           return std::optional<int64_t>();
         })});
    return absl::OkStatus();
  }

  static bool HasNoElements(const Instruction& instruction) {
    return std::ranges::all_of(
        instruction.shape().Leaves(), [](const Shape* leaf) {
          return leaf->IsArray() && leaf->ElementCount() == 0;
        });
  }

  // Control flow ----------------------------------------------------------

  static llvm::BasicBlock* AppendBlock(Section& section, const char* name) {
    return llvm::BasicBlock::Create(section.builder.getContext(), name,
                                    section.function);
  }

  absl::Status EmitWhile(const Instruction& loop, Section& section) {
    llvm::IRBuilder<>& builder = section.builder;
    llvm::BasicBlock* header = AppendBlock(section, "while");
    llvm::BasicBlock* body = AppendBlock(section, "do");
    llvm::BasicBlock* exit = AppendBlock(section, "done");
    builder.CreateBr(header);
    builder.SetInsertPoint(header);
    ++loop_depth_;
    RETURN_IF_ERROR(EmitComputation(*loop.condition(), section));
    llvm::Value* flag = builder.CreateLoad(
        builder.getInt8Ty(), Address(section, *loop.condition()->root(), 0));
    builder.CreateCondBr(builder.CreateIsNotNull(flag), body, exit);
    builder.SetInsertPoint(body);
    RETURN_IF_ERROR(EmitComputation(*loop.body(), section));
    --loop_depth_;
    builder.CreateBr(header);
    builder.SetInsertPoint(exit);
    return absl::OkStatus();
  }

  absl::Status EmitConditional(const Instruction& conditional,
                               Section& section) {
    llvm::IRBuilder<>& builder = section.builder;
    const std::vector<Computation*> branches = conditional.branches();
    const Instruction& selector = *conditional.operand(0);
    const bool is_predicate =
        selector.shape().element_type() == hlo::ElementType::kPred;
    llvm::BasicBlock* merge = AppendBlock(section, "merge");
    llvm::Value* address = Address(section, selector, 0);
    llvm::Value* value = builder.CreateLoad(
        is_predicate ? builder.getInt8Ty() : builder.getInt32Ty(), address);
    // The last branch stands for all indices that are out of range; of a
    // predicate's two, the first is for true.
    llvm::BasicBlock* last = AppendBlock(section, "branch");
    llvm::SwitchInst* choice = builder.CreateSwitch(value, last);
    for (size_t i = 0; i < branches.size(); ++i) {
      const bool is_last = i + 1 == branches.size();
      llvm::BasicBlock* block = is_last ? last : AppendBlock(section, "branch");
      if (!is_last) {
        const uint64_t label = is_predicate ? 1 : i;
        choice->addCase(llvm::cast<llvm::ConstantInt>(
                            llvm::ConstantInt::get(value->getType(), label)),
                        block);
      }
      builder.SetInsertPoint(block);
      RETURN_IF_ERROR(EmitComputation(*branches[i], section));
      builder.CreateBr(merge);
    }
    builder.SetInsertPoint(merge);
    return absl::OkStatus();
  }

  // Instructions ----------------------------------------------------------

  static bool IsPlainCopy(const Instruction& copy) {
    return copy.shape().IsArray() && copy.shape() == copy.operand_shape(0);
  }

  void EmitPlainCopy(const Instruction& copy, Section& section) {
    const passes::Slice& from = buffers_.slice(*copy.operand(0), 0);
    const passes::Slice& to = buffers_.slice(copy, 0);
    if (from == to || to.size_bytes == 0) return;
    // May be one address at run time: an argument that was given away.
    section.builder.CreateMemMove(Address(section, to), llvm::MaybeAlign(1),
                                  Address(section, from), llvm::MaybeAlign(1),
                                  static_cast<uint64_t>(to.size_bytes));
  }

  // The instruction's own counter of 128 bits, which then grows by its delta.
  void EmitRandomState(const Instruction& instruction, Section& section) {
    llvm::IRBuilder<>& builder = section.builder;
    llvm::Type* word = builder.getInt64Ty();
    llvm::Value* states =
        builder.CreateLoad(builder.getPtrTy(),
                           builder.CreateConstGEP1_64(
                               builder.getInt8Ty(), section.function->getArg(1),
                               offsetof(RunContext, random_states)));
    const auto place = [&](llvm::Value* base, int64_t number) {
      return builder.CreateConstGEP1_64(word, base,
                                        static_cast<uint64_t>(number));
    };
    const int64_t first = 2 * program_.random_state_count++;
    llvm::Value* low = builder.CreateLoad(word, place(states, first));
    llvm::Value* high = builder.CreateLoad(word, place(states, first + 1));
    llvm::Value* result = Address(section, instruction, 0);
    const auto store = [&](llvm::Value* value, llvm::Value* target) {
      builder.CreateAlignedStore(value, target, llvm::Align(1));
    };
    store(low, result);
    store(high, place(result, 1));
    const int64_t delta = instruction.delta();
    llvm::Value* next =
        builder.CreateAdd(low, builder.getInt64(static_cast<uint64_t>(delta)));
    llvm::Value* carry = builder.CreateZExt(
        builder.CreateICmpULT(next,
                              builder.getInt64(static_cast<uint64_t>(delta))),
        word);
    llvm::Value* upper =
        builder.CreateAdd(high, builder.getInt64(delta < 0 ? ~uint64_t{0} : 0));
    builder.CreateStore(next, place(states, first));
    builder.CreateStore(builder.CreateAdd(upper, carry),
                        place(states, first + 1));
  }

  absl::Status EmitTiny(const Instruction& instruction, Section& section) {
    section.has_arithmetic = true;
    ElementEmitter emitter(section.builder, 1);
    for (const Instruction* operand : instruction.operands()) {
      for (int64_t leaf = 0; leaf < hlo::ArrayLeafCount(operand->shape());
           ++leaf) {
        emitter.BindArray(*operand, leaf, Address(section, *operand, leaf));
      }
    }
    const std::vector<const Shape*> leaves = instruction.shape().Leaves();
    std::vector<ElementValue> values;
    std::vector<ArrayIndex> indices;
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      indices.emplace_back(static_cast<size_t>(leaves[leaf]->rank()),
                           emitter.math().Constant(0));
      ASSIGN_OR_RETURN(const ElementValue value,
                       emitter.Element(instruction, static_cast<int64_t>(leaf),
                                       indices.back()));
      values.push_back(value);
    }
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      emitter.Store(values[leaf],
                    Address(section, instruction, static_cast<int64_t>(leaf)),
                    *leaves[leaf], indices[leaf]);
    }
    return absl::OkStatus();
  }

  // The plan given by hand for an instruction; null when there is none.
  const GivenPlan* GivenFor(const Instruction& instruction) const {
    if (options_.plans == nullptr) return nullptr;
    return options_.plans->Find(instruction.name());
  }

  // The kernel of an instruction: made when it is needed first, unless another
  // program has it.
  absl::StatusOr<const Kernel*> KernelOf(const Instruction& instruction) {
    const GivenPlan* given = GivenFor(instruction);
    std::string key = KernelKey(instruction);
    if (given != nullptr) absl::StrAppend(&key, "\n", given->ToString());
    const auto known = kernels_.find(key);
    if (known != kernels_.end()) {
      ++program_.shared_kernel_count;
      program_.plans.emplace_back(instruction.name(), known->second->plan);
      return known->second;
    }
    std::shared_ptr<const LoadedKernel> loaded =
        options_.library == nullptr ? nullptr : options_.library->Find(key);
    if (loaded != nullptr) {
      const Kernel* kernel = &loaded->kernel;
      program_.plans.emplace_back(instruction.name(), kernel->plan);
      kernels_.emplace(std::move(key), kernel);
      program_.imported_kernels.push_back(std::move(loaded));
      return kernel;
    }
    return EmitNewKernel(instruction, given, key);
  }

  void AddModule(absl::string_view name) {
    // Processors have half precision wherever they have wider vectors.
    program_.modules.emplace_back(name);
    SetTargetFacts({.has_f16c = traits_.vector_bytes > 16},
                   *program_.modules.back().module);
  }

  absl::StatusOr<const Kernel*> EmitNewKernel(const Instruction& instruction,
                                              const GivenPlan* given,
                                              const std::string& key) {
    const size_t count = program_.kernels.size();
    const bool is_full = count > 0 && count % kKernelsPerModule == 0;
    if (is_full && !options_.is_one_module) {
      AddModule(absl::StrCat("kernels_", program_.modules.size()));
    }
    KernelPlan plan(given);
    KernelContext context{.module = *program_.modules.back().module,
                          .traits = traits_,
                          .plan = plan};
    ASSIGN_OR_RETURN(
        Kernel kernel,
        EmitKernel(instruction, KernelName(instruction, key), context));
    program_.kernels.push_back({.key = key,
                                .kernel = std::move(kernel),
                                .module = program_.modules.size() - 1});
    const Kernel* result = &program_.kernels.back().kernel;
    program_.plans.emplace_back(instruction.name(), result->plan);
    kernels_.emplace(key, result);
    return result;
  }

  // The places that a kernel is called with.
  std::vector<passes::Slice> ArgumentsOf(const Instruction& instruction) const {
    std::vector<passes::Slice> places;
    const auto append = [&](const Instruction& value) {
      for (int64_t leaf = 0; leaf < hlo::ArrayLeafCount(value.shape());
           ++leaf) {
        places.push_back(buffers_.slice(value, leaf));
      }
    };
    for (const Instruction* operand : instruction.operands()) append(*operand);
    append(instruction);
    const passes::Slice* scratch = buffers_.scratch(instruction);
    if (scratch != nullptr) places.push_back(*scratch);
    return places;
  }

  // Has the addresses of places put behind those of the allocations, and points
  // to where they will be.
  llvm::Value* ArgumentTable(absl::Span<const passes::Slice> places,
                             Section& section) {
    llvm::IRBuilder<>& builder = section.builder;
    const size_t first =
        buffers_.allocations().size() + program_.arguments.size();
    program_.arguments.insert(program_.arguments.end(), places.begin(),
                              places.end());
    return builder.CreateConstGEP1_64(builder.getPtrTy(),
                                      section.function->getArg(0), first);
  }

  // A function `i1 name(ptr elements)` in the form of a SortComparator.
  absl::StatusOr<llvm::Value*> EmitComparator(const Computation& comparator) {
    llvm::IRBuilder<> builder(*program_.modules[0].context);
    llvm::Function* function = llvm::Function::Create(
        llvm::FunctionType::get(builder.getInt1Ty(), {builder.getPtrTy()},
                                false),
        llvm::Function::InternalLinkage,
        absl::StrCat("comparator_", section_count_++), entry_module());
    function->addRetAttr(llvm::Attribute::ZExt);
    builder.SetInsertPoint(
        llvm::BasicBlock::Create(builder.getContext(), "entry", function));
    ScalarEmitter scalars(builder);
    std::vector<ElementValue> elements;
    for (const Instruction* parameter : comparator.parameters()) {
      llvm::Value* pointer = builder.CreateLoad(
          builder.getPtrTy(),
          builder.CreateConstGEP1_64(builder.getPtrTy(), function->getArg(0),
                                     elements.size()));
      elements.push_back(
          scalars.Load(parameter->shape().element_type(), pointer, 1, nullptr));
    }
    ASSIGN_OR_RETURN(const std::vector<ElementValue> results,
                     EmitScalarComputation(scalars, comparator, elements));
    builder.CreateRet(results[0].real);
    return function;
  }

  absl::Status EmitHostCall(const Instruction& instruction, Section& section) {
    ASSIGN_OR_RETURN(HostFunction function,
                     PlanHostFunction(instruction, traits_));
    std::vector<passes::Slice> places = ArgumentsOf(instruction);
    llvm::IRBuilder<>& builder = section.builder;
    const size_t comparator_place = places.size();
    if (function.comparator != nullptr) places.emplace_back();
    llvm::Value* arguments = ArgumentTable(places, section);
    if (function.comparator != nullptr) {
      ASSIGN_OR_RETURN(llvm::Value * comparator,
                       EmitComparator(*function.comparator));
      builder.CreateStore(
          comparator, builder.CreateConstGEP1_64(builder.getPtrTy(), arguments,
                                                 comparator_place));
    }
    llvm::FunctionCallee call = entry_module().getOrInsertFunction(
        "hilo_call_host_function",
        llvm::FunctionType::get(
            builder.getVoidTy(),
            {builder.getPtrTy(), builder.getInt64Ty(), builder.getPtrTy()},
            false));
    builder.CreateCall(
        call, {section.function->getArg(1),
               builder.getInt64(program_.host_functions.size()), arguments});
    program_.host_functions.push_back(std::move(function));
    return absl::OkStatus();
  }

  // The kernel's code right here: in a loop, calling it would take longer.
  absl::Status EmitInline(const Instruction& instruction, Section& section) {
    section.has_arithmetic = true;
    KernelPlan plan(GivenFor(instruction));
    std::vector<llvm::Value*> addresses;
    for (const passes::Slice& place : ArgumentsOf(instruction)) {
      addresses.push_back(Address(section, place));
    }
    const InlineTarget target{.builder = section.builder,
                              .addresses = std::move(addresses)};
    KernelContext context{.module = entry_module(),
                          .traits = traits_,
                          .plan = plan,
                          .inline_target = &target};
    ASSIGN_OR_RETURN(const Kernel kernel,
                     EmitKernel(instruction, instruction.name(), context));
    program_.plans.emplace_back(instruction.name(), kernel.plan);
    return absl::OkStatus();
  }

  absl::Status EmitCall(const Instruction& instruction, Section& section) {
    ASSIGN_OR_RETURN(const Kernel* kernel, KernelOf(instruction));
    llvm::IRBuilder<>& builder = section.builder;
    llvm::Value* arguments = ArgumentTable(ArgumentsOf(instruction), section);
    llvm::Type* i64 = builder.getInt64Ty();
    llvm::FunctionCallee function = entry_module().getOrInsertFunction(
        kernel->name,
        llvm::FunctionType::get(builder.getVoidTy(),
                                {builder.getPtrTy(), i64, i64}, false));
    llvm::Value* units = builder.getInt64(static_cast<uint64_t>(kernel->units));
    if (kernel->units <= kernel->grain) {
      builder.CreateCall(function, {arguments, builder.getInt64(0), units});
      return absl::OkStatus();
    }
    llvm::FunctionCallee parallel_for = entry_module().getOrInsertFunction(
        "hilo_parallel_for",
        llvm::FunctionType::get(builder.getVoidTy(),
                                {builder.getPtrTy(), builder.getPtrTy(),
                                 builder.getPtrTy(), i64, i64},
                                false));
    llvm::Value* workers =
        builder.CreateLoad(builder.getPtrTy(), section.function->getArg(1));
    builder.CreateCall(
        parallel_for, {workers, function.getCallee(), arguments, units,
                       builder.getInt64(static_cast<uint64_t>(kernel->grain))});
    return absl::OkStatus();
  }

  const hlo::Module& module_;
  const passes::BufferAssignment& buffers_;
  // How many loops run around what is emitted.
  int64_t loop_depth_ = 0;
  const passes::TargetTraits& traits_;
  const EmissionOptions& options_;
  EmittedProgram program_;
  int64_t section_count_ = 0;
  // Owned by the program, or by kernels that it imports.
  absl::flat_hash_map<std::string, const Kernel*> kernels_;
};

}  // namespace

absl::StatusOr<EmittedProgram> EmitProgram(
    const hlo::Module& module, const passes::BufferAssignment& buffers,
    const passes::TargetTraits& traits, const EmissionOptions& options) {
  ASSIGN_OR_RETURN(EmittedProgram program,
                   ProgramEmitter(module, buffers, traits, options).Emit());
  if (options.plans == nullptr) return program;
  std::vector<std::string> names;
  names.reserve(program.plans.size());
  for (const auto& [name, plan] : program.plans) names.push_back(name);
  std::ranges::sort(names);
  RETURN_IF_ERROR(options.plans->CheckAllAreKnown(names));
  return program;
}

}  // namespace hilo::backends

extern "C" void hilo_call_host_function(
    const hilo::backends::RunContext* context, int64_t number,
    void* const* arguments) {
  context->host_functions[number].run(context->loop_workers, arguments);
}

extern "C" uint64_t hilo_profile_clock() {
  return static_cast<uint64_t>(
      std::chrono::steady_clock::now().time_since_epoch() /
      std::chrono::nanoseconds(1));
}
