// Measures how fast HLO text is parsed, and the memory that a module takes.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "hlo/text/parser.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"

namespace hilo {
namespace {

constexpr int kRepetitions = 15;
constexpr double kBytesPerMegabyte = 1e6;

int64_t PeakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

// Prints one line for the file; false when it cannot be read or parsed.
bool Measure(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path);
    return false;
  }
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto source = std::make_shared<const Source>(path, std::move(text));
  const auto bytes = static_cast<double>(source->text().size());
  const int64_t before = PeakResidentBytes();
  std::vector<double> seconds;
  int64_t instruction_count = 0;
  int64_t memory_bytes = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    Diagnostics diagnostics;
    const auto start = std::chrono::steady_clock::now();
    const auto module = hlo::Parse(source, {}, &diagnostics);
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    if (module == nullptr) {
      std::fputs(diagnostics.Render(*source).c_str(), stderr);
      return false;
    }
    seconds.push_back(elapsed.count());
    instruction_count = module->instruction_count();
    if (i == 0) memory_bytes = PeakResidentBytes() - before;
  }
  std::ranges::sort(seconds);
  std::printf(
      "%s: %lld instructions, median %.1f MB/s, best %.1f MB/s, memory %.1f x "
      "the text\n",
      path, static_cast<long long>(instruction_count),
      bytes / seconds[seconds.size() / 2] / kBytesPerMegabyte,
      bytes / seconds.front() / kBytesPerMegabyte,
      static_cast<double>(memory_bytes) / bytes);
  return true;
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: parse_benchmark FILE.hlo...\n", stderr);
    return 2;
  }
  bool ok = true;
  for (int i = 1; i < argc; ++i) ok = hilo::Measure(argv[i]) && ok;
  return ok ? 0 : 1;
}
