// A program that knows nothing but an installed Hilo: adds two arrays, once in
// HLO and once in StableHLO.
#include <array>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "jit/hilo.h"

namespace {

constexpr char kModule[] = R"(
HloModule add
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT sum = f32[3] add(x, y)
}
)";

constexpr char kStableHlo[] = R"(
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %sum = stablehlo.add %x, %y : tensor<3xf32>
  return %sum : tensor<3xf32>
}
)";

absl::StatusOr<std::unique_ptr<hilo::Executable>> CompileStableHlo(
    const hilo::Client& client) {
  absl::StatusOr<std::unique_ptr<hilo::Module>> module =
      hilo::ParseStableHlo(kStableHlo);
  if (!module.ok()) return module.status();
  return client.Compile(*std::move(module));
}

absl::Status AddArrays(
    const absl::StatusOr<std::unique_ptr<hilo::Executable>>& executable) {
  if (!executable.ok()) return executable.status();
  const std::array<float, 3> x = {1, 2, 3};
  const std::array<float, 3> y = {4, 5, 6};
  std::vector<hilo::Buffer> arguments;
  for (const std::array<float, 3>* values : {&x, &y}) {
    absl::StatusOr<hilo::Buffer> view =
        hilo::Buffer::View<float>({3}, values->data());
    if (!view.ok()) return view.status();
    arguments.push_back(*std::move(view));
  }
  absl::StatusOr<std::vector<hilo::Buffer>> results =
      (*executable)->Run(std::move(arguments));
  if (!results.ok()) return results.status();
  const auto* sums = reinterpret_cast<const float*>((*results)[0].data());
  std::printf("%g %g %g\n", sums[0], sums[1], sums[2]);
  return absl::OkStatus();
}

absl::Status AddInBothLanguages() {
  absl::StatusOr<std::unique_ptr<hilo::Client>> client =
      hilo::Client::Create({.backend = "interpreter"});
  if (!client.ok()) return client.status();
  absl::Status status = AddArrays((*client)->Compile(kModule));
  if (!status.ok()) return status;
  return AddArrays(CompileStableHlo(**client));
}

}  // namespace

int main() {
  const absl::Status status = AddInBothLanguages();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
