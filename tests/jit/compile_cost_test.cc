// Tests that compiling takes time and memory in proportion to the module, and
// gives the same each time.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "catch2/catch.hpp"

#include "jit/hilo.h"
#include "runtime/cpu_time.h"
#include "tests/support/paths.h"
#include "tests/support/subprocess.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Client> OneThreadClient() {
  ClientOptions options;
  options.backend = "cpu";
  options.threads = 1;
  return Client::Create(options).value();
}

// x0 = tanh or x * y of the one before, n times.
std::string Chain(int64_t n) {
  std::string text =
      "HloModule chain\nENTRY e {\n  x0 = f32[64] parameter(0)\n"
      "  y = f32[64] parameter(1)\n";
  for (int64_t i = 1; i <= n; ++i) {
    absl::StrAppend(&text, i == n ? "  ROOT x" : "  x", i, " = f32[64] ",
                    i % 7 == 0 ? "tanh(x" : "multiply(x", i - 1,
                    i % 7 == 0 ? ")\n" : ", y)\n");
  }
  return text + "}\n";
}

// The same with matrix products, which do not become one loop.
std::string ProductChain(int64_t n) {
  std::string text =
      "HloModule products\nENTRY e {\n  x0 = f32[8,8] parameter(0)\n";
  for (int64_t i = 1; i <= n; ++i) {
    absl::StrAppend(&text, i == n ? "  ROOT x" : "  x", i, " = f32[8,8] dot(x",
                    i - 1, ", x", i - 1,
                    "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  }
  return text + "}\n";
}

// x = x + x, n times: 2^n paths.
std::string Diamonds(int64_t n) {
  std::string text =
      "HloModule diamonds\nENTRY e {\n  x0 = f32[64] parameter(0)\n";
  for (int64_t i = 1; i <= n; ++i) {
    absl::StrAppend(&text, i == n ? "  ROOT x" : "  x", i, " = f32[64] add(x",
                    i - 1, ", x", i - 1, ")\n");
  }
  return text + "}\n";
}

// Sums of n values by twos.
std::string Tree(int64_t n) {
  std::string text =
      "HloModule tree\nENTRY e {\n  p = f32[64] parameter(0)\n"
      "  one = f32[] constant(1)\n  ones = f32[64] broadcast(one), "
      "dimensions={}\n";
  for (int64_t i = 0; i < n; ++i) {
    absl::StrAppend(&text, "  v", i, " = f32[64] ",
                    i == 0 ? std::string("sine(p)\n")
                           : absl::StrCat("power(p, v", (i - 1) / 2, ")\n"));
  }
  for (int64_t i = n; i < 2 * n - 1; ++i) {
    const int64_t first = 2 * (i - n);
    absl::StrAppend(&text, i == 2 * n - 2 ? "  ROOT v" : "  v", i,
                    " = f32[64] add(v", first, ", v", first + 1, ")\n");
  }
  return text + "}\n";
}

double CompileSeconds(const std::string& text) {
  return runtime::LeastSeconds(3, [&] {
    // A client each: kernels are not compiled again in one.
    CHECK(OneThreadClient()->Compile(text).ok());
  });
}

void CheckLinear(const std::function<std::string(int64_t)>& make,
                 int64_t longest) {
  double last = 0;
  for (int64_t n = 100; n <= longest; n *= 2) {
    const double seconds = CompileSeconds(make(n));
    CAPTURE(n, last, seconds);
    constexpr double kFixedSeconds = 0.01;
    if (last > 0) CHECK(seconds <= 2.5 * last + kFixedSeconds);
    last = seconds;
  }
}

TEST_CASE("compile time grows with the module", "[.][timed]") {
  CheckLinear(Chain, 400);
  CheckLinear(ProductChain, 800);
  CheckLinear(Diamonds, 400);
  CheckLinear(Tree, 200);
}

TEST_CASE("compile time grows with large modules", "[.][timed]") {
  CheckLinear(Chain, 3200);
  CheckLinear(ProductChain, 3200);
  CheckLinear(Diamonds, 3200);
  CheckLinear(Tree, 3200);
}

TEST_CASE("twelve dimensions compile in a second", "[.][timed]") {
  constexpr const char* kText = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[2,2,2,2,2,2,2,2,2,2,2,2] parameter(0)
  t = f32[2,2,2,2,2,2,2,2,2,2,2,2] transpose(x), dimensions={11,3,7,1,9,5,2,0,8,6,4,10}
  z = f32[] constant(0)
  r = f32[2,2,2,2,2,2] reduce(t, z), dimensions={0,2,4,6,8,10}, to_apply=add
  d = f32[2,2,2,2,2,2,2,2] dot(r, r), lhs_contracting_dims={1,4}, rhs_contracting_dims={0,5}
  ROOT o = (f32[2,2,2,2,2,2,2,2,2,2,2,2], f32[2,2,2,2,2,2,2,2]) tuple(t, d)
})";
  CHECK(CompileSeconds(kText) < 1);
}

std::string RunHilo(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {tests::HiloBinary().string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const tests::ProcessResult result = tests::RunProcess(command, {});
  CHECK(result.exit_status == 0);
  return result.output + result.error;
}

// A file that goes with the test.
class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    std::string pattern =
        (fs::temp_directory_path() / "hilo_text_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    std::ofstream(path()) << text;
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { fs::remove_all(directory_); }

  std::string path() const { return (directory_ / "module.hlo").string(); }
  std::string cache() const { return (directory_ / "cache").string(); }

 private:
  fs::path directory_;
};

TEST_CASE("every process makes the same code") {
  const TextFile file(Tree(30));
  const std::vector<std::string> command = {"compile", file.path(),
                                            "--emit=asm"};
  const std::string expected = RunHilo(command);
  for (int i = 0; i < 4; ++i) CHECK(RunHilo(command) == expected);
}

TEST_CASE("a second process finds code in the cache") {
  const TextFile file(Tree(5));
  const std::vector<std::string> command = {
      "run", file.path(), "--backend=cpu", "--cache-stats",
      absl::StrCat("--cache-dir=", file.cache())};
  CHECK(absl::StrContains(RunHilo(command), "cache: 0 objects found, 1 new"));
  CHECK(absl::StrContains(RunHilo(command), "cache: 1 objects found, 0 new"));
  // Neither threads nor seeds make other code.
  std::vector<std::string> other = command;
  other.insert(other.end(), {"--threads=3", "--seed=5"});
  CHECK(absl::StrContains(RunHilo(other), "cache: 1 objects found, 0 new"));
}

}  // namespace
}  // namespace hilo
