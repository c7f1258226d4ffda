// Height fields against everything, judged by brute force over their columns: long double and rationals that share no
// code with the library.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "oracle/exact_overlap.h"
#include "oracle/height_field.h"
#include "oracle/min_norm.h"
#include "query/placed_of.h"
#include "support/allocations.h"
#include "support/scale.h"

namespace graze_test {
namespace height_field_test {

using namespace graze;
using graze_oracle::Body;
using graze_oracle::FieldSpec;
using graze_oracle::Kind;
using graze_oracle::Random;
using graze_oracle::Real;
using graze_oracle::Spec;

constexpr double kFloor = -300;

enum class Terrain { rough, flat, lattice, steep, strip, far, decimal };
constexpr Terrain kTerrains[] = {Terrain::rough, Terrain::flat, Terrain::lattice, Terrain::steep,
                                 Terrain::strip, Terrain::far,  Terrain::decimal};

FieldSpec random_field(Terrain terrain, Random& random, bool turned = true) {
  FieldSpec f;
  f.columns = terrain == Terrain::strip ? 2 : static_cast<std::size_t>(random.integer(2, 7));
  f.rows = static_cast<std::size_t>(random.integer(2, 7));
  if (terrain == Terrain::decimal) f.dx = 0.1, f.dy = 0.3;
  if (terrain == Terrain::lattice) f.dx = 0.5, f.dy = 1;
  if (terrain == Terrain::rough) f.dx = random.uniform(0.2, 2), f.dy = random.uniform(0.2, 2);
  const double flat = random.uniform(-2, 2);
  for (std::size_t k = 0; k < f.columns * f.rows; ++k) {
    f.heights.push_back(terrain == Terrain::flat      ? flat
                        : terrain == Terrain::lattice ? random.integer(-8, 8) / 8.0
                        : terrain == Terrain::steep   ? random.uniform(-10, 10)
                                                      : random.uniform(-1, 1));
  }
  if (turned && terrain != Terrain::lattice && random.chance(0.7)) f.wxyz = random.rotation();
  if (terrain == Terrain::far) f.xyz = {1e6, -2e6, 5e5};
  else if (terrain != Terrain::lattice) f.xyz = {random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)};
  return f;
}

HeightField field_of(const FieldSpec& f) {
  return HeightField({.columns = f.columns, .rows = f.rows, .dx = f.dx, .dy = f.dy}, std::span(f.heights));
}
Pose pose_of_field(const FieldSpec& f) {
  Spec s;
  s.wxyz = f.wxyz, s.xyz = f.xyz;
  return pose_of(s);
}
Placed placed_of_field(const FieldSpec& f) { return at(field_of(f), pose_of_field(f)); }

// A body near the surface, often touching or deep.
Spec body_near(const FieldSpec& f, Kind kind, Random& random) {
  Spec s = graze_oracle::random_spec(kind, random.chance(0.2) ? 3 : 0.5, random);
  const double width = f.dx * static_cast<double>(f.columns - 1), depth = f.dy * static_cast<double>(f.rows - 1);
  const Vec3 local(random.uniform(-0.5, 1.5) * width, random.uniform(-0.5, 1.5) * depth,
                   random.chance(0.2) ? random.uniform(-20, 5) : random.uniform(-1.5, 3));
  const Vec3 p = pose_of_field(f) * local;
  s.xyz = {p.x(), p.y(), p.z()};
  return s;
}

struct Brute {
  Real lower = graze_oracle::kRealInfinity, upper = graze_oracle::kRealInfinity;
};
std::vector<Body> bodies_of(const std::vector<Spec>& specs, const graze_oracle::Triple& origin) {
  std::vector<Body> bodies;
  for (const Spec& s : specs) bodies.push_back(body_of(s, origin));
  return bodies;
}
// Of the distance where it is positive; 0 for overlaps.
Brute brute_gap(const Body& a, const std::vector<Body>& columns) {
  Brute best;
  for (const Body& c : columns) {
    const auto near = nearest_pair(a, c);
    best.lower = std::min(best.lower, std::max<Real>(0, near.lower)), best.upper = std::min(best.upper, near.upper);
  }
  return best;
}
Body moved(Body body, const Vec3& by) {
  const graze_oracle::Vec t = real(by);
  body.position = body.position + t;
  for (auto& p : body.points) p = p + t;
  return body;
}

class HeightFieldAndShape : public testing::TestWithParam<Kind> {};

TEST_P(HeightFieldAndShape, AgreesWithBruteForce) {
  const Kind kind = GetParam();
  int hits = 0, misses = 0;
  for (const Terrain terrain : kTerrains) {
    Random random(100 * static_cast<std::uint64_t>(kind) + static_cast<std::uint64_t>(terrain));
    for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
      const FieldSpec f = random_field(terrain, random);
      const Spec s = body_near(f, kind, random);
      const Placed body = placed_of(s), field = placed_of_field(f);
      const Body exact = body_of(s, f.xyz);
      const std::vector<Body> columns = bodies_of(columns_of(f, kFloor), f.xyz);
      const Brute gap = brute_gap(exact, columns);
      const Distance d = distance(body, field);
      SCOPED_TRACE(testing::Message() << "terrain " << static_cast<int>(terrain) << " round " << i << " value "
                                      << d.value << " tolerance " << d.tolerance << " exact "
                                      << static_cast<double>(gap.lower) << " … " << static_cast<double>(gap.upper));
      const double near = 1e-8;  // what the oracle leaves open
      if (static_cast<double>(gap.lower) > near) {
        ++misses;
        EXPECT_FALSE(collide(body, field));
        EXPECT_GT(d.value, 0);
        EXPECT_LE(d.value - d.tolerance, static_cast<double>(gap.upper) + 1e-12);
        EXPECT_GE(d.value + d.tolerance, static_cast<double>(gap.lower) - 1e-12);
        EXPECT_NEAR((d.on_a - d.on_b).norm(), d.value, d.tolerance + 1e-9);
        EXPECT_TRUE(collide(body, field, {.margin = d.value + 2 * d.tolerance + 1e-9}));
        EXPECT_FALSE(collide(body, field, {.margin = d.value - 2 * d.tolerance - 1e-7}));
        EXPECT_TRUE(contacts(body, field).empty());
      } else if (static_cast<double>(gap.upper) < 1e-12) {
        ++hits;
        EXPECT_TRUE(collide(body, field));
        EXPECT_LE(d.value, d.tolerance);
        // The translation separates.
        if (std::isfinite(d.value) && d.value < 0) {
          const double more = 1e-9 + 1e-12 * -d.value + (terrain == Terrain::far ? 1e-7 : 0);
          const Brute after = brute_gap(moved(exact, d.normal * (d.value - more)), columns);
          EXPECT_GT(static_cast<double>(after.upper), 0) << "the translation does not separate";
          // And no translation that is shorter than the tolerance allows does.
          const double shorter = (-d.value - d.tolerance) * (1 - 1e-9) - 1e-9;
          for (int k = 0; shorter > 0 && k < 6; ++k) {
            const Vec3 by = k == 0 ? Vec3(-d.normal) : vec3(random.direction());
            const Brute then = brute_gap(moved(exact, by * shorter), columns);
            EXPECT_LT(static_cast<double>(then.lower), 1e-8) << "a shorter translation separates: " << shorter;
          }
        }
        const Contacts found = contacts(body, field);
        ASSERT_FALSE(found.empty());
        EXPECT_NEAR(found[0].depth, -d.value, 1e-6 * (1 - d.value) + d.tolerance * 1e-3);
      }
      const Distance back = distance(field, body);
      EXPECT_EQ(back.value, d.value);
      EXPECT_EQ(back.on_a, d.on_b);
      EXPECT_EQ(back.b, d.a);
      EXPECT_EQ(collide(field, body), collide(body, field));
    }
  }
  EXPECT_GT(hits, scaled(60));
  EXPECT_GT(misses, scaled(60));
}

