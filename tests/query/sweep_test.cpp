// Sweeps beside dense samples, closed forms and each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "graze/base/error.h"
#include "graze/query/collide.h"
#include "graze/query/sweep.h"
#include "support/generator.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace sweep_test {

using graze::AnyMotion;
using graze::at;
using graze::Box;
using graze::Geometry;
using graze::Motion;
using graze::Moving;
using graze::Placed;
using graze::Pose;
using graze::PosePath;
using graze::Screw;
using graze::Sphere;
using graze::Sweep;
using graze::Vec3;

constexpr double kTolerance = 1e-6;

bool chance(Generator& random, double probability) { return random.uniform(0, 1) < probability; }

Pose random_pose(Generator& random, double far) {
  const Vec3 p = random.in_cube(far);
  return Pose::from_wxyz(p, random.uniform(0.1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                         random.uniform(-1, 1));
}

Geometry random_geometry(Generator& random) {
  const auto size = [&] { return random.uniform(0.05, 0.6); };
  switch (random.integer(0, 12)) {
    case 0:
      return Sphere{size()};
    case 1:
      return graze::Capsule{size(), size()};
    case 2:
      return Box{{size(), size(), size()}};
    case 3:
      return graze::Triangle{random.in_cube(0.6), random.in_cube(0.6), random.in_cube(0.6)};
    case 4:
      return graze::Cylinder{size(), size()};
    case 5:
      return graze::Cone{size(), size()};
    case 6:
      return graze::Ellipsoid{{size(), size(), size()}};
    case 7: {
      std::vector<Vec3> points;
      for (int i = 0; i < 8; ++i) points.push_back(random.in_cube(0.6));
      return graze::Convex::hull_of(points);
    }
    case 8:
      return graze::HalfSpace(random.direction(), random.uniform(-2, -1));
    case 9:
      return graze::Plane(random.direction(), random.uniform(-2, 2));
    case 10: {
      Soup soup = closed(2, chance(random, 0.5));
      for (Vec3& v : soup.vertices) v *= size();
      return graze::Mesh(soup.vertices, soup.triangles, {.solid = chance(random, 0.5)});
    }
    case 11: {
      std::vector<Vec3> points;
      for (int i = random.integer(0, 40); i > 0; --i) points.push_back(random.in_cube(0.6));
      return graze::Cloud(points, {.radius = random.uniform(0, 0.1)});
    }
    default:  // far from its own origin: fast where it turns
      return graze::Triangle{random.in_cube(3), random.in_cube(3), random.in_cube(3)};
  }
}

/// A robot's link would be one: all that it tells is how far points get.
struct Opaque {
  Motion motion;
  Pose at(double t) const { return motion.at(t); }
  double reach(double radius, double begin, double end) const { return motion.reach(radius, begin, end); }
};

AnyMotion random_motion(Generator& random) {
  const Pose from = random_pose(random, 2), to = random_pose(random, 2);
  switch (random.integer(0, 6)) {
    case 0:
      return from;
    case 1:
      return Motion(from, to, random.integer(-2, 2));
    case 2:
      return Motion(from, from.moved_to(to.translation()));
    case 3:
      return Screw(from, random.in_cube(1), random.direction(), random.uniform(-8, 8), random.uniform(-2, 2));
    case 4: {
      std::vector<Pose> poses;
      for (int i = random.integer(1, 4); i > 0; --i) poses.push_back(random_pose(random, 2));
      return PosePath(poses);
    }
    case 5:
      return Opaque{Motion(from, to)};
    default:
      return Motion(from, to);
  }
}

Moving random_body(Generator& random) {
  const Pose local = chance(random, 0.3) ? random_pose(random, 0.5) : Pose();
  return {random_geometry(random), random_motion(random), local};
}

Placed at_time(const Moving& body, double t) { return at(body.geometry, body.motion.at(t), body.local); }

// What a hit says of its time, and what samples know better.
void expect_honest(const Moving& a, const Moving& b, const Sweep& s, double margin, int samples,
                   double tolerance = kTolerance) {
  for (int i = 0; i <= samples; ++i) {
    const double t = static_cast<double>(i) / samples;
    const graze::Distance d = distance(at_time(a, t), at_time(b, t), {.depth = false});
    if (d.value + d.tolerance <= margin) {
      EXPECT_TRUE(s.hit) << "contact at " << t;
      EXPECT_LE(s.time, t);
    }
    if (!s.hit || t < s.time) {
      EXPECT_GT(d.value + d.tolerance, margin) << "free until " << s.time << ", but not at " << t;
    }
  }
  if (!s.hit) {
    EXPECT_EQ(s.time, 1);
    return;
  }
  EXPECT_GE(s.time, 0);
  EXPECT_LE(s.time, 1);
  EXPECT_LE(s.last_free, s.time);
  if (!s.certain) return;
  const graze::Distance d = distance(at_time(a, s.time), at_time(b, s.time), {.depth = false});
  EXPECT_LE(d.value - d.tolerance, margin + tolerance) << "at " << s.time;
  if (s.last_free >= 0) {
    const Placed free_a = at_time(a, s.last_free), free_b = at_time(b, s.last_free);
    EXPECT_FALSE(collide(free_a, free_b, {.margin = margin}));
  }
}

TEST(Sweep, IsNeverLaterThanSamplesAndNeverPassesAContact) {
  Generator random(1);
  int hits = 0, free = 0, uncertain = 0;
  for (int i = 0, n = scaled(3000); i < n && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Moving a = random_body(random), b = random_body(random);
    const double margin = chance(random, 0.2) ? random.uniform(0, 0.3) : 0;
    const Sweep s = sweep(a, b, {.margin = margin, .max_steps = 2000});
    expect_honest(a, b, s, margin, 100);
    s.hit ? ++hits : ++free;
    uncertain += s.certain ? 0 : 1;
    const Sweep t = sweep(b, a, {.margin = margin, .max_steps = 2000});
    EXPECT_TRUE(s.hit == t.hit && s.time == t.time && s.certain == t.certain) << s.time << " " << t.time;
  }
  EXPECT_GT(std::min(hits, free), scaled(3000) / 20);
  EXPECT_LE(uncertain, scaled(3000) / 20);
}

// |a + t v|² = r² has two roots; the first one is known to the last digits.
TEST(Sweep, OfSpheresIsTheRootOfAQuadratic) {
  Generator random(2);
  for (int i = 0, n = scaled(2000); i < n; ++i) {
    const Vec3 from_a = random.in_cube(2), to_a = random.in_cube(2), from_b = random.in_cube(2),
               to_b = random.in_cube(2);
    const double ra = random.uniform(0, 0.5), rb = random.uniform(0, 0.5), margin = random.uniform(0, 0.2);
    const Vec3 d = from_b - from_a, v = (to_b - from_b) - (to_a - from_a);
    const double r = ra + rb + margin, qa = v.squaredNorm(), qb = d.dot(v), qc = d.squaredNorm() - r * r;
    const double disc = qb * qb - qa * qc;
    const Sweep s = sweep(at(Sphere{ra}, Motion(Pose::at(from_a), Pose::at(to_a))),
                          at(Sphere{rb}, Motion(Pose::at(from_b), Pose::at(to_b))), {.margin = margin});
    if (qc <= 0) {
      EXPECT_TRUE(s.hit && s.time == 0 && s.last_free < 0);
      continue;
    }
    const double root = disc > 0 ? (-qb - std::sqrt(disc)) / qa : 2;
    const bool hits = disc > 0 && root >= 0 && root <= 1;
    if (hits) {
      ASSERT_TRUE(s.hit);
      EXPECT_TRUE(s.certain);
      EXPECT_LE(s.time, root * (1 + 1e-12) + 1e-15);
      EXPECT_NEAR((d + s.time * v).norm() - r, 0, kTolerance);
    } else if (s.hit) {
      // Within the tolerance of a hit.
      EXPECT_LE((d + s.time * v).norm() - r, kTolerance);
    }
  }
}

TEST(Sweep, DoesNotTunnelThroughPlatesHoweverThinAndFar) {
  const auto shot = [](const Geometry& body, const Geometry& plate, double length, const Vec3& origin) {
    const Vec3 half(length / 2, 0, 0);
    return sweep(at(body, Motion(Pose::at(origin - half), Pose::at(origin + half))),
                 still(at(plate, Pose::at(origin))));
  };
  const Geometry wall = Box{{5e-10, 10, 10}}, sheet = Box{{0, 10, 10}};
  for (const Geometry& plate : {wall, sheet}) {
    for (const Geometry& body : {Geometry(Sphere{0.01}), Geometry(Sphere{0}), Geometry(Box{{1e-7, 1e-7, 1e-7}})}) {
      const Sweep s = shot(body, plate, 1000, Vec3::Zero());
      ASSERT_TRUE(s.hit && s.certain);
      EXPECT_NEAR(s.time, 0.5, 2e-5);
      EXPECT_LE(s.time, 0.5);
      EXPECT_TRUE(shot(body, plate, 1000, {1e6, -1e6, 1e6}).hit);
    }
  }
  // And one that turns: a needle about its end, through a plate, in three whole turns.
  const Geometry needle = graze::Capsule{1e-6, 0.5};
  const Moving turning =
      at(needle, Motion::turning(Pose::at({0, 0, 0}), Vec3::Zero(), Vec3::UnitX(), 6 * std::numbers::pi),
         Pose::at({0, 0, 0.5}));
  const Sweep s = sweep(turning, still(at(Box{{0.1, 1e-9, 0.1}}, Pose::at({0, 0, -0.9}))));
  ASSERT_TRUE(s.hit);
  EXPECT_NEAR(s.time, 1.0 / 6, 1e-5);
}

// The less there is between a point and a long body, the more rounding turns the line between them: the plane across it
// must be one that the body does not reach over.
TEST(Sweep, PastLongBodiesThatItAllButTouchesBelievesNoDirection) {
  Generator random(5);
  const Pose along_x = Pose::from_rpy(Vec3::Zero(), 0, std::numbers::pi / 2, 0);
  const std::vector<Vec3> corners{{-1000, 0, 0}, {1000, 0, 0}, {0, 0, -500}};
  const std::pair<Geometry, Pose> bodies[] = {
      {graze::Triangle{corners[0], corners[1], corners[2]}, Pose()},
      {graze::Mesh(corners, std::vector<graze::MeshTriangle>{{0, 1, 2}}), Pose()},
      {Box{{1000, 0, 0.5}}, Pose::at({0, 0, -0.5})},
      {graze::Capsule{0, 1000}, along_x},
      {graze::Capsule{0.5, 1000}, Pose::at({0, 0, -0.5}) * along_x},
      {graze::Cylinder{0.5, 1000}, Pose::at({0, 0, -0.5}) * along_x},
      {graze::Convex::hull_of(std::vector<Vec3>{{-1000, 0, 0}, {1000, 0, 0}, {0, 300, -500}, {0, -100, -500}}),
       Pose()}};
  // A point, and a segment across: both touch what is along x when they come down to it.
  const Geometry falling[] = {Sphere{0}, Sphere{1e-9}, graze::Capsule{0, 50}};
  for (int i = 0, n = scaled(4000); i < n && !testing::Test::HasFailure(); ++i) {
    const auto& [body, local] = bodies[random.integer(0, 6)];
    const Geometry& other = falling[random.integer(0, 2)];
    const Pose place = random_pose(random, 100);
    const double gap = random.magnitude(-9, -3), down = 2 * gap + random.magnitude(-9, -3);
    const double radius = std::holds_alternative<Sphere>(other) ? double{std::get<Sphere>(other).radius} : 0.0;
    const Vec3 from(random.uniform(-900, 900), 0, gap + radius), way(random.uniform(-10, 10), 0, -down);
    const Pose across = Pose::from_rpy(from, std::numbers::pi / 2, 0, 0);
    const Moving moving = at(other, Motion(place * across, place * across.moved_to(from + way)));
    const Sweep s = sweep(moving, still(at(body, place, local)), {.tolerance = 1e-10});
    ASSERT_TRUE(s.hit) << i << ": " << name_of(body) << ", " << name_of(other) << ", gap " << gap << ", down " << down
                       << ", along " << way.x();
    EXPECT_LE(s.time, (gap + 1e-10) / down) << i << ": " << name_of(body) << ", " << name_of(other);
  }
}

TEST(Sweep, EndsAtOnceWhatMovesAwayOrAlong) {
  // A micrometre and a half above the ground for a kilometre: one plane proves it.
  const Sweep along = sweep(at(Box{{1, 1, 1}}, Motion(Pose::at({0, 0, 1 + 1.5e-6}), Pose::at({1000, 0, 1 + 1.5e-6}))),
                            still(at(Box{{2000, 10, 1}}, Pose::at({0, 0, -1}))), {.max_steps = 2});
  EXPECT_FALSE(along.hit);
  const Sweep away = sweep(at(Sphere{1}, Motion(Pose::at({0, 0, 1.001}), Pose::at({0, 0, 9}))),
                           still(at(graze::HalfSpace(Vec3::UnitZ(), 0))), {.max_steps = 2});
  EXPECT_FALSE(away.hit);
  // Side by side, both as fast.
  const Motion fast(Pose::at({0, 0, 0}), Pose::at({1e4, 0, 0})),
      beside(Pose::at({0, 2.01, 0}), Pose::at({1e4, 2.01, 0}));
  EXPECT_FALSE(sweep(at(Sphere{1}, fast), at(Sphere{1}, beside), {.max_steps = 2}).hit);
}

TEST(Sweep, InPartsIsThatOfTheWhole) {
  Generator random(3);
  for (int i = 0, n = scaled(500); i < n; ++i) {
    const Motion whole(random_pose(random, 2), random_pose(random, 2));
    const Geometry body = random_geometry(random);
    const Placed other = at(random_geometry(random), random_pose(random, 1));
    const double part = random.uniform(0.2, 0.8);
    const Pose middle = whole.at(part);
    const Sweep all = sweep(at(body, whole), other), first = sweep(at(body, Motion(whole.from(), middle)), other),
                second = sweep(at(body, Motion(middle, whole.to())), other);
    // What only comes within the tolerance may be called either.
    if (!all.certain || !first.certain || !second.certain) continue;
    const auto touches = [&](const Moving& m, const Sweep& s) {
      return s.hit && distance(at_time(m, s.time), other).value < kTolerance / 8;
    };
    const bool hits = touches(at(body, whole), all);
    EXPECT_TRUE(!hits || first.hit || second.hit) << i;
    if (touches(at(body, Motion(whole.from(), middle)), first) ||
        touches(at(body, Motion(middle, whole.to())), second)) {
      EXPECT_TRUE(all.hit) << i;
    }
    // Backwards it hits if forwards.
    const Sweep back = sweep(at(body, Motion(whole.to(), whole.from())), other);
    EXPECT_TRUE(!hits || back.hit) << i;
  }
}

TEST(Sweep, AnswersWhatHasNoMotionNoPartsOrNoEnd) {
  const Moving here = still(at(Sphere{1}));
  EXPECT_FALSE(sweep(here, at(Sphere{1}, Pose::at({3, 0, 0}))).hit);
  const Sweep touching = sweep(here, at(Sphere{1}, Pose::at({2, 0, 0})));
  EXPECT_TRUE(touching.hit && touching.time == 0 && touching.certain && touching.last_free < 0);
  const Sweep nothing = sweep(at(graze::Mesh(), Motion({}, Pose::at({1, 0, 0}))), at(Sphere{1}));
  EXPECT_FALSE(nothing.hit);
  EXPECT_EQ(nothing.last_free, 1);
  // A floor that tilts about an axis ten metres away from the box that stands on it.
  const Motion tilt = Motion::turning(Pose::at({-10, 0, 0}), Vec3::Zero(), Vec3::UnitY(), -0.01);
  const Sweep tilted = sweep(at(graze::HalfSpace(Vec3::UnitZ(), 0), tilt), at(Sphere{0.5}, Pose::at({0, 0, 0.55})));
  ASSERT_TRUE(tilted.hit && tilted.certain);
  EXPECT_NEAR(tilted.time, 0.5, 0.02);
  // Two planes that do not turn meet when one reaches the other.
  const graze::HalfSpace ground(Vec3::UnitZ(), 0), ceiling(-Vec3::UnitZ(), -1);
  EXPECT_FALSE(sweep(still(at(ground)), at(ceiling)).hit);
  const Sweep lowered = sweep(at(ceiling, Motion({}, Pose::at({0, 0, -2}))), at(ground));
  ASSERT_TRUE(lowered.hit && lowered.certain);
  EXPECT_NEAR(lowered.time, 0.5, 1e-6);
  // Two planes that turn meet somewhere.
  EXPECT_TRUE(sweep(at(graze::Plane(Vec3::UnitZ(), 0), tilt), at(graze::Plane(Vec3::UnitZ(), 1))).hit);
}

// Part by part there are planes between meshes and clouds, too.
TEST(Sweep, OfManyPartsLooksAheadAlongPlanes) {
  const Soup soup = closed(2, false);
  const graze::Mesh mesh(soup.vertices, soup.triangles);
  const graze::Aabb box = graze::bounds(Geometry(mesh));
  const Geometry cloud = graze::Cloud(soup.vertices);
  for (const Geometry& body : {Geometry(mesh), cloud}) {
    const Placed above = at(Box{{50, 5, 1}}, Pose::at({0, 0, box.max.z() + 1.0001}));
    const Moving spinning = at(body, Motion::turning(Pose(), Vec3::Zero(), Vec3::UnitZ(), 100));
    EXPECT_FALSE(sweep(spinning, above, {.max_steps = 20}).hit);
    const Moving sliding = at(body, Motion(Pose(), Pose::at({40, 0, 0})));
    EXPECT_FALSE(sweep(sliding, above, {.max_steps = 20}).hit);
    const Placed other = at(mesh, Pose::at({30, 0, 0}));
    const Sweep s = sweep(sliding, other, {.max_steps = 200});
    EXPECT_TRUE(s.hit && s.certain);
    EXPECT_NEAR(s.time, (30 - (box.max.x() - box.min.x())) / 40, 0.01);
  }
}

// Stretches of time are chosen by the size of the smaller body, which a point does not have.
TEST(Sweep, OfPointsIsAsCertainAsThatOfSmallBalls) {
  Generator random(17);
  const Soup soup = closed(1, false);
  const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, equal(3, Vec3::Zero());
  const std::vector<graze::MeshTriangle> triangle = {{0, 1, 2}};
  const graze::Mesh one(corners, triangle), many(soup.vertices, soup.triangles), dot(equal, triangle);
  const Geometry points[] = {Sphere{0}, Box{{0, 0, 0}}, graze::Cloud(std::vector<Vec3>{{0, 0, 0}})};
  int hits = 0;
  for (int i = 0, n = scaled(300); i < n && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Geometry body = chance(random, 0.5) ? one : many;
    const Moving a = at(body, Motion(random_pose(random, 2), random_pose(random, 2)));
    const Motion motion(random_pose(random, 2), random_pose(random, 2));
    const Moving point = at(points[static_cast<std::size_t>(i) % 3], motion);
    const Sweep s = sweep(a, point, {.max_steps = 2000});
    EXPECT_TRUE(s.certain);
    expect_honest(a, point, s, 0, 30);
    EXPECT_TRUE(!s.hit || sweep(a, at(Sphere{1e-9}, motion)).hit);
    hits += s.hit ? 1 : 0;
  }
  EXPECT_GT(hits, scaled(300) / 50);
  // Two points: the other one is a mesh.
  const Motion turn(Pose::at({2, 0, 0}), Pose::from_wxyz({-2, 1e-3, 0}, 1, 0, 0, 1));
  for (const double tolerance : {1e-6, 1e-12}) {
    const Sweep s = sweep(at(dot, turn), at(points[0], turn.at(0).moved_to({0, 0, 0})), {.tolerance = tolerance});
    EXPECT_FALSE(s.hit) << tolerance;
  }
}

TEST(Sweep, SaysSoWhereTheStepsDoNotSuffice) {
  const Sweep s = sweep(at(Sphere{1}, Motion(Pose::at({-9, 0, 0}), Pose::at({9, 1, 0}))), at(Sphere{1}),
                        {.tolerance = 1e-12, .max_steps = 1});
  EXPECT_TRUE(s.hit);
  EXPECT_FALSE(s.certain);
  EXPECT_GT(s.time, 0.3);
  EXPECT_EQ(s.last_free, 0);
}

TEST(Sweep, RefusesWhatIsNoQuestion) {
  const Moving here = still(at(Sphere{1}));
  EXPECT_NE(refusal([&] { sweep(here, here, {.margin = -1}); }), "");
  EXPECT_NE(refusal([&] { sweep(here, here, {.margin = std::nan("")}); }), "");
  EXPECT_NE(refusal([&] { sweep(here, here, {.tolerance = 0}); }), "");
  EXPECT_NE(refusal([&] { sweep(here, here, {.max_steps = 0}); }), "");
  std::vector<Motion> motions(3, Motion({}, {}));
  std::vector<Sweep> room(2);
  EXPECT_NE(refusal([&] { sweep_each(Sphere{1}, motions, at(Sphere{1}), room); }), "");
}

TEST(Sweep, OfManyMotionsIsThatOfEach) {
  Generator random(4);
  std::vector<Motion> motions;
  for (int i = 0; i < 200; ++i) motions.emplace_back(random_pose(random, 2), random_pose(random, 2));
  const Geometry body = graze::Capsule{0.1, 0.3};
  const Placed other = at(Box{{0.5, 0.4, 0.3}});
  for (const int threads : {1, 2}) {
    std::vector<Sweep> sweeps(motions.size());
    sweep_each(body, motions, other, sweeps, {.margin = 0.01, .threads = threads});
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const Sweep one = sweep(at(body, motions[i]), other, {.margin = 0.01});
      EXPECT_TRUE(one.hit == sweeps[i].hit && one.time == sweeps[i].time) << i;
    }
  }
}

}  // namespace sweep_test
}  // namespace graze_test
