// Rules about operations that begin in one instruction and end in another.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/verification.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {
namespace {

// A start and the done that awaits it. Asynchronous computations may pass
// through updates in between.
struct AsyncPair {
  Opcode start;
  Opcode done;
};

constexpr auto kPairs = std::to_array<AsyncPair>({
    {.start = Opcode::kAllGatherStart, .done = Opcode::kAllGatherDone},
    {.start = Opcode::kAllReduceStart, .done = Opcode::kAllReduceDone},
    {.start = Opcode::kAsyncStart, .done = Opcode::kAsyncDone},
    {.start = Opcode::kAsyncUpdate, .done = Opcode::kAsyncDone},
    {.start = Opcode::kCollectivePermuteStart,
     .done = Opcode::kCollectivePermuteDone},
    {.start = Opcode::kCopyStart, .done = Opcode::kCopyDone},
});

const AsyncPair* FindByStart(Opcode start) {
  const auto* const pair = std::ranges::find_if(
      kPairs, [&](const AsyncPair& p) { return p.start == start; });
  return pair == kPairs.end() ? nullptr : pair;
}

// The first pair with this done: for async-done that of async-start.
const AsyncPair* FindByDone(Opcode done) {
  const auto* const pair = std::ranges::find_if(
      kPairs, [&](const AsyncPair& p) { return p.done == done; });
  return pair == kPairs.end() ? nullptr : pair;
}

bool Awaits(Opcode user, const AsyncPair& pair) {
  return user == pair.done ||
         (pair.done == Opcode::kAsyncDone && user == Opcode::kAsyncUpdate);
}

void VerifyStart(const Instruction& start, const AsyncPair& pair,
                 Verification& verification) {
  if (start.uses().empty()) {
    verification.Error(
        start, "the result is not awaited",
        absl::StrCat("add ", TextOf(pair.done), "(", start.name(), ")"));
    return;
  }
  if (start.uses().size() > 1) {
    Diagnostic& diagnostic = verification.Error(
        start, absl::StrCat("the result has ", start.uses().size(),
                            " uses, expected one ", TextOf(pair.done)));
    verification.AddNote(*start.uses()[0].user, &diagnostic);
    verification.AddNote(*start.uses()[1].user, &diagnostic);
    return;
  }
  const Instruction::Use& use = start.uses().front();
  if (Awaits(use.user->opcode(), pair) && use.operand_index == 0) return;
  Diagnostic& diagnostic = verification.Error(
      start, absl::StrCat("the result is used by ", TextOf(use.user->opcode()),
                          ", expected ", TextOf(pair.done)));
  verification.AddNote(*use.user, &diagnostic);
}

// The instruction that a send-done or recv-done ends, if it is the operand
// itself: in pipelined loops the value passes through tuples.
const Instruction* TransferStart(const Instruction& done) {
  if (done.operand_count() != 1) return nullptr;
  const Instruction* operand = done.operand(0);
  const bool is_pair = (done.opcode() == Opcode::kSendDone &&
                        operand->opcode() == Opcode::kSend) ||
                       (done.opcode() == Opcode::kRecvDone &&
                        operand->opcode() == Opcode::kRecv);
  return is_pair ? operand : nullptr;
}

void VerifyChannel(const Instruction& start, const Instruction& done,
                   Verification& verification) {
  const bool same_channel = start.channel_id() == done.channel_id() ||
                            start.channel_id() <= 0 || done.channel_id() <= 0;
  if (!same_channel) {
    Diagnostic& diagnostic = verification.Error(
        done, absl::StrCat("channel_id is ", done.channel_id(), ", that of ",
                           TextOf(start.opcode()), " is ", start.channel_id()));
    verification.AddNote(start, &diagnostic);
  }
  if (start.is_host_transfer() == done.is_host_transfer()) return;
  Diagnostic& diagnostic = verification.Error(
      done, absl::StrCat("is_host_transfer differs from that of ",
                         TextOf(start.opcode())));
  verification.AddNote(start, &diagnostic);
}

}  // namespace

void VerifyStarts(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      const AsyncPair* pair = FindByStart(instruction->opcode());
      if (pair == nullptr || !verification.IsSound(*instruction)) continue;
      VerifyStart(*instruction, *pair, verification);
    }
  }
}

void VerifyDones(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      const AsyncPair* pair = FindByDone(instruction->opcode());
      // The shape rules of asynchronous computations look at the operand.
      if (pair == nullptr || pair->start == Opcode::kAsyncStart) continue;
      if (instruction->operand_count() != 1) continue;
      const Instruction& operand = *instruction->operand(0);
      if (operand.opcode() == pair->start) continue;
      Diagnostic& diagnostic = verification.Error(
          *instruction,
          absl::StrCat("operand 0 is the result of ", TextOf(operand.opcode()),
                       ", expected ", TextOf(pair->start)));
      verification.AddNote(operand, &diagnostic);
    }
  }
}

void VerifyChannels(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Instruction* start = TransferStart(*instruction);
      if (start != nullptr) VerifyChannel(*start, *instruction, verification);
    }
  }
}

}  // namespace hilo::hlo
