// The grammar of shapes and layouts: language reference, section 1.4.
#include "hlo/text/shape_parser.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "hlo/text/lexer.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {
namespace {

// The "b" of "b(f32[8])".
bool AtBuffer(const TokenReader& reader) {
  return reader.Is(TokenKind::kIdentifier) && reader.token().text == "b" &&
         reader.Peek().kind == TokenKind::kLeftParen;
}

bool ParseDimension(TokenReader& reader, DimensionVector* dimensions,
                    uint64_t* dynamic) {
  const uint64_t bit = dimensions->size() < Shape::kMaxRank
                           ? uint64_t{1} << dimensions->size()
                           : 0;
  if (reader.Accept(TokenKind::kQuestionMark)) {
    *dynamic |= bit;
    dimensions->push_back(Shape::kUnboundedSize);
    return true;
  }
  if (reader.Accept(TokenKind::kLessEqual)) *dynamic |= bit;
  const int64_t place = reader.offset();
  const absl::string_view text = reader.token().text;
  int64_t size = 0;
  if (!reader.ReadInt(&size, "a dimension size")) return false;
  if (size < 0) {
    return reader.Fail(place, absl::StrCat("dimension size ", Quoted(text),
                                           " is not between 0 and 2^63-1"));
  }
  dimensions->push_back(size);
  return true;
}

bool ParseDimensions(TokenReader& reader, DimensionVector* dimensions,
                     uint64_t* dynamic) {
  if (!reader.Expect(TokenKind::kLeftBracket, "after an element type")) {
    return false;
  }
  if (reader.Accept(TokenKind::kRightBracket)) return true;
  do {
    if (!ParseDimension(reader, dimensions, dynamic)) return false;
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBracket, "after the dimensions");
}

// Whether the "{" at the current token opens a layout: an integer or ":"
// follows. "{}" counts where it cannot be anything else.
bool OpensLayout(const TokenReader& reader, int64_t rank) {
  if (!reader.Is(TokenKind::kLeftBrace)) return false;
  const absl::string_view text = reader.text();
  const size_t next = reader.offset() + 1;
  if (next < text.size() && absl::ascii_isdigit(text[next])) return true;
  const TokenKind kind = reader.Peek().kind;
  if (kind == TokenKind::kInt || kind == TokenKind::kColon) return true;
  return rank == 0 && kind == TokenKind::kRightBrace &&
         reader.offset() == reader.previous_end();
}

// "(n)".
bool ParseParenthesizedInt(TokenReader& reader, int64_t* value) {
  const int64_t place = reader.offset();
  if (!reader.Expect(TokenKind::kLeftParen, "in a layout")) return false;
  if (!reader.ReadInt(value)) return false;
  if (*value < 0) return reader.Fail(place, "negative value in a layout");
  return reader.Expect(TokenKind::kRightParen, "in a layout");
}

// "(D,C+,S~)": checked and dropped.
bool ParseDimensionLevels(TokenReader& reader, int64_t rank) {
  const int64_t place = reader.offset();
  if (!reader.Expect(TokenKind::kLeftParen, "in a layout")) return false;
  int64_t count = 0;
  do {
    const absl::string_view level = reader.token().text;
    if (!reader.Is(TokenKind::kIdentifier) ||
        (level != "D" && level != "C" && level != "S" && level != "H")) {
      return reader.FailExpected("a dimension level D, C, S or H");
    }
    reader.Advance();
    reader.Accept(TokenKind::kPlus);
    reader.Accept(TokenKind::kTilde);
    ++count;
  } while (reader.Accept(TokenKind::kComma));
  if (!reader.Expect(TokenKind::kRightParen, "in a layout")) return false;
  if (count == rank) return true;
  return reader.Fail(place, absl::StrCat("layout has ", count,
                                         " dimension levels, the shape has ",
                                         rank, " dimensions"));
}

// "(8,128)(2,1)".
bool ParseTiles(TokenReader& reader, std::vector<Tile>* tiles) {
  do {
    if (!reader.Expect(TokenKind::kLeftParen, "before a tile")) return false;
    Tile tile;
    do {
      int64_t size = Tile::kCombineDimension;
      const int64_t place = reader.offset();
      if (!reader.Accept(TokenKind::kAsterisk)) {
        if (!reader.ReadInt(&size, "a tile size or '*'")) return false;
        if (size < 0) return reader.Fail(place, "negative tile size");
      }
      tile.dimensions.push_back(size);
    } while (reader.Accept(TokenKind::kComma));
    if (!reader.Expect(TokenKind::kRightParen, "after a tile")) return false;
    tiles->push_back(std::move(tile));
  } while (reader.Is(TokenKind::kLeftParen));
  return true;
}

// "(u32)", the type of sparse indices or pointers.
bool ParseLayoutType(TokenReader& reader, ElementType* type) {
  if (!reader.Expect(TokenKind::kLeftParen, "in a layout")) return false;
  if (!reader.Is(TokenKind::kType) ||
      !IsUnsignedInteger(reader.token().element_type)) {
    return reader.FailExpected("an unsigned integer type");
  }
  *type = reader.token().element_type;
  reader.Advance();
  return reader.Expect(TokenKind::kRightParen, "in a layout");
}

// "(1:100,200)(0:2)".
bool ParseSplitConfigs(TokenReader& reader, std::vector<SplitConfig>* configs) {
  do {
    if (!reader.Expect(TokenKind::kLeftParen, "before a split")) return false;
    SplitConfig config;
    if (!reader.ReadInt(&config.dimension, "a dimension") ||
        !reader.Expect(TokenKind::kColon, "in a split") ||
        !reader.ReadInts(TokenKind::kRightParen, &config.split_indices) ||
        !reader.Expect(TokenKind::kRightParen, "after a split")) {
      return false;
    }
    configs->push_back(std::move(config));
  } while (reader.Is(TokenKind::kLeftParen));
  return true;
}

// What follows ":", each part optional, in this order.
bool ParseProperties(TokenReader& reader, int64_t rank,
                     LayoutProperties* properties) {
  if (reader.AcceptWord("D") && !ParseDimensionLevels(reader, rank)) {
    return false;
  }
  if (reader.AcceptWord("T") && !ParseTiles(reader, &properties->tiles)) {
    return false;
  }
  if (reader.AcceptWord("L") &&
      !ParseParenthesizedInt(reader,
                             &properties->tail_padding_alignment_elements)) {
    return false;
  }
  if (reader.Accept(TokenKind::kHash) &&
      !ParseLayoutType(reader, &properties->index_type)) {
    return false;
  }
  if (reader.Accept(TokenKind::kAsterisk) &&
      !ParseLayoutType(reader, &properties->pointer_type)) {
    return false;
  }
  if (reader.AcceptWord("E") &&
      !ParseParenthesizedInt(reader, &properties->element_size_bits)) {
    return false;
  }
  if (reader.AcceptWord("S") &&
      !ParseParenthesizedInt(reader, &properties->memory_space)) {
    return false;
  }
  if (reader.AcceptWord("SC") &&
      !ParseSplitConfigs(reader, &properties->split_configs)) {
    return false;
  }
  if (reader.IsWord("P")) {
    return reader.Fail(reader.offset(),
                       "layouts with a physical shape are not supported");
  }
  return !reader.AcceptWord("M") ||
         ParseParenthesizedInt(
             reader, &properties->dynamic_shape_metadata_prefix_bytes);
}

bool IsDescending(const DimensionVector& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (std::cmp_not_equal(order[i], order.size() - 1 - i)) return false;
  }
  return true;
}

