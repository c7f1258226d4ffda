// Small lattices are dense in degeneracies: coplanar, collinear, shared and coincident features in every other case.
// There, exact integers decide what touches.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <sstream>
#include <vector>

#include "fuzz/exact_soup.h"
#include "graze/geometry/mesh.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "oracle/cases.h"
#include "oracle/exact_overlap.h"
#include "query/placed_of.h"
#include "support/meshes.h"
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

// The same lattice moved elsewhere: integers stay integers, so the truth does not change.
graze::Pose lattice_pose(Random& random) {
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
  const graze::Pose pose = lattice_pose(random);
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
    // A point: a sphere of radius 0, or a triangle with one vertex three times.
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

// Triangles with huge and tiny edges, where rounding tilts normals and simplices: what is claimed must still be true.
namespace graze_test {
namespace uneven_triangles_test {

using graze::Distance;
using graze::Vec3;
using graze_fuzz::ExactSoup;
using graze_fuzz::PoseNumbers;
using graze_oracle::Random;

struct Sliver {
  Soup soup;
  PoseNumbers pose;
  graze::Placed placed() const { return at(soup.mesh(), pose.pose()); }
};

double number(Random& random) {
  if (random.chance(0.125)) return 0;
  const double digits = random.integer(-128, 127);
  return random.chance(0.14) ? std::ldexp(digits, random.integer(-32, 31)) : digits / 32;
}

Vec3 vector(Random& random) {
  const double x = number(random), y = number(random);
  return {x, y, number(random)};
}

Sliver random_sliver(Random& random) {
  Sliver s;
  for (int i = 0; i < 3; ++i) s.soup.vertices.push_back(vector(random));
  if (random.chance(0.3)) s.soup.vertices[2] = s.soup.vertices[random.chance(0.5) ? 0 : 1];
  s.soup.triangles = {{0, 1, 2}};
  if (random.chance(0.5)) {
    for (double& q : s.pose.wxyz) q = random.integer(1, 127);
  }
  for (double& x : s.pose.xyz) x = number(random);
  return s;
}

double reach_of(const Sliver& s) {
  double reach = std::max({std::abs(s.pose.xyz[0]), std::abs(s.pose.xyz[1]), std::abs(s.pose.xyz[2])});
  for (const Vec3& v : s.soup.vertices) reach = std::max(reach, v.cwiseAbs().maxCoeff());
  return reach;
}

// A limit only says what need not be measured; it does not change the answer.
void expect_limits_change_nothing(const graze::Placed& a, const graze::Placed& b, const Distance& d, double exact) {
  for (const double share : {0.25, 0.5, 0.9, 1.0, 1.1}) {
    const double limit = share * exact;
    const Distance within = distance(a, b, {.limit = limit});
    EXPECT_TRUE(within.beyond ? d.value > limit : within.value == d.value)
        << d.value << ", with a limit of " << limit << " " << within.value;
  }
}

void check(const Sliver& first, const Sliver& second) {
  const graze::Placed a = first.placed(), b = second.placed();
  const ExactSoup exact_a(first.soup, first.pose), exact_b(second.soup, second.pose);
  const graze_oracle::Rational exact_sq = *exact_a.distance_sq(exact_b);
  const double exact = std::sqrt(exact_sq.get_d());
  const bool meet = sgn(exact_sq) == 0;
  const Distance d = distance(a, b);
  EXPECT_TRUE(!meet || collide(a, b));
  EXPECT_LE(d.value - d.tolerance, exact * (1 + 1e-12)) << "claimed to be farther apart than they are";
  // With edges this uneven, the distance of a simplex is known to fewer digits.
  const double nearest = meet ? -graze::kInfinity : exact * (1 - 1e-5);
  EXPECT_GE(d.value + d.tolerance, nearest) << "claimed to overlap, or to be nearer than they are";
  expect_limits_change_nothing(a, b, d, exact);
  if (!meet) return;
  const double depth = std::sqrt(graze_oracle::depth_sq(exact_a.points(), exact_b.points()).get_d());
  // Every coordinate counts in every length.
  const double rounding = 6 * 16 * graze::kEpsilon * (reach_of(first) + reach_of(second));
  EXPECT_NEAR(d.value, -depth, rounding) << "the depth of the overlap differs";
}

TEST(Slivers, AreAsFarApartAsRationalArithmeticSays) {
  Random random(3);
  for (int i = 0, n = scaled(20000); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Sliver a = random_sliver(random);
    check(a, random_sliver(random));
  }
}

// The second method wrongly found an overlap and was trusted: 0.93 m apart were −0.28 ± 0.28.
TEST(Slivers, OfSixMillionKilometresDoNotOverlapWhatIsBesideThem) {
  Sliver edge, huge;
  edge.soup = {{{0, 1, 0}, {3, 1, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  edge.pose = {{-72, -122, -84, 118}, {-1.84375, 7.0035457611083984e-07, 3.46875}};
  huge.soup = {
      {{-2.34375, -6576668672, 1.8596649169921875e-05}, {3.40625, -1.09375, 2.3125}, {-3.84375, 3.3125, 3.875}},
      {{0, 1, 2}}};
  huge.pose.xyz = {-0.15625, 3.09375, -3.75};
  check(edge, huge);
  check(huge, edge);
}

// The normal of the rotated sliver was so far off that all axes saw an overlap of 0.55 m: 2.17 m apart collided.
TEST(Slivers, ThatAreThinAgainstTheirReachDoNotCollideWithWhatTheyMiss) {
  Sliver thin, small;
  thin.soup = {{{2.25, 0, -2.9375}, {1.96875, 671088640, -1.1875}, {0, -2.5, -2.875}}, {{0, 1, 2}}};
  thin.pose = {{-58, -30, -19, -89}, {2, 1.90625, -3.53125}};
  small.soup = {{{-3.9375, 0, 6.29425048828125e-05}, {2.65625, 0, 3.71875}, {3.78125, 3.40625, -2.40625}}, {{0, 1, 2}}};
  check(thin, small);
  check(small, thin);
  EXPECT_FALSE(collide(thin.placed(), small.placed()));
}

}  // namespace uneven_triangles_test
}  // namespace graze_test
