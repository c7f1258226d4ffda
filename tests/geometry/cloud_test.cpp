#include "graze/geometry/cloud_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "geometry/cloud_index.h"
#include "graze/base/parallel.h"
#include "graze/index/point_grid.h"
#include "support/clouds.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace cloud_test {

using graze_test::refusal;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kNanF = std::numeric_limits<float>::quiet_NaN();

// Coordinates in every layout: the cloud must always give back the caller's numbers.
std::vector<Vec3> random_points(std::mt19937_64& random, std::size_t count) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::uniform_real_distribution<double> unit(-1, 1);
  const double size = std::pow(10, pick(12) - 5), far = pick(2) ? std::pow(10, pick(9)) : 0, grid = pick(3);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 p = Vec3(unit(random), unit(random), unit(random)) * size;
    if (grid == 1) p = p.cast<float>().cast<double>();
    p += Vec3(far, -2 * far, far / 3);
    if (grid == 2) p = (p * 1024).array().round() / 1024;
    if (pick(50) == 0) p[pick(3)] = pick(2) ? kNan : -kInfinity;
    points.push_back(p);
  }
  return points;
}

void expect_same(const Cloud& cloud, const std::vector<Vec3>& points) {
  ASSERT_EQ(cloud.size(), points.size());
  Aabb box;
  std::size_t skipped = 0;
  long double worst = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) {
      ++skipped;
      EXPECT_TRUE(cloud.is_skipped(i));
      EXPECT_TRUE(cloud.point(i).array().isNaN().all());
      continue;
    }
    EXPECT_FALSE(cloud.is_skipped(i));
    box.extend(points[i]);
    ASSERT_EQ(cloud.point(i), points[i]) << "point " << i;
    const Cloud::Block& block = cloud.blocks()[i / Cloud::kBlock];
    long double off_sq = 0;
    for (int k = 0; k < 3; ++k) {
      const long double stored =
          static_cast<long double>(block.origin[k]) + static_cast<long double>(cloud.stored_point(i)[k]);
      off_sq += (stored - points[i][k]) * (stored - points[i][k]);
    }
    EXPECT_LE(std::sqrt(off_sq), block.rounding);
    EXPECT_LE(block.rounding, cloud.rounding());
    worst = std::max(worst, std::sqrt(off_sq));
  }
  EXPECT_LE(cloud.rounding(), worst * 1.0001L + 1e-150L) << "the rounding is not overstated";
  EXPECT_EQ(cloud.skipped(), skipped);
  EXPECT_EQ(cloud.bounds(), box);
}

TEST(Cloud, MayBeEmptyOrOnePoint) {
  const Cloud none;
  EXPECT_EQ(none.size(), 0U);
  EXPECT_TRUE(none.bounds().empty());
  EXPECT_EQ(Cloud(PointView()).size(), 0U);
  const Cloud one(PointView(std::vector<Vec3>{{1, 2, 3}}), {.radius = 0.5});
  expect_same(one, {{1, 2, 3}});
  EXPECT_EQ(one.radius(), 0.5);
  EXPECT_EQ(one.rounding(), 0);
}

TEST(Cloud, GivesBackTheCallersDoublesWhateverTheyAre) {
  std::mt19937_64 random(1);
  for (int i = 0; i < graze_test::scaled(200); ++i) {
    const std::vector<Vec3> points = random_points(random, random() % 3000);
    expect_same(Cloud(PointView(points)), points);
  }
}

TEST(Cloud, StoresFloatsToTheBit) {
  std::mt19937_64 random(2);
  std::vector<float> xyz;
  while (xyz.size() < 3 * 5000) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::abs(value) < 1e30F) xyz.push_back(value);
  }
  xyz[0] = -0.0F;
  const Cloud cloud(PointView(xyz.data(), xyz.size() / 3));
  EXPECT_EQ(cloud.rounding(), 0);
  EXPECT_EQ(cloud.skipped(), 0U);
  for (std::size_t i = 0; i < xyz.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(cloud.stored()[i]), std::bit_cast<std::uint32_t>(xyz[i]));
  }
  EXPECT_TRUE(std::signbit(cloud.point(0).x()));
  EXPECT_LE(cloud.memory_bytes(), xyz.size() * 4 + 5000) << "without a tree, which was not requested";
  for (const Cloud::Block& block : cloud.blocks()) EXPECT_EQ(block.origin, Vec3::Zero());
}

