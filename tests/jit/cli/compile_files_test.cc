// Tests of the files that compilation writes: objects, and dumps.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "tests/support/paths.h"
#include "tests/support/subprocess.h"

namespace hilo::tests {
namespace {

namespace fs = std::filesystem;

constexpr double kCompileSeconds = 60;

// A kernel that is called, a product, and a sort by a library function.
constexpr char kModule[] =
    R"(HloModule several, entry_computation_layout={(f32[40,50]{1,0}, f32[50,60]{1,0})->f32[40,60]{1,0}}
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT less = pred[] compare(a, b), direction=LT
}
ENTRY main {
  x = f32[40,50] parameter(0)
  y = f32[50,60] parameter(1)
  e = f32[40,50] exponential(x)
  z = f32[40,60] dot(e, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[40,60] sort(z), dimensions={1}, to_apply=less
}
)";

// A directory with the module in it, where the command runs.
class Workplace {
 public:
  Workplace() { std::ofstream(directory_.path() / "m.hlo") << kModule; }

  ProcessResult Hilo(const std::string& arguments) const {
    std::vector<std::string> words = SplitCommandLine(arguments);
    words.insert(words.begin(), HiloBinary().string());
    return Run(words);
  }

  ProcessResult Run(const std::vector<std::string>& words) const {
    return RunProcess(words, {.working_directory = directory_.path(),
                              .timeout_s = kCompileSeconds});
  }

  fs::path operator/(const std::string& name) const {
    return directory_.path() / name;
  }

  // The names of the files in a directory, sorted.
  std::vector<std::string> FilesIn(const std::string& name) const {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(*this / name)) {
      files.push_back(entry.path().filename().string());
    }
    std::ranges::sort(files);
    return files;
  }

 private:
  TemporaryDirectory directory_;
};

TEST_CASE("an object file links, and its code runs") {
  const Workplace place;
  std::ofstream(place / "sum.hlo")
      << "HloModule sum\nENTRY e {\n x = f32[3] parameter(0)\n"
         " ROOT y = f32[3] add(x, x)\n}\n";
  std::ofstream(place / "main.cc") << R"(
extern "C" void hilo_entry(void** addresses, const void* context);
extern "C" void hilo_parallel_for() {}
int main() {
  alignas(64) float x[16] = {1, 2, 3};
  alignas(64) float y[16] = {};
  // The allocations, and what the one kernel is called with, operand by operand.
  void* addresses[] = {x, y, x, x, y};
  const void* context[4] = {};
  hilo_entry(addresses, context);
  return y[0] == 2 && y[1] == 4 && y[2] == 6 ? 0 : 1;
})";
  REQUIRE(place.Hilo("compile sum.hlo --emit=obj -o sum.o").exit_status == 0);
  const ProcessResult link =
      place.Run({HILO_CXX_COMPILER, "main.cc", "sum.o", "-o", "main"});
  CAPTURE(link.error);
  REQUIRE(link.exit_status == 0);
  CHECK(place.Run({(place / "main").string()}).exit_status == 0);
}

TEST_CASE("an object file is the same every time, printed or written") {
  const Workplace place;
  REQUIRE(place.Hilo("compile m.hlo --emit=obj -o m.o").exit_status == 0);
  const ProcessResult printed = place.Hilo("compile m.hlo --emit=obj");
  REQUIRE(printed.exit_status == 0);
  const bool is_same = printed.output == ReadFile(place / "m.o");
  CHECK(is_same);
}

TEST_CASE("a plan that was printed is followed, and errors are told once") {
  const Workplace place;
  REQUIRE(place.Hilo("compile m.hlo --emit=plan -o plan.txt").exit_status == 0);
  CHECK(place.Hilo("compile m.hlo --plan=plan.txt --emit=plan").output ==
        ReadFile(place / "plan.txt"));
  CHECK(place.Hilo("run m.hlo --plan=plan.txt").output ==
        place.Hilo("run m.hlo").output);
  std::ofstream(place / "wrong.txt") << "nothing: loop lanes=2\n";
  for (const std::string command : {"run", "bench", "compile"}) {
    CAPTURE(command);
    const ProcessResult result =
        place.Hilo(command + " m.hlo --plan=wrong.txt");
    CHECK(result.exit_status == 1);
    CHECK(result.error ==
          "wrong.txt:1:1: error: no instruction 'nothing' has a kernel\n"
          "nothing: loop lanes=2\n"
          "^\n"
          "  help: names are those of hilo compile --emit=hlo\n");
  }
}

TEST_CASE("a dump holds every step of compilation") {
  struct Row {
    std::string command;
    std::vector<std::string> modules;
  };
  for (const Row& row :
       {Row{"run --backend=cpu -o out.npz", {"module_0001.several"}},
        Row{"bench --backend=cpu --min-time=0", {"module_0001.several"}},
        Row{"compile -o m.s", {"module_0001.several"}},
        Row{"compare --backend=cpu -O0 -O2",
            {"module_0001.several.cpu_-O0", "module_0002.several.cpu_-O2"}}}) {
    CAPTURE(row.command);
    const Workplace place;
    const ProcessResult result =
        place.Hilo(row.command + " m.hlo --dump=steps/of");
    CAPTURE(result.error);
    REQUIRE(result.exit_status == 0);
    const std::vector<std::string> files = place.FilesIn("steps/of");
    CAPTURE(files);
    for (const std::string& module : row.modules) {
      CHECK(std::ranges::count(files, module + ".000.parsed.hlo") == 1);
      for (const std::string step :
           {".layout-assignment.hlo", ".copy-insertion.hlo", ".buffers.txt",
            ".plan.txt", ".entry.ll", ".entry.s"}) {
        CAPTURE(step);
        CHECK(std::ranges::count_if(files, [&](const std::string& file) {
                return absl::StartsWith(file, module) &&
                       absl::EndsWith(file, step);
              }) == 1);
      }
    }
  }
}

TEST_CASE("what is dumped can be read again, and changes nothing") {
  const Workplace place;
  REQUIRE(place.Hilo("compile m.hlo --emit=hlo -o plain.hlo").exit_status == 0);
  REQUIRE(place.Hilo("compile m.hlo --emit=hlo -o dumped.hlo --dump=steps")
              .exit_status == 0);
  CHECK(ReadFile(place / "plain.hlo") == ReadFile(place / "dumped.hlo"));
  for (const std::string& file : place.FilesIn("steps")) {
    if (!absl::EndsWith(file, ".hlo")) continue;
    CAPTURE(file);
    const ProcessResult result = place.Hilo("check steps/" + file);
    CAPTURE(result.error);
    CHECK(result.exit_status == 0);
  }
}

TEST_CASE("a dump overwrites nothing") {
  const Workplace place;
  fs::create_directory(place / "steps");
  std::ofstream(place / "steps/module_0007.mine.txt") << "mine";
  std::ofstream(place / "steps/notes.txt") << "notes";
  for (int i = 0; i < 2; ++i) {
    REQUIRE(place.Hilo("compile m.hlo -o m.s --dump=steps").exit_status == 0);
  }
  CHECK(ReadFile(place / "steps/module_0007.mine.txt") == "mine");
  CHECK(ReadFile(place / "steps/notes.txt") == "notes");
  const std::vector<std::string> files = place.FilesIn("steps");
  CAPTURE(files);
  for (const std::string number : {"0008", "0009"}) {
    CHECK(std::ranges::count(
              files,
              absl::StrCat("module_", number, ".several.000.parsed.hlo")) == 1);
  }
}

}  // namespace
}  // namespace hilo::tests
