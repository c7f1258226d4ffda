// The guarantee of the filter, and its statistics.
#include "graze/index/filter.h"

#include <gtest/gtest.h>

#include <vector>

#include "graze/index/point_grid.h"
#include "points_oracle.h"
#include "support/refusal.h"

namespace graze_test {
namespace {

using namespace graze;

Points chosen(const Points& points, const Filtered& f) {
  Points kept;
  for (const std::uint32_t i : f.kept) kept.push_back(points[i]);
  return kept;
}

TEST(Filter, CoversEveryPointThatItThins) {
  for (const NamedCloud& cloud : all_clouds(4000)) {
    for (const double part : {1e-7, 0.001, 0.01, 0.1, 3.0}) {
      const double distance = part * cloud.size;
      const Filtered f = filter(floats(cloud.points), {.distance = distance});
      EXPECT_EQ(f.kept.size() + f.thinned + f.not_finite, cloud.points.size()) << cloud.name;
      const Points kept = chosen(cloud.points, f);
      const PointGrid grid{floats(kept)};
      for (const Point& p : cloud.points) {
        if (!finite(p)) continue;
        ASSERT_LE(grid.nearest(Vec3(p[0], p[1], p[2])).distance, distance * (1 + 1e-15)) << cloud.name;
      }
    }
  }
}

TEST(Filter, ThinsWell) {
  const Points frame = depth_frame(table_and_shelf(true), 320, 240);
  const Filtered f = filter(floats(frame), {.distance = 0.03});
  EXPECT_LT(f.kept.size(), frame.size() / 8);
  const Points same(1000, Point{1, 2, 3});
  EXPECT_EQ(filter(floats(same), {.distance = 1e-6}).kept, std::vector<std::uint32_t>{0});
}

TEST(Filter, KeepsEverythingWithoutADistance) {
  const Points points = uniform_points(100, 1, 1);
  EXPECT_EQ(filter(floats(points), {}).kept.size(), 100u);
}

TEST(Filter, LimitsRangeAndBoxAndCountsWhy) {
  const float nan = std::nanf("");
  const Points points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {nan, 0, 0}, {2, 0.001F, 0}, {2, 5, 0}};
  const Filtered f = filter(floats(points), {.distance = 0.01,
                                             .viewpoint = {0.5, 0, 0},
                                             .least_range = 0.5,
                                             .most_range = 6,
                                             .box = {Vec3(0.5, -1, -1), Vec3(2, 1, 1)}});
  EXPECT_EQ(f.kept, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(f.not_finite, 1u);
  EXPECT_EQ(f.out_of_range, 0u);
  EXPECT_EQ(f.out_of_box, 3u);
  EXPECT_EQ(f.thinned, 1u);
  EXPECT_EQ(filter(floats(points), {.least_range = 0.5, .most_range = 2}).out_of_range, 4u);
}

TEST(Filter, RefusesNonsense) {
  const Points points = uniform_points(3, 1, 1);
  const double nan = std::nan("");
  for (const FilterOptions& bad :
       {FilterOptions{.distance = -1}, FilterOptions{.distance = nan}, FilterOptions{.least_range = nan},
        FilterOptions{.least_range = 2, .most_range = 1}, FilterOptions{.viewpoint = {nan, 0, 0}},
        FilterOptions{.box = {Vec3(nan, 0, 0), Vec3(1, 1, 1)}}}) {
    EXPECT_NE(refusal([&] { (void)filter(floats(points), bad); }), "");
  }
}

}  // namespace
}  // namespace graze_test
