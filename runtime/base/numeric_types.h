// All of Hilo's element types: their traits, conversions and text.
#pragma once

#include "runtime/base/convert_element.h"  // IWYU pragma: export
#include "runtime/base/format_element.h"   // IWYU pragma: export
#include "runtime/base/numeric_traits.h"   // IWYU pragma: export
#include "runtime/base/parse_element.h"    // IWYU pragma: export
#include "runtime/base/small_float.h"      // IWYU pragma: export
#include "runtime/base/small_int.h"        // IWYU pragma: export
