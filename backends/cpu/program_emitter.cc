// Emits entry code: schedules, control flow, calls of kernels.
#include "backends/cpu/program_emitter.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Casting.h"

#include "backends/cpu/entry_section.h"
#include "backends/cpu/host_function.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/program_kernels.h"
#include "backends/cpu/scalar_code.h"
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

// Instructions with code that one function of the entry code runs itself.
constexpr size_t kInstructionsPerFunction = 256;

class ProgramEmitter {
 public:
  ProgramEmitter(const hlo::Module& module,
                 const passes::BufferAssignment& buffers,
                 const passes::TargetTraits& traits,
                 const EmissionOptions& options)
      : module_(module),
        buffers_(buffers),
        traits_(traits),
        options_(options),
        kernels_(traits, options, program_) {
    program_.is_profiled = options.profiles;
  }

  absl::StatusOr<EmittedProgram> Emit() {
    EntrySection section(entry_module(), EmittedProgram::kEntryName,
                         llvm::Function::ExternalLinkage);
    RETURN_IF_ERROR(EmitComputation(*module_.entry(), section));
    section.Finish();
    return std::move(program_);
  }

 private:
  llvm::Module& entry_module() { return *program_.modules[0].module; }

  llvm::Value* Address(EntrySection& section, const Instruction& instruction,
                       int64_t leaf) {
    return section.Address(buffers_.slice(instruction, leaf));
  }

  // Sequences -------------------------------------------------------------

