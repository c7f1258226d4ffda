// Touching, and one unit in the last place beside it: decided in rational arithmetic from the caller's doubles.
#include <gtest/gtest.h>

#include <cmath>

#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "oracle/cases.h"
#include "oracle/exact_overlap.h"
#include "query/judge.h"
#include "support/scale.h"

namespace graze_test {
namespace exact_test {

using graze_oracle::Case;
using graze_oracle::compare_with_margin;
using graze_oracle::Kind;
using graze_oracle::Random;
using graze_oracle::Spec;
using graze_oracle::Trouble;

// Exactly at the margin or nearer: never free.
void never_missed(const Spec& a, const Spec& b, double margin) {
  const auto side = compare_with_margin(a, b, margin);
  ASSERT_TRUE(side.has_value());
  if (*side > 0) return;
  EXPECT_TRUE(collide(placed_of(a), placed_of(b), {.margin = margin}))
      << "margin " << margin << (*side == 0 ? ", exactly there" : "") << "\n  a: " << describe(a)
      << "\n  b: " << describe(b);
  EXPECT_TRUE(collide(placed_of(b), placed_of(a), {.margin = margin})) << "other order";
}

class ExactPairs : public testing::TestWithParam<Kind> {};

TEST_P(ExactPairs, AreNeverMissedAtTheMarginToTheLastBit) {
  constexpr Kind kPartners[] = {Kind::sphere, Kind::capsule,    Kind::box,  Kind::triangle,
                                Kind::convex, Kind::half_space, Kind::plane};
  const Kind first = GetParam();
  for (const Kind second : kPartners) {
    if (second < first) continue;
    for (const Trouble trouble : graze_oracle::kTroubles) {
      // Exact arithmetic with rotations takes milliseconds; the plain categories need few cases.
      const bool delicate = trouble == Trouble::touching || trouble == Trouble::aligned || trouble == Trouble::edges;
      Random random(17 + 100u * static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(second));
      for (int i = 0, n = scaled(delicate ? 20 : 3); i < n && !HasFailure(); ++i) {
        const Case c = make_case(first, second, trouble, random);
        never_missed(c.a, c.b, 0);
        const double value = distance(placed_of(c.a), placed_of(c.b)).value;
        if (!std::isfinite(value)) continue;
        never_missed(c.a, c.b, value);
        never_missed(c.a, c.b, std::nextafter(value, graze::kInfinity));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExactPairs,
                         testing::Values(Kind::sphere, Kind::capsule, Kind::box, Kind::triangle, Kind::convex),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

Spec ball(double radius, graze_oracle::Triple at) {
  Spec s;
  s.size[0] = radius;
  s.xyz = at;
  return s;
}

double stepped(double x, int ulps) {
  for (; ulps > 0; --ulps) x = std::nextafter(x, graze::kInfinity);
  for (; ulps < 0; ++ulps) x = std::nextafter(x, -graze::kInfinity);
  return x;
}

TEST(ExactPairs, SpheresAtPythagoreanDistanceTouch) {
  constexpr graze_oracle::Triple kAway[] = {{3, 4, 0}, {2, 3, 6}, {1, 4, 8}, {4, 4, 7}, {2, 6, 9}, {6, 6, 7}};
  constexpr double kLength[] = {5, 7, 9, 9, 11, 11};
  for (std::size_t i = 0; i < 6; ++i) {
    for (const double scale : {1.0, 0.1, 1e-4, 1e6, 3e-7}) {
      for (int ulps = -3; ulps <= 3; ++ulps) {
        const double r = scale * kLength[i] / 2;
        const auto& d = kAway[i];
        never_missed(ball(r, {}), ball(stepped(r, ulps), {scale * d[0], scale * d[1], scale * d[2]}), 0);
        never_missed(ball(0, {}), ball(r, {scale * d[0], scale * d[1], scale * d[2]}), stepped(r, ulps));
      }
    }
  }
}

TEST(ExactPairs, BoxesSharingAFaceAnEdgeOrACornerTouch) {
  Random random(5);
  for (int i = 0, n = scaled(2000); i < n && !HasFailure(); ++i) {
    Spec a, b;
    a.kind = b.kind = Kind::box;
    for (std::size_t k = 0; k < 3; ++k) {
      a.size[k] = random.uniform(0.1, 1);
      b.size[k] = random.uniform(0.1, 1);
      const int mode = random.integer(0, 2);
      // Rounding of the sum and of the position matters to the last bit; the rationals decide.
      b.xyz[k] = mode == 0 ? 0 : stepped((mode == 1 ? 1 : -1) * (a.size[k] + b.size[k]), random.integer(-1, 1));
    }
    never_missed(a, b, 0);
  }
}

TEST(ExactPairs, PlanesOfAnyNormalTouchWhatIsExactlyOnThem) {
  Random random(6);
  for (int i = 0, n = scaled(3000); i < n && !HasFailure(); ++i) {
    Spec flat, body;
    flat.kind = random.chance(0.5) ? Kind::plane : Kind::half_space;
    do {
      for (double& x : flat.normal) x = random.integer(-3, 3);
    } while (flat.normal == graze_oracle::Triple{});
    flat.offset = random.integer(-4, 4);
    // A lattice point of the plane, or one step beside it.
    body.kind = Kind::triangle;
    for (int k = 0; k < 3; ++k) {
      body.points.push_back(
          {double(random.integer(-3, 3)), double(random.integer(-3, 3)), double(random.integer(-3, 3))});
    }
    if (random.chance(0.3)) flat.wxyz = body.wxyz = random.rotation();
    never_missed(flat, body, 0);
    Spec point = ball(0, body.points[0]);
    never_missed(flat, point, 0);
  }
}

TEST(ExactPairs, UnnormalisedQuaternionsMeanWhatTheySay) {
  // Rotations by exact thirds and fifths: the rotated corner of a box lies exactly on a lattice point.
  Spec box, point;
  box.kind = Kind::box;
  for (const std::array<double, 4>& q : {std::array<double, 4>{1, 1, 1, 0}, {2, 1, 0, 0}, {1, 2, 2, 0}, {3, 1, 2, 1}}) {
    for (const double length : {1.0, 1e-3, 7.0, 1e5}) {
      box.size = {15, 15, 30};
      for (std::size_t i = 0; i < 4; ++i) box.wxyz[i] = length * q[i];
      for (const auto& corner : graze_oracle::exact_core(box)) {
        point = ball(0, {corner.x.get_d(), corner.y.get_d(), corner.z.get_d()});
        never_missed(box, point, 0);
        EXPECT_NEAR(distance(placed_of(box), placed_of(point)).value, 0, 1e-13) << describe(box);
      }
    }
  }
}

}  // namespace exact_test
}  // namespace graze_test
