// Uses of calls, control flow and communication, and what is refused.
#include <string>
#include <vector>

#include "hlo/ir/opcode.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {

using hlo::Opcode;

std::vector<Row> ControlRows() {
  const std::string start =
      "$s = (($T[3,5]), $T[3,5], u32[]) async-start($0), calls=@doubled_rows\n";
  return {
      {Opcode::kAsyncStart, {"$T[3,5]"}, start + "$T[3,5] async-done($s)"},
      {Opcode::kAsyncUpdate,
       {"$T[3,5]"},
       start + "$u = (($T[3,5]), $T[3,5], u32[]) async-update($s)\n"
               "$T[3,5] async-done($u)"},
      {Opcode::kAsyncDone, {"$T[3,5]"}, start + "$T[3,5] async-done($s)"},
      {Opcode::kCall, {"$T[3,5]"}, "call($0), to_apply=@doubled_rows"},
      {Opcode::kConditional,
       {"pred[]", "$T[3,5]"},
       "conditional($0, $1, $1), true_computation=@doubled_rows, "
       "false_computation=@reversed_rows"},
      {Opcode::kConditional,
       {"s32[]:index3", "$T[3,5]"},
       "conditional($0, $1, $1, $1), branch_computations={@doubled_rows, "
       "@reversed_rows, @same_rows}"},
      {Opcode::kCustomCall,
       {"$T[3,5]"},
       "$T[3,5] custom-call($0), custom_call_target=\"Sharding\""},
      {Opcode::kCustomCall,
       {"$T[3,5]"},
       "($T[3,2], s32[3,2]) custom-call($0), custom_call_target=\"TopK\", "
       "called_computations={@greater_in_total}"},
      {Opcode::kFusion,
       {"$T[3,5]"},
       "$T[3,5] fusion($0), kind=kLoop, calls=@doubled_rows"},
      {Opcode::kFusion,
       {"$T[3,5]"},
       "$T[3,5] fusion($0), kind=kLoop, calls=@reversed_rows"},
      {Opcode::kWhile,
       {"s32[]:index3", "$T[3,5]"},
       "$a = tuple($0, $1)\n"
       "while($a), condition=@loop_condition, body=@loop_body"},
  };
}

std::vector<Row> CommunicationRows() {
  const std::string one = ", replica_groups={{0}}";
  return {
      {Opcode::kAllGather,
       {"$T[3,5]"},
       "$T[3,5] all-gather($0), dimensions={0}" + one},
      {Opcode::kAllGatherStart,
       {"$T[3,5]"},
       "$s = ($T[3,5], $T[3,5]) all-gather-start($0), dimensions={1}" + one +
           "\n$T[3,5] all-gather-done($s)"},
      {Opcode::kAllGatherDone,
       {"$T[7]"},
       "$s = ($T[7], $T[7]) all-gather-start($0), dimensions={0}" + one +
           "\n$T[7] all-gather-done($s)"},
      {Opcode::kAllReduce,
       {"$T[$S]"},
       "$T[$S] all-reduce($0), to_apply=@add" + one},
      {Opcode::kAllReduceStart,
       {"$T[3,5]"},
       "$s = $T[3,5] all-reduce-start($0), to_apply=@maximum" + one +
           "\n$T[3,5] all-reduce-done($s)"},
      {Opcode::kAllReduceDone,
       {"$T[7]"},
       "$s = $T[7] all-reduce-start($0), to_apply=@maximum" + one +
           "\n$T[7] all-reduce-done($s)"},
      {Opcode::kAllToAll,
       {"$T[3,5]"},
       "$T[3,5] all-to-all($0), dimensions={0}" + one},
      {Opcode::kAllToAll, {"$T[3,5]"}, "($T[3,5]) all-to-all($0)" + one},
      {Opcode::kCollectiveBroadcast,
       {"$T[3,5]"},
       "$T[3,5] collective-broadcast($0)" + one},
      {Opcode::kCollectivePermute,
       {"$T[3,5]"},
       "$T[3,5] collective-permute($0), source_target_pairs={{0,0}}"},
      {Opcode::kCollectivePermute,
       {"$T[3,5]"},
       "$T[3,5] collective-permute($0), source_target_pairs={{0,1}}"},
      {Opcode::kCollectivePermuteStart,
       {"$T[3,5]"},
       "$s = ($T[3,5], $T[3,5], u32[], u32[]) collective-permute-start($0), "
       "source_target_pairs={{0,0}}\n$T[3,5] collective-permute-done($s)"},
      {Opcode::kCollectivePermuteDone,
       {"$T[7]"},
       "$s = ($T[7], $T[7], u32[], u32[]) collective-permute-start($0), "
       "source_target_pairs={{0,0}}\n$T[7] collective-permute-done($s)"},
      {Opcode::kRaggedAllToAll,
       {"$T[4]", "$T[9]", "s32[1]:below2", "s32[1]:below3", "s32[1]:below2",
        "s32[1]:below3"},
       "$T[9] ragged-all-to-all($0, $1, $2, $3, $4, $5)" + one},
      {Opcode::kReduceScatter,
       {"$T[3,5]"},
       "$T[3,5] reduce-scatter($0), dimensions={0}, to_apply=@add" + one},
  };
}

std::vector<RefusedRow> RefusedRows() {
  constexpr const char* kNoQueue = "there is no queue to the host";
  constexpr const char* kNoPeer = "one device has no peer";
  return {
      {{Opcode::kInfeed,
        {},
        "$t = token[] after-all()\n"
        "$i = ($T[3], token[]) infeed($t)\nget-tuple-element($i), index=0"},
       kNoQueue},
      {{Opcode::kOutfeed,
        {"$T[3]"},
        "$t = token[] after-all()\n"
        "$o = token[] outfeed($0, $t), outfeed_shape=$T[3]\n"
        "add-dependency($0, $o)"},
       kNoQueue},
      {{Opcode::kRecv,
        {},
        "$t = token[] after-all()\n"
        "$r = ($T[3], u32[], token[]) recv($t), channel_id=1\n"
        "$d = ($T[3], token[]) recv-done($r), channel_id=1\n"
        "get-tuple-element($d), index=0"},
       kNoPeer},
      {{Opcode::kRecvDone,
        {},
        "$t = token[] after-all()\n"
        "$r = ($T[7], u32[], token[]) recv($t), channel_id=1\n"
        "$d = ($T[7], token[]) recv-done($r), channel_id=1\n"
        "get-tuple-element($d), index=0"},
       kNoPeer},
      {{Opcode::kSend,
        {"$T[3]"},
        "$t = token[] after-all()\n"
        "$s = ($T[3], u32[], token[]) send($0, $t), channel_id=1\n"
        "$d = token[] send-done($s), channel_id=1\nadd-dependency($0, $d)"},
       kNoPeer},
      {{Opcode::kSendDone,
        {"$T[7]"},
        "$t = token[] after-all()\n"
        "$s = ($T[7], u32[], token[]) send($0, $t), channel_id=1\n"
        "$d = token[] send-done($s), channel_id=1\nadd-dependency($0, $d)"},
       kNoPeer},
  };
}

}  // namespace hilo::tests
