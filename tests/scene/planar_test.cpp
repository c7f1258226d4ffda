// Obstacles in the plane one by one, against rational arithmetic.
#include <gtest/gtest.h>

#include "graze/base/error.h"
#include "graze/scene/planar_obstacle.h"
#include "scene/planar_cases.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace planar_test {

using graze::Aabb2;
using graze::Error;
using graze::kInfinity;
using namespace graze::planar;
using graze_oracle::planar_arc_distance;
using graze_oracle::planar_boundary_sq;
using graze_oracle::planar_contains;
using graze_oracle::planar_distance_sq;
using graze_oracle::planar_root;
using graze_oracle::Real;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The sign of (distance of the path up to a fraction, less the radii): exact.
int compare(const PlanarBody& body, const Vec2& from, const Vec2& way, double fraction, double radius) {
  const PlanarPoint a = exact(from);
  const mpq_class f(fraction);
  const PlanarPoint b{a.x + f * mpq_class(way.x()), a.y + f * mpq_class(way.y())};
  const mpq_class reach = body.radius + mpq_class(radius);
  return cmp(planar_distance_sq(body, a, b), reach * reach);
}

// As the path is defined: to − from, not rounded.
int compare_to(const PlanarBody& body, const Vec2& from, const Vec2& to, double fraction, double radius) {
  const PlanarPoint a = exact(from), end = exact(to);
  const mpq_class f(fraction);
  const PlanarPoint b{a.x + f * (end.x - a.x), a.y + f * (end.y - a.y)};
  const mpq_class reach = body.radius + mpq_class(radius);
  return cmp(planar_distance_sq(body, a, b), reach * reach);
}

struct Counts {
  int hits = 0, free = 0, at_start = 0;
};

void check_line(const PlanarCase& c, const Vec2& from, const Vec2& to, double radius, double tolerance,
                Counts& counts) {
  const Hit hit = sweep(c.obstacle, Path::line(from, to), radius);
  const bool touches = compare_to(c.body, from, to, 1, radius) <= 0;
  if (!hit.found()) {
    ASSERT_FALSE(touches) << "missed";
    ++counts.free;
    return;
  }
  ++counts.hits;
  ASSERT_TRUE(hit.certain);
  ASSERT_GE(hit.fraction, 0);
  ASSERT_LE(hit.fraction, 1);
  if (compare(c.body, from, Vec2::Zero(), 0, radius) <= 0) {
    ++counts.at_start;
    ASSERT_EQ(hit.fraction, 0);
    return;
  }
  ASSERT_GE(compare_to(c.body, from, to, hit.fraction, radius), 0) << "late";
  ASSERT_LE(compare_to(c.body, from, to, hit.fraction, radius + tolerance), 0) << "early";
}

