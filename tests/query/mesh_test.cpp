// Meshes in every verb, against the same query of every single triangle.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "oracle/exact_overlap.h"
#include "query/placed_of.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace mesh_test {

using graze::Contact;
using graze::Distance;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Random;

// What a point may move by when poses are applied in another order.
double rounding_of(const Placed& a, const Placed& b) {
  double reach = 10;
  for (const Placed* p : {&a, &b}) {
    const graze::Aabb box = bounds(p->geometry);
    reach += p->pose.translation().norm();
    if (box.bounded()) reach += box.min.cwiseAbs().maxCoeff() + box.max.cwiseAbs().maxCoeff();
  }
  return 64 * graze::kEpsilon * reach;
}

// Apart, a mesh is as far as its nearest triangle; overlapping, as deep as its deepest one.
template <class Parts>
void expect_nearest(const Placed& a, const Placed& b, const Parts& parts, Random& random) {
  Distance nearest;
  nearest.beyond = true;
  bool surely = false, perhaps = false;
  const double margin = random.uniform(0, 0.3);
  parts([&](const Placed& part_a, const Placed& part_b) {
    const Distance d = distance(part_a, part_b);
    if (!d.beyond && (nearest.beyond || d.value < nearest.value)) nearest = d;
    surely = surely || d.value + d.tolerance < margin;
    perhaps = perhaps || collide(part_a, part_b, {.margin = margin});
  });
  const Distance d = distance(a, b), e = distance(b, a);
  ASSERT_EQ(d.beyond, nearest.beyond);
  ASSERT_EQ(d.value, e.value);
  if (d.beyond) {
    EXPECT_FALSE(collide(a, b, {.margin = 1e9}));
    return;
  }
  const double rounding = rounding_of(a, b) + nearest.tolerance + 1e-9 * std::abs(nearest.value);
  EXPECT_NEAR(d.value, nearest.value, rounding);
  const bool alike = a.pose == b.pose && a.geometry.index() == b.geometry.index();  // may be indistinguishable
  if (!alike) {
    EXPECT_EQ(d.on_a, e.on_b);
    EXPECT_EQ(d.normal, -e.normal);
  }
  EXPECT_NEAR((d.on_b - d.on_a - d.value * d.normal).norm(), 0, rounding);
  EXPECT_EQ(distance(a, b, {.limit = d.value + rounding}).value, d.value);
  if (d.value > 0) {
    EXPECT_TRUE(distance(a, b, {.limit = d.value - 2 * rounding}).beyond);
  }
  const bool hit = collide(a, b, {.margin = margin});
  EXPECT_EQ(hit, collide(b, a, {.margin = margin}));
  if (surely) {
    EXPECT_TRUE(hit);
  }
  if (hit) {
    EXPECT_LE(nearest.value, margin + rounding);
  }
  if (nearest.value > rounding) {
    EXPECT_FALSE(collide(a, b));
  }
  if (nearest.value < -rounding) {
    EXPECT_TRUE(collide(a, b));
  }

  std::vector<Contact> buffer(4000);
  const auto found = contacts(a, b, buffer, {.max = 4000});
  const auto few = contacts(b, a);
  if (d.value < -rounding && std::isfinite(d.value)) {
    ASSERT_FALSE(found.empty());
    ASSERT_FALSE(few.empty());
    EXPECT_NEAR(found[0].depth, -d.value, rounding);
    EXPECT_NEAR(few[0].depth, -d.value, rounding);
    for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i - 1].depth, found[i].depth);
    const graze::Penetration p = penetration(a, b);
    EXPECT_TRUE(p.overlapping);
    EXPECT_EQ(p.depth, -d.value);
  } else if (d.value > rounding) {
    EXPECT_TRUE(found.empty());
    EXPECT_FALSE(penetration(a, b).overlapping);
  }

  // The cache changes nothing.
  graze::PairCache cache;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(collide(a, b, {.cache = &cache}), collide(a, b));
    const Distance again = distance(b, a, {.cache = &cache});
    EXPECT_EQ(again.value, d.value);
    if (!alike) {
      EXPECT_EQ(again.a, d.b);
    }
  }
}

