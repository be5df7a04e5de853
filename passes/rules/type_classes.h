// Short names of sets of element types, for the rows of rules.
#pragma once

#include "hlo/ir/element_type.h"

namespace hilo::passes {

inline constexpr hlo::TypeClasses kI = hlo::kIntegerTypes;
inline constexpr hlo::TypeClasses kF = hlo::kFloatTypes;
inline constexpr hlo::TypeClasses kC = hlo::kComplexTypes;
inline constexpr hlo::TypeClasses kS = hlo::kSignedTypes;
inline constexpr hlo::TypeClasses kU =
    hlo::ClassBit(hlo::ElementClass::kUnsigned);
inline constexpr hlo::TypeClasses kP = hlo::kPredicateTypes;
inline constexpr hlo::TypeClasses kB =
    hlo::kIntegerTypes | hlo::kPredicateTypes;

}  // namespace hilo::passes
