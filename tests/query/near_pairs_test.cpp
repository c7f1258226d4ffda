#include "graze/query/near_pairs.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "graze/graze.h"
#include "support/allocations.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace near_pairs_test {

using graze::Interval;
using graze::MovingMesh;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Random;

std::vector<Vec3> moved(const std::vector<Vec3>& vertices, double by, Random& random) {
  std::vector<Vec3> next = vertices;
  const Vec3 all(random.uniform(-by, by), random.uniform(-by, by), random.uniform(-by, by));
  for (Vec3& v : next) v += all + Vec3(random.uniform(-by, by), random.uniform(-by, by), random.uniform(-by, by)) / 4;
  return next;
}

using Found = std::map<std::pair<std::size_t, std::size_t>, Interval>;

TEST(NearPairs, IncludeEveryPairThatMeetsAtSomeTime) {
  Random random(1);
  std::size_t met = 0, visited = 0, all = 0;
  for (int i = 0, n = scaled(40); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Look look = kLooks[static_cast<std::size_t>(i) % std::size(kLooks)];
    const Soup a = random_soup(look, 30, random), b = random_soup(Look::soup, 25, random);
    const MovingMesh moving_a(a.mesh(), moved(a.vertices, 0.5, random)),
        moving_b(b.mesh(), moved(b.vertices, 1, random));
    const Pose pose_a = i % 4 == 0 ? Pose() : random_pose_near(random, Vec3::Zero(), 1);
    const Pose pose_b = i % 4 == 0 ? Pose() : random_pose_near(random, pose_a * moving_a.from().bounds().center(), 1);
    const double margin = i % 2 == 0 ? 0 : 0.05;
    Found found;
    visit_near_pairs(moving_a, pose_a, moving_b, pose_b, margin, [&](std::size_t j, std::size_t k, const Interval& t) {
      EXPECT_TRUE(found.emplace(std::pair(j, k), t).second) << "visited twice";
    });
    visited += found.size(), all += moving_a.size() * moving_b.size();
    for (const double t : {0.0, 0.2, 0.45, 0.7, 1.0}) {
      for (std::size_t j = 0; j < moving_a.size(); ++j) {
        for (std::size_t k = 0; k < moving_b.size(); ++k) {
          const graze::Distance d = distance(graze::at(moving_a.triangle(j, t), pose_a),
                                             graze::at(moving_b.triangle(k, t), pose_b), {.limit = margin});
          if (d.beyond || d.value > margin) continue;
          ++met;
          const auto at = found.find({j, k});
          ASSERT_TRUE(at != found.end()) << j << ", " << k << " at " << t;
          EXPECT_TRUE(at->second.contains(t)) << j << ", " << k << " at " << t;
        }
      }
    }
  }
  EXPECT_GT(met, static_cast<std::size_t>(scaled(100)));
  EXPECT_LT(visited, all / 4);
}

TEST(NearPairs, OfOneMeshAreTheSameAsOfTwoOnceEach) {
  Random random(2);
  const Soup soup = random_soup(Look::soup, 60, random);
  const MovingMesh moving(soup.mesh(), moved(soup.vertices, 0.4, random));
  Found within, two;
  visit_near_pairs(moving, 0.01, [&](std::size_t i, std::size_t j, const Interval& t) { within[{i, j}] = t; });
  visit_near_pairs(moving, {}, moving, {}, 0.01, [&](std::size_t i, std::size_t j, const Interval& t) {
    if (i < j) two[{i, j}] = t;
  });
  EXPECT_EQ(within, two);
  EXPECT_GT(within.size(), 0U);
}

TEST(NearPairs, StopOnRequestAndDoNotAllocate) {
  const MovingMesh moving(closed(5, true).mesh());
  int visits = 0;
  EXPECT_EQ(allocations_of([&] {
              visit_near_pairs(moving, 0, [&](std::size_t, std::size_t, const Interval&) { return ++visits < 3; });
            }),
            0);
  EXPECT_EQ(visits, 3);
  std::size_t all = 0;
  visit_near_pairs(moving, {}, moving, Pose::at({100, 0, 0}), std::nan(""),
                   [&](std::size_t, std::size_t, const Interval&) { ++all; });
  EXPECT_EQ(all, moving.size() * moving.size()) << "a margin that is not a number finds all";
  const MovingMesh nothing((graze::Mesh()));
  visit_near_pairs(nothing, {}, moving, {}, 1e9, [](std::size_t, std::size_t, const Interval&) { FAIL(); });
}

}  // namespace near_pairs_test
}  // namespace graze_test
