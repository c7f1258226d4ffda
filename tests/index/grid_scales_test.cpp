// Grids of points at so many scales that some of their blocks are trees.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/index/point_grid.h"
#include "index/grid.h"
#include "points_oracle.h"
#include "support/scale.h"

namespace graze_test {
namespace grid_scales_test {
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

// About the origin and about a place far from it; with duplicates; beside an ordinary cloud.
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

TEST(GridAtManyScales, AnswersAsALoopDoes) {
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

TEST(GridAtManyScales, IsUpdatedAsIfBuiltAnew) {
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
}  // namespace grid_scales_test
}  // namespace graze_test
