// Which parts of a mesh are connected, and that nothing else depends on the tessellation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/mesh_data.h"
#include "geometry/mesh_weld.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace mesh_pieces_test {

using graze::Mesh;
using graze::MeshTriangle;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Random;

TEST(Mesh, CountsItsPieces) {
  // Of many sizes, around the powers of two at which small counters overflow; a fan, a strip and loose triangles.
  for (const int n : {1, 2, 5, 6, 7, 8, 12, 20, 33, 75}) {
    for (const bool loose : {false, true}) {
      for (const std::size_t copies : {1U, 2U, 3U}) {
        Soup soup;
        for (std::size_t i = 0; i < copies; ++i) soup.add(closed(n, false).moved({4.0 * static_cast<double>(i), 0, 0}));
        if (loose) soup = loosened(soup);
        const Mesh mesh = soup.mesh();
        EXPECT_EQ(mesh.report().pieces, copies) << soup.triangles.size() << " triangles";
        EXPECT_EQ(data_of(mesh).pieces.size(), copies) << soup.triangles.size() << " triangles";
      }
    }
  }
  for (const int count : {255, 256, 257, 511, 512, 513, 65536}) {
    Soup fan;
    fan.vertices.push_back(Vec3::Zero());
    for (int i = 0; i <= count; ++i) fan.vertices.push_back({std::cos(0.01 * i), std::sin(0.01 * i), 1e-4 * i});
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) fan.triangles.push_back({0, i + 1, i + 2});
    EXPECT_EQ(data_of(fan.mesh()).pieces.size(), 1u) << count;
  }
  Soup many;
  for (int i = 0; i < 600; ++i) {
    const double x = 3.0 * i;
    many.add({{{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}}, {{0, 1, 2}}});
  }
  EXPECT_EQ(many.mesh().report().pieces, 600u);
}

TEST(Mesh, NumbersPiecesByTheirLowestVertexAndWeldsOnlyWhereNeeded) {
  Soup two = closed(1, false);
  two.add(closed(1, false).moved({5, 0, 0}));
  EXPECT_EQ(data_of(two.mesh(true)).pieces, (std::vector<std::uint32_t>{0, 8}));
  std::reverse(two.triangles.begin(), two.triangles.end());
  EXPECT_EQ(data_of(two.mesh()).pieces, (std::vector<std::uint32_t>{8, 0})) << "in the order of the triangles";
  EXPECT_EQ(data_of(two.mesh()).weld.size(), 16u);
  const Mesh one = closed(2, false).mesh(true);
  EXPECT_TRUE(data_of(one).connected && data_of(one).closed && data_of(one).weld.empty());
  const Mesh loose = loosened(closed(2, false)).mesh(true);
  EXPECT_TRUE(!data_of(loose).connected && !data_of(loose).closed && !data_of(loose).weld.empty());
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(refusal([&] {
              Mesh(corners, std::vector<MeshTriangle>{{1, 2, 0}}, {.solid = true});
            }),
            "mesh: cannot be solid: it is open at the edge of vertices 1 and 2, and 3 edges in all");
}

// The same body, however it is tessellated.
TEST(Mesh, AnswersTheSameForAnyTessellation) {
  const Mesh coarse = closed(1, false).mesh(true), cube = closed(1, false).moved(Vec3::Zero(), 10).mesh(true);
  for (const int n : {2, 5, 8, 15, 30}) {
    const Mesh fine = closed(n, false).mesh(true);
    for (const Vec3& p : {Vec3(0, 0, 0), Vec3(7.5, 0.5, -0.25), Vec3(-3, 8.5, 1)}) {
      EXPECT_NEAR(distance(at(fine, Pose::at(p)), at(cube)).value, distance(at(coarse, Pose::at(p)), at(cube)).value,
                  1e-9)
          << n;
      EXPECT_EQ(collide(at(fine, Pose::at(2 * p)), at(cube)), collide(at(coarse, Pose::at(2 * p)), at(cube)));
    }
  }
}

struct SameHash {
  std::uint64_t operator()(const Vec3&) const { return 0; }
};

TEST(Weld, FindsTheLowestIndexAtEveryPosition) {
  Random random(9);
  graze::Buffer<std::uint32_t> table;
  for (int round = 0, n = scaled(300); round < n && !HasFailure(); ++round) {
    std::vector<Vec3> points(static_cast<std::size_t>(random.integer(0, 400)));
    for (Vec3& p : points) {
      p = Vec3(random.integer(-2, 2), random.integer(-2, 2), random.integer(-2, 2)) * (random.chance(0.5) ? 0.5 : -0.5);
      if (round % 3 == 0) p += 1e6 * Vec3(1, 2, random.integer(0, 5));
    }
    std::vector<std::uint32_t> truth(points.size());
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      truth[i] = i;
      for (std::uint32_t j = i; j-- > 0;) truth[i] = points[j] == points[i] ? j : truth[i];
    }
    EXPECT_EQ(graze::mesh::welded(points, table), truth);
    EXPECT_EQ(graze::mesh::welded_by_sorting(points), truth);
    EXPECT_EQ(graze::mesh::welded<SameHash>(points, table), truth);
    EXPECT_TRUE(graze::mesh::is_welded(points, truth, table));
    if (points.empty()) continue;
    std::vector<Vec3> other = points;
    const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(points.size()) - 1));
    const auto j = static_cast<std::size_t>(random.integer(0, static_cast<int>(points.size()) - 1));
    other[i] = random.chance(0.5) ? points[j] : Vec3(points[i] + Vec3(0, 0, 1e-3));
    EXPECT_EQ(graze::mesh::is_welded(other, truth, table), graze::mesh::welded(other, table) == truth);
  }
  // Positions with equal hashes are found by sorting.
  std::vector<Vec3> line;
  for (int i = 0; i < 1000; ++i) line.emplace_back(i % 500, 0, 0);
  EXPECT_EQ(graze::mesh::welded<SameHash>(line, table), graze::mesh::welded_by_sorting(line));
}

}  // namespace mesh_pieces_test
}  // namespace graze_test
