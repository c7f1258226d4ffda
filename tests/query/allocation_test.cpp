// Queries do not allocate.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "graze/query/probability.h"
#include "oracle/cases.h"
#include "query/placed_of.h"
#include "support/allocations.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace allocation_test {

using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Random;
using graze_oracle::Trouble;

TEST(Allocation, IsCountedHere) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  EXPECT_GT(allocations_of([] { std::vector<int> v(100, 1); }), 0);
}

TEST(Allocation, NoVerbAllocates) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(11);
  std::vector<graze::Contact> buffer(32);
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      for (const Trouble trouble : graze_oracle::kTroubles) {
        for (int i = 0, n = scaled(3); i < n; ++i) {
          const graze_oracle::Case c = make_case(a, b, trouble, random);
          const graze::Placed pa = placed_of(c.a), pb = placed_of(c.b);
          graze::PairCache cache;
          const long count = allocations_of([&] {
            (void)collide(pa, pb);
            (void)collide(pa, pb, {.margin = 0.1, .cache = &cache});
            (void)collide(pa, pb, {.margin = -0.1});
            (void)distance(pa, pb, {.cache = &cache});
            (void)distance(pa, pb, {.limit = 0.01});
            (void)distance(pa, pb, {.depth = false});
            (void)contacts(pa, pb, buffer, {.max = 32, .margin = 0.1});
            (void)contacts(pa, pb);
            (void)penetration(pa, pb);
          });
          ASSERT_EQ(count, 0) << name_of(a) << " and " << name_of(b) << ", " << name_of(trouble);
        }
      }
    }
  }
}

TEST(Allocation, NoVerbAllocatesForClouds) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(12);
  std::vector<graze::Vec3> points;
  for (int i = 0; i < 500; ++i) {
    points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  }
  std::vector<graze::Contact> buffer(32);
  std::vector<double> each(points.size());
  const graze::Placed a = at(graze::Cloud(std::span<const graze::Vec3>(points), {.radius = 0.01}));
  graze::ProbabilityScratch scratch;
  for (const double x : {1.8, 0.5}) {
    const graze::Placed b = at(graze::Cloud(std::span<const graze::Vec3>(points)), graze::Pose::at({x, 0, 0}));
    const graze::ProbabilityOptions noise{.sigma_a = 0.02, .sigma_b = 0.01, .samples = 100, .of_a = each, .of_b = each};
    (void)probability(a, b, noise, scratch);  // allocates the scratch memory and builds the trees
    EXPECT_EQ(allocations_of([&] {
                (void)collide(a, b);
                (void)distance(a, b);
                (void)contacts(a, b, buffer);
                (void)penetration(a, b);
                (void)probability(a, b, noise, scratch);
              }),
              0);
  }
}

TEST(Allocation, NoVerbAllocatesForMeshes) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(12);
  std::vector<graze::Contact> buffer(1000);
  const graze::Mesh solid = closed(6, true, 0.2).mesh(true), shell = random_soup(Look::soup, 200, random).mesh();
  const std::vector<graze::Vec3> points{{0, 0, 0}, {1, 1, 1}, {0.3, 0.2, 0.9}};
  for (int i = 0, n = scaled(200); i < n; ++i) {
    const graze::Placed a = at(i % 2 == 0 ? solid : shell, random_pose_near(random, graze::Vec3::Zero(), 1));
    graze::Placed b = at(shell, random_pose_near(random, graze::Vec3::Zero(), 1));
    if (i % 3 == 0)
      b.geometry = geometry_of(shape_of(random_spec(kKinds[static_cast<std::size_t>(i) % kKinds.size()], 0.5, random)));
    if (i % 7 == 0) {
      const graze::Cloud cloud(std::span<const graze::Vec3>(points), {.radius = 0.1});
      cloud.prepare();
      b.geometry = cloud;
    }
    graze::PairCache cache;
    const long count = allocations_of([&] {
      (void)collide(a, b, {.cache = &cache});
      (void)distance(a, b, {.cache = &cache});
      (void)distance(b, a, {.depth = false});
      (void)contacts(a, b, buffer, {.max = 1000, .margin = 0.1});
      (void)contacts(b, a);
      (void)penetration(a, b);
    });
    ASSERT_EQ(count, 0) << name_of(a.geometry) << " and " << name_of(b.geometry);
  }
}

}  // namespace allocation_test
}  // namespace graze_test
