// Measures public bug reports about speed against plain loops, in one run.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include <sys/resource.h>

#include "backends/buffer_conversion.h"
#include "backends/program_signature.h"
#include "jit/hilo.h"
#include "runtime/base/check.h"
#include "runtime/cpu_time.h"

namespace hilo {
namespace {

// An array in memory that is not shared with others.
template <typename T>
std::vector<T> Values(int64_t count, int64_t range) {
  std::vector<T> values(static_cast<size_t>(count));
  uint64_t state = 1;
  for (T& value : values) {
    state = state * 0x5851F42D4C957F2D + 0x14057B7EF767814F;
    value = static_cast<T>((state >> 33) % static_cast<uint64_t>(range));
  }
  return values;
}

template <typename T>
absl::Span<const std::byte> Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()),
          values.size() * sizeof(T)};
}

// The best seconds of one call each; the two take turns, so that what else the
// machine does concerns both.
struct Times {
  double program_s = 1e9;
  double plain_s = 1e9;
};
Times BestTimes(const std::function<void()>& program,
                const std::function<void()>& plain) {
  constexpr double kTotal = 1.5;
  constexpr int kLeastRounds = 5;
  Times times;
  const auto measure = [](const std::function<void()>& call, double& best) {
    const double start = runtime::ThreadSeconds();
    call();
    best = std::min(best, runtime::ThreadSeconds() - start);
  };
  const double begin = runtime::ThreadSeconds();
  for (int round = 0;
       round < kLeastRounds || runtime::ThreadSeconds() - begin < kTotal;
       ++round) {
    measure(program, times.program_s);
    measure(plain, times.plain_s);
  }
  return times;
}

// Compiled programs on memory of the benchmark's own.
class Program {
 public:
  Program(const Client& client, const std::string& body,
          std::vector<absl::Span<const std::byte>> arguments)
      : Program(client, Parse("HloModule case\n" + body).value(),
                std::move(arguments)) {}
  Program(const Client& client, std::unique_ptr<hlo::Module> module,
          std::vector<absl::Span<const std::byte>> arguments)
      : executable_(client.Compile(std::move(module)).value()),
        arguments_(std::move(arguments)) {
    for (const backends::ArrayLeaf& leaf : executable_->result_leaves()) {
      results_.emplace_back(
          static_cast<size_t>(backends::BufferBytes(leaf.shape)));
    }
    for (std::vector<std::byte>& result : results_) {
      spans_.push_back(absl::MakeSpan(result));
    }
  }

  void Run() const { CHECK(executable_->RunOnto(arguments_, spans_).ok()); }
  const std::byte* result() const { return results_[0].data(); }

 private:
  std::unique_ptr<Executable> executable_;
  std::vector<absl::Span<const std::byte>> arguments_;
  std::vector<std::vector<std::byte>> results_;
  std::vector<absl::Span<std::byte>> spans_;
};

void Report(const std::string& name, const Times& times, const char* against) {
  std::printf("%-44s %10.3f ms, %s %10.3f ms: %.2f x its time\n", name.c_str(),
              times.program_s * 1e3, against, times.plain_s * 1e3,
              times.program_s / times.plain_s);
}

// Case 117: sums over the first and the middle axis, against reading.
void MeasureSums(const Client& client, const std::string& filter) {
  constexpr int64_t kSize = 128;
  const std::vector<float> x = Values<float>(kSize * kSize * kSize, 100);
  for (const int axis : {0, 1, 2}) {
    const std::string name =
        absl::StrCat("117 sum f32[128,128,128] axis ", axis);
    if (!absl::StrContains(name, filter)) continue;
    const Program program(
        client,
        absl::StrCat("s { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                     " ROOT c = f32[] add(a, b) }\n"
                     "ENTRY e { x = f32[128,128,128] parameter(0)\n"
                     " z = f32[] constant(0)\n"
                     " ROOT r = f32[128,128] reduce(x, z), dimensions={",
                     axis, "}, to_apply=s }"),
        {Bytes(x)});
    float sink = 0;
    const auto read = [&] {
      // Many sums at once: as fast as memory is.
      std::array<float, 64> sums = {};
      for (size_t i = 0; i < x.size(); i += 64) {
        for (size_t k = 0; k < 64; ++k) sums[k] += x[i + k];
      }
      for (const float sum : sums) sink += sum;
    };
    Report(name, BestTimes([&] { program.Run(); }, read), "reading");
    CHECK(sink != 1);
  }
}

