// Sweeps of meshes and clouds beside pairs of their parts, and where numbers are extreme.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "graze/base/simd.h"
#include "graze/motion/spline.h"
#include "graze/query/collide.h"
#include "graze/query/sweep.h"
#include "graze/query/sweep_sphere.h"
#include "support/generator.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace sweep_meshes_test {

using graze::AnyMotion;
using graze::at;
using graze::Box;
using graze::Geometry;
using graze::Mesh;
using graze::Motion;
using graze::Moving;
using graze::Placed;
using graze::Pose;
using graze::Sphere;
using graze::Sweep;
using graze::Vec3;

constexpr double kTolerance = 1e-6;

Pose random_pose(Generator& random, double far) {
  const Vec3 p = random.in_cube(far);
  return Pose::from_wxyz(p, random.uniform(0.1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                         random.uniform(-1, 1));
}

Mesh bumpy(Generator& random, int detail, double size) {
  Soup soup = closed(detail, random.uniform(0, 1) < 0.5);
  const Vec3 scale(random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1));
  for (Vec3& v : soup.vertices) v = (size * random.uniform(0.9, 1.1) * v.cwiseProduct(scale)).eval();
  return {soup.vertices, soup.triangles};
}

AnyMotion random_motion(Generator& random, double far) {
  const Pose from = random_pose(random, far), to = random_pose(random, far);
  switch (random.integer(0, 5)) {
    case 0:
      return Motion(from, from.moved_to(to.translation()));
    case 1:
      return Motion(from, to, random.integer(1, 3));
    case 2:
      return graze::Screw(from, random.in_cube(2), random.direction(), random.uniform(-4, 4), random.uniform(-1, 1));
    case 3:
      return graze::Spline(std::vector<Pose>{from, random_pose(random, far), to});
    case 4:
      return graze::PosePath(std::vector<Pose>{from, random_pose(random, far), to});
    default:
      return Motion(from, to);
  }
}

Placed at_time(const Moving& m, double t) { return at(m.geometry, m.motion.at(t), m.local); }

double apart(const Moving& a, const Moving& b, double t) {
  const graze::Distance d = distance(at_time(a, t), at_time(b, t), {.depth = false});
  return d.value + d.tolerance;
}

// Of overlaps: 0, or minus a depth.
double gap(const Moving& a, const Moving& b, double t) {
  return distance(at_time(a, t), at_time(b, t), {.depth = false}).value;
}

// The earliest of all pairs of triangles, each a sweep of two shapes.
TEST(SweepMeshes, IsTheEarliestOfAllPairsOfTriangles) {
  Generator random(21);
  int hits = 0;
  for (int i = 0, n = scaled(120); i < n; ++i) {
    const Mesh first = bumpy(random, 1, 0.8), second = bumpy(random, 1, 0.8);
    const Moving a{first, random_motion(random, 1.5), {}}, b{second, random_motion(random, 1.5), {}};
    const double margin = random.uniform(0, 1) < 0.3 ? random.uniform(0, 0.2) : 0;
    const Sweep s = sweep(a, b, {.margin = margin});
    ASSERT_TRUE(s.certain) << i;
    Sweep earliest;
    const auto triangle = [](const Mesh& mesh, std::size_t k) {
      const auto& t = mesh.triangles()[k];
      return graze::Triangle{mesh.vertices()[t[0]], mesh.vertices()[t[1]], mesh.vertices()[t[2]]};
    };
    for (std::size_t j = 0; j < first.size(); ++j) {
      for (std::size_t k = 0; k < second.size(); ++k) {
        const Sweep pair = sweep(Moving{triangle(first, j), a.motion, {}}, Moving{triangle(second, k), b.motion, {}},
                                 {.margin = margin});
        if (pair.hit && (!earliest.hit || pair.time < earliest.time)) earliest = pair;
      }
    }
    // What only comes within the tolerance may be called either.
    if (earliest.hit && gap(a, b, earliest.time) <= margin + kTolerance / 8) {
      ASSERT_TRUE(s.hit) << i;
    }
    if (s.hit && gap(a, b, s.time) <= margin + kTolerance / 8) {
      ASSERT_TRUE(earliest.hit) << i;
    }
    if (!s.hit || !earliest.hit) continue;
    ++hits;
    // Both are within the tolerance of the margin, and free before.
    EXPECT_LE(gap(a, b, s.time), margin + kTolerance * 1.01) << i;
    // However little it is later than another answer, nothing touches in between.
    constexpr int kBetween = 8;
    for (int k = 1; k < kBetween && s.time > earliest.time + 1e-9; ++k) {
      const double t = earliest.time + (s.time - earliest.time) * k / kBetween;
      EXPECT_GT(gap(a, b, t), margin > 0 ? margin - 1e-9 : 0) << i << " at " << t;
    }
    const double speed = a.motion.reach(2) + b.motion.reach(2);
    if (std::abs(s.time - earliest.time) * speed > 1e-3) {
      EXPECT_LE(std::min(gap(a, b, s.time), gap(a, b, earliest.time)), margin + kTolerance) << i;
      EXPECT_LE(s.time, earliest.time + 1e-9) << i;
    }
  }
  EXPECT_GT(hits, scaled(20));
}

