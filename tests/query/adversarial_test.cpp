// Numbers chosen to break things: nothing may hang, answer with a NaN, or call a collision free.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graze/base/error.h"
#include "query/judge.h"
#include "support/scale.h"

namespace graze_test {
namespace adversarial_test {

using graze::at;
using graze::kInfinity;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Case;
using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Random;
using graze_oracle::Spec;
using graze_oracle::Trouble;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Every verb, in both orders: no NaN, and never "free" where a common point is proven.
void expect_sane(const Placed& a, const Placed& b, const std::string& what) {
  for (const bool swapped : {false, true}) {
    const Placed &p = swapped ? b : a, &q = swapped ? a : b;
    const graze::Distance d = distance(p, q);
    EXPECT_FALSE(has_nan(d)) << what << ": " << d.value << " ± " << d.tolerance;
    EXPECT_GE(d.tolerance, 0) << what;
    const graze::Penetration depth = penetration(p, q);
    EXPECT_FALSE(std::isnan(depth.depth) || std::isnan(depth.tolerance)) << what;
    EXPECT_TRUE(graze::is_finite(depth.direction) && graze::is_finite(depth.on_a) && graze::is_finite(depth.on_b))
        << what;
    const bool hit = collide(p, q);
    EXPECT_TRUE(hit || !(d.value + d.tolerance < 0)) << what << ": free, but the distance is " << d.value;
    EXPECT_TRUE(hit || !depth.overlapping || depth.depth <= depth.tolerance) << what << ": free, but overlapping";
    for (const graze::Contact& c : contacts(p, q, {.margin = 1})) {
      EXPECT_TRUE(graze::is_finite(c.point) && graze::is_finite(c.normal) && !std::isnan(c.depth)) << what;
    }
    EXPECT_TRUE(collide(p, q, {.margin = kInfinity})) << what;
    EXPECT_TRUE(collide(p, q, {.margin = kNan})) << what;
    EXPECT_FALSE(distance(p, q, {.limit = kNan}).beyond) << what;
    EXPECT_FALSE(distance(p, q, {.limit = kInfinity}).beyond) << what;
    const graze::Distance below = distance(p, q, {.limit = -kInfinity});
    EXPECT_TRUE(below.beyond || below.value == -kInfinity || below.value - below.tolerance == -kInfinity) << what;
  }
}

std::string title(const Case& c) { return "\n  a: " + describe(c.a) + "\n  b: " + describe(c.b) + "\n"; }

TEST(Adversarial, AllAcceptedSizesAreSane) {
  Random random(1);
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      for (int i = 0, n = scaled(20); i < n && !HasFailure(); ++i) {
        Case c{random_spec(a, random.magnitude(-48, 48), random), random_spec(b, random.magnitude(-48, 48), random)};
        if (random.chance(0.5)) c.b = random_spec(b, random.magnitude(-40, -30), random);
        if (random.chance(0.5)) c.b.xyz = {random.magnitude(-48, 48), -random.magnitude(-48, 48), 0};
        expect_sane(placed_of(c.a), placed_of(c.b), title(c));
        // Every size different: needles and discs of any ratio.
        for (double& x : c.a.size) x = random.magnitude(-48, 48);
        expect_sane(placed_of(c.a), placed_of(c.b), title(c));
        // And sizes of zero.
        flatten(c.a, random);
        expect_sane(placed_of(c.a), placed_of(c.b), title(c));
        flatten(c.b, random);
        expect_sane(placed_of(c.a), placed_of(c.b), title(c));
      }
    }
  }
}

TEST(Adversarial, ExtremeSizesNeverMissACollision) {
  Random random(2);
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      if (b < a) continue;
      for (int i = 0, n = scaled(20); i < n && !HasFailure(); ++i) {
        Case c{random_spec(a, random.magnitude(-20, 20), random), random_spec(b, random.magnitude(-20, 20), random)};
        c.b.xyz = {random.magnitude(-25, 20), 0, 0};
        if (random.chance(0.3)) flatten(c.a, random);
        if (random.chance(0.3)) flatten(c.b, random);
        Judge judge(c);
        const graze::Distance d = distance(judge.a, judge.b);
        judge.find_truth(d);
        judge.check_margin(0);
        EXPECT_TRUE(judge.complaints.empty()) << judge.report();
      }
    }
  }
}

