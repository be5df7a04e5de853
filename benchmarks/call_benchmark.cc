// Measures what a call of a compiled program costs beside the program.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <ratio>
#include <vector>

#include "absl/types/span.h"

#include "jit/hilo.h"
#include "runtime/base/check.h"

namespace hilo {
namespace {

struct Program {
  const char* name;
  const char* text;
};

constexpr auto kPrograms = std::to_array<Program>({
    {"empty", "HloModule m\nENTRY e { ROOT x = f32[4] parameter(0) }"},
    {"add",
     "HloModule m\nENTRY e { x = f32[4] parameter(0)\n"
     "ROOT y = f32[4] add(x, x) }"},
    {"identity of one",
     "HloModule m\nENTRY e { ROOT x = f32[1] parameter(0) }"},
});

// The best time of one call in nanoseconds, over many rounds.
template <typename F>
double BestNanoseconds(F call) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 200;
  constexpr int kCalls = 1000;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    best = std::min(best, time.count() / kCalls);
  }
  return best;
}

void Measure(const Client& client, const Program& program) {
  const auto executable = client.Compile(program.text).value();
  alignas(64) std::array<float, 4> argument = {1, 2, 3, 4};
  alignas(64) std::array<float, 4> result = {};
  const auto bytes = [&](std::array<float, 4>& array) {
    return absl::MakeSpan(
        reinterpret_cast<std::byte*>(array.data()),
        static_cast<size_t>(
            executable->argument_leaves()[0].shape.ElementCount()) *
            sizeof(float));
  };
  const std::array<absl::Span<const std::byte>, 1> arguments = {
      bytes(argument)};
  const std::array<absl::Span<std::byte>, 1> results = {bytes(result)};
  const double onto = BestNanoseconds(
      [&] { CHECK(executable->RunOnto(arguments, results).ok()); });
  const Buffer buffer =
      Buffer::View<float>(executable->argument_leaves()[0].shape.dimensions(),
                          argument.data())
          .value();
  const double taking =
      BestNanoseconds([&] { CHECK(executable->Run({buffer}).ok()); });
  std::printf("%-16s onto the caller's memory %6.0f ns, else %6.0f ns\n",
              program.name, onto, taking);
}

int Main() {
  ClientOptions options;
  options.backend = "cpu";
  const auto client = Client::Create(options).value();
  for (const Program& program : kPrograms) Measure(*client, program);
  return 0;
}

}  // namespace
}  // namespace hilo

int main() { return hilo::Main(); }
