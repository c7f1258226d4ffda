// Integers of a fixed number of 64-bit words: what rounds nowhere.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace graze {

__extension__ using Word128 = unsigned __int128;

/// Two's complement, the lowest word first. Overflow wraps: whoever computes knows how large results get.
template <std::size_t n>
struct WideInteger {
  std::array<std::uint64_t, n> words{};

  bool operator==(const WideInteger&) const = default;
  bool negative() const { return (words[n - 1] >> 63) != 0; }
  bool zero() const { return *this == WideInteger(); }
  bool odd() const { return (words[0] & 1) != 0; }
};

template <std::size_t n>
bool negative(const WideInteger<n>& a) {
  return a.negative();
}
template <std::size_t n>
bool positive(const WideInteger<n>& a) {
  return !a.negative() && !a.zero();
}

template <std::size_t n>
WideInteger<n> operator+(const WideInteger<n>& a, const WideInteger<n>& b) {
  WideInteger<n> sum;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Word128 word = Word128{a.words[i]} + b.words[i] + carry;
    sum.words[i] = static_cast<std::uint64_t>(word);
    carry = static_cast<std::uint64_t>(word >> 64);
  }
  return sum;
}

template <std::size_t n>
WideInteger<n> operator-(const WideInteger<n>& a) {
  WideInteger<n> result;
  std::uint64_t carry = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const Word128 word = Word128{~a.words[i]} + carry;
    result.words[i] = static_cast<std::uint64_t>(word);
    carry = static_cast<std::uint64_t>(word >> 64);
  }
  return result;
}

template <std::size_t n>
WideInteger<n> operator-(const WideInteger<n>& a, const WideInteger<n>& b) {
  WideInteger<n> result;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Word128 word = Word128{a.words[i]} - b.words[i] - borrow;
    result.words[i] = static_cast<std::uint64_t>(word);
    borrow = static_cast<std::uint64_t>(word >> 64) & 1;
  }
  return result;
}

/// Never overflows.
template <std::size_t n, std::size_t m>
WideInteger<n + m> operator*(const WideInteger<n>& a, const WideInteger<m>& b) {
  WideInteger<n + m> product;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < m; ++j) {
      const Word128 word = Word128{a.words[i]} * b.words[j] + product.words[i + j] + carry;
      product.words[i + j] = static_cast<std::uint64_t>(word);
      carry = static_cast<std::uint64_t>(word >> 64);
    }
    product.words[i + m] = carry;
  }
  // So far the sign bits counted as digits.
  const auto take_high = [&product](const auto& part, std::size_t first) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; first + i < n + m; ++i) {
      const Word128 word = Word128{product.words[first + i]} - part.words[i] - borrow;
      product.words[first + i] = static_cast<std::uint64_t>(word);
      borrow = static_cast<std::uint64_t>(word >> 64) & 1;
    }
  };
  if (a.negative()) take_high(b, n);
  if (b.negative()) take_high(a, m);
  return product;
}

/// 2^power; below 2^(64 n − 1).
template <std::size_t n>
WideInteger<n> wide_power(int power) {
  WideInteger<n> result;
  result.words[static_cast<std::size_t>(power) / 64] = std::uint64_t{1} << (power % 64);
  return result;
}

template <std::size_t n>
WideInteger<n> doubled(const WideInteger<n>& a) {
  return a + a;
}

/// Half of what is even and not negative, or the part before the point.
template <std::size_t n>
WideInteger<n> halved(const WideInteger<n>& a) {
  WideInteger<n> result;
  for (std::size_t i = 0; i < n; ++i) result.words[i] = (a.words[i] >> 1) | (i + 1 < n ? a.words[i + 1] << 63 : 0);
  return result;
}

/// The exponent of the last binary digit of a finite number other than zero: it is an odd multiple of 2 to this.
inline int last_digit(double a) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(a), &exponent);  // [0.5, 1)
  return exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(std::ldexp(fraction, 53)));
}

/// a 2^scale, which must be an integer that fits.
template <std::size_t n>
WideInteger<n> wide_scaled(double a, int scale) {
  WideInteger<n> result;
  if (a == 0) return result;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(a), &exponent);
  auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  int shift = exponent - 53 + scale;
  if (shift < 0) digits >>= -shift, shift = 0;
  const std::size_t word = static_cast<std::size_t>(shift) / 64;
  const Word128 placed = Word128{digits} << (shift % 64);
  result.words[word] = static_cast<std::uint64_t>(placed);
  if (word + 1 < n) result.words[word + 1] = static_cast<std::uint64_t>(placed >> 64);
  return a < 0 ? -result : result;
}

/// a 2^-scale of what is not negative, rounded down.
template <std::size_t n>
double scaled_down(const WideInteger<n>& a, int scale) {
  std::size_t top = n;
  while (top > 0 && a.words[top - 1] == 0) --top;
  if (top == 0) return 0;
  const auto width = static_cast<int>(std::bit_width(a.words[top - 1]));
  std::uint64_t digits = a.words[top - 1] << (64 - width);
  if (top > 1 && width < 64) digits |= a.words[top - 2] >> width;
  digits &= ~std::uint64_t{0x7ff};  // what 53 digits leave
  return std::ldexp(static_cast<double>(digits), static_cast<int>(top) * 64 - (64 - width) - 64 - scale);
}

}  // namespace graze
