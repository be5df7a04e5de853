// Prints attribute values, one function per kind.
#include "hlo/text/print_attribute.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"
#include "hlo/text/printer.h"
#include "runtime/base/format_element.h"

namespace hilo::hlo {
namespace {

// Appends "{", the elements with `separator` between them, "}".
template <typename Container, typename Append>
void AppendBraced(const Container& container, absl::string_view separator,
                  Append append, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const auto& element : container) {
    if (!first) absl::StrAppend(out, separator);
    first = false;
    append(element);
  }
  out->push_back('}');
}

// Appends one window sub-attribute "name=AxBxC" unless all are the default.
template <typename Get>
void AppendWindowPart(const Window& window, absl::string_view name,
                      absl::string_view default_text, Get get,
                      std::string* out) {
  std::string text;
  bool all_default = true;
  for (const WindowDimension& dimension : window.dimensions) {
    const std::string part = get(dimension);
    all_default = all_default && part == default_text;
    absl::StrAppend(&text, text.empty() ? "" : "x", part);
  }
  if (all_default) return;
  absl::StrAppend(out, out->back() == '{' ? "" : " ", name, "=", text);
}

void AppendWindow(const Window& window, std::string* out) {
  using D = WindowDimension;
  out->push_back('{');
  AppendWindowPart(
      window, "size", "", [](const D& d) { return absl::StrCat(d.size); }, out);
  AppendWindowPart(
      window, "stride", "1", [](const D& d) { return absl::StrCat(d.stride); },
      out);
  AppendWindowPart(
      window, "pad", "0_0",
      [](const D& d) {
        return absl::StrCat(d.padding_low, "_", d.padding_high);
      },
      out);
  AppendWindowPart(
      window, "lhs_dilate", "1",
      [](const D& d) { return absl::StrCat(d.base_dilation); }, out);
  AppendWindowPart(
      window, "rhs_dilate", "1",
      [](const D& d) { return absl::StrCat(d.window_dilation); }, out);
  AppendWindowPart(
      window, "rhs_reversal", "0",
      [](const D& d) { return std::string(d.reversed ? "1" : "0"); }, out);
  out->push_back('}');
}

// One side of dim_labels: "b01f".
std::string DimLabelsSide(int64_t first, char first_label, int64_t second,
                          char second_label, const DimensionVector& spatial,
                          const DimensionVector& unknown) {
  const size_t rank = 2 + spatial.size() + unknown.size();
  std::vector<std::string> labels(rank, "?");
  const auto put = [&](int64_t place, std::string label) {
    if (place >= 0 && std::cmp_less(place, rank)) {
      labels[place] = std::move(label);
    }
  };
  put(first, std::string(1, first_label));
  put(second, std::string(1, second_label));
  for (size_t i = 0; i < spatial.size(); ++i) {
    put(spatial[i], absl::StrCat(i));
  }
  return absl::StrJoin(labels, "");
}

void AppendDimLabels(const ConvolutionDimensionNumbers& n, std::string* out) {
  absl::StrAppend(
      out,
      DimLabelsSide(n.input_batch, 'b', n.input_feature, 'f', n.input_spatial,
                    n.input_unknown),
      "_",
      DimLabelsSide(n.kernel_input_feature, 'i', n.kernel_output_feature, 'o',
                    n.kernel_spatial, n.kernel_unknown),
      "->",
      DimLabelsSide(n.output_batch, 'b', n.output_feature, 'f',
                    n.output_spatial, n.output_unknown));
}

void AppendPadding(const PaddingConfig& padding, std::string* out) {
  const bool interior = std::ranges::any_of(
      padding, [](const PaddingDimension& d) { return d.interior != 0; });
  for (size_t i = 0; i < padding.size(); ++i) {
    absl::StrAppend(out, i > 0 ? "x" : "", padding[i].low, "_",
                    padding[i].high);
    if (interior) absl::StrAppend(out, "_", padding[i].interior);
  }
}

void AppendSlices(const SliceDimensions& slices, std::string* out) {
  const bool strides = std::ranges::any_of(
      slices, [](const SliceDimension& d) { return d.stride != 1; });
  AppendBraced(
      slices, ", ",
      [&](const SliceDimension& d) {
        absl::StrAppend(out, "[", d.start, ":", d.limit);
        if (strides) absl::StrAppend(out, ":", d.stride);
        out->push_back(']');
      },
      out);
}

void AppendAliasing(const OutputOperandAliasing& aliasing, std::string* out) {
  out->append("{");
  for (size_t i = 0; i < aliasing.size(); ++i) {
    out->append(i > 0 ? ", " : " ");
    AppendIntList(aliasing[i].output_index, out);
    absl::StrAppend(out, ": (", aliasing[i].operand, ", ");
    AppendIntList(aliasing[i].operand_index, out);
    out->push_back(')');
  }
  out->append(" }");
}

void AppendMetadata(const Metadata& m, std::string* out) {
  out->push_back('{');
  const auto key = [&](absl::string_view name) {
    absl::StrAppend(out, out->back() == '{' ? "" : " ", name, "=");
  };
  const auto text = [&](absl::string_view name, const std::string& value) {
    if (value.empty()) return;
    key(name);
    AppendQuoted(value, out);
  };
  const auto number = [&](absl::string_view name, int64_t value) {
    if (value == 0) return;
    key(name);
    absl::StrAppend(out, value);
  };
  text("op_type", m.op_type);
  text("op_name", m.op_name);
  text("source_file", m.source_file);
  number("source_line", m.source_line);
  number("source_end_line", m.source_end_line);
  number("source_column", m.source_column);
  number("source_end_column", m.source_end_column);
  if (!m.profile_type.empty()) {
    key("profile_type");
    AppendIntList(m.profile_type, out);
  }
  text("deduplicated_name", m.deduplicated_name);
  text("scheduling_name", m.scheduling_name);
  number("stack_frame_id", m.stack_frame_id);
  text("metadata_payload", m.metadata_payload);
  out->push_back('}');
}

void AppendStatistics(const Statistics& statistics, std::string* out) {
  absl::StrAppend(out, "{visualizing_index=", statistics.visualizing_index);
  for (const auto& [name, value] : statistics.values) {
    absl::StrAppend(out, ",", name, "=", FormatElement<double>(value));
  }
  out->push_back('}');
}

void AppendResultAccuracy(const ResultAccuracy& accuracy, std::string* out) {
  if (!accuracy.has_tolerance) {
    absl::StrAppend(out, "{mode=", accuracy.highest ? "highest" : "default",
                    "}");
    return;
  }
  absl::StrAppend(out, "{tolerance={atol=", FormatElement(accuracy.atol),
                  ",rtol=", FormatElement(accuracy.rtol),
                  ",ulps=", accuracy.ulps, "}}");
}

void AppendOperandSparsity(absl::string_view side, const OperandSparsity& s,
                           std::string* out) {
  absl::StrAppend(out, out->back() == '{' ? "" : " ", side,
                  "={sparsity=", s.non_zero_count, "x", s.block_size,
                  " dimension=", s.dimension, " stride=", s.stride);
  if (s.index_operand != 0) absl::StrAppend(out, " idx=", s.index_operand);
  out->push_back('}');
}

void AppendShapeAndLiteral(const Literal& literal, std::string* out) {
  if (!literal.IsTuple()) {
    AppendTo(literal.shape(), /*with_layout=*/true, /*index_comments=*/false,
             out);
    absl::StrAppend(out, " ", Print(literal));
    return;
  }
  out->push_back('(');
  for (size_t i = 0; i < literal.elements().size(); ++i) {
    if (i > 0) out->append(", ");
    AppendShapeAndLiteral(literal.elements()[i], out);
  }
  out->push_back(')');
}

// One overload per C++ type of attribute_kinds.def.
class ValuePrinter {
 public:
  ValuePrinter(const ReferencePrinter& references, std::string* out)
      : references_(references), out_(out) {}

