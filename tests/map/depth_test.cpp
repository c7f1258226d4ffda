// Depth images against the definition, cell by cell.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "graze/map/occupancy_mapper.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace depth_test {

using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Camera {
  std::vector<float> depths;
  DepthImage image;
};

Camera random_camera(Generator& random) {
  Camera c;
  DepthImage& image = c.image;
  image.width = random.integer(1, 40), image.height = random.integer(1, 30);
  image.fx = random.uniform(10, 60), image.fy = random.uniform(10, 60);
  image.cx = random.uniform(0, image.width), image.cy = random.uniform(0, image.height);
  image.pose = random.pose(random.integer(0, 3) == 0 ? 1e5 : 2);
  if (random.integer(0, 2) > 0) image.max_range = random.uniform(0.5, 3);
  if (image.max_range < kInfinity && random.integer(0, 1)) image.no_return = NoReturn::clear;
  const double base = random.uniform(0.2, 2), slope = random.uniform(-0.02, 0.02);
  for (int i = 0; i < image.width * image.height; ++i) {
    auto depth = static_cast<float>(base + slope * (i % image.width) + (random.integer(0, 9) == 0 ? 1.0 : 0.0));
    const int kind = random.integer(0, 20);
    if (kind == 0) depth = kNan;
    if (kind == 1) depth = 0;
    if (kind == 2) depth = std::numeric_limits<float>::infinity();
    if (kind == 3) depth = -1;
    c.depths.push_back(depth);
  }
  image.depths = c.depths;
  return c;
}

