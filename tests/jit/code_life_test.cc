// Tests how long compiled code lives, who shares it, and that it is the same
// wherever it comes from.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "catch2/catch.hpp"

#include "jit/hilo.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

// Products, loops, a sort and a reduction, so that all kinds of code occur.
constexpr const char* kMixed = R"(HloModule mixed
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT
}
ENTRY main {
  x = f32[SIZE,17] parameter(0)
  y = f32[17,23] parameter(1)
  d = f32[SIZE,23] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[SIZE,23] exponential(d)
  z = f32[] constant(0)
  r = f32[SIZE] reduce(e, z), dimensions={1}, to_apply=add
  s = f32[SIZE] sort(r), dimensions={0}, to_apply=less
  ROOT t = (f32[SIZE,23], f32[SIZE]) tuple(e, s)
})";

std::string Mixed(int64_t size) {
  return absl::StrReplaceAll(kMixed, {{"SIZE", absl::StrCat(size)}});
}

std::unique_ptr<Client> CpuClient(int64_t threads = 2,
                                  const std::string& cache = "") {
  ClientOptions options;
  options.backend = "cpu";
  options.threads = threads;
  options.cache_directory = cache;
  return Client::Create(options).value();
}

std::vector<Literal> Inputs(const Executable& executable) {
  std::vector<Literal> inputs;
  for (const auto& leaf : executable.argument_leaves()) {
    Literal literal(leaf.shape);
    const absl::Span<float> data = literal.mutable_data<float>();
    for (size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<float>((i * 37 + 11) % 101) / 100.0F - 0.5F;
    }
    inputs.push_back(std::move(literal));
  }
  return inputs;
}

// The bytes of all results.
std::string Run(const Executable& executable) {
  const std::vector<Literal> results =
      executable.RunLiterals(Inputs(executable)).value();
  std::string bytes;
  for (const Literal& result : results) {
    const absl::Span<const float> data = result.data<float>();
    bytes.append(reinterpret_cast<const char*>(data.data()),
                 data.size() * sizeof(float));
  }
  return bytes;
}