  void operator()(bool v) { out_->append(v ? "true" : "false"); }
  void operator()(int64_t v) { absl::StrAppend(out_, v); }
  void operator()(double v) { AppendElement<double>(v, out_); }
  void operator()(const std::string& v) { AppendQuoted(v, out_); }
  void operator()(const DimensionVector& v) { AppendIntList(v, out_); }
  void operator()(const std::vector<DimensionVector>& v) {
    AppendBraced(v, ",", *this, out_);
  }
  void operator()(const std::vector<bool>& v) {
    AppendBraced(v, ",", [&](bool b) { (*this)(b); }, out_);
  }
  void operator()(Computation* const& v) {
    absl::StrAppend(out_, references_.computation(*v));
  }
  void operator()(const std::vector<Computation*>& v) {
    AppendBraced(v, ", ", *this, out_);
  }
  void operator()(const std::vector<Instruction*>& v) {
    AppendBraced(
        v, ", ",
        [&](const Instruction* i) {
          absl::StrAppend(out_, references_.instruction(*i));
        },
        out_);
  }
  void operator()(const Shape& v) { AppendTo(v, true, true, out_); }
  void operator()(const std::vector<Shape>& v) {
    AppendBraced(v, ", ", *this, out_);
  }
  void operator()(const Literal& v) { AppendShapeAndLiteral(v, out_); }
  void operator()(const Window& v) { AppendWindow(v, out_); }
  void operator()(const ConvolutionDimensionNumbers& v) {
    AppendDimLabels(v, out_);
  }
  void operator()(const PaddingConfig& v) { AppendPadding(v, out_); }
  void operator()(const SliceDimensions& v) { AppendSlices(v, out_); }
  void operator()(const OutputOperandAliasing& v) { AppendAliasing(v, out_); }
  void operator()(const Metadata& v) { AppendMetadata(v, out_); }
  void operator()(const FrontendAttributes& v) {
    AppendFrontendAttributes(v, out_);
  }
  void operator()(const Sharding& v) { AppendSharding(v, out_); }
  void operator()(const ReplicaGroups& v) { AppendReplicaGroups(v, out_); }
  void operator()(const Domain& v) {
    out_->append("{kind=\"sharding\", entry=");
    AppendSharding(v.entry, out_);
    out_->append(", exit=");
    AppendSharding(v.exit, out_);
    out_->push_back('}');
  }
  void operator()(const Statistics& v) { AppendStatistics(v, out_); }
  void operator()(const ResultAccuracy& v) { AppendResultAccuracy(v, out_); }
  void operator()(const SparsityConfig& v) {
    out_->push_back('{');
    if (v.lhs) AppendOperandSparsity("lhs", *v.lhs, out_);
    if (v.rhs) AppendOperandSparsity("rhs", *v.rhs, out_);
    out_->push_back('}');
  }
  void operator()(const PrecisionList& v) { AppendBraced(v, ",", *this, out_); }
  void operator()(const RawText& v) { out_->append(v.text); }
  template <typename Enum>
    requires std::is_enum_v<Enum>
  void operator()(Enum v) {
    absl::StrAppend(out_, TextOf(v));
  }

