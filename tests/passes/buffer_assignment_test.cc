// Tests where arrays lie, and what the checker finds.
#include "passes/buffer_assignment/buffer_assignment.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "catch2/catch.hpp"

#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "passes/buffer_assignment/check_buffers.h"
#include "passes/buffer_assignment/tagged_memory.h"
#include "tests/passes/buffer_fixture.h"

namespace hilo::passes {
namespace {

TEST_CASE("results are written where callers want them") {
  const AssignedModule assigned = AssignText(R"(HloModule m
ENTRY e {
  x = f32[100] parameter(0)
  y = f32[100] negate(x)
  z = f32[100] exponential(y)
  s = f32[50] slice(y), slice={[0:50]}
  ROOT t = (f32[100], f32[50]) tuple(z, s)
})");
  const hlo::Module& module = *assigned.module;
  const BufferAssignment& buffers = assigned.buffers;
  REQUIRE(buffers.allocations().size() == 4);
  CHECK(buffers.allocations()[0].kind == AllocationKind::kArgument);
  CHECK(buffers.slice(Named(module, "x")) == Slice{0, 0, 400});
  CHECK(buffers.slice(Named(module, "z")) == Slice{1, 0, 400});
  CHECK(buffers.slice(Named(module, "s")) == Slice{2, 0, 200});
  CHECK(buffers.slice(Named(module, "t"), 1) == Slice{2, 0, 200});
  CHECK(buffers.allocations()[3].kind == AllocationKind::kTemporary);
  CHECK(buffers.peak_bytes() == buffers.lower_bound_bytes());
}

TEST_CASE("a chain of element-wise instructions needs no arena") {
  const AssignedModule assigned = AssignText(R"(HloModule m
ENTRY e {
  x = f32[100] parameter(0)
  a = f32[100] negate(x)
  b = f32[100] exponential(a)
  ROOT c = f32[100] add(b, x)
})");
  CHECK(assigned.buffers.peak_bytes() == 0);
}

TEST_CASE("arrays that are not needed together share the arena") {
  const AssignedModule assigned = AssignText(R"(HloModule m
ENTRY e {
  x = f32[10,20] parameter(0)
  a = f32[20,10] transpose(x), dimensions={1,0}
  b = f32[10,20] transpose(a), dimensions={1,0}
  c = f32[20,10] transpose(b), dimensions={1,0}
  ROOT d = f32[10,20] transpose(c), dimensions={1,0}
})");
  CHECK(assigned.buffers.peak_bytes() == int64_t{2} * 832);
  CHECK(assigned.buffers.slice(Named(*assigned.module, "a")) ==
        assigned.buffers.slice(Named(*assigned.module, "c")));
}

TEST_CASE("scratch memory is free while its instruction runs") {
  const AssignedModule assigned = AssignText(R"(HloModule m
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT
}
ENTRY e {
  x = f32[64] parameter(0)
  y = f32[64] negate(x)
  ROOT z = f32[64] sort(y), dimensions={0}, to_apply=less
})");
  const Slice* scratch = assigned.buffers.scratch(Named(*assigned.module, "z"));
  REQUIRE(scratch != nullptr);
  CHECK(scratch->size_bytes == 1000);
  CHECK(assigned.buffers.scratch(Named(*assigned.module, "y")) == nullptr);
  CHECK(assigned.buffers.lower_bound_bytes() == 256 + 1024);
  CHECK(assigned.buffers.peak_bytes() == 256 + 1024);
}

TEST_CASE("packed arguments have their packed size") {
  const AssignedModule assigned = AssignText(R"(HloModule m
ENTRY e {
  x = s4[10]{0:E(4)} parameter(0)
  ROOT y = s4[10] negate(x)
})");
  CHECK(assigned.buffers.allocations()[0].size_bytes == 5);
  CHECK(assigned.buffers.allocations()[1].size_bytes == 10);
}

TEST_CASE("donated arguments are overwritten where that is safe") {
  const std::string begin = R"(HloModule m, input_output_alias={ {0}: (0, {}) }
ENTRY e {
  x = f32[10] parameter(0)
  i = s32[] parameter(1)
  one = f32[1] constant({1})
)";
  SECTION("an update in place") {
    CHECK(AssignText(begin + R"(
  u = f32[10] dynamic-update-slice(x, one, i)
  s = f32[10] negate(u)
  ROOT t = (f32[10], f32[10]) tuple(u, s)
})")
              .buffers.may_share_argument(0));
  }
  SECTION("an element-wise result") {
    CHECK(AssignText(begin + R"(
  u = f32[10] negate(x)
  ROOT t = (f32[10]) tuple(u)
})")
              .buffers.may_share_argument(0));
  }
  SECTION("not when the argument is read later") {
    CHECK(!AssignText(begin + R"(
  u = f32[10] negate(x)
  s = f32[10] multiply(u, x)
  ROOT t = (f32[10], f32[10]) tuple(u, s)
})")
               .buffers.may_share_argument(0));
  }
  SECTION("not when it is read out of order") {
    CHECK(!AssignText(begin + R"(
  u = f32[10] reverse(x), dimensions={0}
  ROOT t = (f32[10]) tuple(u)
})")
               .buffers.may_share_argument(0));
  }
}

