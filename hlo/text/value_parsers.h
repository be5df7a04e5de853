// One function per kind of attribute value.
#pragma once

#include "hlo/text/attribute_parser.h"

namespace hilo::hlo::value_parsers {

// Parse⟨Kind⟩(context, &value) for each row of attribute_kinds.def: reads a
// value into an empty `*value`. False on errors, which are reported.
#define HLO_ATTRIBUTE_KIND(Kind, Type, storage) \
  bool Parse##Kind(ValueContext& context, Type* value);
#include "hlo/ir/attribute_kinds.def"
#undef HLO_ATTRIBUTE_KIND

}  // namespace hilo::hlo::value_parsers
