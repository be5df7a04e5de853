// Every opcode on every element type that it takes, on shapes and layouts of
// all kinds: the CPU backend computes what the evaluator does.
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"
#include "jit/fuzzing/module_check.h"
#include "tests/conformance/case.h"
#include "tests/conformance/check.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {
namespace {

using hlo::ElementType;
using hlo::Opcode;

std::vector<ElementType> TypesOf(const Row& row) {
  if (!HasTypes(row)) return {ElementType::kF32};
  std::vector<ElementType> types;
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    // Sums begin with 0, which it does not have.
    const bool has_no_sums = type == ElementType::kF8E8M0FNU &&
                             row.tolerance == Tolerance::kRoundings;
    if (hlo::Contains(row.types, type) && !has_no_sums) types.push_back(type);
  }
  return types;
}

// Whether the parser and the verifier take a case. What they refuse, they
// refuse with an error of the user's.
bool IsLegal(const Case& test) {
  const absl::StatusOr<CaseModule> made = MakeModule({test});
  if (made.ok()) return true;
  CAPTURE(NameOf(test), made.status().message());
  CHECK(absl::IsInvalidArgument(made.status()));
  return false;
}

// Counts what there is of each opcode.
struct Census {
  std::set<Opcode> opcodes;
  std::set<std::pair<Opcode, ElementType>> pairs;
  size_t refused = 0;

  // Whether the case is legal.
  bool Takes(const Case& test) {
    if (!IsLegal(test)) {
      ++refused;
      return false;
    }
    opcodes.insert(test.row->opcode);
    pairs.emplace(test.row->opcode, test.type);
    return true;
  }
};

// A case of the row. Types have different layouts; which shape it has depends
// on `salt`, too.
Case MakeCase(const Row& row, ElementType type, size_t salt) {
  const size_t mixed = static_cast<size_t>(type) * 5 + salt * 7;
  return {.row = &row,
          .type = type,
          .shape = static_cast<int>(mixed % kShapeCount),
          .layouts = static_cast<int>(type) % kLayoutCount};
}

// Of the rows of one opcode: for each type the next one that is legal, in turn;
// of those without a type some.
void AddSomeCases(absl::Span<const Row> rows, size_t salt, Census& census,
                  std::vector<Case>& cases) {
  constexpr size_t kMostWithoutType = 50;
  std::map<ElementType, std::vector<size_t>> rows_of_types;
  std::vector<size_t> without_type;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!HasTypes(rows[i])) without_type.push_back(i);
    if (!HasTypes(rows[i])) continue;
    for (const ElementType type : TypesOf(rows[i])) {
      rows_of_types[type].push_back(i);
    }
  }
  for (const auto& [type, places] : rows_of_types) {
    for (size_t i = 0; i < places.size(); ++i) {
      const size_t row =
          places[(static_cast<size_t>(type) + i) % places.size()];
      const Case test = MakeCase(rows[row], type, salt + row);
      if (!census.Takes(test)) continue;
      cases.push_back(test);
      break;
    }
  }
  const size_t step = without_type.size() / kMostWithoutType + 1;
  for (size_t i = 0; i < without_type.size(); i += step) {
    const Case test =
        MakeCase(rows[without_type[i]], ElementType::kF32, salt + i);
    if (census.Takes(test)) cases.push_back(test);
  }
}

std::vector<Case> SomeCases(const std::vector<Row>& rows, Census& census) {
  std::vector<Case> cases;
  for (size_t first = 0; first < rows.size();) {
    size_t end = first;
    while (end < rows.size() && rows[end].opcode == rows[first].opcode) ++end;
    AddSomeCases(absl::MakeConstSpan(rows).subspan(first, end - first), first,
                 census, cases);
    first = end;
  }
  return cases;
}

std::vector<Case> AllCases(const std::vector<Row>& rows, int layouts,
                           Census& census) {
  std::vector<Case> cases;
  for (const Row& row : rows) {
    for (const ElementType type : TypesOf(row)) {
      const int shapes = HasShapes(row) ? kShapeCount : 1;
      for (int shape = 0; shape < shapes; ++shape) {
        const Case test = {
            .row = &row, .type = type, .shape = shape, .layouts = layouts};
        if (census.Takes(test)) cases.push_back(test);
      }
    }
  }
  return cases;
}

