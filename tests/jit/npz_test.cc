// Tests of numpy files.
#include "jit/npz.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "jit/files.h"
#include "jit/npy.h"
#include "tests/support/paths.h"

namespace hilo {
namespace {

// An .npy file of version 1 with the given header and data.
std::string NpyFile(const std::string& type, const std::string& order,
                    const std::string& shape, absl::string_view data) {
  const std::string header =
      absl::StrCat("{'descr': '", type, "', 'fortran_order': ", order,
                   ", 'shape': ", shape, ", }\n");
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return absl::StrCat(file, header, data);
}

TEST_CASE("npy files of any order become row-major and little-endian") {
  struct Row {
    std::string type;
    std::string order;
    std::string shape;
    std::string data;
    std::string description;
    std::string bytes;
  };
  for (const Row& row : {
           Row{"|u1", "False", "(2, 3)", "abcdef", "u1[2,3]", "abcdef"},
           Row{"|u1", "True", "(2, 3)", "abcdef", "u1[2,3]", "acebdf"},
           Row{">i2", "False", "(2,)", "abcd", "i2[2]", "badc"},
           Row{"<i2", "True", "(1, 2)", "abcd", "i2[1,2]", "abcd"},
           Row{">c8", "False", "()", "abcdefgh", "c8[]", "dcbahgfe"},
           Row{"?", "False", "(1L,)", "a", "b1[1]", "a"},
           Row{"<V2", "False", "(1,)", "ab", "V2[1]", "ab"},
           Row{"<f8", "False", "(0, 7)", "", "f8[0,7]", ""},
       }) {
    CAPTURE(row.type, row.order, row.shape);
    const absl::StatusOr<NpyArray> array =
        ParseNpy(NpyFile(row.type, row.order, row.shape, row.data));
    REQUIRE(array.ok());
    CHECK(DescriptionOf(*array) == row.description);
    CHECK(array->bytes == row.bytes);
    const absl::StatusOr<NpyArray> again = ParseNpy(FormatNpy(*array));
    REQUIRE(again.ok());
    CHECK(DescriptionOf(*again) == row.description);
    CHECK(again->bytes == row.bytes);
  }
}

TEST_CASE("malformed npy files are errors that say why") {
  struct Row {
    std::string file;
    std::string message;
  };
  for (const Row& row : {
           Row{"PK", "magic"},
           Row{std::string("\x93NUMPY\x01\x00\xff\xff", 10), "truncated"},
           Row{std::string("\x93NUMPY\x09\x00\x00\x00", 10), "version 9"},
           Row{NpyFile("<f4", "False", "(3,)", "abcd"), "needs 12 bytes"},
           Row{NpyFile("<f4", "False", "(1,)", "abcdefgh"), "4 bytes too many"},
           Row{NpyFile("<f16", "False", "(1,)", ""), "'<f16' is not supported"},
           Row{NpyFile("|O", "False", "(1,)", ""), "'|O' is not supported"},
           Row{NpyFile("<f4", "Maybe", "(1,)", "abcd"), "fortran_order"},
           Row{NpyFile("<f4", "False", "(-1,)", "abcd"), "sizes"},
           Row{NpyFile("<f4", "False", "(4294967296, 4294967296, 4294967296)",
                       ""),
               "too many bytes"},
       }) {
    CAPTURE(row.message);
    const absl::StatusOr<NpyArray> array = ParseNpy(row.file);
    REQUIRE_FALSE(array.ok());
    CAPTURE(array.status().message());
    CHECK(
        absl::StrContains(std::string(array.status().message()), row.message));
  }
}

TEST_CASE("npz files come back as they were written, byte for byte") {
  const tests::TemporaryDirectory scratch;
  const std::string path = (scratch.path() / "arrays.npz").string();
  const std::vector<NamedArray> arrays = {
      {"output0", ParseNpy(NpyFile("|u1", "False", "(3,)", "abc")).value()},
      {"output1", ParseNpy(NpyFile("<f4", "False", "()", "abcd")).value()}};
  REQUIRE(WriteNpz(path, arrays).ok());
  const std::string first = ReadFile(path).value();
  REQUIRE(WriteNpz(path, arrays).ok());
  CHECK(ReadFile(path).value() == first);
  const absl::StatusOr<std::vector<NamedArray>> read = ReadNpz(path);
  REQUIRE(read.ok());
  REQUIRE(read->size() == 2);
  CHECK((*read)[1].first == "output1");
  CHECK((*read)[0].second.bytes == "abc");
  REQUIRE(WriteNpz(path, {}).ok());
  CHECK(ReadNpz(path)->empty());
}

TEST_CASE("npz files that are none, or broken, are errors") {
  const tests::TemporaryDirectory scratch;
  const std::string path = (scratch.path() / "arrays.npz").string();
  CHECK_FALSE(ReadNpz(path).ok());
  REQUIRE(WriteFile(path, "not a zip").ok());
  CHECK(absl::StrContains(std::string(ReadNpz(path).status().message()), path));
  const NpyArray array = ParseNpy(NpyFile("|u1", "False", "(1,)", "a")).value();
  CHECK_FALSE(FormatNpz({{"x", array}, {"x", array}}).ok());
}

}  // namespace
}  // namespace hilo