TEST(Meshes, AnswerForTheirTrianglesAgainstEveryShape) {
  Random random(1);
  for (int i = 0, n = scaled(36); i < n && !HasFailure(); ++i) {
    for (const Kind kind : kKinds) {
      const Look look = kLooks[static_cast<std::size_t>(i) % std::size(kLooks)];
      const Soup soup = random_soup(look, i % 10 == 9 ? 0 : 1 + i * 7 % 90, random);
      const Mesh mesh = soup.mesh();
      const Pose pose = i % 4 == 0 ? Pose() : random_pose_near(random, Vec3::Zero(), 0.5);
      Placed shape = placed_of(make_case(kind, Kind::sphere, graze_oracle::Trouble::generic, random).a);
      const Vec3 middle = mesh.empty() ? Vec3(Vec3::Zero()) : Vec3(pose * mesh.bounds().center());
      shape.pose = random_pose_near(random, middle, look == Look::tiny ? 0.5 : 2.5);
      SCOPED_TRACE(testing::Message() << graze_oracle::name_of(kind) << ", scene " << i << ", look "
                                      << static_cast<int>(look));
      expect_nearest(
          at(mesh, pose), shape,
          [&](const auto& visit) {
            for (std::size_t t = 0; t < soup.triangles.size(); ++t) visit(at(soup.triangle(t), pose), shape);
          },
          random);
      if (HasFailure()) return;
    }
  }
}

TEST(Meshes, AnswerForTheirTrianglesAgainstEachOther) {
  Random random(2);
  for (int i = 0, n = scaled(160); i < n && !HasFailure(); ++i) {
    const Look look = kLooks[static_cast<std::size_t>(i) % std::size(kLooks)];
    const Look other = i % 3 == 0 ? Look::soup : look;
    const Soup s = random_soup(look, 1 + i * 7 % 60, random), t = random_soup(other, 1 + i * 11 % 50, random);
    const Mesh a = s.mesh(), b = t.mesh();
    const bool aligned = i % 4 == 0 && look == other;
    const Pose pose_a = aligned ? Pose() : random_pose_near(random, Vec3::Zero(), 0.5);
    Pose pose_b = aligned ? Pose() : random_pose_near(random, Vec3::Zero(), 0.5);
    if (!aligned) {
      const double spread = look == Look::tiny ? 1e-6 : i % 5 == 0 ? 6 : 2;
      pose_b = pose_b.moved_to(pose_a * a.bounds().center() - pose_b.rotation() * b.bounds().center() +
                               Vec3(random.uniform(-spread, spread), random.uniform(-spread, spread), 0));
    }
    SCOPED_TRACE(testing::Message() << "scene " << i << ", look " << static_cast<int>(look));
    expect_nearest(
        at(a, pose_a), at(b, pose_b),
        [&](const auto& visit) {
          for (std::size_t k = 0; k < s.triangles.size(); ++k) {
            for (std::size_t l = 0; l < t.triangles.size(); ++l)
              visit(at(s.triangle(k), pose_a), at(t.triangle(l), pose_b));
          }
        },
        random);
  }
}