void Check(const std::vector<Case>& cases,
           const fuzzing::CheckVariant& variant) {
  for (const std::string& failure : CheckCases(cases, variant)) {
    FAIL_CHECK(failure);
  }
}

// Rows of opcodes that follow each other.
std::vector<Row> SortedRows() {
  std::vector<Row> rows = AllRows();
  std::ranges::stable_sort(
      rows, [](const Row& a, const Row& b) { return a.opcode < b.opcode; });
  return rows;
}

}  // namespace

std::vector<Row> AllRows() {
  std::vector<Row> rows;
  for (const std::vector<Row>& table :
       {ElementwiseRows(), StructureRows(), MovementRows(), IndexingRows(),
        ReductionRows(), LinearAlgebraRows(), ControlRows(),
        CommunicationRows()}) {
    rows.insert(rows.end(), table.begin(), table.end());
  }
  return rows;
}

TEST_CASE("conformance: each opcode has rows or is refused") {
  std::set<Opcode> known;
  for (const Row& row : AllRows()) known.insert(row.opcode);
  for (const RefusedRow& refused : RefusedRows()) {
    CAPTURE(hlo::TextOf(refused.row.opcode), refused.reason);
    CHECK(known.insert(refused.row.opcode).second);
  }
  for (int i = 0; i < hlo::kOpcodeCount; ++i) {
    CAPTURE(hlo::TextOf(static_cast<Opcode>(i)));
    CHECK(known.contains(static_cast<Opcode>(i)));
  }
}

TEST_CASE("conformance: what is not supported is refused by name") {
  for (const RefusedRow& refused : RefusedRows()) {
    const Case test = {.row = &refused.row};
    const absl::StatusOr<CaseModule> made = MakeModule({test});
    CAPTURE(NameOf(test), made.status().message());
    REQUIRE(made.ok());
    const auto got = fuzzing::RunVariant(*made->module, made->arguments, {});
    CAPTURE(got.status().message());
    CHECK(absl::IsUnimplemented(got.status()));
    // What ends is not reached when what begins is refused.
    const std::string name(
        absl::StripSuffix(hlo::TextOf(refused.row.opcode), "-done"));
    const bool names_it = absl::StrContains(got.status().message(), name);
    CHECK(names_it);
  }
}

TEST_CASE("conformance: opcodes take the types of their rows and no others") {
  for (const Row& row : ElementwiseRows()) {
    if (!hlo::IsElementwiseUnary(row.opcode) &&
        !hlo::IsElementwiseBinary(row.opcode)) {
      continue;
    }
    for (const ElementType type : TypesOf(row)) {
      const Case test = {.row = &row, .type = type};
      CAPTURE(NameOf(test));
      CHECK(IsLegal(test) ==
            hlo::Contains(hlo::InfoOf(row.opcode).types, type));
    }
  }
}

TEST_CASE("conformance: each opcode on each type agrees with the evaluator") {
  const std::vector<Row> rows = SortedRows();
  Census census;
  const std::vector<Case> cases = SomeCases(rows, census);
  constexpr size_t kLeastCases = 1500;
  CHECK(cases.size() > kLeastCases);
  for (const Row& row : rows) {
    CAPTURE(hlo::TextOf(row.opcode));
    CHECK(census.opcodes.contains(row.opcode));
  }
  Check(cases, {.threads = 2});
}

TEST_CASE("conformance: all rows, types, shapes and layouts", "[.slow]") {
  const std::vector<Row> rows = SortedRows();
  const int layouts = GENERATE(range(0, kLayoutCount));
  DYNAMIC_SECTION("layouts " << layouts) {
    Census census;
    const std::vector<Case> cases = AllCases(rows, layouts, census);
    WARN("layouts " << layouts << ": " << cases.size() << " cases of "
                    << census.pairs.size() << " opcodes and types, "
                    << census.refused << " refused");
    Check(cases, {.threads = 2});
    if (layouts == 0) Check(cases, {.optimization_level = 0, .threads = 1});
  }
}

}  // namespace hilo::tests