int64_t CountMappings() {
  std::ifstream maps("/proc/self/maps");
  int64_t count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Compiles, runs and destroys `count` programs of `kinds` sizes.
void Cycle(const Client& client, int64_t count, int64_t kinds) {
  for (int64_t i = 0; i < count; ++i) {
    const auto executable = client.Compile(Mixed(3 + i % kinds)).value();
    REQUIRE(!Run(*executable).empty());
  }
}

void CheckMappings(int64_t cycles) {
  const auto client = CpuClient();
  Cycle(*client, 60, 20);
  const int64_t mappings = CountMappings();
  Cycle(*client, cycles, 20);
  // A program has several mappings. Other tests, which run at the same
  // time, and sanitizers make a few of their own.
  CHECK(CountMappings() <= mappings + 24);
}

TEST_CASE("compile-run-destroy cycles leave nothing behind") {
  CheckMappings(100);
}

// Other tests, which run at the same time, take memory, too.
TEST_CASE("ten thousand cycles leave nothing behind", "[.][slow]") {
  const auto client = CpuClient();
  Cycle(*client, 60, 20);
  const int64_t bytes = ResidentBytes();
  CheckMappings(10000);
  CHECK(ResidentBytes() <= bytes + (16 << 20));
}

TEST_CASE("code outlives its client and the programs it was made for") {
  std::unique_ptr<Executable> second;
  std::string expected;
  {
    const auto client = CpuClient();
    const auto first = client->Compile(Mixed(5)).value();
    expected = Run(*first);
    second = client->Compile(Mixed(5)).value();
  }
  CHECK(Run(*second) == expected);
}

TEST_CASE("equal kernels are compiled once") {
  const auto client = CpuClient();
  std::vector<std::unique_ptr<Executable>> executables;
  executables.push_back(client->Compile(Mixed(200)).value());
  const int64_t mappings = CountMappings();
  const std::string expected = Run(*executables[0]);
  for (int i = 0; i < 10; ++i) {
    executables.push_back(client->Compile(Mixed(200)).value());
    CHECK(Run(*executables.back()) == expected);
  }
  // Each has entry code of its own, at most three mappings.
  CHECK(CountMappings() <= mappings + int64_t{10} * 3 + 8);
}

TEST_CASE("results do not depend on threads, nor on what came before") {
  const std::string expected = Run(*CpuClient(1)->Compile(Mixed(333)).value());
  for (const int64_t threads : {2, 4}) {
    const auto client = CpuClient(threads);
    Cycle(*client, 3, 3);
    const auto other = client->Compile(Mixed(7)).value();
    CHECK(Run(*client->Compile(Mixed(333)).value()) == expected);
  }
}

TEST_CASE("many threads compile at once") {
  const auto client = CpuClient(2);
  const std::string expected = Run(*client->Compile(Mixed(50)).value());
  std::vector<std::string> results(8);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (std::string& result : results) {
    threads.emplace_back([&client, &result] {
      for (int i = 0; i < 4; ++i) {
        result = Run(*client->Compile(Mixed(50)).value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) CHECK(result == expected);
}

TEST_CASE("code from the cache gives the same results") {
  std::string pattern =
      (fs::temp_directory_path() / "hilo_cache_XXXXXX").string();
  const std::string directory = mkdtemp(pattern.data());
  const std::string expected = Run(*CpuClient()->Compile(Mixed(61)).value());
  {
    const auto client = CpuClient(2, directory);
    CHECK(Run(*client->Compile(Mixed(61)).value()) == expected);
    CHECK(client->cache_statistics().hits == 0);
    CHECK(client->cache_statistics().stored > 0);
  }
  const auto client = CpuClient(2, directory);
  CHECK(Run(*client->Compile(Mixed(61)).value()) == expected);
  CHECK(client->cache_statistics().hits > 0);
  CHECK(client->cache_statistics().stored == 0);
  // Damaged files are compiled again.
  for (const auto& entry : fs::directory_iterator(directory)) {
    fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  }
  const auto again = CpuClient(2, directory);
  CHECK(Run(*again->Compile(Mixed(61)).value()) == expected);
  CHECK(again->cache_statistics().misses_damaged > 0);
  CHECK(again->cache_statistics().stored > 0);
  fs::remove_all(directory);
}

TEST_CASE("a program runs onto the caller's memory") {
  const auto check = [](const char* backend) {
    CAPTURE(backend);
    ClientOptions options;
    options.backend = backend;
    const auto client = Client::Create(options).value();
    const auto executable = client
                                ->Compile(R"(HloModule swap,
        input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }
      ENTRY main {
        x = f32[3] parameter(0)
        y = f32[3] parameter(1)
        s = f32[3] add(x, y)
        ROOT t = (f32[3], f32[3]) tuple(y, s)
      })")
                                .value();
    std::array<float, 3> x = {1, 2, 3};
    std::array<float, 3> y = {10, 20, 30};
    std::array<float, 3> a = {};
    std::array<float, 3> b = {};
    const auto bytes = [](auto& array) {
      return absl::MakeSpan(reinterpret_cast<std::byte*>(array.data()),
                            sizeof(array));
    };
    CHECK(executable->RunOnto({bytes(x), bytes(y)}, {bytes(a), bytes(b)}).ok());
    CHECK(a == std::array<float, 3>{10, 20, 30});
    CHECK(b == std::array<float, 3>{11, 22, 33});
    CHECK(x[0] == 1);
    // Onto the arguments that results are aliased with.
    CHECK(executable->RunOnto({bytes(x), bytes(y)}, {bytes(x), bytes(y)}).ok());
    CHECK(x == std::array<float, 3>{10, 20, 30});
    CHECK(y == std::array<float, 3>{11, 22, 33});
    CHECK_FALSE(executable->RunOnto({bytes(x)}, {bytes(a), bytes(b)}).ok());
    const absl::Status status = executable->RunOnto(
        {bytes(x), bytes(y).subspan(4)}, {bytes(a), bytes(b)});
    CHECK(status.message() == "parameter 1 'y' needs 12 bytes, got 8");
  };
  check("interpreter");
  check("cpu");
}

}  // namespace
}  // namespace hilo