// Samples, the order of the arguments, the question of yes or no, and what the touch says of itself.
TEST(SweepMeshes, AgreesWithSamplesInBothOrders) {
  Generator random(22);
  int hits = 0, free = 0;
  for (int i = 0, n = scaled(300); i < n && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const auto body = [&]() -> Geometry {
      switch (random.integer(0, 3)) {
        case 0:
          return bumpy(random, 3, 0.7);
        case 1: {
          std::vector<Vec3> points;
          for (int k = 0; k < 200; ++k) points.push_back(0.7 * random.direction());
          return graze::Cloud(points, {.radius = random.uniform(0, 0.02)});
        }
        case 2:
          return Box{{random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), 0.3}};
        default:
          return bumpy(random, 2, 0.9);
      }
    };
    Moving a{body(), random_motion(random, 1.6), {}}, b{body(), random_motion(random, 1.6), {}};
    if (random.uniform(0, 1) < 0.3) a.local = random_pose(random, 0.5);
    const Sweep s = sweep(a, b), t = sweep(b, a);
    EXPECT_TRUE(s.hit == t.hit && s.time == t.time && s.certain == t.certain) << s.time << " " << t.time;
    EXPECT_TRUE(s.certain);
    s.hit ? ++hits : ++free;
    constexpr int kSamples = 200;
    for (int k = 0; k <= kSamples; ++k) {
      const double time = static_cast<double>(k) / kSamples;
      if (!s.hit || time < s.time) {
        EXPECT_GT(apart(a, b, time), 0) << "free until " << s.time << ", but not at " << time;
      }
    }
    const graze::SampledSweep sampled = sweep_by_samples(a, b, kSamples);
    if (sampled.hit) {
      EXPECT_TRUE(s.hit && s.time <= sampled.time);
    }
    const bool yes = sweep_hits(a, b);
    if (yes != s.hit) {
      EXPECT_LE(gap(a, b, s.hit ? s.time : 1), kTolerance);  // either may be said of what only comes near
    }
    if (!s.hit) continue;
    EXPECT_LE(gap(a, b, s.time), kTolerance * 1.01);
    EXPECT_LE(s.contact.value - s.contact.tolerance, distance(at_time(a, s.time), at_time(b, s.time)).value + 1e-9);
    if (s.last_free >= 0) {
      EXPECT_FALSE(collide(at_time(a, s.last_free), at_time(b, s.last_free)));
    }
  }
  EXPECT_GT(hits, scaled(50));
  EXPECT_GT(free, scaled(30));
}

