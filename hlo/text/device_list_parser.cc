// Lists of devices, meshes and axes (language reference, 1.8 and 1.9).
#include "hlo/text/device_list_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "hlo/ir/layout.h"
#include "hlo/ir/sharding.h"
#include "hlo/text/lexer.h"
#include "hlo/text/token_reader.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {
namespace {

// "T(1,0)" for `rank` dimensions.
bool ParseTranspose(TokenReader& reader, int64_t rank,
                    DimensionVector* permutation) {
  const int64_t place = reader.offset();
  if (!reader.AcceptWord("T")) {
    return reader.FailExpected("T(...)", "several dimensions need their order");
  }
  if (!reader.Expect(TokenKind::kLeftParen, "after T") ||
      !reader.ReadInts(TokenKind::kRightParen, permutation) ||
      !reader.Expect(TokenKind::kRightParen, "after a permutation")) {
    return false;
  }
  if (!IsPermutation(*permutation, rank)) {
    return reader.Fail(
        place, absl::StrCat("T(", absl::StrJoin(*permutation, ","),
                            ") is no permutation of ", rank, " dimensions"));
  }
  return true;
}

// "'x'=2".
bool ParseMeshAxis(TokenReader& reader, Mesh* mesh) {
  const int64_t place = reader.offset();
  MeshAxis axis;
  if (!reader.ReadString(&axis.name)) return false;
  const bool repeated = std::ranges::any_of(
      mesh->axes, [&](const MeshAxis& a) { return a.name == axis.name; });
  if (repeated) {
    return reader.Fail(place,
                       absl::StrCat("mesh axis '", axis.name, "' given twice"));
  }
  if (!reader.Expect(TokenKind::kEqual, "after an axis name") ||
      !reader.ReadInt(&axis.size, "the size of an axis")) {
    return false;
  }
  if (axis.size < 1) {
    return reader.Fail(place, absl::StrCat("size ", axis.size, " of axis '",
                                           axis.name, "' is not positive"));
  }
  mesh->axes.push_back(std::move(axis));
  return true;
}

bool MeshSize(TokenReader& reader, int64_t place, const Mesh& mesh,
              int64_t* size) {
  *size = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (__builtin_mul_overflow(*size, axis.size, size)) {
      return reader.Fail(place, "the mesh has more than 2^63-1 devices");
    }
  }
  return true;
}

// "([4,2]T(1,0))" or "(7,6,5)".
bool ParseDeviceIds(TokenReader& reader, DeviceList* devices, int64_t* count) {
  if (!reader.Expect(TokenKind::kLeftParen, "after device_ids=")) return false;
  if (reader.Is(TokenKind::kLeftBracket)) {
    if (!ParseIotaDevices(reader, devices, count)) return false;
  } else {
    if (!reader.ReadInts(TokenKind::kRightParen, &devices->ids)) return false;
    *count = static_cast<int64_t>(devices->ids.size());
  }
  return reader.Expect(TokenKind::kRightParen, "after the device ids");
}

// The axis that `name` means: its name, or its number.
int64_t FindAxis(const Mesh& mesh, const std::string& name) {
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) return static_cast<int64_t>(i);
  }
  int64_t number = -1;
  if (absl::SimpleAtoi(name, &number) && number >= 0 &&
      std::cmp_less(number, mesh.axes.size())) {
    return number;
  }
  return -1;
}

// "'y'" or "'y':(2)2".
bool ParseAxis(TokenReader& reader, const Mesh& mesh, AxisList* axes) {
  const int64_t place = reader.offset();
  std::string name;
  if (!reader.ReadString(&name)) return false;
  AxisReference reference;
  reference.axis = FindAxis(mesh, name);
  if (reference.axis < 0) {
    std::vector<absl::string_view> names;
    names.reserve(mesh.axes.size());
    for (const MeshAxis& axis : mesh.axes) names.emplace_back(axis.name);
    return reader.Fail(place,
                       absl::StrCat("the mesh has no axis ", Quoted(name)),
                       SuggestNearest(name, names));
  }
  if (reader.Accept(TokenKind::kColon)) {
    int64_t pre_size = 0;
    int64_t size = 0;
    if (!reader.Expect(TokenKind::kLeftParen, "after ':'") ||
        !reader.ReadInt(&pre_size) ||
        !reader.Expect(TokenKind::kRightParen, "after the pre-size") ||
        !reader.ReadInt(&size)) {
      return false;
    }
    const int64_t whole = mesh.axes[reference.axis].size;
    int64_t product = 0;
    if (pre_size < 1 || size < 1 || size >= whole ||
        __builtin_mul_overflow(pre_size, size, &product) ||
        whole % product != 0) {
      return reader.Fail(place, absl::StrCat("(", pre_size, ")", size,
                                             " does not divide axis ",
                                             Quoted(name), " of size ", whole));
    }
    reference.sub_axis_pre_size = pre_size;
    reference.sub_axis_size = size;
  }
  axes->push_back(reference);
  return true;
}

}  // namespace