INSTANTIATE_TEST_SUITE_P(All, HeightFieldAndShape,
                         testing::Values(Kind::sphere, Kind::capsule, Kind::box, Kind::triangle, Kind::cylinder,
                                         Kind::cone, Kind::ellipsoid, Kind::convex),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST(HeightFieldExact, TouchingIsNeverMissed) {
  // Lattice numbers, so that exact contact is common; rationals decide.
  int touching = 0, hits = 0;
  for (const Kind kind : {Kind::sphere, Kind::box, Kind::triangle, Kind::convex, Kind::capsule}) {
    Random random(7 + static_cast<std::uint64_t>(kind));
    for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
      const FieldSpec f = random_field(random.chance(0.5) ? Terrain::lattice : Terrain::decimal, random, false);
      Spec s = graze_oracle::lattice_spec(kind, random);
      s.xyz = {f.xyz[0] + random.integer(-2, 8) / 4.0, f.xyz[1] + random.integer(-2, 8) / 4.0,
               f.xyz[2] + random.integer(-8, 16) / 8.0};
      int side = 1;
      for (const Spec& column : columns_of(f, kFloor)) side = std::min(side, *compare_with_margin(s, column, 0));
      if (side > 0) continue;
      ++hits;
      touching += side == 0 ? 1 : 0;
      EXPECT_TRUE(collide(placed_of(s), placed_of_field(f))) << describe(s);
      EXPECT_FALSE(contacts(placed_of(s), placed_of_field(f)).empty());
    }
  }
  EXPECT_GT(touching, 0);
  EXPECT_GT(hits, scaled(50));
}

