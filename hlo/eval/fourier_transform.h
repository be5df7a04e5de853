// The discrete Fourier transform of any length.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace hilo::hlo {

// A prepared transform. Lengths are divided into prime factors (Cooley and
// Tukey); large primes become a convolution of a power of two (Bluestein).
// Errors are about 1e-16 times the logarithm of the length, relative to the
// norm of the data.
class FourierTransform {
 public:
  using Complex = std::complex<double>;

  // length >= 1.
  explicit FourierTransform(int64_t length);
  ~FourierTransform();

  int64_t length() const { return length_; }

  // data[k] = sum over j of data[j] * exp(-2 pi i j k / length); with `inverse`
  // the sign is plus. Nothing is divided.
  void Run(bool inverse, Complex* data);

  // Bytes that a transform of this length holds, at most.
  static int64_t ScratchBytes(int64_t length);

 private:
  void Recurse(int64_t length, int64_t stride, size_t factor,
               const Complex* source, Complex* destination);
  void Butterflies(int64_t radix, int64_t columns, int64_t stride,
                   Complex* data);
  void RunBluestein(Complex* data);

  int64_t length_;
  std::vector<int64_t> factors_;
  // exp(-2 pi i j / length).
  std::vector<Complex> roots_;
  std::vector<Complex> copy_;
  std::vector<Complex> column_;
  // For a large prime factor: the transform of a power of two, the chirp
  // exp(-pi i j^2 / length), and the transform of the chirp's conjugate.
  std::unique_ptr<FourierTransform> padded_;
  std::vector<Complex> chirp_;
  std::vector<Complex> chirp_transform_;
};

}  // namespace hilo::hlo
