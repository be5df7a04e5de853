// StableHLO text of HLO: how each operation is written, and what is refused.
#include "hlo/stablehlo/print_stablehlo.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "hlo/eval/evaluator.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/text/printer.h"
#include "jit/generated_inputs.h"
#include "tests/support/parse_text.h"

namespace hilo::tests {
namespace {

// With computations that rows apply.
std::string ModuleText(const std::string& entry) {
  return absl::StrCat(R"(HloModule m
add { aa = f32[] parameter(0) ab = f32[] parameter(1) ROOT ar = f32[] add(aa, ab) }
sub { sa = f32[] parameter(0) sb = f32[] parameter(1) ROOT sr = f32[] subtract(sa, sb) }
greater { ga = f32[] parameter(0) gb = f32[] parameter(1) ROOT gr = pred[] compare(ga, gb), direction=GT }
both { ba = f32[2] parameter(0) ROOT bt = (f32[2], f32[2]) tuple(ba, ba) }
ENTRY main {
)",
                      entry, "\n}\n");
}

// The text of the module; the message when it is refused.
std::string StableHloOf(const std::string& entry) {
  const absl::StatusOr<std::string> text =
      PrintStableHlo(*ParseText(ModuleText(entry)));
  return text.ok() ? *text : std::string(text.status().message());
}

struct PrintRow {
  // Lines of the entry.
  std::string entry;
  // A part of the text.
  std::string expected;
};

void CheckRows(const std::vector<PrintRow>& rows) {
  for (const PrintRow& row : rows) {
    const std::string text = StableHloOf(row.entry);
    CAPTURE(row.entry, row.expected, text);
    CHECK(absl::StrContains(text, row.expected));
  }
}

TEST_CASE("stablehlo: operations on elements are written as JAX does") {
  CheckRows({
      {"x = f32[2] parameter(0)\nROOT y = f32[2] add(x, x)",
       "  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
       "    %y = stablehlo.add %x, %x : tensor<2xf32>\n"
       "    return %y : tensor<2xf32>\n  }\n"},
      {"x = c64[] parameter(0)\nROOT y = f32[] abs(x)",
       "%y = stablehlo.abs %x : (tensor<complex<f32>>) -> tensor<f32>\n"},
      {"x = f32[2] parameter(0)\nROOT y = f32[2] erf(x)",
       "%y = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>\n"},
      {"x = s8[2] parameter(0)\nROOT y = s8[2] mulhi(x, x)",
       "%y = chlo.mulhi %x, %x : tensor<2xi8>, tensor<2xi8> -> tensor<2xi8>\n"},
      {"x = u4[2] parameter(0)\nROOT y = u4[2] popcnt(x)",
       "%y = stablehlo.popcnt %x : tensor<2xui4>\n"},
      {"x = f32[] parameter(0)\nROOT y = f32[] tanh(x), "
       "result_accuracy={mode=highest}",
       "%y = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<"
       "mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>\n"},
      {"x = f32[2] parameter(0)\nROOT y = pred[2] compare(x, x), "
       "direction=LT, type=TOTALORDER",
       "%y = stablehlo.compare LT, %x, %x, TOTALORDER : (tensor<2xf32>, "
       "tensor<2xf32>) -> tensor<2xi1>\n"},
      {"p = pred[2] parameter(0)\nx = f32[2] parameter(1)\n"
       "ROOT y = f32[2] select(p, x, x)",
       "%y = stablehlo.select %p, %x, %x : tensor<2xi1>, tensor<2xf32>\n"},
      {"x = f8e4m3fn[2] parameter(0)\nROOT y = bf16[2] convert(x)",
       "stablehlo.convert %x : (tensor<2xf8E4M3FN>) -> tensor<2xbf16>\n"},
      {"x = f32[2] parameter(0)\nROOT y = f32[2] reduce-precision(x), "
       "exponent_bits=5, mantissa_bits=10",
       "%y = stablehlo.reduce_precision %x, format = e5m10 : tensor<2xf32>\n"},
      {"x = pred[2] parameter(0)\nROOT y = s8[2] bitcast-convert(x)",
       "stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xui8>\n"},
      {"ROOT y = s32[3,2] iota(), iota_dimension=1",
       "%y = stablehlo.iota dim = 1 : tensor<3x2xi32>\n"},
      {"ROOT i = u32[] replica-id()",
       "%i = stablehlo.replica_id : tensor<ui32>\n"},
  });
}

TEST_CASE("stablehlo: moved elements are written with their clauses") {
  CheckRows({
      {"x = f32[2] parameter(0)\nROOT y = f32[3,2] broadcast(x), "
       "dimensions={1}",
       "%y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> "
       "tensor<3x2xf32>\n"},
      {"x = f32[5,7] parameter(0)\nROOT y = f32[2,3] slice(x), "
       "slice={[1:3], [0:7:3]}",
       "%y = stablehlo.slice %x [1:3, 0:7:3] : (tensor<5x7xf32>) -> "
       "tensor<2x3xf32>\n"},
      {"x = f32[5] parameter(0)\nv = f32[] parameter(1)\n"
       "ROOT y = f32[9] pad(x, v), padding=-1_2_1",
       "%y = stablehlo.pad %x, %v, low = [-1], high = [2], interior = [1] : "},
      {"x = f32[5] parameter(0)\ni = s32[] parameter(1)\n"
       "ROOT y = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}",
       "%y = stablehlo.dynamic_slice %x, %i, sizes = [2] : "},
      {"x = f32[2,3]{0,1} parameter(0)\nROOT y = f32[3,2]{1,0} bitcast(x)",
       "%y = stablehlo.transpose %x, dims = [1, 0] : "},
      {"x = f32[4] parameter(0)\ni = s32[3,1] parameter(1)\n"
       "ROOT y = f32[3] gather(x, i), offset_dims={}, "
       "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1}",
       "%y = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = "
       "#stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], "
       "index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = "
       "array<i64: 1>}> : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>\n"},
      {"x = f32[4,6] parameter(0)\nROOT y = (f32[4,2], s32[4,2]) topk(x), k=2, "
       "largest=true",
       "%y:2 = chlo.top_k(%x, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, "
       "tensor<4x2xi32>)\n    return %y#0, %y#1 : "},
      {"x = f32[4,6] parameter(0)\nROOT y = f32[4,6] sort(x), dimensions={1}, "
       "is_stable=true, to_apply=greater",
       "%y = \"stablehlo.sort\"(%x) <{dimension = 1 : i64, is_stable = true}> "
       "({\n    ^bb0(%ga: tensor<f32>, %gb: tensor<f32>):\n"
       "      %gr = stablehlo.compare GT, %ga, %gb, FLOAT : (tensor<f32>, "
       "tensor<f32>) -> tensor<i1>\n"
       "      stablehlo.return %gr : tensor<i1>\n"
       "    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"},
  });
}

TEST_CASE("stablehlo: sizes that change are bounded") {
  CheckRows({
      {"x = f32[4,3] parameter(0)\nn = s32[] parameter(1)\n"
       "ROOT y = f32[<=4,3] set-dimension-size(x, n), dimensions={0}",
       "%y = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4x3xf32>, "
       "tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>\n"},
      {"x = f32[6] parameter(0)\nn = s32[] parameter(1)\n"
       "ROOT y = f32[<=2,3] dynamic-reshape(x, n, n)",
       "%y.sizes = stablehlo.concatenate %y, %y_0, dim = 0 : (tensor<1xi32>, "
       "tensor<1xi32>) -> tensor<2xi32>\n"},
  });
}

TEST_CASE("stablehlo: messages and tokens are kept in order") {
  CheckRows({
      {"t = token[] after-all()\nx = f32[2] parameter(0)\n"
       "s = (f32[2], u32[], token[]) send(x, t), channel_id=1, "
       "is_host_transfer=true\nd = token[] send-done(s), channel_id=1, "
       "is_host_transfer=true\nROOT y = f32[2] add-dependency(x, d)",
       "    %t = stablehlo.after_all : !stablehlo.token\n"
       "    %s = \"stablehlo.send\"(%x, %t) <{channel_handle = "
       "#stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = "
       "true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token\n"
       "    %y:2 = stablehlo.optimization_barrier %x, %s : tensor<2xf32>, "
       "!stablehlo.token\n    return %y#0 : "},
      {"t = token[] after-all()\n"
       "i = ((f32[2], s32[]), token[]) infeed(t), infeed_config=\"a\"\n"
       "d = (f32[2], s32[]) get-tuple-element(i), index=0\n"
       "ROOT y = s32[] get-tuple-element(d), index=1",
       "%i:3 = \"stablehlo.infeed\"(%t) <{infeed_config = \"a\"}> : "
       "(!stablehlo.token) -> (tensor<2xf32>, tensor<i32>, !stablehlo.token)\n"
       "    return %i#1 : "},
  });
}

TEST_CASE("stablehlo: products, windows and solvers are written in full") {
  CheckRows({
      {"x = f32[5,2,3] parameter(0)\ny = f32[5,3,4] parameter(1)\n"
       "ROOT z = f32[5,2,4] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
       "operand_precision={default,highest}",
       "%z = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], "
       "contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : "},
      {"x = f32[3] parameter(0)\nROOT z = f32[] dot(x, x), "
       "lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
       "algorithm=dot_bf16_bf16_f32_x3",
       "contracting_dims = [0] x [0], algorithm = <lhs_precision_type = bf16, "
       "rhs_precision_type = bf16, accumulation_type = f32, "
       "lhs_component_count = 1, rhs_component_count = 1, "
       "num_primitive_operations = 3, allow_imprecise_accumulation = false> :"},
      {"x = f32[1,8,3] parameter(0)\ny = f32[2,3,5] parameter(1)\n"
       "ROOT z = f32[1,4,5] convolution(x, y), window={size=2 stride=2 "
       "rhs_reversal=1}, dim_labels=b0f_0io->b0f",
       "%z = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->"
       "[b, 0, f], window = {stride = [2], pad = [[0, 0]], reverse = [true]} "
       "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "},
      {"x = f32[6] parameter(0)\ni = f32[] parameter(1)\n"
       "ROOT y = f32[3] reduce-window(x, i), window={size=3 stride=2 pad=1_0}, "
       "to_apply=add",
       "\"stablehlo.reduce_window\"(%x, %i) <{padding = dense<[[1, 0]]> : "
       "tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = "
       "array<i64: 2>}> ({\n"},
      {"x = f32[2,3] parameter(0)\ni = f32[] parameter(1)\n"
       "ROOT y = f32[2] reduce(x, i), dimensions={1}, to_apply=add",
       "%y = stablehlo.reduce(%x init: %i) applies stablehlo.add across "
       "dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"},
      {"x = f32[2,3] parameter(0)\ni = f32[] parameter(1)\n"
       "ROOT y = f32[2] reduce(x, i), dimensions={1}, to_apply=sub",
       "across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> "
       "tensor<2xf32>\n     reducer(%sa: tensor<f32>, %sb: tensor<f32>) {\n"
       "      %sr = stablehlo.subtract %sa, %sb : tensor<f32>\n"
       "      stablehlo.return %sr : tensor<f32>\n     }\n"},
      {"x = f32[3,2] parameter(0)\ns = f32[2] parameter(1)\n"
       "ROOT y = (f32[3,2], f32[2], f32[2]) batch-norm-training(x, s, s), "
       "epsilon=0.001, feature_index=1",
       "%y:3 = \"stablehlo.batch_norm_training\"(%x, %s, %s) <{epsilon = 0.001 "
       ": f32, feature_index = 1 : i64}> : "},
      {"a = f32[2,2] parameter(0)\nROOT x = f32[2,2] triangular-solve(a, a), "
       "left_side=true, lower=true, transpose_a=ADJOINT",
       "<{left_side = true, lower = true, transpose_a = "
       "#stablehlo<transpose ADJOINT>, unit_diagonal = false}>"},
      {"x = f32[8] parameter(0)\nROOT y = c64[5] fft(x), fft_type=RFFT, "
       "fft_length={8}",
       "%y = stablehlo.fft %x, type = RFFT, length = [8] : "},
      {"x = f32[4] parameter(0)\nROOT y = f32[8] all-gather(x), "
       "dimensions={0}, replica_groups=[2,2]<=[2,2]T(1,0), channel_id=3, "
       "use_global_device_ids=true",
       "<{all_gather_dim = 0 : i64, channel_handle = "
       "#stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = "
       "dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}>"},
  });
}

TEST_CASE("stablehlo: tuples become values, and calls become functions") {
  CheckRows({
      {"p = (f32[2], (f32[2], s32[])) parameter(0)\n"
       "q = (f32[2], s32[]) get-tuple-element(p), index=1\n"
       "ROOT x = f32[2] get-tuple-element(q), index=0",
       "@main(%p_0: tensor<2xf32>, %p_1: tensor<2xf32>, %p_2: tensor<i32>) -> "
       "tensor<2xf32> {\n    return %p_1 : tensor<2xf32>\n"},
      {"x = f32[2] parameter(0)\nc = (f32[2], f32[2]) call(x), to_apply=both\n"
       "ROOT y = f32[2] get-tuple-element(c), index=1",
       "%c:2 = call @both(%x) : (tensor<2xf32>) -> (tensor<2xf32>, "
       "tensor<2xf32>)\n    return %c#1 : tensor<2xf32>\n  }\n"
       "  func.func private @both(%ba: tensor<2xf32>) -> (tensor<2xf32>, "
       "tensor<2xf32>) {\n    return %ba, %ba : "},
      {"x = f32[2] parameter(0)\nROOT c = (f32[2], f32[2]) fusion(x), "
       "kind=kLoop, calls=both",
       "%c:2 = call @both(%x) : "},
      {"x = f32[2] parameter(0)\nROOT y = () tuple()",
       "@main(%x: tensor<2xf32>) {\n    return\n  }\n"},
      {"x = f32[2] parameter(0)\nt = (f32[2]) tuple(x)\n"
       "ROOT y = ((f32[2])) custom-call(t), custom_call_target=\"f g\", "
       "custom_call_has_side_effect=true, api_version=API_VERSION_TYPED_FFI, "
       "backend_config={a = 1 : i32}",
       "    %tuple = stablehlo.tuple %x : tuple<tensor<2xf32>>\n"
       "    %y = stablehlo.custom_call @\"f g\"(%tuple) {api_version = 4 : "
       "i32, "
       "backend_config = {a = 1 : i32}, has_side_effect = true} : "
       "(tuple<tensor<2xf32>>) -> tuple<tuple<tensor<2xf32>>>\n"},
      {"x = f32[2]{0} parameter(0), sharding={maximal device=1}, "
       "frontend_attributes={key=\"a value\"}\n"
       "ROOT y = f32[2]{0} negate(x), sharding={devices=[2]0,1}",
       "@main(%x: tensor<2xf32> {mhlo.sharding = \"{maximal device=1}\", "
       "mhlo.frontend_attributes = {key = \"a value\"}}) -> (tensor<2xf32> "
       "{mhlo.sharding = \"{devices=[2]0,1}\"}) {\n    %y = stablehlo.negate "
       "%x "
       "{mhlo.sharding = \"{devices=[2]0,1}\"} : tensor<2xf32>\n"},
  });
}

TEST_CASE("stablehlo: what the header says stands on arguments and results") {
  const auto module = ParseText(
      "HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }, "
      "buffer_donor={ (1, {}) }, entry_computation_layout={(f32[2,3]{0,1}, "
      "f32[2]{0})->(f32[2]{0}, f32[2,3]{0,1})}, num_partitions=2\n"
      "ENTRY e { a = f32[2,3]{0,1} parameter(0) b = f32[2]{0} parameter(1)\n"
      "ROOT t = (f32[2]{0}, f32[2,3]{0,1}) tuple(b, a) }");
  const absl::StatusOr<std::string> text = PrintStableHlo(*module);
  REQUIRE(text.ok());
  CHECK(*text ==
        "module @m attributes {mhlo.num_partitions = 2 : i32, "
        "mhlo.num_replicas = 1 : i32} {\n"
        "  func.func public @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "
        "\"{0,1}\", tf.aliasing_output = 1 : i32}, %b: tensor<2xf32> "
        "{jax.buffer_donor = true}) -> (tensor<2xf32>, tensor<2x3xf32> "
        "{mhlo.layout_mode = \"{0,1}\"}) {\n"
        "    return %b, %a : tensor<2xf32>, tensor<2x3xf32>\n  }\n}\n");
  const auto back = ParseStableHlo(*text);
  REQUIRE(back.ok());
  CHECK((*back)->header().input_output_alias ==
        module->header().input_output_alias);
  CHECK((*back)->header().buffer_donor == module->header().buffer_donor);
}

TEST_CASE("stablehlo: what cannot be said is refused, all of it") {
  CheckRows({
      {"x = u1[2] parameter(0)\nROOT y = u1[2] negate(x)",
       "parameter 'x' of u1[2] has no form in StableHLO"},
      {"a = f32[1,1] parameter(0)\nROOT y = f32[1,1] scaled-dot(a, a, a, a), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "<text>:8:6: error: scaled-dot 'y' of f32[1,1] has no form in "
       "StableHLO"},
      {"a = f32[1,1] parameter(0)\nb = f32[1,1] scaled-dot(a, a, a, a), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
       "c = u64[2] rng-get-and-update-state(), delta=1\n"
       "ROOT t = (f32[1,1], u64[2]) tuple(b, c)",
       "<text>:9:1: error: rng-get-and-update-state 'c' of u64[2]"},
      {"x = f32[2] parameter(0)\nROOT y = f32[2] custom-call(x), "
       "custom_call_target=\"f\", schedule=SCHEDULE_LATEST",
       "its custom calls have no 'schedule'"},
      {"x = f32[3] parameter(0)\nROOT z = f32[] dot(x, x), "
       "lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
       "algorithm=dot_f32_f32_f32, operand_precision={high,high}",
       "takes a precision or an algorithm, not both"},
      {"x = f32[2] parameter(0)\nROOT y = f32[2] erf(x), "
       "result_accuracy={mode=highest}",
       "it has no 'result_accuracy' of this operation"},
  });
  const auto status =
      PrintStableHlo(*ParseText(ModuleText("ROOT x = f32[2] constant({...})")))
          .status();
  CHECK(status.code() == absl::StatusCode::kUnimplemented);
}

// Every element type: special values, in lists and as the bytes of many.
TEST_CASE("stablehlo: constants keep every bit") {
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const auto type = static_cast<hlo::ElementType>(i);
    if (!hlo::IsArrayType(type)) continue;
    if (hlo::IsInteger(type) && hlo::InfoOf(type).bits == 1) continue;
    for (const auto& shape :
         {hlo::Shape::Scalar(type), hlo::Shape::Array(type, {5, 7}),
          hlo::Shape::Array(type, {3, 0}), hlo::Shape::Array(type, {401})}) {
      hlo::Module module("m");
      hlo::Computation* entry = module.AddComputation("main");
      hlo::Instruction* constant = entry->Add(hlo::Opcode::kConstant, shape);
      const hlo::Literal value = EdgeInput(shape);
      constant->set_value(value);
      constant->set_name("c");
      entry->set_root(constant);
      module.set_entry(entry);
      const absl::StatusOr<std::string> text = PrintStableHlo(module);
      REQUIRE(text.ok());
      CAPTURE(*text);
      const auto back = ParseStableHlo(*text);
      REQUIRE(back.ok());
      const auto result = hlo::Evaluate(**back, {});
      REQUIRE(result.ok());
      CHECK(hlo::Print(*result) == hlo::Print(value));
    }
  }
}

TEST_CASE("stablehlo: algorithms of products come back") {
  for (const absl::string_view name : hlo::EnumTexts<hlo::DotAlgorithm>()) {
    const auto module = ParseText(ModuleText(absl::StrCat(
        "x = f32[3] parameter(0)\nROOT z = f32[] dot(x, x), "
        "lhs_contracting_dims={0}, rhs_contracting_dims={0}, algorithm=",
        name)));
    const absl::StatusOr<std::string> text = PrintStableHlo(*module);
    REQUIRE(text.ok());
    const auto back = ParseStableHlo(*text);
    CAPTURE(*text);
    REQUIRE(back.ok());
    CHECK(TextOf((*back)->entry()->root()->dot_algorithm()) == name);
  }
}

TEST_CASE("stablehlo: metadata becomes locations and comes back") {
  const auto module = ParseText(
      "HloModule m\nENTRY e { x = f32[2] parameter(0), "
      "metadata={op_name=\"x[\\'w\\']\"}\n"
      "ROOT y = f32[2] negate(x), metadata={op_type=\"neg\" "
      "op_name=\"jit(f)/neg\" source_file=\"f.py\" source_line=3 "
      "source_end_line=4 source_column=1 source_end_column=7} }");
  const absl::StatusOr<std::string> text = PrintStableHlo(*module);
  REQUIRE(text.ok());
  CAPTURE(*text);
  CHECK(absl::StrContains(*text, "%x: tensor<2xf32> loc(\"x['w']\"))"));
  CHECK(
      absl::StrContains(*text,
                        "%y = stablehlo.negate %x : tensor<2xf32> "
                        "loc(\"neg:\"(\"jit(f)/neg\"(\"f.py\":3:1 to 4:7)))"));
  const auto back = ParseStableHlo(*text);
  REQUIRE(back.ok());
  CHECK((*back)->entry()->root()->metadata() ==
        module->entry()->root()->metadata());
  const absl::StatusOr<std::string> short_text =
      PrintStableHlo(*module, {.metadata = false});
  REQUIRE(short_text.ok());
  CHECK_FALSE(absl::StrContains(*short_text, "loc("));
}

TEST_CASE("stablehlo: names that MLIR has not are changed") {
  const auto module = ParseText(
      "HloModule m\nENTRY e { x = f32[] parameter(0) ROOT y = f32[] "
      "add(x, x) }");
  module->set_name("a b");
  module->entry()->parameter(0)->set_name("0-x");
  module->entry()->root()->set_name("v0-x");
  const absl::StatusOr<std::string> text = PrintStableHlo(*module);
  REQUIRE(text.ok());
  CAPTURE(*text);
  CHECK(absl::StrContains(*text, "module @\"a b\" attributes"));
  CHECK(absl::StrContains(*text, "%v0-x_0 = stablehlo.add %v0-x, %v0-x :"));
  CHECK(ParseStableHlo(*text).ok());
}

// A hundred computations, each of which has the one before as its branches or
// as its body.
std::string NestedText(bool has_branches) {
  std::string text =
      "HloModule m\nc { x = f32[] parameter(0) ROOT t = pred[] "
      "constant(true) }\nb0 { x = f32[] parameter(0) ROOT y = f32[] "
      "negate(x) }\n";
  for (int i = 1; i <= 100; ++i) {
    absl::StrAppend(&text, i == 100 ? "ENTRY " : "", "b", i,
                    " { x = f32[] parameter(0) p = pred[] constant(true)\n");
    if (has_branches) {
      absl::StrAppend(&text,
                      "ROOT y = f32[] conditional(p, x, x), true_computation=b",
                      i - 1, ", false_computation=b", i - 1, " }\n");
    } else {
      absl::StrAppend(&text, "ROOT y = f32[] while(x), condition=c, body=b",
                      i - 1, " }\n");
    }
  }
  return text;
}

TEST_CASE("stablehlo: nested and repeated regions have a limit") {
  for (const bool has_branches : {false, true}) {
    const auto status =
        PrintStableHlo(*ParseText(NestedText(has_branches))).status();
    CAPTURE(has_branches);
    CHECK(absl::StrContains(status.message(), "nested more than 60 deep"));
  }
}

}  // namespace
}  // namespace hilo::tests
