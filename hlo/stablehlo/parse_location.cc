// Locations of MLIR text: loc("name"("file":1:2)).
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {

bool Parser::ParseLocation(LocationId* id) {
  if (!token_.IsWord("loc")) return true;
  LocationId unused = -1;
  Advance();
  return Expect('(') && ParseLocationBody(id == nullptr ? &unused : id) &&
         Expect(')');
}

// What stands in the parentheses.
bool Parser::ParseLocationBody(LocationId* id) {
  const Nesting nesting(this);
  if (!nesting.Check()) return false;
  Location location;
  const auto parse_child = [&] {
    LocationId child = -1;
    if (!ParseLocationBody(&child)) return false;
    location.children.push_back(child);
    return true;
  };
  if (token_.kind == TokenKind::kAttributeAlias) {
    location.kind = LocationKind::kAlias;
    location.text = std::string(token_.text);
    Advance();
  } else if (token_.kind == TokenKind::kString) {
    if (!ParseNamedLocation(&location)) return false;
  } else if (ConsumeWord("callsite")) {
    location.kind = LocationKind::kCallSite;
    if (!Expect('(') || !parse_child() || !ExpectWord("at") || !parse_child() ||
        !Expect(')')) {
      return false;
    }
  } else if (ConsumeWord("fused")) {
    location.kind = LocationKind::kFused;
    Attribute metadata;
    if (Consume('<') && (!ParseAttribute(&metadata) || !Expect('>'))) {
      return false;
    }
    if (!ParseList('[', ']', parse_child)) return false;
  } else if (!ConsumeWord("unknown")) {
    return Unexpected("a location");
  }
  *id = static_cast<LocationId>(module_->locations.size());
  module_->locations.push_back(std::move(location));
  return true;
}

// "file":1:2, or a name, perhaps with a location in parentheses.
bool Parser::ParseNamedLocation(Location* location) {
  location->text = DecodeString(token_.text);
  Advance();
  if (token_.Is(':')) return ParsePlaceInFile(location);
  location->kind = LocationKind::kName;
  if (!Consume('(')) return true;
  LocationId child = -1;
  if (!ParseLocationBody(&child)) return false;
  location->children.push_back(child);
  return Expect(')');
}

// :1:2, or with an end: :1:2 to :9 and :1:2 to 3:4.
bool Parser::ParsePlaceInFile(Location* location) {
  location->kind = LocationKind::kFile;
  if (!Expect(':') || !ParseBareInteger(&location->line) || !Expect(':') ||
      !ParseBareInteger(&location->column)) {
    return false;
  }
  if (!ConsumeWord("to")) return true;
  location->end_line = location->line;
  if (!token_.Is(':') && !ParseBareInteger(&location->end_line)) return false;
  return Expect(':') && ParseBareInteger(&location->end_column);
}

}  // namespace hilo::stablehlo
