// Grids of points at so many scales that some of their blocks are trees.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "graze/index/point_grid.h"
#include "index/grid.h"
#include "points_oracle.h"
#include "support/scale.h"

namespace graze_test {
namespace grid_scales_test {

using graze::PointGrid;
using graze::Vec3;

bool any_tree(const graze::point_grid::Grid& grid) {
  if (grid.has_tree()) return true;
  for (const auto& child : grid.children) {
    if (any_tree(child)) return true;
  }
  return false;
}

// Around the origin and far from it; with duplicates; beside an ordinary cloud.
std::vector<NamedCloud> clouds_at_many_scales() {
  const std::size_t count = 20000;
  Points half = at_all_scales(count / 2, 3);
  const Points surface = surface_samples(table_and_shelf(false), count / 2, 4);
  Points both = half;
  both.insert(both.end(), surface.begin(), surface.end());
  Points twice = half;
  twice.insert(twice.end(), half.begin(), half.end());
  return {{"at all scales", at_all_scales(count, 2), 1e-3},
          {"beside a surface", both, 1},
          {"twice", twice, 1e-6},
          {"far away", moved(at_all_scales(count, 5), {3e3, -2e3, 1e3}), 1e2}};
}

TEST(GridAtManyScales, HasTreesWhoseInvariantsHold) {
  graze::point_grid::Grid grid;
  graze::point_grid::build(grid, floats(at_all_scales(20000, 2)));
  EXPECT_TRUE(any_tree(grid));
  EXPECT_EQ(graze::point_grid::validate(grid), "");
}

TEST(GridAtManyScales, AnswersLikeALoop) {
  Generator dice(11);
  for (const NamedCloud& cloud : clouds_at_many_scales()) {
    SCOPED_TRACE(cloud.name);
    const PointGrid grid(floats(cloud.points), {.point_radius = 0});
    ASSERT_EQ(grid.validate(), "");
    std::vector<double> x, y, z, r;
    for (int i = 0; i < scaled(300); ++i) {
      const Point& p =
          cloud.points[static_cast<std::size_t>(dice.integer(0, static_cast<int>(cloud.points.size()) - 1))];
      const double away = std::pow(10.0, dice.uniform(-30, 10));
      const Vec3 c = Vec3(p[0], p[1], p[2]) +
                     (i % 5 == 0 ? 0 : away) * Vec3(dice.uniform(-1, 1), dice.uniform(-1, 1), dice.uniform(-1, 1));
      const graze::Neighbor nearest = nearest_by_loop(cloud.points, 0, c), ours = grid.nearest(c);
      ASSERT_EQ(ours.index, nearest.index) << i;
      ASSERT_EQ(ours.distance, nearest.distance) << i;
      for (const double radius :
           {nearest.distance, nearest.distance * (1 - 1e-15), nearest.distance / 2, 2 * nearest.distance}) {
        ASSERT_EQ(grid.collides(c, radius), collides_by_loop(cloud.points, 0, c, radius)) << i << ' ' << radius;
        x.push_back(c.x()), y.push_back(c.y()), z.push_back(c.z()), r.push_back(radius);
      }
    }
    std::vector<std::uint64_t> mask((x.size() + 63) / 64);
    grid.collides_each({x, y, z, r}, mask);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ((mask[i / 64] >> i % 64 & 1U) != 0, grid.collides({x[i], y[i], z[i]}, r[i])) << i;
    }
  }
}

TEST(GridAtManyScales, EqualsARebuiltOneAfterAnUpdate) {
  Points points = at_all_scales(20000, 6);
  PointGrid grid{floats(points)};
  for (std::size_t i = 100; i < 140; ++i) points[i] = {1e-7F * static_cast<float>(i), 0.5F, 2};
  grid.update(floats(points), 100, 40);
  ASSERT_EQ(grid.validate(), "");
  for (std::size_t i = 90; i < 150; ++i) {
    const Vec3 p(points[i][0], points[i][1], points[i][2]);
    EXPECT_EQ(grid.nearest(p).distance, 0);
  }
  EXPECT_TRUE(grid.collides({1.2e-5, 0.5, 2}, 1e-6));
}

}  // namespace grid_scales_test
}  // namespace graze_test

// Nearest points of clouds with crowded blocks, queried from inside and from beyond the range of float32.
namespace graze_test {
namespace very_far_test {

using graze::Vec3;

constexpr double kSmallest = -40, kLargest = 37;  // exponents of ten of float32

Point random_point(Generator& dice, double size) {
  const auto along = [&] { return static_cast<float>(size * dice.uniform(-1, 1)); };
  const float x = along(), y = along();
  return {x, y, along()};
}

// A few points anywhere, and many at one point, on a line or in a cube of any size.
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
