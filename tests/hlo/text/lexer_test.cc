// Tests of tokens.
#include "hlo/text/lexer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

namespace hilo::hlo {
namespace {

// The tokens as "kind text", joined by "|".
std::string Tokens(absl::string_view text) {
  Lexer lexer(text);
  std::string out;
  while (true) {
    const Token token = lexer.Next();
    if (token.kind == TokenKind::kEnd) return out;
    if (!out.empty()) out += '|';
    if (token.kind == TokenKind::kError) return out + "error";
    static constexpr auto kShort =
        std::to_array<absl::string_view>({"end",        "error",
                                          "",           "",
                                          "",           "",
                                          "",           "",
                                          "",           "",
                                          "",           "",
                                          "",           "",
                                          "",           "",
                                          "",           "",
                                          "",           "name ",
                                          "attribute ", "identifier ",
                                          "type ",      "word ",
                                          "word ",      "word ",
                                          "word ",      "word ",
                                          "word ",      "word ",
                                          "word ",      "word ",
                                          "word ",      "int ",
                                          "decimal ",   "sizes ",
                                          "padding ",   "labels ",
                                          "string "});
    absl::StrAppend(&out, kShort[static_cast<size_t>(token.kind)], token.text);
  }
}

TEST_CASE("lexer splits text into tokens by the rules of section 1.1") {
  struct Row {
    absl::string_view text;
    absl::string_view tokens;
  };
  for (const Row& row : {
           Row{"a.1 all-reduce x--y _",
               "identifier a.1|identifier all-reduce|"
               "identifier x--y|identifier _"},
           Row{"foo->bar", "identifier foo-|error"},
           Row{"p: foo=f32[]", "name p|attribute foo|type f32|[|]"},
           Row{"foo = f32", "identifier foo|=|type f32"},
           Row{"%foo=f32", "name foo|=|type f32"},
           Row{"%f32", "name f32"},
           Row{"% foo", "error"},
           Row{"true ROOT ENTRY manual tuple buffer b",
               "word true|word ROOT|word ENTRY|word manual|identifier tuple|"
               "identifier buffer|identifier b"},
           Row{"inf -inf nan -nan nan(0x7f) -nan(0x1)",
               "decimal inf|decimal -inf|decimal nan|decimal -nan|"
               "decimal nan(0x7f)|decimal -nan(0x1)"},
           Row{"1. 1e5 -1.5e-3 -.5 1E+2",
               "decimal 1.|decimal 1e5|decimal -1.5e-3|decimal -.5|"
               "decimal 1E+2"},
           Row{"1 007 -12 1e", "int 1|int 007|int -12|int 1|identifier e"},
           Row{".5", "error"},
           Row{"b01f_01io->b01f 0bf_0io->0bf ?01bf_i01o?->?01bf bf_io->bf",
               "labels b01f_01io->b01f|labels 0bf_0io->0bf|"
               "labels ?01bf_i01o?->?01bf|labels bf_io->bf"},
           Row{"3x3 1x2x4 3x", "sizes 3x3|sizes 1x2x4|int 3|identifier x"},
           Row{"0_0x1_1 -1_2_3 1_-1x0_0",
               "padding 0_0x1_1|padding -1_2_3|padding 1_-1x0_0"},
           Row{"<= ... ? -> = , : * # + ~", "<=|...|?|->|=|,|:|*|#|+|~"},
           Row{"a/*x, // {*/b // c\nd",
               "identifier a|identifier b|identifier d"},
           Row{"/* open", "error"},
           Row{R"("a\"b" 'c"')", R"(string a\"b|string c")"},
           Row{"\"open", "error"},
           Row{"'x\\'", "error"},
           Row{"<", "error"},
           Row{"..", "error"},
           Row{"\f", "error"},
           Row{"\xc3\xa9", "error"},
           Row{"\"\xc3\xa9\"", "string \xc3\xa9"},
       }) {
    CAPTURE(row.text);
    CHECK(Tokens(row.text) == std::string(row.tokens));
  }
}

TEST_CASE("lexer takes braces with what is between them") {
  struct Row {
    absl::string_view text;
    // Offset after the brace; -1 if it does not close.
    int64_t end;
  };
  for (const Row& row :
       {Row{"{}", 2}, Row{"{a {b} c} d", 9}, Row{R"({"}"} x)", 5},
        Row{R"({"\"}"})", 7}, Row{"{'}'}", 3}, Row{"{", -1}, Row{"{\"}", -1}}) {
    CAPTURE(row.text);
    Lexer lexer(row.text);
    const bool closed = lexer.SkipRawBraces(0);
    CHECK(closed == (row.end >= 0));
    if (closed) CHECK(lexer.offset() == row.end);
  }
}

TEST_CASE("lexer decodes the escapes of C") {
  std::string out;
  int64_t bad_offset = 0;
  CHECK(DecodeEscapes(R"(a\n\t\"\\\303\251\x41)", &out, &bad_offset));
  CHECK(out ==
        "a\n\t\"\\\xc3\xa9"
        "A");
  CHECK_FALSE(DecodeEscapes(R"(ab\n\q)", &out, &bad_offset));
  CHECK(bad_offset == 4);
}

TEST_CASE("lexer knows which names are legal") {
  for (const char* name : {"a", "_", "a.b-c_1", "tuple", "b", "true", "inf"}) {
    CAPTURE(name);
    CHECK(IsLegalName(name));
  }
  for (const char* name : {"", "1a", "a b", "f32", "token", "a#1", ".a"}) {
    CAPTURE(name);
    CHECK_FALSE(IsLegalName(name));
  }
}

}  // namespace
}  // namespace hilo::hlo
