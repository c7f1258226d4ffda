#include "graze/query/self_collide.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <vector>

#include "graze/geometry/deforming_mesh.h"
#include "oracle/exact_overlap.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace self_collide_test {

using graze::FoldedPair;
using graze::Mesh;
using graze::Vec3;
using graze_oracle::Random;
using Point = graze_oracle::Lattice<graze_oracle::Int128>;

Point lattice(const Vec3& p) { return {static_cast<int>(p.x()), static_cast<int>(p.y()), static_cast<int>(p.z())}; }

// By exact integers: triangles that share corners meet elsewhere if they still do after a shared corner is cut off.
// Doubled coordinates give the middles of edges.
bool exactly(const Soup& soup, std::size_t i, std::size_t j) {
  std::vector<Vec3> a, b;
  const graze::Triangle first = soup.triangle(i), second = soup.triangle(j);
  for (const Vec3& v : first.vertices()) a.emplace_back(2 * v);
  for (const Vec3& v : second.vertices()) b.emplace_back(2 * v);
  const auto degenerate = [](const std::vector<Vec3>& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; };
  if (degenerate(a) || degenerate(b)) return false;
  std::vector<Vec3> shared;
  for (const Vec3& v : a) {
    if (std::find(b.begin(), b.end(), v) != b.end()) shared.push_back(v);
  }
  const auto points = [](const std::vector<Vec3>& t) {
    std::vector<Point> list;
    for (const Vec3& v : t) list.push_back(lattice(v));
    return list;
  };
  if (shared.size() == 3) return true;
  if (shared.empty()) return hulls_meet(points(a), points(b));
  const auto others = [&](const std::vector<Vec3>& t) {
    std::vector<Vec3> list;
    for (const Vec3& v : t) {
      if (std::find(shared.begin(), shared.end(), v) == shared.end()) list.push_back(v);
    }
    return list;
  };
  if (shared.size() == 1) return hulls_meet(points(others(a)), points(b)) || hulls_meet(points(a), points(others(b)));
  // A shared edge: in one plane, and the other corners on one side.
  const Vec3 edge = shared[1] - shared[0], c = others(a)[0] - shared[0], d = others(b)[0] - shared[0];
  const Vec3 n = edge.cross(c);
  return n.dot(d) == 0 && n.dot(edge.cross(d)) >= 0;
}

TEST(SelfCollision, AgreesWithExactIntegers) {
  Random random(1);
  std::size_t found = 0;
  for (int round = 0, n = scaled(1500); round < n && !HasFailure(); ++round) {
    // Few vertices, so that triangles share corners and edges.
    Soup soup;
    const int half = 1 + round % 3;
    for (int i = 0; i < 4 + round % 8; ++i)
      soup.vertices.push_back(
          Vec3(random.integer(-half, half), random.integer(-half, half), random.integer(-half, half)));
    const auto any = [&] {
      return static_cast<std::uint32_t>(random.integer(0, static_cast<int>(soup.vertices.size()) - 1));
    };
    for (int i = 0; i < 2 + round % 9; ++i) {
      const std::uint32_t x = any(), y = any();
      soup.triangles.push_back({x, y, any()});
    }
    std::vector<FoldedPair> expected, buffer(100);
    for (std::uint32_t j = 0; j < soup.triangles.size(); ++j) {
      for (std::uint32_t i = 0; i < j; ++i) {
        if (exactly(soup, i, j)) expected.push_back({i, j});
      }
    }
    std::sort(expected.begin(), expected.end());
    const Mesh mesh = soup.mesh();
    buffer.resize(self_collisions(mesh, buffer));
    ASSERT_EQ(buffer, expected) << "round " << round;
    EXPECT_EQ(self_collide(mesh), !expected.empty());
    found += expected.size();
  }
  EXPECT_GT(found, 100u);
}

TEST(SelfCollision, IsNotReportedForIntactSurfaces) {
  for (const double bumps : {0.0, 0.1, 0.3}) {
    const Soup ball = closed(12, true, bumps);
    EXPECT_FALSE(self_collide(ball.mesh()));
    EXPECT_FALSE(self_collide(ball.moved({1e5, 1e5, 0}).mesh()));
  }
  EXPECT_FALSE(self_collide(closed(8, false).mesh())) << "flat neighbours lie side by side";
  EXPECT_FALSE(self_collide(Mesh()));
}

TEST(SelfCollision, IsReportedWhereADeformingSurfaceFolds) {
  Soup sheet;
  constexpr std::uint32_t kSide = 40;
  for (std::uint32_t i = 0; i <= kSide; ++i) {
    for (std::uint32_t j = 0; j <= kSide; ++j)
      sheet.vertices.push_back({0.05 * i, 0.05 * j, 0.001 * ((i * 7 + j * 3) % 5)});
  }
  for (std::uint32_t i = 0; i < kSide; ++i) {
    for (std::uint32_t j = 0; j < kSide; ++j) {
      const std::uint32_t a = i * (kSide + 1) + j, b = a + kSide + 1;
      sheet.triangles.push_back({a, b, a + 1}), sheet.triangles.push_back({b, b + 1, a + 1});
    }
  }
  graze::DeformingMesh mesh(sheet.mesh());
  EXPECT_FALSE(self_collide(mesh.mesh()));
  std::vector<Vec3> rolled = sheet.vertices;
  for (Vec3& v : rolled) v = Vec3(std::cos(4 * v.x()) * 0.3, v.y(), std::sin(4 * v.x()) * 0.3 + v.z());
  mesh.replace_vertices(rolled);
  EXPECT_TRUE(self_collide(mesh.mesh())) << "rolled up by more than a turn";
  std::vector<FoldedPair> pairs(10);
  EXPECT_GT(self_collisions(mesh.mesh(), pairs), 10u);
  mesh.replace_vertices(sheet.vertices);
  EXPECT_FALSE(self_collide(mesh.mesh()));
}

}  // namespace self_collide_test
}  // namespace graze_test