// Heights over the plane, in long double, from the definition.
std::optional<Real> oracle_height(const FieldSpec& f, Real x, Real y) {
  const Real u = x / f.dx, v = y / f.dy;
  if (!(u >= 0 && v >= 0 && u <= f.columns - 1 && v <= f.rows - 1)) return std::nullopt;
  const auto i = std::min(static_cast<std::size_t>(u), f.columns - 2),
             j = std::min(static_cast<std::size_t>(v), f.rows - 2);
  const Real a = u - static_cast<Real>(i), b = v - static_cast<Real>(j);
  const Real z0 = f.height(i, j), z1 = f.height(i + 1, j + 1), side = a >= b ? f.height(i + 1, j) : f.height(i, j + 1);
  const Real more = std::max(a, b), less = std::min(a, b);
  return z0 + more * (side - z0) + less * (z1 - side);
}

TEST(HeightFieldPoints, AreInsideOrOutsideAndAsFarAsBruteForceSays) {
  int inside = 0, outside = 0;
  for (const Terrain terrain : kTerrains) {
    Random random(300 + static_cast<std::uint64_t>(terrain));
    for (int i = 0, n = scaled(150); i < n && !HasFailure(); ++i) {
      const FieldSpec f = random_field(terrain, random);
      const HeightField field = field_of(f);
      const double width = field.surface_bounds().max.x(), depth = field.surface_bounds().max.y();
      const Vec3 p(random.uniform(-0.3, 1.3) * width, random.uniform(-0.3, 1.3) * depth, random.uniform(-4, 3));
      const auto height = oracle_height(f, p.x(), p.y());
      EXPECT_EQ(height.has_value(), field.height_at(p.x(), p.y()).has_value());
      if (height) {
        EXPECT_NEAR(*field.height_at(p.x(), p.y()), static_cast<double>(*height), 1e-12 * 40);
      }
      const bool in = height && p.z() <= *height;
      if (height && std::abs(static_cast<double>(p.z() - *height)) < 1e-9) continue;
      (in ? inside : outside)++;
      // In the field's own frame.
      EXPECT_EQ(contains(at(field), p), in);
      Real nearest = graze_oracle::kRealInfinity;
      FieldSpec local = f;
      local.wxyz = {1, 0, 0, 0}, local.xyz = {0, 0, 0};
      Spec point;
      point.size = {0, 0, 0}, point.xyz = {p.x(), p.y(), p.z()};
      const Body body = body_of(point);
      for (const Spec& part : in ? triangles_of(local) : columns_of(local, kFloor))
        nearest = std::min(nearest, nearest_pair(body, body_of(part)).upper);
      if (in) nearest = std::min({nearest, Real(p.x()), Real(p.y()), Real(width) - p.x(), Real(depth) - p.y()});
      const ClosestPoint c = closest_point(at(field), p);
      EXPECT_NEAR(c.distance, static_cast<double>(in ? -nearest : nearest), 1e-9 + c.tolerance) << "inside " << in;
      EXPECT_LE(c.tolerance, 1e-9);
      const ClosestPoint placed = closest_point(placed_of_field(f), pose_of_field(f) * p);
      EXPECT_NEAR(placed.distance, c.distance, terrain == Terrain::far ? 1e-7 : 1e-9);
    }
  }
  EXPECT_GT(inside, scaled(100));
  EXPECT_GT(outside, scaled(100));
}

