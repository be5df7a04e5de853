// Fused kernels of every form against the evaluator, over sizes and types.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "catch2/catch.hpp"

#include "hlo/ir/literal.h"
#include "jit/client.h"
#include "jit/comparison.h"
#include "jit/generated_inputs.h"

namespace hilo {
namespace {

// Text in which TYPE is an element type, SHAPE the dimensions of an array, KEPT
// those of its rows' values, RANK and LAST numbers of dimensions.
struct Form {
  const char* name;
  const char* text;
};

constexpr char kComputations[] = R"(HloModule m
add { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] add(a, b) }
max { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] maximum(a, b) }
ENTRY e {
  zero = TYPE[] constant(0)
  two = TYPE[] constant(2)
  twos = TYPE[KEPT] broadcast(two), dimensions={}
  x = TYPE[SHAPE] parameter(0)
  y = TYPE[SHAPE] parameter(1)
  k = TYPE[KEPT] parameter(2)
  kb = TYPE[SHAPE] broadcast(k), dimensions={MAP}
  s = TYPE[KEPT] reduce(x, zero), dimensions={ROW}, to_apply=add
  h = TYPE[KEPT] divide(s, twos)
  hb = TYPE[SHAPE] broadcast(h), dimensions={MAP}
  d = TYPE[SHAPE] subtract(x, hb)
)";

constexpr auto kRowForms = std::to_array<Form>({
    {"values of rows back in their rows", "ROOT r = TYPE[SHAPE] add(d, y) }"},
    {"values of rows as results", R"(
  z = TYPE[SHAPE] add(d, y)
  ROOT r = (TYPE[SHAPE], TYPE[KEPT], TYPE[KEPT]) tuple(z, s, h) })"},
    {"an early result that is read again", R"(
  w = TYPE[SHAPE] multiply(x, y)
  t = TYPE[KEPT] reduce(w, zero), dimensions={ROW}, to_apply=add
  tb = TYPE[SHAPE] broadcast(t), dimensions={MAP}
  z = TYPE[SHAPE] subtract(w, tb)
  ROOT r = (TYPE[SHAPE], TYPE[SHAPE]) tuple(w, z) })"},
    {"two reductions in one walk", R"(
  q = TYPE[SHAPE] multiply(d, d)
  v = TYPE[KEPT] reduce(q, zero), dimensions={ROW}, to_apply=add
  m = TYPE[KEPT] reduce(d, k0), dimensions={ROW}, to_apply=max
  a = TYPE[KEPT] add(v, m)
  ROOT r = (TYPE[KEPT], TYPE[KEPT], TYPE[KEPT]) tuple(a, v, m) })"},
    {"dimensions of size 1 between", R"(
  q = TYPE[1,SHAPE] reshape(d)
  l = TYPE[1,SHAPE] reshape(y)
  p = TYPE[1,SHAPE] multiply(q, l)
  g = TYPE[SHAPE] reshape(p)
  t = TYPE[KEPT] reduce(g, zero), dimensions={ROW}, to_apply=max
  tb = TYPE[SHAPE] broadcast(t), dimensions={MAP}
  z = TYPE[SHAPE] subtract(g, tb)
  w = TYPE[1,SHAPE] reshape(z)
  ROOT r = (TYPE[1,SHAPE], TYPE[1,SHAPE]) tuple(w, p) })"},
    {"rows that are kept", R"(
  p1 = TYPE[SHAPE] multiply(x, y)
  p2 = TYPE[SHAPE] add(p1, x)
  p3 = TYPE[SHAPE] multiply(p2, y)
  p4 = TYPE[SHAPE] subtract(p3, y)
  p = TYPE[SHAPE] multiply(p4, kb)
  t = TYPE[KEPT] reduce(p, zero), dimensions={ROW}, to_apply=max
  tb = TYPE[SHAPE] broadcast(t), dimensions={MAP}
  u = TYPE[SHAPE] subtract(p, tb)
  v = TYPE[KEPT] reduce(u, zero), dimensions={ROW}, to_apply=add
  vb = TYPE[SHAPE] broadcast(v), dimensions={MAP}
  ROOT r = TYPE[SHAPE] add(u, vb) })"},
    {"sums of a gradient", R"(
  p = TYPE[SHAPE] multiply(y, d)
  t = TYPE[KEPT] reduce(p, zero), dimensions={ROW}, to_apply=add
  u = TYPE[KEPT] reduce(y, zero), dimensions={ROW}, to_apply=add
  tb = TYPE[SHAPE] broadcast(t), dimensions={MAP}
  ub = TYPE[SHAPE] broadcast(u), dimensions={MAP}
  dt = TYPE[SHAPE] multiply(d, tb)
  e = TYPE[SHAPE] subtract(dt, ub)
  ROOT r = TYPE[SHAPE] multiply(e, kb) })"},
    {"neighbours of values that rows change", R"(
  z = TYPE[SHAPE] reverse(d), dimensions={0}
  ROOT r = TYPE[SHAPE] add(z, d) })"},
    {"chains of several loops", R"(
  w = TYPE[SHAPE] multiply(x, y)
  v = TYPE[SHAPE] add(w, kb)
  u = TYPE[SHAPE] subtract(w, v)
  z = TYPE[SHAPE] reverse(w), dimensions={0}
  t = TYPE[SHAPE] add(z, u)
  ROOT r = (TYPE[SHAPE], TYPE[SHAPE], TYPE[SHAPE]) tuple(v, w, t) })"},
});

