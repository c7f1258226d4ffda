// Rays against bodies, compared with loops without trees and closed forms.
#include "graze/query/raycast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/query/collide.h"
#include "oracle/cases.h"
#include "query/placed_of.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace raycast_test {

using namespace graze;
using graze_oracle::kKinds;
using graze_oracle::Random;

Vec3 random_vec(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// The signed distance of a point along the ray is a convex function for convex bodies.
double value_at(const Placed& body, const Ray& ray, double t) {
  return distance(at(Sphere{.radius = 0}, Pose::at(ray.at(t))), body).value;
}

struct Entry {
  double lowest;  // over the ray
  double t;       // where it falls to 0, if it does
};
Entry entry_by_search(const Placed& body, const Ray& ray) {
  double a = 0, b = ray.length();
  for (int i = 0; i < 200; ++i) {
    const double x = a + 0.382 * (b - a), y = a + 0.618 * (b - a);
    (value_at(body, ray, x) <= value_at(body, ray, y) ? b : a) =
        value_at(body, ray, x) <= value_at(body, ray, y) ? y : x;
  }
  const double bottom = (a + b) / 2, lowest = value_at(body, ray, bottom);
  double outside = 0, inside = bottom;
  for (int i = 0; i < 100; ++i) {
    const double middle = (outside + inside) / 2;
    (value_at(body, ray, middle) <= 0 ? inside : outside) = middle;
  }
  return {lowest, inside};
}

TEST(Raycast, FindsTheEntryIntoConvexShapes) {
  Random random(31);
  int hits = 0, misses = 0;
  for (int i = 0, n = scaled(3000); i < n && !HasFailure(); ++i) {
    const auto kind = kKinds[static_cast<std::size_t>(i) % kKinds.size()];
    const Geometry shape = geometry_of(shape_of(random_spec(kind, 0.5, random)));
    if (std::holds_alternative<HalfSpace>(shape) || std::holds_alternative<Plane>(shape) ||
        std::holds_alternative<Triangle>(shape))
      continue;
    const double far = i % 4 == 0 ? 1000 : 0;
    const Placed body = at(shape, random_pose_near(random, Vec3::Constant(far), 1));
    const Vec3 from = Vec3::Constant(far) + random_vec(random, 3);
    const Vec3 toward = body.pose.translation() + random_vec(random, 0.6) - from;
    const Ray ray(from, toward, random.uniform(1, 8));
    const RayHit hit = raycast(body, ray);
    ASSERT_EQ(hit.found(), meets(body, ray));
    const double start = value_at(body, ray, 0);
    if (start < -1e-9) {
      EXPECT_EQ(hit.distance, 0);
      EXPECT_LE((hit.normal + ray.direction()).norm(), 1e-14);
      continue;
    }
    if (std::abs(start) < 1e-9) continue;
    const Entry entry = entry_by_search(body, ray);
    if (entry.lowest > 1e-9) {
      EXPECT_FALSE(hit.found()) << name_of(shape) << " missed by " << entry.lowest << ", hit at " << hit.distance;
      ++misses;
    } else if (entry.lowest < -1e-7) {
      ASSERT_TRUE(hit.found()) << name_of(shape) << " entered by " << entry.lowest;
      const double cosine = std::abs(hit.normal.dot(ray.direction()));
      EXPECT_NEAR(hit.distance, entry.t, 1e-8 / std::max(cosine, 1e-3)) << name_of(shape);
      EXPECT_LE(hit.normal.dot(ray.direction()), 0) << name_of(shape);
      EXPECT_NEAR(hit.normal.norm(), 1, 1e-12);
      // The normal points straight out of the shape.
      const double off = distance(at(Sphere{.radius = 0}, Pose::at(hit.point + 1e-3 * hit.normal)), body).value;
      EXPECT_NEAR(off, 1e-3, 1e-7) << name_of(shape);
      ++hits;
    }
  }
  EXPECT_GT(hits, scaled(400));
  EXPECT_GT(misses, scaled(300));
}

TEST(Raycast, AnswersSimpleCases) {
  const RayHit box = raycast(at(Box{.half = {1, 1, 1}}), Ray({-3, 0.5, 0}, {2, 0, 0}));
  EXPECT_EQ(box.distance, 2);
  EXPECT_EQ(box.point, Vec3(-1, 0.5, 0));
  EXPECT_EQ(box.normal, Vec3(-1, 0, 0));
  // Along a side, and past it.
  EXPECT_EQ(raycast(at(Box{.half = {1, 1, 1}}), Ray({-3, 1, 0}, {1, 0, 0})).distance, 2);
  EXPECT_FALSE(raycast(at(Box{.half = {1, 1, 1}}), Ray({-3, 1.0000001, 0}, {1, 0, 0})).found());
  EXPECT_FALSE(raycast(at(Box{.half = {1, 1, 1}}), Ray({-3, 0, 0}, {-1, 0, 0})).found());
  EXPECT_FALSE(raycast(at(Box{.half = {1, 1, 1}}), Ray({-3, 0, 0}, {1, 0, 0}, 1.9)).found());
  EXPECT_EQ(raycast(at(Box{.half = {1, 1, 1}}), Ray({-3, 0, 0}, {1, 0, 0}, 2)).distance, 2);
  const RayHit sphere = raycast(at(Sphere{.radius = 1}, Pose::at({5, 0, 0})), Ray({0, 0, 0}, {1, 0, 0}));
  EXPECT_EQ(sphere.distance, 4);
  EXPECT_EQ(sphere.normal, Vec3(-1, 0, 0));
  EXPECT_EQ(raycast(at(Sphere{.radius = 1}), Ray({-4, 1, 0}, {1, 0, 0})).distance, 4);  // touching
  const RayHit floor = raycast(at(HalfSpace({0, 0, 1}, 0)), Ray({0, 0, 2}, {0, 3, -4}));
  EXPECT_NEAR(floor.distance, 2.5, 1e-15);
  EXPECT_EQ(floor.normal, Vec3(0, 0, 1));
  EXPECT_EQ(raycast(at(HalfSpace({0, 0, 1}, 0)), Ray({0, 0, -2}, {0, 0, 1})).distance, 0);
  EXPECT_FALSE(raycast(at(HalfSpace({0, 0, 1}, 0)), Ray({0, 0, 2}, {1, 0, 0})).found());
  const RayHit plane = raycast(at(Plane({0, 0, 1}, 1)), Ray({0, 0, -1}, {0, 0, 1}));
  EXPECT_EQ(plane.distance, 2);
  EXPECT_EQ(plane.normal, Vec3(0, 0, -1));
  EXPECT_EQ(raycast(at(Plane({0, 0, 1}, 1)), Ray({0, 0, 1}, {1, 0, 0})).distance, 0);  // within the plane
  EXPECT_FALSE(raycast(at(Plane({0, 0, 1}, 1)), Ray({0, 0, 0}, {1, 0, 0})).found());
  const Triangle triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  EXPECT_EQ(raycast(at(triangle), Ray({0.25, 0.25, 1}, {0, 0, -1})).distance, 1);
  EXPECT_EQ(raycast(at(triangle), Ray({0.25, 0.25, -1}, {0, 0, 1})).normal, Vec3(0, 0, -1));
  EXPECT_EQ(raycast(at(triangle), Ray({0.5, 0.5, 1}, {0, 0, -1})).distance, 1);          // on the edge
  EXPECT_NEAR(raycast(at(triangle), Ray({-1, 0.25, 0}, {1, 0, 0})).distance, 1, 1e-15);  // seen from its edge
  EXPECT_FALSE(raycast(at(triangle), Ray({-1, 0.25, 1e-9}, {1, 0, 0})).found());
  EXPECT_FALSE(raycast(at(Mesh()), Ray({0, 0, 0}, {1, 0, 0})).found());
  EXPECT_FALSE(raycast(at(Cloud()), Ray({0, 0, 0}, {1, 0, 0})).found());
}

TEST(Raycast, HitsCapsulesAtTheirEnds) {
  const Placed capsule = at(Capsule{.radius = 0.5, .half_length = 1});
  EXPECT_NEAR(raycast(capsule, Ray({0, 0, 5}, {0, 0, -1})).distance, 3.5, 1e-15);
  EXPECT_NEAR(raycast(capsule, Ray({5, 0, 0.3}, {-1, 0, 0})).distance, 4.5, 1e-15);
  RayHit hits[4];
  EXPECT_EQ(raycast_all(capsule, Ray({0, 0, 5}, {0, 0, -1}), hits).size(), 2U);
  EXPECT_NEAR(hits[1].distance, 6.5, 1e-15);
  EXPECT_EQ(hits[1].normal, Vec3(0, 0, 1)) << "against the ray";
}

// Lines that touch a rim in one point, in a plane that the shape lies on one side of.
TEST(Raycast, HitsRimsThatItOnlyTouches) {
  Random random(37);
  for (int i = 0, n = scaled(2000); i < n && !HasFailure(); ++i) {
    const double radius = random.uniform(0.1, 2), half = random.uniform(0.1, 2);
    const Pose pose = random_pose_near(random, Vec3::Constant(i % 3 == 0 ? 1e5 : 0), 1);
    const bool cone = i % 2 == 0;
    Placed body = cone ? at(Cone{.radius = radius, .half_length = half}, pose)
                       : at(Cylinder{.radius = radius, .half_length = half}, pose);
    // Often almost along the rim, where the mantle is hit at a grazing angle.
    const double around = random.uniform(0, 6.28), between = random.uniform(0.05, 1.5);
    const double aslant = i % 4 < 2 ? random.uniform(0, 6.28) : std::pow(10, random.uniform(-10, -2));
    const Vec3 outwards(std::cos(around), std::sin(around), 0);
    const bool apex = cone && i % 8 == 0;
    const Vec3 rim = apex ? Vec3(0, 0, half) : Vec3(radius * outwards - half * Vec3::UnitZ());
    // A normal between that of the mantle and that of the base; of the apex, above all of the mantle.
    const Vec3 normal = apex ? Vec3(outwards + (1 + between) * radius / (2 * half) * Vec3::UnitZ()).normalized()
                             : Vec3(std::cos(between) * outwards - std::sin(between) * Vec3::UnitZ());
    const Vec3 tangent = outwards.cross(Vec3::UnitZ()), other = normal.cross(tangent);
    const Vec3 along = std::cos(aslant) * tangent + std::sin(aslant) * other;
    // A body with an uncertain position may be touched where its pose is slightly beside the ray.
    body.uncertainty = i % 5 == 0 ? 0 : 1e-6;
    const Vec3 beside = rim + 0.9 * body.uncertainty * normal;
    const Ray ray(pose * Vec3(beside - 3 * along), pose * along - pose * Vec3(Vec3::Zero()), 6);
    EXPECT_TRUE(meets(body, ray)) << name_of(body.geometry) << " " << i;
  }
}

// Möller and Trumbore, in long double: 0 for a miss, 1 for a hit, −1 if it is too near to an edge to decide.
int triangle_by_determinants(const Vec3& a, const Vec3& b, const Vec3& c, const Ray& ray, double& t) {
  using Wide = Eigen::Matrix<long double, 3, 1>;
  const Wide o = ray.origin().cast<long double>(), d = ray.direction().cast<long double>(), p = a.cast<long double>();
  const Wide e = b.cast<long double>() - p, f = c.cast<long double>() - p, h = d.cross(f), s = o - p, q = s.cross(e);
  const long double det = e.dot(h);
  if (std::abs(det) < 1e-12L) return -1;
  const long double u = s.dot(h) / det, v = d.dot(q) / det, w = f.dot(q) / det;
  const long double border = std::min({u, v, 1 - u - v});
  t = static_cast<double>(w);
  if (std::abs(border) < 1e-10L || std::abs(w) < 1e-10L || std::abs(w - ray.length()) < 1e-10L) return -1;
  return border > 0 && w > 0 && w < ray.length() ? 1 : 0;
}

TEST(Raycast, OfMeshesIsThatOfAllTheirTriangles) {
  Random random(33);
  int found = 0, several = 0;
  for (int i = 0, n = scaled(600); i < n && !HasFailure(); ++i) {
    const Mesh mesh = i % 3 == 0
                          ? closed(8, true, 0.2).mesh()
                          : random_soup(kLooks[static_cast<std::size_t>(i) % std::size(kLooks)], 120, random).mesh();
    const Pose pose = random_pose_near(random, Vec3::Constant(i % 5 == 0 ? 500 : 0), 1);
    const Vec3 center = pose * mesh.bounds().center();
    const double reach = mesh.bounds().half().norm() + 0.1;
    const Vec3 from = center + random_vec(random, 2 * reach);
    const Ray ray(from, center + random_vec(random, 0.7 * reach) - from, random.uniform(0.5, 6) * reach);
    std::vector<std::pair<double, std::size_t>> expected;
    bool doubtful = false;
    for (std::size_t k = 0; k < mesh.size(); ++k) {
      const auto corner = [&](std::size_t c) { return Vec3(pose * mesh.vertices()[mesh.triangles()[k][c]]); };
      double t = 0;
      const int answer = triangle_by_determinants(corner(0), corner(1), corner(2), ray, t);
      if (answer > 0) expected.emplace_back(t, k);
      doubtful = doubtful || answer < 0;
    }
    if (doubtful) continue;
    std::sort(expected.begin(), expected.end());
    std::vector<RayHit> buffer(200);
    const std::span<RayHit> hits = raycast_all(at(mesh, pose), ray, buffer);
    ASSERT_EQ(hits.size(), expected.size());
    for (std::size_t k = 0; k < hits.size(); ++k) {
      EXPECT_NEAR(hits[k].distance, expected[k].first, 1e-8 * reach);
      EXPECT_LE(hits[k].normal.dot(ray.direction()), 0);
    }
    const RayHit first = raycast(at(mesh, pose), ray);
    ASSERT_EQ(first.found(), !expected.empty());
    EXPECT_EQ(meets(at(mesh, pose), ray), first.found());
    if (first.found()) {
      EXPECT_EQ(first.distance, hits[0].distance);
      EXPECT_EQ(first.feature, hits[0].feature);
      // If there are too many, the nearest ones.
      std::vector<RayHit> few(1);
      ASSERT_EQ(raycast_all(at(mesh, pose), ray, few).size(), 1U);
      EXPECT_EQ(few[0].feature, first.feature);
      ++found;
    }
    several += expected.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(found, scaled(100));
  EXPECT_GT(several, scaled(40));
}

// Through every vertex and the middle of every edge, where rounding decides between triangles.
TEST(Raycast, NeverSlipsThroughAClosedMesh) {
  Random random(34);
  for (int i = 0, n = scaled(20); i < n && !HasFailure(); ++i) {
    const Mesh mesh = closed(6 + i % 5, true, 0.1).mesh();
    const Pose pose = random_pose_near(random, Vec3::Constant(i % 2 == 0 ? 0 : 1e4), 1);
    const Placed body = at(mesh, pose);
    const Vec3 inside = pose * Vec3(mesh.bounds().center() + random_vec(random, 0.01));
    const auto expect_hit = [&](const Vec3& p) {
      EXPECT_TRUE(raycast(body, Ray(inside, p - inside)).found());
      const Vec3 outside = inside + 50 * (p - inside);
      EXPECT_TRUE(meets(body, Ray(outside, inside - outside)));
    };
    for (const Vec3& v : mesh.vertices()) expect_hit(pose * v);
    for (const MeshTriangle& t : mesh.triangles()) {
      for (std::size_t k = 0; k < 3; ++k)
        expect_hit(pose * Vec3((mesh.vertices()[t[k]] + mesh.vertices()[t[(k + 1) % 3]]) / 2));
    }
  }
}

// Only its edges are in front of and behind the origin.
TEST(Raycast, MayStartOnTrianglesInTheirPlanes) {
  const std::vector<Vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<MeshTriangle> triangles{{0, 1, 2}};
  const Mesh mesh(vertices, triangles);
  for (const Placed& body : {at(mesh), at(Triangle(vertices[0], vertices[1], vertices[2]))}) {
    for (const Vec3& direction : {Vec3(1, 0, 0), Vec3(-1, 0.3, 0), Vec3(0, -1, 0)}) {
      for (const Vec3& from : {Vec3(0.3, 0.3, 0), Vec3(0.5, 0, 0), Vec3(0.25, 0.75, 0)}) {
        EXPECT_TRUE(meets(body, Ray(from, direction))) << from.transpose() << " along " << direction.transpose();
        EXPECT_EQ(raycast(body, Ray(from, direction, 1e-3)).distance, 0);
      }
    }
    EXPECT_FALSE(meets(body, Ray({-1, 0.3, 0}, {-1, 0, 0})));
    EXPECT_NEAR(raycast(body, Ray({-1, 0.3, 0}, {1, 0, 0})).distance, 1, 1e-12);
  }
}

TEST(Raycast, MayStartInsideSolids) {
  const Mesh shell = closed(8, true, 0.1).mesh(false), solid = closed(8, true, 0.1).mesh(true);
  const Vec3 center = solid.bounds().center();
  EXPECT_GT(raycast(at(shell), Ray(center, {1, 0.2, 0.1})).distance, 0.1);
  const RayHit hit = raycast(at(solid), Ray(center, {1, 0.2, 0.1}));
  EXPECT_EQ(hit.distance, 0);
  EXPECT_EQ(hit.feature, raycast(at(shell), Ray(center, {1, 0.2, 0.1})).feature) << "where it would leave";
  EXPECT_TRUE(meets(at(solid), Ray(center, {1, 0.2, 0.1}, 1e-6)));
  EXPECT_FALSE(meets(at(shell), Ray(center, {1, 0.2, 0.1}, 1e-6)));
}

TEST(Raycast, OfCloudsIsThatOfTheirBalls) {
  Random random(35);
  int found = 0;
  for (int i = 0, n = scaled(500); i < n && !HasFailure(); ++i) {
    std::vector<Vec3> points;
    for (int k = 0; k < 300; ++k) points.push_back(random_vec(random, 1));
    const double radius = random.uniform(0.005, 0.1);
    const Pose pose = random_pose_near(random, Vec3::Zero(), 1);
    const Placed body = at(Cloud(std::span<const Vec3>(points), {.radius = radius}), pose);
    const Vec3 from = random_vec(random, 4);
    const Ray ray(from, pose * random_vec(random, 0.8) - from, random.uniform(1, 8));
    double nearest = kInfinity;
    std::size_t whose = 0;
    bool doubtful = false;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Vec3 to = pose * points[k] - ray.origin();
      const double along = to.dot(ray.direction()), off = (to - along * ray.direction()).norm();
      doubtful = doubtful || std::abs(off - radius) < 1e-10;
      if (off > radius) continue;
      const double half = std::sqrt(radius * radius - off * off);
      if (along + half < 0) continue;
      const double t = std::max(0.0, along - half);
      doubtful = doubtful || std::abs(t - ray.length()) < 1e-10 || std::abs(along - half) < 1e-10;
      if (t <= ray.length() && t < nearest) nearest = t, whose = k;
    }
    if (doubtful) continue;
    const RayHit hit = raycast(body, ray);
    ASSERT_EQ(hit.found(), nearest < kInfinity);
    if (!hit.found()) continue;
    EXPECT_NEAR(hit.distance, nearest, 1e-9);
    EXPECT_EQ(hit.feature, whose);
    ++found;
  }
  EXPECT_GT(found, scaled(50));
}

TEST(ConcurrentRays, EqualSingleRays) {
  Random random(36);
  const Placed body = at(random_soup(Look::soup, 300, random).mesh());
  std::vector<Ray> rays;
  for (int i = 0; i < 500; ++i) rays.emplace_back(random_vec(random, 3), random_vec(random, 1));
  std::vector<RayHit> hits(rays.size());
  for (const int threads : {1, 3, 0}) {
    raycast_each(body, rays, hits, {.threads = threads});
    for (std::size_t i = 0; i < rays.size(); ++i) ASSERT_EQ(hits[i].distance, raycast(body, rays[i]).distance);
  }
  EXPECT_EQ(refusal([&] { raycast_each(body, rays, std::span(hits).first(3)); }),
            "hits: needs room for one answer each: 500, got 3");
}

// Rays in flight together are at different nodes, leaves and triangles, end at different times and are replaced by
// others; some start inside solids, and some so far away that float32 cannot decide.
TEST(ConcurrentRays, OfMeshesEqualSingleRaysAndALoopOverAllTriangles) {
  Random random(37);
  int found = 0, missed = 0;
  for (int i = 0, n = scaled(120); i < n && !HasFailure(); ++i) {
    const bool far = i % 8 == 7, ball = i % 3 == 0;
    Soup soup =
        ball ? closed(6, true, 0.2) : random_soup(kLooks[static_cast<std::size_t>(i) % std::size(kLooks)], 120, random);
    const Mesh mesh = soup.mesh(ball && i % 2 == 0);
    const Pose pose = random_pose_near(random, Vec3::Constant(i % 5 == 0 ? 500 : 0), 1);
    const Placed body = at(mesh, pose);
    const Vec3 center = pose * mesh.bounds().center();
    const double reach = mesh.bounds().half().norm() + 0.1;
    std::vector<Ray> rays;
    for (int k = 0, count = (i * 37) % 600; k < count; ++k) {
      const Vec3 from = center + random_vec(random, k % 4 == 0 ? 0.3 * reach : far ? 1e35 : 2 * reach);
      // To a vertex, where several triangles are equally near; to the middle; anywhere.
      const auto vertex = static_cast<std::size_t>(random.uniform(0, static_cast<double>(mesh.vertices().size() - 1)));
      const Vec3 to = k % 3 == 0 ? Vec3(pose * mesh.vertices()[vertex])
                                 : Vec3(center + random_vec(random, (k % 3 == 1 ? 0.7 : 3) * reach));
      rays.emplace_back(from, to - from, k % 5 == 0 ? kInfinity : random.uniform(0, 6) * reach);
    }
    std::vector<RayHit> hits(rays.size());
    raycast_each(body, rays, hits, {.threads = i % 2 == 0 ? 1 : 2});
    for (std::size_t k = 0; k < rays.size() && !HasFailure(); ++k) {
      const RayHit single = raycast(body, rays[k]);
      EXPECT_EQ(hits[k].distance, single.distance);
      EXPECT_EQ(hits[k].feature, single.feature);
      EXPECT_EQ(hits[k].point, single.point);
      EXPECT_EQ(hits[k].normal, single.normal);
      if (far || mesh.solid() || k % 3 == 0) continue;  // at a vertex, touching counts and determinants cannot decide
      double nearest = kInfinity;
      bool doubtful = false;
      for (std::size_t t = 0; t < mesh.size(); ++t) {
        const auto corner = [&](std::size_t c) { return Vec3(pose * mesh.vertices()[mesh.triangles()[t][c]]); };
        double along = 0;
        const int answer = triangle_by_determinants(corner(0), corner(1), corner(2), rays[k], along);
        if (answer > 0) nearest = std::min(nearest, along);
        doubtful = doubtful || answer < 0;
      }
      if (doubtful) continue;
      ASSERT_EQ(hits[k].found(), nearest < kInfinity);
      if (hits[k].found()) {
        EXPECT_NEAR(hits[k].distance, nearest, 1e-8 * reach);
      }
      ++(hits[k].found() ? found : missed);
    }
  }
  EXPECT_GT(found, scaled(1000));
  EXPECT_GT(missed, scaled(1000));
}

// Along axes and planes of the mesh, where directions have zeros of either sign, and in batches of all sizes.
TEST(ConcurrentRays, AlongAxesEqualSingleRays) {
  const Mesh mesh = closed(5, false, 0).mesh(false);
  Random random(41);
  const double r = mesh.bounds().half().maxCoeff();
  std::size_t found = 0;
  for (std::size_t count = 0; count < 40 && !HasFailure(); ++count) {
    const Placed body = at(mesh, count % 2 == 0 ? Pose() : Pose::from_rpy({1, 2, 3}, 0, 0, M_PI / 2));
    const Vec3 center = body.pose * mesh.bounds().center();
    std::vector<Ray> rays;
    for (std::size_t i = 0; i < count; ++i) {
      Vec3 direction = Vec3::Constant(i % 2 == 0 ? 0.0 : -0.0), off = Vec3::Zero();
      const auto axis = static_cast<Eigen::Index>(i % 3);
      direction[axis] = i % 4 < 2 ? 1 : -1;
      if (i % 5 == 0) direction[(axis + 1) % 3] = 1e-20;
      if (i % 7 == 0) direction[(axis + 1) % 3] = 1;
      off[(axis + 2) % 3] = i % 2 == 0 ? 0 : random.uniform(-r, r);
      rays.emplace_back(center + off - (i % 6 == 0 ? 0 : 3 * r) * direction, direction);
    }
    std::vector<RayHit> hits(rays.size());
    raycast_each(body, rays, hits, {.threads = 1});
    for (std::size_t i = 0; i < count; ++i) {
      const RayHit single = raycast(body, rays[i]);
      EXPECT_EQ(hits[i].distance, single.distance) << i << " of " << count;
      EXPECT_EQ(hits[i].feature, single.feature) << i << " of " << count;
      EXPECT_EQ(hits[i].normal, single.normal) << i << " of " << count;
      found += single.found() ? 1 : 0;
    }
  }
  EXPECT_GT(found, 500U);
}

TEST(Raycast, RejectsInvalidRays) {
  EXPECT_EQ(refusal([] { Ray({0, 0, 0}, {0, 0, 0}); }), "ray direction: must be finite and have a length");
  EXPECT_EQ(refusal([] { Ray({0, 0, std::nan("")}, {1, 0, 0}); }), "ray origin: must be finite");
  EXPECT_EQ(refusal([] { Ray({0, 0, 0}, {1, 0, kInfinity}); }), "ray direction: must be finite and have a length");
  EXPECT_EQ(refusal([] { Ray({0, 0, 0}, {1, 0, 0}, -1); }), "ray length: must not be negative, got -1");
  EXPECT_EQ(refusal([] { Ray({0, 2e50, 0}, {1, 0, 0}); }), "ray origin: must be at most 1e50, got (0, 2e+50, 0)");
  EXPECT_NEAR(Ray({0, 0, 0}, {1e300, 1e300, 0}).direction().norm(), 1, 1e-15);
  EXPECT_NEAR(Ray({0, 0, 0}, {1e-300, 0, 0}).direction().x(), 1, 1e-15);
}

}  // namespace raycast_test
}  // namespace graze_test
