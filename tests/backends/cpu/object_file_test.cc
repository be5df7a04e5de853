// Tests what the object file of a program defines and needs.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <catch2/catch.hpp>

#include "backends/cpu/code_compiler.h"
#include "backends/cpu/cpu_compiler.h"
#include "hlo/text/parser.h"

namespace hilo::backends {
namespace {

// A kernel that is called, a product, and a sort by a library function.
constexpr char kModule[] = R"(HloModule several
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

// "D name" for what an object defines for others, "U name" for what it needs.
std::vector<std::string> SymbolsOf(const llvm::object::ObjectFile& object) {
  std::vector<std::string> symbols;
  for (const llvm::object::SymbolRef& symbol : object.symbols()) {
    const uint32_t flags = llvm::cantFail(symbol.getFlags());
    const std::string name = llvm::cantFail(symbol.getName()).str();
    if ((flags & llvm::object::SymbolRef::SF_Undefined) != 0) {
      symbols.push_back("U " + name);
    } else if ((flags & llvm::object::SymbolRef::SF_Global) != 0) {
      symbols.push_back("D " + name);
    }
  }
  std::ranges::sort(symbols);
  return symbols;
}

TEST_CASE("an object file defines the entry, and names what it calls") {
  struct Row {
    CpuTarget target;
    llvm::Triple::ArchType machine;
  };
  for (const Row& row : {
           Row{{.triple = "x86_64-linux-gnu",
                .cpu = "x86-64-v3",
                .features = ""},
               llvm::Triple::x86_64},
           Row{{.triple = "aarch64-linux-gnu", .cpu = "", .features = ""},
               llvm::Triple::aarch64},
       }) {
    CAPTURE(row.target.triple);
    const absl::StatusOr<std::string> bytes = CompileToStage(
        hlo::Parse(kModule).value(), row.target, CpuStage::kObject, {});
    CAPTURE(bytes.status());
    REQUIRE(bytes.ok());
    auto object = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(*bytes, "object"));
    REQUIRE(static_cast<bool>(object));
    CHECK((*object)->isRelocatableObject());
    CHECK((*object)->getArch() == row.machine);
    const std::vector<std::string> symbols = SymbolsOf(**object);
    CAPTURE(symbols);
    CHECK(std::ranges::count(symbols, "D hilo_entry") == 1);
    CHECK(std::ranges::count(symbols, "U hilo_call_host_function") == 1);
    CHECK(std::ranges::count_if(symbols, [](const std::string& symbol) {
            return absl::StartsWith(symbol, "D ");
          }) == 1);
  }
}

}  // namespace
}  // namespace hilo::backends
