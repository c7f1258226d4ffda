// Solid meshes: what is inside collides, and its depth is reported; and what must hold for every mesh.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "query/placed_of.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace mesh_solid_test {

using graze::Distance;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Random;

TEST(SolidMeshes, ReportTheDepthOfASphere) {
  const Mesh cube = closed(4, false).mesh(true), shell = closed(4, false).mesh();
  struct Case {
    double x, value;
  };
  for (const Case& c : {Case{0.5, -0.6}, Case{0.95, -0.15}, Case{1, -0.1}, Case{1.05, -0.05}, Case{1.3, 0.2}}) {
    const Placed ball = at(graze::Sphere{.radius = 0.1}, Pose::at({c.x, 0.02, 0.03}));
    const Distance d = distance(at(cube), ball), e = distance(ball, at(cube));
    EXPECT_NEAR(d.value, c.value, 1e-12) << c.x;
    EXPECT_EQ(d.value, e.value);
    EXPECT_NEAR((d.normal - Vec3::UnitX()).norm(), 0, 1e-12) << c.x;
    EXPECT_NEAR((d.on_b - Vec3(c.x - 0.1, 0.02, 0.03)).norm(), 0, 1e-12) << c.x;
    EXPECT_NEAR((d.on_a - Vec3(1, 0.02, 0.03)).norm(), 0, 1e-12) << c.x;
    EXPECT_EQ(collide(at(cube), ball), c.value <= 0) << c.x;
    EXPECT_EQ(penetration(ball, at(cube)).overlapping, c.value <= 0);
    EXPECT_EQ(contacts(ball, at(cube)).empty(), c.value > 0);
  }
  const Placed inside = at(graze::Sphere{.radius = 0.1});
  EXPECT_FALSE(collide(at(shell), inside)) << "a shell is hollow";
  EXPECT_NEAR(distance(at(shell), inside).value, 0.9, 1e-12);
  EXPECT_TRUE(collide(at(closed(4, false).turned_inside_out().mesh(true)), inside)) << "whichever orientation it has";
}

TEST(SolidMeshes, ContainWhatIsInsideInBothOrdersAndReleaseIt) {
  Random random(1);
  const Mesh solid = closed(6, false).mesh(true);
  for (int i = 0, n = scaled(30); i < n && !HasFailure(); ++i) {
    for (const Kind kind : kKinds) {
      if (kind == Kind::half_space || kind == Kind::plane) continue;
      Placed shape = placed_of(random_spec(kind, 0.1, random));
      const Pose pose = random_pose_near(random, Vec3::Zero(), 3);
      shape.pose = random_pose_near(random, pose.translation(), 0.3);
      SCOPED_TRACE(testing::Message() << graze_oracle::name_of(kind) << ", round " << i);
      const Placed a = at(solid, pose);
      ASSERT_TRUE(collide(a, shape));
      ASSERT_TRUE(collide(shape, a));
      const Distance d = distance(a, shape), e = distance(shape, a);
      EXPECT_EQ(d.value, e.value);
      ASSERT_LT(d.value, 0);
      EXPECT_NEAR((d.on_b - d.on_a - d.value * d.normal).norm(), 0, 1e-9);
      EXPECT_FALSE(contacts(shape, a).empty());
      EXPECT_LT(distance(a, shape, {.limit = 0}).value, 0);
      Placed out = shape;
      out.pose = shape.pose.moved_to(shape.pose.translation() + (1e-6 - d.value) * d.normal);
      EXPECT_FALSE(collide(a, out)) << "of a convex one: left along the normal";
      out.pose = shape.pose.moved_to(shape.pose.translation() + (-1e-3 - d.value) * d.normal);
      EXPECT_TRUE(collide(a, out)) << "but no sooner";
    }
  }
}

TEST(SolidMeshes, ContainEachOther) {
  const Mesh large = closed(3, false).mesh(true);
  const Mesh small = closed(2, true).moved({0.3, 0.1, 0}, 0.2).mesh(true),
             shell = closed(2, true).moved({0.3, 0.1, 0}, 0.2).mesh();
  Soup pair = closed(2, true).moved({0.3, 0.1, 0}, 0.2);
  pair.add(closed(2, true).moved({1.3, 0.1, 0}, 0.2));
  const Pose turn = Pose::from_rpy({5, 6, 7}, 0.3, 0.2, 0.1);
  for (const Mesh& inner : {small, shell, pair.mesh(true)}) {
    EXPECT_TRUE(collide(at(large, turn), at(inner, turn)));
    EXPECT_TRUE(collide(at(inner, turn), at(large, turn)));
    const Distance d = distance(at(large, turn), at(inner, turn)), e = distance(at(inner, turn), at(large, turn));
    EXPECT_EQ(d.value, e.value);
    EXPECT_LT(d.value, -0.5);
    EXPECT_GT(d.value, -1.8);
    const Pose out = turn.moved_to(turn.translation() + (1e-6 - d.value) * d.normal);
    EXPECT_FALSE(collide(at(large, turn), at(inner, out)));
    EXPECT_FALSE(collide(at(closed(3, false).mesh(), turn), at(inner, turn))) << "nothing is inside a shell";
  }
  // A cavity is outside.
  Soup hollow = closed(4, false);
  hollow.add(closed(2, false).moved({0, 0, 0}, 0.5).turned_inside_out());
  const Mesh wall = hollow.mesh(true);
  EXPECT_FALSE(collide(at(wall), at(graze::Sphere{.radius = 0.3})));
  EXPECT_NEAR(distance(at(wall), at(graze::Sphere{.radius = 0.3})).value, 0.2, 1e-12);
  EXPECT_TRUE(collide(at(wall), at(graze::Sphere{.radius = 0.1}, Pose::at({0.75, 0, 0}))));
  EXPECT_TRUE(collide(at(wall), at(graze::Sphere{.radius = 0.6})));
  // Points of a cloud.
  const std::vector<Vec3> points{{3, 0, 0}, {0, 0, 0}, {0.8, 0, 0}, {0.65, 0, 0}};
  const graze::Cloud cloud(std::span<const Vec3>(points), {.radius = 0.01});
  EXPECT_TRUE(collide(at(cloud), at(wall)));
  const Distance d = distance(at(cloud), at(wall));
  EXPECT_NEAR(d.value, -0.31, 1e-11) << "inwards, which frees both points that are in the wall";
  EXPECT_EQ(d.a, 2u);
  const std::vector<Vec3> hidden{{0, 0, 0}, {0.3, 0.1, 0}};
  EXPECT_FALSE(collide(at(graze::Cloud(std::span<const Vec3>(hidden), {.radius = 0.01})), at(wall)));
}

