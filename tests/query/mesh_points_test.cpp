// Many points against a mesh: equal to single queries, and these to a loop over all triangles.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "geometry/mesh_data.h"
#include "graze/base/simd.h"
#include "graze/query/collide.h"
#include "graze/query/point.h"
#include "graze/query/raycast.h"
#include "oracle/cases.h"
#include "query/mesh_walk.h"
#include "query/point_shape.h"
#include "query/ray_shape.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace mesh_points_test {

using namespace graze;
using graze_oracle::Random;

// The kernel for every triangle: what the walk must find, to the bit.
double nearest_of_all(const Mesh& mesh, const Vec3& p) {
  double nearest = kInfinity;
  for (std::size_t i = 0; i < mesh.size(); ++i) nearest = std::min(nearest, point_distance(mesh.triangle(i), p).value);
  return nearest;
}

struct Subject {
  std::string name;
  Mesh mesh;
};

std::vector<Subject> subjects(Random& random) {
  Soup hollow = closed(6, true, 0.1);
  hollow.add(closed(4, false).moved({0.1, 0, 0}, 0.3).turned_inside_out());
  Soup crossing = closed(5, false);
  crossing.add(closed(6, true, 0.1).moved({0.8, 0.3, 0.2}));
  Soup beside = closed(5, true);
  beside.add(closed(4, true).moved({3, 0, 0}).turned_inside_out());
  Soup doubled = closed(4, true, 0.2);
  doubled.add(Soup(doubled));
  const Soup bumpy = closed(12, true, 0.3);
  std::vector<Subject> all{
      {"box", closed(1, false).mesh(true)},
      {"fine box", closed(7, false).mesh(true)},
      {"bumpy ball", bumpy.mesh(true)},
      {"hollow ball", hollow.mesh(true)},
      {"solids that cross", crossing.mesh(true)},
      {"solids of which one faces inwards", beside.mesh(true)},
      {"the same solid twice", doubled.mesh(true)},
      {"a solid that faces inwards", bumpy.turned_inside_out().mesh(true)},
      {"a far solid", bumpy.moved({1e6, -2e6, 3e5}).mesh(true)},
      {"a solid so far that its cells hardly differ", bumpy.moved({1e6, -2e6, 3e5}, 1e-6).mesh(true)},
      {"a tiny solid", bumpy.moved({0, 0, 0}, 1e-9).mesh(true)},
      {"a tinier solid", bumpy.moved({0, 0, 0}, 1e-30).mesh(true)},
      {"a huge solid", bumpy.moved({0, 0, 0}, 1e14).mesh(true)},
      {"a needle",
       [&] {
         Soup s = bumpy;
         for (Vec3& v : s.vertices) v.x() *= 1e-5, v.y() *= 1e-3;
         return s.mesh(true);
       }()},
      {"shell", bumpy.mesh()}};
  for (const Look look : kLooks) {
    Soup soup = random_soup(look, 150, random);
    all.push_back({"soup " + std::to_string(static_cast<int>(look)), soup.mesh()});
    // Every triangle with its back: closed, and nothing is inside.
    soup.add(soup.turned_inside_out());
    all.push_back({"sheets " + std::to_string(static_cast<int>(look)), soup.mesh(true)});
  }
  return all;
}

// All over the box and beyond it, near the surface, on it, and far away.
std::vector<Vec3> points_about(const Mesh& mesh, int count, Random& random) {
  std::vector<Vec3> points;
  const Vec3 center = mesh.bounds().center();
  const double size = mesh.bounds().half().norm();
  const auto around = [&](double reach) {
    return Vec3(random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach));
  };
  for (int i = 0; i < count; ++i) {
    const auto which = static_cast<std::size_t>(random.integer(0, static_cast<int>(mesh.size()) - 1));
    const Triangle t = mesh.triangle(which);
    double u = random.uniform(0, 1), v = random.uniform(0, 1);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const Vec3 on = t.a() + u * (t.b() - t.a()) + v * (t.c() - t.a());
    switch (i % 8) {
      case 0:
        points.push_back(on);
        break;
      case 1:
        points.push_back(on + around(1e-2 * size));
        break;
      case 2:
        points.push_back(on + around(1e-7 * size));
        break;
      case 3:
        points.push_back(random.integer(0, 1) == 0 ? t.a() : Vec3((t.a() + t.b()) / 2));
        break;
      case 4:
        points.push_back(center + around(20 * size));
        break;
      default:
        points.push_back(center + around(1.2 * size));
    }
  }
  return points;
}

