// Reads the values of attributes.
#pragma once

#include "hlo/ir/attribute.h"
#include "hlo/text/module_parser.h"
#include "hlo/text/name_scope.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {

// What a value may refer to while it is read.
struct ValueContext {
  ModuleParser& parser;
  TokenReader& reader;
  NameScope& scope;
  AttributeId id = AttributeId::kToApply;
  // Set when the value refers to something that had errors.
  bool poisoned = false;
};

// Reads the value of attribute `context.id`. False on errors, which are
// reported.
bool ParseAttributeValue(ValueContext& context, AttributeValue* value);

// "{key="text",key2={raw}}", sorted by key.
bool ParseFrontendAttributes(TokenReader& reader, FrontendAttributes* value);

// "{}: (0, {}" and what follows up to ")": the operand and its index.
bool ParseAliasTarget(TokenReader& reader, int64_t* number, ShapeIndex* index);

}  // namespace hilo::hlo
