// Tests of the shape rules, through the builder.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "catch2/catch.hpp"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/builder.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

// Makes parameters of one builder.
class Operands {
 public:
  explicit Operands(Builder& builder) : builder_(builder) {}

  Value operator()(ElementType type, std::initializer_list<int64_t> sizes) {
    return Of(Shape::Array(type, sizes));
  }
  Value Of(const Shape& shape) {
    return builder_.Parameter(next_++, shape, "p");
  }

 private:
  Builder& builder_;
  int64_t next_ = 0;
};

struct ShapeRow {
  std::function<Value(Builder&, Operands)> operation;
  // The result's shape with layout, or what is wrong.
  std::string expected;
};

// "f32[3]{0}", or the message of the error without place and opcode.
std::string Outcome(const ShapeRow& row) {
  Builder builder("test");
  const Value value = row.operation(builder, Operands(builder));
  if (value.ok()) return ToString(value.shape());
  const std::string message(builder.Build(value).status().message());
  const size_t opcode = message.find(": ");
  return message.substr(message.find(": ", opcode + 2) + 2);
}

void CheckShapes(std::initializer_list<ShapeRow> rows) {
  for (const ShapeRow& row : rows) CHECK(Outcome(row) == row.expected);
}

using enum ElementType;

TEST_CASE("shape inference of element-wise operations") {
  CheckShapes({
      {[](Builder& b, Operands p) { return b.Abs(p(kC64, {3})); }, "f32[3]{0}"},
      {[](Builder& b, Operands p) { return b.IsFinite(p(kF16, {})); },
       "pred[]"},
      {[](Builder& b, Operands p) { return b.Abs(p(kU8, {3})); },
       "operand 0 has element type u8, expected one of: signed integer, float, "
       "complex"},
      {[](Builder& b, Operands p) { return b.Add(p(kF32, {3}), p(kF16, {3})); },
       "operand types differ: operand 0 is f32[3], operand 1 is f16[3]; "
       "convert one of them"},
      {[](Builder& b, Operands p) {
         return b.Clamp(p(kF32, {}), p(kF32, {3}), p(kF32, {3}));
       },
       "f32[3]{0}"},
      {[](Builder& b, Operands p) {
         return b.Compare(p(kS32, {2}), p(kS32, {2}), ComparisonDirection::kLt,
                          ComparisonType::kUnsigned);
       },
       "comparison type UNSIGNED does not fit operands of type s32, expected "
       "SIGNED"},
      {[](Builder& b, Operands p) {
         return b.Compare(p(kC64, {2}), p(kC64, {2}), ComparisonDirection::kLt);
       },
       "complex numbers have no order: direction is LT, expected EQ or NE"},
      {[](Builder& b, Operands p) { return b.Convert(p(kC64, {2}), kF32); },
       "cannot convert c64 to f32; take its real or imag part first"},
      {[](Builder& b, Operands p) {
         return b.Select(p(kPred, {}), p(kS8, {2}), p(kS8, {2}));
       },
       "s8[2]{0}"},
      {[](Builder& b, Operands p) {
         return b.Select(p(kPred, {3}), p(kS8, {2}), p(kS8, {2}));
       },
       "operand dimensions differ: operand 0 is pred[3], operand 1 is s8[2]"},
      {[](Builder& b, Operands p) {
         return b.StochasticConvert(p(kF32, {2}), p(kU16, {2}), kS8);
       },
       "operand widths differ: f32 has 32 bits, u16 has 16"},
  });
}

