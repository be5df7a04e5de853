// Uses of products, transforms, factorisations, normalisation, random numbers.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

void AddBatchNorms(std::vector<Row>& rows) {
  struct Case {
    const char* sizes;
    const char* features;
    int feature_index;
  };
  for (const Case& norm : {Case{"2,3,5", "3", 1}, Case{"17,3", "3", 1},
                           Case{"3,17", "3", 0}, Case{"4,8,8,16", "16", 3}}) {
    const std::string array = absl::StrCat("$T[", norm.sizes, "]:plain");
    const std::string channel = absl::StrCat("$T[", norm.features, "]:plain");
    const std::string variance = absl::StrCat("$T[", norm.features, "]:unit");
    const std::string attributes =
        absl::StrCat(", epsilon=0.001, feature_index=", norm.feature_index);
    rows.push_back({Opcode::kBatchNormTraining,
                    {array, channel, channel},
                    absl::StrCat("batch-norm-training($0, $1, $2)", attributes),
                    Tolerance::kRoundings});
    rows.push_back(
        {Opcode::kBatchNormInference,
         {array, channel, channel, channel, variance},
         absl::StrCat("batch-norm-inference($0, $1, $2, $3, $4)", attributes),
         Tolerance::kRoundings});
    rows.push_back(
        {Opcode::kBatchNormGrad,
         {array, channel, channel, variance, array},
         absl::StrCat("batch-norm-grad($0, $1, $2, $3, $4)", attributes),
         Tolerance::kRoundings});
  }
}