TEST(ConcurrentClouds, BuildTheirTreeWhenFirstNeeded) {
  std::vector<Vec3> points;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 20000; ++i) points.emplace_back(unit(random), unit(random), unit(random));
  const Cloud cloud{PointView(points)}, copy = cloud, wider = cloud.with_radius(0.5);
  const std::size_t before = cloud.memory_bytes();
  // The first thread builds it; all see the same one.
  std::array<const KdTree*, 8> seen{};
  {
    std::vector<std::jthread> threads;
    for (const KdTree*& tree : seen) threads.emplace_back([&] { tree = &search_tree(copy); });
  }
  for (const KdTree* tree : seen) EXPECT_EQ(tree, &search_tree(cloud));
  EXPECT_EQ(&search_tree(wider), &search_tree(cloud));
  EXPECT_EQ(search_tree(cloud).size(), points.size());
  EXPECT_EQ(cloud.memory_bytes(), before + search_tree(cloud).memory_bytes());
  EXPECT_EQ(search_tree(Cloud()).size(), 0U);
}

TEST(ConcurrentClouds, BuildTheirGridWhenFirstNeeded) {
  const std::vector<float> xyz = [] {
    std::vector<float> numbers;
    std::mt19937_64 random(6);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (int i = 0; i < 60000; ++i) numbers.push_back(unit(random));
    return numbers;
  }();
  const Cloud cloud{PointView(xyz)}, copy = cloud;
  const std::size_t before = cloud.memory_bytes();
  std::array<const graze::PointGrid*, 8> seen{};
  {
    std::vector<std::jthread> threads;
    for (const graze::PointGrid*& grid : seen) threads.emplace_back([&] { grid = sphere_grid(copy); });
  }
  ASSERT_NE(sphere_grid(cloud), nullptr);
  for (const graze::PointGrid* grid : seen) EXPECT_EQ(grid, sphere_grid(cloud));
  EXPECT_EQ(sphere_grid(cloud)->size(), 20000U);
  EXPECT_EQ(cloud.memory_bytes(), before + sphere_grid(cloud)->memory_bytes())
      << "and no tree, which was not requested";
  // No points, and points that are not float32.
  EXPECT_EQ(sphere_grid(Cloud()), nullptr);
  EXPECT_EQ(sphere_grid(Cloud(PointView(std::vector<Vec3>{{0.1, 0.2, 0.3}}))), nullptr);
  EXPECT_NE(sphere_grid(Cloud(PointView(graze_test::floats(graze_test::at_all_scales(1000, 1))))), nullptr);
}

// Queries inside a parallel loop build the tree on the threads of that loop: none may wait for itself.
TEST(ConcurrentClouds, BuildTheirTreeInsideAParallelLoop) {
  std::vector<Vec3> points;
  for (int i = 0; i < 50000; ++i) points.emplace_back(i % 37, i % 101, i);
  for (int round = 0; round < 20; ++round) {
    const Cloud cloud{PointView(points)};
    std::atomic<std::size_t> sum = 0;
    parallel_for(64, [&](std::size_t) { sum += search_tree(cloud).size(); }, {.threads = 4, .grain = 1});
    EXPECT_EQ(sum, 64 * points.size());
  }
}

// A scan in UTM coordinates on a millimetre grid, as LAS delivers it.
TEST(Cloud, KeepsGeoReferencedScansFarBelowATenthOfAMillimetre) {
  std::mt19937_64 random(3);
  std::vector<Vec3> points;
  for (int i = 0; i < 20000; ++i) {
    const auto mm = [&] { return static_cast<double>(random() % 100000) * 0.001; };
    points.emplace_back(mm() + 637000, mm() + 4851000, mm());
  }
  const Cloud cloud{PointView(points)};
  expect_same(cloud, points);
  EXPECT_GT(cloud.rounding(), 0);
  EXPECT_LT(cloud.rounding(), 1e-5);
  EXPECT_LE(static_cast<double>(cloud.memory_bytes()), 28.2 * 20000) << "residuals are enough for x and y";
}

