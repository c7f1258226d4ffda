// Height fields as values.
#include "graze/geometry/height_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "geometry/height_field_data.h"
#include "graze/base/error.h"
#include "graze/geometry/geometry.h"
#include "oracle/cases.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace height_field_value_test {

using namespace graze;

TEST(HeightFieldValue, RefusesWhatIsNoField) {
  const std::vector<double> four = {0, 0, 0, 0};
  const auto why = [&](const HeightGrid& grid, const std::vector<double>& heights) {
    return refusal([&] { HeightField(grid, std::span(heights)); });
  };
  EXPECT_EQ(why({.columns = 1, .rows = 4}, four), "height field: must have 2 × 2 heights or more, got 1 × 4");
  EXPECT_EQ(why({.columns = 4, .rows = 1}, four), "height field: must have 2 × 2 heights or more, got 4 × 1");
  EXPECT_EQ(why({.columns = 2, .rows = 3}, four), "height field: expected 2 × 3 heights, got 4");
  EXPECT_EQ(why({.columns = std::size_t{1} << 40, .rows = std::size_t{1} << 40}, four),
            "height field: must have 2^31 columns and rows at most, got 1099511627776 × 1099511627776");
  EXPECT_EQ(why({.columns = 2, .rows = 2, .dx = 0}, four),
            "height field: dx must be more than 0 and at most 1e30, got 0");
  EXPECT_EQ(why({.columns = 2, .rows = 2, .dy = std::nan("")}, four),
            "height field: dy must be more than 0 and at most 1e30, got nan");
  EXPECT_EQ(why({.columns = 2, .rows = 2}, {0, 0, std::nan(""), 0}),
            "height field: the height of row 1, column 0 must be a number up to 1e30, got nan");
  EXPECT_EQ(why({.columns = 2, .rows = 2}, {0, kInfinity, 0, 0}),
            "height field: the height of row 0, column 1 must be a number up to 1e30, got inf");
}

TEST(HeightFieldValue, KeepsTheNumbersAndLittleBeside) {
  graze_oracle::Random random(1);
  for (const bool doubles : {false, true}) {
    const std::size_t columns = 300, rows = 200;
    std::vector<double> heights;
    for (std::size_t k = 0; k < columns * rows; ++k)
      heights.push_back(doubles ? random.uniform(-9, 9)
                                : static_cast<double>(static_cast<float>(random.uniform(-9, 9))));
    const HeightField field({.columns = columns, .rows = rows, .dx = 0.1, .dy = 0.2}, std::span(heights));
    for (std::size_t k = 0; k < heights.size(); ++k) ASSERT_EQ(field.height(k % columns, k / columns), heights[k]);
    EXPECT_EQ(field.heights_bytes(), heights.size() * (doubles ? 8 : 4));
    EXPECT_LE(static_cast<double>(field.memory_bytes()), 1.4 * static_cast<double>(field.heights_bytes()));
    const HeightField copy = field;
    EXPECT_EQ(copy.stamp(), field.stamp());
    heights[777] += 1;
    EXPECT_NE(HeightField(field.grid(), std::span<const double>(heights)).stamp(), field.stamp());
  }
}

TEST(HeightFieldValue, ItsPyramidHoldsAllHeights) {
  graze_oracle::Random random(2);
  for (int round = 0, n = scaled(50); round < n; ++round) {
    const auto columns = static_cast<std::size_t>(random.integer(2, 40)),
               rows = static_cast<std::size_t>(random.integer(2, 40));
    std::vector<double> heights;
    for (std::size_t k = 0; k < columns * rows; ++k)
      heights.push_back(random.magnitude(-3, 20) * random.uniform(-1, 1));
    const HeightField field({.columns = columns, .rows = rows}, std::span(heights));
    const height_field::Data& data = data_of(field);
    for (int level = 0; level <= data.top; ++level) {
      const std::size_t size = std::size_t{1} << level;
      for (std::size_t j = 0; j < rows - 1; j += size) {
        for (std::size_t i = 0; i < columns - 1; i += size) {
          const height_field::Range r = data.range(i, j, level);
          for (std::size_t y = j; y <= std::min(j + size, rows - 1); ++y) {
            for (std::size_t x = i; x <= std::min(i + size, columns - 1); ++x) {
              ASSERT_LE(r.low, data.z(x, y));
              ASSERT_GE(r.high, data.z(x, y));
            }
          }
        }
      }
    }
  }
}

TEST(HeightFieldValue, ItsBoundsHaveNoEndBelow) {
  const std::vector<double> heights = {0, 1, 2, 3};
  const Geometry field = HeightField({.columns = 2, .rows = 2}, std::span(heights));
  EXPECT_EQ(name_of(field), "heightfield");
  const Aabb box = bounds(field, Pose::at({5, 6, 7}));
  EXPECT_EQ(box.min.z(), -kInfinity);
  EXPECT_GE(box.max.z(), 10);
  EXPECT_TRUE(std::isfinite(box.min.x()) && std::isfinite(box.max.x()) && std::isfinite(box.max.z()));
  const Aabb side = bounds(field, Pose::from_wxyz(Vec3::Zero(), 1, 0, 1, 0));  // down is now −x
  EXPECT_EQ(side.min.x(), -kInfinity);
}

}  // namespace height_field_value_test
}  // namespace graze_test
