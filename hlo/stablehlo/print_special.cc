// Constants, tuples, reinterpreted bits, random numbers and custom calls.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/print_table.h"
#include "hlo/stablehlo/print_values.h"
#include "hlo/stablehlo/printer.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

using hlo::AttributeId;
using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Shape;

// The dimensions from major to minor.
DimensionVector MajorToMinor(const Shape& shape) {
  DimensionVector order = shape.layout().minor_to_major;
  std::ranges::reverse(order);
  return order;
}

// The array whose row-major elements are those of `shape` as memory has them.
Shape InMemory(const Shape& shape) {
  Shape result = WithoutLayout(shape);
  int64_t i = 0;
  for (const int64_t d : MajorToMinor(shape)) {
    result.set_dimension(i++, shape.dimension(d));
  }
  return result;
}

DimensionVector InverseOf(const DimensionVector& permutation) {
  DimensionVector inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

// Whether `text` is "{key = value}" as MLIR writes it.
bool IsAttributeDictionary(absl::string_view text) {
  if (!absl::StartsWith(text, "{")) return false;
  Diagnostics diagnostics;
  const std::string module =
      absl::StrCat("#config = ", text, "\nfunc.func @f() {return}");
  return Parser(module, &diagnostics).ParseModule() != nullptr;
}

// "dense<[1, 0]> : tensor<2xindex>".
std::string LayoutText(const DimensionVector& minor_to_major) {
  return absl::StrCat(
      "dense<", minor_to_major.empty() ? "" : IntegerListText(minor_to_major),
      "> : tensor<", minor_to_major.size(), "xindex>");
}

}  // namespace

void Printer::PrintSame(const Instruction& instruction) {
  SetValues(instruction, ValuesOf(*instruction.operand(0)));
}

void Printer::PrintTuple(const Instruction& instruction) {
  SetValues(instruction, OperandsOf(instruction));
}

void Printer::PrintGetTupleElement(const Instruction& instruction) {
  SetValues(instruction,
            ElementOf(*instruction.operand(0), instruction.index()));
}

void Printer::PrintConstant(const Instruction& instruction) {
  Values values;
  for (const hlo::Literal* leaf : instruction.value().Leaves()) {
    if (leaf->is_elided()) {
      return Refuse(instruction, "its elements are left out, '{...}'");
    }
    if (!leaf->shape().IsArray() || leaf->shape().IsDynamic()) {
      return Refuse(instruction, "constants are arrays of known sizes");
    }
    const Operation operation = {.instruction = &instruction,
                                 .name = "stablehlo.constant",
                                 .result_name = instruction.name(),
                                 .result_types = {TypeText(leaf->shape())}};
    if (!CanPrint(operation)) {
      return SetValues(instruction, NoValues(LeafTypes(instruction.shape())));
    }
    values.push_back(PrintResultNames(operation)[0]);
    const std::vector<std::string> notes = NotesOf(instruction);
    absl::StrAppend(&text_, operation.name, " ", notes.empty() ? "" : "{",
                    absl::StrJoin(notes, ", "), notes.empty() ? "" : "} ",
                    DenseText(*leaf));
    EndLine(instruction);
  }
  SetValues(instruction, std::move(values));
}

// The elements as memory has them, read in another shape.
void Printer::PrintBitcast(const Instruction& instruction) {
  const Shape& from = instruction.operand_shape(0);
  const Shape& to = instruction.shape();
  const ElementType from_type = from.element_type();
  const ElementType to_type = to.element_type();
  const int64_t from_bits = from.BufferElementBits();
  const int64_t to_bits = to.BufferElementBits();
  const auto is_plain = [](ElementType type) {
    return type != ElementType::kPred && hlo::InfoOf(type).bits % 8 == 0;
  };
  if (from_type != to_type ? !is_plain(from_type) || !is_plain(to_type)
                           : from_bits != to_bits) {
    return Refuse(instruction, "the elements are of less than a byte");
  }
  Value value = ValuesOf(*instruction.operand(0))[0];
  Shape shape = WithoutLayout(from);
  const auto step = [&](absl::string_view name, std::string after,
                        Shape result) {
    value = PrintStep(instruction, absl::StrCat("stablehlo.", name), value,
                      std::move(after), result);
    shape = std::move(result);
  };
  const auto reshape = [&](Shape result) {
    if (result != shape) step("reshape", "", std::move(result));
  };
  if (!from.HasDefaultLayout()) {
    step("transpose",
         absl::StrCat(", dims = ", IntegerListText(MajorToMinor(from))),
         InMemory(from));
  }
  if (from_bits > to_bits) {
    // Each element becomes several, along a new dimension.
    DimensionVector sizes(shape.dimensions().begin(), shape.dimensions().end());
    sizes.push_back(from_bits / to_bits);
    step("bitcast_convert", "", Shape::Array(to_type, sizes));
  } else if (from_type != to_type) {
    const int64_t ratio = to_bits / from_bits;
    const int64_t count = from.ElementCount() / ratio;
    if (ratio > 1) reshape(Shape::Array(from_type, {count, ratio}));
    step("bitcast_convert", "",
         ratio > 1 ? Shape::Array(to_type, {count})
                   : WithElementType(shape, to_type));
  }
  reshape(InMemory(to));
  if (!to.HasDefaultLayout()) {
    step(
        "transpose",
        absl::StrCat(", dims = ", IntegerListText(InverseOf(MajorToMinor(to)))),
        WithoutLayout(to));
  }
  SetValues(instruction, {std::move(value)});
}

