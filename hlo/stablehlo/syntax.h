// What MLIR says: operations with attributes, types and regions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/box.h"

namespace hilo::stablehlo {

enum class TypeKind : uint8_t {
  // shape() is an array: tensor<2xf32>, and f32 as a scalar.
  kTensor,
  kElement,
  kTuple,
  kToken,
  // From `inputs` to `results`.
  kFunction,
  // One that values of a module cannot have; `text` names it.
  kOther,
};

// How integers stand for numbers: (integer - zero point) * scale.
struct Quantization {
  // Of the numbers.
  hlo::ElementType expressed = hlo::ElementType::kF32;
  // What the integers may be.
  int64_t min = 0;
  int64_t max = 0;
  // Whose indices have a scale and a zero point each; -1: there is one of them.
  int64_t dimension = -1;
  std::vector<double> scales = {};
  std::vector<int64_t> zero_points = {};

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// " quantized to f32 -128:127 {0.5:10}", all of it.
std::string ToString(const Quantization& quantization);

struct Type {
  TypeKind kind = TypeKind::kOther;
  // Of tensors, elements, tuples and tokens. Sizes that are "?" are
  // Shape::kUnboundedSize.
  hlo::Shape shape = {};
  std::vector<Type> inputs = {};
  std::vector<Type> results = {};
  std::string text = {};
  // Of tensors and elements that are quantized: the shape is that of the
  // integers.
  Box<Quantization> quantization = {};

  // As in HLO text; `text` where there is no shape.
  std::string ToString() const;
};

enum class AttributeKind : uint8_t {
  // Named without a value.
  kUnit,
  kBool,
  kInteger,
  kFloat,
  kString,
  // "@name".
  kSymbol,
  // A value of an enumeration, as "EQ" of #stablehlo<comparison_direction EQ>.
  kEnum,
  kType,
  kArray,
  // {key = value}, and structures, with their name: #stablehlo.dot<key =
  // value>.
  kDictionary,
  kDense,
  // Kept as text only.
  kOther,
};

struct Attribute {
  AttributeKind kind = AttributeKind::kUnit;
  int64_t offset = 0;
  // kBool: 0 or 1.
  int64_t integer = 0;
  double number = 0;
  // Strings decoded.
  std::string text = {};
  std::vector<Attribute> elements = {};
  std::vector<std::pair<std::string, Attribute>> entries = {};
  Type type = {};
  hlo::Literal literal = {};

  // The entry of a dictionary; null when there is none.
  const Attribute* Find(absl::string_view key) const;
};

// The elements of an array, in order, as integers, truth values or numbers;
// none for complex ones.
std::vector<Attribute> ElementAttributes(const hlo::Literal& literal);

// Numbers the values of a module.
using ValueId = int32_t;

// Numbers the locations of a module; negative for none.
using LocationId = int32_t;

enum class LocationKind : uint8_t {
  kUnknown,
  // `text` is the file.
  kFile,
  // `text` names what the child is the place of.
  kName,
  // Of two children the first is called by the second.
  kCallSite,
  kFused,
  // "#loc3", which may be defined later.
  kAlias,
};

struct Location {
  LocationKind kind = LocationKind::kUnknown;
  std::string text = {};
  // 1-based; 0 for what is not said.
  int64_t line = 0;
  int64_t column = 0;
  int64_t end_line = 0;
  int64_t end_column = 0;
  std::vector<LocationId> children = {};
};

struct Region;

// The name of today of operations of the dialect MHLO, StableHLO's origin:
// "stablehlo.add" for "mhlo.add", "chlo.erf" for "mhlo.erf". Other names stay.
std::string CurrentName(absl::string_view name);

// A symbol as HLO writes names: "_" for what no name has.
std::string HloName(absl::string_view symbol);

struct Operation {
  // With its dialect: "stablehlo.add".
  std::string name = {};
  int64_t offset = 0;
  std::vector<ValueId> operands = {};
  // Where each operand is named.
  std::vector<int64_t> operand_offsets = {};
  std::vector<ValueId> results = {};
  // Properties and attributes together: a dictionary.
  Attribute attributes = {};
  // Without an initializer: Region is not complete yet.
  std::vector<Region> regions;
  LocationId location = -1;
};

// A region of one block: the others have no meaning in these dialects.
struct Region {
  int64_t offset = 0;
  std::vector<ValueId> arguments = {};
  // The last one returns the results.
  std::vector<Operation> operations = {};
};

struct Function {
  std::string name = {};
  int64_t offset = 0;
  bool is_private = false;
  // One dictionary for each.
  std::vector<Attribute> argument_attributes = {};
  std::vector<Type> results = {};
  std::vector<Attribute> result_attributes = {};
  Region body = {};
};

struct Value {
  // Without the sign.
  std::string name = {};
  int64_t offset = 0;
  Type type = {};
};

struct SyntaxModule {
  std::string name = {};
  Attribute attributes = {};
  std::vector<Function> functions = {};
  // By ValueId.
  std::vector<Value> values = {};
  // By LocationId.
  std::vector<Location> locations = {};
  absl::flat_hash_map<std::string, LocationId> location_aliases = {};
};

// What HLO keeps of a location: the names and the first place in a file.
// Names that end in ":" say the kind of operation and lead on to the next.
hlo::Metadata MetadataOf(const SyntaxModule& module, LocationId id);

}  // namespace hilo::stablehlo
