#include "graze/base/elementary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "graze/base/vec.h"

namespace graze::elementary {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A number and what was rounded off it, much smaller.
struct Pair {
  double high, low;
};

Pair sum_of(double a, double b) {
  const double sum = a + b, other = sum - a;
  return {sum, (a - (sum - other)) + (b - other)};
}

// Dekker's product, exact unless it over- or underflows: halves of 26 bits have exact products.
Pair product_of(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;
  const double ca = kSplit * a, cb = kSplit * b;
  const double a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
  const double product = a * b;
  return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

// (n + n_low) / d
Pair quotient_of(Pair n, Pair d) {
  const double q = n.high / d.high;
  const Pair back = product_of(q, d.high);
  return {q, (((n.high - back.high) - back.low) + n.low - q * d.low) / d.high};
}

// ---- Sine and cosine ----------------------------------------------------------------------------------------------

constexpr Pair kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// An angle in [−π/4, π/4] and how many right angles are to be added.
struct Reduced {
  Pair angle;
  unsigned quarters;
};

// Right angles up to 2^20: π/2 in parts of 33 bits, whose multiples are exact.
Reduced reduce_small(double x) {
  constexpr double kPart[4] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                               0x1.b839a252049c1p-104};
  const double quarters = std::floor(x * 0x1.45f306dc9c883p-1 + 0.5);
  Pair rest = sum_of(x - quarters * kPart[0], -quarters * kPart[1]);
  for (int i = 2; i < 4; ++i) {
    const Pair next = sum_of(rest.high, -quarters * kPart[i]);
    rest = sum_of(next.high, next.low + rest.low);
  }
  return {rest, static_cast<unsigned>(static_cast<std::int64_t>(quarters) & 3)};
}

// Any number after Payne and Hanek: of the digits of 2/π only those count that are neither multiples of four right
// angles nor too small.
Reduced reduce_large(double x) {
  static constexpr std::array<std::uint64_t, 20> kTwoOverPi = {
      0xA2F9836E4E441529U, 0xFC2757D1F534DDC0U, 0xDB6295993C439041U, 0xFE5163ABDEBBC561U, 0xB7246E3A424DD2E0U,
      0x06492EEA09D1921CU, 0xFE1DEB1CB129A73EU, 0xE88235F52EBB4484U, 0xE99C7026B45F7E41U, 0x3991D639835339F4U,
      0x9C845F8BBDF9283BU, 0x1FF897FFDE05980FU, 0xEF2F118B5A0A6D1FU, 0x6D367ECF27CB09B7U, 0x4F463F669E5FEA2DU,
      0x7527BAC7EBE5F17BU, 0x3D0739F78A5292EAU, 0x6BFB5FB11F8D5D08U, 0x56033046FC7B6BABU, 0xF0CFBC209AF4361DU};
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52U & 0x7FFU) - 1075;  // |x| = mantissa · 2^exponent
  const std::uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFU) | 0x10000000000000U;
  // 192 digits of 2/π from that of weight 2^(1 − exponent) on; digit 1 weighs 1/2.
  const int first = exponent - 2;
  const auto word = [&](int i) {
    const int at = first + 64 * i, place = at >= 0 ? at / 64 : -1, shift = at - 64 * place;
    const auto digits = [&](int k) { return k < 0 ? 0 : kTwoOverPi[static_cast<std::size_t>(k)]; };
    return shift == 0 ? digits(place) : digits(place) << shift | digits(place + 1) >> (64 - shift);
  };
  // Their product with the mantissa, less what is above: two digits before the point, 190 after it.
  const Wide low = Wide{word(2)} * mantissa, middle = Wide{word(1)} * mantissa + (low >> 64U);
  const std::uint64_t top = word(0) * mantissa + static_cast<std::uint64_t>(middle >> 64U);
  const auto next = static_cast<std::uint64_t>(middle), last = static_cast<std::uint64_t>(low);
  auto quarters = static_cast<unsigned>(top >> 62U);
  // The rest as a signed number of 64 digits in units of 2^-62, then 128 more.
  auto whole = static_cast<std::int64_t>(top << 2U) >> 2;
  if (whole < 0) quarters += 1;
  // Leading zeros are shifted out, so that a small rest keeps its digits.
  std::uint64_t words[3] = {static_cast<std::uint64_t>(whole), next, last};
  const bool negative = whole < 0;
  if (negative) {  // two's complement of the three
    words[2] = ~words[2] + 1;
    words[1] = ~words[1] + (words[2] == 0 ? 1 : 0);
    words[0] = ~words[0] + (words[2] == 0 && words[1] == 0 ? 1 : 0);
  }
  double scale = 0x1p-62;
  while (words[0] == 0 && scale > 0x1p-190) words[0] = words[1], words[1] = words[2], words[2] = 0, scale *= 0x1p-64;
  // 53 digits are exact in a double; 128 in three of them.
  const Pair a = sum_of(static_cast<double>(words[0] >> 11U) * 0x1p11,
                        static_cast<double>((words[0] & 0x7FFU) << 42U | words[1] >> 22U) * 0x1p-42);
  const Pair fraction = sum_of(a.high * scale, (a.low + static_cast<double>(words[1] & 0x3FFFFFU) * 0x1p-64) * scale);
  const Pair angle = product_of(fraction.high, kHalfPi.high);
  const Pair sum = sum_of(angle.high, angle.low + fraction.high * kHalfPi.low + fraction.low * kHalfPi.high);
  const double sign = negative != std::signbit(x) ? -1 : 1;
  return {{sign * sum.high, sign * sum.low}, std::signbit(x) ? (4 - (quarters & 3U)) & 3U : quarters & 3U};
}

