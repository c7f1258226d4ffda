// Numbers with a bound of what rounding has done to them.
#pragma once

#include <cmath>

#include "base/two_sum.h"

namespace graze {

/// The real number meant is within `error` of `value`. Number is double or DoubleDouble; overflow and NaN make every
/// comparison false. Values up to some 1e60, so that products of a few stay finite.
template <class Number>
struct Enclosed {
  Number value;
  double error;
};

namespace enclosed {

/// Covers the roundings of the error bounds themselves and what underflow loses.
inline double rounded_up(double error) {
  constexpr double kMore = 1 + 0x1p-50, kUnderflow = 0x1p-1060;
  return error * kMore + kUnderflow;
}

inline double leading(double a) { return a; }
inline double leading(const DoubleDouble& a) { return a.sum; }
/// Relative, of every operation below.
inline double precision(double) { return 0x1p-53; }
inline double precision(const DoubleDouble&) { return 0x1p-100; }

inline DoubleDouble ordered_sum(double large, double small) {
  const double sum = large + small;
  return {sum, small - (sum - large)};
}

inline double add(double a, double b) { return a + b; }
inline DoubleDouble add(const DoubleDouble& a, const DoubleDouble& b) {
  // Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic",
  // algorithms 6 and 12: to 3 and 5 times 2^-106.
  const DoubleDouble high = two_sum(a.sum, b.sum), low = two_sum(a.error, b.error);
  const DoubleDouble first = ordered_sum(high.sum, high.error + low.sum);
  return ordered_sum(first.sum, low.error + first.error);
}

inline double multiply(double a, double b) { return a * b; }
inline DoubleDouble multiply(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble p = product(a, b);
  return ordered_sum(p.sum, p.error);
}

inline double times_power_of_two(double a, double power) { return power * a; }
inline DoubleDouble times_power_of_two(const DoubleDouble& a, double power) { return {power * a.sum, power * a.error}; }

inline double negated(double a) { return -a; }
inline DoubleDouble negated(const DoubleDouble& a) { return {-a.sum, -a.error}; }

/// a − b of exact doubles.
template <class Number>
Enclosed<Number> difference(double a, double b);
template <>
inline Enclosed<double> difference<double>(double a, double b) {
  const double d = a - b;
  return {d, rounded_up(0x1p-53 * std::abs(d))};
}
template <>
inline Enclosed<DoubleDouble> difference<DoubleDouble>(double a, double b) {
  return {two_sum(a, -b), rounded_up(0)};
}

}  // namespace enclosed

template <class Number>
Enclosed<Number> operator+(const Enclosed<Number>& a, const Enclosed<Number>& b) {
  using namespace enclosed;
  const Number sum = add(a.value, b.value);
  return {sum, rounded_up(a.error + b.error + precision(sum) * std::abs(leading(sum)))};
}

template <class Number>
Enclosed<Number> operator-(const Enclosed<Number>& a, const Enclosed<Number>& b) {
  return a + Enclosed<Number>{enclosed::negated(b.value), b.error};
}

template <class Number>
Enclosed<Number> operator*(const Enclosed<Number>& a, const Enclosed<Number>& b) {
  using namespace enclosed;
  const Number product = multiply(a.value, b.value);
  const double of_a = std::abs(leading(a.value)), of_b = std::abs(leading(b.value));
  return {product, rounded_up(of_a * b.error + of_b * a.error + a.error * b.error +
                              precision(product) * std::abs(leading(product)))};
}

/// By a power of two.
template <class Number>
Enclosed<Number> scaled(double power, const Enclosed<Number>& a) {
  return {enclosed::times_power_of_two(a.value, power), enclosed::rounded_up(power * a.error)};
}

template <class Number>
Enclosed<Number> third(const Enclosed<Number>& a) {
  constexpr double kThird = 1.0 / 3, kRest = 0x1p-54 / 3;  // 1/3 = kThird + kRest to 2^-108
  if constexpr (requires { a.value.sum; }) return a * Enclosed<Number>{{kThird, kRest}, 0x1p-107};
  else return a * Enclosed<Number>{kThird, kRest};
}

/// For certain. The second number of a DoubleDouble is less than 2^-52 of the first.
template <class Number>
bool positive(const Enclosed<Number>& a) {
  constexpr double kLess = 1 - 0x1p-50;
  return enclosed::leading(a.value) * kLess > a.error;
}
template <class Number>
bool negative(const Enclosed<Number>& a) {
  constexpr double kLess = 1 - 0x1p-50;
  return -enclosed::leading(a.value) * kLess > a.error;
}

}  // namespace graze
