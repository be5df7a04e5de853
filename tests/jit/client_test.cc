// Tests of compiling and running: arguments, threads and donation.
#include "jit/client.h"

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "hlo/text/parser.h"
#include "jit/hilo.h"
#include "passes/optimization_level.h"

namespace hilo {
namespace {

constexpr const char* kAdd = R"(HloModule add
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT sum = f32[3] add(x, y)
})";

// Exchanges two arrays, each of which takes the other's memory.
constexpr const char* kSwap = R"(HloModule swap,
    input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT pair = (f32[3], f32[3]) tuple(y, x)
})";

std::unique_ptr<Executable> Compile(const char* text) {
  const std::unique_ptr<Client> client = Client::Create().value();
  return client->Compile(text).value();
}

Buffer BufferOf(const std::vector<float>& values) {
  return Buffer::FromLiteral(Literal::Array<float>(
                                 {static_cast<int64_t>(values.size())}, values))
      .value();
}

std::vector<float> ValuesOf(const Buffer& buffer) {
  const Literal literal = buffer.ToLiteral().value();
  const absl::Span<const float> data = literal.data<float>();
  return {data.begin(), data.end()};
}

TEST_CASE("a client refuses backends that there are not") {
  const auto client = Client::Create({.backend = "interpretter"});
  REQUIRE_FALSE(client.ok());
  CHECK(absl::StrContains(std::string(client.status().message()),
                          "did you mean 'interpreter'?"));
  CHECK_FALSE(Client::Create({.threads = -1}).ok());
}

TEST_CASE("compiling verifies") {
  const std::unique_ptr<Client> client = Client::Create().value();
  CHECK_FALSE(client->Compile("HloModule m\nENTRY e { ROOT x = f32[] }").ok());
  CHECK_FALSE(client
                  ->Compile("HloModule m\nENTRY e {\n"
                            "  x = f32[2] parameter(0)\n"
                            "  ROOT y = f32[3] negate(x)\n}")
                  .ok());
}

TEST_CASE("programs that need more than the machine has say so") {
  for (const char* backend : {"cpu", "interpreter"}) {
    const std::unique_ptr<Client> client =
        Client::Create({.backend = backend}).value();
    const auto executable =
        client
            ->Compile(
                "HloModule m\nENTRY e {\n x = f32[] parameter(0)\n"
                " ROOT y = f32[1099511627776] broadcast(x), dimensions={}\n}")
            .value();
    const auto results = executable->Run(
        {Buffer::FromLiteral(Literal::Scalar<float>(1)).value()});
    CAPTURE(backend);
    REQUIRE_FALSE(results.ok());
    CHECK(absl::IsResourceExhausted(results.status()));
    // Said before memory is asked for.
    const std::string message(results.status().message());
    CHECK((absl::StrContains(message, "; the limit is ") ||
           absl::StrContains(message, " are in use")));
    CAPTURE(results.status());
  }
}

TEST_CASE("a module may have an optimisation level of its own") {
  const std::unique_ptr<Client> client = Client::Create().value();
  const auto compile = [&](int level) {
    return client->Compile(hlo::Parse(kAdd).value(),
                           {.optimization_level = level});
  };
  for (int level = 0; level <= passes::kMaxOptimizationLevel; ++level) {
    const auto executable = compile(level);
    REQUIRE(executable.ok());
    const auto sums =
        (*executable)->Run({BufferOf({1, 2, 3}), BufferOf({4, 5, 6})});
    REQUIRE(sums.ok());
    CHECK(ValuesOf((*sums)[0]) == std::vector<float>{5, 7, 9});
  }
  CHECK_FALSE(compile(-1).ok());
  CHECK_FALSE(compile(passes::kMaxOptimizationLevel + 1).ok());
}

