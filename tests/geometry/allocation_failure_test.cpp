// Memory runs out during construction or a change: nothing leaks or crashes, and existing objects stay as they were.
#include <gtest/gtest.h>

#include <vector>

#include "geometry/cloud_index.h"
#include "graze/geometry/bounding.h"
#include "graze/geometry/cloud_builder.h"
#include "graze/geometry/deforming_mesh.h"
#include "graze/geometry/moving_mesh.h"
#include "graze/index/bounds_tree.h"
#include "graze/index/bvh.h"
#include "graze/index/capt.h"
#include "graze/index/filter.h"
#include "graze/index/kd_tree.h"
#include "graze/index/point_grid.h"
#include "graze/shape/convex.h"
#include "support/allocation_failures.h"
#include "support/meshes.h"

namespace graze_test {
namespace allocation_failure_test {

using namespace graze;

std::vector<Vec3> some_points(std::size_t count) {
  graze_oracle::Random random(3);
  std::vector<Vec3> points(count);
  for (Vec3& p : points) p = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  return points;
}

Soup loose_and_more() {
  Soup loose;
  const Soup box = closed(3, false);
  for (const MeshTriangle& t : box.triangles)
    loose.add({{box.vertices[t[0]], box.vertices[t[1]], box.vertices[t[2]]}, {{0, 1, 2}}});
  loose.add(closed(2, true).moved({4, 0, 0}));
  return loose;
}

TEST(AllocationFailure, LeavesNoHalfBuiltMesh) {
  const Soup soup = loose_and_more();
  for (const bool solid : {false, true}) {
    fail_each_allocation("mesh", [&] { return Mesh(soup.vertices, soup.triangles, {solid, 1}).stamp(); });
    const Mesh mesh(soup.vertices, soup.triangles, {solid, 1});
    fail_each_allocation("report", [&] { return mesh.report().volume; });
    fail_each_allocation("validate", [&] { return mesh.validate().size(); });
  }
}

TEST(AllocationFailure, LeavesADeformingMeshAsItWas) {
  const Soup soup = loose_and_more();
  std::vector<Vec3> bent = soup.vertices, parted = soup.vertices;
  for (Vec3& v : bent) v = Vec3(v.x() + 0.2 * v.y(), v.y(), 1.5 * v.z());
  for (std::size_t i = 0; i < 3; ++i) parted[i].x() -= 9;
  for (const bool solid : {false, true}) {
    for (const bool held : {false, true}) {
      const Mesh start(soup.vertices, soup.triangles, {solid, 1});
      DeformingMesh mesh(start);
      mesh.replace_vertices(soup.vertices, {.threads = 1});
      const Mesh holder = held ? mesh.mesh() : Mesh();
      for (const auto* next : {&bent, &parted}) {
        if (solid && next == &parted) continue;
        const auto undone = [&] {
          const Mesh now = mesh.mesh();
          ASSERT_TRUE(now.stamp() == start.stamp() || now.stamp() == Mesh(*next, soup.triangles, {solid, 1}).stamp());
          ASSERT_EQ(now.validate(), "");
          mesh.replace_vertices(soup.vertices, {.threads = 1});
        };
        // The new state stays: its memory is freed when the old one is restored, outside the count.
        for (long after = 0;; ++after) {
          start_failing_allocations(after);
          bool threw = false;
          try {
            mesh.replace_vertices(*next, {.threads = 1});
          } catch (const std::bad_alloc&) {
            threw = true;
          }
          const FailedAllocation end = stop_failing_allocations();
          EXPECT_EQ(threw, end.failed);
          if (threw) {
            EXPECT_EQ(end.balance, 0) << "leaks when allocation " << after << " fails";
            EXPECT_EQ(mesh.mesh().stamp(), start.stamp());
          }
          undone();
          if (!end.failed) break;
        }
      }
      for (long after = 0;; ++after) {
        start_failing_allocations(after);
        bool threw = false;
        try {
          mesh.rebuild({.threads = 1});
        } catch (const std::bad_alloc&) {
          threw = true;
        }
        const FailedAllocation end = stop_failing_allocations();
        EXPECT_EQ(threw, end.failed);
        EXPECT_EQ(mesh.mesh().stamp(), start.stamp());
        ASSERT_EQ(mesh.validate(), "");
        if (!end.failed) break;
      }
    }
  }
}

TEST(AllocationFailure, LeavesAMovingMeshAsItWas) {
  const Soup soup = closed(4, true);
  std::vector<Vec3> next = soup.vertices;
  for (Vec3& v : next) v *= 2;
  const Mesh mesh(soup.vertices, soup.triangles, {.solid = true, .threads = 1});
  fail_each_allocation("moving mesh", [&] { return MovingMesh(mesh, next).bounds().max.x(); });
  MovingMesh moving(mesh, next);
  const Aabb before = moving.bounds();
  fail_each_allocation(
      "advance",
      [&] {
        MovingMesh copy = moving;
        copy.advance(soup.vertices);
        return copy.from().stamp();
      },
      [&] { EXPECT_EQ(moving.bounds(), before); });
}

TEST(AllocationFailure, LeavesNoHalfBuiltCloud) {
  const std::vector<Vec3> points = some_points(2500);
  std::vector<float> floats;
  std::vector<std::uint16_t> intensity(points.size(), 7);
  for (const Vec3& p : points) {
    for (int k = 0; k < 3; ++k) floats.push_back(static_cast<float>(p[k]));
  }
  fail_each_allocation("cloud", [&] { return Cloud(std::span<const Vec3>(points)).stamp(); });
  fail_each_allocation("tree of a cloud", [&] { return search_tree(Cloud(std::span<const Vec3>(points))).size(); });
  fail_each_allocation("cloud of floats", [&] {
    return Cloud(PointView(floats.data(), points.size()), {.radius = 0.1},
                 {{"intensity", ColumnView::of(std::span<const std::uint16_t>(intensity))}})
        .stamp();
  });
}

TEST(AllocationFailure, LeavesNoHalfBuiltIndex) {
  const std::vector<Vec3> points = some_points(1500);
  std::vector<float> floats;
  std::vector<Aabb> boxes;
  for (const Vec3& p : points) {
    for (int k = 0; k < 3; ++k) floats.push_back(static_cast<float>(p[k]));
    boxes.push_back(Aabb::around(p, Vec3::Constant(0.1)));
  }
  fail_each_allocation("bvh", [&] { return Bvh(boxes, {.threads = 1}).cost(); });
  fail_each_allocation("k-d tree", [&] { return KdTree(PointView(floats), {.threads = 1}).size(); });
  fail_each_allocation("point grid", [&] { return PointGrid(PointView(floats)).size(); });
  const PointView few(std::span<const float>(floats).first(150));
  fail_each_allocation("capt", [&] { return Capt(few, {.min_radius = 0.01, .max_radius = 0.1}).size(); });
  const Soup soup = closed(5, true);
  fail_each_allocation("bounds tree", [&] { return BoundsTree<Obb>(soup.vertices, soup.triangles).size(); });

  // Refitted or refilled, they are valid indices of either the old or the new contents.
  std::vector<float> others = floats;
  for (float& x : others) x = 1.5F * x + 1;
  const auto answers = [&](const PointGrid& grid) {
    std::vector<bool> hits;
    for (const Vec3& p : points) hits.push_back(grid.collides(1.2 * p, 0.1));
    return hits;
  };
  const std::vector<bool> before = answers(PointGrid(few)), after = answers(PointGrid(PointView(others)));
  for (long count = 0; !HasFailure(); ++count) {
    PointGrid grid(few);
    start_failing_allocations(count);
    try {
      grid.rebuild(PointView(others));
    } catch (const std::bad_alloc&) {
    }
    if (!stop_failing_allocations().failed) break;
    EXPECT_EQ(grid.validate(), "") << "rebuild of a point grid, when allocation " << count << " fails";
    EXPECT_TRUE(grid.size() == 0 || answers(grid) == before || answers(grid) == after) << count;
  }
  Bvh bvh(boxes, {.threads = 1});
  std::vector<Aabb> moved = boxes;
  for (Aabb& box : moved) box = {box.min + Vec3(1, 0, 0), box.max + Vec3(1, 0, 0)};
  fail_each_allocation(
      "refit of a bvh",
      [&] {
        bvh.refit(moved);
        return bvh.size();
      },
      [&] {
        EXPECT_TRUE(bvh.validate(boxes).empty() || bvh.validate(moved).empty());
        bvh.refit(boxes);
      });
}

TEST(AllocationFailure, LeavesNoHalfBuiltHull) {
  const std::vector<Vec3> points = some_points(60);
  fail_each_allocation("convex", [&] { return Convex::hull_of(points).stamp(); });
  std::vector<Vec3> flat = points;
  for (Vec3& p : flat) p.z() = 0;
  fail_each_allocation("flat convex", [&] { return Convex::hull_of(flat).stamp(); });
  const std::span<const Vec3> few = std::span<const Vec3>(points).first(16);
  fail_each_allocation("bounding sphere", [&] { return bounding_sphere(few).excess; });
  fail_each_allocation("bounding box", [&] { return bounding_box(few).box.half.x(); });
  fail_each_allocation("bounding capsule", [&] { return bounding_capsule(few).volume_over_hull; });
}

}  // namespace allocation_failure_test
}  // namespace graze_test
