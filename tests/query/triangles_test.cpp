// Small lattices are dense in degeneracies: coplanar, collinear, shared and coincident features in every other case.
// There, exact integers say who touches whom.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "oracle/cases.h"
#include "oracle/exact_overlap.h"
#include "query/placed_of.h"
#include "support/scale.h"

namespace graze_test {
namespace triangles_test {

using graze::Vec3;
using graze_oracle::Int128;
using graze_oracle::Random;
using IntPoint = graze_oracle::Lattice<Int128>;

std::vector<Vec3> random_points(int count, int half, Random& random) {
  std::vector<Vec3> list;
  for (int i = 0; i < count; ++i) {
    const double x = random.integer(-half, half), y = random.integer(-half, half);
    list.emplace_back(x, y, random.integer(-half, half));
  }
  return list;
}

std::vector<IntPoint> exact(const std::vector<Vec3>& points) {
  std::vector<IntPoint> list;
  for (const Vec3& p : points) {
    list.push_back({static_cast<int>(p.x()), static_cast<int>(p.y()), static_cast<int>(p.z())});
  }
  return list;
}

std::string text(const std::vector<Vec3>& points) {
  std::ostringstream out;
  for (const Vec3& p : points) out << "(" << p.transpose() << ") ";
  return out.str();
}

graze::Triangle triangle_of(const std::vector<Vec3>& p) { return {p[0], p[1 % p.size()], p[p.size() - 1]}; }

// The same lattice elsewhere: integers stay integers, so the truth does not change.
graze::Pose some_place(Random& random) {
  if (random.chance(0.5)) return {};
  const double far = random.chance(0.2) ? 1e6 : 10;
  return graze::Pose::at({std::round(random.uniform(-far, far)), std::round(random.uniform(-far, far)),
                          std::round(random.uniform(-far, far))});
}

// Boolean equal in both orders, distance equal to what rounding allows.
void compare(const graze::Geometry& a, const graze::Geometry& b, const std::vector<Vec3>& points_a,
             const std::vector<Vec3>& points_b, Random& random) {
  const auto exact_sq = hull_distance_sq(exact(points_a), exact(points_b));
  const bool touching = exact_sq.num == 0;
  const graze::Pose pose = some_place(random);
  const graze::Placed pa = at(a, pose), pb = at(b, pose);
  EXPECT_EQ(collide(pa, pb), touching) << text(points_a) << "and " << text(points_b) << "at "
                                       << pose.translation().transpose();
  EXPECT_EQ(collide(pb, pa), touching) << text(points_b) << "and " << text(points_a);
  const graze::Distance d = distance(pa, pb);
  const auto truth = std::sqrt(static_cast<long double>(exact_sq.num) / static_cast<long double>(exact_sq.den));
  const double size = 16 + pose.translation().cwiseAbs().maxCoeff();
  if (touching) {
    EXPECT_LE(d.value - d.tolerance, 0) << text(points_a) << "and " << text(points_b);
  } else {
    EXPECT_NEAR(d.value, static_cast<double>(truth), 1e-13 * size) << text(points_a) << "and " << text(points_b);
  }
}

TEST(Triangles, MeetExactlyWhenRationalArithmeticSaysSo) {
  Random random(1);
  for (int i = 0, n = scaled(50000); i < n && !HasFailure(); ++i) {
    const int half = random.integer(1, 3);
    const auto p = random_points(3, half, random), q = random_points(3, half, random);
    compare(triangle_of(p), triangle_of(q), p, q, random);
  }
}

TEST(Triangles, MeetAPointExactlyWhenItIsOnThem) {
  Random random(2);
  for (int i = 0, n = scaled(20000); i < n && !HasFailure(); ++i) {
    const int half = random.integer(1, 4);
    const auto p = random_points(3, half, random), q = random_points(1, half, random);
    // A point: a sphere without radius at the place itself, or a triangle with one vertex three times.
    if (random.chance(0.5)) {
      compare(triangle_of(p), triangle_of(q), p, q, random);
      continue;
    }
    const bool touching = hulls_meet(exact(p), exact(q));
    EXPECT_EQ(collide(at(triangle_of(p)), at(graze::Sphere{.radius = 0}, graze::Pose::at(q[0]))), touching)
        << text(p) << "and the point " << text(q);
  }
}

TEST(Triangles, MeetASegmentExactlyWhenItReachesThem) {
  Random random(3);
  for (int i = 0, n = scaled(20000); i < n && !HasFailure(); ++i) {
    const int half = random.integer(1, 3);
    const auto p = random_points(3, half, random), q = random_points(2, half, random);
    compare(triangle_of(p), triangle_of(q), p, q, random);
  }
}

TEST(Triangles, MeetLatticeHullsAndBoxesExactly) {
  Random random(4);
  for (int i = 0, n = scaled(10000); i < n && !HasFailure(); ++i) {
    const auto p = random_points(3, 3, random), q = random_points(random.integer(1, 8), 2, random);
    compare(triangle_of(p), graze::Convex::hull_of(q), p, q, random);
    const Vec3 h = random_points(1, 2, random)[0].cwiseAbs() + Vec3::Ones();
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k) {
      corners.emplace_back(k & 1 ? h.x() : -h.x(), k & 2 ? h.y() : -h.y(), k & 4 ? h.z() : -h.z());
    }
    compare(triangle_of(p), graze::Box{.half = h}, p, corners, random);
  }
}

TEST(LatticeHulls, MeetExactlyWhenRationalArithmeticSaysSo) {
  Random random(5);
  for (int i = 0, n = scaled(10000); i < n && !HasFailure(); ++i) {
    const auto p = random_points(random.integer(1, 8), 2, random), q = random_points(random.integer(1, 8), 2, random);
    compare(graze::Convex::hull_of(p), graze::Convex::hull_of(q), p, q, random);
  }
}

TEST(LatticeHulls, AreAsDeepAsRationalArithmeticSays) {
  Random random(6);
  for (int i = 0, n = scaled(1500); i < n && !HasFailure(); ++i) {
    const auto p = random_points(random.integer(4, 7), 3, random), q = random_points(random.integer(3, 6), 2, random);
    const auto a = exact(p), b = exact(q);
    if (!hulls_meet(a, b)) continue;
    const auto depth_sq = hull_depth_sq(a, b);
    const auto truth = std::sqrt(static_cast<long double>(depth_sq.num) / static_cast<long double>(depth_sq.den));
    const graze::Distance d = distance(at(graze::Convex::hull_of(p)), at(graze::Convex::hull_of(q)));
    EXPECT_NEAR(d.value, -static_cast<double>(truth), 1e-12) << text(p) << "and " << text(q);
  }
}

}  // namespace triangles_test
}  // namespace graze_test
