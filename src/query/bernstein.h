// Polynomials over an interval of time, in Bernstein form: where all coefficients have one sign, so has the polynomial.
#pragma once

#include <array>
#include <cstddef>

#include "base/enclosed.h"

namespace graze {

template <class Number>
using EnclosedVec = std::array<Enclosed<Number>, 3>;
/// Linear in time: the values at both ends.
template <class Number>
using LinearVec = std::array<EnclosedVec<Number>, 2>;
template <class Number>
using QuadraticVec = std::array<EnclosedVec<Number>, 3>;

namespace bernstein {

template <class Number>
EnclosedVec<Number> cross(const EnclosedVec<Number>& a, const EnclosedVec<Number>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class Number>
Enclosed<Number> dot(const EnclosedVec<Number>& a, const EnclosedVec<Number>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Sums are written so that time reversed gives the same numbers in reverse.

template <class Number>
QuadraticVec<Number> cross(const LinearVec<Number>& a, const LinearVec<Number>& b) {
  const EnclosedVec<Number> p = cross(a[0], b[1]), q = cross(a[1], b[0]);
  EnclosedVec<Number> middle;
  for (std::size_t k = 0; k < 3; ++k) middle[k] = scaled(0.5, p[k] + q[k]);
  return {cross(a[0], b[0]), middle, cross(a[1], b[1])};
}

template <class Number>
std::array<Enclosed<Number>, 3> dot(const LinearVec<Number>& a, const LinearVec<Number>& b) {
  return {dot(a[0], b[0]), scaled(0.5, dot(a[0], b[1]) + dot(a[1], b[0])), dot(a[1], b[1])};
}

template <class Number>
std::array<Enclosed<Number>, 4> dot(const QuadraticVec<Number>& a, const LinearVec<Number>& b) {
  return {dot(a[0], b[0]), third(dot(a[0], b[1]) + scaled(2, dot(a[1], b[0]))),
          third(dot(a[2], b[0]) + scaled(2, dot(a[1], b[1]))), dot(a[2], b[1])};
}

template <class Number>
std::array<Enclosed<Number>, 5> dot(const QuadraticVec<Number>& a, const QuadraticVec<Number>& b) {
  return {dot(a[0], b[0]), scaled(0.5, dot(a[0], b[1]) + dot(a[1], b[0])),
          scaled(0.5, third((dot(a[0], b[2]) + dot(a[2], b[0])) + scaled(4, dot(a[1], b[1])))),
          scaled(0.5, dot(a[2], b[1]) + dot(a[1], b[2])), dot(a[2], b[2])};
}

/// De Casteljau at the middle: `whole` becomes the left half, `right` the other.
template <class Number, std::size_t n>
void halve(std::array<Enclosed<Number>, n>& whole, std::array<Enclosed<Number>, n>& right) {
  for (std::size_t level = n - 1; level > 0; --level) {
    right[level] = whole[n - 1];
    for (std::size_t i = n - 1; i >= n - level; --i) whole[i] = scaled(0.5, whole[i - 1] + whole[i]);
  }
  right[0] = whole[n - 1];
}

template <class Coefficient, std::size_t n>
bool all_positive(const std::array<Coefficient, n>& p) {
  for (const auto& c : p) {
    if (!positive(c)) return false;
  }
  return true;
}
template <class Coefficient, std::size_t n>
bool all_negative(const std::array<Coefficient, n>& p) {
  for (const auto& c : p) {
    if (!negative(c)) return false;
  }
  return true;
}
/// If not, no part of the interval will be found all positive: halving takes means.
template <class Coefficient, std::size_t n>
bool any_positive(const std::array<Coefficient, n>& p) {
  for (const auto& c : p) {
    if (positive(c)) return true;
  }
  return false;
}
template <class Coefficient, std::size_t n>
bool any_negative(const std::array<Coefficient, n>& p) {
  for (const auto& c : p) {
    if (negative(c)) return true;
  }
  return false;
}

}  // namespace bernstein
}  // namespace graze
