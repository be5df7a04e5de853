// Tests of whole texts that the parser reads.
#include "hlo/text/parser.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/text/locate.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"
#include "tests/hlo/text/smoke_module.h"
#include "tests/support/parse_text.h"

namespace hilo::hlo {
namespace {

// The instruction of the entry with this name.
const Instruction* Find(const Module& module, absl::string_view name) {
  for (const auto& instruction : module.entry()->instructions()) {
    if (instruction->name() == name) return instruction.get();
  }
  FAIL("no instruction " << name);
  return nullptr;
}

TEST_CASE("the parser reads the sample of the language reference") {
  const auto module = tests::ParseText(tests::kSmokeModule);
  CHECK(module->name() == "smoke.1");
  CHECK(module->computation_count() == 3);
  CHECK(module->entry()->name() == "main.9");
  CHECK(module->entry()->root()->name() == "out");
  CHECK(module->header().input_output_alias.size() == 1);
  CHECK(module->header().input_output_alias[0].must_alias);
  CHECK(module->header().frontend_attributes.size() == 2);
  CHECK(module->header().frontend_attributes[1].second ==
        "a \"quoted\" string");
  const Instruction* const sum = Find(*module, "s");
  CHECK(sum->operand(1)->name() == "multiply.anon");
  CHECK(sum->operand(1)->shape() == ParseShape("f32[2,3]").value());
  CHECK(Find(*module, "big")->value().is_elided());
  CHECK(Find(*module, "t")->to_apply()->name() == "sum");
  CHECK(Find(*module, "w")->control_predecessors().size() == 1);
  CHECK(Find(*module, "w")->window().dimensions[0].padding_low == 1);
  CHECK(Find(*module, "cc")->backend_config() ==
        "{uplo = 76 : ui8, n = {k = \"}\"}}");
  CHECK(Find(*module, "d")->operand_precision().size() == 2);
  const Instruction* const add = module->computation(0)->root();
  CHECK(add->metadata().op_name == "jit(f)/add");
  CHECK(add->metadata().source_line == 3);
}

TEST_CASE("every instruction knows the place of its name") {
  const auto module = tests::ParseText(tests::kSmokeModule);
  const absl::string_view text = module->source()->text();
  for (const auto& computation : module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->name() == "multiply.anon") continue;
      absl::string_view place = text.substr(instruction->source_offset());
      if (place[0] == '%') place.remove_prefix(1);
      CHECK(place.substr(0, 1) == instruction->name().substr(0, 1));
    }
  }
}

TEST_CASE("parts of a statement are found again") {
  const auto module = tests::ParseText(tests::kSmokeModule);
  const Source& source = *module->source();
  const auto at = [&](int64_t offset, size_t size) {
    return std::string(source.text().substr(offset, size));
  };
  const int64_t window = Find(*module, "w")->source_offset();
  CHECK(at(LocateOpcode(source, window), 13) == "reduce-window");
  CHECK(at(LocateAttribute(source, window, "to_apply"), 9) == "to_apply=");
  CHECK(at(LocateAttribute(source, window, "control-predecessors"), 8) ==
        "control-");
  CHECK(at(LocateOperand(source, window, 1), 3) == "%c0");
  CHECK(LocateAttribute(source, window, "metadata") == window);
  const int64_t sum = Find(*module, "s")->source_offset();
  CHECK(at(LocateOperand(source, sum, 0), 3) == "%p0");
  CHECK(at(LocateOperand(source, sum, 1), 8) == "multiply");
  const int64_t call = Find(*module, "cc")->source_offset();
  CHECK(at(LocateAttribute(source, call, "backend_config"), 7) == "backend");
}

// Wraps statements into a module with an array parameter x and a scalar s.
std::string WithStatements(absl::string_view statements) {
  return absl::StrCat(
      "HloModule m\n"
      "add2 { a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT c = f32[] add(a, b) }\n"
      "ENTRY e {\n  x = f32[4,6] parameter(0)\n  s = f32[] parameter(1)\n"
      "  t = (f32[4,6], (f32[], s32[])) parameter(2)\n",
      statements, "\n}\n");
}