Reduced reduce(double x) {
  if (std::abs(x) <= kHalfPi.high / 2) return {{x, 0}, 0};
  return std::abs(x) < 0x1p20 ? reduce_small(x) : reduce_large(x);
}

// Taylor's series; what follows is less than 1e-19 in [−π/4, π/4].
double sine_of(Pair x) {
  const double z = x.high * x.high;
  const double tail =
      -1.0 / 6 +
      z * (1.0 / 120 +
           z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                       z * (1.0 / 6227020800 + z * (-1.0 / 1307674368000 +
                                                                                    z * (1.0 / 355687428096000)))))));
  return x.high + (x.high * z * tail + x.low * (1 - z / 2));
}

double cosine_of(Pair x) {
  const double z = x.high * x.high, half = z / 2, first = 1 - half;
  const double tail =
      1.0 / 24 +
      z * (-1.0 / 720 +
           z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200 +
                                                                                z * (1.0 / 20922789888000 -
                                                                                     z * (1.0 / 6402373705728000)))))));
  return first + (((1 - first) - half) + (z * z * tail - x.high * x.low));
}

double turned(const Reduced& r, unsigned quarters) {
  const unsigned n = (r.quarters + quarters) & 3U;
  const double value = (n & 1U) != 0 ? cosine_of(r.angle) : sine_of(r.angle);
  return n >= 2 ? -value : value;
}

// ---- Inverse tangent ----------------------------------------------------------------------------------------------

