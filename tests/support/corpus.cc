// Corpus modules: how near their results must be, and which are slow.
#include "tests/support/corpus.h"

#include <array>
#include <optional>

#include "absl/strings/string_view.h"

#include "tests/support/compare_arrays.h"

namespace hilo::tests {
namespace {

struct LooseModule {
  absl::string_view name;
  double error;
  double wrong_share;
};

// A module that is treated in a special way, and why.
struct SpecialModule {
  absl::string_view name;
  absl::string_view reason;
};

#define HILO_LOOSE_MODULE(name, error, wrong_share, reason)
#define HILO_SLOW_MODULE(name, reason)
#define HILO_TEXT_ONLY_MODULE(name, reason)

#undef HILO_LOOSE_MODULE
#define HILO_LOOSE_MODULE(name, error, wrong_share, reason) \
  LooseModule{name, error, wrong_share},
constexpr auto kLooseModules = std::to_array<LooseModule>({
#include "tests/corpus/modules.def"
});
#undef HILO_LOOSE_MODULE
#define HILO_LOOSE_MODULE(name, error, wrong_share, reason)

#undef HILO_SLOW_MODULE
#define HILO_SLOW_MODULE(name, reason) SpecialModule{name, reason},
constexpr auto kSlowModules = std::to_array<SpecialModule>({
#include "tests/corpus/modules.def"
});
#undef HILO_SLOW_MODULE
#define HILO_SLOW_MODULE(name, reason)

#undef HILO_TEXT_ONLY_MODULE
#define HILO_TEXT_ONLY_MODULE(name, reason) SpecialModule{name, reason},
constexpr auto kTextOnlyModules = std::to_array<SpecialModule>({
#include "tests/corpus/modules.def"
});

template <typename Table>
absl::string_view ReasonIn(const Table& table, absl::string_view name) {
  for (const SpecialModule& row : table) {
    if (row.name == name) return row.reason;
  }
  return "";
}

}  // namespace

ArrayTolerance ToleranceOf(absl::string_view name) {
  ArrayTolerance tolerance;
  for (const LooseModule& row : kLooseModules) {
    if (row.name != name) continue;
    if (row.error > 0) tolerance.error = row.error;
    tolerance.wrong_share = row.wrong_share;
  }
  return tolerance;
}

absl::string_view SlowReason(absl::string_view name) {
  return ReasonIn(kSlowModules, name);
}

absl::string_view TextOnlyReason(absl::string_view name) {
  return ReasonIn(kTextOnlyModules, name);
}

}  // namespace hilo::tests
