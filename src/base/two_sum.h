// Sums and products of two doubles with the rounding error that they leave.
#pragma once

#include <cmath>

namespace graze {

/// Together, without overlap, twice the digits of a double.
struct DoubleDouble {
  double sum, error;
};

/// a + b without rounding (Knuth).
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a b without rounding, unless the error underflows.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// To some 2^-104 of the product.
inline DoubleDouble product(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble p = two_product(a.sum, b.sum);
  return {p.sum, p.error + (a.sum * b.error + a.error * b.sum)};
}

/// a − b, rounded once but for some 2^-104 of the larger.
inline double difference(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble d = two_sum(a.sum, -b.sum);
  return d.sum + (d.error + (a.error - b.error));
}

}  // namespace graze