// Of sixteenths.
constexpr Pair kAtan[17] = {{0, 0},
                            {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
                            {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                            {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
                            {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                            {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
                            {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                            {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
                            {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                            {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
                            {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                            {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
                            {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                            {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
                            {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                            {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
                            {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

// Of n / d in [0, 1].
Pair atan_of(double n, double d) {
  const Pair t = quotient_of({n, 0}, {d, 0});
  const double nearest = std::floor(16 * t.high + 0.5), c = nearest / 16;
  const Pair base = kAtan[static_cast<std::size_t>(nearest)];
  // atan t = atan c + atan((t − c) / (1 + c t)), and t.high − c is exact.
  const Pair ct = product_of(c, t.high), under = sum_of(1, ct.high);
  const Pair u = quotient_of(sum_of(t.high - c, t.low), {under.high, under.low + ct.low + c * t.low});
  const double z = u.high * u.high;
  const double tail =
      z * (-1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * (1.0 / 13))))));
  const Pair sum = sum_of(base.high, u.high);
  return sum_of(sum.high, sum.low + (base.low + u.low + u.high * tail));
}

// ---- Exponential --------------------------------------------------------------------------------------------------

// ln 2: multiples of the first part up to 2^11 are exact.
constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;

// exp(x) = (1 + rest) · 2^power, the rest less than 0.42.
struct Power {
  Pair rest;
  int power;
};

Power exp_of(double x, double x_low = 0) {
  const double power = std::floor(x * 0x1.71547652b82fep+0 + 0.5);
  const Pair r = sum_of(x - power * kLn2High, x_low - power * kLn2Low);
  // Sums of neighbours first: they do not wait for each other.
  const double z = r.high * r.high, y = z * z;
  const double tail =
      ((1.0 / 6 + r.high * (1.0 / 24)) + z * (1.0 / 120 + r.high * (1.0 / 720))) +
      y * (((1.0 / 5040 + r.high * (1.0 / 40320)) + z * (1.0 / 362880 + r.high * (1.0 / 3628800))) +
           y * ((1.0 / 39916800 + r.high * (1.0 / 479001600)) + z * (1.0 / 6227020800 + r.high * (1.0 / 87178291200))));
  // r + r²/2 + r³ tail
  const Pair square = product_of(r.high, r.high);
  const Pair sum = sum_of(r.high, square.high / 2);
  return {sum_of(sum.high, sum.low + square.low / 2 + r.low * (1 + r.high) + square.high * r.high * tail),
          static_cast<int>(power)};
}

// x · 2^power, by a product where 2^power is an ordinary number.
double scaled(double x, int power) {
  if (power < -1022 || power > 1023) return std::ldexp(x, power);
  return x * std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52U);
}

// Beyond these exp is infinite, or 0.
constexpr double kLargestExponent = 710, kMinExponent = -746;

// ---- Logarithm ----------------------------------------------------------------------------------------------------

// Of x + x_low > 0, the second much smaller.
double log_of(double x, double x_low) {
  int power = 0;
  double m = std::frexp(x, &power);
  if (m < 0.70710678118654752) m *= 2, --power;
  const Pair f = sum_of(m - 1, std::ldexp(x_low, -power));
  // log(1 + f) = 2 atanh(s), s = f / (2 + f)
  const Pair under = sum_of(2, f.high);
  const Pair s = quotient_of(f, {under.high, under.low + f.low});
  const double z = s.high * s.high;
  const double y = z * z, x4 = y * y;
  const double tail = z * (((2.0 / 3 + z * (2.0 / 5)) + y * (2.0 / 7 + z * (2.0 / 9))) +
                           x4 * (((2.0 / 11 + z * (2.0 / 13)) + y * (2.0 / 15 + z * (2.0 / 17))) +
                                 x4 * ((2.0 / 19 + z * (2.0 / 21)) + y * (2.0 / 23 + z * (2.0 / 25)))));
  const Pair sum = sum_of(power * kLn2High, 2 * s.high);
  return sum.high + (sum.low + (2 * s.low + s.high * tail + power * kLn2Low));
}

}  // namespace

double sin(double x) {
  if (!std::isfinite(x)) return kNan;
  if (x == 0) return x;
  return turned(reduce(x), 0);
}

double cos(double x) { return std::isfinite(x) ? turned(reduce(x), 1) : kNan; }

SinCos sin_cos(double x) {
  if (!std::isfinite(x)) return {kNan, kNan};
  const Reduced r = reduce(x);
  return {x == 0 ? x : turned(r, 0), turned(r, 1)};
}

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return kNan;
  double n = std::abs(y), d = std::abs(x);
  if (std::isinf(n) && std::isinf(d)) n = d = 1;
  const bool steep = n > d;
  if (steep) std::swap(n, d);
  Pair angle{0, 0};
  if (d > 0 && std::isfinite(d)) {
    // Products must neither over- nor underflow.
    if (!(d > 0x1p-400 && d < 0x1p400)) {
      int power = 0;
      (void)std::frexp(d, &power);
      n = std::ldexp(n, -power), d = std::ldexp(d, -power);
    }
    // A quotient this small is its own inverse tangent, and may be too small for its rest.
    angle = n < 0x1p-500 * d ? Pair{n / d, 0} : atan_of(n, d);
    // Of numbers whose quotient underflows.
    if (n < 0x1p-500 * d && !steep && !std::signbit(x)) return std::copysign(std::abs(y) / std::abs(x), y);
  }
  const auto from = [&](double high, double low) {
    const Pair sum = sum_of(high, -angle.high);
    angle = sum_of(sum.high, sum.low + (low - angle.low));
  };
  if (steep) from(kHalfPi.high, kHalfPi.low);
  if (std::signbit(x)) from(2 * kHalfPi.high, 2 * kHalfPi.low);
  return std::copysign(angle.high + angle.low, y);
}

double atan(double x) { return atan2(x, 1); }

double exp(double x) {
  if (std::isnan(x)) return x;
  if (x > kLargestExponent) return kInfinity;
  if (x < kMinExponent) return 0;
  const Power p = exp_of(x);
  const Pair sum = sum_of(1, p.rest.high);
  return scaled(sum.high + (sum.low + p.rest.low), p.power);
}

double expm1(double x) {
  if (std::isnan(x) || x == 0) return x;
  if (x > kLargestExponent) return kInfinity;
  if (x < -64) return -1;
  if (std::abs(x) < 0x1p-54) return x;
  const Power p = exp_of(x);
  if (p.power == 0) return p.rest.high + p.rest.low;
  if (p.power > 1000) return exp(x);
  // (1 + rest) 2^power − 1, from the largest to the smallest.
  const double one = scaled(1, p.power);
  const Pair sum = sum_of(one, -1), more = sum_of(sum.high, one * p.rest.high);
  return more.high + (more.low + sum.low + one * p.rest.low);
}

double log(double x) {
  if (std::isnan(x) || x < 0) return kNan;
  if (x == 0) return -kInfinity;
  return std::isinf(x) ? x : log_of(x, 0);
}

double log1p(double x) {
  if (std::isnan(x) || x < -1) return kNan;
  if (x == -1) return -kInfinity;
  if (std::isinf(x) || std::abs(x) < 0x1p-54) return x;
  const Pair sum = sum_of(1, x);
  return log_of(sum.high, sum.low);
}

double pow(double x, double y) { return exp(y * log(x)); }

double hypot(double x, double y) {
  double a = std::abs(x), b = std::abs(y);
  if (std::isinf(a) || std::isinf(b)) return kInfinity;
  if (std::isnan(a) || std::isnan(b)) return kNan;
  if (a < b) std::swap(a, b);
  if (b == 0) return a;
  int power = 0;
  if (!(a > 0x1p-400 && a < 0x1p400)) {
    (void)std::frexp(a, &power);
    a = std::ldexp(a, -power), b = std::ldexp(b, -power);
  }
  if (b < 0x1p-30 * a) return std::ldexp(a + b / a * b / 2, power);
  const Pair aa = product_of(a, a), bb = product_of(b, b), sum = sum_of(aa.high, bb.high);
  const double root = std::sqrt(sum.high);
  const Pair back = product_of(root, root);
  const double rest = (sum.high - back.high) - back.low + (sum.low + aa.low + bb.low);
  const double length = root + rest / (2 * root);
  return power == 0 ? length : std::ldexp(length, power);
}

double erfc(double x) {
  if (std::isnan(x)) return x;
  // erfc(z) = t exp(−z² + p(2t − 1)) for z >= 0, t = 2 / (2 + z), p a polynomial by Chebyshev's.
  static constexpr double kTerm[30] = {
      -0x1.4d7ab6d479a61p+0,  0x1.48b043be61cf8p-1,   0x1.3f1a3fdd047b2p-6,   -0x1.394fcca79fc6cp-7,
      -0x1.f049e06073f95p-11, 0x1.80a8ba56aa79fp-12,  0x1.64b62509d78e2p-15,  -0x1.5437d46df3674p-16,
      -0x1.b4045bf3ab82ep-20, 0x1.5df28bff56fe4p-20,  0x1.0c75d14776c3ep-26,  -0x1.6e18471000f52p-24,
      0x1.c0ac572395fb0p-28,  0x1.5bace97b36ccfp-28,  -0x1.10810cfbab426p-30, -0x1.f3fb2f5c75c6cp-33,
      0x1.a8453647a8215p-34,  0x1.50ee4fe907594p-39,  -0x1.e48fa4ddcffcfp-38, 0x1.f78d4bbe8305dp-41,
      0x1.6082aa4eb3ddfp-42,  -0x1.fb97bc18977ccp-44, 0x1.b75e11fe90ba6p-52,  0x1.00062e98e5a55p-47,
      -0x1.b6fba552f88ccp-50, -0x1.b4266370b4162p-54, 0x1.170fcb52ea588p-53,  -0x1.03ca93a8dfd09p-55,
      0x1.d885407e7890bp-65,  0x1.57914ac919f61p-59};
  constexpr double kLargest = 28;  // beyond it is 0
  const double z = std::min(std::abs(x), kLargest), t = 2 / (2 + z), u = 2 * t - 1;
  // Terms of even and of odd degree apart, by Clenshaw's recurrence in 2 u² − 1: neither waits for the other.
  const double v = 2 * (2 * u * u - 1);
  double even = 0, even_after = 0, odd = 0, odd_after = 0;
  for (std::size_t k = std::size(kTerm); k > 2; k -= 2) {
    const double next_odd = v * odd - odd_after + kTerm[k - 1], next_even = v * even - even_after + kTerm[k - 2];
    odd_after = odd, odd = next_odd, even_after = even, even = next_even;
  }
  const double p = (v / 2 * even - even_after + kTerm[0] / 2) + u * ((v * odd - odd_after + kTerm[1]) - odd);
  const Pair square = product_of(z, z), sum = sum_of(-square.high, p);
  double upper = 0;
  if (sum.high > kMinExponent) {
    const Power e = exp_of(sum.high, sum.low - square.low);
    upper = scaled(t * (1 + (e.rest.high + e.rest.low)), e.power);
  }
  return x < 0 ? 2 - upper : upper;
}

}  // namespace graze::elementary
