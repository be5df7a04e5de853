// Values of attributes that have a structure of their own.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "hlo/text/attribute_parser.h"
#include "hlo/text/lexer.h"
#include "hlo/text/shape_parser.h"
#include "hlo/text/token_reader.h"
#include "hlo/text/value_parsers.h"
#include "runtime/base/box.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo::value_parsers {
namespace {

// Reads a whole piece of a token as an integer.
bool IntFromText(absl::string_view text, int64_t* value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *value);
  return result.ec == std::errc() && result.ptr == end;
}

// Reads "3x3", or "3".
bool ParseSizes(TokenReader& reader, DimensionVector* sizes) {
  if (!reader.Is(TokenKind::kSizes) && !reader.Is(TokenKind::kInt)) {
    return reader.FailExpected("sizes such as 3x3");
  }
  for (const absl::string_view part :
       absl::StrSplit(reader.token().text, 'x')) {
    int64_t size = 0;
    if (!IntFromText(part, &size)) {
      return reader.Fail(
          reader.offset(),
          absl::StrCat("integer ", Quoted(part), " does not fit in 64 bits"));
    }
    sizes->push_back(size);
  }
  reader.Advance();
  return true;
}

// Reads "0_1x-1_2_3".
bool ParsePads(TokenReader& reader, PaddingConfig* padding) {
  if (!reader.Is(TokenKind::kPadding)) {
    return reader.FailExpected("padding such as 0_1x0_1");
  }
  for (const absl::string_view entry :
       absl::StrSplit(reader.token().text, 'x')) {
    PaddingDimension dimension;
    const std::array<int64_t*, 3> parts = {&dimension.low, &dimension.high,
                                           &dimension.interior};
    size_t i = 0;
    for (const absl::string_view part : absl::StrSplit(entry, '_')) {
      if (!IntFromText(part, parts[i++])) {
        return reader.Fail(
            reader.offset(),
            absl::StrCat("integer ", Quoted(part), " does not fit in 64 bits"));
      }
    }
    padding->push_back(dimension);
  }
  reader.Advance();
  return true;
}

// The sub-attributes of a window as they are written.
struct WindowText {
  DimensionVector size;
  DimensionVector stride;
  PaddingConfig pad;
  DimensionVector lhs_dilate;
  DimensionVector rhs_dilate;
  DimensionVector rhs_reversal;
};

bool ParseWindowPart(TokenReader& reader, absl::string_view name,
                     WindowText* text) {
  using List = std::pair<absl::string_view, DimensionVector*>;
  const auto lists = std::to_array<List>({
      {"size", &text->size},
      {"stride", &text->stride},
      {"lhs_dilate", &text->lhs_dilate},
      {"rhs_dilate", &text->rhs_dilate},
      {"rhs_reversal", &text->rhs_reversal},
  });
  const int64_t place = reader.offset();
  if (name == "pad") {
    if (!text->pad.empty()) return reader.Fail(place, "'pad=' is repeated");
    reader.Advance();
    return ParsePads(reader, &text->pad);
  }
  for (const auto& [list_name, list] : lists) {
    if (list_name != name) continue;
    if (!list->empty()) {
      return reader.Fail(place, absl::StrCat("'", name, "=' is repeated"));
    }
    reader.Advance();
    return ParseSizes(reader, list);
  }
  return reader.FailExpected(
      "size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal",
      SuggestNearest(name, {"size", "stride", "pad", "lhs_dilate", "rhs_dilate",
                            "rhs_reversal"}));
}