constexpr auto kFloatForms = std::to_array<Form>({
    {"softmax", R"(
  low = TYPE[] constant(-inf)
  m = TYPE[KEPT] reduce(x, low), dimensions={ROW}, to_apply=max
  mb = TYPE[SHAPE] broadcast(m), dimensions={MAP}
  c = TYPE[SHAPE] subtract(x, mb)
  p = TYPE[SHAPE] exponential(c)
  t = TYPE[KEPT] reduce(p, zero), dimensions={ROW}, to_apply=add
  tb = TYPE[SHAPE] broadcast(t), dimensions={MAP}
  ROOT r = TYPE[SHAPE] divide(p, tb) })"},
    {"log-softmax with its exponentials", R"(
  low = TYPE[] constant(-inf)
  m = TYPE[KEPT] reduce(x, low), dimensions={ROW}, to_apply=max
  mb = TYPE[SHAPE] broadcast(m), dimensions={MAP}
  c = TYPE[SHAPE] subtract(x, mb)
  p = TYPE[SHAPE] exponential(c)
  t = TYPE[KEPT] reduce(p, zero), dimensions={ROW}, to_apply=add
  l = TYPE[KEPT] log(t)
  lb = TYPE[SHAPE] broadcast(l), dimensions={MAP}
  z = TYPE[SHAPE] subtract(c, lb)
  ROOT r = (TYPE[SHAPE], TYPE[SHAPE]) tuple(p, z) })"},
    {"layer norm", R"(
  q = TYPE[SHAPE] multiply(d, d)
  v = TYPE[KEPT] reduce(q, zero), dimensions={ROW}, to_apply=add
  w = TYPE[KEPT] add(v, twos)
  i = TYPE[KEPT] rsqrt(w)
  ib = TYPE[SHAPE] broadcast(i), dimensions={MAP}
  n = TYPE[SHAPE] multiply(d, ib)
  z = TYPE[SHAPE] multiply(n, y)
  ROOT r = (TYPE[SHAPE], TYPE[KEPT]) tuple(z, i) })"},
});

struct Sizes {
  const char* shape;
  const char* kept;
  const char* map;
  const char* row;
};

constexpr auto kSizes = std::to_array<Sizes>({
    {"3,17", "3", "0", "1"},
    {"1,16", "1", "0", "1"},
    {"130,64", "130", "0", "1"},
    {"5,1001", "5", "0", "1"},
    {"7,5", "7", "0", "1"},
    {"0,20", "0", "0", "1"},
    {"4,0", "4", "0", "1"},
    {"2,3,40", "2,3", "0,1", "2"},
    {"3,5,7", "3", "0", "1,2"},
    {"2,1,33", "2,1", "0,1", "2"},
    {"100", "", "", "0"},
    {"20,20", "20", "0", "1"},
});

std::vector<hlo::Literal> ResultsOf(const std::string& text,
                                    const std::string& backend,
                                    bool has_edges) {
  const auto client = Client::Create({.backend = backend});
  REQUIRE(client.ok());
  const auto executable = (*client)->Compile(text);
  INFO(executable.status());
  REQUIRE(executable.ok());
  std::vector<hlo::Literal> inputs;
  for (const auto& leaf : (*executable)->argument_leaves()) {
    inputs.push_back(
        has_edges ? EdgeInput(leaf.shape)
                  : GenerateInput(leaf.shape,
                                  static_cast<int64_t>(inputs.size()), 7, {}));
  }
  const auto results = (*executable)->RunLiterals(inputs);
  INFO(results.status());
  REQUIRE(results.ok());
  return *results;
}

void CheckText(const std::string& text, bool has_edges) {
  INFO(text);
  const std::vector<hlo::Literal> want =
      ResultsOf(text, "interpreter", has_edges);
  const std::vector<hlo::Literal> got = ResultsOf(text, "cpu", has_edges);
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    const Comparison comparison = Compare(got[i], want[i]);
    INFO("result " << i << ", worst error " << comparison.worst_error);
    CHECK(comparison.wrong_count == 0);
  }
}

