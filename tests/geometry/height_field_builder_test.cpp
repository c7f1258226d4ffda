// Terrain from points: what is above, between and missing.
#include "graze/geometry/height_field_builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace height_field_builder_test {

using namespace graze;

BuiltHeightField built(const std::vector<Vec3>& points, const HeightFieldBuilderOptions& options) {
  Aabb around;
  for (const Vec3& p : points) {
    if (is_finite(p)) around.extend(p);
  }
  HeightFieldBuilder builder(around, options);
  // In parts, as files come.
  const std::size_t half = points.size() / 2;
  builder.add(std::span(points).first(half));
  builder.add(std::span(points).subspan(half));
  return builder.build();
}

TEST(HeightFieldBuilder, NoPointIsAboveTheHighest) {
  for (int run = 0; run < scaled(60); ++run) {
    SCOPED_TRACE(run);
    Generator random(static_cast<std::uint64_t>(run));
    const double cell = random.magnitude(-2, 1), far = run % 3 == 0 ? 4e6 : 0;
    std::vector<Vec3> points;
    for (int i = 0; i < 200; ++i) {
      Vec3 p = cell * random.in_cube(8) + Vec3(far, -far, 0);
      // On the lines of the grid, too, where rounding decides the square.
      if (i % 4 == 0) p.x() = std::round(p.x() / cell) * cell;
      if (i % 5 == 0) p.y() = std::round(p.y() / cell) * cell;
      points.push_back(p);
    }
    points[7].z() = std::nan("");
    const BuiltHeightField terrain = built(points, {.cell = cell, .fill = 20 * cell});
    EXPECT_EQ(terrain.points, 199U);
    for (const Vec3& p : points) {
      if (!is_finite(p)) continue;
      const Vec3 local = p - terrain.origin;
      const auto height = terrain.field.height_at(local.x(), local.y());
      ASSERT_TRUE(height.has_value()) << local.transpose();
      EXPECT_LE(p.z(), *height + 1e-12 * cell);
    }
  }
}

TEST(HeightFieldBuilder, TakesTheHighestTheMeanOrTheLowest) {
  const std::vector<Vec3> points{{0, 0, 1},   {0.2, 0.1, 4}, {1, 0, 2},  {0.9, 0.9, 3},
                                 {1.4, 1, 7}, {0, 0.8, -1},  {2, 0, 10}, {2, 1, 20}};
  const HeightField mean = built(points, {.cell = 1, .heights = PointHeights::mean, .fill = 2}).field;
  EXPECT_EQ(mean.height(0, 0), 2.5);
  EXPECT_EQ(mean.height(1, 0), 2);
  EXPECT_EQ(mean.height(1, 1), 5);
  const HeightField lowest = built(points, {.cell = 1, .heights = PointHeights::lowest, .fill = 2}).field;
  EXPECT_EQ(lowest.height(0, 0), 1);
  EXPECT_EQ(lowest.height(1, 1), 3);
  const HeightField highest = built(points, {.cell = 1, .fill = 2}).field;
  EXPECT_EQ(highest.height(0, 0), 4);
  EXPECT_EQ(highest.height(1, 1), 20) << "the point on a corner belongs to all squares there";
}

TEST(HeightFieldBuilder, FillsHolesFromTheRimInwards) {
  std::vector<Vec3> points;
  for (int i = 0; i <= 8; ++i) {
    for (int j = 0; j <= 8; ++j) {
      if (i < 2 || j < 2 || i > 6 || j > 6) points.emplace_back(i, j, i < 2 ? 5 : 1);
    }
  }
  HeightFieldBuilderOptions options{.cell = 1, .heights = PointHeights::lowest};
  EXPECT_EQ(refusal([&] { built(points, options); }),
            "points: leave 25 of 81 heights without a point, the first at x 2, y 2; take larger cells, or fill holes "
            "from farther than 0 m");
  options.fill = 2;
  EXPECT_TRUE(refusal([&] { built(points, options); }).starts_with("points: leave 1 of 81 heights")) << "the middle";
  options.fill = 3;
  const BuiltHeightField terrain = built(points, options);
  EXPECT_EQ(terrain.filled, 25U);
  EXPECT_EQ(terrain.field.height(4, 4), 1);
  options.heights = PointHeights::highest, options.fill = 3;
  EXPECT_EQ(built(points, options).field.height(3, 4), 5);
}

TEST(HeightFieldBuilder, NamesWhatItRefuses) {
  const std::vector<Vec3> points{{0, 0, 0}, {1000, 1000, 0}};
  EXPECT_EQ(refusal([&] { built(points, {.cell = 0}); }), "cell: must be more than 0, got 0");
  EXPECT_EQ(refusal([&] { built(points, {.cell = 0.01}); }),
            "cell: must be larger: 0.01 m make 100001 × 100001 heights, more than 2^28");
  EXPECT_TRUE(refusal([&] { built(points, {.cell = 1e-300}); }).starts_with("cell: must be larger"));
  EXPECT_EQ(refusal([&] { built({}, {}); }), "bounds: must be finite and not empty");
  EXPECT_EQ(refusal([&] { built(points, {.fill = -1}); }), "fill: must be 0 or more, got -1");
  HeightFieldBuilder builder({{0, 0, 0}, {1, 1, 1}}, {});
  EXPECT_EQ(refusal([&] { builder.build(); }), "points: has none that could be a height");
  EXPECT_EQ(refusal([&] { builder.add(points); }),
            "points: point 1 at (1000, 1000, 0) is beside the box that was given");
}

}  // namespace height_field_builder_test
}  // namespace graze_test
