// Uses of opcodes whose places depend on values: dynamic slices, gathers,
// scatters, sorts.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "hlo/ir/opcode.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

void AddDynamicSlices(std::vector<Row>& rows) {
  for (const char* index : {"s8", "s32", "s64", "u8", "u32", "u64"}) {
    const auto start = [&](int size) {
      return absl::StrCat(index, "[]:index", size);
    };
    rows.push_back(
        {Opcode::kDynamicSlice,
         {"$T[5,7]", start(5), start(7)},
         "$T[2,3] dynamic-slice($0, $1, $2), dynamic_slice_sizes={2,3}"});
    rows.push_back({Opcode::kDynamicUpdateSlice,
                    {"$T[5,7]", "$T[2,3]", start(5), start(7)},
                    "$T[5,7] dynamic-update-slice($0, $1, $2, $3)"});
  }
  rows.insert(
      rows.end(),
      {
          {Opcode::kDynamicSlice,
           {"$T[17]", "s32[]:index17"},
           "$T[16] dynamic-slice($0, $1), dynamic_slice_sizes={16}"},
          {Opcode::kDynamicSlice,
           {"$T[70,130]", "s32[]:index70", "s32[]:index3"},
           "$T[1,130] dynamic-slice($0, $1, $2), dynamic_slice_sizes={1,130}"},
          {Opcode::kDynamicSlice,
           {"$T[3,5]", "s32[]:index3", "s32[]:index5"},
           "$T[0,5] dynamic-slice($0, $1, $2), dynamic_slice_sizes={0,5}"},
          {Opcode::kDynamicSlice,
           {"$T[]"},
           "$T[] dynamic-slice($0), dynamic_slice_sizes={}"},
          {Opcode::kDynamicUpdateSlice,
           {"$T[17]", "$T[7]", "s32[]:index17"},
           "$T[17] dynamic-update-slice($0, $1, $2)"},
          {Opcode::kDynamicUpdateSlice,
           {"$T[70,130]", "$T[70,1]", "s32[]:index5", "s32[]:index130"},
           "$T[70,130] dynamic-update-slice($0, $1, $2, $3)"},
          {Opcode::kDynamicUpdateSlice,
           {"$T[3,5]", "$T[0,5]", "s32[]:index3", "s32[]:index5"},
           "$T[3,5] dynamic-update-slice($0, $1, $2, $3)"},
      });
}

void AddGathers(std::vector<Row>& rows) {
  for (const char* index : {"s8", "s32", "s64", "u8", "u32"}) {
    rows.push_back(
        {Opcode::kGather,
         {"$T[5,3]", absl::StrCat(index, "[4,1]:index5")},
         "gather($0, $1), offset_dims={1}, collapsed_slice_dims={0}, "
         "start_index_map={0}, index_vector_dim=1, "
         "slice_sizes={1,3}"});
  }
  rows.insert(
      rows.end(),
      {
          {Opcode::kGather,
           {"$T[5,7]", "s32[3,2]:index6"},
           "gather($0, $1), offset_dims={}, collapsed_slice_dims={0,1}, "
           "start_index_map={1,0}, index_vector_dim=1, slice_sizes={1,1}"},
          {Opcode::kGather,
           {"$T[5,7]", "s32[2,3]:index6"},
           "gather($0, $1), offset_dims={0,2}, collapsed_slice_dims={}, "
           "start_index_map={0,1}, index_vector_dim=0, slice_sizes={2,3}"},
          {Opcode::kGather,
           {"$T[17]", "s32[7]:index17"},
           "gather($0, $1), offset_dims={}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes={1}"},
          {Opcode::kGather,
           {"$T[3,5,2]", "s32[3,4]:index5"},
           "gather($0, $1), offset_dims={2}, collapsed_slice_dims={1}, "
           "start_index_map={1}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, "
           "slice_sizes={1,1,2}"},
          {Opcode::kGather,
           {"$T[5,3]", "s32[0,1]"},
           "gather($0, $1), offset_dims={1}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"},
          {Opcode::kGather,
           {"$T[70,130]", "s32[33,1]:index70"},
           "gather($0, $1), offset_dims={1}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes={1,130}"},
      });
}