// Case 119: adding a million updates at random places.
void MeasureScatter(const Client& client, const std::string& filter) {
  constexpr int64_t kUpdates = 1000000;
  for (const int64_t bins : {10000, 10000000}) {
    const std::string name = absl::StrCat("119 scatter-add into ", bins);
    if (!absl::StrContains(name, filter)) continue;
    const std::vector<int32_t> indices = Values<int32_t>(kUpdates, bins);
    const std::vector<float> updates = Values<float>(kUpdates, 100);
    const std::vector<float> operand(static_cast<size_t>(bins));
    const Program program(
        client,
        absl::StrCat("s { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                     " ROOT c = f32[] add(a, b) }\n"
                     "ENTRY e { x = f32[",
                     bins,
                     "] parameter(0)\n"
                     " i = s32[1000000] parameter(1)\n"
                     " u = f32[1000000] parameter(2)\n"
                     " ROOT r = f32[",
                     bins,
                     "] scatter(x, i, u), "
                     "update_window_dims={}, inserted_window_dims={0}, "
                     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
                     "to_apply=s }"),
        {Bytes(operand), Bytes(indices), Bytes(updates)});
    std::vector<float> sums(operand.size());
    const auto plain = [&] {
      std::ranges::copy(operand, sums.begin());
      for (size_t i = 0; i < indices.size(); ++i) {
        const auto at = static_cast<size_t>(indices[i]);
        if (at < sums.size()) sums[at] += updates[i];
      }
    };
    Report(name, BestTimes([&] { program.Run(); }, plain), "plain loop");
    CHECK(std::memcmp(sums.data(), program.result(),
                      sums.size() * sizeof(float)) == 0);
  }
}

struct ConvolutionCase {
  const char* name;
  const char* input;
  const char* kernel;
  const char* result;
  const char* attributes;
  // The operations of a dense convolution with `dense_size` rows, columns and
  // `dense_features` features in and out are as many.
  int64_t dense_size;
  int64_t dense_features;
};

// Case 120: convolutions with holes and by feature, against a dense one of as
// many operations.
void MeasureConvolutions(const Client& client, const std::string& filter) {
  constexpr auto kCases = std::to_array<ConvolutionCase>({
      {"120 transposed 3x3 [1,64,64,32]", "f32[1,64,64,32]", "f32[3,3,32,32]",
       "f32[1,129,129,32]",
       "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, "
       "dim_labels=b01f_01io->b01f",
       64, 32},
      {"120 depthwise 3x3 [1,112,112,64]", "f32[1,112,112,64]", "f32[3,3,1,64]",
       "f32[1,112,112,64]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=64",
       28, 32},
  });
  const std::vector<float> x = Values<float>(int64_t{1} << 20, 3);
  const std::vector<float> y = Values<float>(int64_t{1} << 14, 3);
  const auto compile = [&](const std::string& input, const std::string& kernel,
                           const std::string& result,
                           const std::string& attributes) {
    const auto bytes = [](const std::vector<float>& values,
                          const std::string& shape) {
      return Bytes(values).first(static_cast<size_t>(
          backends::BufferBytes(ParseShape(shape).value())));
    };
    return std::make_unique<Program>(
        client,
        absl::StrCat("ENTRY e { x = ", input, " parameter(0)\n y = ", kernel,
                     " parameter(1)\n ROOT r = ", result,
                     " convolution(x, y), ", attributes, " }"),
        std::vector<absl::Span<const std::byte>>{bytes(x, input),
                                                 bytes(y, kernel)});
  };
  for (const ConvolutionCase& row : kCases) {
    if (!absl::StrContains(row.name, filter)) continue;
    const auto program =
        compile(row.input, row.kernel, row.result, row.attributes);
    const std::string dense =
        absl::StrCat("f32[1,", row.dense_size, ",", row.dense_size, ",",
                     row.dense_features, "]");
    const auto direct = compile(
        dense,
        absl::StrCat("f32[3,3,", row.dense_features, ",", row.dense_features,
                     "]"),
        dense, "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f");
    Report(row.name, BestTimes([&] { program->Run(); }, [&] { direct->Run(); }),
           "dense one ");
  }
}