// A pred takes a byte in HLO and a bit in StableHLO: it is converted.
void Printer::PrintBitcastConvert(const Instruction& instruction) {
  Shape from = WithoutLayout(instruction.operand_shape(0));
  const Shape to = WithoutLayout(instruction.shape());
  Value value = ValuesOf(*instruction.operand(0))[0];
  if (from == to) return SetValues(instruction, {std::move(value)});
  if (from.element_type() == ElementType::kPred) {
    from.set_element_type(ElementType::kU8);
    value = PrintStep(instruction, "stablehlo.convert", value, "", from);
  }
  const bool is_to_pred = to.element_type() == ElementType::kPred;
  const Shape bits = is_to_pred ? WithElementType(to, ElementType::kU8) : to;
  if (from != bits) {
    value =
        PrintStep(instruction, "stablehlo.bitcast_convert", value, "", bits);
  }
  if (is_to_pred) {
    value = PrintStep(instruction, "stablehlo.convert", value, "", to);
  }
  SetValues(instruction, {std::move(value)});
}

// The sizes are one array there.
void Printer::PrintDynamicReshape(const Instruction& instruction) {
  const Value& value = ValuesOf(*instruction.operand(0))[0];
  const Shape& shape = instruction.shape();
  if (shape.rank() == 0) {
    return SetValues(instruction, {PrintStep(instruction, "stablehlo.reshape",
                                             value, "", shape)});
  }
  Operation sizes = {.instruction = &instruction,
                     .name = "stablehlo.concatenate",
                     .details = {.after = ", dim = 0"},
                     .result_name = absl::StrCat(instruction.name(), ".sizes"),
                     .result_types = {TypeText(
                         Shape::Array(ElementType::kS32, {shape.rank()}))}};
  for (int64_t i = 1; i < instruction.operand_count(); ++i) {
    sizes.operands.push_back(PrintStep(instruction, "stablehlo.reshape",
                                       ValuesOf(*instruction.operand(i))[0], "",
                                       Shape::Array(ElementType::kS32, {1})));
  }
  Operation reshape = OperationOf(instruction, "stablehlo.dynamic_reshape",
                                  OperationForm::kFunctionType);
  reshape.operands = {value, Print(sizes)[0]};
  SetValues(instruction, Print(reshape));
}

// The sizes are an operand there.
void Printer::PrintRng(const Instruction& instruction) {
  Operation operation =
      OperationOf(instruction, "stablehlo.rng", OperationForm::kFunctionType);
  const Shape& shape = instruction.shape();
  const Shape sizes = Shape::Array(ElementType::kS64, {shape.rank()});
  const Values value = PrintResultNames(
      {.instruction = &instruction,
       .result_name = absl::StrCat(instruction.name(), ".sizes"),
       .result_types = {TypeText(sizes)}});
  absl::StrAppend(&text_, "stablehlo.constant ",
                  DenseText(sizes.dimensions(), shape.dimensions()));
  EndLine(instruction);
  operation.operands.push_back(value[0]);
  const bool is_normal =
      instruction.distribution() == hlo::RandomDistribution::kNormal;
  operation.details.after =
      absl::StrCat(", distribution = ", is_normal ? "NORMAL" : "UNIFORM");
  SetValues(instruction, Print(operation));
}

