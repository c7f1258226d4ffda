#include "graze/base/simd.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/refusal.h"

namespace graze_test {
namespace simd_test {

using namespace graze;

TEST(Simd, ListsTheTargetsBestFirstAndScalarLast) {
  const std::vector<std::string_view> targets = simd_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.back(), "scalar");
  EXPECT_EQ(std::count(targets.begin(), targets.end(), "scalar"), 1);
  EXPECT_EQ(simd_target(), targets.front());
#if defined(__x86_64__) && !defined(GRAZE_SANITIZED)
  if (__builtin_cpu_supports("avx2")) {
    EXPECT_NE(std::find(targets.begin(), targets.end(), "AVX2"), targets.end());
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    EXPECT_NE(std::find(targets.begin(), targets.end(), "AVX-512"), targets.end());
  }
#endif
}

TEST(Simd, ForcingATargetEndsWithItsScope) {
  const std::vector<std::string_view> targets = simd_targets();
  for (const std::string_view name : targets) {
    const ForcedSimdTarget forced(name);
    EXPECT_EQ(simd_target(), name);
    EXPECT_EQ(simd_targets(), targets) << "what the machine can do does not depend on what is forced";
    EXPECT_EQ(simd_target(), name) << "a query does not undo it";
  }
  EXPECT_EQ(simd_target(), targets.front());
}

TEST(Simd, ForcingNests) {
  const ForcedSimdTarget outer("scalar");
  {
    const ForcedSimdTarget inner(simd_targets().front());
    EXPECT_EQ(simd_target(), simd_targets().front());
  }
  EXPECT_EQ(simd_target(), "scalar");
}

TEST(Simd, RejectsUnknownTargetsByName) {
  const std::string why = refusal([] { const ForcedSimdTarget forced("MMX"); });
  EXPECT_EQ(why.find("SIMD target: "), 0u) << why;
  EXPECT_NE(why.find("scalar, got \"MMX\""), std::string::npos) << why;
  EXPECT_EQ(simd_target(), simd_targets().front());
}

}  // namespace simd_test
}  // namespace graze_test
