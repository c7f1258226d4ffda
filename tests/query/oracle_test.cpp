// The oracles are tested too: known values, two methods against each other, proofs against searches.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "oracle/cases.h"
#include "oracle/certify.h"
#include "oracle/exact_overlap.h"
#include "oracle/search.h"
#include "oracle/signed_distance.h"
#include "support/scale.h"

namespace graze_oracle {
namespace oracle_test {

using graze_test::scaled;

Spec spec(Kind kind, Triple size, Triple at = {0, 0, 0}) {
  Spec s;
  s.kind = kind;
  s.size = size;
  s.xyz = at;
  return s;
}

Bounds between(const Spec& a, const Spec& b) { return signed_distance(body_of(a), body_of(b)); }

void expect_value(const Spec& a, const Spec& b, Real value) {
  const Bounds r = between(a, b);
  EXPECT_NEAR(static_cast<double>(r.estimate), static_cast<double>(value), 1e-15) << describe(a) << "\n" << describe(b);
  EXPECT_LE(r.lower, value);
  EXPECT_GE(r.upper, value - 1e-18L);
}

TEST(Oracle, GivesKnownDistances) {
  const Spec box = spec(Kind::box, {1, 1, 1}), ball = spec(Kind::sphere, {0.5});
  expect_value(box, spec(Kind::sphere, {0.5}, {2, 0, 0}), 0.5L);
  expect_value(box, spec(Kind::sphere, {0.5}, {2, 2, 0}), std::numbers::sqrt2_v<Real> - 0.5L);
  expect_value(box, ball, -1.5L);
  expect_value(box, spec(Kind::box, {1, 1, 1}, {1.75, 0.5, 0}), -0.25L);
  expect_value(ball, spec(Kind::cylinder, {1, 2}), -1.5L);
  expect_value(ball, spec(Kind::cylinder, {1, 2}, {3, 0, 0}), 1.5L);
  expect_value(spec(Kind::sphere, {0}), spec(Kind::ellipsoid, {1, 2, 3}), -1);
  expect_value(spec(Kind::sphere, {0}, {0, 5, 0}), spec(Kind::ellipsoid, {1, 2, 3}), 3);
  // The apex of a cone, and its side: radius 3, height 4, so the side has slope 4/3.
  expect_value(spec(Kind::sphere, {1}, {0, 0, 4}), spec(Kind::cone, {3, 2}), 1);
  expect_value(spec(Kind::sphere, {0}, {0, 0, -1.5}), spec(Kind::cone, {3, 2}), -0.5L);
  expect_value(spec(Kind::sphere, {0}, {4, 0, 3}), spec(Kind::cone, {3, 2}), (4 * 4 + 3 * (3 - 2)) / 5.0L);
}

TEST(Oracle, HandlesHalfSpacesAndPlanes) {
  Spec floor = spec(Kind::half_space, {}), sheet = spec(Kind::plane, {});
  floor.normal = sheet.normal = {0, 0, 2};
  floor.offset = sheet.offset = 2;  // z = 1
  const Spec box = spec(Kind::box, {1, 1, 1}, {0, 0, 2.5});
  expect_value(floor, box, 0.5L);
  expect_value(box, floor, 0.5L);
  expect_value(sheet, box, 0.5L);
  expect_value(spec(Kind::box, {1, 1, 1}, {0, 0, 1.75}), sheet, -0.25L);
  Spec other = sheet;
  other.offset = 6;
  expect_value(sheet, other, 2);
  expect_value(floor, other, 2);
  other.normal = {0, 0, -1};
  other.kind = Kind::half_space;
  other.offset = -5;  // above z = 5
  expect_value(floor, other, 4);
  other.normal = {0, 0.1, -1};
  EXPECT_EQ(between(floor, other).upper, -kRealInfinity);
}

TEST(Oracle, BoundsAreConsistentForEveryPair) {
  Random random(3);
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      if (b < a) continue;
      for (const Trouble trouble : kTroubles) {
        for (int i = 0, n = scaled(2); i < n; ++i) {
          const Case c = make_case(a, b, trouble, random);
          const Triple origin = unbounded(a) ? c.b.xyz : c.a.xyz;
          const Body body_a = body_of(c.a, origin), body_b = body_of(c.b, origin);
          const Bounds r = signed_distance(body_a, body_b), back = signed_distance(body_b, body_a);
          const Real size = magnitude(c.a) + magnitude(c.b);
          EXPECT_LE(r.lower, r.upper) << describe(c.a) << "\n" << describe(c.b);
          EXPECT_LE(std::max(r.lower, back.lower), std::min(r.upper, back.upper)) << describe(c.a) << "\n"
                                                                                  << describe(c.b);
          EXPECT_TRUE(r.lower <= 0 || r.upper - r.lower <= 1e-11L * size) << r.lower << " " << r.upper << "\n"
                                                                          << describe(c.a) << "\n"
                                                                          << describe(c.b);
          if (unbounded(a) || unbounded(b)) continue;
          EXPECT_LE(outside(body_a, r.on_a), 1e-12L * size) << describe(c.a) << "\n" << describe(c.b);
          EXPECT_LE(outside(body_b, r.on_b), 1e-12L * size) << describe(c.a) << "\n" << describe(c.b);
        }
      }
    }
  }
}