  // Runs a computation within the section, in functions of its own where it is
  // long.
  absl::Status EmitComputation(const Computation& computation,
                               EntrySection& section) {
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
      EntrySection part(entry_module(),
                        absl::StrCat("section_", section_count_++),
                        llvm::Function::InternalLinkage);
      const size_t count = std::min(kInstructionsPerFunction, order.size() - i);
      RETURN_IF_ERROR(
          EmitSequence(absl::MakeConstSpan(order).subspan(i, count), part));
      part.Finish();
      section.Call(part);
    }
    return absl::OkStatus();
  }

  absl::Status EmitSequence(absl::Span<const Instruction* const> order,
                            EntrySection& section) {
    for (const Instruction* instruction : order) {
      RETURN_IF_ERROR(EmitInstruction(*instruction, section));
    }
    return absl::OkStatus();
  }

  absl::Status EmitInstruction(const Instruction& instruction,
                               EntrySection& section) {
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
    if (HasScalarCode(instruction)) {
      section.set_has_arithmetic();
      return EmitScalarCode(instruction, section.builder(),
                            [&](const Instruction& value, int64_t leaf) {
                              return Address(section, value, leaf);
                            });
    }
    if (loop_depth_ > 0 && FitsInline(instruction, traits_)) {
      return EmitInline(instruction, section);
    }
    return EmitTimed(instruction, section,
                     [&] { return EmitCall(instruction, section); });
  }

  // What `emit` appends, between two looks at the clock if that is wanted.
  absl::Status EmitTimed(const Instruction& instruction, EntrySection& section,
                         const std::function<absl::Status()>& emit) {
    if (!options_.profiles) return emit();
    llvm::IRBuilder<>& builder = section.builder();
    llvm::Type* word = builder.getInt64Ty();
    const llvm::FunctionCallee clock = entry_module().getOrInsertFunction(
        "hilo_profile_clock", llvm::FunctionType::get(word, false));
    llvm::Value* start = builder.CreateCall(clock);
    RETURN_IF_ERROR(emit());
    llvm::Value* time = builder.CreateSub(builder.CreateCall(clock), start);
    llvm::Value* counters =
        section.LoadFromContext(offsetof(RunContext, profile));
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

  absl::Status EmitWhile(const Instruction& loop, EntrySection& section) {
    llvm::IRBuilder<>& builder = section.builder();
    llvm::BasicBlock* header = section.AppendBlock("while");
    llvm::BasicBlock* body = section.AppendBlock("do");
    llvm::BasicBlock* exit = section.AppendBlock("done");
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
                               EntrySection& section) {
    llvm::IRBuilder<>& builder = section.builder();
    const std::vector<Computation*> branches = conditional.branches();
    const Instruction& selector = *conditional.operand(0);
    const bool is_predicate =
        selector.shape().element_type() == hlo::ElementType::kPred;
    llvm::BasicBlock* merge = section.AppendBlock("merge");
    llvm::Value* address = Address(section, selector, 0);
    llvm::Value* value = builder.CreateLoad(
        is_predicate ? builder.getInt8Ty() : builder.getInt32Ty(), address);
    // The last branch stands for all indices that are out of range; of a
    // predicate's two, the first is for true.
    llvm::BasicBlock* last = section.AppendBlock("branch");
    llvm::SwitchInst* choice = builder.CreateSwitch(value, last);
    for (size_t i = 0; i < branches.size(); ++i) {
      const bool is_last = i + 1 == branches.size();
      llvm::BasicBlock* block = is_last ? last : section.AppendBlock("branch");
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

  void EmitPlainCopy(const Instruction& copy, EntrySection& section) {
    const passes::Slice& from = buffers_.slice(*copy.operand(0), 0);
    const passes::Slice& to = buffers_.slice(copy, 0);
    if (from == to || to.size_bytes == 0) return;
    // May be one address at run time: an argument that was given away.
    section.builder().CreateMemMove(section.Address(to), llvm::MaybeAlign(1),
                                    section.Address(from), llvm::MaybeAlign(1),
                                    static_cast<uint64_t>(to.size_bytes));
  }

  // The instruction's own counter of 128 bits, which then grows by its delta.
  void EmitRandomState(const Instruction& instruction, EntrySection& section) {
    llvm::IRBuilder<>& builder = section.builder();
    llvm::Type* word = builder.getInt64Ty();
    llvm::Value* states =
        section.LoadFromContext(offsetof(RunContext, random_states));
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
                             EntrySection& section) {
    const size_t first =
        buffers_.allocations().size() + program_.arguments.size();
    program_.arguments.insert(program_.arguments.end(), places.begin(),
                              places.end());
    return section.AddressTable(first);
  }

  absl::Status EmitHostCall(const Instruction& instruction,
                            EntrySection& section) {
    ASSIGN_OR_RETURN(HostFunction function,
                     PlanHostFunction(instruction, traits_));
    std::vector<passes::Slice> places = ArgumentsOf(instruction);
    llvm::IRBuilder<>& builder = section.builder();
    const size_t comparator_place = places.size();
    if (function.comparator != nullptr) places.emplace_back();
    llvm::Value* arguments = ArgumentTable(places, section);
    if (function.comparator != nullptr) {
      ASSIGN_OR_RETURN(
          llvm::Value * comparator,
          EmitComparator(*function.comparator,
                         absl::StrCat("comparator_", section_count_++),
                         entry_module()));
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
        call, {section.run_context(),
               builder.getInt64(program_.host_functions.size()), arguments});
    program_.host_functions.push_back(std::move(function));
    return absl::OkStatus();
  }

  // The kernel's code right here: in a loop, calling it would take longer.
  absl::Status EmitInline(const Instruction& instruction,
                          EntrySection& section) {
    section.set_has_arithmetic();
    KernelPlan plan(kernels_.GivenFor(instruction));
    std::vector<llvm::Value*> addresses;
    for (const passes::Slice& place : ArgumentsOf(instruction)) {
      addresses.push_back(section.Address(place));
    }
    const InlineTarget target{.builder = section.builder(),
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

  absl::Status EmitCall(const Instruction& instruction, EntrySection& section) {
    ASSIGN_OR_RETURN(const Kernel* kernel, kernels_.KernelOf(instruction));
    llvm::IRBuilder<>& builder = section.builder();
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
                                 builder.getPtrTy(), i64, i64, i64},
                                false));
    llvm::Value* workers =
        section.LoadFromContext(offsetof(RunContext, loop_workers));
    builder.CreateCall(
        parallel_for, {workers, function.getCallee(), arguments, units,
                       builder.getInt64(static_cast<uint64_t>(kernel->grain)),
                       builder.getInt64(static_cast<uint64_t>(kernel->slots))});
    return absl::OkStatus();
  }

  const hlo::Module& module_;
  const passes::BufferAssignment& buffers_;
  // How many loops run around what is emitted.
  int64_t loop_depth_ = 0;
  const passes::TargetTraits& traits_;
  const EmissionOptions& options_;
  EmittedProgram program_;
  ProgramKernels kernels_;
  int64_t section_count_ = 0;
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
