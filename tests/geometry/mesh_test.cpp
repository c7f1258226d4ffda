#include "graze/geometry/mesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>
#include <limits>

#include "geometry/mesh_data.h"
#include "graze/geometry/deforming_mesh.h"
#include "graze/query/collide.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace mesh_test {

using graze::DeformingMesh;
using graze::Mesh;
using graze::MeshReport;
using graze::MeshTriangle;
using graze::Vec3;
using graze_oracle::Random;

TEST(Mesh, KeepsAnyTriangles) {
  Random random(1);
  for (int i = 0, n = scaled(40); i < n && !HasFailure(); ++i) {
    for (const Look look : kLooks) {
      SCOPED_TRACE(testing::Message() << "look " << static_cast<int>(look) << ", round " << i);
      const Soup soup = random_soup(look, 1 + i * 13 % 400, random);
      DeformingMesh deforming(soup.mesh());
      const Mesh before = deforming.mesh();
      ASSERT_EQ(before.validate(), "");
      EXPECT_EQ(before.size(), soup.triangles.size());
      Soup moved = soup;
      for (Vec3& v : moved.vertices) v = Vec3(v.y() + 1, -v.x() * 2, v.z() + 0.1 * v.x());
      deforming.replace_vertices(moved.vertices);
      const Mesh mesh = deforming.mesh();
      ASSERT_EQ(mesh.validate(), "");
      EXPECT_EQ(before.vertices()[0], soup.vertices[0]) << "a copy keeps what it had";
      EXPECT_EQ(before.validate(), "");
      EXPECT_EQ(mesh.vertices()[0], moved.vertices[0]);
      graze::Aabb all;
      for (const Vec3& v : moved.vertices) all.extend(v);
      EXPECT_EQ(mesh.bounds(), all);
      EXPECT_EQ(mesh.stamp(), moved.mesh().stamp());
      EXPECT_NE(mesh.stamp(), before.stamp());
      deforming.rebuild();
      ASSERT_EQ(deforming.validate(), "");
      EXPECT_EQ(deforming.cost_ratio(), 1);
    }
  }
}

TEST(Mesh, RejectsInvalidInput) {
  const Soup box = closed(1, false);
  std::vector<Vec3> vertices = box.vertices;
  std::vector<MeshTriangle> triangles = box.triangles;
  triangles[5][2] = 8;
  EXPECT_EQ(refusal([&] { Mesh m(vertices, triangles); }), "mesh triangle 5: names vertex 8, but there are 8");
  vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal([&] { Mesh m(vertices, box.triangles); }).find("mesh vertex 3"), std::string::npos);
  vertices[3].y() = 1e16;
  EXPECT_NE(refusal([&] { Mesh m(vertices, box.triangles); }).find("out of range"), std::string::npos);
  triangles = box.triangles;
  triangles.pop_back();
  const std::string open = refusal([&] { Mesh m(box.vertices, triangles, {.solid = true}); });
  EXPECT_NE(open.find("open at the edge of vertices"), std::string::npos) << open;
  triangles = box.triangles;
  std::swap(triangles[0][1], triangles[0][2]);
  EXPECT_NE(refusal([&] { Mesh m(box.vertices, triangles, {.solid = true}); }), "") << "oriented the other way";
  DeformingMesh good(box.mesh(true));
  EXPECT_NE(refusal([&] { good.replace_vertices(std::span(box.vertices).first(7)); }), "");
  EXPECT_NE(refusal([&] { good.replace_vertices(vertices); }), "");
  EXPECT_EQ(good.validate(), "");
  EXPECT_EQ(good.mesh().stamp(), box.mesh(true).stamp()) << "unchanged";
}