TEST_CASE("the assignment prints as text") {
  const AssignedModule assigned = AssignText(R"(HloModule m
ENTRY e {
  x = f32[10] parameter(0)
  y = f32[10] reverse(x), dimensions={0}
  z = f32[10] reverse(y), dimensions={0}
  c = f32[10] add(z, y)
  ROOT t = (f32[10]) tuple(c)
})");
  CHECK(assigned.buffers.ToString() ==
        "argument 0: 40 bytes\n"
        "result 0: 40 bytes\n"
        "arena: 64 bytes\n"
        "peak 64 bytes, lower bound 64 bytes\n"
        "\n"
        "e:\n"
        "  x = parameter argument 0[0, 40)\n"
        "  y = reverse arena[0, 40)\n"
        "  z = reverse result 0[0, 40)\n"
        "  c = add result 0[0, 40)\n"
        "  t = tuple result 0[0, 40)\n");
}

TEST_CASE("modules without copies are refused") {
  const auto module =
      hlo::Parse("HloModule m\nENTRY e { ROOT x = f32[3] parameter(0) }");
  REQUIRE(module.ok());
  const absl::Status status = AssignBuffers(**module, {}).status();
  CHECK(status.code() == absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("the checker finds an array that is overwritten") {
  const AssignedModule assigned = AssignText(R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  y = f32[16] reverse(x), dimensions={0}
  z = f32[16] reverse(x), dimensions={0}
  ROOT c = f32[16] dot(y, z), lhs_batch_dims={0}, rhs_batch_dims={0},
      lhs_contracting_dims={}, rhs_contracting_dims={}
})");
  const hlo::Module& module = *assigned.module;
  const auto check = [&](const Slice& z) {
    BufferAssignment::Tables tables;
    tables.allocations = assigned.buffers.allocations();
    tables.schedules = {assigned.buffers.schedule(*module.entry())};
    tables.may_share_argument = {false};
    tables.first_slices.emplace_back();
    tables.scratch_slices.emplace_back(module.entry()->instruction_count(), -1);
    for (const auto& instruction : module.entry()->instructions()) {
      tables.first_slices[0].push_back(
          static_cast<int32_t>(tables.slices.size()));
      tables.slices.push_back(instruction->name() == "z"
                                  ? z
                                  : assigned.buffers.slice(*instruction));
    }
    return CheckBuffers(module, BufferAssignment(std::move(tables)),
                        ElementwiseSharing());
  };
  const Slice z = assigned.buffers.slice(Named(module, "z"));
  CHECK(check(z).ok());
  CHECK(!check(assigned.buffers.slice(Named(module, "y"))).ok());
  CHECK(!check(assigned.buffers.slice(Named(module, "x"))).ok());
  CHECK(!check({z.allocation, z.offset_bytes + 4096, z.size_bytes}).ok());
}

TEST_CASE("tagged memory knows who wrote which byte") {
  TaggedMemory memory(1);
  memory.Write({0, 10, 20}, 1);
  memory.Write({0, 30, 10}, 1);
  CHECK(memory.Holds({0, 10, 30}, 1));
  CHECK(!memory.Holds({0, 9, 2}, 1));
  CHECK(!memory.Holds({0, 35, 6}, 1));
  TaggedMemory other = memory;
  other.Write({0, 15, 5}, 2);
  CHECK(other.Holds({0, 15, 5}, 2));
  CHECK(other.Holds({0, 10, 5}, 1));
  CHECK(other.Holds({0, 20, 20}, 1));
  CHECK(!other.Holds({0, 10, 30}, 1));
  memory.IntersectWith(other);
  CHECK(!memory.Holds({0, 15, 5}, 1));
  CHECK(memory.Holds({0, 20, 20}, 1));
  CHECK(memory.Holds({0, 17, 0}, 9));
}

}  // namespace
}  // namespace hilo::passes
