// Wide integers beside GMP's.
#include "base/wide_integer.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace wide_integer_test {

using graze::WideInteger;

template <std::size_t n>
mpz_class value_of(const WideInteger<n>& a) {
  mpz_class value;
  mpz_import(value.get_mpz_t(), n, -1, sizeof(std::uint64_t), 0, 0, a.words.data());
  if (a.negative()) value -= mpz_class(1) << (64 * n);
  return value;
}

// Words of all ones and zeros are where carries run.
template <std::size_t n>
WideInteger<n> some(Generator& random) {
  WideInteger<n> a;
  for (auto& word : a.words) {
    const int kind = random.integer(0, 3);
    if (kind == 0) word = ~std::uint64_t{0};
    else if (kind == 1) word = 0;
    else
      for (int k = 0; k < 4; ++k) word = (word << 16) | static_cast<std::uint64_t>(random.integer(0, 65535));
  }
  a.words[n - 1] = static_cast<std::uint64_t>(static_cast<std::int64_t>(a.words[n - 1]) >> 2);  // room for sums
  return a;
}

TEST(WideInteger, CalculatesAsGmpDoes) {
  Generator random(1);
  for (int i = 0; i < scaled(20000); ++i) {
    const auto a = some<3>(random), b = some<3>(random);
    const auto c = some<2>(random);
    const mpz_class x = value_of(a), y = value_of(b), z = value_of(c);
    ASSERT_EQ(value_of(a + b), x + y);
    ASSERT_EQ(value_of(a - b), x - y);
    ASSERT_EQ(value_of(-a), -x);
    ASSERT_EQ(value_of(a * b), x * y);
    ASSERT_EQ(value_of(a * c), x * z);
    ASSERT_EQ(value_of(doubled(a)), 2 * x);
    ASSERT_EQ(positive(a), x > 0);
    ASSERT_EQ(negative(a), x < 0);
    if (x >= 0) {
      ASSERT_EQ(value_of(halved(a)), x / 2);
    }
  }
}

TEST(WideInteger, TakesDoublesExactly) {
  Generator random(2);
  for (int i = 0; i < scaled(20000); ++i) {
    const double a = std::ldexp(random.uniform(-2, 2), -random.integer(0, 60));
    if (a == 0) continue;
    const int scale = -graze::last_digit(a) + random.integer(0, 40);
    const mpq_class scaled_a = mpq_class(a) * mpq_class(mpz_class(1) << static_cast<unsigned long>(scale));
    ASSERT_EQ(mpq_class(value_of(graze::wide_scaled<4>(a, scale))), scaled_a) << a;
    ASSERT_NE(scaled_a.get_num(), 0);
  }
  EXPECT_EQ(graze::last_digit(0.75), -2);
  EXPECT_EQ(graze::last_digit(-6), 1);
  EXPECT_TRUE(graze::wide_scaled<2>(0, 7).zero());
}

TEST(WideInteger, RoundsTimesDown) {
  Generator random(3);
  for (int i = 0; i < scaled(20000); ++i) {
    WideInteger<3> a = some<3>(random);
    if (a.negative()) a = -a;
    const int scale = random.integer(0, 170);
    const double down = scaled_down(a, scale);
    const mpq_class exact = mpq_class(value_of(a)) / mpq_class(mpz_class(1) << static_cast<unsigned long>(scale));
    ASSERT_LE(mpq_class(down), exact);
    ASSERT_TRUE(exact == 0 || mpq_class(std::nextafter(down, 1e300)) > exact);
  }
}

}  // namespace wide_integer_test
}  // namespace graze_test