TEST(DepthImage, ClearsWhatTheDefinitionSays) {
  std::size_t close = 0, looked = 0;
  for (int seed = 0; seed < scaled(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    Camera camera = random_camera(random);
    camera.image.depths = camera.depths;
    const DepthImage& image = camera.image;
    const double resolution = random.integer(0, 1) ? 0.05 : random.uniform(0.02, 0.2);
    OccupancyMapper mapper({.resolution = resolution});
    const InsertReport report = mapper.insert(image);
    const OccupancyMap map = mapper.map();
    ASSERT_EQ(refusal([&] { map.validate(); }), "");

    std::set<std::array<int, 3>> hits;
    const auto at = [&](int u, int v) { return double{camera.depths[static_cast<std::size_t>(v * image.width + u)]}; };
    const auto ray = [&](int u, int v) { return Vec3((u - image.cx) / image.fx, (v - image.cy) / image.fy, 1); };
    for (int v = 0; v < image.height; ++v) {
      for (int u = 0; u < image.width; ++u) {
        const double z = at(u, v);
        if (!(z > 0 && z < kInfinity) || z * ray(u, v).norm() > image.max_range) continue;
        const auto key = map.key_of(image.pose * (z * ray(u, v)));
        hits.insert({key->x, key->y, key->z});
      }
    }
    // Rounding may put a point of a pixel into the next cell.
    EXPECT_NEAR(double(report.cells_hit), double(hits.size()), 2 + 0.01 * double(hits.size()));

    const auto center_key = map.key_of(image.pose.translation());
    const int reach = static_cast<int>(3.6 / resolution);
    for (int i = 0; i < 30000; ++i) {
      const CellKey key{center_key->x + random.integer(-reach, reach), center_key->y + random.integer(-reach, reach),
                        center_key->z + random.integer(-reach, reach)};
      const Vec3 center = (Vec3(key.x, key.y, key.z).array() + 0.5) * resolution;
      const Vec3 q = image.pose.rotation().transpose() * (center - image.pose.translation());
      bool free = false, near = false;
      if (std::abs(q.z()) < 1e-5) near = true;
      if (q.z() > 0) {
        const double u = image.fx * q.x() / q.z() + image.cx + 0.5, v = image.fy * q.y() / q.z() + image.cy + 0.5;
        const double slack = 1e-3 + 1e-5 * std::abs(u) + 1e-5 * std::abs(v);
        near = near || std::abs(u - std::round(u)) < slack || std::abs(v - std::round(v)) < slack;
        if (u >= 0 && v >= 0 && u < image.width && v < image.height) {
          const int pu = static_cast<int>(u), pv = static_cast<int>(v);
          const double z = at(pu, pv), farthest = image.max_range / ray(pu, pv).norm();
          double limit = image.no_return == NoReturn::clear ? std::min(image.max_range, farthest) : 0;
          if (z > 0 && z < kInfinity) limit = std::min(z - std::sqrt(3) / 2 * resolution, farthest);
          free = q.z() < limit;
          near = near || std::abs(q.z() - limit) < 1e-4;
        }
      }
      const bool hit = hits.count({key.x, key.y, key.z}) > 0;
      const float got = map.log_odds(key).value_or(0);
      ++looked;
      const float expected = hit ? log_odds_of(0.7) : free ? log_odds_of(0.4) : 0;  // 0: unknown
      if (got == expected) continue;
      ++close;
      bool beside_hit = false;  // where rounding may have moved a point
      for (int d = 0; d < 27; ++d) {
        beside_hit = beside_hit || hits.count({key.x + d % 3 - 1, key.y + d / 3 % 3 - 1, key.z + d / 9 - 1}) > 0;
      }
      ASSERT_TRUE(near || beside_hit) << key.x << " " << key.y << " " << key.z << " is " << got << " instead of "
                                      << expected << "; camera " << q.transpose();
    }
  }
  EXPECT_LE(double(close), 1e-3 * double(looked));
}

TEST(DepthImage, IsTheSameInManyFramesAndAfterAnotherCamera) {
  Generator random(5);
  OccupancyMapper one({.resolution = 0.05}), two({.resolution = 0.05});
  for (int i = 0; i < 5; ++i) {
    Camera camera = random_camera(random);
    camera.image.depths = camera.depths;
    one.insert(camera.image);
    OccupancyMapper other({.resolution = 0.05});  // without memory of other images
    other.insert(camera.image);
    two.insert(camera.image);
  }
  EXPECT_EQ(one.map().stamp(), two.map().stamp());
}

TEST(DepthImage, DepthsUpToTheRangeAreHitsAndTheNextNumberIsCut) {
  // As the range of a pixel is rounded to float32, up or down: all columns, in whole vectors and in what is left.
  Generator random(9);
  for (int i = 0; i < scaled(40); ++i) {
    DepthImage image{.width = random.integer(1, 70), .height = random.integer(1, 3)};
    image.fx = random.uniform(20, 90), image.fy = random.uniform(20, 90);
    image.cx = random.uniform(0, image.width), image.cy = random.uniform(0, image.height);
    image.max_range = random.uniform(0.5, 5);
    std::vector<float> depths;
    std::size_t hits = 0, cut = 0;
    for (int v = 0; v < image.height; ++v) {
      for (int u = 0; u < image.width; ++u) {
        const double x = (u - image.cx) / image.fx, y = (v - image.cy) / image.fy;
        const auto ray = static_cast<float>(std::sqrt(1 + x * x + y * y));
        auto depth = static_cast<float>(image.max_range / double{ray});
        for (int steps = random.integer(-2, 2); steps != 0; steps += steps < 0 ? 1 : -1) {
          depth = std::nextafter(depth, steps < 0 ? 0.0F : 10.0F);
        }
        (double{depth} * double{ray} <= image.max_range ? hits : cut) += 1;
        depths.push_back(depth);
      }
    }
    image.depths = depths;
    OccupancyMapper mapper({.resolution = 0.05});
    const InsertReport report = mapper.insert(image);
    EXPECT_EQ(report.hits, hits);
    EXPECT_EQ(report.cut, cut);
  }
}

TEST(DepthImage, FilteredPixelsNeitherHitNorClear) {
  const std::vector<float> depths(20 * 20, 1.0F);
  DepthImage image{.depths = depths, .width = 20, .height = 20, .fx = 30, .fy = 30, .cx = 9.5, .cy = 9.5};
  const std::vector<FilteredBody> filter{{at(Sphere{.radius = 0.2}, Pose::at({0, 0, 1})), 0}};
  OccupancyMapper plain({.resolution = 0.05}), filtered({.resolution = 0.05});
  plain.insert(image);
  image.filter = filter;
  const InsertReport report = filtered.insert(image);
  EXPECT_GT(report.filtered[0], 50U);
  EXPECT_EQ(report.filtered[0] + report.hits, 400U);
  EXPECT_EQ(plain.map().state(Vec3(0.01, 0.01, 1.001)), Occupancy::occupied);
  EXPECT_EQ(filtered.map().state(Vec3(0.01, 0.01, 1.001)), Occupancy::unknown);
  EXPECT_EQ(filtered.map().state(Vec3(0.01, 0.01, 0.5)), Occupancy::unknown);
  EXPECT_EQ(plain.map().state(Vec3(0.01, 0.01, 0.5)), Occupancy::free);
}

TEST(DepthImage, BadImagesAreRefusedAndChangeNothing) {
  const std::vector<float> depths(6, 1.0F);
  const DepthImage good{.depths = depths, .width = 3, .height = 2, .fx = 3, .fy = 3, .cx = 1, .cy = 1};
  OccupancyMapper mapper({.resolution = 0.1});
  const auto why = [&](auto change) {
    DepthImage image = good;
    change(image);
    return refusal([&] { mapper.insert(image); });
  };
  EXPECT_EQ(why([](DepthImage&) {}), "");
  const std::uint64_t stamp = mapper.map().stamp();
  EXPECT_NE(why([](DepthImage& i) { i.width = 2; }), "");
  EXPECT_NE(why([](DepthImage& i) { i.width = 0; }), "");
  EXPECT_NE(why([](DepthImage& i) { i.height = -2; }), "");
  EXPECT_NE(why([](DepthImage& i) { i.fx = 0; }), "");
  EXPECT_NE(why([](DepthImage& i) { i.fy = std::nan(""); }), "");
  EXPECT_NE(why([](DepthImage& i) { i.cx = kInfinity; }), "");
  EXPECT_NE(why([](DepthImage& i) { i.max_range = 0; }), "");
  EXPECT_NE(why([](DepthImage& i) { i.no_return = NoReturn::clear; }), "") << "without a range";
  EXPECT_NE(why([](DepthImage& i) { i.time = kInfinity; }), "");
  EXPECT_NE(why([](DepthImage& i) { i.pose = Pose::at({1e20, 0, 0}); }), "");
  const std::vector<float> far(6, 1e8F);
  EXPECT_NE(why([&](DepthImage& i) { i.depths = far; }), "") << "too much to clear";
  EXPECT_EQ(mapper.map().stamp(), stamp);
}

}  // namespace depth_test
}  // namespace graze