void CheckForm(const Form& form, const Sizes& sizes, const std::string& type,
               bool has_edges) {
  INFO(form.name << ": " << type << "[" << sizes.shape << "]");
  CheckText(absl::StrReplaceAll(absl::StrCat(kComputations, form.text),
                                {{"TYPE", type},
                                 {"SHAPE", sizes.shape},
                                 {"KEPT", sizes.kept},
                                 {"MAP", sizes.map},
                                 {"ROW", sizes.row},
                                 {"k0", "two"}}),
            has_edges);
}

// Text in which TYPE is an element type, OUT that of what is stored, and M, N
// and K are sizes.
constexpr auto kProductForms = std::to_array<Form>({
    {"other dimensions, with all that is stored beside them", R"(
  t = TYPE[#N,#M] reshape(d)
  y = TYPE[#N,#M] reshape(x)
  p = TYPE[#N,#M] add(t, y)
  q = TYPE[#N,#M] multiply(p, t)
  ROOT r = (TYPE[#N,#M], TYPE[#N,#M]) tuple(p, q) })"},
    {"more dimensions, with numbers of the last one", R"(
  t = TYPE[#M,1,#N,1] reshape(d)
  u = TYPE[1,#N,#M] reshape(d)
  bb = TYPE[#M,1,#N,1] broadcast(b), dimensions={2}
  cb = TYPE[1,#N,#M] broadcast(c), dimensions={2}
  p = TYPE[#M,1,#N,1] add(t, bb)
  q = TYPE[1,#N,#M] multiply(u, cb)
  ROOT r = (TYPE[#M,1,#N,1], TYPE[1,#N,#M]) tuple(p, q) })"},
    {"numbers of other dimensions", R"(
  u = TYPE[1,#N,#M] reshape(d)
  cb = TYPE[1,#N,#M] broadcast(c), dimensions={2}
  q = TYPE[1,#N,#M] multiply(u, cb)
  v = OUT[1,#N,#M] convert(q)
  ROOT r = OUT[#N,#M] reshape(v) })"},
    {"bias and clamp", R"(
  bb = TYPE[#M,#N] broadcast(b), dimensions={1}
  s = TYPE[#M,#N] add(d, bb)
  zero = TYPE[] constant(0)
  zb = TYPE[#M,#N] broadcast(zero), dimensions={}
  ROOT r = TYPE[#M,#N] maximum(s, zb) })"},
    {"residual and a value for each row", R"(
  cb = TYPE[#M,#N] broadcast(c), dimensions={0}
  s = TYPE[#M,#N] multiply(d, cb)
  ROOT r = TYPE[#M,#N] add(s, x) })"},
    {"another type", R"(
  s = TYPE[#M,#N] add(d, x)
  ROOT r = OUT[#M,#N] convert(s) })"},
    {"several results", R"(
  s = TYPE[#M,#N] add(d, x)
  t = TYPE[#M,#N] multiply(s, d)
  u = OUT[#M,#N] convert(t)
  ROOT r = (TYPE[#M,#N], TYPE[#M,#N], OUT[#M,#N]) tuple(s, d, u) })"},
    {"another shape", R"(
  q = TYPE[1,#M,#N] reshape(d)
  y = TYPE[1,#M,#N] broadcast(b), dimensions={2}
  ROOT r = TYPE[1,#M,#N] subtract(q, y) })"},
    {"elements from elsewhere", R"(
  v = TYPE[#M,#N] reverse(x), dimensions={0,1}
  ROOT r = TYPE[#M,#N] subtract(d, v) })"},
    {"an operand of its own", R"(
  e = TYPE[#M,#M] dot(l, l), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  f = TYPE[#M,#K] dot(e, l), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = TYPE[#M,#K] add(f, l) })"},
});

constexpr char kProduct[] = R"(HloModule m
ENTRY e {
  l = TYPE[#M,#K] parameter(0)
  w = TYPE[#K,#N] parameter(1)
  x = TYPE[#M,#N] parameter(2)
  b = TYPE[#N] parameter(3)
  c = TYPE[#M] parameter(4)
  d = TYPE[#M,#N] dot(l, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)";

struct ProductSizes {
  int m, n, k;
};

void CheckProduct(const Form& form, const ProductSizes& sizes,
                  const std::string& type, const std::string& out) {
  CheckText(absl::StrReplaceAll(absl::StrCat(kProduct, form.text),
                                {{"TYPE", type},
                                 {"OUT", out},
                                 {"#M", absl::StrCat(sizes.m)},
                                 {"#N", absl::StrCat(sizes.n)},
                                 {"#K", absl::StrCat(sizes.k)}}),
            false);
}

// Convolutions whose features are neighbours in the result, or whose positions
// are.
constexpr char kConvolution[] = R"(HloModule m
ENTRY e {
  i = f32[2,9,7,5] parameter(0)
  w = f32[3,3,5,20] parameter(1)
  b = f32[20] parameter(2)
  x = f32[RESULT] parameter(3)
  d = f32[RESULT] convolution(i, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->LABELS
  bb = f32[RESULT] broadcast(b), dimensions={FEATURE}
  s = f32[RESULT] add(d, bb)
  t = f32[RESULT] tanh(s)
  ROOT r = f32[RESULT] add(t, x) })";

}  // namespace

TEST_CASE("products take in what follows them") {
  constexpr auto kProductSizes = std::to_array<ProductSizes>({
      {5, 7, 3},
      {40, 50, 60},
      {64, 48, 700},
      {50, 3, 200},
      {1, 200, 30},
      {200, 1, 30},
      {0, 5, 4},
      {3, 4, 0},
      {17, 33, 1},
  });
  for (const Form& form : kProductForms) {
    for (const ProductSizes& sizes : kProductSizes) {
      CheckProduct(form, sizes, "f32", "bf16");
    }
    CheckProduct(form, {5, 7, 3}, "s32", "s8");
    CheckProduct(form, {40, 50, 60}, "f64", "f32");
    CheckProduct(form, {9, 20, 12}, "bf16", "f32");
  }
}

TEST_CASE("convolutions take in what follows them") {
  for (const auto& [labels, result, feature] :
       {std::tuple("b01f", "2,9,7,20", "3"),
        std::tuple("bf01", "2,20,9,7", "1"),
        std::tuple("01fb", "9,7,20,2", "2")}) {
    CheckText(absl::StrReplaceAll(kConvolution, {{"LABELS", labels},
                                                 {"RESULT", result},
                                                 {"FEATURE", feature}}),
              false);
  }
}

// A matrix of small numbers, as text.
std::string MatrixText(const std::string& type, int rows, int columns) {
  std::string text =
      absl::StrCat(type, "[", rows, ",", columns, "] constant({");
  for (int i = 0; i < rows; ++i) {
    absl::StrAppend(&text, i == 0 ? "{" : "},{");
    for (int j = 0; j < columns; ++j) {
      absl::StrAppend(&text, j == 0 ? "" : ",", (i * 37 + j * 11) % 64 - 31);
    }
  }
  return absl::StrCat(text, "}})");
}

TEST_CASE("products read constants of many columns") {
  constexpr char kText[] = R"(HloModule m
ENTRY e {
  x = TYPE[#M,#K] parameter(0)
  b = TYPE[#N] parameter(1)
  w = WEIGHTS
  d = TYPE[#M,#N] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={DEPTH}
  bb = TYPE[#M,#N] broadcast(b), dimensions={1}
  ROOT s = TYPE[#M,#N] add(d, bb)
})";
  for (const ProductSizes& sizes :
       {ProductSizes{1, 192, 130}, ProductSizes{17, 64, 130},
        ProductSizes{3, 48, 700}, ProductSizes{64, 1024, 9}}) {
    for (const std::string type : {"f32", "f64"}) {
      for (const bool is_turned : {false, true}) {
        CheckText(absl::StrReplaceAll(
                      kText, {{"WEIGHTS",
                               is_turned ? MatrixText(type, sizes.n, sizes.k)
                                         : MatrixText(type, sizes.k, sizes.n)},
                              {"DEPTH", is_turned ? "1" : "0"},
                              {"TYPE", type},
                              {"#M", absl::StrCat(sizes.m)},
                              {"#N", absl::StrCat(sizes.n)},
                              {"#K", absl::StrCat(sizes.k)}}),
                  false);
      }
    }
  }
}

TEST_CASE("fusions of rows take all sizes") {
  for (const Sizes& sizes : kSizes) {
    for (const Form& form : kRowForms) CheckForm(form, sizes, "f32", false);
    for (const Form& form : kFloatForms) CheckForm(form, sizes, "f32", false);
  }
}

TEST_CASE("fusions of rows take all types") {
  for (const char* type : {"f64", "f16", "bf16"}) {
    for (const Form& form : kFloatForms) {
      CheckForm(form, kSizes[0], type, false);
      CheckForm(form, kSizes[1], type, false);
    }
  }
  for (const char* type : {"s32", "u8", "s64", "f64"}) {
    for (const Form& form : kRowForms) {
      CheckForm(form, kSizes[0], type, false);
      CheckForm(form, kSizes[7], type, false);
    }
  }
}

TEST_CASE("fusions of rows keep NaN and infinities") {
  for (const Form& form : kFloatForms) CheckForm(form, kSizes[0], "f32", true);
  for (const Form& form : kRowForms) CheckForm(form, kSizes[0], "f32", true);
}

}  // namespace hilo