// A step back in time meets the same bodies, and parts of a path meet what all of it does.
TEST(SweepMeshes, BackwardsAndInPartsIsThatOfTheWhole) {
  Generator random(23);
  for (int i = 0, n = scaled(200); i < n; ++i) {
    const Mesh body = bumpy(random, 2, 0.7);
    const Placed other = at(bumpy(random, 3, 0.7), random_pose(random, 0.5));
    const Motion whole(random_pose(random, 2), random_pose(random, 2));
    const Sweep all = sweep(at(body, whole), other);
    const auto deep = [&](const Moving& m, const Sweep& s) {
      return s.hit && distance(at_time(m, s.time), other, {.depth = false}).value < kTolerance / 8;
    };
    const bool hits = deep(at(body, whole), all);
    EXPECT_TRUE(!hits || sweep(at(body, Motion(whole.to(), whole.from())), other).hit) << i;
    const double part = random.uniform(0.1, 0.9);
    const Motion first(whole.from(), whole.at(part)), second(whole.at(part), whole.to());
    const Sweep one = sweep(at(body, first), other), two = sweep(at(body, second), other);
    EXPECT_TRUE(!hits || one.hit || two.hit) << i;
    EXPECT_TRUE(all.hit || (!deep(at(body, first), one) && !deep(at(body, second), two))) << i;
    if (hits && deep(at(body, first), one)) {
      EXPECT_NEAR(all.time, one.time * part, 1e-4) << i;
    }
  }
}

// A plate of 1e-7 m as a mesh, and a wall of 1e-9 m a kilometre along the path, from either side, turned anyhow.
TEST(SweepMeshes, DoNotTunnelThroughPlatesHoweverThin) {
  Generator random(24);
  const Soup ball = closed(2, false);
  const Mesh bullet(ball.vertices, ball.triangles);
  for (const double thin : {1e-7, 1e-9}) {
    Soup soup = closed(1, false);
    for (Vec3& v : soup.vertices) {
      v = Vec3(v.x() > 0 ? thin / 2 : -thin / 2, v.y() > 0 ? 40 : -40, v.z() > 0 ? 40 : -40);
    }
    const Mesh plate(soup.vertices, soup.triangles);
    for (int i = 0, n = scaled(60); i < n; ++i) {
      const Pose frame = random_pose(random, 10);
      const Motion fast(frame * random_pose(random, 1).moved_to({-500, 0, 0}),
                        frame * random_pose(random, 1).moved_to({500, random.uniform(-20, 20), 0}));
      for (const Geometry& body : {Geometry(bullet), Geometry(Sphere{0.01}), Geometry(Box{{0.1, 0.2, 0.3}}),
                                   Geometry(graze::Cloud(ball.vertices))}) {
        const Sweep s = sweep(at(body, fast), at(plate, frame));
        ASSERT_TRUE(s.hit && s.certain) << i << " " << name_of(body);
        EXPECT_GT(s.time, 0.49);
        EXPECT_LT(s.time, 0.5);
        EXPECT_FALSE(sweep_by_samples(at(Sphere{0.01}, fast), still(at(plate, frame)), 101).hit);
      }
    }
  }
}

// Past each other by little more than the tolerance, and by little less than nothing.
TEST(SweepMeshes, GrazeByAMicrometre) {
  const Soup cube = closed(1, false);
  graze::Aabb box;
  for (const Vec3& v : cube.vertices) box.extend(v);
  const Mesh mesh(cube.vertices, cube.triangles);
  const double high = box.max.z() - box.min.z();
  for (const double off : {1.5e-6, 1e-5, 1e-3}) {
    const Motion above(Pose::at({-9, 0, high + off}), Pose::at({9, 0, high + off}));
    EXPECT_FALSE(sweep(at(mesh, above), at(mesh)).hit) << off;
    EXPECT_FALSE(sweep_hits(at(mesh, above), at(mesh))) << off;
    const Motion below(Pose::at({-9, 0, high - off}), Pose::at({9, 0, high - off}));
    const Sweep s = sweep(at(mesh, below), at(mesh));
    ASSERT_TRUE(s.hit && s.certain) << off;
    EXPECT_NEAR(s.time, (9 - (box.max.x() - box.min.x())) / 18, 1e-6);
  }
  // Tangentially, turning on the spot a micrometre and a half above.
  const Motion spin = Motion::turning(Pose::at({0, 0, high + 1.5e-6}), Vec3::Zero(), Vec3::UnitZ(), 7);
  EXPECT_FALSE(sweep(at(mesh, spin), at(mesh)).hit);
}

