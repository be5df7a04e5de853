// Writes elements of arrays as HLO text that reads back to the same bits.
#pragma once

#include <string>

#include "runtime/base/numeric_traits.h"

namespace hilo {

// Appends the shortest text that ParseElement<T> reads back to the same bits.
//
// Floats: `1`, `0.1`, `1e-05`, `-0.0`, `inf`, `-nan`, `nan(0x5)` (a payload
// only if it is not the default one); complex numbers: `(re, im)`; pred: `true`
// or `false`. Defined for the types of HILO_NUMERIC_TYPES; knows no locale.
template <typename T>
void AppendElement(T value, std::string* text);

// The text that AppendElement appends.
template <typename T>
std::string FormatElement(T value) {
  std::string text;
  AppendElement(value, &text);
  return text;
}

}  // namespace hilo
