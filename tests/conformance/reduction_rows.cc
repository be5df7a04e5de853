// Uses of reductions, windows and scans.
#include <vector>

#include "absl/strings/str_cat.h"

#include "hlo/ir/opcode.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

struct Reducer {
  const char* name;
  Tolerance tolerance = Tolerance::kExact;
  // Of the values.
  const char* kind = "";
};

const std::vector<Reducer>& Reducers() {
  static const std::vector<Reducer> reducers = {
      {"add", Tolerance::kRoundings, ":plain"},
      {"multiply", Tolerance::kRoundings, ":unit"},
      {"maximum"},
      {"minimum"},
      {"and"},
      {"or"},
      {"xor"}};
  return reducers;
}

void AddReductions(std::vector<Row>& rows) {
  struct Case {
    const char* sizes;
    const char* dimensions;
  };
  for (const Reducer& reducer : Reducers()) {
    for (const Case& reduction :
         {Case{"3,5", "0"}, Case{"3,5", "1"}, Case{"7", "0"}, Case{"17", "0"},
          Case{"2,3,5", "0,2"}, Case{"2,3,5", "1"}, Case{"0,3", "0"},
          Case{"3,0", "0"}, Case{"3,5", ""}, Case{"70,130", "1"},
          Case{"70,130", "0"}, Case{"70,130", "0,1"}, Case{"64", "0"},
          Case{"5000", "0"}, Case{"1", "0"}}) {
      rows.push_back(
          {Opcode::kReduce,
           {absl::StrCat("$T[", reduction.sizes, "]", reducer.kind),
            absl::StrCat("$T[]", reducer.kind)},
           absl::StrCat("reduce($0, $1), dimensions={", reduction.dimensions,
                        "}, to_apply=@", reducer.name),
           reducer.tolerance});
    }
  }
  for (const Case& reduction : {Case{"3,17", "1"}, Case{"17,3", "0"},
                                Case{"70,130", "1"}, Case{"0", "0"}}) {
    rows.push_back(
        {Opcode::kReduce,
         {absl::StrCat("$T[", reduction.sizes, "]"),
          absl::StrCat("s32[", reduction.sizes, "]:plain"), "$T[]",
          "s32[]:plain"},
         absl::StrCat("reduce($0, $1, $2, $3), dimensions={",
                      reduction.dimensions, "}, to_apply=@largest_and_index")});
  }
}

void AddWindows(std::vector<Row>& rows) {
  struct Case {
    const char* sizes;
    const char* window;
  };
  for (const Reducer& reducer : Reducers()) {
    for (const Case& window :
         {Case{"7", "{size=3}"}, Case{"17", "{size=3 stride=2 pad=1_1}"},
          Case{"3,5", "{size=2x2 stride=2x2 pad=1_0x0_1}"},
          Case{"3,5", "{size=1x3 pad=0_0x1_1}"},
          Case{"17", "{size=3 lhs_dilate=2}"},
          Case{"17", "{size=3 rhs_dilate=3 pad=2_2}"},
          Case{"17", "{size=17 pad=16_0}"},
          Case{"3,17", "{size=1x17 pad=0_0x16_0}"},
          Case{"17", "{size=17 pad=0_16}"}, Case{"0,3", "{size=1x2}"},
          Case{"7", "{size=3 pad=-1_-1}"}, Case{"2", "{size=5}"},
          Case{"70,130", "{size=2x2 stride=2x2}"},
          Case{"300", "{size=300 pad=299_0}"},
          Case{"2,8,8,3", "{size=1x2x2x1 stride=1x2x2x1}"}}) {
      rows.push_back({Opcode::kReduceWindow,
                      {absl::StrCat("$T[", window.sizes, "]", reducer.kind),
                       absl::StrCat("$T[]", reducer.kind)},
                      absl::StrCat("reduce-window($0, $1), window=",
                                   window.window, ", to_apply=@", reducer.name),
                      reducer.tolerance});
    }
  }
  rows.push_back({Opcode::kReduceWindow,
                  {"$T[17]", "s32[17]:plain", "$T[]", "s32[]:plain"},
                  "reduce-window($0, $1, $2, $3), window={size=3 pad=1_1}, "
                  "to_apply=@largest_and_index"});
}

void AddSelections(std::vector<Row>& rows) {
  struct Case {
    const char* sizes;
    const char* source;
    const char* window;
  };
  for (const Case& window :
       {Case{"6", "3", "{size=2 stride=2}"}, Case{"7", "5", "{size=3}"},
        Case{"4,6", "2,3", "{size=2x2 stride=2x2}"},
        Case{"5,5", "3,3", "{size=3x3 stride=2x2 pad=1_1x1_1}"},
        Case{"2,8,8,3", "2,4,4,3", "{size=1x2x2x1 stride=1x2x2x1}"},
        Case{"0,3", "0,2", "{size=1x2}"}}) {
    for (const char* select : {"at_least", "at_most"}) {
      rows.push_back(
          {Opcode::kSelectAndScatter,
           {absl::StrCat("$T[", window.sizes, "]"),
            absl::StrCat("$T[", window.source, "]:plain"), "$T[]:plain"},
           absl::StrCat("select-and-scatter($0, $1, $2), window=",
                        window.window, ", select=@", select, ", scatter=@add"),
           Tolerance::kRoundings});
    }
  }
}

}  // namespace

std::vector<Row> ReductionRows() {
  std::vector<Row> rows = {
      {Opcode::kMap,
       {"$T[3,5]", "$T[3,5]"},
       "map($0, $1), dimensions={0,1}, to_apply=@add"},
      {Opcode::kMap,
       {"$T[17]", "s32[17]"},
       "map($0, $1), dimensions={0}, to_apply=@first_where_positive"},
      {Opcode::kMap, {"$T[0]"}, "map($0), dimensions={0}, to_apply=@doubled"},
      {Opcode::kScan,
       {"$T[7]:plain", "$T[]:plain"},
       "scan($0, $1), dimensions={0}, num_carries=1, to_apply=@step"},
      {Opcode::kScan,
       {"$T[17]:plain", "$T[]:plain"},
       "scan($0, $1), dimensions={0}, num_carries=1, is_reverse=true, "
       "to_apply=@step"},
      {Opcode::kScan,
       {"$T[0]:plain", "$T[]:plain"},
       "scan($0, $1), dimensions={0}, num_carries=1, to_apply=@step"},
      {Opcode::kScan,
       {"$T[3,5]", "$T[5]"},
       "scan($0, $1), dimensions={0}, num_carries=1, to_apply=@row_step"},
      {Opcode::kScan,
       {"$T[5,17]", "$T[5]"},
       "scan($0, $1), dimensions={1}, num_carries=1, is_reverse=true, "
       "to_apply=@row_step"},
  };
  AddReductions(rows);
  AddWindows(rows);
  AddSelections(rows);
  return rows;
}

}  // namespace hilo::tests