TEST_CASE("views go in, results come out") {
  const std::vector<float> x = {1, 2, 3};
  const std::vector<float> y = {10, 20, 30};
  const auto executable = Compile(kAdd);
  const auto results =
      executable->Run({Buffer::View<float>({3}, x.data()).value(),
                       Buffer::View<float>({3}, y.data()).value()});
  REQUIRE(results.ok());
  REQUIRE(results->size() == 1);
  CHECK(ValuesOf((*results)[0]) == std::vector<float>{11, 22, 33});
}

TEST_CASE("wrong arguments are errors that name the parameter") {
  const auto executable = Compile(kAdd);
  const Buffer good = BufferOf({1, 2, 3});
  CHECK(executable->Run({good}).status().message() ==
        "the module takes 2 arrays, got 1");
  CHECK(executable->Run({good, BufferOf({1})}).status().message() ==
        "parameter 1 'y' needs f32[3]{0}, got f32[1]{0}");
  CHECK(absl::StrContains(
      std::string(executable->Run({good, Buffer()}).status().message()),
      "parameter 1 'y'"));
}

TEST_CASE("arguments and results have the entry's layouts") {
  const auto executable = Compile(R"(HloModule m,
      entry_computation_layout={(f32[2,2]{0,1})->f32[2,2]{1,0}}
    ENTRY main {
      ROOT x = f32[2,2]{0,1} parameter(0)
    })");
  const std::vector<float> column_major = {1, 3, 2, 4};
  const Shape shape = ParseShape("f32[2,2]{0,1}").value();
  const auto results =
      executable->Run({Buffer::View(shape, column_major.data()).value()});
  REQUIRE(results.ok());
  const auto* values = reinterpret_cast<const float*>((*results)[0].data());
  CHECK(std::vector<float>(values, values + 4) ==
        std::vector<float>{1, 2, 3, 4});
  CHECK_FALSE(
      executable
          ->Run({Buffer::View<float>({2, 2}, column_major.data()).value()})
          .ok());
}

TEST_CASE("tuples are flattened") {
  const auto executable = Compile(R"(HloModule m
    ENTRY main {
      t = (f32[1], (f32[2], token[])) parameter(0)
      ROOT u = ((f32[1], (f32[2], token[]))) tuple(t)
    })");
  REQUIRE(executable->argument_leaves().size() == 2);
  CHECK(executable->argument_leaves()[1].description ==
        "parameter 0 't' at {1,0}");
  const auto results = executable->Run({BufferOf({1}), BufferOf({2, 3})});
  REQUIRE(results.ok());
  CHECK(ValuesOf((*results)[1]) == std::vector<float>{2, 3});
}

TEST_CASE("results share no memory with what the caller holds") {
  const auto executable = Compile(
      "HloModule m\nENTRY e {\n"
      "  x = f32[1] parameter(0)\n"
      "  ROOT t = (f32[1], f32[1]) tuple(x, x)\n}");
  std::vector<float> value = {1};
  const auto results =
      executable->Run({Buffer::View<float>({1}, value.data()).value()}).value();
  value[0] = 2;
  CHECK(ValuesOf(results[0]) == std::vector<float>{1});
  CHECK(results[0].data() != results[1].data());
}

TEST_CASE("donated memory is reused, and gone afterwards") {
  const auto executable = Compile(kSwap);
  Buffer x = BufferOf({1, 2, 3});
  Buffer y = BufferOf({4, 5, 6});
  const Buffer alias = x;
  const std::byte* x_memory = x.data();
  const auto results = executable->Run({x.Donate(), y.Donate()});
  REQUIRE(results.ok());
  CHECK(ValuesOf((*results)[0]) == std::vector<float>{4, 5, 6});
  CHECK(ValuesOf((*results)[1]) == std::vector<float>{1, 2, 3});
  CHECK((*results)[0].data() == x_memory);
  CHECK_FALSE(alias.IsValid());
  const auto again = executable->Run({alias, alias});
  CHECK(absl::StrContains(std::string(again.status().message()), "donated"));
}

