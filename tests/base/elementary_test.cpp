// The library's own elementary functions against MPFR.
#include "graze/base/elementary.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace elementary_test {

namespace elementary = graze::elementary;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A number of 200 bits.
class Big {
 public:
  Big() { mpfr_init2(value_, 200); }
  explicit Big(double x) : Big() { mpfr_set_d(value_, x, MPFR_RNDN); }
  Big(const Big&) = delete;
  Big& operator=(const Big&) = delete;
  ~Big() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }

  // How far `x` is off, in units in the last place of this.
  double units_off(double x) {
    const double nearest = mpfr_get_d(value_, MPFR_RNDN);
    if (!std::isfinite(nearest) || !std::isfinite(x)) return nearest == x ? 0 : kInfinity;
    int power = 0;
    (void)std::frexp(nearest, &power);
    Big off;
    mpfr_sub_d(off.get(), value_, x, MPFR_RNDN);
    mpfr_mul_2si(off.get(), off.get(), -std::max(power - 53, -1074), MPFR_RNDN);
    return std::abs(mpfr_get_d(off.get(), MPFR_RNDN));
  }

 private:
  mpfr_t value_;
};

using Function = double (*)(double);
using Truth = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

void expect_close(Function function, Truth truth, double x, double units, double& worst) {
  Big argument(x), value;
  truth(value.get(), argument.get(), MPFR_RNDN);
  const double off = value.units_off(function(x));
  worst = std::max(worst, off);
  EXPECT_LT(off, units) << std::hexfloat << "at " << x << " got " << function(x);
}

// Numbers of every magnitude from 2^-smallest to 2^largest.
template <class Visit>
void for_numbers(std::uint64_t seed, double smallest, double largest, const Visit& visit) {
  Generator random(seed);
  for (int i = 0, n = scaled(30000); i < n; ++i) {
    const double size = std::ldexp(random.uniform(0.5, 1), static_cast<int>(random.uniform(-smallest, largest)));
    visit(random.bits() % 2 == 0 ? size : -size);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Elementary, SineAndCosineAreWithinOneUnit) {
  double worst = 0;
  const auto visit = [&](double x) {
    expect_close(elementary::sin, mpfr_sin, x, 1, worst);
    expect_close(elementary::cos, mpfr_cos, x, 1, worst);
    const auto both = elementary::sin_cos(x);
    EXPECT_EQ(both.sin, elementary::sin(x));
    EXPECT_EQ(both.cos, elementary::cos(x));
  };
  for_numbers(1, 30, 4, visit);
  for_numbers(2, 4, 1024, visit);
  for_numbers(3, 1000, 30, visit);
  // Next to multiples of a right angle, where almost all digits cancel.
  for (int k = 1; k < 4000; ++k) {
    const double x = k * (std::numbers::pi / 4);
    for (const double y : {x, std::nextafter(x, 0.0), std::nextafter(x, kInfinity)}) visit(y);
  }
  visit(0x1.6ac5b262ca1ffp+849);  // nearer to one than any other double
  visit(std::numeric_limits<double>::max());
  RecordProperty("worst", std::to_string(worst));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(elementary::sin(-0.0)), std::bit_cast<std::uint64_t>(-0.0));
  EXPECT_EQ(elementary::cos(0), 1);
  for (const double x : {kInfinity, -kInfinity, kNan}) {
    EXPECT_TRUE(std::isnan(elementary::sin(x)) && std::isnan(elementary::cos(x)));
  }
}

TEST(Elementary, InverseTangentIsWithinOneUnit) {
  double worst = 0;
  for (const int size : {2, 30, 500, 1000}) {
    for_numbers(4, size, size, [&](double x) { expect_close(elementary::atan, mpfr_atan, x, 1, worst); });
    Generator random(5);
    for_numbers(6, size, size, [&](double y) {
      const double x = random.uniform(-2, 2) * (random.bits() % 4 == 0 ? y : 1);
      Big a(y), b(x), value;
      mpfr_atan2(value.get(), a.get(), b.get(), MPFR_RNDN);
      EXPECT_LT(value.units_off(elementary::atan2(y, x)), 1) << std::hexfloat << y << ", " << x;
    });
  }
  for (const double y : {0.0, -0.0, 1.0, -1.0, kInfinity, -kInfinity, kNan}) {
    for (const double x : {0.0, -0.0, 1.0, -1.0, kInfinity, -kInfinity, kNan}) {
      const double expected = std::atan2(y, x), got = elementary::atan2(y, x);
      EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << y << ", " << x << ": " << got;
      EXPECT_TRUE(std::signbit(got) == std::signbit(expected) || std::isnan(got)) << y << ", " << x << ": " << got;
    }
  }
}