TEST_CASE("every form of the grammar is read") {
  for (const char* statement : {
           "y = f32[4,6] negate(x)",
           "%y=f32[4,6] negate(%x)",
           "ROOT y = negate(x)",
           "y = f32[4,6] negate(x,)",
           "y = f32[4,6] negate(f32[4,6]{0,1} x)",
           "%manual = f32[] add(s, s) z = f32[] add(%manual, s)",
           "p: = f32[] negate(s:)",
           "y = add(negate(x), abs(multiply(x, x)))",
           "y = f32[] negate(t#1#0)",
           "b = f32[] negate(s) y = f32[] negate(b)",
           "y = f32[4] reduce(x, s), dimensions={1}, to_apply=add2",
           "y = f32[4] reduce(x, s), to_apply=%add2, dimensions= {1}",
           "y = f32[4] reduce(x, s), dimensions={1}, to_apply={ a = f32[] "
           "parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }",
           "y = f32[6,4] transpose(x), dimensions={1,0}",
           "y = f32[2,3] slice(x), slice={[0:4:2], [0:3]}",
           "y = f32[5,9] pad(x, s), padding=0_1x-1_2_0",
           "y = f32[4,6] negate(x), sharding={replicated}",
           "y = f32[4,6] negate(x), frontend_attributes={b=\"1\",a={x = 2},"
           "b=\"3\"}",
           "y = f32[4,6] negate(x), statistics={visualizing_index=1,a.b=1.5}",
           "y = f32[4,6] tanh(x), result_accuracy={mode=highest}",
           "y = f32[4,6] tanh(x), "
           "result_accuracy={tolerance={atol=1e-3,ulps=2}}",
           "y = f32[4,6] negate(x), origin={{\"v\" {0}}}",
           R"(y = f32[4,6] negate(x), backend_config="a\n")",
           "y = f32[4,6] negate(x), metadata={op_name=\"a\", source_line=3 "
           "profile_type={1,2} preserve_layout=true op_type=\"b\"}",
           "y = f32[4,6] negate(x), from_the_future={[1] \"}\"}, "
           "other=[2,4]<=[8], third=(a, b)",
           "y = f32[4,6] custom-call(x), custom_call_target=\"f\", "
           "literal=(s32[] 3, f32[2]{0} {1,2}), to_apply=add2",
           "y = f32[4,6] all-reduce(x), replica_groups={{0}}, to_apply=add2, "
           "mode=cross_replica",
           "y = f32[4,6] convolution(x, x), dim_labels=bf_io->bf",
           "y = token[] after-all()",
           "y = (f32[]) infeed(token[] after-all())",
           "y = f32[] constant(nan(0x5))",
           "y = f32[2,2] constant({{1,2},{3,4}}), metadata={op_name=\"k\"}",
       }) {
    CAPTURE(statement);
    const absl::StatusOr<std::unique_ptr<Module>> module =
        Parse(WithStatements(statement));
    if (!module.ok()) UNSCOPED_INFO(module.status().message());
    CHECK(module.ok());
  }
}

TEST_CASE("files without a header are read") {
  CHECK(tests::ParseText("ENTRY f { a = f32[] parameter(0) }")->name() ==
        "module_f");
  CHECK(tests::ParseText("f { a = f32[] parameter(0) }")->entry()->name() ==
        "f");
  CHECK(tests::ParseText(
            "f { a = f32[] parameter(0) } g { b = s32[] parameter(0) }")
            ->entry()
            ->name() == "g");
}

TEST_CASE("a single instruction is read with parameters for its operands") {
  const auto module = tests::ParseText("f32[10] add(f32[10], f32[10] y)");
  CHECK(module->name() == "_");
  CHECK(module->header().is_scheduled);
  CHECK(module->entry()->parameter_count() == 2);
  CHECK(module->entry()->root()->opcode() == Opcode::kAdd);
  CHECK(module->entry()->parameter(1)->name() == "y");
  CHECK(tests::ParseText("r = add(f32[10] x, f32[10] x)")
            ->entry()
            ->parameter_count() == 1);
  CHECK_FALSE(Parse("add(f32[10], f32[10])").ok());
  CHECK_FALSE(Parse("f32[10] add(x, y)").ok());
}

TEST_CASE("implicit tuple elements are made once") {
  const auto module = tests::ParseText(
      WithStatements("y = f32[] add(t#1#0, t#1#0)\n  z = f32[] add(t#1#0, y)"));
  int count = 0;
  for (const auto& instruction : module->entry()->instructions()) {
    count += instruction->opcode() == Opcode::kGetTupleElement ? 1 : 0;
  }
  CHECK(count == 2);
}

TEST_CASE("nested computations come before the one that calls them") {
  const auto module = tests::ParseText(
      "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n"
      "  s = f32[] constant(0)\n"
      "  a = f32[] reduce(x, s), dimensions={0}, to_apply={ p = f32[] "
      "parameter(0) q = f32[] parameter(1) ROOT r = f32[] add(p, q) }\n"
      "  b = f32[] reduce(x, s), dimensions={0}, to_apply={ p = f32[] "
      "parameter(0) q = f32[] parameter(1) ROOT r = f32[] maximum(p, q) }\n"
      "}\n");
  REQUIRE(module->computation_count() == 3);
  CHECK(module->computation(0)->name() == "_");
  CHECK(module->computation(1)->name() == "_.1");
  CHECK(module->computation(2) == module->entry());
  CHECK(module->entry()->id() == 2);
}