TEST(Meshes, AnswerForTheirTrianglesAgainstClouds) {
  Random random(3);
  for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
    const Look look = kLooks[static_cast<std::size_t>(i) % std::size(kLooks)];
    const Soup soup = random_soup(look, 1 + i * 7 % 60, random);
    const Mesh mesh = soup.mesh();
    std::vector<Vec3> points;
    const Vec3 center = mesh.bounds().center();
    for (int k = 0, count = i % 10 == 3 ? 1000 : 30; k < count; ++k) {
      const double x = random.uniform(-2, 2), y = random.uniform(-2, 2);
      points.push_back(center + Vec3(x, y, random.uniform(-2, 2)));
    }
    const graze::Cloud cloud(std::span<const Vec3>(points), {.radius = i % 2 == 0 ? 0.0 : 0.1});
    const Pose pose = i % 4 == 0 ? Pose() : random_pose_near(random, Vec3::Zero(), 0.5);
    const Pose cloud_pose = i % 3 == 0 ? pose : random_pose_near(random, pose * center - center, 0.1);
    SCOPED_TRACE(testing::Message() << "scene " << i << ", look " << static_cast<int>(look));
    expect_nearest(
        at(mesh, pose), at(cloud, cloud_pose),
        [&](const auto& visit) {
          for (std::size_t k = 0; k < soup.triangles.size(); ++k) {
            for (const Vec3& p : points)
              visit(at(soup.triangle(k), pose), at(graze::Sphere{.radius = cloud.radius()}, Pose::at(cloud_pose * p)));
          }
        },
        random);
  }
}

// Dense in degeneracies: coplanar, collinear, shared and coincident features. Exact integers decide what touches.
TEST(Meshes, OfLatticeTrianglesMeetExactlyWhenRationalArithmeticSaysSo) {
  using IntPoint = graze_oracle::Lattice<graze_oracle::Int128>;
  Random random(4);
  const auto exact = [](const graze::Triangle& t) {
    std::vector<IntPoint> list;
    for (const Vec3& p : t.vertices())
      list.push_back({static_cast<int>(p.x()), static_cast<int>(p.y()), static_cast<int>(p.z())});
    return list;
  };
  for (int i = 0, n = scaled(20000); i < n && !HasFailure(); ++i) {
    const Soup s = random_soup(Look::lattice, 1 + i % 3, random), t = random_soup(Look::lattice, 1 + i % 2, random);
    bool touching = false;
    for (std::size_t k = 0; k < s.triangles.size(); ++k) {
      for (std::size_t l = 0; l < t.triangles.size(); ++l)
        touching = touching || hulls_meet(exact(s.triangle(k)), exact(t.triangle(l)));
    }
    const double far = i % 5 == 0 ? 1e6 : 10;
    const Pose pose = i % 2 == 0
                          ? Pose()
                          : Pose::at({std::round(random.uniform(-far, far)), 3, std::round(random.uniform(-far, far))});
    ASSERT_EQ(collide(at(s.mesh(), pose), at(t.mesh(), pose)), touching) << "case " << i;
    ASSERT_EQ(collide(at(t.mesh(), pose), at(s.mesh(), pose)), touching) << "case " << i;
  }
}

TEST(Meshes, WithoutTrianglesAreInfinitelyFar) {
  const Mesh none, one = closed(2, false).mesh();
  for (const Placed& other : {at(none), at(one), at(graze::Sphere{.radius = 1}), at(graze::HalfSpace(Vec3::UnitX(), 0)),
                              at(graze::Cloud())}) {
    EXPECT_FALSE(collide(at(none), other, {.margin = 1e9}));
    EXPECT_TRUE(distance(at(none), other).beyond);
    EXPECT_TRUE(contacts(at(none), other).empty());
  }
}

TEST(Meshes, FarBeyondFloatsStillAnswer) {
  const Mesh mesh = closed(2, false).mesh();
  const Distance d = distance(at(mesh), at(mesh, Pose::at({1e18, 0, 0})));
  EXPECT_NEAR(d.value, 1e18, 1e6);
  EXPECT_NEAR(distance(at(mesh), at(graze::Sphere{.radius = 1}, Pose::at({0, 1e25, 0}))).value, 1e25, 1e12);
  EXPECT_TRUE(collide(at(mesh), at(graze::Box{.half = {1e20, 1e20, 1e20}})));
}

}  // namespace mesh_test
}  // namespace graze_test