 private:
  const ReferencePrinter& references_;
  std::string* out_;
};

// Whether a scan for the brace that matches the first one, skipping
// double-quoted strings, ends exactly at the last byte.
bool ReadsAsDictionary(absl::string_view text) {
  if (text.empty() || text[0] != '{') return false;
  int64_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '\0') return false;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

}  // namespace

void AppendAttributeValue(const AttributeValue& value,
                          const ReferencePrinter& references,
                          std::string* out) {
  VisitAttribute(value, [&](auto, const auto& v) {
    ValuePrinter printer(references, out);
    printer(v);
  });
}

void AppendQuoted(absl::string_view text, std::string* out) {
  out->push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out->append("\\n");
    } else if (c == '\r') {
      out->append("\\r");
    } else if (c == '\t') {
      out->append("\\t");
    } else if (c == '"' || c == '\'' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (byte < 0x20 || byte > 0x7e) {
      absl::StrAppendFormat(out, "\\%03o", byte);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

void AppendTextOrDictionary(absl::string_view text, std::string* out) {
  if (ReadsAsDictionary(text)) {
    absl::StrAppend(out, text);
  } else {
    AppendQuoted(text, out);
  }
}

void AppendFrontendAttributes(const FrontendAttributes& attributes,
                              std::string* out) {
  AppendBraced(
      attributes, ",",
      [&](const std::pair<std::string, std::string>& entry) {
        absl::StrAppend(out, entry.first, "=");
        AppendTextOrDictionary(entry.second, out);
      },
      out);
}

void AppendIntList(absl::Span<const int64_t> values, std::string* out) {
  absl::StrAppend(out, "{", absl::StrJoin(values, ","), "}");
}

}  // namespace hilo::hlo
