// Nearest points of clouds with crowded blocks, seen from inside and from so far that float32 has no number for it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "graze/index/point_grid.h"
#include "index/points_oracle.h"
#include "support/scale.h"

namespace graze_test {
namespace very_far_test {

using graze::Vec3;

constexpr double kSmallest = -40, kLargest = 37;  // exponents of ten of float32

Point random_point(Generator& dice, double size) {
  const auto along = [&] { return static_cast<float>(size * dice.uniform(-1, 1)); };
  const float x = along(), y = along();
  return {x, y, along()};
}

// A few points anywhere, and a crowd: at one place, on a line or in a cube of any size.
Points crowded(Generator& dice) {
  Points points;
  const int few = dice.integer(1, 40), crowd = dice.integer(0, 3) * 400;
  for (int i = 0; i < few; ++i) {
    points.push_back(random_point(dice, dice.integer(0, 3) == 0 ? dice.magnitude(kSmallest, kLargest) : 16));
    if (dice.integer(0, 15) == 0) points.back()[1] = NAN;
  }
  const Point about = dice.integer(0, 1) == 0 ? points.front() : random_point(dice, 16);
  const double size = dice.magnitude(kSmallest, 3);
  const int kind = dice.integer(0, 2);
  for (int i = 0; i < crowd; ++i) {
    Point p = about;
    const Point off = random_point(dice, size);
    if (kind > 0) p[0] += off[0];
    if (kind > 1) p[1] += off[1], p[2] += off[2];
    points.push_back(p);
  }
  return points;
}

Vec3 anywhere(Generator& dice, const Points& points) {
  Point p = points[static_cast<std::size_t>(dice.integer(0, static_cast<int>(points.size()) - 1))];
  if (!finite(p)) p = {};
  Vec3 c(p[0], p[1], p[2]);
  if (dice.integer(0, 4) == 0) return c;
  for (int axis = 0; axis < 3; ++axis) {
    if (dice.integer(0, 2) > 0) c[axis] += dice.uniform(-1, 1) * dice.magnitude(-30, dice.integer(0, 1) == 0 ? 3 : 100);
  }
  return c;
}

TEST(PointGrid, FindsTheNearestFromAnyDistance) {
  Generator dice(5);
  for (int i = 0, n = scaled(1500); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Points points = crowded(dice);
    const double radius = dice.integer(0, 3) / 8.0;
    const graze::PointGrid grid(floats(points), {.point_radius = radius});
    for (int k = 0; k < 20; ++k) {
      const Vec3 c = anywhere(dice, points);
      if (!valid_query(c, 0)) continue;
      const graze::Neighbor ours = grid.nearest(c), truth = nearest_by_loop(points, radius, c);
      EXPECT_EQ(ours.index, truth.index) << c.transpose() << ", " << points.size() << " points";
      EXPECT_EQ(ours.distance, truth.distance) << c.transpose();
    }
  }
}

}  // namespace very_far_test
}  // namespace graze_test