TEST(HeightFieldRays, HitWhereTheSolidBegins) {
  int hits = 0, misses = 0;
  for (const Terrain terrain : kTerrains) {
    Random random(400 + static_cast<std::uint64_t>(terrain));
    for (int i = 0, n = scaled(200); i < n && !HasFailure(); ++i) {
      const FieldSpec f = random_field(terrain, random);
      const Placed field = placed_of_field(f);
      const Pose pose = pose_of_field(f);
      const double width = f.dx * static_cast<double>(f.columns - 1), depth = f.dy * static_cast<double>(f.rows - 1);
      const Vec3 from(random.uniform(-1, 2) * width, random.uniform(-1, 2) * depth, random.uniform(-6, 6));
      Vec3 way = random.chance(0.2) ? Vec3(0, 0, random.chance(0.5) ? 1 : -1) : vec3(random.direction());
      if (random.chance(0.1)) way = Vec3(1, 0, 0);
      const double length = 30;
      const RayHit hit = raycast(field, Ray(pose * from, pose.rotation() * way, length));
      const auto inside = [&](double t) {
        const Vec3 p = from + t * way;
        const auto h = oracle_height(f, p.x(), p.y());
        return h && p.z() <= *h;
      };
      const double off = terrain == Terrain::far ? 1e-6 : 1e-7;
      const double end = hit.found() ? hit.distance - off : length;
      hit.found() ? ++hits : ++misses;
      // Not before: samples that are inside by more than rounding.
      for (int k = 0; k < 400; ++k) {
        const double t = end * k / 400;
        if (t > end - off) break;
        const Vec3 p = from + t * way;
        const bool deep = inside(t) && p.x() > off && p.y() > off && p.x() < width - off && p.y() < depth - off &&
                          oracle_height(f, p.x(), p.y()).value() - p.z() > off;
        EXPECT_FALSE(deep) << "inside at " << t << " before the hit at " << hit.distance;
        if (deep) break;
      }
      // And there: on the surface.
      if (hit.found()) {
        const ClosestPoint c = closest_point(field, hit.point);
        if (hit.distance > 0) {
          EXPECT_NEAR(c.distance, 0, 1e-6);
        } else {
          EXPECT_LE(c.distance, 1e-6);
        }
        EXPECT_TRUE(meets(field, Ray(pose * from, pose.rotation() * way, length)));
        EXPECT_LE(hit.normal.dot(pose.rotation() * way), 1e-12);
        EXPECT_LT(hit.feature, field_of(f).triangles());
      } else {
        EXPECT_FALSE(meets(field, Ray(pose * from, pose.rotation() * way, length)));
      }
    }
  }
  EXPECT_GT(hits, scaled(100));
  EXPECT_GT(misses, scaled(100));
}