TEST(SweepMeshes, AnswersWhatStandsStillTurnsRoundOrStartsInContact) {
  const Soup soup = closed(2, false);
  const Mesh shell(soup.vertices, soup.triangles), solid(soup.vertices, soup.triangles, {.solid = true});
  const Motion none(Pose::at({5, 0, 0}), Pose::at({5, 0, 0}));
  EXPECT_FALSE(sweep(at(shell, none), at(shell)).hit);
  const Sweep touching = sweep(at(shell, Motion(Pose::at({0.5, 0, 0}), Pose::at({5, 0, 0}))), at(shell));
  EXPECT_TRUE(touching.hit && touching.time == 0 && touching.certain && touching.last_free < 0);
  // Inside a solid is contact, inside a shell is not.
  const Motion inside(Pose(), Pose::at({0.01, 0, 0}));
  EXPECT_TRUE(sweep(at(Sphere{0.05}, inside), at(solid)).hit);
  EXPECT_FALSE(sweep(at(Sphere{0.05}, inside), at(shell)).hit);
  // An arm of 3 m turns round once and meets what stands opposite, half way.
  const Mesh arm(std::vector<Vec3>{{0, 0, 0}, {3, 0, 0}, {3, 0, 0.01}}, std::vector<graze::MeshTriangle>{{0, 1, 2}});
  const Motion round = Motion::turning(Pose(), Vec3::Zero(), Vec3::UnitZ(), 2 * std::numbers::pi);
  const Sweep met = sweep(at(arm, round), at(Box{{0.01, 1e-7, 0.1}}, Pose::at({-2.9, 0, 0})));
  ASSERT_TRUE(met.hit && met.certain);
  EXPECT_NEAR(met.time, 0.5, 1e-5);
  EXPECT_LE(met.time, 0.5);
  // The same a million metres out.
  const Pose far = Pose::at({1e6, -1e6, 1e6});
  const Motion there = Motion::turning(far, Vec3::Zero(), Vec3::UnitZ(), 2 * std::numbers::pi);
  const Sweep out = sweep(at(arm, there), at(Box{{0.01, 1e-7, 0.1}}, far * Pose::at({-2.9, 0, 0})));
  ASSERT_TRUE(out.hit);
  EXPECT_NEAR(out.time, 0.5, 1e-5);
  EXPECT_LE(out.time, 0.5);
  EXPECT_FALSE(sweep(at(arm, there), at(Box{{0.01, 1e-7, 0.1}}, far * Pose::at({-3.1, 0, 0}))).hit);
}