// The row `lhs` of k elements times the matrix `rhs` of k x n.
template <typename T>
void PlainRow(const T* lhs, const T* rhs, int64_t k, int64_t n, T* out) {
  for (int64_t j = 0; j < n; ++j) out[j] = 0;
  for (int64_t l = 0; l < k; ++l) {
    for (int64_t j = 0; j < n; ++j) out[j] += lhs[l] * rhs[l * n + j];
  }
}

// result[b] = x[b] * y[b] for matrices of m x k and k x n; y is one matrix
// where it is shared.
template <typename T>
void PlainProducts(int64_t batch, int64_t m, int64_t k, int64_t n,
                   bool is_shared, const std::vector<T>& x,
                   const std::vector<T>& y, std::vector<T>& result) {
  for (int64_t b = 0; b < batch; ++b) {
    const T* lhs = x.data() + b * m * k;
    const T* rhs = y.data() + (is_shared ? 0 : b * k * n);
    T* out = result.data() + b * m * n;
    for (int64_t i = 0; i < m; ++i) {
      PlainRow(lhs + i * k, rhs, k, n, out + i * n);
    }
  }
}

// Case 121: many tiny products, and a large one of f64.
void MeasureTinyProducts(const Client& client, const std::string& filter) {
  for (const int64_t size : {2, 3, 4}) {
    const std::string name =
        absl::StrCat("121 dot f32[100000,", size, ",", size, "]");
    if (!absl::StrContains(name, filter)) continue;
    const int64_t batch = 100000;
    const auto x = Values<float>(batch * size * size, 100);
    const auto y = Values<float>(batch * size * size, 90);
    const std::string shape =
        absl::StrCat("f32[", batch, ",", size, ",", size, "]");
    const Program program(
        client,
        absl::StrCat("ENTRY e { x = ", shape, " parameter(0)\n y = ", shape,
                     " parameter(1)\n ROOT r = ", shape,
                     " dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                     "lhs_contracting_dims={2}, rhs_contracting_dims={1} }"),
        {Bytes(x), Bytes(y)});
    std::vector<float> result(x.size());
    Report(name,
           BestTimes([&] { program.Run(); },
                     [&] {
                       PlainProducts(batch, size, size, size, false, x, y,
                                     result);
                     }),
           "plain loop");
  }
  const std::string tall = "121 dot f32[1000000,3] f32[3,3]";
  if (absl::StrContains(tall, filter)) {
    const auto x = Values<float>(3000000, 100);
    const auto y = Values<float>(9, 90);
    const Program program(
        client,
        "ENTRY e { x = f32[1000000,3] parameter(0)\n y = f32[3,3] "
        "parameter(1)\n ROOT r = f32[1000000,3] dot(x, y), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
        {Bytes(x), Bytes(y)});
    std::vector<float> result(x.size());
    Report(
        tall,
        BestTimes([&] { program.Run(); },
                  [&] { PlainProducts(1000000, 1, 3, 3, true, x, y, result); }),
        "plain loop");
  }
  const std::string large = "121 dot f64[512,512]";
  if (absl::StrContains(large, filter)) {
    const auto x = Values<double>(int64_t{512} * 512, 100);
    const Program program(
        client,
        "ENTRY e { x = f64[512,512] parameter(0)\n ROOT r = f64[512,512] "
        "dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
        {Bytes(x)});
    std::vector<double> result(x.size());
    const Times times = BestTimes(
        [&] { program.Run(); },
        [&] { PlainProducts(1, 512, 512, 512, false, x, x, result); });
    Report(large, times, "plain loop");
    std::printf("%-44s %10.1f GFLOP/s\n", "",
                2 * 512e-3 * 0.512 * 512 / times.program_s / 1e3);
  }
}