TEST(MeshPoints, EqualSingleQueriesAndALoopOverAllTriangles) {
  Random random(71);
  int inside_count = 0, outside_count = 0, by_limit = 0;
  for (const auto& [name, mesh] : subjects(random)) {
    const double size = mesh.bounds().half().norm();
    const bool placed = size > 1e-3 && size < 1e3;
    for (const bool moved : {false, true}) {
      if (moved && !placed) continue;
      const Pose pose = moved ? Pose::from_wxyz({3, -2, 5}, 0.3, 0.5, -0.2, 0.7) : Pose();
      Placed body = at(mesh, pose);
      if (moved) body.uncertainty = 1e-6;
      std::vector<Vec3> points = points_about(mesh, scaled(240), random);
      for (Vec3& p : points) p = pose * p;
      points[5].y() = std::nan("");
      points[6].z() = kInfinity;
      const std::size_t count = points.size();
      for (const double limit : {kInfinity, 0.3 * size, 0.0, -0.2 * size}) {
        const std::unique_ptr<bool[]> inside(new bool[count]);
        std::vector<double> distances(count);
        const PointsEachOptions options{.limit = limit, .threads = 1};
        contains_each(body, points, {inside.get(), count}, options);
        signed_distance_each(body, points, distances, options);
        for (std::size_t i = 0; i < count; ++i) {
          if (!is_finite(points[i])) {
            EXPECT_TRUE(inside[i] && std::isnan(distances[i]));
            continue;
          }
          const ClosestPoint c = closest_point(body, points[i], limit);
          ASSERT_EQ(inside[i], contains(body, points[i])) << name << " " << points[i].transpose();
          ASSERT_EQ(distances[i], c.distance) << name << ", point " << i << " " << points[i].transpose();
          by_limit += limit < kInfinity && !c.found() ? 1 : 0;
          if (moved || limit < kInfinity) continue;
          const double nearest = nearest_of_all(mesh, points[i]);
          if (mesh.solid() && c.distance < 0) {
            EXPECT_GE(-c.distance, nearest - c.tolerance) << name;
            ++inside_count;
          } else {
            ASSERT_EQ(std::abs(c.distance), nearest) << name;
            ++outside_count;
          }
          if (nearest == 0) {
            EXPECT_TRUE(inside[i]) << name << ": the surface belongs to the body";
          }
          if (nearest > 1e-6 * (size + mesh.bounds().center().norm())) {
            EXPECT_EQ(inside[i], mesh.solid() && mesh.winding(points[i]) != 0) << name;
          }
        }
      }
    }
  }
  EXPECT_GT(inside_count, scaled(200));
  EXPECT_GT(outside_count, scaled(1000));
  EXPECT_GT(by_limit, scaled(1000));
}

TEST(ConcurrentMeshPoints, AreTheSameForThreadsAndInstructionSets) {
  Random random(72);
  Soup crossing = closed(9, false);
  crossing.add(closed(10, true, 0.1).moved({0.8, 0.3, 0.2}));
  const Mesh mesh = crossing.mesh(true);
  const std::vector<Vec3> points = points_about(mesh, scaled(1500), random);
  const std::size_t count = points.size();
  std::vector<Ray> rays;
  for (std::size_t i = 0; i + 1 < count; ++i)
    if (points[i] != points[i + 1]) rays.push_back(Ray::between(points[i], points[i + 1]));
  std::vector<double> expected;
  std::vector<bool> expected_inside;
  std::vector<RayHit> expected_hits;
  for (const auto target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    for (const int threads : {1, 3, 0}) {
      const std::unique_ptr<bool[]> inside(new bool[count]);
      std::vector<double> distances(count);
      std::vector<RayHit> hits(rays.size());
      contains_each(at(mesh), points, {inside.get(), count}, {.threads = threads});
      signed_distance_each(at(mesh), points, distances, {.threads = threads});
      raycast_each(at(mesh), rays, hits, {.threads = threads});
      const std::vector<bool> copied(inside.get(), inside.get() + count);
      if (expected.empty()) expected = distances, expected_inside = copied, expected_hits = hits;
      EXPECT_EQ(distances, expected) << target;
      EXPECT_EQ(copied, expected_inside) << target;
      for (std::size_t i = 0; i < rays.size(); ++i) {
        ASSERT_EQ(hits[i].distance, expected_hits[i].distance) << target;
        ASSERT_EQ(hits[i].feature, expected_hits[i].feature) << target;
      }
    }
  }
}

// The kernel would also miss whatever the lanes of float32 rule out.
TEST(MeshRays, HitWhatALoopOverAllTrianglesHits) {
  Random random(73);
  int met = 0;
  for (const auto& [name, mesh] : subjects(random)) {
    if (mesh.solid()) continue;
    for (const double scale : {1.0, 1e-9, 1e12}) {
      if (scale * mesh.bounds().max.cwiseAbs().maxCoeff() > 1e14) continue;
      std::vector<Vec3> vertices;
      for (const Vec3& v : mesh.vertices()) vertices.push_back(scale * v);
      const Mesh scaled_mesh(vertices, mesh.triangles());
      const std::vector<Vec3> points = points_about(scaled_mesh, scaled(1000), random);
      for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        Vec3 direction = points[i + 1] - points[i];
        if (i % 7 == 0) direction[static_cast<int>(i % 3)] = 0;
        if (i % 11 == 0) direction = Vec3::Unit(static_cast<int>(i % 3));
        if (!(direction.cwiseAbs().maxCoeff() > 0)) continue;
        const Ray ray(points[i], direction);
        std::vector<RayHit> buffer(400);
        const auto hits = raycast_all(at(scaled_mesh), ray, buffer);
        std::vector<bool> found(scaled_mesh.size());
        for (const RayHit& hit : hits) found[hit.feature] = true;
        // With less slack than the query: whatever this hits by more than rounding must be among its hits.
        std::size_t certain = 0;
        const double rounding = kEpsilon * (points[i].norm() + scaled_mesh.bounds().half().norm());
        for (std::size_t k = 0; k < scaled_mesh.size(); ++k) {
          const Triangle t = scaled_mesh.triangle(k);
          const TriangleHit hit = ray_triangle(t.a(), t.b(), t.c(), {ray.origin(), ray.direction()}, 0);
          if (!hit.hit || !(hit.t > 0) || point_distance(t, ray.at(hit.t)).value > rounding) continue;
          EXPECT_TRUE(found[k]) << name << " × " << scale << ", triangle " << k << " of ray " << i << " at " << hit.t;
          ++certain;
        }
        met += certain > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(met, scaled(2000));
}

}  // namespace mesh_points_test
}  // namespace graze_test
