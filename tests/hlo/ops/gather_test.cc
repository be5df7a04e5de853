// Tests of the shape rules of gather and scatter.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "tests/hlo/ops/infer_text.h"

namespace hilo::hlo {
namespace {

TEST_CASE("gather places batch and offset dimensions") {
  CheckInference({
      {"f32[5,3] gather(f32[7,3] x, s32[5,1] i), offset_dims={1}, "
       "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,3}",
       "f32[5,3]"},
      {"f32[2,5] gather(f32[7,3] x, s32[5] i), offset_dims={0}, "
       "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,2}",
       "f32[2,5]"},
      {"f32[4,5,3] gather(f32[4,7,3] x, s32[4,5,1] i), offset_dims={2}, "
       "collapsed_slice_dims={1}, start_index_map={1}, "
       "operand_batching_dims={0}, start_indices_batching_dims={0}, "
       "index_vector_dim=2, slice_sizes={1,1,3}",
       "f32[4,5,3]"},
      {"f32[0,3] gather(f32[7,3] x, s32[0,1] i), offset_dims={1}, "
       "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,3}",
       "f32[0,3]"},
  });
}

std::string Gather(absl::string_view operands, absl::string_view attributes) {
  return absl::StrCat("f32[5,3] gather(", operands, "), ", attributes);
}

TEST_CASE("gather rejects dimension numbers that do not fit") {
  constexpr absl::string_view kOperands = "f32[7,3] x, s32[5,1] i";
  CheckInference({
      {Gather(kOperands,
              "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
              "index_vector_dim=3, slice_sizes={1,3}"),
       "index_vector_dim is 3, expected 0 to 2"},
      {Gather(kOperands,
              "offset_dims={1}, collapsed_slice_dims={0}, "
              "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,3}"),
       "start_index_map has 2 entries, an index has 1 components"},
      {Gather(kOperands,
              "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
              "index_vector_dim=1, slice_sizes={1,4}"),
       "slice_sizes entry 1 is 4, operand dimension 1 is 3"},
      {Gather(kOperands,
              "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
              "index_vector_dim=1, slice_sizes={2,3}"),
       "slice_sizes entry 0 is 2"},
      {Gather(kOperands,
              "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
              "index_vector_dim=1, slice_sizes={1}"),
       "slice_sizes has 1 entries"},
      {Gather(kOperands,
              "offset_dims={0,1}, collapsed_slice_dims={0}, "
              "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"),
       "offset_dims has 2 entries"},
      {Gather(kOperands,
              "offset_dims={9223372036854775807}, collapsed_slice_dims={0}, "
              "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"),
       "offset_dims 9223372036854775807 is out of range"},
      {Gather(kOperands,
              "offset_dims={1}, collapsed_slice_dims={-1}, "
              "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"),
       "collapsed_slice_dims -1 is out of range"},
      {Gather("f32[7,3] x, f32[5,1] i",
              "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
              "index_vector_dim=1, slice_sizes={1,3}"),
       "indices must be integers"},
      {Gather("f32[5,3] x, s32[4,1] i",
              "offset_dims={1}, collapsed_slice_dims={}, start_index_map={1}, "
              "operand_batching_dims={0}, start_indices_batching_dims={0}, "
              "index_vector_dim=1, slice_sizes={1,3}"),
       "batching sizes differ: operand dimension 0 is 5, indices dimension 0 "
       "is 4"},
      {Gather("f32[5,3] x, s32[5,1] i",
              "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={1}, "
              "operand_batching_dims={0}, start_indices_batching_dims={0}, "
              "index_vector_dim=1, slice_sizes={1,3}"),
       "is in collapsed_slice_dims and in operand_batching_dims"},
  });
}

constexpr absl::string_view kAddReducer =
    "to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] "
    "add(a, b) }";

std::string Scatter(absl::string_view operands, absl::string_view attributes,
                    absl::string_view reducer = kAddReducer) {
  return absl::StrCat("f32[7,3] scatter(", operands, "), ", attributes, ", ",
                      reducer);
}

constexpr absl::string_view kRows =
    "update_window_dims={1}, inserted_window_dims={0}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1";

TEST_CASE("scatter gives the operand's shape") {
  CHECK(InferText(Scatter("f32[7,3] x, s32[5,1] i, f32[5,3] u", kRows)) ==
        "f32[7,3]");
  // A window may be smaller than the operand.
  CHECK(InferText(Scatter("f32[7,3] x, s32[5,1] i, f32[5,2] u", kRows)) ==
        "f32[7,3]");
}

TEST_CASE("scatter rejects updates and reducers that do not fit") {
  CheckInference({
      {Scatter("f32[7,3] x, s32[5,1] i, f32[5,4] u", kRows),
       "updates dimension 1 is 4, larger than the operand's 3"},
      {Scatter("f32[7,3] x, s32[5,1] i, f32[6,3] u", kRows),
       "updates dimension 0 is 6, the indices have 5"},
      {Scatter("f32[7,3] x, s32[5,1] i, f32[5] u", kRows),
       "updates have rank 1, expected 2"},
      {Scatter("f32[7,3] x, s32[5,1] i", kRows), "got 2 operands"},
      {Scatter("f32[7,3] x, s32[5,1] i, f32[5,3] u", kRows,
               "to_apply={ ROOT a = f32[] parameter(0) }"),
       "expected 2"},
      {Scatter("f32[7,3] x, s32[5,1] i, s32[5,3] u", kRows), "s32[]"},
  });
}

}  // namespace
}  // namespace hilo::hlo
