// Uses of leaves, structure and data movement at places that are known.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {
namespace {

using hlo::ElementType;
using hlo::Opcode;

// A bitcast takes pred for a byte.
int BitsOf(ElementType type) {
  return type == ElementType::kPred ? 8 : hlo::InfoOf(type).bits;
}

// All pairs of types, one of which is as wide as some of the other.
void AddBitcastConversions(std::vector<Row>& rows) {
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    for (int j = 0; j < hlo::kElementTypeCount; ++j) {
      const auto from = static_cast<ElementType>(i);
      const auto to = static_cast<ElementType>(j);
      if (!hlo::IsArrayType(from) || !hlo::IsArrayType(to)) continue;
      const int from_bits = BitsOf(from);
      const int to_bits = BitsOf(to);
      // No integers are as wide, to take them apart.
      constexpr int kOddBits = 6;
      const bool is_odd = from_bits == kOddBits || to_bits == kOddBits;
      if (is_odd && from_bits != to_bits) continue;
      const int ratio =
          std::max(from_bits, to_bits) / std::min(from_bits, to_bits);
      const auto array = [&](ElementType type, int bits) {
        const bool is_narrow = bits < std::max(from_bits, to_bits);
        return is_narrow ? absl::StrCat(hlo::TextOf(type), "[7,", ratio, "]")
                         : absl::StrCat(hlo::TextOf(type), "[7]");
      };
      rows.push_back(
          {Opcode::kBitcastConvert,
           {array(from, from_bits)},
           absl::StrCat(array(to, to_bits), " bitcast-convert($0)")});
    }
  }
}

void AddPads(std::vector<Row>& rows) {
  struct Case {
    const char* sizes;
    const char* padding;
  };
  for (const Case& pad :
       {Case{"7", "1_2"}, Case{"7", "-1_3"}, Case{"7", "0_0_2"},
        Case{"17", "-2_-2_1"}, Case{"0", "2_1"}, Case{"1", "-1_0"},
        Case{"3,5", "0_1x2_0"}, Case{"3,5", "-1_0_1x1_-2"},
        Case{"3,5", "2_2_3x0_0"}, Case{"0,3", "1_1x0_0_1"},
        Case{"2,3,5", "0_0x1_1x-1_-1"}, Case{"70,130", "1_1x3_0"},
        Case{"64", "0_64"}}) {
    rows.push_back({Opcode::kPad,
                    {absl::StrCat("$T[", pad.sizes, "]"), "$T[]"},
                    absl::StrCat("pad($0, $1), padding=", pad.padding)});
  }
}

void AddPermutations(std::vector<Row>& rows) {
  rows.insert(
      rows.end(),
      {
          {Opcode::kReshape, {"$T[3,5]"}, "$T[5,3] reshape($0)"},
          {Opcode::kReshape, {"$T[2,3,5]"}, "$T[6,5] reshape($0)"},
          {Opcode::kReshape, {"$T[0,3]"}, "$T[3,0,2] reshape($0)"},
          {Opcode::kReshape, {"$T[1]"}, "$T[] reshape($0)"},
          {Opcode::kReshape, {"$T[70,130]"}, "$T[9100] reshape($0)"},
          {Opcode::kReshape, {"$T[64]"}, "$T[4,1,16] reshape($0)"},
          {Opcode::kReverse, {"$T[$S]"}, "reverse($0), dimensions={0}"},
          {Opcode::kReverse, {"$T[3,5]"}, "reverse($0), dimensions={0,1}"},
          {Opcode::kReverse, {"$T[70,130]"}, "reverse($0), dimensions={1}"},
          {Opcode::kSlice,
           {"$T[3,5]"},
           "$T[2,3] slice($0), slice={[1:3], [0:5:2]}"},
          {Opcode::kSlice, {"$T[17]"}, "$T[16] slice($0), slice={[1:17]}"},
          {Opcode::kSlice, {"$T[17]"}, "$T[4] slice($0), slice={[3:16:4]}"},
          {Opcode::kSlice, {"$T[7]"}, "$T[0] slice($0), slice={[3:3]}"},
          {Opcode::kSlice,
           {"$T[0,3]"},
           "$T[0,1] slice($0), slice={[0:0], [1:2]}"},
          {Opcode::kSlice,
           {"$T[70,130]"},
           "$T[70,128] slice($0), slice={[0:70], [1:129]}"},
          {Opcode::kTranspose, {"$T[3,5]"}, "transpose($0), dimensions={1,0}"},
          {Opcode::kTranspose,
           {"$T[2,3,5]"},
           "transpose($0), dimensions={2,0,1}"},
          {Opcode::kTranspose,
           {"$T[2,3,5]"},
           "transpose($0), dimensions={0,2,1}"},
          {Opcode::kTranspose,
           {"$T[70,130]"},
           "transpose($0), dimensions={1,0}"},
          {Opcode::kTranspose,
           {"$T[64,64]"},
           "transpose($0), dimensions={1,0}"},
          {Opcode::kTranspose,
           {"$T[2,3,1,5]"},
           "transpose($0), dimensions={3,1,0,2}"},
          {Opcode::kTranspose, {"$T[0,3]"}, "transpose($0), dimensions={1,0}"},
      });
}

}  // namespace