// Puts the sub-attributes together.
bool BuildWindow(TokenReader& reader, int64_t place, const WindowText& text,
                 Window* window) {
  const size_t rank = text.size.size();
  const auto fits = [&](size_t count, absl::string_view name) {
    if (count == 0 || count == rank) return true;
    return reader.Fail(place, absl::StrCat("window: ", name, " has ", count,
                                           " entries, size has ", rank));
  };
  if (!fits(text.stride.size(), "stride") || !fits(text.pad.size(), "pad") ||
      !fits(text.lhs_dilate.size(), "lhs_dilate") ||
      !fits(text.rhs_dilate.size(), "rhs_dilate") ||
      !fits(text.rhs_reversal.size(), "rhs_reversal")) {
    return false;
  }
  for (size_t i = 0; i < rank; ++i) {
    WindowDimension& dimension = window->dimensions.emplace_back();
    dimension.size = text.size[i];
    if (!text.stride.empty()) dimension.stride = text.stride[i];
    if (!text.pad.empty()) {
      dimension.padding_low = text.pad[i].low;
      dimension.padding_high = text.pad[i].high;
    }
    if (!text.lhs_dilate.empty()) dimension.base_dilation = text.lhs_dilate[i];
    if (!text.rhs_dilate.empty()) {
      dimension.window_dilation = text.rhs_dilate[i];
    }
    dimension.reversed =
        !text.rhs_reversal.empty() && text.rhs_reversal[i] == 1;
  }
  return true;
}

// The labels of one side by position; `letters` are those of its two special
// dimensions, which end up in `*first` and `*second`.
bool SplitLabels(absl::string_view labels, absl::string_view letters,
                 int64_t* first, int64_t* second, DimensionVector* spatial,
                 DimensionVector* unknown) {
  *first = *second = -1;
  int64_t spatial_count = 0;
  for (const char c : labels) spatial_count += c >= '0' && c <= '9' ? 1 : 0;
  spatial->assign(spatial_count, -1);
  for (size_t i = 0; i < labels.size(); ++i) {
    const char c = labels[i];
    const auto position = static_cast<int64_t>(i);
    if (c == '?') {
      unknown->push_back(position);
      continue;
    }
    int64_t* slot = nullptr;
    if (c == letters[0]) slot = first;
    if (c == letters[1]) slot = second;
    if (c >= '0' && c <= '9' && c - '0' < spatial_count) {
      slot = &(*spatial)[c - '0'];
    }
    if (slot == nullptr || *slot != -1) return false;
    *slot = position;
  }
  return *first != -1 && *second != -1;
}

}  // namespace

bool ParseWindow(ValueContext& context, Window* value) {
  TokenReader& reader = context.reader;
  const int64_t place = reader.offset();
  if (!reader.Expect(TokenKind::kLeftBrace, "before a window")) return false;
  WindowText text;
  while (!reader.Accept(TokenKind::kRightBrace)) {
    if (!reader.Is(TokenKind::kAttributeName)) {
      return reader.FailExpected("a part of the window, such as size=, or '}'");
    }
    if (!ParseWindowPart(reader, reader.token().text, &text)) return false;
  }
  return BuildWindow(reader, place, text, value);
}

bool ParseConvolutionDimensionNumbers(ValueContext& context,
                                      ConvolutionDimensionNumbers* value) {
  TokenReader& reader = context.reader;
  if (!reader.Is(TokenKind::kDimLabels)) {
    return reader.FailExpected("dimension labels such as b01f_01io->b01f");
  }
  const absl::string_view text = reader.token().text;
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  const absl::string_view lhs = text.substr(0, underscore);
  const absl::string_view rhs =
      text.substr(underscore + 1, arrow - underscore - 1);
  const absl::string_view output = text.substr(arrow + 2);
  if (lhs.size() != rhs.size() || lhs.size() != output.size()) {
    return reader.Fail(
        reader.offset(),
        absl::StrCat("dim_labels: ranks differ: lhs ", lhs.size(), ", rhs ",
                     rhs.size(), ", output ", output.size()));
  }
  const auto fail = [&](absl::string_view side, absl::string_view labels,
                        absl::string_view letters) {
    return reader.Fail(
        reader.offset(),
        absl::StrCat("dim_labels: ", side, " ", Quoted(labels), " must have '",
                     letters.substr(0, 1), "', '", letters.substr(1),
                     "' and the digits from 0 on, each once"));
  };
  ConvolutionDimensionNumbers& n = *value;
  if (!SplitLabels(lhs, "bf", &n.input_batch, &n.input_feature,
                   &n.input_spatial, &n.input_unknown)) {
    return fail("lhs", lhs, "bf");
  }
  if (!SplitLabels(rhs, "io", &n.kernel_input_feature, &n.kernel_output_feature,
                   &n.kernel_spatial, &n.kernel_unknown)) {
    return fail("rhs", rhs, "io");
  }
  if (!SplitLabels(output, "bf", &n.output_batch, &n.output_feature,
                   &n.output_spatial, &n.output_unknown)) {
    return fail("output", output, "bf");
  }
  reader.Advance();
  return true;
}

