// PointGrid::verdict: one search for a ball whose radius is between two.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graze/base/simd.h"
#include "graze/index/point_grid.h"
#include "points_oracle.h"
#include "support/clouds.h"
#include "support/scale.h"

namespace graze_test {
namespace grid_verdict_test {

using graze::PointGrid;
using graze::Vec3;
using Verdict = PointGrid::Verdict;

Verdict by_loop(const Points& points, double point_radius, const Vec3& c, double inner, double outer) {
  if (!collides_by_loop(points, point_radius, c, outer)) return Verdict::free;
  return inner >= 0 && collides_by_loop(points, point_radius, c, inner) ? Verdict::hit : Verdict::undecided;
}

// Centres at a point or beside it; inner and outer radii that are equal or differ by rounding or a lot, often such that
// a point lies on one of them or between them.
TEST(GridVerdict, AgreesWithTheLargerAndTheSmallerBall) {
  Generator dice(71);
  int seen[3] = {};
  for (const NamedCloud& cloud : all_clouds(600)) {
    SCOPED_TRACE(cloud.name);
    for (const double point_radius : {0.0, 0.01 * cloud.size}) {
      const PointGrid grid(floats(cloud.points), {.point_radius = point_radius});
      for (int i = 0; i < scaled(400); ++i) {
        Point p{};
        if (!cloud.points.empty()) {
          const Point& some =
              cloud.points[static_cast<std::size_t>(dice.integer(0, static_cast<int>(cloud.points.size()) - 1))];
          if (finite(some)) p = some;
        }
        const double away = cloud.size * std::pow(10.0, dice.uniform(-5, 0.5));
        const Vec3 c =
            Vec3(p[0], p[1], p[2]) + away * Vec3(dice.uniform(-1, 1), dice.uniform(-1, 1), dice.uniform(-1, 1));
        const double nearest = nearest_by_loop(cloud.points, point_radius, c).distance;
        if (!std::isfinite(nearest)) continue;
        const double middle = std::max(0.0, i % 3 == 0 ? nearest : nearest * dice.uniform(0.5, 1.5));
        const double slack = i % 4 == 0 ? 0 : middle * std::pow(10.0, dice.uniform(-16, -0.5));
        const double inner = middle - slack, outer = middle + slack;
        const Verdict verdict = grid.verdict(c, inner, outer);
        ++seen[static_cast<int>(verdict)];
        ASSERT_EQ(verdict, by_loop(cloud.points, point_radius, c, inner, outer)) << i << ' ' << inner << ' ' << outer;
      }
    }
  }
  for (const int count : seen) EXPECT_GT(count, 100);
}

TEST(GridVerdict, IsNeverFreeForInvalidBalls) {
  const Points points = uniform_points(1000, 1, 3);
  const PointGrid grid(floats(points));
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = graze::kInfinity;
  for (const Vec3& c : {Vec3(0, 0, 0), Vec3(5, 0, 0)}) {
    EXPECT_NE(grid.verdict(c, 0, nan), Verdict::free);
    EXPECT_NE(grid.verdict(c, nan, nan), Verdict::free);
    EXPECT_NE(grid.verdict(c, 0, infinity), Verdict::free);
    EXPECT_NE(grid.verdict(c, -1, -0.5), Verdict::free);
    EXPECT_EQ(grid.verdict(c, -1, 10), Verdict::undecided);
    EXPECT_EQ(grid.verdict(c, -1, 0), Verdict::free);
  }
  EXPECT_NE(grid.verdict({nan, 0, 0}, 0, 0), Verdict::free);
  EXPECT_NE(grid.verdict({1e60, 0, 0}, 0, 0), Verdict::free);
  EXPECT_EQ(PointGrid().verdict({0, 0, 0}, 1, 2), Verdict::free);
}

}  // namespace grid_verdict_test
}  // namespace graze_test
