// Rules about which computations call which.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/verification.h"

namespace hilo::hlo {
namespace {

// A call of one computation by another.
struct Call {
  const Instruction* caller = nullptr;
  const Computation* callee = nullptr;
};

// The calls in `computation` of computations of the same module.
std::vector<Call> CallsIn(const Computation& computation) {
  std::vector<Call> calls;
  for (const auto& instruction : computation.instructions()) {
    for (const Computation* callee : instruction->called_computations()) {
      if (callee == nullptr || callee->parent() != computation.parent()) {
        continue;
      }
      calls.push_back({.caller = instruction.get(), .callee = callee});
    }
  }
  return calls;
}

// Depth-first search of the call graph, without recursion.
class CallGraphSearch {
 public:
  explicit CallGraphSearch(Verification& verification)
      : verification_(verification),
        states_(verification.module().computation_count(), State::kNew) {}

  void Run() {
    for (const auto& computation : verification_.module().computations()) {
      if (states_[computation->id()] != State::kNew) continue;
      Enter(*computation);
      while (!stack_.empty()) Step();
    }
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  struct Frame {
    const Computation* computation = nullptr;
    std::vector<Call> calls;
    size_t next = 0;
  };

  void Enter(const Computation& computation) {
    states_[computation.id()] = State::kOpen;
    stack_.push_back(
        {.computation = &computation, .calls = CallsIn(computation)});
  }

  void Step() {
    Frame& top = stack_.back();
    if (top.next == top.calls.size()) {
      states_[top.computation->id()] = State::kDone;
      stack_.pop_back();
      return;
    }
    const Call call = top.calls[top.next++];
    switch (states_[call.callee->id()]) {
      case State::kNew:
        Enter(*call.callee);
        break;
      case State::kOpen:
        Report(call);
        break;
      case State::kDone:
        break;
    }
  }

  // The callee is on the stack: it calls itself.
  void Report(const Call& call) {
    const bool is_direct = call.callee == call.caller->parent();
    verification_.Error(
        *call.caller,
        absl::StrCat("computation '", call.callee->name(), "' calls itself",
                     is_direct
                         ? ""
                         : absl::StrCat(" through '",
                                        call.caller->parent()->name(), "'")),
        "express the recursion as a while");
  }

  Verification& verification_;
  std::vector<State> states_;
  std::vector<Frame> stack_;
};

}  // namespace

void VerifyCallees(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* callee : instruction->called_computations()) {
        if (callee == nullptr || verification.Owns(*callee)) continue;
        verification.MarkUnsound(*instruction);
        verification.Error(*instruction,
                           "a called computation belongs to another module");
      }
    }
  }
}

void VerifyCallCycles(Verification& verification) {
  CallGraphSearch(verification).Run();
}

}  // namespace hilo::hlo