TEST_CASE("names are unique in the module") {
  const auto module = tests::ParseText(
      "f { a = f32[] parameter(0) y.01 = f32[] negate(a) }\n"
      "g { a = f32[] parameter(0) y.1 = f32[] negate(a) }\n"
      "ENTRY h { a = f32[] parameter(0) b.0 = f32[] negate(a) "
      "b = f32[] negate(b.0) }");
  std::vector<std::string> names;
  for (const auto& computation : module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      names.push_back(instruction->name());
    }
  }
  CHECK(names == std::vector<std::string>{"a", "y.1", "a.1", "y.0", "a.2",
                                          "b.0", "b.1"});
}

TEST_CASE("asynchronous sugar makes the wrapped computation") {
  const auto module = tests::ParseText(
      "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n"
      "  s = ((f32[4], f32[4]), f32[4], u32[]) add-start(x, x), "
      "async_execution_thread=\"t\", metadata={op_name=\"n\"}\n"
      "  u = ((f32[4], f32[4]), f32[4], u32[]) add-update(s)\n"
      "  ROOT d = f32[4] add-done(u)\n}\n");
  const Instruction* const start = Find(*module, "s");
  CHECK(start->opcode() == Opcode::kAsyncStart);
  REQUIRE(start->calls() != nullptr);
  CHECK(start->calls()->root()->opcode() == Opcode::kAdd);
  CHECK(start->calls()->execution_thread() == "t");
  CHECK(start->metadata().op_name == "n");
  CHECK(Find(*module, "d")->calls() == nullptr);
}

TEST_CASE("stack-frame tables are read") {
  const auto module = tests::ParseText(
      "HloModule m\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\n"
      "FileLocations\n1 {file_name_id=1 function_name_id=1 line=2, column=3}\n"
      "\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"
      "2 {file_location_id=1 parent_frame_id=2}\n\n"
      "ENTRY e { x = f32[] parameter(0), metadata={stack_frame_id=2} }\n");
  const StackFrameTables& tables = module->header().stack_frames;
  CHECK(tables.file_names == std::vector<std::string>{"a.py"});
  CHECK(tables.file_locations[0].column == 3);
  CHECK(tables.stack_frames[0].parent_frame_id == 0);
  CHECK(tables.stack_frames[1].parent_frame_id == 1);
}

TEST_CASE("log prefixes are stripped and places kept") {
  const std::string prefix = "I0521 12:04:45.883483 1509 file.cc:186] ";
  const std::string text =
      absl::StrCat(prefix, "HloModule m\n", prefix, "ENTRY e {\n", prefix,
                   "  x = f32[] parameter(0)\n", prefix, "}\n");
  const auto module = tests::ParseText(text);
  const int64_t offset = module->entry()->root()->source_offset();
  CHECK(text.substr(offset, 1) == "x");
}

TEST_CASE("files of several modules are split and keep their lines") {
  CHECK(SplitModules("a\nb\n") == std::vector<std::string>{"a\nb\n"});
  CHECK(SplitModules("a\n// ----- x\nb\n// -----\n") ==
        std::vector<std::string>{"a\n", "\n\nb\n"});
  CHECK(SplitModules("") == std::vector<std::string>{""});
}

TEST_CASE("elided constants give one warning that counts them") {
  const auto source = std::make_shared<const Source>(
      "t", "ENTRY e { a = f32[9] constant({...}) b = s32[9] constant({...}) }");
  Diagnostics diagnostics;
  CHECK(Parse(source, {}, &diagnostics) != nullptr);
  REQUIRE(diagnostics.list().size() == 1);
  CHECK(diagnostics.list()[0].severity == Severity::kWarning);
  CHECK(diagnostics.list()[0].message.substr(0, 11) == "2 constants");
  Diagnostics ignored;
  const auto counted = Parse(source, {}, &ignored);
  const auto zeros =
      Parse(source, {.elided_constants = ElidedConstants::kZeros}, &ignored);
  const Literal& second = Find(*counted, "b")->value();
  CHECK(second.data<int32_t>()[0] == 9);
  CHECK(second.data<int32_t>()[8] == 17);
  CHECK(Find(*zeros, "b")->value().data<int32_t>()[8] == 0);
  CHECK(Parse(source, {.elided_constants = ElidedConstants::kError},
              &diagnostics) == nullptr);
}

}  // namespace
}  // namespace hilo::hlo
