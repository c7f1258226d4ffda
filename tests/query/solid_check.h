// What must hold for every answer about an overlap of solids.
#pragma once

#include <gtest/gtest.h>

#include "graze/graze.h"

namespace graze_test {

inline graze::Placed point_at(const graze::Vec3& p, double radius = 0) {
  return at(graze::Sphere{.radius = radius}, graze::Pose::at(p));
}
inline double off_surface(const graze::Placed& body, const graze::Vec3& p) {
  return std::abs(distance(body, point_at(p)).value);
}
inline graze::Placed moved_by(const graze::Placed& b, const graze::Vec3& t) {
  graze::Placed m = b;
  m.pose = b.pose.moved_to(b.pose.translation() + t);
  return m;
}

/// For a pair that touches or overlaps. `slack` is the allowed error of points, in metres; `rounding`: how deep the two
/// may overlap after they were separated. Returns the answer.
inline graze::Distance check_overlap(const graze::Placed& a, const graze::Placed& b, double slack = 1e-9,
                                     double rounding = 1e-8) {
  using graze::Distance;
  const Distance d = distance(a, b), e = distance(b, a);
  EXPECT_EQ(d.value, e.value) << "either order";
  EXPECT_EQ(d.tolerance, e.tolerance);
  EXPECT_LE(d.value, 0);
  EXPECT_NEAR(d.normal.norm(), 1, 1e-12);
  EXPECT_NEAR((d.on_b - d.on_a - d.value * d.normal).norm(), 0, slack);
  // At the end of a narrow gap a longer translation need not separate.
  EXPECT_FALSE(collide(a, moved_by(b, -d.value * d.normal), {.margin = -rounding})) << "the translation separates";
  EXPECT_LE(off_surface(a, d.on_a), slack) << "on a";
  EXPECT_LE(off_surface(b, d.on_b), slack) << "on b";
  EXPECT_TRUE(collide(a, b));
  EXPECT_TRUE(collide(a, b, {.margin = d.value + slack}));
  EXPECT_FALSE(collide(a, b, {.margin = d.value - slack - 1e-9}));
  const graze::Penetration p = penetration(a, b);
  EXPECT_TRUE(p.overlapping);
  EXPECT_EQ(p.depth, std::max(0.0, -d.value));
  const Distance quick = distance(a, b, {.depth = false});
  EXPECT_LE(quick.value, 0);
  EXPECT_LE(quick.value - quick.tolerance, d.value + slack);
  const auto found = contacts(a, b);
  EXPECT_FALSE(found.empty());
  for (const graze::Contact& c : found) {
    EXPECT_LE(off_surface(a, c.point), std::max(0.0, c.depth) / 2 + slack) << "contact near a";
    EXPECT_LE(off_surface(b, c.point), std::max(0.0, c.depth) / 2 + slack) << "contact near b";
    EXPECT_LE(c.depth, -d.value + slack);
  }
  return d;
}

}  // namespace graze_test
