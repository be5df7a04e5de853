// Tests of the verifier on modules given as text.
#include "hlo/verify/verify.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "hlo/text/parser.h"

namespace hilo::hlo {
namespace {

// What the verifier says about a text; "ok" when it accepts.
std::string VerifyText(absl::string_view text) {
  const auto module = Parse(text, "m.hlo");
  if (!module.ok()) {
    return absl::StrCat("parse error: ", module.status().message());
  }
  const absl::Status status = Verify(**module);
  return status.ok() ? "ok" : std::string(status.message());
}

// Header attributes, entry instructions, and a part of the errors.
struct VerifyRow {
  absl::string_view header;
  absl::string_view body;
  absl::string_view expected;
};

void CheckVerify(const std::vector<VerifyRow>& rows) {
  for (const VerifyRow& row : rows) {
    const std::string text = absl::StrCat("HloModule m", row.header,
                                          "\nENTRY e {\n", row.body, "\n}\n");
    CAPTURE(text);
    CHECK_THAT(VerifyText(text), Catch::Contains(std::string(row.expected)));
  }
}

TEST_CASE("an error names place, opcode, both values and operands") {
  CHECK(VerifyText("HloModule m\n"
                   "ENTRY e {\n"
                   "  a = f32[8,64] parameter(0)\n"
                   "  b = f32[32,16] parameter(1)\n"
                   "  ROOT r = f32[8,16] dot(a, b), lhs_contracting_dims={1}, "
                   "rhs_contracting_dims={0}\n"
                   "}\n") ==
        "m.hlo:5:8: error: dot: contracting sizes differ: lhs dimension 1 is "
        "64, rhs dimension 0 is 32\n"
        "  ROOT r = f32[8,16] dot(a, b), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={0}\n"
        "       ^\n"
        "m.hlo:3:3: note: 'a' is f32[8,64] here\n"
        "  a = f32[8,64] parameter(0)\n"
        "  ^\n"
        "m.hlo:4:3: note: 'b' is f32[32,16] here\n"
        "  b = f32[32,16] parameter(1)\n"
        "  ^\n");
}

TEST_CASE("one mistake gives one error, and all mistakes are reported") {
  const std::string errors = VerifyText(
      "HloModule m\n"
      "ENTRY e {\n"
      "  a = f32[3] parameter(0)\n"
      "  b = f32[4] add(a, a)\n"
      "  c = f32[4] negate(b)\n"
      "  d = f32[7] concatenate(a, c), dimensions={5}\n"
      "  ROOT r = f32[4] multiply(c, c)\n"
      "}\n");
  CHECK_THAT(errors, Catch::Contains("m.hlo:4:3: error: add"));
  CHECK_THAT(errors, Catch::Contains("error: concatenate"));
  CHECK_THAT(errors, !Catch::Contains("error: negate"));
  CHECK_THAT(errors, !Catch::Contains("error: multiply"));
}

TEST_CASE("header attributes must fit the entry computation") {
  constexpr absl::string_view kBody =
      "p = f32[3] parameter(0)\n q = s32[5] parameter(1)\n"
      "n = f32[3] negate(p)\n ROOT t = (f32[3], s32[5]) tuple(n, q)";
  CheckVerify({
      {"", kBody, "ok"},
      {", input_output_alias={ {0}: (0, {}), {1}: (1, {}, must-alias) }", kBody,
       "ok"},
      {", input_output_alias={ {0}: (2, {}) }", kBody,
       "input_output_alias: parameter 2 does not exist, the entry has 2"},
      {", input_output_alias={ {0}: (0, {1}) }", kBody,
       "input_output_alias: parameter 0 at {1} does not exist"},
      {", input_output_alias={ {0}: (1, {}) }", kBody,
       "sizes differ: output {0} is f32[3], parameter 1 at {} is s32[5]"},
      {", input_output_alias={ {0}: (0, {}), {1}: (0, {}) }", kBody,
       "parameter 0 at {} is aliased twice"},
      {", buffer_donor={ (0, {}), (0, {}) }", kBody,
       "buffer_donor: parameter 0 at {} is donated twice"},
      {", buffer_donor={ (7, {}) }", kBody, "parameter 7 does not exist"},
      {", input_output_alias={ {0}: (0, {}) }, buffer_donor={ (0, {}) }", kBody,
       "buffer_donor: parameter 0 at {} is already aliased"},
      {", entry_computation_layout={(f32[3]{0})->(f32[3]{0}, s32[5]{0})}",
       kBody, "it has 1 parameters, the entry computation has 2"},
      {", entry_computation_layout={(f32[4]{0}, s32[5]{0})->(f32[3]{0}, "
       "s32[5]{0})}",
       kBody, "parameter 0 is f32[4], the entry computation has f32[3]"},
      {", entry_computation_layout={(f32[3]{0}, s32[5]{0})->f32[3]{0}}", kBody,
       "the result is f32[3], the entry computation has (f32[3], s32[5])"},
      {", replica_count=0", kBody, "replica_count: it is 0"},
  });
}

TEST_CASE("asynchronous operations come in pairs") {
  CheckVerify({
      {"",
       "p = f32[3] parameter(0)\n s = (f32[3], f32[3], u32[]) copy-start(p)\n"
       "ROOT d = f32[3] copy-done(s)",
       "ok"},
      {"",
       "p = f32[3] parameter(0)\n"
       "ROOT s = (f32[3], f32[3], u32[]) copy-start(p)",
       "copy-start: the result is not awaited"},
      {"",
       "p = (f32[3], f32[3], u32[]) parameter(0)\n"
       "ROOT d = f32[3] copy-done(p)",
       "copy-done: operand 0 is the result of parameter, expected copy-start"},
      {"",
       "p = f32[3] parameter(0)\n s = (f32[3], f32[3], u32[]) copy-start(p)\n"
       "d = f32[3] copy-done(s)\n e = f32[3] copy-done(s)\n"
       "ROOT r = f32[3] add(d, e)",
       "copy-start: the result has 2 uses, expected one copy-done"},
      {"",
       "p = f32[3] parameter(0)\n t = token[] after-all()\n"
       "s = (f32[3], u32[], token[]) send(p, t), channel_id=1\n"
       "ROOT d = token[] send-done(s), channel_id=2",
       "send-done: channel_id is 2, that of send is 1"},
  });
}

TEST_CASE("layouts and element sizes must be possible") {
  CheckVerify({
      {"", "ROOT p = f32[2,3]{1,1} parameter(0)", "not a permutation"},
      {"", "ROOT p = f32[2,3]{5,0} parameter(0)", "not a permutation"},
      {"", "ROOT p = s4[8]{0:E(4)} parameter(0)", "ok"},
      {"", "ROOT p = f32[8]{0:E(4)} parameter(0)",
       "layout property E(4) does not suit f32"},
      {"", "ROOT p = s4[8]{0:E(2)} parameter(0)",
       "layout property E(2) does not suit s4"},
  });
}

TEST_CASE("invalid programs of public bug reports give errors") {
  CheckVerify({
      {"", "p = f32[4,8] parameter(0)\n ROOT r = f32[31] reshape(p)",
       "reshape"},
      {"",
       "p = f32[4] parameter(0)\n"
       "ROOT r = s32[] get-dimension-size(p), dimensions={}",
       "get-dimension-size"},
      {"",
       "p = f32[4] parameter(0)\n n = s32[] constant(3)\n"
       "ROOT r = f32[<=4] set-dimension-size(p, n), dimensions={}",
       "set-dimension-size"},
      {"",
       "p = f32[4] parameter(0)\n"
       "ROOT r = f32[4] all-gather(p), dimensions={}",
       "all-gather: dimensions must hold one dimension"},
      {"",
       "p = f32[4,2] parameter(0)\n"
       "ROOT r = f32[4] all-gather(p), dimensions={0}",
       "all-gather"},
      {"",
       "p = c64[4] parameter(0)\n"
       "ROOT r = c64[4] fft(p), fft_type=FFT, fft_length={-1}",
       "fft: fft_length -1 is negative"},
      {"",
       "p = c64[4] parameter(0)\n"
       "ROOT r = c64[4] fft(p), fft_type=FFT, fft_length={0}",
       "fft: fft_length 0 needs 0 elements"},
      {"",
       "p = f32[4] parameter(0)\n"
       "ROOT r = f32[4] get-tuple-element(p), index=0",
       "get-tuple-element"},
      {"",
       "p = (f32[4]) parameter(0)\n"
       "ROOT r = f32[4] get-tuple-element(p), index=1",
       "get-tuple-element: index 1 is out of range"},
      {"",
       "p = (f32[4]) parameter(0)\n"
       "ROOT r = f32[4] get-tuple-element(p), index=-1",
       "get-tuple-element: index -1 is out of range"},
      {"",
       "p = f32[4] parameter(0)\n n = s32[] constant(9)\n"
       "ROOT r = f32[<=4] set-dimension-size(p, n), dimensions={0}",
       "set-dimension-size"},
      {"",
       "p = f32[4] parameter(0)\n q = s32[4] parameter(1)\n"
       "ROOT r = pred[4] compare(p, q), direction=LT",
       "compare"},
      {"",
       "p = f32[4] parameter(0)\n"
       "ROOT r = f32[4] compare(p, p), direction=LT",
       "compare"},
  });
}

}  // namespace
}  // namespace hilo::hlo