TEST_CASE("shape inference of data movement") {
  CheckShapes({
      {[](Builder& b, Operands p) {
         return b.Transpose(p(kF32, {4, 6}), {1, 0});
       },
       "f32[6,4]{0,1}"},
      {[](Builder& b, Operands p) {
         return b.Transpose(p(kF32, {2, 3, 5}), {2, 0, 1});
       },
       "f32[5,2,3]{0,2,1}"},
      {[](Builder& b, Operands p) {
         return b.Transpose(p(kF32, {4, 6}), {1, 1});
       },
       "dimension 1 is listed twice"},
      {[](Builder& b, Operands p) {
         return b.BitcastConvert(p(kU32, {3}), kU8);
       },
       "u8[3,4]{1,0}"},
      {[](Builder& b, Operands p) {
         return b.BitcastConvert(p(kS4, {3, 2}), kU8);
       },
       "u8[3]{0}"},
      {[](Builder& b, Operands p) {
         return b.BitcastConvert(p(kU8, {3}), kU32);
       },
       "the bits of u8[3] are no array of u32; its last dimension must hold 32 "
       "bits"},
      {[](Builder& b, Operands p) {
         return b.Broadcast(p(kF32, {1}), {5}, {0});
       },
       "sizes differ: operand dimension 0 is 1, result dimension 0 is 5"},
      {[](Builder& b, Operands p) {
         return b.Concatenate({p(kF32, {2, 3}), p(kF32, {2, 0})}, 1);
       },
       "f32[2,3]{1,0}"},
      {[](Builder& b, Operands) { return b.Concatenate({}, 1); },
       "got 0 operands, expected at least 1"},
      {[](Builder& b, Operands p) {
         return b.Pad(p(kF32, {3}), p(kF32, {}),
                      {{.low = 1, .high = -2, .interior = 2}});
       },
       "f32[6]{0}"},
      {[](Builder& b, Operands p) {
         return b.Pad(p(kF32, {3}), p(kF32, {}),
                      {{.low = 0, .high = 0, .interior = kLargest}});
       },
       absl::StrCat("padding 0_0_", kLargest,
                    " of dimension 0 with 3 elements gives more than 2^63-1 "
                    "elements")},
      {[](Builder& b, Operands p) {
         return b.Slice(p(kF32, {7}), {1}, {6}, {2});
       },
       "f32[3]{0}"},
      {[](Builder& b, Operands p) {
         return b.Slice(p(kF32, {7}), {0}, {7}, {kLargest});
       },
       "f32[1]{0}"},
      {[](Builder& b, Operands p) {
         return b.DynamicSlice(p(kF32, {7, 3}), {p(kS32, {}), p(kS32, {})},
                               {2, 3});
       },
       "f32[2,3]{1,0}"},
      {[](Builder& b, Operands p) {
         return b.DynamicSlice(p(kF32, {7, 3}), {p(kS32, {2})}, {8, 3});
       },
       "slice size 8 of dimension 0 does not fit into its 7 elements"},
      {[](Builder& b, Operands p) { return b.Reshape(p(kF32, {7}), {2, 3}); },
       "element counts differ: operand 0 f32[7] has 7, the result f32[2,3] has "
       "6"},
      {[](Builder& b, Operands p) {
         return b.Broadcast(p(kF32, {}), {kLargest, 2}, {});
       },
       absl::StrCat("shape f32[", kLargest, ",2] has more than 2^63-1 bytes")},
      {[](Builder& b, Operands p) {
         return b.SetDimensionSize(p(kF32, {7}), p(kS32, {}), 0);
       },
       "f32[<=7]{0}"},
      {[](Builder& b, Operands p) { return b.TopK(p(kF32, {2, 7}), 3); },
       "(f32[2,3]{1,0}, s32[2,3]{1,0})"},
  });
}

// A computation that returns its parameter number `returned`.
Callee Pick(Builder& builder, std::initializer_list<Shape> parameters,
            int64_t returned) {
  Builder pick = builder.Computation("pick");
  Value root;
  int64_t number = 0;
  for (const Shape& shape : parameters) {
    const Value parameter = pick.Parameter(number, shape, "p");
    if (number++ == returned) root = parameter;
  }
  return pick.Finish(root);
}