TEST(HeightFieldAndParts, MeshesAndCloudsAgreeWithBruteForce) {
  int hits = 0;
  for (const Terrain terrain : kTerrains) {
    Random random(500 + static_cast<std::uint64_t>(terrain));
    for (int i = 0, n = scaled(25); i < n && !HasFailure(); ++i) {
      const FieldSpec f = random_field(terrain, random);
      const Placed field = placed_of_field(f);
      // A tetrahedron about a spot near the field: as a shell, a solid, a hull and a cloud.
      const Spec s = body_near(f, Kind::sphere, random);
      std::vector<Vec3> points;
      for (int k = 0; k < 4; ++k) points.push_back(vec3(random.direction()) * random.uniform(0.2, 2));
      std::vector<MeshTriangle> faces = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
      if ((points[1] - points[0]).cross(points[2] - points[0]).dot(points[3] - points[0]) > 0)
        for (auto& t : faces) std::swap(t[1], t[2]);
      const Pose pose = Pose::at(vec3(s.xyz));
      const Placed shell = at(Mesh(points, faces), pose), solid = at(Mesh(points, faces, {.solid = true}), pose);
      const Placed hull = at(Convex::hull_of(points), pose);
      const Placed cloud = at(Cloud(std::span<const Vec3>(points), {.radius = 0.1}), pose);
      const bool hit = collide(hull, field);
      hits += hit ? 1 : 0;
      const double slack = terrain == Terrain::far ? 1e-6 : 1e-9;
      const Distance dh = distance(hull, field);
      if (std::abs(dh.value) > slack) {
        EXPECT_EQ(collide(shell, field), hit);
        EXPECT_EQ(collide(solid, field), hit);
      }
      for (const Placed& mesh : {shell, solid}) {
        const Distance d = distance(mesh, field);
        if (dh.value > 0) {
          EXPECT_NEAR(d.value, dh.value, d.tolerance + dh.tolerance + 1e-12);
        } else {
          EXPECT_LE(d.value, d.tolerance);
        }
        EXPECT_EQ(contacts(mesh, field).empty(), !collide(mesh, field));
        EXPECT_EQ(distance(field, mesh).value, d.value);
      }
      double nearest = kInfinity;
      for (const Vec3& p : points)
        nearest = std::min(nearest, distance(at(Sphere{.radius = 0.1}, Pose::at(pose * p)), field).value);
      const Distance dc = distance(cloud, field);
      if (nearest > 0) {
        EXPECT_NEAR(dc.value, nearest, dc.tolerance + slack);
      } else {
        EXPECT_LE(dc.value, dc.tolerance);
      }
      if (std::abs(nearest) > slack) {
        EXPECT_EQ(collide(cloud, field), nearest <= 0);
      }
    }
  }
  EXPECT_GT(hits, 0);
}

TEST(HeightFieldAndPlanes, FollowTheCorners) {
  Random random(600);
  int apart = 0, deep = 0, endless = 0;
  for (int i = 0, n = scaled(300); i < n && !HasFailure(); ++i) {
    const FieldSpec f = random_field(i % 2 == 0 ? Terrain::rough : Terrain::lattice, random);
    const Placed field = placed_of_field(f);
    const Pose pose = pose_of_field(f);
    const Vec3 normal =
        random.chance(0.3) ? Vec3(pose.rotation() * Vec3(0, 0, random.chance(0.5) ? 1 : -1)) : vec3(random.direction());
    const double offset = normal.dot(pose * Vec3(0.5, 0.5, 0)) + random.uniform(-3, 3);
    const Vec3 local = pose.rotation().transpose() * normal;
    double lowest = kInfinity, highest = -kInfinity;
    for (std::size_t j = 0; j < f.rows; ++j) {
      for (std::size_t k = 0; k < f.columns; ++k) {
        const Vec3 p = pose * Vec3(static_cast<double>(k) * f.dx, static_cast<double>(j) * f.dy, f.height(k, j));
        lowest = std::min(lowest, normal.dot(p)), highest = std::max(highest, normal.dot(p));
      }
    }
    const Distance h = distance(at(HalfSpace(normal, offset)), field), p = distance(at(Plane(normal, offset)), field);
    if (std::abs(local.z()) < 1e-3) continue;
    if (local.z() > 0) {
      EXPECT_EQ(h.value, -kInfinity);
      EXPECT_TRUE(collide(at(HalfSpace(normal, offset)), field));
      ++endless;
    } else {
      EXPECT_NEAR(h.value, lowest - offset, h.tolerance + 1e-9);
      EXPECT_EQ(collide(at(HalfSpace(normal, offset)), field), h.value <= h.tolerance);
    }
    // Above the plane along the normal that leads up.
    const double over = local.z() > 0 ? offset - highest : lowest - offset;
    EXPECT_NEAR(p.value, over, p.tolerance + 1e-9) << "lean " << local.z();
    EXPECT_EQ(collide(at(Plane(normal, offset)), field), p.value <= p.tolerance);
    (over > 0 ? apart : deep)++;
  }
  EXPECT_GT(apart, 0);
  EXPECT_GT(deep, 0);
  EXPECT_GT(endless, 0);
}

