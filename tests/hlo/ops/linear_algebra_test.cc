// Tests of the shape rules of products, solves and transforms.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "tests/hlo/ops/infer_text.h"

namespace hilo::hlo {
namespace {

TEST_CASE("dot results have batch, lhs and rhs dimensions") {
  CheckInference({
      {"f32[2,5] dot(f32[2,3] a, f32[3,5] b), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "f32[2,5]"},
      {"s32[7,2,5] dot(s8[7,2,3] a, s8[7,5,3] b), lhs_batch_dims={0}, "
       "rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={2}",
       "s32[7,2,5]"},
      {"f32[2,3] dot(f32[2] a, f32[3] b)", "f32[2,3]"},
      {"r = dot(bf16[2,3] a, f32[3,5] b), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "f32[2,5]"},
  });
}

TEST_CASE("dot rejects lists that do not pair up") {
  CheckInference({
      {"f32[8,16] dot(f32[8,64] a, f32[32,16] b), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "error: contracting sizes differ: lhs dimension 1 is 64, rhs dimension "
       "0 is 32"},
      {"f32[2,5] dot(f32[2,3] a, f32[3,5] b), lhs_contracting_dims={1}",
       "lhs has 1 contracting dimensions, rhs has 0"},
      {"f32[2,5] dot(f32[2,3] a, f32[3,5] b), lhs_contracting_dims={7}, "
       "rhs_contracting_dims={0}",
       "out of range"},
      {"f32[2,5] dot(f32[3,3] a, f32[3,3] b), lhs_contracting_dims={1,1}, "
       "rhs_contracting_dims={0,1}",
       "twice"},
      {"f32[2] dot(f32[3,3] a, f32[3,3] b), lhs_contracting_dims={0}, "
       "rhs_contracting_dims={0}, lhs_batch_dims={0}, rhs_batch_dims={1}",
       "lhs dimension 0 is both batch and contracting"},
      {"f32[2,5] dot(c64[2,3] a, c64[3,5] b), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "cannot hold products of c64"},
      {"s8[2,5] dot(s32[2,3] a, s32[3,5] b), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "cannot hold products of s32"},
      {"f32[1] dot(f32[4611686018427387904,0] a, f32[0,4611686018427387904] "
       "b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "error"},
  });
}

TEST_CASE("ragged dots follow the kind of the ragged dimension") {
  CheckInference({
      {"f32[5,7] ragged-dot(f32[5,3] a, f32[2,3,7] b, s32[2] g), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "lhs_ragged_dims={0}, rhs_group_dims={0}",
       "f32[5,7]"},
      {"f32[2,5,7] ragged-dot(f32[5,3] a, f32[3,7] b, s32[2] g), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
       "lhs_ragged_dims={1}",
       "f32[2,5,7]"},
      {"f32[4,5,7] ragged-dot(f32[4,5,3] a, f32[4,3,7] b, s32[2] g), "
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}, lhs_ragged_dims={0}",
       "f32[4,5,7]"},
      {"f32[5,7] ragged-dot(f32[5,3] a, f32[2,3,7] b, s32[4] g), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "lhs_ragged_dims={0}, rhs_group_dims={0}",
       "group counts differ"},
      {"f32[5,7] ragged-dot(f32[5,3] a, f32[2,3,7] b, s32[2] g), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "rhs_group_dims={0}",
       "lhs_ragged_dims lists 0 dimensions"},
  });
}

TEST_CASE("scales of a scaled dot divide their operands") {
  CheckInference({
      {"f32[2,5] scaled-dot(f8e4m3fn[2,64] a, f8e4m3fn[64,5] b, f8e8m0fnu[2,2] "
       "s, f8e8m0fnu[2,5] t), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "f32[2,5]"},
      {"f32[2,5] scaled-dot(f8e4m3fn[2,64] a, f8e4m3fn[64,5] b, f8e8m0fnu[2,3] "
       "s, f8e8m0fnu[] t), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "lhs dimension 1 is 64, not a multiple of the 3"},
      {"f32[2,5] scaled-dot(f8e4m3fn[2,64] a, f8e4m3fn[64,5] b, f8e8m0fnu[] "
       "s, f8e8m0fnu[] t), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "both scales are scalars"},
  });
}

std::string Convolution(absl::string_view result, absl::string_view lhs,
                        absl::string_view rhs, absl::string_view attributes) {
  return absl::StrCat(result, " convolution(", lhs, " a, ", rhs, " b), ",
                      attributes);
}

TEST_CASE("convolution sizes follow windows and groups") {
  CheckInference({
      {Convolution("f32[1,7,7,4]", "f32[1,9,9,3]", "f32[3,3,3,4]",
                   "window={size=3x3}, dim_labels=b01f_01io->b01f"),
       "f32[1,7,7,4]"},
      {Convolution("f32[1,5,6]", "f32[1,9,4]", "f32[3,2,6]",
                   "window={size=3 stride=2 pad=1_1}, dim_labels=b0f_0io->b0f, "
                   "feature_group_count=2"),
       "f32[1,5,6]"},
      {Convolution("f32[2,5]", "f32[2,3]", "f32[3,5]", "dim_labels=bf_io->bf"),
       "f32[2,5]"},
      {Convolution("f32[1,3,4]", "f32[2,5,3]", "f32[3,3,4]",
                   "window={size=3}, dim_labels=b0f_0io->b0f, "
                   "batch_group_count=2"),
       "f32[1,3,4]"},
      {Convolution("f32[1,0,4]", "f32[1,2,3]", "f32[3,3,4]",
                   "window={size=3}, dim_labels=b0f_0io->b0f"),
       "f32[1,0,4]"},
  });
}

TEST_CASE("convolution rejects windows, labels and groups that do not fit") {
  CheckInference({
      {Convolution("f32[1,7,4]", "f32[1,9,3]", "f32[3,3,4]",
                   "window={size=2}, dim_labels=b0f_0io->b0f"),
       "window dimension 0 has size 2, rhs dimension 0 is 3"},
      {Convolution("f32[1,7,4]", "f32[1,9,3]", "f32[3,5,4]",
                   "window={size=3}, dim_labels=b0f_0io->b0f"),
       "feature sizes differ: lhs dimension 2 is 3 in 1 groups, rhs dimension "
       "1 is 5"},
      {Convolution("f32[1,7,4]", "f32[1,9,3]", "f32[3,3,4]",
                   "window={size=3}, dim_labels=b0f_0io->b0f, "
                   "feature_group_count=0"),
       "expected at least 1"},
      {Convolution("f32[1,7,4]", "f32[1,9,3]", "f32[3,3,4]",
                   "window={size=3}, dim_labels=b0f_0io->b0f, "
                   "feature_group_count=2"),
       "the lhs feature size 3 is not a multiple of feature_group_count 2"},
      {Convolution("f32[1,7,4]", "f32[1,9,3]", "f32[3,3,4]",
                   "window={size=3 stride=0}, dim_labels=b0f_0io->b0f"),
       "stride 0"},
      {Convolution("f32[1,7,4]", "f32[1,9,3]", "f32[3,3,4]",
                   "dim_labels=b0f_0io->b0f"),
       "window has 0 dimensions, expected 1"},
      {Convolution("f32[1,7,4]", "f32[1,9,3]", "f32[3,3,4]",
                   "window={size=3 pad=9223372036854775807_9223372036854775807}"
                   ", dim_labels=b0f_0io->b0f"),
       "63 bits"},
      {Convolution("f32[1,7,4]", "f32[1,9,3,2]", "f32[3,3,4]",
                   "window={size=3}, dim_labels=b0f_0io->b0f"),
       "dim_labels names 3 dimensions of lhs, which has rank 4"},
  });
}

TEST_CASE("gradients of a convolution have their own sizes") {
  CheckInference({
      {Convolution("f32[1,9,3]", "f32[1,7,4]", "f32[3,3,4]",
                   "window={size=3}, dim_labels=b0f_0io->b0f, "
                   "convolution_kind=dgrad"),
       "f32[1,9,3]"},
      {Convolution("f32[3,3,4]", "f32[1,9,3]", "f32[1,7,4]",
                   "window={size=3}, dim_labels=b0f_0io->b0f, "
                   "convolution_kind=wgrad"),
       "f32[3,3,4]"},
  });
}

TEST_CASE("decompositions and solves take square matrices") {
  CheckInference({
      {"f32[2,3,3] cholesky(f32[2,3,3] a), lower=true", "f32[2,3,3]"},
      {"f32[2,3] cholesky(f32[2,3] a)", "expected square matrices"},
      {"s32[3,3] cholesky(s32[3,3] a)", "element type s32"},
      {"f32[3,5] triangular-solve(f32[3,3] a, f32[3,5] b), left_side=true, "
       "lower=true, transpose_a=NO_TRANSPOSE",
       "f32[3,5]"},
      {"f32[3,5] triangular-solve(f32[3,3] a, f32[3,5] b), lower=true, "
       "transpose_a=NO_TRANSPOSE",
       "sizes differ"},
      {"f32[2,3,5] triangular-solve(f32[4,3,3] a, f32[2,3,5] b), "
       "left_side=true, transpose_a=NO_TRANSPOSE",
       "batch dimensions differ"},
  });
}

TEST_CASE("Fourier transforms check their lengths") {
  CheckInference({
      {"c64[3,5] fft(c64[3,5] a), fft_type=FFT, fft_length={3,5}", "c64[3,5]"},
      {"c64[4] fft(f32[7] a), fft_type=RFFT, fft_length={7}", "c64[4]"},
      {"f64[7] fft(c128[4] a), fft_type=IRFFT, fft_length={7}", "f64[7]"},
      {"c64[0] fft(c64[0] a), fft_type=FFT, fft_length={0}", "c64[0]"},
      {"c64[4] fft(c64[4] a), fft_type=FFT, fft_length={-1}",
       "fft_length -1 is negative"},
      {"c64[4] fft(c64[4] a), fft_type=FFT, fft_length={0}",
       "fft_length 0 needs 0 elements in operand dimension 0, which has 4"},
      {"c64[4] fft(c64[4] a), fft_type=FFT, fft_length={2,4}", "rank 1"},
      {"c64[4] fft(f32[4] a), fft_type=FFT, fft_length={4}",
       "FFT takes c64 or c128"},
      {"c64[3] fft(f16[4] a), fft_type=RFFT, fft_length={4}",
       "RFFT takes f32 or f64"},
      {"c64[] fft(c64[] a), fft_type=FFT, fft_length={}", "expected 1 to 3"},
  });
}

TEST_CASE("batch normalisation has one value per feature") {
  CheckInference({
      {"(f32[2,3], f32[3], f32[3]) batch-norm-training(f32[2,3] x, f32[3] s, "
       "f32[3] o), epsilon=0.1, feature_index=1",
       "(f32[2,3], f32[3], f32[3])"},
      {"f32[2,3] batch-norm-inference(f32[2,3] x, f32[3] s, f32[3] o, f32[3] "
       "m, f32[3] v), epsilon=0.1, feature_index=1",
       "f32[2,3]"},
      {"(f32[2,3], f32[3], f32[3]) batch-norm-grad(f32[2,3] x, f32[3] s, "
       "f32[3] m, f32[3] v, f32[2,3] d), epsilon=0.1, feature_index=1",
       "(f32[2,3], f32[3], f32[3])"},
      {"(f32[2,3], f32[3], f32[3]) batch-norm-training(f32[2,3] x, f32[2] s, "
       "f32[3] o), epsilon=0.1, feature_index=1",
       "operand 1 is f32[2], expected one value for each of 3 features"},
      {"(f32[2,3], f32[3], f32[3]) batch-norm-training(f32[2,3] x, f32[3] s, "
       "f32[3] o), epsilon=0.1, feature_index=2",
       "feature_index 2 is out of range"},
  });
}

}  // namespace
}  // namespace hilo::hlo
