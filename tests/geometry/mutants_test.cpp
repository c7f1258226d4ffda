// Cases that no test covered until a mutant of the library (`./dev mutate`) passed all tests.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "geometry/mesh_data.h"
#include "geometry/mesh_surface.h"
#include "graze/geometry/cloud_builder.h"
#include "graze/geometry/mesh.h"
#include "support/meshes.h"

namespace graze_test {
namespace mutants_test {

using graze::Cloud;
using graze::Mesh;
using graze::Vec3;

// A cube with a triangle in the middle of each face, too small to decide on which side of it the centre is.
Soup cube_with_specks(double half) {
  Soup soup;
  const double tiny = 1e-10 * half;
  const double u[] = {half, -half, -half, half, tiny, -0.5 * tiny, -0.5 * tiny};
  const double v[] = {half, half, -half, -half, 0, 0.875 * tiny, -0.875 * tiny};
  const graze::MeshTriangle of_face[] = {{4, 3, 0}, {4, 0, 5}, {5, 0, 1}, {5, 1, 2},
                                         {5, 2, 6}, {6, 2, 3}, {6, 3, 4}, {4, 5, 6}};
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const auto first = static_cast<std::uint32_t>(soup.vertices.size());
      for (int i = 0; i < 7; ++i) {
        Vec3 p;
        p[axis] = side * half, p[(axis + 1) % 3] = u[i], p[(axis + 2) % 3] = v[i];
        soup.vertices.push_back(p);
      }
      for (const graze::MeshTriangle& t : of_face) {
        if (side > 0) soup.triangles.push_back({first + t[0], first + t[1], first + t[2]});
        else soup.triangles.push_back({first + t[0], first + t[2], first + t[1]});
      }
    }
  }
  return soup;
}

TEST(MeshWinding, IsTheSumOfAllAnglesWhereNoRayIsConclusive) {
  for (const double half : {0.01, 1.0, 7.0, 1000.0}) {
    const Soup soup = cube_with_specks(half);
    EXPECT_EQ(soup.mesh(true).winding(Vec3::Zero()), 1) << half;
    EXPECT_EQ(soup.turned_inside_out().mesh(true).winding(Vec3::Zero()), -1) << half;
    Soup twice = soup;
    twice.add(cube_with_specks(2 * half));
    EXPECT_EQ(twice.mesh(true).winding(Vec3::Zero()), 2) << half;
    Soup hollow = cube_with_specks(half).turned_inside_out();
    hollow.add(cube_with_specks(2 * half));
    EXPECT_EQ(hollow.mesh(true).winding(Vec3::Zero()), 0) << half;
  }
}

Soup box(const Vec3& min, const Vec3& max) {
  Soup s = closed(1, false);
  for (Vec3& v : s.vertices) v = min + 0.5 * (v + Vec3::Ones()).cwiseProduct(max - min);
  return s;
}

// Of two boxes in one solid: convex if and only if they fill their common box.
TEST(MeshSurface, IsConvexWhereThePiecesFillTheirHull) {
  struct Case {
    Vec3 min, max;
    bool convex;
  };
  for (const Case& c :
       {Case{{1, 0, 0}, {3, 2, 2}, true}, Case{{0.5, 0.5, 0.5}, {1, 1, 1}, true}, Case{{0, 0, 0}, {2, 2, 3}, true},
        Case{{1, 0, 0}, {3, 1, 2}, false}, Case{{1, 0, 0}, {3, 2, 1}, false}, Case{{1, 1, 0}, {3, 3, 2}, false},
        Case{{0.5, 0.5, 1}, {1.5, 1.5, 3}, false}, Case{{-1, 0.5, 0.5}, {3, 1.5, 1.5}, false},
        Case{{1, 1e-3, 0}, {3, 2, 2}, false}}) {
    Soup soup = box({0, 0, 0}, {2, 2, 2});
    soup.add(box(c.min, c.max));
    const Mesh solid = soup.mesh(true);
    EXPECT_EQ(data_of(solid).surface->convex, c.convex) << c.min.transpose() << " to " << c.max.transpose();
    EXPECT_TRUE(data_of(solid).surface->certain);
  }
}

// Everything it stores is counted: points, blocks and every column.
TEST(Cloud, CountsAllItsMemory) {
  const std::size_t count = 200 * Cloud::kBlock;
  std::vector<Vec3> points(count);
  std::vector<double> values(count, 1.5);
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<double>(i);
    points[i] = Vec3(4.5e6 + 0.001 * t, std::sin(t), 0.1 * t);
  }
  const Cloud plain(points);
  const std::vector<float> floats(3 * count, 0.5F);
  const Cloud small{graze::PointView(floats)};
  EXPECT_GE(small.blocks().size(), 200u);
  EXPECT_GE(small.memory_bytes(), floats.size() * sizeof(float) + small.blocks().size_bytes());
  const graze::ColumnView column = graze::ColumnView::of(std::span<const double>(values));
  const Cloud with(points, {}, {{"one", column}, {"other", column}});
  EXPECT_GE(with.memory_bytes(), plain.memory_bytes() + 2 * count * sizeof(double));
  EXPECT_LE(with.memory_bytes(), plain.memory_bytes() + 2 * (count + 1000) * sizeof(double));
}

// The first edge, in the order of the triangles, that is used more often in one direction than in the other; compared
// by positions, so that it is the same for triangles with vertices of their own.
TEST(MeshReport, NamesTheFirstOpenEdge) {
  for (int missing = 0; missing < 12; ++missing) {
    Soup open = closed(1, false);
    open.triangles.erase(open.triangles.begin() + missing);
    for (const Soup& soup : {open, loosened(open)}) {
      const auto at = [&](std::size_t t, std::size_t k) { return soup.vertices[soup.triangles[t][k % 3]]; };
      std::optional<std::array<std::uint32_t, 2>> expected;
      for (std::size_t t = 0; t < soup.triangles.size() && !expected; ++t) {
        for (std::size_t k = 0; k < 3 && !expected; ++k) {
          int balance = 0;
          for (std::size_t u = 0; u < soup.triangles.size(); ++u) {
            for (std::size_t j = 0; j < 3; ++j) {
              balance += at(u, j) == at(t, k) && at(u, j + 1) == at(t, k + 1) ? 1 : 0;
              balance -= at(u, j) == at(t, k + 1) && at(u, j + 1) == at(t, k) ? 1 : 0;
            }
          }
          if (balance != 0) expected = {soup.triangles[t][k], soup.triangles[t][(k + 1) % 3]};
        }
      }
      const graze::MeshReport report = soup.mesh().report();
      EXPECT_EQ(report.first_open_edge, expected) << "without triangle " << missing;
      EXPECT_EQ(report.open_edges, 3u);
    }
  }
}

// Nothing is stored of a point that is skipped, whichever of its coordinates was not finite.
TEST(Cloud, StoresNothingOfSkippedPoints) {
  for (const double far : {0.0, 4.5e6}) {
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<Vec3> points(9, Vec3(far + 0.1, 0.2, 0.3));
      for (const std::size_t i : {std::size_t{0}, std::size_t{4}, std::size_t{8}}) {
        points[i][axis] = i == 4 ? graze::kInfinity : std::nan("");
      }
      const Cloud cloud(points);
      for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(std::isnan(cloud.stored()[3 * i + k]), i % 4 == 0) << i;
      }
    }
  }
}

}  // namespace mutants_test
}  // namespace graze_test