TEST(HeightFieldAndField, AgreesWithBruteForceOverColumns) {
  Random random(700);
  int hits = 0, misses = 0;
  for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
    FieldSpec f = random_field(Terrain::rough, random), g = random_field(Terrain::rough, random);
    f.wxyz = {1, 0, 0, 0}, f.xyz = {0, 0, 0};
    // Upside down, on its side, or side by side.
    const int how = random.integer(0, 2);
    if (how == 0) g.wxyz = {0, 1, 0, 0}, g.xyz = {random.uniform(-3, 3), random.uniform(0, 6), random.uniform(-1, 4)};
    if (how == 1) g.wxyz = {1, 0, 1, 0}, g.xyz = {random.uniform(-3, 9), random.uniform(-6, 6), random.uniform(-1, 9)};
    if (how == 2)
      g.wxyz = {1, 0, 0, 0}, g.xyz = {random.uniform(-16, 16), random.uniform(-16, 16), random.uniform(-1, 1)};
    const std::vector<Body> first = bodies_of(columns_of(f, kFloor), {0, 0, 0}),
                            second = bodies_of(columns_of(g, kFloor), {0, 0, 0});
    Brute gap;
    for (const Body& column : first) {
      const Brute one = brute_gap(column, second);
      gap.lower = std::min(gap.lower, one.lower), gap.upper = std::min(gap.upper, one.upper);
    }
    const Placed a = placed_of_field(f), b = placed_of_field(g);
    const Distance d = distance(a, b);
    SCOPED_TRACE(testing::Message() << "round " << i << " how " << how << " value " << d.value << " exact "
                                    << static_cast<double>(gap.lower));
    if (static_cast<double>(gap.lower) > 1e-7) {
      ++misses;
      EXPECT_FALSE(collide(a, b));
      EXPECT_NEAR(d.value, static_cast<double>(gap.upper), d.tolerance + 1e-7);
    } else if (static_cast<double>(gap.upper) < 1e-12) {
      ++hits;
      EXPECT_TRUE(collide(a, b));
      EXPECT_LE(d.value, d.tolerance);
      EXPECT_FALSE(contacts(a, b).empty());
      if (std::isfinite(d.value)) {
        Brute after;
        for (const Body& column : first) {
          const Brute one = brute_gap(moved(column, d.normal * (d.value - 1e-8)), second);
          after.upper = std::min(after.upper, one.upper);
        }
        EXPECT_GT(static_cast<double>(after.upper), 0) << "the translation does not separate";
      }
    }
    EXPECT_EQ(distance(b, a).value, d.value);
  }
  EXPECT_GT(hits, 0);
  EXPECT_GT(misses, 0);
}

