// The guarantee of the filter, and its statistics.
#include "graze/index/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "points_oracle.h"
#include "support/generator.h"
#include "support/refusal.h"

namespace graze_test {
namespace filter_test {

using namespace graze;

double squared_distance(const Point& a, const Point& b) {
  const double x = double{a[0]} - b[0], y = double{a[1]} - b[1], z = double{a[2]} - b[2];
  return x * x + y * y + z * z;
}

// All distances are computed, without an index.
TEST(Filter, CoversEveryPointThatItDrops) {
  for (const NamedCloud& cloud : all_clouds(1500)) {
    for (const double part : {1e-7, 0.001, 0.01, 0.1, 3.0}) {
      const double distance = part * cloud.size;
      const FilteredPoints f = filter_points(floats(cloud.points), {.distance = distance});
      ASSERT_EQ(f.kept.size() + f.thinned + f.not_finite, cloud.points.size()) << cloud.name;
      ASSERT_TRUE(std::is_sorted(f.kept.begin(), f.kept.end())) << cloud.name;
      ASSERT_EQ(f.xyz.size(), 3 * f.kept.size()) << cloud.name;
      Points kept;
      for (std::size_t i = 0; i < f.kept.size(); ++i) {
        kept.push_back({f.xyz[3 * i], f.xyz[3 * i + 1], f.xyz[3 * i + 2]});
        ASSERT_EQ(kept.back(), cloud.points[f.kept[i]]) << cloud.name;
      }
      std::size_t next = 0;  // kept point from this one on
      for (std::uint32_t i = 0; i < cloud.points.size(); ++i) {
        const Point& p = cloud.points[i];
        if (!finite(p)) continue;
        const bool is_kept = next < f.kept.size() && f.kept[next] == i;
        next += is_kept ? 1 : 0;
        const auto near = [&](const Point& q) { return squared_distance(p, q) <= distance * distance; };
        const auto covering = std::count_if(kept.begin(), kept.end(), near);
        ASSERT_GE(covering, 1) << cloud.name << ", point " << i << ", distance " << distance;
        // No other kept point covers a kept one; in the finest cells some that are far apart count as neighbours.
        if (is_kept && part > 1e-6) {
          ASSERT_EQ(covering, 1) << cloud.name << ", point " << i << ", distance " << distance;
        }
      }
    }
  }
}

// Cells that are 2^20 apart have the same number, and some points lie in cells beyond the range of integers.
TEST(Filter, CoversPointsInCellsBeyondTheRangeOfIntegers) {
  Generator random(3);
  for (const double distance : {1e-3, 1e-9, 1e-30, 1e-140}) {
    Points points;
    const auto add = [&](float scale) {
      const auto draw = [&] { return scale * static_cast<float>(random.uniform(-1, 1)); };
      const float x = draw(), y = draw();
      points.push_back({x, y, draw()});
    };
    for (const float scale : {1.0F, 1e3F, 1e30F, 3e38F}) {
      for (int i = 0; i < 50; ++i) add(scale);
    }
    const std::size_t single = points.size();
    for (std::size_t i = 0; i < single; ++i) points.push_back(points[i]);
    const FilteredPoints f = filter_points(floats(points), {.distance = distance});
    for (const Point& p : points) {
      ASSERT_TRUE(std::any_of(f.kept.begin(), f.kept.end(), [&](std::uint32_t k) {
        return squared_distance(p, points[k]) <= distance * distance;
      })) << distance;
    }
  }
}

TEST(Filter, ThinsWell) {
  const Points frame = depth_frame(table_and_shelf(true), 320, 240);
  const FilteredPoints f = filter_points(floats(frame), {.distance = 0.03});
  EXPECT_LT(f.kept.size(), frame.size() / 13);
  const Points same(1000, Point{1, 2, 3});
  EXPECT_EQ(filter_points(floats(same), {.distance = 1e-6}).kept, std::vector<std::uint32_t>{0});
}

TEST(Filter, KeepsEverythingWithoutADistance) {
  const Points points = uniform_points(100, 1, 1);
  EXPECT_EQ(filter_points(floats(points), {}).kept.size(), 100u);
}

TEST(Filter, LimitsRangeAndBoxAndCountsTheReasons) {
  const float nan = std::nanf("");
  const Points points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {nan, 0, 0}, {2, 0.001F, 0}, {2, 5, 0}};
  const FilteredPoints f = filter_points(floats(points), {.distance = 0.01,
                                                          .viewpoint = {0.5, 0, 0},
                                                          .min_range = 0.5,
                                                          .max_range = 6,
                                                          .box = {Vec3(0.5, -1, -1), Vec3(2, 1, 1)}});
  EXPECT_EQ(f.kept, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(f.not_finite, 1u);
  EXPECT_EQ(f.out_of_range, 0u);
  EXPECT_EQ(f.out_of_box, 3u);
  EXPECT_EQ(f.thinned, 1u);
  EXPECT_EQ(filter_points(floats(points), {.min_range = 0.5, .max_range = 2}).out_of_range, 4u);
}

TEST(Filter, RejectsInvalidOptions) {
  const Points points = uniform_points(3, 1, 1);
  const double nan = std::nan("");
  for (const FilterOptions& bad :
       {FilterOptions{.distance = -1}, FilterOptions{.distance = nan}, FilterOptions{.min_range = nan},
        FilterOptions{.min_range = 2, .max_range = 1}, FilterOptions{.viewpoint = {nan, 0, 0}},
        FilterOptions{.box = {Vec3(nan, 0, 0), Vec3(1, 1, 1)}}}) {
    EXPECT_NE(refusal([&] { (void)filter_points(floats(points), bad); }), "");
  }
}

}  // namespace filter_test
}  // namespace graze_test
