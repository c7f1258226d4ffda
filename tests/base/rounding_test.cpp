// Rounding to float and back must happen: what clouds and trees store as float32, and the errors that they state,
// depend on it. GCC 12 dropped it where it vectorised adjacent conversions.
#include <gtest/gtest.h>

#include "graze/base/vec.h"

namespace graze {
namespace rounding_test {

struct Triple {
  double x, y, z;
};

[[gnu::noinline]] Triple rounded(const Triple& p) {
  return {double{static_cast<float>(p.x)}, double{static_cast<float>(p.y)}, double{static_cast<float>(p.z)}};
}

[[gnu::noinline]] double rounded_away(const Vec3& p, Vec3& result) {
  const Vec3 single = p.cast<float>().cast<double>();
  result = single;
  return (single - p).norm();
}

TEST(Compiler, RoundsToFloatWhereTheCodeSaysSo) {
  const Triple r = rounded({4000000.1, 0.1, 0.3});
  EXPECT_EQ(r.x, 4000000);
  EXPECT_NE(r.y, 0.1);
  EXPECT_NE(r.z, 0.3);
  Vec3 result;
  EXPECT_NEAR(rounded_away({4000000.1, 0.1, 0.3}, result), 0.1, 1e-7);
  EXPECT_EQ(result.x(), 4000000);
  EXPECT_NE(result.y(), 0.1);
}

}  // namespace rounding_test
}  // namespace graze
