// A kept front makes queries about two meshes faster, but must not change a single bit.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "query/pair_memory.h"
#include "support/allocations.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace front_test {

using graze::Distance;
using graze::Mesh;
using graze::PairCache;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Random;

bool same_bits(const Distance& x, const Distance& y) {
  const auto same = [](const auto& a, const auto& b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  return same(x.value, y.value) && same(x.tolerance, y.tolerance) && same(x.on_a, y.on_a) && same(x.on_b, y.on_b) &&
         same(x.normal, y.normal) && x.a == y.a && x.b == y.b && x.beyond == y.beyond;
}

// Any query, with and without the cache.
void expect_same(const Placed& a, const Placed& b, PairCache& cache, Random& random) {
  const bool alike = a.pose == b.pose;  // equal meshes at the same pose cannot be distinguished
  if (random.chance(0.5)) {
    const double margin = random.chance(0.5) ? 0 : random.uniform(0, 0.1);
    EXPECT_EQ(collide(a, b, {.margin = margin}), collide(a, b, {.margin = margin, .cache = &cache}));
  } else if (random.chance(0.2)) {
    EXPECT_EQ(collide(a, b, {.margin = -0.01}), collide(a, b, {.margin = -0.01, .cache = &cache}));
  } else {
    const double limit = random.chance(0.7) ? graze::kInfinity : random.uniform(-0.1, 0.5);
    const bool depth = random.chance(0.8);
    const Distance cold = distance(a, b, {.limit = limit, .depth = depth});
    const Distance warm = distance(a, b, {.limit = limit, .depth = depth, .cache = &cache});
    if (!depth && cold.value <= 0) EXPECT_LE(warm.value, 0);  // which overlap is found first may differ
    else if (alike) EXPECT_EQ(warm.value, cold.value);
    else EXPECT_TRUE(same_bits(warm, cold)) << warm.value << " instead of " << cold.value;
  }
}

Pose nudged(const Pose& pose, double step, Random& random) {
  const auto any = [&] { return random.uniform(-step, step); };
  const double x = any(), y = any(), z = any(), i = any(), j = any();
  return (Pose::from_wxyz(Vec3::Zero(), 1, i, j, any()) * pose).moved_to(pose.translation() + Vec3(x, y, z));
}

TEST(MeshFront, ChangesNoBitAlongAnyMotion) {
  Random random(1);
  std::size_t kept = 0, asked = 0;
  for (int walk = 0, n = scaled(60); walk < n && !HasFailure(); ++walk) {
    const Look look = kLooks[static_cast<std::size_t>(walk) % std::size(kLooks)];
    const bool balls = walk % 2 == 0;
    const double size = look == Look::tiny && !balls ? 1e-6 : 1;
    const Mesh a = balls ? closed(4 + walk % 9, true, 0.2).mesh() : random_soup(look, 1 + walk * 7 % 90, random).mesh();
    const Mesh b = walk % 3 == 0 ? a : balls ? closed(3, true, 0.1).mesh() : random_soup(look, 50, random).mesh();
    const auto about = [](const Mesh& mesh, const Pose& pose) { return pose * mesh.bounds().center(); };
    Pose pose_a = random_pose_near(random, Vec3::Zero(), 0.5), pose_b = random_pose_near(random, Vec3::Zero(), 0.5);
    // Beside each other, touching now and then.
    pose_b =
        pose_b.moved_to(pose_b.translation() + about(a, pose_a) - about(b, pose_b) + Vec3(2.2 * size, 0.1 * size, 0));
    PairCache cache;
    cache.keep_front(walk % 5 == 4 ? 100 : 8192);
    for (int i = 0; i < 60 && !HasFailure(); ++i) {
      SCOPED_TRACE(testing::Message() << "walk " << walk << ", step " << i);
      const double step = size * (i % 20 == 19 ? 0.5 : i % 3 == 0 ? 1e-2 : i % 3 == 1 ? 1e-4 : 1e-7);
      pose_b = nudged(pose_b, step, random);
      if (random.chance(0.2)) pose_a = nudged(pose_a, step, random);
      if (random.chance(0.3)) expect_same(at(b, pose_b), at(a, pose_a), cache, random);
      else expect_same(at(a, pose_a), at(b, pose_b), cache, random);
      ++asked, kept += memory_of(&cache)->front.size > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(kept, asked / 2) << "hardly any front was kept: too little was tested";
}

TEST(MeshFront, OfOtherMeshesOrOtherTreesIsNotUsed) {
  Random random(2);
  const Soup ball = closed(8, true, 0.2);
  for (int round = 0, n = scaled(20); round < n && !HasFailure(); ++round) {
    graze::DeformingMesh a(ball.mesh());
    const Mesh b = closed(5, true).mesh();
    const Mesh other = closed(2, true).mesh(), none;
    PairCache cache;
    cache.keep_front();
    Pose pose = Pose::at({2.1, 0, 0});
    for (int i = 0; i < 40 && !HasFailure(); ++i) {
      SCOPED_TRACE(testing::Message() << "round " << round << ", step " << i);
      pose = nudged(pose, 1e-3, random);
      switch (random.integer(0, 9)) {
        case 0: {  // bent: the same tree with other bounds
          std::vector<Vec3> bent = ball.vertices;
          const double by = random.uniform(0.8, 1.3);
          for (Vec3& v : bent) v.x() *= by;
          a.replace_vertices(bent);
          break;
        }
        case 1:  // the same triangles under another tree
          a.rebuild();
          break;
        case 2:
          expect_same(at(a), at(other, pose), cache, random);
          break;
        case 3:
          expect_same(at(other, pose), at(b), cache, random);
          break;
        case 4:
          expect_same(at(none), at(b, pose), cache, random);
          break;
        case 5:
          expect_same(at(graze::Sphere{.radius = 1}), at(b, pose), cache, random);
          break;
        case 6:
          cache.clear();
          break;
        default:
          break;
      }
      expect_same(at(a), at(b, pose), cache, random);
    }
  }
}

TEST(MeshFront, SkipsMostOfTheWorkForSmallMoves) {
  const Mesh ball = closed(40, true, 0.1).mesh();
  PairCache cache;
  cache.keep_front();
  Pose pose = Pose::from_wxyz({2.1, 0.1, 0.2}, 1, 0.3, 0.2, 0.1);
  ASSERT_FALSE(collide(at(ball), at(ball, pose)));
  (void)collide(at(ball), at(ball, pose), {.cache = &cache});
  ASSERT_GT(memory_of(&cache)->front.size, 20u);
  const std::vector<graze::MeshFront::Entry> before = memory_of(&cache)->front.entries;
  const std::size_t size = memory_of(&cache)->front.size;
  pose = pose.moved_to(pose.translation() + Vec3(1e-6, 0, 0));
  (void)collide(at(ball), at(ball, pose), {.cache = &cache});
  EXPECT_EQ(memory_of(&cache)->front.size, size) << "nothing came near";
  std::size_t changed = 0;
  for (std::size_t i = 0; i < size; ++i) changed += before[i].key != memory_of(&cache)->front.entries[i].key ? 1 : 0;
  EXPECT_LE(changed, size / 10);
}

TEST(MeshFront, AllocatesOnlyWithKeepFront) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(3);
  const Mesh ball = closed(10, true, 0.2).mesh();
  PairCache cache;
  EXPECT_GT(allocations_of([&] { cache.keep_front(500); }), 0);
  Pose pose = Pose::at({2.1, 0, 0});
  for (int i = 0; i < 100; ++i) {
    pose = nudged(pose, i % 10 == 0 ? 0.1 : 1e-3, random);
    const Placed a = at(ball), b = at(ball, pose);
    ASSERT_EQ(allocations_of([&] {
                (void)collide(a, b, {.cache = &cache});
                (void)distance(b, a, {.cache = &cache});
              }),
              0);
  }
}

// The surfaces alone do not decide whether something is inside a solid.
TEST(MeshFront, FindsWhatIsInsideASolid) {
  Random random(4);
  const Mesh solid = closed(8, true, 0.1).mesh(true), small = closed(3, true).moved(Vec3::Zero(), 0.1).mesh(true);
  PairCache cache;
  cache.keep_front();
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "step " << i);
    expect_same(at(solid), at(small, Pose::at({0.01 * i, 0.02, 0.03})), cache, random);
  }
}

}  // namespace front_test
}  // namespace graze_test