// The smallest elements are the first of a stable sort with their positions.
void Printer::PrintTopK(const Instruction& instruction) {
  if (instruction.largest()) return PrintByTable(instruction);
  const Shape& shape = instruction.operand_shape(0);
  const int64_t last = shape.rank() - 1;
  const Shape positions = WithElementType(shape, ElementType::kS32);
  Operation iota = {.instruction = &instruction,
                    .name = "stablehlo.iota",
                    .form = OperationForm::kResultTypes,
                    .details = {.before = absl::StrCat("dim = ", last)},
                    .result_name = absl::StrCat(instruction.name(), ".iota"),
                    .result_types = {TypeText(positions)}};
  Operation sort = {.instruction = &instruction,
                    .name = "stablehlo.sort",
                    .form = OperationForm::kGeneric,
                    .operands = OperandsOf(instruction),
                    .result_name = absl::StrCat(instruction.name(), ".sort"),
                    .result_types = {TypeText(shape), TypeText(positions)}};
  if (!CanPrint(sort)) {
    return SetValues(instruction, NoValues(LeafTypes(instruction.shape())));
  }
  sort.operands.push_back(Print(iota)[0]);
  const Values sorted = PrintResultNames(sort);
  absl::StrAppend(&text_, "\"stablehlo.sort\"(", sort.operands[0].name, ", ",
                  sort.operands[1].name, ") <{dimension = ", last,
                  " : i64, is_stable = true}> ({\n");
  PrintComparator(shape.element_type());
  StartLine();
  text_.append("}) : ");
  PrintTypes(sort);
  EndLine(instruction);
  std::vector<std::string> ranges;
  for (int64_t d = 0; d <= last; ++d) {
    ranges.push_back(
        absl::StrCat("0:", d == last ? instruction.k() : shape.dimension(d)));
  }
  const std::string range =
      absl::StrCat(" [", absl::StrJoin(ranges, ", "), "]");
  Values values;
  for (int64_t i = 0; i < 2; ++i) {
    values.push_back(PrintStep(instruction, "stablehlo.slice",
                               sorted[static_cast<size_t>(i)], range,
                               instruction.shape().element(i)));
  }
  SetValues(instruction, std::move(values));
}

// Whether the first of four arguments comes before the second, in total order;
// the others are positions.
void Printer::PrintComparator(ElementType type) {
  const std::string element = TypeText(Shape::Scalar(type));
  const std::string position = TypeText(Shape::Scalar(ElementType::kS32));
  const std::string truth = TypeText(Shape::Scalar(ElementType::kPred));
  const Values arguments = NewValues(
      "arg", std::vector<std::string>{element, element, position, position});
  StartLine();
  text_.append("^bb0(");
  for (const Value& argument : arguments) {
    absl::StrAppend(&text_, &argument == arguments.data() ? "" : ", ",
                    argument.name, ": ", argument.type);
  }
  text_.append("):\n");
  ++depth_;
  const std::string less = absl::StrCat("%", NewName("less"));
  StartLine();
  absl::StrAppend(&text_, less, " = stablehlo.compare LT, ", arguments[0].name,
                  ", ", arguments[1].name, ", ",
                  hlo::IsFloat(type) ? "TOTALORDER"
                                     : TextOf(hlo::DefaultComparisonType(type)),
                  " : (", element, ", ", element, ") -> ", truth, "\n");
  StartLine();
  absl::StrAppend(&text_, "stablehlo.return ", less, " : ", truth, "\n");
  --depth_;
}

Printer::Value Printer::PackTuple(const Instruction& instruction,
                                  const Shape& shape,
                                  absl::Span<const Value>* leaves) {
  if (!shape.IsTuple()) {
    const Value& leaf = leaves->front();
    leaves->remove_prefix(1);
    return leaf;
  }
  Operation operation = {.instruction = &instruction,
                         .name = "stablehlo.tuple",
                         .form = OperationForm::kResultTypes,
                         .result_name = "tuple",
                         .result_types = {TypeText(shape)}};
  for (const Shape& element : shape.elements()) {
    operation.operands.push_back(PackTuple(instruction, element, leaves));
  }
  return Print(operation)[0];
}

void Printer::UnpackTuple(const Instruction& instruction, const Shape& shape,
                          const Value& value, Values* leaves) {
  if (!shape.IsTuple()) return leaves->push_back(value);
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const Value element =
        PrintStep(instruction, "stablehlo.get_tuple_element", value,
                  absl::StrCat("[", i, "]"), shape.element(i));
    UnpackTuple(instruction, shape.element(i), element, leaves);
  }
}

