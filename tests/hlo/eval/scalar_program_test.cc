// Tests of scalar programs.
#include "hlo/eval/scalar_program.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include <catch2/catch.hpp>

#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {
namespace {

std::unique_ptr<Module> ParseOrFail(const std::string& text) {
  absl::StatusOr<std::unique_ptr<Module>> module = Parse(text);
  REQUIRE(module.ok());
  return *std::move(module);
}

TEST_CASE("a reducer adds lane by lane, in place") {
  const std::unique_ptr<Module> module = ParseOrFail(R"(
HloModule m
ENTRY add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
})");
  std::optional<ScalarProgram> program =
      ScalarProgram::Compile(*module->entry());
  REQUIRE(program.has_value());
  CHECK(program->result_count() == 1);
  std::vector<float> a(ScalarProgram::kMaxLanes, 1);
  std::vector<float> b(ScalarProgram::kMaxLanes, 2);
  std::array<const void*, 2> arguments = {a.data(), b.data()};
  std::array<void*, 1> results = {a.data()};
  program->Run(ScalarProgram::kMaxLanes, arguments, results);
  program->Run(3, arguments, results);
  CHECK(a[0] == 5);
  CHECK(a[2] == 5);
  CHECK(a[3] == 3);
  CHECK(a.back() == 3);
}

TEST_CASE("narrow floats round after every step") {
  const std::unique_ptr<Module> module = ParseOrFail(R"(
HloModule m
ENTRY f {
  x = bf16[] parameter(0)
  y = bf16[] parameter(1)
  sum = bf16[] add(x, y)
  ROOT r = bf16[] subtract(sum, x)
})");
  std::optional<ScalarProgram> program =
      ScalarProgram::Compile(*module->entry());
  REQUIRE(program.has_value());
  const BFloat16 x = BFloat16::FromFloat(256);
  const BFloat16 y = BFloat16::FromFloat(1);
  BFloat16 result = BFloat16::FromFloat(7);
  std::array<const void*, 2> arguments = {&x, &y};
  std::array<void*, 1> results = {&result};
  program->Run(1, arguments, results);
  CHECK(static_cast<float>(result) == 0);
}

TEST_CASE("results may swap their arguments' memory") {
  const std::unique_ptr<Module> module = ParseOrFail(R"(
HloModule m
ENTRY swap {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = (s32[], s32[]) tuple(b, a)
})");
  std::optional<ScalarProgram> program =
      ScalarProgram::Compile(*module->entry());
  REQUIRE(program.has_value());
  CHECK(program->result_count() == 2);
  std::array<int32_t, 2> a = {1, 2};
  std::array<int32_t, 2> b = {3, 4};
  std::array<const void*, 2> arguments = {a.data(), b.data()};
  std::array<void*, 2> results = {a.data(), b.data()};
  program->Run(2, arguments, results);
  CHECK(a[0] == 3);
  CHECK(a[1] == 4);
  CHECK(b[0] == 1);
  CHECK(b[1] == 2);
}

TEST_CASE("arg-max compares, selects and calls") {
  const std::unique_ptr<Module> module = ParseOrFail(R"(
HloModule m
pick {
  p = pred[] parameter(0)
  x = s32[] parameter(1)
  y = s32[] parameter(2)
  ROOT r = s32[] select(p, x, y)
}
ENTRY argmax {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  greater = pred[] compare(a, b), direction=GE
  value = f32[] select(greater, a, b)
  index = s32[] call(greater, i, j), to_apply=pick
  ROOT r = (f32[], s32[]) tuple(value, index)
})");
  std::optional<ScalarProgram> program =
      ScalarProgram::Compile(*module->entry());
  REQUIRE(program.has_value());
  std::array<float, 2> a = {1, 5};
  std::array<int32_t, 2> i = {10, 11};
  const std::array<float, 2> b = {2, 4};
  const std::array<int32_t, 2> j = {20, 21};
  std::array<const void*, 4> arguments = {a.data(), i.data(), b.data(),
                                          j.data()};
  std::array<void*, 2> results = {a.data(), i.data()};
  program->Run(2, arguments, results);
  CHECK(a[0] == 2);
  CHECK(a[1] == 5);
  CHECK(i[0] == 20);
  CHECK(i[1] == 11);
}

TEST_CASE("arrays are no scalars") {
  const std::unique_ptr<Module> module = ParseOrFail(R"(
HloModule m
ENTRY f {
  a = f32[2] parameter(0)
  ROOT r = f32[2] add(a, a)
})");
  CHECK_FALSE(ScalarProgram::Compile(*module->entry()).has_value());
}

}  // namespace
}  // namespace hilo::hlo
