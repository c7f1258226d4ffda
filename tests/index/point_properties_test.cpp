// Properties of every index of points, whatever the points are; and one hash over the bits of many answers.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "graze/base/parallel.h"
#include "graze/base/simd.h"
#include "graze/index/kd_tree.h"
#include "graze/index/point_grid.h"
#include "points_oracle.h"
#include "support/scale.h"

namespace graze_test {
namespace point_properties_test {

using namespace graze;

// The two indices that are quick to build for any cloud.
struct Indices {
  PointGrid grid;
  KdTree tree;

  explicit Indices(const Points& points) : grid(floats(points)), tree(PointView(floats(points))) {}

  bool collides(const Query& q) const { return grid.collides(q.center, q.radius); }
  // By the rule of the k-d tree, which compares squares in double.
  bool found(const Query& q) const { return tree.search(region::Ball(q.center, q.radius)).any(); }
};

// Runs through about 1e4 spheres, each against some cloud of every kind and that cloud changed by `change`.
void for_each_sphere(
    const std::function<Points(const Points&, Generator&)>& change,
    const std::function<void(const Indices&, const Indices&, const NamedCloud&, const Query&)>& check) {
  Generator random(77);
  const std::vector<NamedCloud> clouds = all_clouds(400);
  const int each = scaled(10000) / static_cast<int>(clouds.size()) + 1;
  for (const NamedCloud& cloud : clouds) {
    const Indices before(cloud.points), after(change(cloud.points, random));
    for (int i = 0; i < each; ++i) {
      check(before, after, cloud, random_query(cloud, random));
      if (::testing::Test::HasFailure()) {
        FAIL() << cloud.name << ", sphere " << i;
      }
    }
  }
}

Points scaled_by(Points points, float factor) {
  for (Point& p : points) {
    for (float& x : p) x *= factor;
  }
  return points;
}

TEST(PointProperties, OrderAndDuplicatesChangeNothing) {
  for_each_sphere(
      [](Points points, Generator& random) {
        for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random.bits() % i]);
        for (std::size_t i = 0, n = points.size(); i < n; i += 3) points.push_back(points[i]);
        return points;
      },
      [](const Indices& before, const Indices& after, const NamedCloud&, const Query& q) {
        EXPECT_EQ(before.collides(q), after.collides(q));
        EXPECT_EQ(before.found(q), after.found(q));
        const Neighbor a = before.grid.nearest(q.center), b = after.grid.nearest(q.center);
        EXPECT_EQ(a.distance, b.distance);
      });
}

TEST(PointProperties, PowersOfTwoScaleEverything) {
  static constexpr double kFactor = 0x1p-7;
  for_each_sphere([](const Points& points, Generator&) { return scaled_by(points, static_cast<float>(kFactor)); },
                  [](const Indices& before, const Indices& after, const NamedCloud&, const Query& q) {
                    const Query smaller{kFactor * q.center, kFactor * q.radius};
                    EXPECT_EQ(before.collides(q), after.collides(smaller));
                    EXPECT_EQ(before.found(q), after.found(smaller));
                    EXPECT_EQ(kFactor * before.grid.nearest(q.center).distance,
                              after.grid.nearest(smaller.center).distance);
                  });
}

TEST(PointProperties, AMirrorKeepsTheAnswer) {
  for_each_sphere([](const Points& points, Generator&) { return scaled_by(points, -1); },
                  [](const Indices& before, const Indices& after, const NamedCloud&, const Query& q) {
                    const Query mirrored{-q.center, q.radius};
                    EXPECT_EQ(before.collides(q), after.collides(mirrored));
                    EXPECT_EQ(before.found(q), after.found(mirrored));
                    EXPECT_EQ(before.grid.nearest(q.center), after.grid.nearest(mirrored.center));
                  });
}

TEST(PointProperties, AddingPointsNeverFrees) {
  for_each_sphere(
      [](Points points, Generator& random) {
        const Points more = uniform_points(50, 0.5, random.bits());
        points.insert(points.end(), more.begin(), more.end());
        return points;
      },
      [](const Indices& before, const Indices& after, const NamedCloud&, const Query& q) {
        EXPECT_TRUE(!before.collides(q) || after.collides(q));
        EXPECT_TRUE(!before.found(q) || after.found(q));
        EXPECT_GE(before.grid.nearest(q.center).distance, after.grid.nearest(q.center).distance);
      });
}

TEST(PointProperties, TheDistanceChangesNoFasterThanTheQueryMoves) {
  Generator random(5);
  for_each_sphere([](const Points& points, Generator&) { return points; },
                  [&](const Indices& before, const Indices&, const NamedCloud& cloud, const Query& q) {
                    const Vec3 other = q.center + random.in_cube(0.2 * cloud.size);
                    const double a = before.grid.nearest(q.center).distance, b = before.grid.nearest(other).distance;
                    if (!std::isfinite(a)) return;
                    const double moved = (other - q.center).norm();
                    EXPECT_LE(std::abs(a - b), moved + 1e-14 * (std::abs(a) + std::abs(b) + moved));
                  });
}

// FNV-1a over the answers to fixed spheres, which depend on their number only.
std::uint64_t answers(int threads) {
  const std::vector<NamedCloud> clouds = all_clouds(1000);
  std::vector<std::uint64_t> words(clouds.size() * 1000);
  for (std::size_t c = 0; c < clouds.size(); ++c) {
    const Indices indices(clouds[c].points);
    parallel_for(1000,
                 [&](std::size_t i) {
                   Generator random(1000 * c + i + 1);
                   const Query q = random_query(clouds[c], random);
                   const Neighbor nearest = indices.grid.nearest(q.center);
                   words[1000 * c + i] = std::bit_cast<std::uint64_t>(nearest.distance) ^ nearest.index << 1U ^
                                         std::uint64_t{indices.collides(q)} ^ std::uint64_t{indices.found(q)} << 1U;
                 },
                 {.threads = threads});
  }
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint64_t word : words) {
    for (unsigned i = 0; i < 64; i += 8) hash = (hash ^ (word >> i & 0xFFU)) * 0x100000001b3U;
  }
  return hash;
}

// Change it only when answers are meant to change, and say why in the commit. Every build must give the same value.
constexpr std::uint64_t kCommittedHash = 10165224879905270088U;

TEST(PointDeterminism, AnswersHaveTheCommittedHash) { EXPECT_EQ(answers(1), kCommittedHash); }

TEST(PointDeterminism, AnswersDoNotDependOnTheInstructionSet) {
  for (const std::string_view target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    EXPECT_EQ(answers(1), kCommittedHash) << target;
  }
}

TEST(ConcurrentPointDeterminism, AnswersDoNotDependOnTheNumberOfThreads) {
  for (const int threads : {2, 7}) EXPECT_EQ(answers(threads), kCommittedHash) << threads;
}

}  // namespace point_properties_test
}  // namespace graze_test