TEST_CASE("shape inference of reductions checks the reducer") {
  const Shape f32 = Shape::Scalar(kF32);
  const Shape s32 = Shape::Scalar(kS32);
  const Shape bf16 = Shape::Scalar(kBF16);
  CheckShapes({
      {[=](Builder& b, Operands p) {
         return b.Reduce({p(kF32, {2, 3, 5})}, {p(kF32, {})}, {2, 0},
                         Pick(b, {f32, f32}, 0));
       },
       "f32[3]{0}"},
      {[=](Builder& b, Operands p) {
         return b.Reduce({p(kBF16, {3})}, {p(kBF16, {})}, {0},
                         Pick(b, {f32, bf16}, 0));
       },
       "f32[]"},
      {[=](Builder& b, Operands p) {
         return b.Reduce({p(kF32, {3})}, {p(kF32, {})}, {0}, Pick(b, {f32}, 0));
       },
       "to_apply %pick has 1 parameters, expected 2"},
      {[=](Builder& b, Operands p) {
         return b.Reduce({p(kF32, {3})}, {p(kF32, {})}, {0},
                         Pick(b, {f32, s32}, 0));
       },
       "parameter 1 of to_apply %pick is s32[], expected f32[]"},
      {[=](Builder& b, Operands p) {
         return b.Reduce({p(kF32, {3})}, {p(kF32, {}), p(kF32, {})}, {0},
                         Pick(b, {f32, f32}, 0));
       },
       "got 3 operands, expected arrays and as many initial values"},
      {[=](Builder& b, Operands p) {
         return b.ReduceWindow(
             {p(kF32, {7})}, {p(kF32, {})},
             {.dimensions = {{.size = 3, .stride = 2, .padding_low = 1}}},
             Pick(b, {f32, f32}, 0));
       },
       "f32[3]{0}"},
      {[=](Builder& b, Operands p) {
         return b.ReduceWindow({p(kF32, {7})}, {p(kF32, {})},
                               {.dimensions = {{.size = 3, .stride = 0}}},
                               Pick(b, {f32, f32}, 0));
       },
       "window dimension 0 has stride 0, expected at least 1"},
      {[=](Builder& b, Operands p) {
         return b.ReduceWindow({p(kF32, {7})}, {p(kF32, {})},
                               {.dimensions = {}}, Pick(b, {f32, f32}, 0));
       },
       "window has 0 dimensions, expected 1"},
      {[=](Builder& b, Operands p) {
         return b.Sort({p(kF32, {3}), p(kS32, {3})},
                       Pick(b, {f32, f32, s32, s32}, 0), 0);
       },
       "the root of to_apply %pick is f32[], expected pred[]"},
      {[=](Builder& b, Operands p) {
         return b.Map({p(kF32, {3}), p(kS32, {3})}, Pick(b, {f32, s32}, 1));
       },
       "s32[3]{0}"},
      {[=](Builder& b, Operands p) {
         return b.Scan({p(kF32, {2, 5})}, {}, 1,
                       Pick(b, {Shape::Array(kF32, {2})}, 0));
       },
       "f32[2,5]{1,0}"},
  });
}

TEST_CASE("shape inference of control flow") {
  const Shape f32 = Shape::Scalar(kF32);
  const Shape s32 = Shape::Scalar(kS32);
  CheckShapes({
      {[=](Builder& b, Operands p) {
         return b.Call({p(kF32, {}), p(kS32, {})}, Pick(b, {f32, s32}, 1));
       },
       "s32[]"},
      {[=](Builder& b, Operands p) {
         return b.While(p(kF32, {}), Pick(b, {f32}, 0), Pick(b, {f32}, 0));
       },
       "the root of condition %pick is f32[], expected pred[]"},
      {[=](Builder& b, Operands p) {
         return b.Conditional(p(kS32, {}), absl::Span<const Branch>());
       },
       "the branches are missing"},
      {[=](Builder& b, Operands p) {
         return b.Conditional(p(kPred, {}), {p(kF32, {}), Pick(b, {f32}, 0)},
                              {p(kS32, {}), Pick(b, {s32}, 0)});
       },
       "the root of branch 1 %pick is s32[], expected f32[]"},
      {[=](Builder& b, Operands p) {
         return b.CustomCall(
             "foo", {p(kF32, {3})}, Shape::Array(kF32, {3}),
             {With::output_to_operand_aliasing(
                 {{.output_index = {}, .operand = 1, .operand_index = {}}})});
       },
       "aliased operand 1 does not exist, there are 1"},
      {[=](Builder& b, Operands p) {
         return b.CustomCall("Pin", {p(kF32, {3})},
                             Shape::Buffer(Shape::Array(kF32, {3})),
                             {With::output_to_operand_aliasing({{}})});
       },
       "b(f32[3]{0})"},
      {[=](Builder& b, Operands p) {
         return b.Add(Opcode::kAsyncDone, Shape::Array(kF32, {3}),
                      {p(kF32, {3})});
       },
       "operand 0 is the result of parameter, expected async-start or "
       "async-update"},
  });
}

TEST_CASE("shape inference never fails on a check") {
  // Every opcode on operands that fit nearly none.
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    CAPTURE(TextOf(opcode));
    for (const int count : {0, 1, 2, 3, 5, 6}) {
      for (const Shape& shape :
           {Shape(), Shape::Token(), Shape::Scalar(kF32),
            Shape::Array(kS32, {2, 3}), Shape::Array(kF32, {0, kLargest}),
            Shape::Array(kF32, {Shape::kUnboundedSize}),
            Shape::Tuple({Shape(), Shape::Array(kF32, {2})}),
            Shape::Buffer(Shape::Array(kF32, {2}))}) {
        Builder builder("any");
        Operands operands(builder);
        std::vector<Value> values;
        values.reserve(count);
        for (int k = 0; k < count; ++k) values.push_back(operands.Of(shape));
        builder.Add(opcode, {}, values);
        builder.Add(opcode, shape, values);
      }
    }
  }
}

}  // namespace
}  // namespace hilo::hlo