bool ParseLayout(TokenReader& reader, Shape* shape) {
  const int64_t place = reader.offset();
  reader.Advance();
  Layout layout;
  if (!reader.Is(TokenKind::kColon) &&
      !reader.ReadInts(TokenKind::kRightBrace, &layout.minor_to_major)) {
    return false;
  }
  const bool has_properties = reader.Accept(TokenKind::kColon);
  if (has_properties) {
    LayoutProperties properties;
    if (!ParseProperties(reader, shape->rank(), &properties)) return false;
    layout.properties = std::move(properties);
  }
  if (!reader.Is(TokenKind::kRightBrace)) {
    return reader.FailExpected(
        has_properties ? "a layout property in the order D T L # * E S SC M, "
                         "or '}'"
                       : "',', ':' or '}' in a layout");
  }
  reader.Advance();
  const auto entries = static_cast<int64_t>(layout.minor_to_major.size());
  if (entries != shape->rank()) {
    return reader.Fail(
        place, absl::StrCat("layout has ", entries,
                            " dimensions, the shape has ", shape->rank()));
  }
  // The common case: nothing to store.
  if (!has_properties && IsDescending(layout.minor_to_major)) return true;
  shape->set_layout(std::move(layout));
  return true;
}

bool ParseArray(TokenReader& reader, Shape* shape) {
  const ElementType type = reader.token().element_type;
  reader.Advance();
  const int64_t place = reader.offset();
  DimensionVector dimensions;
  uint64_t dynamic = 0;
  if (!ParseDimensions(reader, &dimensions, &dynamic)) return false;
  if (!IsArrayType(type) && !dimensions.empty()) {
    return reader.Fail(place, absl::StrCat(TextOf(type), " has no dimensions"));
  }
  const auto rank = static_cast<int64_t>(dimensions.size());
  if (rank > Shape::kMaxRank) {
    return reader.Fail(
        place,
        absl::StrCat("rank ", rank, " exceeds the limit of ", Shape::kMaxRank));
  }
  if (IsArrayType(type)) {
    *shape = Shape::Array(type, dimensions);
  } else {
    *shape = type == ElementType::kToken ? Shape::Token() : Shape::Opaque();
  }
  for (int64_t i = 0; dynamic != 0 && i < rank; ++i) {
    if ((dynamic >> i & 1) != 0) shape->set_dynamic_dimension(i, true);
  }
  if (!OpensLayout(reader, rank)) return true;
  if (!IsArrayType(type) && reader.Peek().kind != TokenKind::kRightBrace) {
    return reader.Fail(reader.offset(),
                       absl::StrCat(TextOf(type), " has no layout"));
  }
  return ParseLayout(reader, shape);
}

