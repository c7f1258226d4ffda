// Closed forms along the world's axes, where the direction is hardest to find: on the axis of a body, and axes that
// cross or lie on one line. Moved apart along the normal by the depth, the two must just touch.
#include <gtest/gtest.h>

#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace axial_test {

using namespace graze;

void expect_exit(const Placed& a, const Placed& b) {
  const Distance d = distance(a, b);
  // Rounding, of the depth and of the direction: these bodies are a few metres long.
  constexpr double kSlack = 1e-12;
  EXPECT_NEAR(d.normal.norm(), 1, kSlack);
  EXPECT_LT((d.on_a + d.value * d.normal - d.on_b).norm(), kSlack);
  EXPECT_EQ(collide(a, b), !(d.value - d.tolerance > 0));
  if (d.value > 0) return;
  EXPECT_TRUE(collide(a, b));
  Placed moved = b;
  moved.pose = b.pose.moved_to(b.pose.translation() - d.value * d.normal);
  EXPECT_NEAR(distance(a, moved).value, 0, kSlack);
}

TEST(Axial, SpheresOnAnAxisFindTheShortestExit) {
  for (int i = 0; i < scaled(500); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    const double radius = random.uniform(0.1, 1), half = random.uniform(0.1, 1);
    const Pose pose = random.pose(random.integer(0, 1) == 0 ? 0 : 2);
    const Vec3 axis = pose.rotation().col(2), side = pose.rotation().col(0);
    // On the axis up to the last digit or two, slightly beside it, or well off.
    const double off = random.integer(0, 2) == 0 ? 0 : std::pow(10, random.uniform(-17, -2));
    const Vec3 center = pose.translation() + random.uniform(-2, 2) * axis + off * side;
    const Placed sphere = at(Sphere{.radius = random.uniform(0.01, 1)}, Pose::at(center));
    for (const Shape& body :
         {Shape(Capsule{.radius = radius, .half_length = half}), Shape(Cylinder{.radius = radius, .half_length = half}),
          Shape(Cone{.radius = radius, .half_length = half})}) {
      SCOPED_TRACE(std::string(name_of(body)) + " " + std::to_string(i));
      expect_exit(sphere, at(body, pose));
      expect_exit(at(body, pose), sphere);
    }
  }
}

TEST(Axial, CapsulesThatCrossOrShareALineFindTheShortestExit) {
  for (int i = 0; i < scaled(1000); ++i) {
    SCOPED_TRACE(i);
    Generator random(1000 + static_cast<std::uint64_t>(i));
    const Capsule a{.radius = random.uniform(0.1, 1), .half_length = random.uniform(0.5, 1)};
    const Capsule b{.radius = random.uniform(0.1, 1), .half_length = random.uniform(0.5, 1)};
    const Pose pose = random.pose(2), other = random.integer(0, 1) == 0 ? pose : random.pose(2);
    // Points well within both segments meet, so that neither end counts; on one line they overlap.
    const Vec3 on_a = random.uniform(-0.4, 0.4) * pose.rotation().col(2);
    const Vec3 on_b = random.uniform(-0.4, 0.4) * other.rotation().col(2);
    expect_exit(at(a, pose), at(b, other.moved_to(pose.translation() + on_a - on_b)));
  }
}

}  // namespace axial_test
}  // namespace graze_test
