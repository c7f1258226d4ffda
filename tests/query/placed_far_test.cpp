// Bodies with large coordinates of their own, moved back by their pose: every rounding from the caller's numbers to the
// answer counts, decided in rational arithmetic.
#include <gtest/gtest.h>

#include "query/far_check.h"
#include "support/scale.h"

namespace graze_test {
namespace placed_far_test {

class PlacedFar : public testing::TestWithParam<int> {};

void check(const FarBody& a, const FarBody& b, const FarTruth& truth) {
  const std::string complaints = far_complaints(placed_of(a), placed_of(b), truth, largest(a) + largest(b));
  EXPECT_EQ(complaints, "") << "  a: " << json_of(a) << "\n  b: " << json_of(b);
}

TEST_P(PlacedFar, IsNeverMissedOrOverstated) {
  const int first = GetParam();
  for (int second = first; second < kFarKinds; ++second) {
    Random random(41 + 100u * static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(second));
    for (int i = 0, n = scaled(64); i < n && !HasFailure(); ++i) {
      const auto wxyz = far_rotation(random), other = random.chance(0.5) ? wxyz : far_rotation(random);
      // Both near the origin, or both far from it.
      graze::Vec3 to = graze::Vec3::Zero();
      if (random.chance(0.3)) to = random.magnitude(0, 7) * vec3(random.direction());
      const double away = random.magnitude(0, 7), beside = random.uniform(0, 2);
      const FarBody a = far_body(first, random.chance(0.3) ? 0 : away, false, wxyz, to, random);
      FarBody b =
          far_body(second, random.chance(0.3) ? 0 : away, false, other, to + beside * vec3(random.direction()), random);
      const FarTruth truth(a, b);
      check(a, b, truth);
      // Moved until they almost touch.
      const graze::Distance d = distance(placed_of(a), placed_of(b));
      if (!std::isfinite(d.value) || HasFailure()) continue;
      for (std::size_t k = 0; k < 3; ++k) b.spec.xyz[k] -= d.value * d.normal[static_cast<Eigen::Index>(k)];
      check(a, b, FarTruth(a, b));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlacedFar, testing::Range(0, kFarKinds),
                         [](const auto& kind) { return far_name(kind.param); });

}  // namespace placed_far_test
}  // namespace graze_test