std::vector<Row> StructureRows() {
  return {
      {Opcode::kParameter, {"$T[$S]"}, "tuple($0)"},
      {Opcode::kTuple,
       {"$T[3,5]", "$T[2,0]"},
       "$a = tuple($0, $1)\ntuple($a, $0, $0)"},
      {Opcode::kGetTupleElement,
       {"$T[3,5]", "$T[7]"},
       "$a = tuple($0, $1)\nget-tuple-element($a), index=1"},
      {Opcode::kConstant, {}, "$T[3] constant({1, 0, 1})"},
      {Opcode::kConstant, {}, "$T[2,2] constant({{1, 1}, {1, 1}})"},
      {Opcode::kConstant, {}, "$T[0,3] constant({})"},
      {Opcode::kIota, {}, "$T[$S] iota(), iota_dimension=0"},
      {Opcode::kIota, {}, "$T[3,5] iota(), iota_dimension=1"},
      {Opcode::kIota, {}, "$T[2,3,5] iota(), iota_dimension=1"},
      {Opcode::kIota, {}, "$T[3,5]{0,1} iota(), iota_dimension=1"},
      {Opcode::kOptimizationBarrier, {"$T[$S]"}, "$T[$S] opt-barrier($0)"},
      {Opcode::kOptimizationBarrier,
       {"$T[3,5]", "$T[7]"},
       "$a = tuple($0, $1)\n($T[3,5], $T[7]) opt-barrier($a)"},
      {Opcode::kAfterAll,
       {"$T[3,5]"},
       "$t = token[] after-all()\n$u = token[] after-all($t, $t)\n"
       "add-dependency($0, $u)"},
      {Opcode::kAddDependency,
       {"$T[$S]"},
       "$t = token[] after-all()\nadd-dependency($0, $t)"},
      {Opcode::kDomain,
       {"$T[3,5]"},
       "domain($0), domain={kind=\"sharding\", entry={maximal device=0}, "
       "exit={maximal device=1}}"},
      {Opcode::kPartitionId, {}, "u32[] partition-id()"},
      {Opcode::kReplicaId, {}, "u32[] replica-id()"},
  };
}

std::vector<Row> MovementRows() {
  std::vector<Row> rows = {
      {Opcode::kBitcast, {"$T[3,5]"}, "$T[5,3] bitcast($0)"},
      {Opcode::kBitcast, {"$T[3,5]"}, "$T[5,3]{0,1} bitcast($0)"},
      {Opcode::kBitcast, {"$T[2,3,5]"}, "$T[30] bitcast($0)"},
      {Opcode::kBitcast, {"$T[3,5]"}, "$R[3,5] bitcast($0)"},
      {Opcode::kBroadcast, {"$T[]"}, "$T[$S] broadcast($0), dimensions={}"},
      {Opcode::kBroadcast, {"$T[3]"}, "$T[3,5] broadcast($0), dimensions={0}"},
      {Opcode::kBroadcast, {"$T[5]"}, "$T[3,5] broadcast($0), dimensions={1}"},
      {Opcode::kBroadcast,
       {"$T[3,5]"},
       "$T[5,2,3] broadcast($0), dimensions={2,0}"},
      {Opcode::kBroadcast,
       {"$T[130]"},
       "$T[70,130] broadcast($0), dimensions={1}"},
      {Opcode::kBroadcast, {"$T[0]"}, "$T[0,3] broadcast($0), dimensions={0}"},
      {Opcode::kConcatenate,
       {"$T[3,5]", "$T[0,5]", "$T[2,5]"},
       "concatenate($0, $1, $2), dimensions={0}"},
      {Opcode::kConcatenate,
       {"$T[3,5]", "$T[3,1]"},
       "concatenate($0, $1), dimensions={1}"},
      {Opcode::kConcatenate,
       {"$T[7]", "$T[1]", "$T[17]"},
       "concatenate($0, $1, $2), dimensions={0}"},
      {Opcode::kConcatenate,
       {"$T[2,3,5]"},
       "concatenate($0, $0, $0), dimensions={1}"},
      {Opcode::kConcatenate, {"$T[$S]"}, "concatenate($0), dimensions={0}"},
      {Opcode::kConcatenate,
       {"$T[0,3]", "$T[0,3]"},
       "concatenate($0, $1), dimensions={0}"},
      {Opcode::kConcatenate,
       {"$T[70,130]", "$T[70,5]"},
       "concatenate($0, $1), dimensions={1}"},
      {Opcode::kCopy, {"$T[$S]"}, "copy($0)"},
      {Opcode::kCopy, {"$T[3,5]"}, "$T[3,5]{0,1} copy($0)"},
      {Opcode::kCopy, {"$T[2,3,5]"}, "$T[2,3,5]{0,2,1} copy($0)"},
      {Opcode::kCopyStart,
       {"$T[3,5]"},
       "$c = ($T[3,5], $T[3,5], u32[]) copy-start($0)\ncopy-done($c)"},
      {Opcode::kCopyDone,
       {"$T[17]"},
       "$c = ($T[17], $T[17], u32[]) copy-start($0)\ncopy-done($c)"},
      {Opcode::kDynamicReshape,
       {"$T[3,5]"},
       "$a = s32[] constant(5)\n$b = s32[] constant(3)\n"
       "$d = $T[<=5,<=3] dynamic-reshape($0, $a, $b)\n"
       "$T[5,3] slice($d), slice={[0:5], [0:3]}"},
      {Opcode::kGetDimensionSize,
       {"$T[3,5]"},
       "get-dimension-size($0), dimensions={1}"},
      {Opcode::kSetDimensionSize,
       {"$T[3,5]"},
       "$n = s32[] constant(3)\n"
       "$T[<=3,5] set-dimension-size($0, $n), dimensions={0}"},
  };
  AddPermutations(rows);
  AddPads(rows);
  AddBitcastConversions(rows);
  return rows;
}

}  // namespace hilo::tests
