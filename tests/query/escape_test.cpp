// The exit along a direction: after it the two are apart, and just before it they are not.
#include "query/escape.h"

#include <gtest/gtest.h>

#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "query/solid_depth.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace escape_test {

using graze::Cloud;
using graze::Escape;
using graze::Geometry;
using graze::Pose;
using graze::Relative;
using graze::Vec3;
using graze_oracle::Random;

Vec3 any_point(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// Both consist of parts, the first is a mesh.
graze::BoundedPair with_mesh(const Geometry& first, const Geometry& second) {
  const auto& a = std::get<graze::Mesh>(first);
  if (const auto* b = std::get_if<graze::Mesh>(&second)) return {first, second, a, *b};
  return {first, second, a, std::get<Cloud>(second)};
}

TEST(Escape, SeparatesAndIsNoLongerThanNeeded) {
  Random random(1);
  const Geometry cube = closed(3, false).mesh(true), ball = closed(4, true, 0.1).moved(Vec3::Zero(), 0.3).mesh(true);
  const Geometry point = Cloud(std::vector<Vec3>{Vec3(0.1, -0.2, 0.05)});
  const Geometry points = Cloud(std::vector<Vec3>{Vec3(0.1, -0.2, 0.05), Vec3(0.2, 0.1, 0)}, {.radius = 0.02});
  for (int i = 0, n = std::max(scaled(400), 80); i < n && !HasFailure(); ++i) {
    const Geometry& second = i % 3 == 0 ? ball : i % 3 == 1 ? point : points;
    const Pose pose = i % 2 == 0 ? Pose::at(any_point(random, 0.5)) : random_pose_near(random, Vec3::Zero(), 0.5);
    Vec3 direction = any_point(random, 1).normalized();
    if (i % 4 < 2) direction = Vec3::Unit(i % 3) * (i % 8 < 4 ? 1 : -1);
    const Relative relative(Pose(), pose);
    graze::EscapeWork work{graze::kDepthWork};
    const graze::BoundedPair pair = with_mesh(cube, second);
    const Escape e = escape(pair, relative, direction, 10, work);
    ASSERT_TRUE(e.free()) << "round " << i;
    const auto meet = [&](double length) {
      return collide(at(cube), at(second, pose.moved_to(pose.translation() + length * direction)));
    };
    EXPECT_TRUE(meet(0));
    EXPECT_FALSE(meet(e.length + 1e-9)) << "round " << i << ", " << e.length;
    EXPECT_TRUE(meet(e.length - 1e-9)) << "round " << i << ", " << e.length;
    const Vec3 free = (e.length + 1e-9) * direction, shorter = descend(pair, relative, free, work);
    EXPECT_LE(shorter.norm(), free.norm() * (1 + 1e-15));
    EXPECT_FALSE(collide(at(cube), at(second, pose.moved_to(pose.translation() + shorter)))) << "round " << i;
    // For a cube and a point the minimum is known.
    if (i % 3 != 1) continue;
    const double exact = 1 - (pose * Vec3(0.1, -0.2, 0.05)).cwiseAbs().maxCoeff();
    EXPECT_GE(shorter.norm(), exact - 1e-9);
  }
}

}  // namespace escape_test
}  // namespace graze_test