TEST(Elementary, ExponentialsAndLogarithmsAreWithinOneUnit) {
  double worst = 0;
  for (const int size : {1, 9}) {
    for_numbers(7, 40, size, [&](double x) {
      expect_close(elementary::exp, mpfr_exp, x, 1.001, worst);
      expect_close(elementary::expm1, mpfr_expm1, x, 1, worst);
      expect_close(elementary::log, mpfr_log, std::abs(x), 1, worst);
      expect_close(elementary::log, mpfr_log, 1 + x * 0x1p-12, 1, worst);
      if (x > -1) expect_close(elementary::log1p, mpfr_log1p, x, 1, worst);
      expect_close(elementary::log1p, mpfr_log1p, x * 0x1p-10, 1, worst);
    });
  }
  for_numbers(8, 1070, 1020, [&](double x) {
    expect_close(elementary::log, mpfr_log, std::abs(x), 1, worst);
    if (x > -1) expect_close(elementary::log1p, mpfr_log1p, x, 1, worst);
  });
  RecordProperty("worst", std::to_string(worst));
  EXPECT_EQ(elementary::exp(0), 1);
  EXPECT_EQ(elementary::exp(1000), kInfinity);
  EXPECT_EQ(elementary::exp(-1000), 0);
  EXPECT_EQ(elementary::expm1(-1000), -1);
  EXPECT_EQ(elementary::log(0), -kInfinity);
  EXPECT_EQ(elementary::log1p(-1), -kInfinity);
  EXPECT_TRUE(std::isnan(elementary::log(-1)) && std::isnan(elementary::exp(kNan)));
  EXPECT_NEAR(elementary::pow(10, 3), 1000, 1e-11);
}

TEST(Elementary, LengthsAreWithinOneUnit) {
  Generator random(9);
  for (const int size : {1, 40, 600, 1000}) {
    for_numbers(10, size, size, [&](double y) {
      const double x = random.uniform(-2, 2) * (random.bits() % 2 == 0 ? y : 1);
      Big a(x), b(y), value;
      mpfr_hypot(value.get(), a.get(), b.get(), MPFR_RNDN);
      EXPECT_LT(value.units_off(elementary::hypot(x, y)), 1) << std::hexfloat << x << ", " << y;
    });
  }
  EXPECT_EQ(elementary::hypot(3, -4), 5);
  EXPECT_EQ(elementary::hypot(kNan, kInfinity), kInfinity);
  EXPECT_EQ(elementary::hypot(0, 0), 0);
}

TEST(Elementary, TailsOfTheNormalDistributionAreWithinEightUnits) {
  double worst = 0;
  for_numbers(11, 40, 5, [&](double x) { expect_close(elementary::erfc, mpfr_erfc, x, 8, worst); });
  RecordProperty("worst", std::to_string(worst));
  EXPECT_EQ(elementary::erfc(-kInfinity), 2);
  EXPECT_EQ(elementary::erfc(kInfinity), 0);
}

// Every machine must give this, to the bit.
TEST(Elementary, GivesTheCommittedBits) {
  std::uint64_t hash = 0;
  const auto add = [&](double x) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15U, hash ^= hash >> 29U;
  };
  Generator random(12);
  for (int i = 0; i < 20000; ++i) {
    const double x = random.uniform(-40, 40), y = random.uniform(-3, 3);
    for (const Function f :
         {elementary::sin, elementary::cos, elementary::atan, elementary::exp, elementary::expm1, elementary::erfc})
      add(f(x)), add(f(1e6 * x));
    add(elementary::log(std::abs(x))), add(elementary::log1p(std::abs(y)));
    add(elementary::atan2(x, y)), add(elementary::hypot(x, y));
  }
  EXPECT_EQ(hash, 10065225382344629556U);
}

}  // namespace elementary_test
}  // namespace graze_test