TEST(Mesh, ReportsItsProperties) {
  Soup box = closed(3, false);
  MeshReport r = box.mesh().report();
  EXPECT_TRUE(r.watertight);
  EXPECT_EQ(r.triangles, 108u);
  EXPECT_EQ(r.pieces, 1u);
  EXPECT_NEAR(r.area, 24, 1e-12);
  EXPECT_NEAR(r.volume, 8, 1e-12);
  EXPECT_NEAR(box.turned_inside_out().mesh().report().volume, -8, 1e-12);
  // Without shared indices, as STL has it.
  Soup loose;
  for (const MeshTriangle& t : box.triangles) {
    const auto first = static_cast<std::uint32_t>(loose.vertices.size());
    for (const std::uint32_t v : t) loose.vertices.push_back(box.vertices[v]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  r = loose.mesh(true).report();
  EXPECT_TRUE(r.watertight);
  EXPECT_EQ(r.pieces, 1u);
  EXPECT_EQ(data_of(loose.mesh()).pieces.size(), 1u);
  // Defects are counted.
  box.add(closed(1, false).moved({5, 0, 0}));
  box.triangles.push_back(box.triangles[7]);
  box.triangles.push_back({0, 0, 1});
  box.vertices.push_back({9, 9, 9});
  r = box.mesh().report();
  EXPECT_EQ(r.pieces, 2u);
  EXPECT_EQ(r.duplicate, 1u);
  EXPECT_EQ(r.degenerate, 1u);
  EXPECT_EQ(r.unused_vertices, 1u);
  EXPECT_EQ(r.open_edges, 3u);
  EXPECT_EQ(r.non_manifold_edges, 3u);
  EXPECT_FALSE(r.watertight);
  ASSERT_TRUE(r.first_open_edge.has_value());
  EXPECT_EQ(box.mesh().bounds().max.x(), 6) << "a vertex without a triangle does not count";
  EXPECT_FALSE(Mesh().report().watertight);
}

// The sum of solid angles shares no code with the rays.
int angles(const Soup& soup, const Vec3& p) {
  double sum = 0;
  for (std::size_t i = 0; i < soup.triangles.size(); ++i) {
    const graze::Triangle t = soup.triangle(i);
    const Vec3 a = t.a() - p, b = t.b() - p, c = t.c() - p;
    sum += 2 * std::atan2(a.dot(b.cross(c)), a.norm() * b.norm() * c.norm() + a.dot(b) * c.norm() +
                                                 b.dot(c) * a.norm() + c.dot(a) * b.norm());
  }
  return static_cast<int>(std::lround(sum / (4 * M_PI)));
}

TEST(Mesh, WindsAroundWhatIsInside) {
  Random random(3);
  Soup hollow = closed(4, true, 0.1);
  hollow.add(closed(3, false).moved({0.1, 0, 0}, 0.3).turned_inside_out());
  Soup twice = closed(3, false);
  twice.add(closed(2, false).moved({0.5, 0.25, 0}));
  const Soup soups[] = {closed(1, false),
                        closed(4, false),
                        closed(8, true, 0.3),
                        hollow,
                        twice,
                        closed(2, false).turned_inside_out(),
                        closed(3, true).moved({1e6, 1e6, 0})};
  for (const Soup& soup : soups) {
    const Mesh mesh = soup.mesh(true);
    const Vec3 middle = mesh.bounds().center();
    for (int i = 0, n = scaled(2000); i < n; ++i) {
      // Half of them on a lattice: rays through edges and corners.
      Vec3 p = middle + Vec3(random.uniform(-1.6, 1.6), random.uniform(-1.6, 1.6), random.uniform(-1.6, 1.6));
      if (i % 2 == 0) p = middle + Vec3(random.integer(-7, 7), random.integer(-7, 7), random.integer(-7, 7)) / 4.0;
      const graze::Placed point = at(graze::Sphere{.radius = 0}, graze::Pose::at(p));
      bool on_surface = false;
      for (std::size_t k = 0; k < soup.triangles.size() && !on_surface; ++k)
        on_surface = collide(at(soup.triangle(k)), point, {.margin = 1e-7});
      if (on_surface) continue;
      ASSERT_EQ(mesh.winding(p), angles(soup, p)) << p.transpose() << " in soup " << (&soup - soups);
    }
  }
}

TEST(ConcurrentMesh, IsTheSameForAnyNumberOfThreads) {
  const Soup soup = closed(40, true, 0.2);
  const Mesh one(soup.vertices, soup.triangles, {.threads = 1});
  DeformingMesh other(soup.vertices, soup.triangles, {.threads = 4});
  const auto same = [&] {
    const Mesh now = other.mesh();
    const auto &a = data_of(one), &b = data_of(now);
    return a.wide.size() == b.wide.size() && a.blocks.size() == b.blocks.size() &&
           std::memcmp(a.wide.data(), b.wide.data(), a.wide.size() * sizeof(graze::mesh::Wide)) == 0 &&
           std::memcmp(a.blocks.data(), b.blocks.data(), a.blocks.size() * sizeof(graze::mesh::Block)) == 0;
  };
  EXPECT_TRUE(same());
  other.replace_vertices(soup.vertices, {.threads = 3});
  EXPECT_TRUE(same()) << "refitted to its old positions";
}

}  // namespace mesh_test
}  // namespace graze_test
