// Triangles with huge and tiny edges, where rounding turns normals and simplices: what is claimed must still be so.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "fuzz/exact_soup.h"
#include "graze/geometry/mesh.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "oracle/cases.h"
#include "support/meshes.h"
#include "support/scale.h"

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

// A limit only says what need not be measured: not what the answer is.
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
  // How near a simplex comes is known to fewer digits where its edges are this uneven.
  const double nearest = meet ? -graze::kInfinity : exact * (1 - 1e-5);
  EXPECT_GE(d.value + d.tolerance, nearest) << "claimed to overlap, or to be nearer than they are";
  expect_limits_change_nothing(a, b, d, exact);
}

TEST(Slivers, AreAsFarApartAsRationalArithmeticSays) {
  Random random(3);
  for (int i = 0, n = scaled(20000); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Sliver a = random_sliver(random);
    check(a, random_sliver(random));
  }
}

// The second way to measure them took them for overlapping and was believed: 0.93 m apart were −0.28 ± 0.28.
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