int64_t PeakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

// Case 128: a gather from a large constant, and the memory that it takes.
void MeasureLargeConstant(const Client& client, const std::string& filter) {
  constexpr int64_t kRows = 1000000;
  constexpr int64_t kColumns = 100;
  constexpr int64_t kCount = 100000;
  const std::string name = "128 gather from a constant of 400 MB";
  if (!absl::StrContains(name, filter)) return;
  const auto indices = Values<int32_t>(kCount, kRows);
  Literal table(ParseShape("f32[1000000,100]").value());
  std::ranges::fill(table.mutable_data<float>(), 1.5F);
  const auto* elements = table.data<float>().data();
  const int64_t before = PeakResidentBytes();
  Builder builder("gather");
  const hlo::Value result = builder.Gather(
      builder.Constant(table),
      builder.Parameter(0, ParseShape("s32[100000]").value(), "i"),
      {.offset_dims = {1},
       .collapsed_slice_dims = {0},
       .start_index_map = {0},
       .index_vector_dim = 1},
      {1, kColumns});
  const Program program(client, builder.Build(result).value(),
                        {Bytes(indices)});
  std::vector<float> copied(kCount * kColumns);
  Report(name,
         BestTimes([&] { program.Run(); },
                   [&] {
                     for (int64_t i = 0; i < kCount; ++i) {
                       std::memcpy(copied.data() + i * kColumns,
                                   elements + indices[static_cast<size_t>(i)] *
                                                  kColumns,
                                   kColumns * sizeof(float));
                     }
                   }),
         "plain loop");
  std::printf(
      "%-44s %10.2f x the constant beside it, with two results of "
      "40 MB\n",
      "  memory", static_cast<double>(PeakResidentBytes() - before) / 400e6);
}

// Case 129: the largest hundred of ten million, against reading them.
void MeasureTopK(const Client& client, const std::string& filter) {
  struct Row {
    const char* name;
    const char* body;
  };
  constexpr auto kRows = std::to_array<Row>(
      {{"129 topk k=100 of f32[10000000]",
        "ENTRY e { x = f32[10000000] parameter(0)\n"
        " ROOT t = (f32[100], s32[100]) topk(x), k=100, largest=true }"},
       {"129 the same as a sort and a slice",
        "gt { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
        " c = s32[] parameter(2)\n d = s32[] parameter(3)\n"
        " ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }\n"
        "ENTRY e { x = f32[10000000] parameter(0)\n"
        " i = s32[10000000] iota(), iota_dimension=0\n"
        " s = (f32[10000000], s32[10000000]) sort(x, i), dimensions={0}, "
        "is_stable=true, to_apply=gt\n"
        " v = f32[10000000] get-tuple-element(s), index=0\n"
        " n = s32[10000000] get-tuple-element(s), index=1\n"
        " a = f32[100] slice(v), slice={[0:100]}\n"
        " b = s32[100] slice(n), slice={[0:100]}\n"
        " ROOT t = (f32[100], s32[100]) tuple(a, b) }"}});
  const auto x = Values<float>(10000000, 1 << 30);
  for (const Row& row : kRows) {
    if (!absl::StrContains(row.name, filter)) continue;
    const Program program(client, row.body, {Bytes(x)});
    float largest = 0;
    Report(row.name,
           BestTimes([&] { program.Run(); },
                     [&] {
                       for (const float value : x)
                         largest = std::max(largest, value);
                     }),
           "one pass  ");
    CHECK(largest > 0);
  }
}

int Main(const std::string& filter) {
  const auto client = Client::Create({.backend = "cpu", .threads = 1}).value();
  MeasureSums(*client, filter);
  MeasureScatter(*client, filter);
  MeasureConvolutions(*client, filter);
  MeasureTinyProducts(*client, filter);
  MeasureLargeConstant(*client, filter);
  MeasureTopK(*client, filter);
  return 0;
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) { return hilo::Main(argc > 1 ? argv[1] : ""); }