// Single triangles, down to slivers, from a tenth of a millimetre to ten kilometres, and far out.
TEST(SweepMeshes, OfTrianglesAreNeverLaterThanSamplesAtAnyScale) {
  Generator random(27);
  int hits = 0, free = 0;
  for (int i = 0, n = scaled(200); i < n; ++i) {
    const double size = random.magnitude(-4, 4);
    const Pose frame = random_pose(random, 1).moved_to(random.integer(0, 2) * 1e4 * size * random.in_cube(1));
    const auto triangle = [&] {
      const Vec3 p = size * random.in_cube(1), q = size * random.in_cube(1);
      Vec3 r = size * random.in_cube(1);
      if (random.integer(0, 3) == 0) r = (p + random.uniform(0, 1) * (q - p) + 1e-6 * r).eval();
      return Mesh(std::vector<Vec3>{p, q, r}, std::vector<graze::MeshTriangle>{{0, 1, 2}});
    };
    const auto motion = [&] {
      const auto pose = [&] { return frame * random_pose(random, 1).moved_to(size * random.in_cube(1)); };
      const Pose from = pose();
      return random.integer(0, 1) == 0 ? Motion(from, pose()) : Motion(from, from.moved_to(pose().translation()));
    };
    const Moving a = at(triangle(), motion()), b = at(triangle(), motion());
    const Sweep s = sweep(a, b, {.tolerance = 1e-6 * size});
    (s.hit ? hits : free) += 1;
    constexpr int kSamples = 300;
    for (int k = 0; k <= kSamples; ++k) {
      const double t = static_cast<double>(k) / kSamples;
      if (s.hit && t >= s.time) break;
      EXPECT_FALSE(collide(at_time(a, t), at_time(b, t), {.margin = -1e-9 * size})) << i << " at " << t;
    }
    const double most = s.hit && s.certain ? 2e-6 * size : graze::kInfinity;
    EXPECT_LE(s.contact.value, most) << i;
    EXPECT_EQ(sweep(b, a, {.tolerance = 1e-6 * size}).time, s.time) << i;
  }
  EXPECT_GT(hits, scaled(40));
  EXPECT_GT(free, scaled(40));
}

TEST(SweepMeshes, OfManyMotionsIsThatOfEach) {
  Generator random(25);
  const Mesh body = bumpy(random, 2, 0.6);
  const Placed other = at(bumpy(random, 3, 0.6));
  std::vector<Motion> motions;
  for (int i = 0; i < 100; ++i) motions.emplace_back(random_pose(random, 2), random_pose(random, 2));
  for (const int threads : {1, 3}) {
    std::vector<Sweep> sweeps(motions.size());
    const std::unique_ptr<bool[]> hits(new bool[motions.size()]);
    sweep_each(body, motions, other, sweeps, {.threads = threads});
    sweep_hits_each(body, motions, other, std::span(hits.get(), motions.size()), {.threads = threads});
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const Sweep one = sweep(at(body, motions[i]), other);
      EXPECT_TRUE(one.hit == sweeps[i].hit && one.time == sweeps[i].time) << i;
      EXPECT_EQ(hits[i], sweep_hits(at(body, motions[i]), other)) << i;
    }
  }
}