void AddConvolutions(std::vector<Row>& rows) {
  struct Case {
    const char* input;
    const char* kernel;
    const char* attributes;
  };
  for (
      const Case& c : {
          Case{"2,7,3", "3,3,4",
               "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"},
          Case{"2,3,17", "4,3,3",
               "window={size=3 stride=2}, dim_labels=bf0_oi0->bf0"},
          Case{"1,5,5,3", "3,3,3,7",
               "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
          Case{"2,3,6,5", "5,3,2,3",
               "window={size=2x3 stride=1x2 pad=0_1x1_0}, "
               "dim_labels=bf01_oi01->bf01"},
          Case{"1,9,8,17", "3,3,17,33",
               "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
          Case{"1,7,7,4", "3,3,1,4",
               "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
               "feature_group_count=4"},
          Case{"1,7,7,6", "3,3,2,9",
               "window={size=3x3}, dim_labels=b01f_01io->b01f, "
               "feature_group_count=3"},
          Case{"4,7,3", "3,3,4",
               "window={size=3}, dim_labels=b0f_0io->b0f, batch_group_count=2"},
          Case{"2,5,3", "3,3,4",
               "window={size=3 pad=2_2 lhs_dilate=2}, dim_labels=b0f_0io->b0f"},
          Case{
              "2,17,3", "3,3,4",
              "window={size=3 pad=-1_3 rhs_dilate=3}, dim_labels=b0f_0io->b0f"},
          Case{"2,7,3", "3,3,4",
               "window={size=3 rhs_reversal=1}, dim_labels=b0f_0io->b0f"},
          Case{"2,5,6,4,3", "2,3,2,3,4",
               "window={size=2x3x2 pad=1_0x1_1x0_0}, "
               "dim_labels=b012f_012io->b012f"},
          Case{"5,3", "3,7", "dim_labels=bf_io->bf"},
          Case{"1,8,8,16", "1,1,16,32",
               "window={size=1x1}, dim_labels=b01f_01io->b01f"},
          Case{"7,2,3", "3,4,3", "window={size=3}, dim_labels=0bf_0oi->f0b"},
          Case{"0,7,3", "3,3,4", "window={size=3}, dim_labels=b0f_0io->b0f"},
          Case{"2,2,3", "3,3,4", "window={size=3}, dim_labels=b0f_0io->b0f"},
          Case{"2,7,0", "3,0,4", "window={size=3}, dim_labels=b0f_0io->b0f"},
      }) {
    // Special weights over padding: it is left out, not multiplied.
    for (const auto& [input, kernel] :
         {std::pair(":plain", ":plain"), std::pair("", ":plain"),
          std::pair(":plain", "")}) {
      rows.push_back({Opcode::kConvolution,
                      {absl::StrCat("$T[", c.input, "]", input),
                       absl::StrCat("$T[", c.kernel, "]", kernel)},
                      absl::StrCat("convolution($0, $1), ", c.attributes),
                      Tolerance::kRoundings});
    }
  }
}

void AddDots(std::vector<Row>& rows) {
  constexpr const char* kMatrices =
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  struct Case {
    const char* lhs;
    const char* rhs;
    const char* attributes;
  };
  for (const Case& c : {
           Case{"3,5", "5,7", kMatrices},
           Case{"1,1", "1,1", kMatrices},
           Case{"17,16", "16,33", kMatrices},
           Case{"70,64", "64,130", kMatrices},
           Case{"3,0", "0,5", kMatrices},
           Case{"0,3", "3,5", kMatrices},
           Case{"5,17", "17", kMatrices},
           Case{"17", "17,5",
                "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
           Case{"17", "17",
                "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
           Case{"7", "5", "lhs_contracting_dims={}, rhs_contracting_dims={}"},
           Case{"5,3", "7,5",
                "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
           Case{"3,5", "7,5",
                "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
           Case{"2,3,5", "2,5,7",
                "lhs_batch_dims={0}, lhs_contracting_dims={2}, "
                "rhs_batch_dims={0}, rhs_contracting_dims={1}"},
           Case{"3,2,5", "5,7,2",
                "lhs_batch_dims={1}, lhs_contracting_dims={2}, "
                "rhs_batch_dims={2}, rhs_contracting_dims={0}"},
           Case{"2,3,5", "5,3,7",
                "lhs_contracting_dims={1,2}, rhs_contracting_dims={1,0}"},
           Case{"17,5", "17,5",
                "lhs_batch_dims={0}, lhs_contracting_dims={1}, "
                "rhs_batch_dims={0}, rhs_contracting_dims={1}"},
       }) {
    rows.push_back({Opcode::kDot,
                    {absl::StrCat("$T[", c.lhs, "]:plain"),
                     absl::StrCat("$T[", c.rhs, "]:plain")},
                    absl::StrCat("dot($0, $1), ", c.attributes),
                    Tolerance::kRoundings});
  }
  for (const char* result : {"f32", "s32", "f64"}) {
    rows.push_back({Opcode::kDot,
                    {"$T[17,33]:plain", "$T[33,16]:plain"},
                    absl::StrCat(result, "[17,16] dot($0, $1), ", kMatrices),
                    Tolerance::kRoundings});
  }
}

void AddRaggedAndScaledDots(std::vector<Row>& rows) {
  rows.insert(
      rows.end(),
      {
          {Opcode::kRaggedDot,
           {"$T[4,2]:plain", "$T[3,2,5]:plain", "s32[3]:below3"},
           "ragged-dot($0, $1, $2), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
           Tolerance::kRoundings},
          {Opcode::kRaggedDot,
           {"$T[3,7]:plain", "$T[7,5]:plain", "s32[3]:below4"},
           "ragged-dot($0, $1, $2), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}, lhs_ragged_dims={1}",
           Tolerance::kRoundings},
          {Opcode::kRaggedDot,
           {"$T[3,2,5]:plain", "$T[3,5,2]:plain", "s32[2]:below3"},
           "ragged-dot($0, $1, $2), lhs_batch_dims={0}, rhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
           "lhs_ragged_dims={0}",
           Tolerance::kRoundings},
          {Opcode::kScaledDot,
           {"$T[3,64]:plain", "$T[64,5]:plain", "f8e8m0fnu[3,2]:plain",
            "f8e8m0fnu[2,5]:plain"},
           "f32[3,5] scaled-dot($0, $1, $2, $3), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}",
           Tolerance::kRoundings},
          {Opcode::kScaledDot,
           {"$T[3,4]:plain", "$T[4,5]:plain", "f8e8m0fnu[3,2]:plain",
            "f8e8m0fnu[]:plain"},
           "bf16[3,5] scaled-dot($0, $1, $2, $3), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}",
           Tolerance::kRoundings},
      });
}

void AddTransforms(std::vector<Row>& rows) {
  struct Case {
    Opcode opcode;
    const char* operand;
    const char* attributes;
  };
  for (const char* length : {"1", "7", "16", "17", "60"}) {
    for (const char* type : {"FFT", "IFFT"}) {
      rows.push_back({Opcode::kFft,
                      {absl::StrCat("$T[3,", length, "]:plain")},
                      absl::StrCat("fft($0), fft_type=", type, ", fft_length={",
                                   length, "}"),
                      Tolerance::kRoundings});
    }
    rows.push_back(
        {Opcode::kFft,
         {absl::StrCat("$T[3,", length, "]:plain")},
         absl::StrCat("fft($0), fft_type=RFFT, fft_length={", length, "}"),
         Tolerance::kRoundings});
  }
  for (const Case& c :
       {Case{Opcode::kFft, "$T[2,9]:plain", "IRFFT, fft_length={16}"},
        Case{Opcode::kFft, "$T[2,4]:plain", "IRFFT, fft_length={7}"},
        Case{Opcode::kFft, "$T[5,6]:plain", "FFT, fft_length={5,6}"},
        Case{Opcode::kFft, "$T[2,3,4]:plain", "IFFT, fft_length={2,3,4}"},
        Case{Opcode::kFft, "$T[5,6]:plain", "RFFT, fft_length={5,6}"},
        Case{Opcode::kFft, "$T[0,6]:plain", "FFT, fft_length={6}"}}) {
    rows.push_back({c.opcode,
                    {c.operand},
                    absl::StrCat("fft($0), fft_type=", c.attributes),
                    Tolerance::kRoundings});
  }
}

void AddFactorizations(std::vector<Row>& rows) {
  for (const char* sizes : {"1,1", "4,4", "2,3,3", "17,17", "0,0"}) {
    for (const char* lower : {"true", "false"}) {
      // The other triangle of a factor is not defined.
      rows.push_back({Opcode::kCholesky,
                      {absl::StrCat("$T[", sizes, "]:definite")},
                      absl::StrCat("cholesky($0), lower=", lower),
                      Tolerance::kRoundings});
    }
  }
  struct Case {
    const char* matrix;
    const char* sides;
    const char* attributes;
  };
  for (const Case& c : {
           Case{"4,4", "4,3", "left_side=true, lower=true"},
           Case{"4,4", "4,1", "left_side=true, lower=false"},
           Case{"5,5", "3,5",
                "left_side=false, lower=true, transpose_a=TRANSPOSE"},
           Case{"2,3,3", "2,3,5",
                "left_side=true, lower=true, unit_diagonal=true, "
                "transpose_a=ADJOINT"},
           Case{"17,17", "17,17",
                "left_side=true, lower=false, transpose_a=TRANSPOSE"},
           Case{"1,1", "1,7", "left_side=true, lower=true"},
           Case{"3,3", "3,0", "left_side=true, lower=true"},
       }) {
    rows.push_back({Opcode::kTriangularSolve,
                    {absl::StrCat("$T[", c.matrix, "]:definite"),
                     absl::StrCat("$T[", c.sides, "]:plain")},
                    absl::StrCat("triangular-solve($0, $1), ", c.attributes),
                    Tolerance::kRoundings});
  }
}

// rng makes numbers.
constexpr hlo::TypeClasses kRandomTypes = hlo::kNumericTypes;

void AddRandomNumbers(std::vector<Row>& rows) {
  for (const char* sizes : {"", "7", "3,5", "0", "70,130"}) {
    for (const char* algorithm : {"rng_three_fry", "rng_philox"}) {
      rows.push_back(
          {Opcode::kRngBitGenerator,
           {"u64[2]"},
           absl::StrCat("(u64[2], $T[", sizes,
                        "]) rng-bit-generator($0), algorithm=", algorithm)});
    }
    rows.push_back(
        {Opcode::kRng,
         {"$T[]:unit", "$T[]:unit"},
         absl::StrCat("$T[", sizes, "] rng($0, $1), distribution=rng_uniform"),
         Tolerance::kExact,
         kRandomTypes});
    // Streams of normal numbers differ: without deviation they do not.
    rows.push_back({Opcode::kRng,
                    {"$T[]:plain"},
                    absl::StrCat("$zero = $T[] constant(0)\n$T[", sizes,
                                 "] rng($0, $zero), distribution=rng_normal"),
                    Tolerance::kExact,
                    kRandomTypes});
  }
  rows.push_back({Opcode::kRngGetAndUpdateState,
                  {},
                  "u64[2] rng-get-and-update-state(), delta=3"});
}

}  // namespace

std::vector<Row> LinearAlgebraRows() {
  std::vector<Row> rows;
  AddBatchNorms(rows);
  AddConvolutions(rows);
  AddDots(rows);
  AddRaggedAndScaledDots(rows);
  AddTransforms(rows);
  AddFactorizations(rows);
  AddRandomNumbers(rows);
  return rows;
}

}  // namespace hilo::tests