TEST_CASE("arguments that are kept keep their values") {
  const auto executable = Compile(kSwap);
  const Buffer x = BufferOf({1, 2, 3});
  Buffer y = BufferOf({4, 5, 6});
  const auto results = executable->Run({x, y.Donate()}).value();
  CHECK(ValuesOf(x) == std::vector<float>{1, 2, 3});
  CHECK(ValuesOf(results[0]) == std::vector<float>{4, 5, 6});
  CHECK(results[0].data() != x.data());
}

TEST_CASE("the last handle to an aliased argument is reused") {
  const auto executable = Compile(kSwap);
  std::vector<Buffer> arguments = {BufferOf({1, 2, 3}), BufferOf({4, 5, 6})};
  const std::byte* memory = arguments[0].data();
  const auto results = executable->Run(std::move(arguments)).value();
  CHECK(results[0].data() == memory);
  CHECK(ValuesOf(results[0]) == std::vector<float>{4, 5, 6});
}

TEST_CASE("one buffer can be kept and donated at once") {
  const auto executable = Compile(kSwap);
  Buffer x = BufferOf({1, 2, 3});
  const Buffer kept = x;
  const auto results = executable->Run({kept, x.Donate()});
  REQUIRE(results.ok());
  CHECK(ValuesOf((*results)[0]) == std::vector<float>{1, 2, 3});
  CHECK_FALSE(kept.IsValid());
}

TEST_CASE("one buffer cannot be donated twice") {
  const auto executable = Compile(kSwap);
  Buffer x = BufferOf({1, 2, 3});
  Buffer also_x = x;
  const auto results = executable->Run({x.Donate(), also_x.Donate()});
  CHECK(absl::StrContains(std::string(results.status().message()),
                          "parameter 1 'y': the buffer was donated twice"));
}

TEST_CASE("views of the caller's arrays are never written to") {
  const auto executable = Compile(kSwap);
  const std::vector<float> values = {1, 2, 3};
  Buffer x = Buffer::View<float>({3}, values.data()).value();
  Buffer y = BufferOf({4, 5, 6});
  const auto results = executable->Run({x.Donate(), y.Donate()});
  REQUIRE(results.ok());
  CHECK(values == std::vector<float>{1, 2, 3});
  CHECK(ValuesOf((*results)[0]) == std::vector<float>{4, 5, 6});
}

TEST_CASE("many threads run one executable") {
  const auto executable = Compile(kAdd);
  const Buffer shared = BufferOf({1, 1, 1});
  std::vector<std::thread> threads;
  std::vector<int> wrong_counts(4, 0);
  threads.reserve(wrong_counts.size());
  for (size_t i = 0; i < wrong_counts.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        const auto value = static_cast<float>(i * 100 + round);
        const auto results =
            executable->Run({shared, BufferOf({value, value, value})});
        const bool is_right =
            results.ok() && ValuesOf((*results)[0])[2] == value + 1;
        if (!is_right) ++wrong_counts[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong_counts == std::vector<int>(4, 0));
}

TEST_CASE("asynchronous runs outlive client and executable") {
  std::vector<std::future<absl::StatusOr<std::vector<Buffer>>>> futures;
  {
    const auto executable = Compile(kAdd);
    for (int i = 0; i < 20; ++i) {
      const auto value = static_cast<float>(i);
      futures.push_back(
          executable->RunAsync({BufferOf({value, 0, 0}), BufferOf({1, 1, 1})}));
    }
  }
  for (int i = 0; i < 20; ++i) {
    const auto results = futures[i].get();
    REQUIRE(results.ok());
    CHECK(ValuesOf((*results)[0])[0] == static_cast<float>(i + 1));
  }
}

TEST_CASE("literals are converted on the way in and out") {
  const auto executable = Compile(kAdd);
  const Literal x = Literal::Array<float>({3}, {1, 2, 3});
  const auto results = executable->RunLiterals({x, x});
  REQUIRE(results.ok());
  CHECK((*results)[0] == Literal::Array<float>({3}, {2, 4, 6}));
}

}  // namespace
}  // namespace hilo