bool ParseSizes(TokenReader& reader, absl::string_view what,
                DimensionVector* sizes, int64_t* product) {
  const int64_t place = reader.offset();
  if (!reader.Expect(TokenKind::kLeftBracket, absl::StrCat("before ", what)) ||
      !reader.ReadInts(TokenKind::kRightBracket, sizes) ||
      !reader.Expect(TokenKind::kRightBracket, absl::StrCat("after ", what))) {
    return false;
  }
  if (sizes->empty()) {
    return reader.Fail(place, absl::StrCat("there are no ", what));
  }
  *product = 1;
  for (const int64_t size : *sizes) {
    if (size < 1) {
      return reader.Fail(place,
                         absl::StrCat(what, ": ", size, " is not positive"));
    }
    if (__builtin_mul_overflow(*product, size, product)) {
      return reader.Fail(place,
                         absl::StrCat(what, ": the product overflows 64 bits"));
    }
  }
  return true;
}

bool ParseIotaDevices(TokenReader& reader, DeviceList* devices,
                      int64_t* count) {
  if (!ParseSizes(reader, "device dimensions", &devices->reshape_dims, count)) {
    return false;
  }
  const auto rank = static_cast<int64_t>(devices->reshape_dims.size());
  if (rank == 1) {
    if (!reader.IsWord("T")) return true;
    return reader.Fail(reader.offset(), "one dimension cannot be transposed",
                       "leave T(0) out");
  }
  if (!ParseTranspose(reader, rank, &devices->transpose_perm)) return false;
  if (std::ranges::is_sorted(devices->transpose_perm)) {
    devices->reshape_dims = {*count};
    devices->transpose_perm.clear();
  }
  return true;
}

bool ParseMesh(TokenReader& reader, Mesh* mesh) {
  const int64_t place = reader.offset();
  if (!reader.AcceptWord("mesh")) return reader.FailExpected("mesh");
  if (!reader.Expect(TokenKind::kLeftBracket, "after mesh")) return false;
  if (!reader.Is(TokenKind::kRightBracket)) {
    do {
      if (!ParseMeshAxis(reader, mesh)) return false;
    } while (reader.Accept(TokenKind::kComma));
  }
  if (!reader.Expect(TokenKind::kRightBracket, "after the axes")) return false;
  int64_t size = 1;
  if (!MeshSize(reader, place, *mesh, &size)) return false;
  if (!reader.Is(TokenKind::kComma) ||
      reader.Peek().kind != TokenKind::kAttributeName ||
      reader.Peek().text != "device_ids") {
    return true;
  }
  reader.Advance();
  reader.Advance();
  int64_t count = 0;
  return ParseDeviceIds(reader, &mesh->devices, &count) &&
         CheckDeviceCount(reader, place, size, count);
}

bool ParseAxes(TokenReader& reader, const Mesh& mesh, AxisList* axes,
               bool* is_open) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before axes")) return false;
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  do {
    if (reader.Accept(TokenKind::kQuestionMark)) {
      *is_open = true;
      break;
    }
    if (!ParseAxis(reader, mesh, axes)) return false;
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, "after axes");
}

bool ParseIotaGroups(TokenReader& reader, ReplicaGroups* groups) {
  const int64_t place = reader.offset();
  DimensionVector sizes;
  int64_t needed = 0;
  if (!ParseSizes(reader, "group dimensions", &sizes, &needed)) return false;
  if (sizes.size() != 2) {
    return reader.Fail(place, "replica groups need [groups,members]");
  }
  groups->iota_group_count = sizes[0];
  groups->iota_group_size = sizes[1];
  int64_t count = 0;
  return reader.Expect(TokenKind::kLessEqual, "after [groups,members]") &&
         ParseIotaDevices(reader, &groups->iota_devices, &count) &&
         CheckDeviceCount(reader, place, needed, count);
}

bool ParseMeshGroups(TokenReader& reader, ReplicaGroups* groups) {
  bool is_open = false;
  if (!ParseMesh(reader, &groups->mesh)) return false;
  const int64_t place = reader.offset();
  if (!ParseAxes(reader, groups->mesh, &groups->mesh_axes, &is_open)) {
    return false;
  }
  int64_t members = 1;
  for (const AxisReference& axis : groups->mesh_axes) {
    members *= axis.sub_axis_size != 0 ? axis.sub_axis_size
                                       : groups->mesh.axes[axis.axis].size;
    if (members > 1) break;
  }
  if (is_open || members < 2) {
    return reader.Fail(place, "the axes give fewer than two devices per group");
  }
  return true;
}

bool CheckDeviceCount(TokenReader& reader, int64_t place, int64_t needed,
                      int64_t given) {
  if (needed == given) return true;
  return reader.Fail(place, absl::StrCat(needed, " devices are needed, ", given,
                                         " are given"));
}

}  // namespace hilo::hlo
