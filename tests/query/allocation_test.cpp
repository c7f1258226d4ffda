// Queries do not touch the heap.
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
#include "support/scale.h"

namespace graze_test {
namespace {

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
    (void)probability(a, b, noise, scratch);  // makes the memory
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

}  // namespace
}  // namespace graze_test