// All points within the limit by the rule of region::Ball, sorted, ties to the lower index.
std::vector<Neighbor> loop_nearest(const std::vector<Vec3>& points, const Vec3& p, double limit) {
  std::vector<Neighbor> found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) continue;
    const Vec3 d = points[i] - p;
    const double square = (d.x() * d.x() + d.y() * d.y()) + d.z() * d.z();
    if (square <= limit * limit) found.push_back({i, std::sqrt(square)});
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Cloud, FindsTheNearestPointsLikeALoop) {
  std::mt19937_64 random(41);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < graze_test::scaled(150); ++round) {
    SCOPED_TRACE(round);
    std::vector<Vec3> points = random_points(random, pick(400));
    // Ties: some points occur twice.
    for (std::size_t i = 0; i < points.size() / 8; ++i) points[pick(points.size())] = points[pick(points.size())];
    const Cloud cloud(points, {.radius = 0.5});  // which does not matter
    for (int query = 0; query < 20; ++query) {
      const bool at_point = !points.empty() && pick(3) == 0;
      Vec3 p = at_point ? points[pick(points.size())] : Vec3(unit(random), unit(random), unit(random)) * 1e4;
      if (!is_finite(p)) p = Vec3(1e50, 0, -1e50);
      const std::vector<Neighbor> all = loop_nearest(points, p, kInfinity);
      const std::array limits = {kInfinity, 1e52, 0.0, all.empty() ? 1.0 : all[pick(all.size())].distance};
      const double limit = limits[pick(limits.size())];
      const std::vector<Neighbor> expected = loop_nearest(points, p, limit);

      EXPECT_EQ(cloud.nearest(p, limit), expected.empty() ? Neighbor() : expected[0]);
      std::vector<Neighbor> buffer(pick(12));
      const std::span<Neighbor> found = cloud.nearest(p, buffer, limit);
      ASSERT_EQ(found.size(), std::min(buffer.size(), expected.size()));
      EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()));
      if (limit <= 1e50) {
        EXPECT_EQ(cloud.search(region::Ball(p, limit)).count(), expected.size());
      }
    }
  }
}

TEST(Cloud, WithoutPointsFindsNothing) {
  const std::vector<float> none, no_return{kNanF, 0, 0};
  for (const std::vector<float>& floats : {none, no_return}) {
    const Cloud cloud{PointView(floats)};
    EXPECT_FALSE(cloud.nearest(Vec3::Zero()).found());
    EXPECT_FALSE(cloud.search(region::Ball(Vec3::Zero(), 1e50)).any());
    std::array<Neighbor, 2> two;
    EXPECT_TRUE(cloud.nearest(Vec3::Zero(), two).empty());
  }
}

TEST(Cloud, FindsPointsFartherThanTheLargestBall) {
  const std::vector<Vec3> points{{1, 0, 0}, {0, 0, 0}};
  const Cloud cloud(points);
  const Vec3 far = Vec3::Constant(1e50);
  EXPECT_EQ(cloud.nearest(far).index, 0U);  // equally far as doubles
  EXPECT_FALSE(cloud.nearest(far, 1e50).found());
  EXPECT_FALSE(cloud.nearest(far, 1.5e50).found());
  EXPECT_TRUE(cloud.nearest(far, 1.8e50).found());
}

TEST(Cloud, RejectsInvalidQueries) {
  const std::vector<float> floats{1, 2, 3, 4, 5, 6};
  const Cloud cloud{PointView(floats)};
  EXPECT_EQ(refusal([&] { return cloud.nearest(Vec3(0, kNan, 0)); }).substr(0, 15), "nearest: point:");
  EXPECT_EQ(refusal([&] { return cloud.nearest(Vec3(0, kInfinity, 0)); }).substr(0, 15), "nearest: point:");
  EXPECT_EQ(refusal([&] { return cloud.nearest(Vec3::Zero(), -1); }), "nearest: limit: must be 0 or more, got -1");
  EXPECT_EQ(refusal([&] { return cloud.nearest(Vec3::Zero(), kNan); }), "nearest: limit: must be 0 or more, got nan");
  EXPECT_EQ(refusal([&] { return cloud.search(region::Ball(Vec3::Zero(), 1), {.to_axis = true}).any(); }).empty(),
            false);
}

