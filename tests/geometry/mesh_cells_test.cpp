#include "geometry/mesh_cells.h"

#include <gtest/gtest.h>

#include "geometry/mesh_data.h"
#include "graze/geometry/deforming_mesh.h"
#include "oracle/cases.h"
#include "query/point_shape.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace mesh_cells_test {

using namespace graze;
using graze_oracle::Random;
using mesh::Cells;

std::vector<Soup> solids() {
  Soup hollow = closed(6, true, 0.1);
  hollow.add(closed(4, false).moved({0.1, 0, 0}, 0.3).turned_inside_out());
  Soup many;
  for (int i = 0; i < 130; ++i) many.add(closed(2, true).moved({0.001 * i, 0, 0}, 1 + 0.01 * i));
  Soup needle = closed(6, true, 0.2), flat = closed(6, true, 0.2);
  for (Vec3& v : needle.vertices) v.x() *= 1e-5, v.y() *= 1e-3;
  for (Vec3& v : flat.vertices) v.z() = 0;
  return {closed(1, false),
          closed(5, false),
          closed(14, true, 0.3),
          closed(8, true, 0.3).turned_inside_out(),
          hollow,
          many,  // winds around the middle more often than a cell can count
          needle,
          flat,
          closed(7, true, 0.2).moved({1e6, -1e6, 3}),
          closed(7, true, 0.2).moved({1e6, -1e6, 3}, 1e-7),
          closed(7, true, 0.2).moved({0, 0, 0}, 1e-12),
          closed(7, true, 0.2).moved({0, 0, 0}, 1e-100),
          closed(7, true, 0.2).moved({0, 0, 0}, 1e14)};
}

TEST(MeshCells, AgreeWithRaysAndAreFarFromTriangles) {
  Random random(81);
  int known = 0, unknown = 0;
  for (const Soup& soup : solids()) {
    const Mesh solid = soup.mesh(true);
    EXPECT_EQ(solid.validate(), "");
    const mesh::Data& data = data_of(solid);
    const Vec3 center = solid.bounds().center(), half = 1.1 * solid.bounds().half();
    for (int i = 0, n = scaled(3000); i < n; ++i) {
      Vec3 p = center;
      for (int k = 0; k < 3; ++k) p[k] += random.uniform(-half[k], half[k]);
      if (i % 4 == 0) p = solid.vertices()[static_cast<std::size_t>(i) % solid.vertices().size()] + 0.02 * (p - center);
      // On the borders of cells, where rounding finds one or the other.
      if (i % 4 == 1 && data.cells != nullptr) {
        for (int k = 0; k < 3; ++k) {
          const double cell = std::floor((p[k] - data.cells->origin[k]) * data.cells->per_metre);
          p[k] = data.cells->origin[k] + cell * data.cells->size;
        }
      }
      double nearest = kInfinity;
      for (std::size_t k = 0; k < soup.triangles.size(); ++k)
        nearest = std::min(nearest, point_distance(soup.triangle(k), p).value);
      const double rounding = 1e-14 * (center.norm() + half.norm());
      const int expected = mesh::winding_by_rays(data, p);
      if (nearest > rounding) {
        EXPECT_EQ(solid.winding(p), expected) << p.transpose();
      }
      if (data.cells == nullptr) continue;
      const std::int8_t cell = data.cells->at(p);
      if (cell == Cells::kUnknown) {
        ++unknown;
        continue;
      }
      ++known;
      EXPECT_EQ(cell, expected) << p.transpose();
      EXPECT_GT(nearest, data.cells->clear - rounding) << p.transpose();
    }
    if (data.cells != nullptr) {
      EXPECT_LE(data.cells->winding.size(), 16 * soup.triangles.size() + 512);
      EXPECT_EQ(data.cells->at({std::nan(""), 0, 0}), Cells::kUnknown);
      EXPECT_EQ(data.cells->at(center + Vec3::Constant(1e3 * (1 + half.norm()))), 0);
    }
  }
  EXPECT_GT(known, scaled(10000));
  EXPECT_GT(unknown, scaled(5000));
}

// Slivers that all span the box: fewer cells, not more work.
TEST(MeshCells, AreFewWhereTrianglesAreLong) {
  Soup fan;
  const int count = 3000;
  fan.vertices = {{0, 0, 1}, {0, 0, -1}};
  for (int i = 0; i < count; ++i)
    fan.vertices.emplace_back(100 * std::cos(2 * M_PI * i / count), 100 * std::sin(2 * M_PI * i / count), 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t a = 2 + i, b = 2 + (i + 1) % count;
    fan.triangles.push_back({0, a, b}), fan.triangles.push_back({1, b, a});
  }
  const Mesh solid = fan.mesh(true);
  ASSERT_NE(data_of(solid).cells, nullptr);
  EXPECT_LT(data_of(solid).cells->winding.size(), 8 * fan.triangles.size());
  EXPECT_EQ(solid.winding({30, 20, 0.1}), 1);
  EXPECT_EQ(solid.winding({30, 20, 0.9}), 0);
}

TEST(MeshCells, FollowVerticesThatMove) {
  const Soup ball = closed(8, true, 0.2);
  DeformingMesh deforming(ball.mesh(true));
  const Soup elsewhere = ball.moved({5, 0, 0}, 2);
  deforming.replace_vertices(elsewhere.vertices);
  const Mesh moved = deforming.mesh();
  EXPECT_EQ(moved.validate(), "");
  EXPECT_EQ(moved.winding({0, 0, 0}), 0);
  EXPECT_EQ(moved.winding({5, 0, 0}), 1);
  EXPECT_GT(moved.memory_bytes(), data_of(moved).cells->memory_bytes() + 100 * moved.size());
}

}  // namespace mesh_cells_test
}  // namespace graze_test
