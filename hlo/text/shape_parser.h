// Reads shapes and layouts.
#pragma once

#include <vector>

#include "hlo/ir/shape.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {

// Whether a shape begins at the current token: a type, "(" or "b(".
bool StartsShape(const TokenReader& reader);

// Reads a shape into `*shape` and checks it with ValidateShape. False on
// errors, which are reported at the shape's place.
bool ParseShape(TokenReader& reader, Shape* shape);

// Reads "{0,1}", an index into nested tuples.
bool ParseShapeIndex(TokenReader& reader, ShapeIndex* index);

}  // namespace hilo::hlo
