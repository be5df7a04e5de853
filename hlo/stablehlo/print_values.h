// Types, numbers, texts and elements as MLIR writes them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"

namespace hilo::stablehlo {

// "tensor<2x?xf32, #stablehlo.bounds<?, 4>>", "!stablehlo.token" or
// "tuple<...>". Empty for what StableHLO has no type for: opaque values,
// buffers, integers of one bit.
std::string TypeText(const hlo::Shape& shape);

// "dense<[1.0, 2.0]> : tensor<2xf32>" of an array of known sizes. Every bit is
// kept: numbers that no decimal stands for are written in hexadecimal, as are
// the bytes of large arrays. One element stands for equal ones.
std::string DenseText(const hlo::Literal& literal);
// An array of i64 with these elements in row-major order.
std::string DenseText(absl::Span<const int64_t> dimensions,
                      absl::Span<const int64_t> elements);

// "[1, 2]".
std::string IntegerListText(absl::Span<const int64_t> values);
// "array<i64: 1, 2>".
std::string IntegerArrayText(absl::Span<const int64_t> values);
// "1 : i64".
std::string IntegerText(int64_t value);
// "1.0e-05": the shortest text that reads back, with a decimal point.
std::string FloatText(double value);
inline std::string BoolText(bool value) { return value ? "true" : "false"; }

// "\"text\"", with \\ and \XX for what cannot stand in quotes.
std::string StringText(absl::string_view text);
// "@name", quoted if it is no identifier.
std::string SymbolText(absl::string_view name);
// A key of a dictionary, quoted if it is no identifier.
std::string KeyText(absl::string_view key);

}  // namespace hilo::stablehlo