TEST(HeightFieldSweeps, AreNeverLate) {
  Random random(800);
  int hits = 0;
  for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
    const FieldSpec f = random_field(i % 3 == 0 ? Terrain::flat : Terrain::rough, random);
    const Placed field = placed_of_field(f);
    const Spec from = body_near(f, Kind::box, random), to = body_near(f, Kind::box, random);
    const Box box{.half = {0.2, 0.3, 0.1}};
    const Motion motion{pose_of(from), pose_of(to)};
    const Sweep s = sweep(at(box, motion), field);
    const double end = s.hit ? s.time : 1;
    for (int k = 0; k < 50; ++k) {
      const double t = end * k / 50;
      if (t < end) {
        EXPECT_FALSE(penetration(at(box, motion.at(t)), field).depth > 1e-6) << t << " before " << end;
      }
    }
    if (s.hit && s.certain && s.time > 0) {
      ++hits;
      EXPECT_LE(distance(at(box, motion.at(s.time)), field).value, 1e-5);
    }
    const SphereHit ball = sweep_sphere(field, SphereMove(vec3(from.xyz), vec3(to.xyz), 0.25));
    const Sweep same =
        sweep(at(Sphere{.radius = 0.25}, Motion{Pose::at(vec3(from.xyz)), Pose::at(vec3(to.xyz))}), field);
    EXPECT_EQ(ball.found(), same.hit);
    if (ball.found() && same.hit && same.certain && ball.certain) {
      EXPECT_NEAR(ball.fraction, same.time, 1e-4);
    }
  }
  EXPECT_GT(hits, 0);
}

TEST(HeightFieldDepth, NothingLeavesDownwards) {
  const std::vector<double> heights(49, 0.0);
  const HeightField ground({.columns = 7, .rows = 7, .dx = 2, .dy = 2}, std::span(heights));
  // Deep below the middle, the walls are nearer than the surface; the cut beneath the body is no way out.
  for (const double z : {-30.0, -3000.0}) {
    const Distance d = distance(at(Box{.half = {0.5, 0.5, 0.5}}, Pose::at({6, 5, z})), at(ground));
    EXPECT_NEAR(d.value, -5.5, 1e-6);
    EXPECT_NEAR(d.normal.z(), 0, 1e-9);
    EXPECT_NEAR(distance(at(Sphere{.radius = 0.5}, Pose::at({6, 5, z})), at(ground)).value, -5.5, 1e-6);
  }
  EXPECT_NEAR(distance(at(Box{.half = {0.5, 0.5, 0.5}}, Pose::at({6, 5, -2})), at(ground)).value, -2.5, 1e-9);
  // Turned, its depth is not that of any ball inside, and the search goes on.
  const Pose turned = Pose::from_rpy({6, 6, -30}, 0, 0, 0.7853981633974483);
  EXPECT_NEAR(distance(at(Box{.half = {0.5, 0.5, 0.5}}, turned), at(ground)).value, -6 - std::sqrt(0.5), 1e-6);
}

TEST(HeightFieldScales, FromTinyToHuge) {
  // The same scene, larger and smaller by powers of two: collisions stay, distances grow in proportion.
  Random random(950);
  int hits = 0;
  for (int i = 0, n = std::max(40, scaled(80)); i < n && !HasFailure(); ++i) {
    FieldSpec f = random_field(i % 2 == 0 ? Terrain::rough : Terrain::steep, random);
    Spec s = body_near(f, i % 3 == 0 ? Kind::box : Kind::sphere, random);
    const Distance d = distance(placed_of(s), placed_of_field(f));
    hits += d.value < 0 ? 1 : 0;
    for (const double scale : {std::exp2(-20), std::exp2(20)}) {
      FieldSpec g = f;
      Spec t = s;
      g.dx *= scale, g.dy *= scale;
      for (double& z : g.heights) z *= scale;
      for (std::size_t k = 0; k < 3; ++k) g.xyz[k] *= scale, t.xyz[k] *= scale, t.size[k] *= scale;
      const Distance e = distance(placed_of(t), placed_of_field(g));
      EXPECT_NEAR(e.value / scale, d.value, d.tolerance + e.tolerance / scale + 1e-9);
      if (std::abs(d.value) > 1e-9) {
        EXPECT_EQ(collide(placed_of(t), placed_of_field(g)), collide(placed_of(s), placed_of_field(f)));
      }
    }
  }
  EXPECT_GT(hits, 0);
}