TEST(Planar, SweptDiscsNeverMissAndAreNeverLate) {
  for (const Regime regime : kRegimes) {
    PlanarCases cases(regime, 11);
    Counts counts;
    for (int i = 0; i < scaled(1500); ++i) {
      const PlanarCase c = cases.obstacle();
      const Vec2 from = cases.point();
      const Vec2 to = cases.random().integer(0, 15) == 0 ? from : cases.point();
      const double radius = cases.length(2);
      SCOPED_TRACE(testing::Message() << "regime " << static_cast<int>(regime) << ", case " << i);
      check_line(c, from, to, radius, 1e-12 * cases.unit() * 30, counts);
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(counts.hits, counts.at_start);
    EXPECT_GT(counts.free, 0);
    EXPECT_GT(counts.at_start, 0);
  }
}

// Past the obstacle in a nanometre, or through a nanometre of it.
TEST(Planar, GrazesByANanometre) {
  for (const double length : {1.0, 30.0, 1000.0}) {
    PlanarCases cases(Regime::uniform, 5);
    for (int i = 0; i < scaled(400); ++i) {
      const PlanarCase c = cases.obstacle();
      const double radius = cases.length(2);
      // The distance of a line in a direction from the obstacle decides where it has to run.
      const double turn = cases.random().uniform(0, 6.28);
      const Vec2 along(std::cos(turn), std::sin(turn)), out(along.y(), -along.x());
      double reach = -kInfinity;
      for (const PlanarPoint& corner : c.body.corners)
        reach = std::max(reach, out.dot(Vec2(corner.x.get_d(), corner.y.get_d())));
      reach += c.body.radius.get_d() + radius;
      for (const double gap : {1e-9, -1e-9}) {
        const Vec2 middle = (reach + gap) * out + cases.random().uniform(-5, 5) * along;
        const Vec2 from = middle - length / 2 * along, to = middle + length / 2 * along;
        const bool touches = compare_to(c.body, from, to, 1, radius) <= 0;
        EXPECT_EQ(sweep(c.obstacle, Path::line(from, to), radius).found(), touches) << i << " " << gap;
        Counts counts;
        check_line(c, from, to, radius, 1e-12 * (length + 30), counts);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Planar, NothingTunnelsThroughWallsOfANanometre) {
  const PlanarCase wall = rectangle_case({500, 0}, {5e-10, 3}, 0);
  const std::vector<Vec2> corners{{500, -3}, {500 + 1e-9, -3}, {500 + 1e-9, 3}, {500, 3}};
  const PlanarCase thin = polygon_case(corners);
  for (const PlanarCase* c : {&wall, &thin}) {
    for (const double y : {0.0, 1.0, -2.9999999, 3.0}) {
      for (const double radius : {0.0, 1e-9, 0.1}) {
        const Hit hit = sweep(c->obstacle, Path::line({0, y}, {1000, y / 2}), radius);
        ASSERT_TRUE(hit.found());
        Counts counts;
        check_line(*c, {0, y}, {1000, y / 2}, radius, 1e-11, counts);
      }
    }
    // Beside it, between two of them.
    EXPECT_FALSE(sweep(c->obstacle, Path::line({500 - 2e-9, -1000}, {500 - 2e-9, 1000}), 0).found());
    EXPECT_TRUE(sweep(c->obstacle, Path::line({500 - 2e-9, -1000}, {500 - 2e-9, 1000}), 2.5e-9).found());
  }
}

Real arc_gap(const PlanarCase& c, const Vec2& center, const Vec2& from, Real angle, double radius) {
  return planar_arc_distance(c.body, {center.x(), center.y()}, {from.x(), from.y()}, angle) -
         (Real{c.body.radius.get_d()} + Real{radius});
}

TEST(Planar, ArcsNeverMissAndAreNeverLate) {
  for (const Regime regime : kRegimes) {
    PlanarCases cases(regime, 23);
    Counts counts;
    for (int i = 0; i < scaled(4000); ++i) {
      const PlanarCase c = cases.obstacle();
      const Vec2 center = cases.point(), from = cases.random().integer(0, 20) == 0 ? center : cases.point();
      const double radius = cases.length(2);
      double angle = cases.random().uniform(-7, 7);
      if (cases.random().integer(0, 9) == 0) angle *= 100;
      if (cases.random().integer(0, 20) == 0) angle = 0;
      const Hit hit = sweep(c.obstacle, Path::arc(center, from, angle), radius);
      SCOPED_TRACE(testing::Message() << "regime " << static_cast<int>(regime) << ", case " << i);
      // The oracle itself rounds, to less than the slack by far.
      const Real noise = 1e-17L * Real{cases.unit()} * 30, tolerance = 1e-12L * Real{cases.unit()} * 30;
      const Real gap = arc_gap(c, center, from, angle, radius);
      if (!hit.found()) {
        ASSERT_GT(gap, -noise) << "missed";
        ++counts.free;
        continue;
      }
      ++counts.hits;
      const Real start = arc_gap(c, center, from, 0, radius);
      if (start <= 0) {
        ++counts.at_start;
        ASSERT_EQ(hit.fraction, 0);
        continue;
      }
      const Real turned = Real{hit.fraction} * Real{angle};
      ASSERT_GE(arc_gap(c, center, from, turned, radius), -noise) << "late";
      ASSERT_LE(arc_gap(c, center, from, turned, radius), tolerance) << "early";
    }
    EXPECT_GT(counts.hits, counts.at_start);
    EXPECT_GT(counts.free, 0);
    EXPECT_GT(counts.at_start, 0);
  }
}

TEST(Planar, ArcsAboutAnObstacleGrazeByANanometre) {
  const Obstacle circle = Circle({3, 4}, 1);
  EXPECT_FALSE(sweep(circle, Path::arc({3, 4}, {3, 5.5 + 1e-9}, 100), 0.5).found());
  EXPECT_TRUE(sweep(circle, Path::arc({3, 4}, {3, 5.5}, 100), 0.5).found());
  // An arc that comes down on a wall: lowest at −π/2.
  const Obstacle wall = Rectangle({0, -1}, {50, 1});
  EXPECT_FALSE(sweep(wall, Path::arc({0, 10}, {10 - 1e-9, 10}, -20), 0).found());
  const Hit hit = sweep(wall, Path::arc({0, 10}, {10 + 1e-9, 10}, -1.6), 0);
  ASSERT_TRUE(hit.found());
  EXPECT_NEAR(hit.fraction * 1.6, std::acos(-1.0) / 2, 2e-5);
  // More than a turn: the contact is in the first one, or nowhere.
  const Hit late = sweep(circle, Path::arc({0, 0}, {5, 0}, 1e6), 0.5);
  ASSERT_TRUE(late.found());
  EXPECT_LT(late.fraction * 1e6, 1);
}

TEST(Planar, NearestPointsAreThoseOfTheBoundary) {
  for (const Regime regime : kRegimes) {
    PlanarCases cases(regime, 31);
    int inside = 0;
    for (int i = 0; i < scaled(2000); ++i) {
      const PlanarCase c = cases.obstacle();
      const Vec2 q = cases.point();
      const NearestPoint near = nearest(c.obstacle, q);
      const bool point = c.body.corners.size() == 1;
      mpf_class truth = planar_root(planar_boundary_sq(c.body, exact(q)));
      const bool in = !point && planar_contains(c.body, exact(q));
      if (in) truth = -truth;
      truth -= mpf_class(c.body.radius, 300);
      const double error = mpf_class(near.distance - truth).get_d();
      ASSERT_LE(std::abs(error), near.tolerance) << i;
      ASSERT_LE(near.tolerance, 1e-12 * cases.unit() * 30);
      inside += near.distance < 0 ? 1 : 0;
      // The point is on the boundary and as far away as is said.
      const double rounding = 1e-15 * (q.norm() + 30 * cases.unit());
      ASSERT_NEAR((near.point - q).norm(), std::abs(near.distance), near.tolerance + 4 * rounding);
      const NearestPoint there = nearest(c.obstacle, near.point);
      ASSERT_NEAR(there.distance, 0, near.tolerance + there.tolerance + 4 * rounding);
      // Checks follow, at both sides of the distance.
      const double gap = near.distance;
      if (gap > 0) {
        ASSERT_TRUE(collide(c.obstacle, q, gap * (1 + 1e-15) + near.tolerance));
        ASSERT_FALSE(collide(c.obstacle, q, std::max(0.0, gap - 3 * near.tolerance) * (1 - 1e-9))) << gap;
      }
      const double radius = cases.length(3);
      const bool touches = compare(c.body, q, Vec2::Zero(), 0, radius) <= 0;
      if (touches) {
        ASSERT_TRUE(collide(c.obstacle, q, radius)) << "missed " << i;
      }
      if (!touches && std::abs(gap - radius) > 4 * near.tolerance) {
        ASSERT_FALSE(collide(c.obstacle, q, radius));
      }
    }
    EXPECT_GT(inside, 0);
  }
}

TEST(Planar, TangentsLeaveTheObstacleOnOneSide) {
  for (const Regime regime : {Regime::uniform, Regime::far, Regime::tiny, Regime::huge, Regime::lattice}) {
    PlanarCases cases(regime, 41);
    int found = 0;
    for (int i = 0; i < scaled(1500); ++i) {
      const PlanarCase c = cases.obstacle();
      const Vec2 q = cases.point();
      const double radius = cases.length(1), scale = 30 * cases.unit();
      const auto both = tangents(c.obstacle, q, radius);
      ASSERT_EQ(both.has_value(), !collide(c.obstacle, q, radius));
      if (!both) continue;
      ++found;
      // Both lie on the grown boundary, and the lines touch it nowhere else: all corners are on one side.
      for (const bool left : {true, false}) {
        const Vec2 to = left ? both->left : both->right;
        const NearestPoint near = nearest(c.obstacle, to);
        const double rounding = 1e-15 * (q.norm() + scale);
        ASSERT_NEAR(near.distance, radius, 1e-7 * scale + 8 * rounding);
        const double length = (to - q).norm();
        if (length < 1e-6 * scale) continue;
        const Vec2 along = (to - q) / length, out = left ? Vec2(-along.y(), along.x()) : Vec2(along.y(), -along.x());
        double most = -kInfinity;
        for (const PlanarPoint& corner : c.body.corners) {
          const mpq_class x = corner.x - mpq_class(q.x()), y = corner.y - mpq_class(q.y());
          most = std::max(most, out.dot(Vec2(x.get_d(), y.get_d())));
        }
        ASSERT_NEAR(most + c.body.radius.get_d() + radius, 0, 1e-9 * scale + 1e3 * rounding) << i;
      }
    }
    EXPECT_GT(found, scaled(1500) / 4);
  }
}

TEST(Planar, TangentsOfKnownFigures) {
  const auto circle = tangents(Circle({2, 0}, 1), {0, 0});
  ASSERT_TRUE(circle);
  EXPECT_NEAR(circle->left.x(), 1.5, 1e-15);
  EXPECT_NEAR(circle->left.y(), std::sqrt(3.0) / 2, 1e-15);
  EXPECT_NEAR(circle->right.y(), -std::sqrt(3.0) / 2, 1e-15);
  const auto square = tangents(Rectangle({3, 0}, {1, 1}), {0, 0});
  ASSERT_TRUE(square);
  EXPECT_EQ(square->left, Vec2(2, 1));
  EXPECT_EQ(square->right, Vec2(2, -1));
  // Along an edge the nearer corner.
  EXPECT_EQ(tangents(Rectangle({3, 1}, {1, 1}), {0, 0})->right, Vec2(2, 0));
  EXPECT_FALSE(tangents(Circle({2, 0}, 1), {2, 0.5}));
  EXPECT_FALSE(tangents(Circle({2, 0}, 1), {0.5, 0}, 0.5));
}

TEST(Planar, FaultsOfTheThesisAreNotThere) {
  // Table 3.7 never checks the disc at the end.
  const Hit hit = sweep(Circle({1.45, 0}, 0), Path::line({0, 0}, {1, 0}), 0.5);
  ASSERT_TRUE(hit.found());
  EXPECT_NEAR(hit.fraction, 0.95, 1e-14);
  EXPECT_LE(hit.fraction, 0.95);
  // And does not end for a radius of 0.
  EXPECT_TRUE(sweep(Circle({1, 0}, 0), Path::line({0, 0}, {2, 0}), 0).found());
}

TEST(Planar, WhatIsNotANumberTouches) {
  const Obstacle circle = Circle({2, 0}, 1);
  EXPECT_TRUE(collide(circle, {kNan, 0}, 0.1));
  EXPECT_TRUE(collide(circle, {0, kInfinity}, 0.1));
  EXPECT_TRUE(collide(circle, {0, 0}, kNan));
  EXPECT_TRUE(collide(circle, {0, 0}, -1));
  EXPECT_TRUE(std::isnan(nearest(circle, {kNan, 0}).distance));
  EXPECT_FALSE(tangents(circle, {kNan, 0}));
  EXPECT_THROW(Path::line({kNan, 0}, {0, 0}), Error);
  EXPECT_THROW(Path::arc({0, 0}, {1, 0}, kNan), Error);
  EXPECT_THROW(Circle({kNan, 0}, 1), Error);
  EXPECT_THROW(Circle({0, 0}, -1), Error);
  EXPECT_THROW(Rectangle({0, 0}, {1, kInfinity}), Error);
}

TEST(Planar, PolygonsThatAreNotConvexAreRefusedByCorner) {
  const auto why = [](std::vector<Vec2> corners) { return refusal([&] { Polygon polygon(corners); }); };
  EXPECT_EQ(why({{0, 0}, {2, 0}, {2, 2}, {0, 2}}), "");
  EXPECT_EQ(why({{0, 0}, {1, 0}, {2, 0}, {2, 2}, {2, 2}, {0, 2}, {0, 0}}), "");
  EXPECT_NE(why({{0, 0}, {0, 2}, {2, 2}, {2, 0}}).find("points: must be counter-clockwise"), std::string::npos);
  EXPECT_NE(why({{0, 0}, {4, 0}, {4, 4}, {2, 1}, {0, 4}}).find("points[3]: makes the polygon concave"),
            std::string::npos);
  EXPECT_NE(why({{0, 0}, {1, 0}}).find("at least 3"), std::string::npos);
  EXPECT_NE(why({{0, 0}, {1, 1}, {2, 2}}).find("lie on one line"), std::string::npos);
  EXPECT_NE(why({{0, 0}, {1, kNan}, {2, 2}}).find("points[1]"), std::string::npos);
  // A pentagram turns left everywhere.
  std::vector<Vec2> star;
  for (int i = 0; i < 5; ++i) star.emplace_back(std::cos(i * 4 * 3.14159265 / 5), std::sin(i * 4 * 3.14159265 / 5));
  EXPECT_NE(why(star).find("go around 2 times"), std::string::npos);
  EXPECT_NE(why({{0, 0}, {2, 0}, {1, 0}, {1, 1}}), "");
  // By one unit in the last place.
  EXPECT_EQ(why({{0, 0}, {1, -0x1p-1000}, {2, 0}, {1, 1}}), "");
  EXPECT_NE(why({{0, 0}, {1, 0x1p-60}, {2, 0}, {1, 1}}).find("points[1]"), std::string::npos);
}

// Only nearest(q), as users write it.
struct OnlyNearest {
  Obstacle inner;
  NearestPoint nearest(const Vec2& q) const { return graze::planar::nearest(inner, q); }
};
struct ConvexNearest : OnlyNearest {
  static constexpr bool kConvex = true;
};

TEST(Planar, ObstaclesOfOnesOwnNeedOnlyNearest) {
  for (const Regime regime : {Regime::uniform, Regime::lattice, Regime::far, Regime::thin}) {
    PlanarCases cases(regime, 53);
    int hits = 0, uncertain = 0;
    for (int i = 0; i < scaled(500); ++i) {
      const PlanarCase c = cases.obstacle();
      const Vec2 from = cases.point(), to = cases.point();
      const double radius = cases.length(2);
      const bool convex = i % 2 == 0;
      const Obstacle own = convex ? Custom(ConvexNearest{{c.obstacle}}) : Custom(OnlyNearest{c.obstacle});
      EXPECT_EQ(collide(own, from, radius), collide(c.obstacle, from, radius));
      const Hit hit = sweep(own, Path::line(from, to), radius);
      const bool touches = compare_to(c.body, from, to, 1, radius) <= 0;
      SCOPED_TRACE(testing::Message() << "regime " << static_cast<int>(regime) << ", case " << i);
      if (!hit.found()) {
        ASSERT_FALSE(touches);
        continue;
      }
      ++hits;
      uncertain += hit.certain ? 0 : 1;
      if (compare(c.body, from, Vec2::Zero(), 0, radius) <= 0) {
        ASSERT_EQ(hit.fraction, 0);
        continue;
      }
      ASSERT_GE(compare_to(c.body, from, to, hit.fraction, radius), 0) << "late";
      if (hit.certain) {
        ASSERT_LE(compare_to(c.body, from, to, hit.fraction, radius + (regime == Regime::far ? 2e-7 : 1.1e-9)), 0);
      }
      // Arcs go by the same steps.
      const double angle = cases.random().uniform(-7, 7);
      const Hit arc = sweep(own, Path::arc(to, from, angle), radius);
      const Real noise = 1e-16L * 30;
      if (!arc.found()) {
        ASSERT_GT(arc_gap(c, to, from, angle, radius), -noise);
      } else if (arc.fraction > 0) {
        ASSERT_GE(arc_gap(c, to, from, Real{arc.fraction} * Real{angle}, radius), -noise);
      }
    }
    EXPECT_GT(hits, 0);
    EXPECT_LE(uncertain, hits / 10);
  }
}

struct Overridden {
  static NearestPoint nearest(const Vec2&) { return {.distance = 100}; }
  static bool collide(const Vec2&, double) { return true; }
  static Hit sweep(const Path&, double) { return {.fraction = 0.25}; }
  static Aabb2 bounds() { return {{0, 0}, {1, 1}}; }
};

TEST(Planar, ObstaclesOfOnesOwnMayAnswerThemselves) {
  const Obstacle own = Custom(Overridden());
  EXPECT_TRUE(collide(own, {0, 0}, 0));
  EXPECT_EQ(sweep(own, Path::line({0, 0}, {1, 0}), 0).fraction, 0.25);
  EXPECT_EQ(bounds(own).max, Vec2(1, 1));
  struct Silent {
    static NearestPoint nearest(const Vec2&) { return {.distance = kNan}; }
  };
  EXPECT_TRUE(collide(Custom(Silent()), {0, 0}, 0));
  EXPECT_EQ(sweep(Custom(Silent()), Path::line({0, 0}, {1, 0}), 0).fraction, 0);
}

}  // namespace planar_test
}  // namespace graze_test