// Routines see tuples as they are: only that of several results is not one.
void Printer::PrintCustomCall(const Instruction& instruction) {
  constexpr std::array kUnsaid = {AttributeId::kWindow,
                                  AttributeId::kDimLabels,
                                  AttributeId::kFeatureGroupCount,
                                  AttributeId::kBatchGroupCount,
                                  AttributeId::kOperandPrecision,
                                  AttributeId::kLiteral,
                                  AttributeId::kPaddingType,
                                  AttributeId::kSchedule};
  for (const AttributeId id : kUnsaid) {
    if (instruction.FindValue(id) == nullptr) continue;
    return Refuse(instruction, absl::StrCat("its custom calls have no '",
                                            hlo::TextOf(id), "'"));
  }
  Operation operation = OperationOf(instruction, "stablehlo.custom_call",
                                    OperationForm::kFunctionType);
  if (!CanPrint(operation)) {
    return SetValues(instruction, NoValues(operation.result_types));
  }
  operation.operands.clear();
  for (const Instruction* operand : instruction.operands()) {
    absl::Span<const Value> leaves = ValuesOf(*operand);
    operation.operands.push_back(
        PackTuple(instruction, operand->shape(), &leaves));
  }
  const Shape& shape = instruction.shape();
  const bool is_list = shape.IsTuple() && shape.element_count() != 1;
  const std::vector<Shape> results =
      is_list ? shape.elements() : std::vector<Shape>{shape};
  operation.result_types.clear();
  for (const Shape& result : results) {
    operation.result_types.push_back(TypeText(result));
  }
  AddCallDetails(instruction, &operation);
  if (instruction.has_operand_layout_constraints() &&
      !AddCallLayouts(instruction, results, &operation)) {
    return Refuse(instruction,
                  "layouts of its custom calls are orders of dimensions of "
                  "arrays");
  }
  const Values values = Print(operation);
  Values leaves;
  for (size_t i = 0; i < results.size(); ++i) {
    UnpackTuple(instruction, results[i], values[i], &leaves);
  }
  SetValues(instruction, std::move(leaves));
}

void Printer::AddCallDetails(const Instruction& call, Operation* operation) {
  OperationDetails& details = operation->details;
  details.before = SymbolText(call.custom_call_target());
  details.has_parentheses = true;
  const hlo::CustomCallApiVersion version = call.api_version();
  if (version != hlo::CustomCallApiVersion::kOriginal) {
    details.Add("api_version",
                absl::StrCat(static_cast<int>(version) + 1, " : i32"));
  }
  if (call.custom_call_has_side_effect()) {
    details.Add("has_side_effect", "true");
  }
  if (call.has_backend_config()) {
    // Dictionaries are for the typed interface, texts for the others.
    const std::string& config = call.backend_config();
    const bool is_typed = version == hlo::CustomCallApiVersion::kTypedFfi;
    const bool is_dictionary = is_typed && IsAttributeDictionary(config);
    details.Add(
        is_typed && !is_dictionary ? "mhlo.backend_config" : "backend_config",
        is_dictionary ? config : StringText(config));
  }
  std::vector<std::string> functions;
  for (const hlo::Computation* function : call.called_computation_list()) {
    functions.push_back(FunctionOf(*function));
  }
  if (!functions.empty()) {
    details.Add("called_computations",
                absl::StrCat("[", absl::StrJoin(functions, ", "), "]"));
  }
  std::vector<std::string> aliases;
  for (const hlo::OutputOperandAlias& alias :
       call.output_to_operand_aliasing()) {
    aliases.push_back(absl::StrCat(
        "#stablehlo.output_operand_alias<output_tuple_indices = ",
        IntegerListText(alias.output_index),
        ", operand_index = ", alias.operand, ", operand_tuple_indices = ",
        IntegerListText(alias.operand_index), ">"));
  }
  if (!aliases.empty()) {
    details.Add("output_operand_aliases",
                absl::StrCat("[", absl::StrJoin(aliases, ", "), "]"));
  }
}

// False for layouts of tuples, and for more than an order of dimensions.
bool Printer::AddCallLayouts(const Instruction& call,
                             absl::Span<const Shape> results,
                             Operation* operation) {
  const auto add = [&](absl::string_view key, absl::Span<const Shape> shapes) {
    std::vector<std::string> layouts;
    for (const Shape& shape : shapes) {
      if (shape.IsTuple() || (shape.IsArray() && shape.layout().properties)) {
        return false;
      }
      layouts.push_back(LayoutText(
          shape.IsArray() ? shape.layout().minor_to_major : DimensionVector()));
    }
    operation->details.Add(
        key, absl::StrCat("[", absl::StrJoin(layouts, ", "), "]"));
    return true;
  };
  return add("operand_layouts", call.operand_layout_constraints()) &&
         add("result_layouts", results);
}

}  // namespace hilo::stablehlo