TEST(HeightFieldSweeps, TheFieldMayMoveItself) {
  const std::vector<double> heights(9, 0.0);
  const HeightField ground({.columns = 3, .rows = 3}, std::span(heights));
  const Placed ball = at(Sphere{.radius = 0.5}, Pose::at({1, 1, 3}));
  const Sweep s = sweep(at(ground, Motion{Pose(), Pose::at({0, 0, 5})}), ball);
  EXPECT_TRUE(s.hit && s.certain);
  EXPECT_NEAR(s.time, 0.5, 1e-6);
  // Sidewards, against its wall, far below the surface; past it, nothing.
  const Sweep wall = sweep(at(ground, Motion{Pose::at({9, 0, 100}), Pose::at({-11, 0, 100})}), ball);
  EXPECT_TRUE(wall.hit && wall.certain);
  EXPECT_NEAR(wall.time, (9 - 1.5) / 20, 1e-6);
  EXPECT_FALSE(sweep(at(ground, Motion{Pose::at({9, 5, 100}), Pose::at({-11, 5, 100})}), ball).hit);
  // A ball that flies over the edge and dives under the level of the surface meets the wall, not the cut below.
  const Sweep dive = sweep(at(Sphere{.radius = 0.1}, Motion{Pose::at({6, 1, 4}), Pose::at({0, 1, -200})}), at(ground));
  EXPECT_TRUE(dive.hit && dive.certain);
  EXPECT_NEAR(dive.time, (6 - 2.1) / 6, 1e-5);
  EXPECT_NEAR(sweep_sphere(at(ground), SphereMove({6, 1, 4}, {0, 1, -200}, 0.1)).fraction, (6 - 2.1) / 6, 1e-6);
}

TEST(HeightFieldInScene, MeetsTheObjectsAround) {
  const std::vector<double> heights(25, 1.0);
  const HeightField ground({.columns = 5, .rows = 5, .dx = 1, .dy = 1}, std::span(heights));
  SceneEditor editor;
  editor.add("ground", at(ground));
  editor.add("above", at(Sphere{.radius = 0.5}, Pose::at({2, 2, 1.75})));
  const Scene scene = editor.scene();
  EXPECT_TRUE(collide(scene, at(Box{.half = {0.1, 0.1, 0.1}}, Pose::at({1, 1, -7}))));
  EXPECT_FALSE(collide(scene, at(Box{.half = {0.1, 0.1, 0.1}}, Pose::at({-3, 1, -7}))));
  EXPECT_TRUE(collide(at(ground), at(Sphere{.radius = 0.5}, Pose::at({2, 2, -500}))));
  EXPECT_FALSE(collide(at(ground), at(Sphere{.radius = 0.5}, Pose::at({-0.75, 2, -500}))));
}

TEST(HeightFieldQueries, DoNotAllocate) {
  Random random(900);
  const FieldSpec f = random_field(Terrain::rough, random);
  const Placed field = placed_of_field(f), body = placed_of(body_near(f, Kind::box, random));
  const Placed deep = at(Box{.half = {0.3, 0.3, 0.3}}, Pose::at(pose_of_field(f) * Vec3(0.3, 0.3, -3)));
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Contact buffer[8];
  bool any = false;
  for (const Placed* b : {&body, &deep}) {
    const long count = allocations_of([&] {
      any = collide(*b, field) || any;
      any = distance(*b, field).value < 0 || any;
      any = !contacts(*b, field, buffer).empty() || any;
      any = raycast(field, Ray({0, 0, 9}, {0, 0, -1})).found() || any;
      any = contains(field, {0, 0, 0}) || any;
    });
    EXPECT_EQ(count, 0);
  }
  EXPECT_TRUE(any);
}

}  // namespace height_field_test
}  // namespace graze_test