TEST(Adversarial, HugeTranslationsAreSane) {
  Random random(3);
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      for (const double far : {1e50, 1e100, 1e150, 1e200, 1e300, std::numeric_limits<double>::max() / 4}) {
        Case c = make_case(a, b, Trouble::generic, random);
        const auto away = random.direction();
        for (std::size_t k = 0; k < 3; ++k) {
          c.a.xyz[k] = far * away[k];
          c.b.xyz[k] = random.chance(0.5) ? c.a.xyz[k] : -c.a.xyz[k];
        }
        try {
          const Placed pa = placed_of(c.a), pb = placed_of(c.b);
          expect_sane(pa, pb, title(c));
          // Both far away at the same position: the same answer as at the origin, since their difference is zero.
          if (c.a.xyz == c.b.xyz && !unbounded(a) && !unbounded(b)) {
            EXPECT_TRUE(collide(pa, pb) || !collide(at(pa.geometry, pa.pose.moved_to({0, 0, 0})),
                                                    at(pb.geometry, pb.pose.moved_to({0, 0, 0}))))
                << title(c);
          }
        } catch (const graze::Error&) {  // rejecting such a pose is fine too
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Adversarial, DenormalOffsetsAndSizesNearUnderflowAreSane) {
  Random random(4);
  const double smallest = std::numeric_limits<double>::denorm_min();
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      for (const double offset : {smallest, 1e3 * smallest, 1e-308, 1e-200, 1e-160}) {
        Case c = make_case(a, b, Trouble::nested, random);
        c.a.xyz = {};
        c.b.xyz = {offset, -offset, smallest};
        if (random.chance(0.3)) c.a.wxyz = {1, offset, 0, -offset};
        if (random.chance(0.3)) c.b.wxyz = {offset, offset, 0, offset};
        expect_sane(placed_of(c.a), placed_of(c.b), title(c));
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Adversarial, PointsAndPlanesAHairApart) {
  // The gap is the only number that is not zero: exact here, whatever the library does elsewhere.
  for (const double gap : {1e-300, 1e-160, 1e-30, 1e-16}) {
    const Placed point = at(graze::Sphere{.radius = 0}, Pose::at({0, 0, gap}));
    for (const graze::Shape& s : {graze::Shape(graze::HalfSpace({0, 0, 1}, 0)),
                                  graze::Shape(graze::Plane({0, 0, 1}, 0)), graze::Shape(graze::Sphere{.radius = 0}),
                                  graze::Shape(graze::Triangle({-1, -1, 0}, {1, -1, 0}, {0, 1, 0}))}) {
      const graze::Distance d = distance(at(s), point);
      EXPECT_LE(d.value - d.tolerance, gap) << name_of(s);
      EXPECT_GE(d.value + d.tolerance, gap) << name_of(s);
      EXPECT_TRUE(collide(at(s), at(graze::Sphere{.radius = 0}))) << name_of(s);
      expect_sane(at(s), point, std::string(name_of(s)));
    }
  }
}

TEST(Adversarial, NanOptionsAreNeverFree) {
  Random random(5);
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      const Case c = make_case(a, b, Trouble::generic, random);
      Placed pa = placed_of(c.a), pb = placed_of(c.b);
      pb = at(pb.geometry, pb.pose.moved_to(pb.pose.translation() + Vec3(100, 100, 100)));
      EXPECT_TRUE(collide(pa, pb, {.margin = kNan})) << title(c);
      EXPECT_FALSE(distance(pa, pb, {.limit = kNan}).beyond) << title(c);
      (void)contacts(pa, pb, {.margin = kNan});
    }
  }
}

TEST(Adversarial, FlatAndDegenerateHullsAnswerLikeEqualShapes) {
  Random random(6);
  for (int i = 0, n = scaled(2000); i < n && !HasFailure(); ++i) {
    // A point, a segment or a polygon as a hull, and as a triangle.
    const int corners = random.integer(1, 3);
    std::vector<Vec3> points;
    for (int k = 0; k < corners; ++k) {
      points.push_back(vec3({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}));
    }
    const auto nth = [&](std::size_t k) { return points[std::min(k, points.size() - 1)]; };
    const graze::Triangle triangle(nth(0), nth(1), nth(2));
    const graze::Convex hull = graze::Convex::hull_of(points);
    const Kind other = kKinds[static_cast<std::size_t>(random.integer(0, 9))];
    const Spec spec = make_case(Kind::sphere, other, Trouble::generic, random).b;
    const Placed body = placed_of(spec);
    const graze::Distance d = distance(at(triangle), body), e = distance(at(hull), body);
    EXPECT_NEAR(d.value, e.value, d.tolerance + e.tolerance + 1e-9) << describe(spec) << " " << corners << " corners";
  }
}

TEST(Adversarial, NearlyFlatHullsNeverMissACollision) {
  Random random(7);
  for (int i = 0, n = scaled(1000); i < n && !HasFailure(); ++i) {
    // Points of a plane with noise of a few units in the last place: neither flat nor solid.
    Case c;
    c.a.kind = Kind::convex;
    const auto u = random.direction(), v = random.direction();
    for (int k = 0; k < 8; ++k) {
      const double s = random.uniform(-1, 1), t = random.uniform(-1, 1);
      c.a.points.push_back({s * u[0] + t * v[0], s * u[1] + t * v[1], s * u[2] + t * v[2]});
    }
    c.b = make_case(Kind::sphere, kKinds[static_cast<std::size_t>(random.integer(0, 9))], Trouble::generic, random).b;
    for (double& x : c.b.xyz) x *= 0.3;
    Judge judge(c);
    judge.check_distance();
    EXPECT_TRUE(judge.complaints.empty()) << judge.report();
  }
}

// A hang is ended by the time limit of ctest.
TEST(Adversarial, SliversSharingAVertexCollide) {
  Random random(8);
  for (int i = 0, n = scaled(2000); i < n && !HasFailure(); ++i) {
    Case c;
    c.a.kind = c.b.kind = Kind::triangle;
    const double thin = random.magnitude(-16, -8);
    for (Spec* s : {&c.a, &c.b}) {
      const auto d = random.direction();
      s->points = {{0, 0, 0}, d, {d[0] + thin, d[1] - thin, d[2]}};
    }
    EXPECT_TRUE(collide(placed_of(c.a), placed_of(c.b))) << title(c);
    expect_sane(placed_of(c.a), placed_of(c.b), title(c));
  }
}

TEST(Adversarial, NestedAndThinShapesOfVeryDifferentSizesAreSane) {
  Random random(9);
  for (int i = 0, n = scaled(5000); i < n && !HasFailure(); ++i) {
    const Kind a = kKinds[static_cast<std::size_t>(random.integer(0, 7))];
    const Kind b = kKinds[static_cast<std::size_t>(random.integer(0, 7))];
    Case c = make_case(a, b, random.chance(0.5) ? Trouble::nested : Trouble::sliver, random);
    for (double& x : c.a.size) x *= random.chance(0.2) ? random.magnitude(-20, 20) : 1;
    expect_sane(placed_of(c.a), placed_of(c.b), title(c));
  }
}

}  // namespace adversarial_test
}  // namespace graze_test