// Combiners whose results do not depend on an order, and sums.
void AddScatters(std::vector<Row>& rows) {
  struct Combiner {
    const char* name;
    Tolerance tolerance;
  };
  for (const Combiner& combiner : {Combiner{"add", Tolerance::kRoundings},
                                   Combiner{"maximum", Tolerance::kExact},
                                   Combiner{"minimum", Tolerance::kExact},
                                   Combiner{"overwrite", Tolerance::kExact},
                                   Combiner{"xor", Tolerance::kExact}}) {
    const std::string apply = absl::StrCat(", to_apply=@", combiner.name);
    const std::string kind =
        combiner.tolerance == Tolerance::kExact ? "" : ":plain";
    const auto array = [&](const char* sizes) {
      return absl::StrCat("$T[", sizes, "]", kind);
    };
    rows.push_back({Opcode::kScatter,
                    {array("5,3"), "s32[4,1]:index5", array("4,3")},
                    absl::StrCat("scatter($0, $1, $2), update_window_dims={1}, "
                                 "inserted_window_dims={0}, "
                                 "scatter_dims_to_operand_dims={0}, "
                                 "index_vector_dim=1",
                                 apply),
                    combiner.tolerance});
    rows.push_back({Opcode::kScatter,
                    {array("5,7"), "s32[3,2]:index6", array("3")},
                    absl::StrCat("scatter($0, $1, $2), update_window_dims={}, "
                                 "inserted_window_dims={0,1}, "
                                 "scatter_dims_to_operand_dims={1,0}, "
                                 "index_vector_dim=1",
                                 apply),
                    combiner.tolerance});
    rows.push_back({Opcode::kScatter,
                    {array("5,7"), "s8[2,3]:index6", array("2,3,3")},
                    absl::StrCat("scatter($0, $1, $2), "
                                 "update_window_dims={0,2}, "
                                 "inserted_window_dims={}, "
                                 "scatter_dims_to_operand_dims={0,1}, "
                                 "index_vector_dim=0",
                                 apply),
                    combiner.tolerance});
    rows.push_back({Opcode::kScatter,
                    {array("17"), "u8[33]:index17", array("33")},
                    absl::StrCat("scatter($0, $1, $2), update_window_dims={}, "
                                 "inserted_window_dims={0}, "
                                 "scatter_dims_to_operand_dims={0}, "
                                 "index_vector_dim=1",
                                 apply),
                    combiner.tolerance});
  }
}

void AddOtherScatters(std::vector<Row>& rows) {
  rows.insert(
      rows.end(),
      {
          {Opcode::kScatter,
           {"$T[3,5,2]", "s32[3,4]:index5", "$T[3,4,2]"},
           "scatter($0, $1, $2), update_window_dims={2}, "
           "inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
           "input_batching_dims={0}, scatter_indices_batching_dims={0}, "
           "index_vector_dim=2, to_apply=@maximum"},
          {Opcode::kScatter,
           {"$T[5,3]", "s32[0,1]", "$T[0,3]"},
           "scatter($0, $1, $2), update_window_dims={1}, "
           "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
           "index_vector_dim=1, to_apply=@maximum"},
          {Opcode::kScatter,
           {"$T[5]", "s32[5]", "s32[4,1]:index5", "$T[4]", "s32[4]"},
           "scatter($0, $1, $2, $3, $4), update_window_dims={}, "
           "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
           "index_vector_dim=1, to_apply=@maximum_and_or"},
      });
}

void AddSorts(std::vector<Row>& rows) {
  for (const char* sizes : {"1", "7", "17", "130", "0", "300"}) {
    const std::string array = absl::StrCat("$T[", sizes, "]");
    rows.push_back({Opcode::kSort,
                    {array},
                    "sort($0), dimensions={0}, to_apply=@less_in_total"});
    rows.push_back(
        {Opcode::kSort,
         {absl::StrCat(array, ":plain")},
         "sort($0), dimensions={0}, is_stable=true, to_apply=@greater"});
    rows.push_back(
        {Opcode::kSort,
         {absl::StrCat(array, ":plain"), absl::StrCat("s32[", sizes, "]")},
         "sort($0, $1), dimensions={0}, is_stable=true, "
         "to_apply=@less_by_first"});
  }
  for (const char* dimension : {"0", "1"}) {
    rows.push_back({Opcode::kSort,
                    {"$T[5,17]:plain"},
                    absl::StrCat("sort($0), dimensions={", dimension,
                                 "}, is_stable=true, to_apply=@less")});
    rows.push_back({Opcode::kSort,
                    {"$T[17,3]"},
                    absl::StrCat("sort($0), dimensions={", dimension,
                                 "}, to_apply=@less_in_total")});
  }
  for (const char* sizes : {"17", "3,17", "1", "2,3,130"}) {
    for (const char* order : {"k=1, largest=true", "k=1, largest=false"}) {
      rows.push_back({Opcode::kTopK,
                      {absl::StrCat("$T[", sizes, "]")},
                      absl::StrCat("topk($0), ", order)});
    }
  }
  rows.push_back({Opcode::kTopK, {"$T[3,17]"}, "topk($0), k=5, largest=true"});
  rows.push_back(
      {Opcode::kTopK, {"$T[130]"}, "topk($0), k=130, largest=false"});
  rows.push_back({Opcode::kTopK, {"$T[3,5]"}, "topk($0), k=0, largest=true"});
}

}  // namespace

std::vector<Row> IndexingRows() {
  std::vector<Row> rows;
  AddDynamicSlices(rows);
  AddGathers(rows);
  AddScatters(rows);
  AddOtherScatters(rows);
  AddSorts(rows);
  return rows;
}

}  // namespace hilo::tests