// The first root of all quadratics.
TEST(SweepSphere, ThroughACloudTouchesTheFirstOfAllPoints) {
  Generator random(26);
  int hits = 0;
  for (int i = 0, n = scaled(300); i < n; ++i) {
    const double far = random.uniform(0, 1) < 0.2 ? 1000 : 0, size = random.magnitude(-2, 2);
    const Vec3 middle(far, -far, 0);
    std::vector<float> floats;
    // Leaves, nodes and levels of the tree that are full, and with one point more; a volume, a sheet, a lattice with
    // points twice, clusters.
    const int full[] = {1, 16, 17, 128, 129, 1024, 1025, 2048, 2049, 8193};
    const int count = i % 4 == 0 ? full[i / 4 % 10] : random.integer(1, 600), kind = i % 5;
    Vec3 cluster = Vec3::Zero();
    for (int k = 0; k < count; ++k) {
      Vec3 q = random.in_cube(1);
      if (kind == 1) q.z() = 0;
      if (kind == 2) q = (8 * q).array().round() / 8;
      if (kind == 3) q = (k % 40 == 0 ? cluster = q : cluster) + 1e-3 * random.in_cube(1);
      const Vec3 p = size * q + middle;
      for (int axis = 0; axis < 3; ++axis) floats.push_back(static_cast<float>(p[axis]));
    }
    const double radius = size * random.uniform(0, 0.05);
    const graze::Cloud cloud(std::span<const float>(floats), {.radius = radius});
    for (int k = 0; k < 10; ++k) {
      const Vec3 from = 2 * size * random.in_cube(1) + middle;
      Vec3 to = 2 * size * random.in_cube(1) + middle;
      if (random.integer(0, 3) == 0) to.y() = from.y(), to.z() = from.z();
      if (random.integer(0, 9) == 0) to = from;
      // Often much larger than what lies between the points, and sometimes a point that goes through others.
      const double wide = k == 9 ? 0 : std::pow(10.0, random.uniform(-2, k < 4 ? 0 : -0.7));
      const graze::SphereMove move(from, to, size * wide);
      const double reach = move.radius() + radius, fuzzy = 1e-9 * (size + far);
      double first = graze::kInfinity, sure = graze::kInfinity;  // of a sphere that is a little larger, and smaller
      for (std::size_t j = 0; j < floats.size(); j += 3) {
        const Vec3 off = from - Vec3(floats[j], floats[j + 1], floats[j + 2]), way = to - from;
        for (const double by : {fuzzy, -fuzzy}) {
          if (reach + by < 0) continue;
          const double a = way.squaredNorm(), b = off.dot(way), c = off.squaredNorm() - (reach + by) * (reach + by);
          const double square = b * b - a * c;
          double at = graze::kInfinity;
          if (c <= 0) at = 0;
          else if (b < 0 && square >= 0) at = c / (-b + std::sqrt(square));
          if (at <= 1) (by > 0 ? first : sure) = std::min(by > 0 ? first : sure, at);
        }
      }
      const graze::SphereHit hit = sweep_sphere(at(cloud), move);
      for (const auto target : graze::simd_targets()) {
        const graze::ForcedSimdTarget forced(target);
        const graze::SphereHit other = sweep_sphere(at(cloud), move);
        EXPECT_TRUE(other.fraction == hit.fraction && other.feature == hit.feature && other.normal == hit.normal)
            << i << " " << k << " " << target;
      }
      hits += hit.found() ? 1 : 0;
      EXPECT_LE(hit.fraction, sure) << i << " " << k;
      EXPECT_GE(hit.fraction, first * (1 - 1e-12)) << i << " " << k;
    }
  }
  EXPECT_GT(hits, scaled(500));
}

// A corner a thousand kilometres out sweeps along at a speed at which the few triangles are measured for ever: the
// steps of the whole sweep run out, and the answer says so.
TEST(SweepMeshes, StepsOfAllPairsTogetherRunOut) {
  const std::vector<Vec3> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<graze::MeshTriangle> triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::vector<Vec3> far = vertices;
  for (Vec3& v : far) v *= 0.4;
  far[1] = Vec3(0.4, 1e9, 0);
  const Pose from = Pose::from_wxyz({-3.2, 2.1, -2.9}, 0.89, 1.39, 0.46, -0.07),
             to = Pose::from_wxyz({-2.1, 1.1, -3.7}, 0.69, -0.68, -0.91, 1.03);
  const Placed still_body = at(Mesh(vertices, triangles), Pose::at({0, 0.5, -2.5}));
  for (const int steps : {1, 10, 100}) {
    const Sweep s = sweep(at(Mesh(far, triangles), Motion(from, to)), still_body, {.max_steps = steps});
    EXPECT_TRUE(s.hit);
    EXPECT_FALSE(s.certain);
    EXPECT_LE(s.time, 0.00363) << "a contact is there";
    EXPECT_TRUE(graze::is_finite(s.contact.on_a) && graze::is_finite(s.contact.on_b));
    EXPECT_TRUE(sweep_hits(at(Mesh(far, triangles), Motion(from, to)), still_body, {.max_steps = steps}));
  }
}

}  // namespace sweep_meshes_test
}  // namespace graze_test