bool ParseNode(TokenReader& reader, Shape* shape);

bool ParseTuple(TokenReader& reader, Shape* shape) {
  const Nesting nesting(reader);
  if (!nesting.ok()) return false;
  reader.Advance();
  std::vector<Shape> elements;
  if (!reader.Is(TokenKind::kRightParen)) {
    do {
      if (!ParseNode(reader, &elements.emplace_back())) return false;
    } while (reader.Accept(TokenKind::kComma));
  }
  *shape = Shape::Tuple(std::move(elements));
  return reader.Expect(TokenKind::kRightParen, "after a tuple's shapes");
}

bool ParseBuffer(TokenReader& reader, Shape* shape) {
  reader.Advance();
  reader.Advance();
  if (!reader.Is(TokenKind::kType) ||
      !IsArrayType(reader.token().element_type)) {
    return reader.FailExpected("an array shape inside 'b(...)'");
  }
  Shape array;
  if (!ParseArray(reader, &array)) return false;
  *shape = Shape::Buffer(std::move(array));
  return reader.Expect(TokenKind::kRightParen, "after a buffer's shape");
}

bool ParseNode(TokenReader& reader, Shape* shape) {
  if (reader.Is(TokenKind::kType)) return ParseArray(reader, shape);
  if (reader.Is(TokenKind::kLeftParen)) return ParseTuple(reader, shape);
  if (AtBuffer(reader)) return ParseBuffer(reader, shape);
  return reader.FailExpected("a shape");
}

}  // namespace

bool StartsShape(const TokenReader& reader) {
  return reader.Is(TokenKind::kType) || reader.Is(TokenKind::kLeftParen) ||
         AtBuffer(reader);
}

bool ParseShape(TokenReader& reader, Shape* shape) {
  const int64_t place = reader.offset();
  if (!ParseNode(reader, shape)) return false;
  const absl::Status status = ValidateShape(*shape);
  if (status.ok()) return true;
  return reader.Fail(place, std::string(status.message()));
}

bool ParseShapeIndex(TokenReader& reader, ShapeIndex* index) {
  return reader.ReadIntList(index);
}

}  // namespace hilo::hlo
