// What cholesky, triangular-solve and the LAPACK routines share.
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "runtime/base/numeric_types.h"
#include "runtime/base/status.h"

namespace hilo::hlo {

inline float Conjugate(float x) { return x; }
inline double Conjugate(double x) { return x; }
template <typename T>
std::complex<T> Conjugate(std::complex<T> x) {
  return std::conj(x);
}

// The plain product, also of complex numbers: infinities are not recovered.
inline float Product(float x, float y) { return x * y; }
inline double Product(double x, double y) { return x * y; }
template <typename T>
std::complex<T> Product(std::complex<T> x, std::complex<T> y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

// Calls f(TypeTag<T>{}) with the type in which LAPACK takes matrices of `type`:
// float, double, or complex of these. Errors: Unimplemented for other types. f
// returns a StatusOr.
template <typename F>
auto DispatchMatrixType(ElementType type, F&& f)
    -> decltype(std::forward<F>(f)(TypeTag<float>{})) {
  if (type == ElementType::kF32) return f(TypeTag<float>{});
  if (type == ElementType::kF64) return f(TypeTag<double>{});
  if (type == ElementType::kC64) return f(TypeTag<std::complex<float>>{});
  if (type == ElementType::kC128) return f(TypeTag<std::complex<double>>{});
  return Unimplemented("LAPACK has no matrices of ", TextOf(type));
}

// The same with double or std::complex<double>, for floats of any width: long
// sums of f32 products would lose digits that the programs compared with this
// evaluator keep.
template <typename F>
auto DispatchWideMatrixType(ElementType type, F&& f)
    -> decltype(std::forward<F>(f)(TypeTag<double>{})) {
  if (IsComplex(type)) return f(TypeTag<std::complex<double>>{});
  if (IsFloat(type)) return f(TypeTag<double>{});
  return Unimplemented("matrices of ", TextOf(type),
                       " cannot be factorised or solved");
}

// Converts elements first, first + 1, ... of an array.
template <typename T>
void LoadElements(const Literal& literal, int64_t first,
                  absl::Span<T> destination) {
  DispatchElementType(literal.shape().element_type(), [&](auto tag) {
    using Element = decltype(tag)::type;
    const Element* source = literal.data<Element>().data() + first;
    for (size_t i = 0; i < destination.size(); ++i) {
      destination[i] = ConvertElement<T>(source[i]);
    }
  });
}
template <typename T>
void StoreElements(absl::Span<const T> source, int64_t first,
                   Literal& literal) {
  DispatchElementType(literal.shape().element_type(), [&](auto tag) {
    using Element = decltype(tag)::type;
    Element* destination = literal.mutable_data<Element>().data() + first;
    for (size_t i = 0; i < source.size(); ++i) {
      destination[i] = ConvertElement<Element>(source[i]);
    }
  });
}

// Bytes of one matrix (the last two dimensions) of each listed operand, in the
// widest type; 0 for arrays of lower rank.
inline int64_t MatrixScratchBytes(const Instruction& instruction,
                                  std::initializer_list<int64_t> operands) {
  int64_t bytes = 0;
  for (const int64_t i : operands) {
    const Shape& shape = instruction.operand_shape(i);
    if (!shape.IsArray() || shape.rank() < 2) continue;
    bytes += shape.dimension(shape.rank() - 1) *
             shape.dimension(shape.rank() - 2) * 16;
  }
  return bytes;
}

}  // namespace hilo::hlo