TEST(Cloud, SkipsAndCountsPointsThatAreNotFinite) {
  const std::vector<Vec3> points = {{kNan, 0, 0}, {1, 2, 3}, {0, kInfinity, 0}, {0, 0, -kInfinity}, {4, 5, 6}};
  expect_same(Cloud(PointView(points)), points);
  std::vector<float> floats(3 * 2048, 1.0F);
  floats[3 * 7 + 1] = kNanF;
  const Cloud cloud(PointView(floats.data(), 2048));
  EXPECT_EQ(cloud.skipped(), 1U);
  EXPECT_TRUE(cloud.is_skipped(7));
  EXPECT_FALSE(cloud.is_skipped(8));
  const Cloud nothing(PointView(std::vector<Vec3>(1500, Vec3::Constant(kNan))));
  EXPECT_EQ(nothing.skipped(), 1500U);
  EXPECT_TRUE(nothing.bounds().empty());
}

TEST(Cloud, ReadsAnyStrideWithoutACopy) {
  // x y z with one byte between, as a packed message has them.
  std::vector<char> packed(13 * 100 + 1);
  std::vector<Vec3> expected;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto value = static_cast<float>(i);
    const float xyz[3] = {value, value + 0.5F, -value};
    std::memcpy(packed.data() + 1 + 13 * i, xyz, sizeof xyz);
    expected.emplace_back(xyz[0], xyz[1], xyz[2]);
  }
  expect_same(Cloud(PointView(reinterpret_cast<const float*>(packed.data() + 1), 100, 13)), expected);

  // All x, then all y, then all z; and backwards.
  std::vector<double> columns(300);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t k = 0; k < 3; ++k) columns[100 * k + i] = expected[i][static_cast<Eigen::Index>(k)];
  }
  expect_same(Cloud(PointView(columns.data(), 100, 8, 800)), expected);
  const std::vector<Vec3> reversed(expected.rbegin(), expected.rend());
  expect_same(Cloud(PointView(columns.data() + 99, 100, -8, 800)), reversed);
}

TEST(Cloud, CopiesShareTheirData) {
  const Cloud cloud(PointView(std::vector<Vec3>(5000, Vec3(1, 2, 3))));
  const Cloud copy = cloud;
  EXPECT_EQ(copy.stored().data(), cloud.stored().data());
  const Cloud thick = cloud.with_radius(2);
  EXPECT_EQ(thick.stored().data(), cloud.stored().data());
  EXPECT_EQ(thick.radius(), 2);
  EXPECT_EQ(cloud.radius(), 0);
}

TEST(Cloud, KeepsAttributesByTheCallersIndex) {
  const std::vector<Vec3> points = {{1, 0, 0}, {kNan, 0, 0}, {3, 0, 0}};
  const std::vector<std::uint16_t> intensity = {7, 8, 65535};
  const std::vector<std::int64_t> stamp = {1, 2, (std::int64_t{1} << 62) + 1};
  struct Pixel {
    std::uint8_t r, g, b;
  };
  const std::vector<Pixel> pixels = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const Cloud cloud(PointView(points), {},
                    {{"intensity", ColumnView::of(std::span<const std::uint16_t>(intensity))},
                     {"stamp", ColumnView::of(std::span<const std::int64_t>(stamp))},
                     {"green", ColumnView::of(&pixels[0].g, 3, sizeof(Pixel))}});
  ASSERT_EQ(cloud.attributes().size(), 3U);
  EXPECT_EQ((*cloud.attribute("intensity"))[2], 65535);
  EXPECT_EQ(cloud.attribute("stamp")->values<std::int64_t>()[2], stamp[2]);
  EXPECT_EQ(cloud.attribute("green")->values<std::uint8_t>()[1], 5);
  EXPECT_EQ(cloud.attribute("red"), nullptr);
  EXPECT_EQ(refusal([&] { cloud.attribute("green")->values<float>(); }),
            "attribute 'green': has values of type uint8, was asked for float32");
}