bool ParsePaddingConfig(ValueContext& context, PaddingConfig* value) {
  return ParsePads(context.reader, value);
}

bool ParseSliceDimensions(ValueContext& context, SliceDimensions* value) {
  TokenReader& reader = context.reader;
  if (!reader.Expect(TokenKind::kLeftBrace, "before a slice")) return false;
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  do {
    SliceDimension dimension;
    if (!reader.Expect(TokenKind::kLeftBracket, "before start:limit:stride") ||
        !reader.ReadInt(&dimension.start, "a start index") ||
        !reader.Expect(TokenKind::kColon, "after a start index") ||
        !reader.ReadInt(&dimension.limit, "a limit index")) {
      return false;
    }
    if (reader.Accept(TokenKind::kColon) &&
        !reader.ReadInt(&dimension.stride, "a stride")) {
      return false;
    }
    if (!reader.Expect(TokenKind::kRightBracket, "after start:limit:stride")) {
      return false;
    }
    value->push_back(dimension);
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, "after a slice");
}

bool ParseOutputOperandAliasing(ValueContext& context,
                                OutputOperandAliasing* value) {
  TokenReader& reader = context.reader;
  if (!reader.Expect(TokenKind::kLeftBrace, "before aliases")) return false;
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  do {
    OutputOperandAlias alias;
    if (!ParseShapeIndex(reader, &alias.output_index) ||
        !reader.Expect(TokenKind::kColon, "after an output's index") ||
        !ParseAliasTarget(reader, &alias.operand, &alias.operand_index) ||
        !reader.Expect(TokenKind::kRightParen, "after an operand's index")) {
      return false;
    }
    value->push_back(std::move(alias));
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, "after aliases");
}

bool ParseStatistics(ValueContext& context, Statistics* value) {
  TokenReader& reader = context.reader;
  if (!reader.Expect(TokenKind::kLeftBrace, "before statistics")) return false;
  if (!reader.AcceptAttribute("visualizing_index")) {
    return reader.FailExpected("visualizing_index=");
  }
  if (!reader.ReadInt(&value->visualizing_index)) return false;
  while (reader.Accept(TokenKind::kComma)) {
    if (!reader.Is(TokenKind::kAttributeName)) {
      return reader.FailExpected("the name of a statistic and '='");
    }
    std::string name(reader.token().text);
    reader.Advance();
    double number = 0;
    if (!reader.ReadDouble(&number)) return false;
    value->values.emplace_back(std::move(name), number);
  }
  return reader.Expect(TokenKind::kRightBrace, "after statistics");
}

namespace {

// "{atol=x,rtol=y,ulps=n}".
bool ParseTolerance(TokenReader& reader, ResultAccuracy* value) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before a tolerance")) return false;
  value->has_tolerance = true;
  constexpr auto kFields =
      std::to_array<absl::string_view>({"atol", "rtol", "ulps"});
  std::array<bool, kFields.size()> seen = {};
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  do {
    const int64_t place = reader.offset();
    const absl::string_view name = reader.token().text;
    const auto* const found = std::ranges::find_if(
        kFields,
        [&](absl::string_view text) { return reader.IsAttribute(text); });
    if (found == kFields.end()) {
      return reader.FailExpected("atol=, rtol= or ulps=");
    }
    const auto field = static_cast<size_t>(found - kFields.begin());
    if (std::exchange(seen[field], true)) {
      return reader.Fail(place, absl::StrCat("'", name, "=' is repeated"));
    }
    reader.Advance();
    const bool ok = field == 2 ? reader.ReadInt(&value->ulps)
                               : reader.ReadDouble(field == 0 ? &value->atol
                                                              : &value->rtol);
    if (!ok) return false;
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, "after a tolerance");
}

