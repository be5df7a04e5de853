// Tests that running takes time and memory in proportion to what there is to
// do. Bounds are of this thread's time and generous: they tell orders apart.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "catch2/catch.hpp"

#include "jit/hilo.h"
#include "runtime/cpu_time.h"

namespace hilo {
namespace {

using runtime::LeastSeconds;

std::unique_ptr<Client> CostClient(int64_t threads = 1,
                                   int64_t memory_limit_bytes = 0) {
  ClientOptions options;
  options.backend = "cpu";
  options.threads = threads;
  options.memory_limit_bytes = memory_limit_bytes;
  return Client::Create(options).value();
}

std::vector<Buffer> ZerosFor(const Executable& executable) {
  std::vector<Buffer> buffers;
  for (const auto& leaf : executable.argument_leaves()) {
    buffers.push_back(Buffer::FromLiteral(Literal(leaf.shape)).value());
  }
  return buffers;
}

double RunSeconds(const std::string& text, int turns = 5) {
  const auto executable = CostClient()->Compile(text).value();
  const std::vector<Buffer> arguments = ZerosFor(*executable);
  return LeastSeconds(turns, [&] { CHECK(executable->Run(arguments).ok()); });
}

// A loop of `trips` turns that adds 1 to each of `carries` numbers.
std::string Carries(int64_t carries, int64_t trips) {
  std::string type = "(s32[]";
  std::string values = "i";
  std::string next = "i1";
  for (int64_t c = 0; c < carries; ++c) {
    type += ", f32[]";
    values += ", z";
    absl::StrAppend(&next, ", w", c);
  }
  type += ")";
  std::string gets;
  std::string adds;
  for (int64_t c = 0; c < carries; ++c) {
    absl::StrAppend(&gets, "  v", c,
                    " = f32[] get-tuple-element(p), index=", c + 1, "\n");
    absl::StrAppend(&adds, "  w", c, " = f32[] add(v", c, ", v",
                    (c + 1) % carries, ")\n");
  }
  return absl::StrCat(
      "HloModule carries\nbody {\n  p = ", type,
      " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  one = s32[] constant(1)\n  i1 = s32[] add(i, one)\n",
      gets, adds, "  ROOT t = ", type, " tuple(", next,
      ")\n}\ncondition {\n  p = ", type,
      " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = s32[] "
      "constant(",
      trips,
      ")\n  ROOT c = pred[] compare(i, n), direction=LT\n}\nENTRY e {\n"
      "  i = s32[] constant(0)\n  z = f32[] parameter(0)\n  t = ",
      type, " tuple(", values, ")\n  ROOT w = ", type,
      " while(t), condition=condition, body=body\n}\n");
}

TEST_CASE("a turn of a loop costs as much as what it carries", "[.][timed]") {
  constexpr int64_t kTrips = 100000;
  for (const int64_t carries : {1, 10, 60}) {
    const double seconds = RunSeconds(Carries(carries, kTrips));
    const double per_trip_ns = seconds / kTrips * 1e9;
    CAPTURE(carries, per_trip_ns);
    CHECK(per_trip_ns <= 10 + 8 * static_cast<double>(carries));
  }
}

// Writes element i of n in turn i.
std::string Updates(int64_t n) {
  return absl::StrCat(R"(HloModule updates
body {
  p = (s32[], f32[)",
                      n, R"(]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[)",
                      n, R"(] get-tuple-element(p), index=1
  one = s32[] constant(1)
  i1 = s32[] add(i, one)
  f = f32[] convert(i)
  u = f32[1] reshape(f)
  b = f32[)",
                      n, R"(] dynamic-update-slice(a, u, i)
  ROOT t = (s32[], f32[)",
                      n, R"(]) tuple(i1, b)
}
condition {
  p = (s32[], f32[)",
                      n, R"(]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant()",
                      n, R"()
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  i = s32[] constant(0)
  x = f32[)",
                      n, R"(] parameter(0)
  t = (s32[], f32[)",
                      n, R"(]) tuple(i, x)
  w = (s32[], f32[)",
                      n, R"(]) while(t), condition=condition, body=body
  ROOT r = f32[)",
                      n, R"(] get-tuple-element(w), index=1
})");
}

TEST_CASE("small updates in a loop copy nothing", "[.][timed]") {
  for (const int64_t n : {10000, 80000, 320000}) {
    const double per_turn_ns =
        RunSeconds(Updates(n)) / static_cast<double>(n) * 1e9;
    CAPTURE(n, per_turn_ns);
    // Copies would take ten microseconds for the shortest.
    CHECK(per_turn_ns < 50);
  }
}

TEST_CASE("a chain of a thousand small operations takes microseconds",
          "[.][timed]") {
  std::string text =
      "HloModule chain\nENTRY e {\n  x0 = f32[8] parameter(0)\n"
      "  i0 = s32[8] bitcast-convert(x0)\n";
  // Neither folds nor fuses into one loop of many registers.
  for (int i = 1; i <= 500; ++i) {
    absl::StrAppend(&text, "  r", i, " = f32[8] reverse(x", i - 1,
                    "), dimensions={0}\n  ", i == 500 ? "ROOT x" : "x", i,
                    " = f32[8] subtract(r", i, ", x", i - 1, ")\n");
  }
  CHECK(RunSeconds(text + "}\n", 50) < 200e-6);
}

TEST_CASE("a call of a compiled identity takes less than a microsecond",
          "[.][timed]") {
  const auto executable =
      CostClient()
          ->Compile("HloModule m\nENTRY e { ROOT x = f32[1] parameter(0) }")
          .value();
  std::array<float, 1> from = {7};
  std::array<float, 1> to = {};
  const std::array<absl::Span<const std::byte>, 1> arguments = {
      absl::MakeSpan(reinterpret_cast<std::byte*>(from.data()), sizeof(from))};
  const std::array<absl::Span<std::byte>, 1> results = {
      absl::MakeSpan(reinterpret_cast<std::byte*>(to.data()), sizeof(to))};
  constexpr int kCalls = 1000;
  bool is_ok = true;
  const double seconds = LeastSeconds(20, [&] {
    for (int i = 0; i < kCalls; ++i) {
      is_ok = executable->RunOnto(arguments, results).ok() && is_ok;
    }
  });
  CHECK(to[0] == 7);
  CHECK(is_ok);
  CHECK(seconds / kCalls < 1e-6);
}

TEST_CASE("a cumulative sum takes one pass", "[.][timed]") {
  constexpr const char* kText = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[200000] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[200000] reduce-window(x, z), window={size=200000 pad=199999_0}, to_apply=add
})";
  CHECK(RunSeconds(kText) < 5e-3);
}

TEST_CASE("a broadcast that is reduced takes no memory") {
  constexpr const char* kText = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[3000] parameter(0)
  y = f32[3000] parameter(1)
  xb = f32[3000,3000] broadcast(x), dimensions={0}
  yb = f32[3000,3000] broadcast(y), dimensions={1}
  d = f32[3000,3000] subtract(xb, yb)
  q = f32[3000,3000] multiply(d, d)
  z = f32[] constant(0)
  ROOT r = f32[3000] reduce(q, z), dimensions={1}, to_apply=add
})";
  // The array of differences alone would be 36 MB.
  const auto executable = CostClient(1, 100000)->Compile(kText).value();
  CHECK(executable->Run(ZerosFor(*executable)).ok());
}

TEST_CASE("a donated argument that a loop updates is one buffer") {
  std::string text = Updates(100000);
  text.replace(0, std::string("HloModule updates").size(),
               "HloModule updates, input_output_alias={ {}: (0, {}) }");
  const auto executable = CostClient(1, 410000)->Compile(text).value();
  std::vector<Buffer> arguments = ZerosFor(*executable);
  const std::byte* memory = arguments[0].data();
  arguments[0] = arguments[0].Donate();
  const auto results = executable->Run(std::move(arguments));
  REQUIRE(results.ok());
  CHECK((*results)[0].data() == memory);
}

int64_t CountThreads() {
  int64_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    count += entry.is_directory() ? 1 : 0;
  }
  return count;
}

constexpr const char* kLargeProduct = R"(HloModule m
ENTRY e {
  x = f32[256,256] parameter(0)
  ROOT y = f32[256,256] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

TEST_CASE("one thread stays one") {
  const int64_t before = CountThreads();
  const auto client = CostClient(1);
  const auto executable = client->Compile(kLargeProduct).value();
  CHECK(executable->Run(ZerosFor(*executable)).ok());
  CHECK(CountThreads() == before);
}

TEST_CASE("callers and their threads do not wait for each other") {
  const auto client = CostClient(3);
  const auto executable = client->Compile(kLargeProduct).value();
  std::vector<int> failures(4, 0);
  std::vector<std::thread> callers;
  callers.reserve(failures.size());
  for (int& failed : failures) {
    callers.emplace_back([&executable, &failed] {
      const std::vector<Buffer> arguments = ZerosFor(*executable);
      for (int i = 0; i < 100; ++i) {
        failed += executable->Run(arguments).ok() ? 0 : 1;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const int failed : failures) CHECK(failed == 0);
}

}  // namespace
}  // namespace hilo