TEST(Oracle, SearchForTheExitIsProvenForCurvedPairs) {
  Random random(4);
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      if (b < a || unbounded(a) || unbounded(b) || (!curved(a) && !curved(b))) continue;
      for (int i = 0, n = scaled(12); i < n; ++i) {
        const Case c = make_case(a, b, i % 3 == 0 ? Trouble::nested : Trouble::generic, random);
        const Body body_a = body_of(c.a, c.a.xyz), body_b = body_of(c.b, c.a.xyz);
        Bounds r = signed_distance(body_a, body_b);
        if (r.estimate > -1e-3L) continue;
        certify(body_a, body_b, r, 1e-5L, 20000);
        EXPECT_LE(r.upper - r.lower, 2e-4L) << describe(c.a) << "\n" << describe(c.b);
      }
    }
  }
}

TEST(Oracle, LongDoubleAgreesWithRationals) {
  Random random(5);
  constexpr Kind kCores[] = {Kind::sphere, Kind::capsule, Kind::box, Kind::triangle, Kind::convex};
  for (const Kind a : kCores) {
    for (const Kind b : kCores) {
      for (int i = 0, n = scaled(4); i < n; ++i) {
        const Case c = make_case(a, b, Trouble::generic, random);
        const Bounds r = between(c.a, c.b);
        for (const Real off : {-1e-12L, 1e-12L}) {
          const auto margin = static_cast<double>(r.estimate + off);
          const auto side = compare_with_margin(c.a, c.b, margin);
          ASSERT_TRUE(side.has_value());
          EXPECT_EQ(*side, off > 0 ? -1 : 1) << describe(c.a) << "\n" << describe(c.b);
        }
      }
    }
  }
}

TEST(Oracle, TwoExactMethodsAgreeOnTriangles) {
  Random random(6);
  for (int i = 0, n = scaled(1500); i < n; ++i) {
    std::array<RationalPoint, 3> a, b;
    std::vector<RationalPoint> list_a, list_b;
    std::vector<Lattice<Int128>> ints_a, ints_b;
    for (std::size_t k = 0; k < 3; ++k) {
      for (const bool first : {true, false}) {
        const int x = random.integer(-2, 2), y = random.integer(-2, 2), z = random.integer(-2, 2);
        (first ? a : b)[k] = {x, y, z};
        (first ? list_a : list_b).push_back({x, y, z});
        (first ? ints_a : ints_b).push_back({x, y, z});
      }
    }
    const Rational by_features = triangle_distance_sq(a, b), by_simplices = distance_sq(list_a, list_b);
    EXPECT_EQ(by_features, by_simplices);
    const auto small = hull_distance_sq(ints_a, ints_b);
    EXPECT_EQ(by_features * static_cast<long>(small.den), static_cast<long>(small.num));
  }
}

TEST(Oracle, ProjectionsAreNearest) {
  Random random(7);
  for (const Kind kind : kKinds) {
    for (int i = 0, n = scaled(200); i < n; ++i) {
      const Spec s = random_spec(kind, 1, random);
      const Body body = body_of(s);
      const Vec p{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
      const Vec x = project(body, p);
      EXPECT_LE(outside(body, x), 1e-17L);
      // Nothing of the body lies beyond the plane through x perpendicular to p - x.
      const Real away = norm(p - x);
      if (away < 1e-12L) continue;
      EXPECT_EQ(inside(body, p), 0);
      if (unbounded(kind)) continue;
      const Vec n_out = (1 / away) * (p - x);
      EXPECT_LE(extent(body, n_out).high, dot(n_out, x) + 1e-16L) << describe(s);
    }
  }
}

}  // namespace oracle_test
}  // namespace graze_oracle
