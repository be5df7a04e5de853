// Reducers, comparators, branches and loops.
#include "tests/conformance/computations.h"

#include <array>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/opcode.h"

namespace hilo::tests {
namespace {

struct NamedBody {
  absl::string_view name;
  absl::string_view body;
};

constexpr absl::string_view kTwo =
    "a = $T[] parameter(0)\nb = $T[] parameter(1)\n";

// Of two scalars a and b.
constexpr auto kOfTwo = std::to_array<NamedBody>({
    {"less", "ROOT r = compare(a, b), direction=LT"},
    {"greater", "ROOT r = compare(a, b), direction=GT"},
    {"at_least", "ROOT r = compare(a, b), direction=GE"},
    {"at_most", "ROOT r = compare(a, b), direction=LE"},
    {"less_in_total", "ROOT r = compare(a, b), direction=LT, type=TOTALORDER"},
    {"greater_in_total",
     "ROOT r = compare(a, b), direction=GT, type=TOTALORDER"},
    {"overwrite", "ROOT r = copy(b)"},
    // A slice and a carry.
    {"step", "s = add(a, b)\nROOT r = tuple(s, s)"},
});

constexpr auto kOthers = std::to_array<NamedBody>({
    {"doubled", "a = $T[] parameter(0)\nROOT r = add(a, a)"},
    {"doubled_rows", "a = $T[3,5] parameter(0)\nROOT r = add(a, a)"},
    {"reversed_rows",
     "a = $T[3,5] parameter(0)\nROOT r = reverse(a), dimensions={0,1}"},
    {"same_rows", "ROOT a = $T[3,5] parameter(0)"},
    {"row_step",
     "a = $T[5] parameter(0)\nb = $T[5] parameter(1)\n"
     "s = add(a, b)\nROOT r = tuple(b, s)"},
    {"less_by_first",
     "a = $T[] parameter(0)\nb = $T[] parameter(1)\n"
     "c = s32[] parameter(2)\nd = s32[] parameter(3)\n"
     "ROOT r = compare(a, b), direction=LT"},
    {"first_where_positive",
     "a = $T[] parameter(0)\nb = s32[] parameter(1)\n"
     "zero = s32[] constant(0)\nc = compare(b, zero), direction=GT\n"
     "d = add(a, a)\nROOT r = select(c, a, d)"},
    {"maximum_and_or",
     "a = $T[] parameter(0)\nb = s32[] parameter(1)\n"
     "c = $T[] parameter(2)\nd = s32[] parameter(3)\n"
     "m = maximum(a, c)\no = or(b, d)\nROOT r = tuple(m, o)"},
    {"largest_and_index",
     "a = $T[] parameter(0)\ni = s32[] parameter(1)\n"
     "b = $T[] parameter(2)\nj = s32[] parameter(3)\n"
     "greater = compare(a, b), direction=GT\n"
     "a_is_nan = compare(a, a), direction=NE\n"
     "b_is_nan = compare(b, b), direction=NE\n"
     "b_is_number = not(b_is_nan)\n"
     "only_a = and(a_is_nan, b_is_number)\n"
     "both = and(a_is_nan, b_is_nan)\n"
     "same = compare(a, b), direction=EQ\n"
     "equal = or(same, both)\n"
     "first = compare(i, j), direction=LE\n"
     "by_index = and(equal, first)\n"
     "larger = or(greater, only_a)\n"
     "takes_a = or(larger, by_index)\n"
     "value = select(takes_a, a, b)\nindex = select(takes_a, i, j)\n"
     "ROOT r = tuple(value, index)"},
    {"loop_condition",
     "s = (s32[], $T[3,5]) parameter(0)\n"
     "i = get-tuple-element(s), index=0\nlimit = s32[] constant(4)\n"
     "ROOT r = compare(i, limit), direction=LT"},
    {"loop_body",
     "s = (s32[], $T[3,5]) parameter(0)\n"
     "i = get-tuple-element(s), index=0\none = s32[] constant(1)\n"
     "next = add(i, one)\nx = get-tuple-element(s), index=1\n"
     "y = reverse(x), dimensions={0}\nz = maximum(x, y)\n"
     "ROOT r = tuple(next, z)"},
});

}  // namespace

std::optional<std::string> ComputationBody(absl::string_view name) {
  for (const NamedBody& row : kOfTwo) {
    if (row.name == name) return absl::StrCat(kTwo, row.body);
  }
  for (const NamedBody& row : kOthers) {
    if (row.name == name) return std::string(row.body);
  }
  const std::string text = absl::StrReplaceAll(name, {{"_", "-"}});
  const std::optional<hlo::Opcode> opcode = hlo::OpcodeFromText(text);
  if (!opcode || !hlo::IsElementwiseBinary(*opcode)) return std::nullopt;
  return absl::StrCat(kTwo, "ROOT r = ", text, "(a, b)");
}

}  // namespace hilo::tests