// "{sparsity=1x4 dimension=1 stride=1}".
bool ParseOperandSparsity(TokenReader& reader, OperandSparsity* value) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before a sparsity")) return false;
  while (!reader.Accept(TokenKind::kRightBrace)) {
    if (reader.AcceptAttribute("sparsity")) {
      const int64_t place = reader.offset();
      DimensionVector sizes;
      if (!ParseSizes(reader, &sizes)) return false;
      if (sizes.size() != 2) {
        return reader.Fail(place, "expected a sparsity such as 1x4");
      }
      value->non_zero_count = sizes[0];
      value->block_size = sizes[1];
    } else if (reader.AcceptAttribute("dimension")) {
      if (!reader.ReadInt(&value->dimension)) return false;
    } else if (reader.AcceptAttribute("stride")) {
      if (!reader.ReadInt(&value->stride)) return false;
    } else if (reader.AcceptAttribute("index_operand")) {
      if (!reader.ReadInt(&value->index_operand)) return false;
    } else {
      return reader.FailExpected("sparsity=, dimension=, stride= or '}'");
    }
  }
  return true;
}

}  // namespace

bool ParseResultAccuracy(ValueContext& context, ResultAccuracy* value) {
  TokenReader& reader = context.reader;
  if (!reader.Expect(TokenKind::kLeftBrace, "before an accuracy")) return false;
  if (reader.AcceptAttribute("mode")) {
    const absl::string_view mode = reader.token().text;
    value->highest = absl::EqualsIgnoreCase(mode, "highest");
    if (!value->highest && !absl::EqualsIgnoreCase(mode, "default")) {
      return reader.FailExpected("default or highest");
    }
    reader.Advance();
  } else if (reader.AcceptAttribute("tolerance")) {
    if (!ParseTolerance(reader, value)) return false;
  } else {
    return reader.FailExpected("mode= or tolerance=");
  }
  return reader.Expect(TokenKind::kRightBrace, "after an accuracy");
}

bool ParseSparsityConfig(ValueContext& context, SparsityConfig* value) {
  TokenReader& reader = context.reader;
  if (!reader.Expect(TokenKind::kLeftBrace, "before a sparsity")) return false;
  while (!reader.Accept(TokenKind::kRightBrace)) {
    const bool is_lhs = reader.IsAttribute("lhs");
    if (!is_lhs && !reader.IsAttribute("rhs")) {
      return reader.FailExpected("lhs=, rhs= or '}'");
    }
    Box<OperandSparsity>& side = is_lhs ? value->lhs : value->rhs;
    if (side) return reader.Fail(reader.offset(), "this side is repeated");
    reader.Advance();
    side = OperandSparsity();
    if (!ParseOperandSparsity(reader, &*side)) return false;
  }
  return true;
}

}  // namespace hilo::hlo::value_parsers

namespace hilo::hlo {

bool ParseAliasTarget(TokenReader& reader, int64_t* number, ShapeIndex* index) {
  if (!reader.Is(TokenKind::kLeftParen)) {
    return reader.FailExpected("'('", "write it as (0, {})");
  }
  reader.Advance();
  return reader.ReadInt(number) &&
         reader.Expect(TokenKind::kComma, "before an index") &&
         ParseShapeIndex(reader, index);
}

bool ParseFrontendAttributes(TokenReader& reader, FrontendAttributes* value) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before attributes")) return false;
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  // Sorted by key; of a repeated key the last wins.
  std::map<std::string, std::string> sorted;
  do {
    if (!reader.Is(TokenKind::kAttributeName)) {
      return reader.FailExpected("a key and '='");
    }
    std::string key(reader.token().text);
    reader.Advance();
    std::string text;
    if (reader.Is(TokenKind::kLeftBrace)) {
      absl::string_view raw;
      if (!reader.ReadRawBraces(&raw)) return false;
      text.assign(raw.data(), raw.size());
    } else if (!reader.ReadString(&text)) {
      return false;
    }
    sorted.insert_or_assign(std::move(key), std::move(text));
  } while (reader.Accept(TokenKind::kComma));
  if (!reader.Expect(TokenKind::kRightBrace, "after attributes")) return false;
  value->assign(std::make_move_iterator(sorted.begin()),
                std::make_move_iterator(sorted.end()));
  return true;
}

}  // namespace hilo::hlo