TEST(SolidMeshes, StaySolidWhenTheirVerticesMove) {
  graze::DeformingMesh ball(closed(5, true).mesh(true));
  std::vector<Vec3> larger(ball.vertices().begin(), ball.vertices().end());
  for (Vec3& v : larger) v *= 3;
  const Placed inside = at(graze::Sphere{.radius = 0.1}, Pose::at({2, 0, 0}));
  EXPECT_FALSE(collide(at(ball), inside));
  ball.replace_vertices(larger);
  EXPECT_TRUE(collide(at(ball), inside));
}

// However deep: after a move by the depth and its tolerance, nothing overlaps any more.
TEST(Meshes, AreApartAfterTheDepthAndItsTolerance) {
  Random random(2);
  int overlaps = 0;
  for (int i = 0, n = scaled(300); i < n && !HasFailure(); ++i) {
    const bool solid = i % 2 == 0;
    const Soup s = solid ? closed(4, true, 0.2) : random_soup(Look::soup, 40, random);
    const Mesh mesh = s.mesh(solid);
    const Pose pose = random_pose_near(random, Vec3::Zero(), 0.5);
    Placed other = i % 3 == 0 ? at(closed(3, false).mesh(solid))
                              : placed_of(random_spec(kKinds[static_cast<std::size_t>(i) % 8], 0.5, random));
    other.pose = random_pose_near(random, Vec3::Zero(), 1.5);
    const Distance d = distance(at(mesh, pose), other);
    if (!(d.value < 0)) continue;
    ++overlaps;
    other.pose = other.pose.moved_to(other.pose.translation() + (d.tolerance - d.value + 1e-9) * d.normal);
    EXPECT_FALSE(collide(at(mesh, pose), other)) << "scene " << i;
  }
  EXPECT_GT(overlaps, scaled(30));
}

std::uint64_t hash_of_answers(std::size_t seed) {
  Random random(seed + 1);
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3U; };
  const Look look = kLooks[seed % std::size(kLooks)];
  const Mesh a = random_soup(look, 100, random).mesh(), b = closed(4, true, 0.2).mesh(true);
  const Placed pa = at(a, random_pose_near(random, Vec3::Zero(), 0.5));
  Placed shape = placed_of(random_spec(kKinds[seed % kKinds.size()], 0.5, random));
  shape.pose = random_pose_near(random, pa.pose * a.bounds().center(), 1);
  for (const Placed& other : {at(b, random_pose_near(random, pa.pose * a.bounds().center(), 1.5)), shape}) {
    add(collide(pa, other) ? 1 : 2);
    const Distance d = distance(pa, other);
    add(d.value), add(d.tolerance), add(d.on_a.x()), add(d.on_b.y()), add(d.normal.z());
    add(static_cast<double>(d.a)), add(static_cast<double>(d.b));
    for (const graze::Contact& c : contacts(pa, other)) add(c.depth), add(c.point.x());
  }
  return hash;
}

TEST(Meshes, AnswerAlikeOnEveryInstructionSet) {
  std::vector<std::uint64_t> best;
  const auto count = static_cast<std::size_t>(scaled(60));
  for (std::size_t i = 0; i < count; ++i) best.push_back(hash_of_answers(i));
  for (const auto name : graze::simd_targets()) {
    const graze::ForcedSimdTarget forced(name);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(hash_of_answers(i), best[i]) << name << ", case " << i;
  }
}

TEST(Meshes, AreNeverFreeForNan) {
  const Mesh mesh = closed(2, false).mesh();
  const Placed far = at(graze::Sphere{.radius = 0.1}, Pose::at({50, 0, 0}));
  EXPECT_TRUE(collide(at(mesh), far, {.margin = std::nan("")}));
  EXPECT_FALSE(distance(at(mesh), far, {.limit = std::nan("")}).beyond);
}

}  // namespace mesh_solid_test
}  // namespace graze_test