TEST(Cloud, RejectsInvalidInput) {
  const std::vector<Vec3> points = {{1, 2, 3}, {0, 1e31, 0}};
  EXPECT_EQ(refusal([&] { Cloud{PointView(points)}; }),
            "point 1: coordinates (0, 1e+31, 0) reach beyond 1e+30 m; mark missing points by NaN");
  std::vector<float> floats(3 * 3000, 0.0F);
  floats[3 * 2000] = std::numeric_limits<float>::max();
  EXPECT_NE(refusal([&] { Cloud(PointView(floats.data(), 3000)); }).find("point 2000: "), std::string::npos);
  const PointView one(points.data()->data(), 1);
  EXPECT_EQ(refusal([&] { Cloud(one, {.radius = -1}); }), "cloud radius: must be 0 or between 1e-50 and 1e50, got -1");
  EXPECT_NE(refusal([&] { Cloud().with_radius(kNan); }), "");
  const double values[2] = {1, 2};
  EXPECT_EQ(refusal([&] {
              Cloud(one, {}, {{"a", ColumnView::of(values, 2)}});
            }),
            "cloud attribute 'a': needs one value per point: 1, got 2");
  const ColumnView fit = ColumnView::of(values, 1);
  EXPECT_EQ(refusal([&] {
              Cloud(one, {}, {{"a", fit}, {"a", fit}});
            }),
            "cloud attribute 'a': is given twice; names must differ");
  EXPECT_EQ(refusal([&] { Cloud(one, {}, {{"", fit}}); }), "cloud attribute: needs a name, got none");
}

TEST(CloudBuilder, MakesTheSameCloudFromAnyParts) {
  std::mt19937_64 random(4);
  for (int round = 0; round < graze_test::scaled(50); ++round) {
    const std::vector<Vec3> points = random_points(random, random() % 5000);
    std::vector<float> floats;
    for (const Vec3& p : points) {
      for (const double x : p) floats.push_back(static_cast<float>(x));
    }
    const bool single = round % 2 == 0;
    const PointView whole = single ? PointView(floats.data(), points.size()) : PointView(points);
    std::vector<std::uint32_t> number(points.size());
    for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<std::uint32_t>(i);

    CloudBuilder builder({{"number", NumberType::uint32}});
    for (std::size_t first = 0; first < points.size();) {
      const std::size_t count = std::min<std::size_t>(points.size() - first, random() % 2500);
      const PointView part =
          single ? PointView(floats.data() + 3 * first, count) : PointView(points[first].data(), count);
      const ColumnView column = ColumnView::of(number.data() + first, count);
      builder.append(part, {&column, 1});
      first += count;
    }
    EXPECT_EQ(builder.size(), points.size());
    const Cloud built = std::move(builder).finish(0.25);
    const Cloud direct(whole);
    ASSERT_EQ(built.size(), direct.size());
    EXPECT_EQ(built.rounding(), direct.rounding());
    EXPECT_EQ(built.skipped(), direct.skipped());
    EXPECT_EQ(built.bounds(), direct.bounds());
    EXPECT_EQ(built.radius(), 0.25);
    for (std::size_t i = 0; i < built.size(); ++i) {
      ASSERT_EQ(built.is_skipped(i), direct.is_skipped(i));
      if (!built.is_skipped(i)) {
        ASSERT_EQ(built.point(i), direct.point(i));
      }
      ASSERT_EQ(built.attribute("number")->values<std::uint32_t>()[i], i);
    }
  }
}

TEST(CloudBuilder, RejectsColumnsThatDoNotFit) {
  CloudBuilder builder({{"a", NumberType::uint8}});
  const std::vector<Vec3> points(1, Vec3::Zero());
  const double value = 1;
  const ColumnView wrong = ColumnView::of(&value, 1);
  EXPECT_EQ(refusal([&] { builder.append(PointView(points)); }), "cloud attributes: needs 1 columns, got 0");
  EXPECT_EQ(refusal([&] {
              builder.append(PointView(points), {&wrong, 1});
            }),
            "cloud attribute 'a': is of type uint8, got float64");
}

}  // namespace cloud_test
}  // namespace graze
