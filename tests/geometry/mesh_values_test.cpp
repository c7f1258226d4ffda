// Meshes and clouds as values: copied, moved from, held by readers while the owner continues.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "geometry/cloud_index.h"
#include "graze/geometry/deforming_mesh.h"
#include "graze/geometry/moving_mesh.h"
#include "graze/query/collide.h"
#include "graze/shape/convex.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace mesh_values_test {

using graze::DeformingMesh;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::Vec3;

TEST(Values, ThatWereMovedFromAnswerAsBefore) {
  const Soup soup = closed(2, false);
  const Placed ball = at(graze::Sphere{.radius = 0.5}, Pose::at({1, 0, 0}));
  Mesh mesh = soup.mesh(true);
  const Mesh taken = std::move(mesh);
  EXPECT_EQ(mesh.size(), taken.size());  // NOLINT(bugprone-use-after-move): this is the test
  EXPECT_TRUE(collide(at(mesh), ball));
  EXPECT_EQ(mesh.validate(), "");
  EXPECT_EQ(mesh.report().pieces, 1u);
  EXPECT_NE(mesh.winding(Vec3::Zero()), 0);
  mesh = Mesh();
  EXPECT_EQ(taken.validate(), "");

  graze::Cloud cloud{std::span<const Vec3>(soup.vertices)};
  const graze::Cloud other = std::move(cloud);
  EXPECT_EQ(cloud.size(), other.size());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(cloud.point(1), other.point(1));
  EXPECT_EQ(search_tree(cloud).size(), search_tree(other).size());

  graze::MovingMesh moving(taken);
  const graze::MovingMesh gone = std::move(moving);
  EXPECT_EQ(moving.validate(), "");  // NOLINT(bugprone-use-after-move)
  moving.advance(soup.vertices);
  EXPECT_EQ(gone.to().size(), soup.vertices.size());

  graze::Convex hull = graze::Convex::hull_of(soup.vertices);
  const graze::Convex same = std::move(hull);
  EXPECT_EQ(hull.stamp(), same.stamp());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(collide(at(hull), ball));
  Placed wedge = at(same);
  const Placed taken_over = std::move(wedge);
  EXPECT_TRUE(collide(wedge, ball));  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(collide(taken_over, ball));

  Placed placed = at(taken);
  const Placed elsewhere = std::move(placed);
  EXPECT_TRUE(collide(placed, ball));  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(collide(elsewhere, ball));

  DeformingMesh deforming(taken);
  deforming.replace_vertices(soup.vertices);
  DeformingMesh successor = std::move(deforming);
  std::vector<Vec3> larger = soup.vertices;
  for (Vec3& v : larger) v *= 2;
  successor.replace_vertices(larger);
  EXPECT_EQ(deforming.mesh().stamp(), taken.stamp());  // NOLINT(bugprone-use-after-move)
  deforming.replace_vertices(larger);
  EXPECT_EQ(deforming.mesh().stamp(), successor.mesh().stamp());
  successor = deforming;
  deforming.replace_vertices(soup.vertices);
  EXPECT_EQ(successor.bounds().max.x(), 2);
  EXPECT_EQ(deforming.validate() + successor.validate(), "");
}

TEST(DeformingMesh, IsChangedInPlaceOnlyWhileNobodyHoldsIt) {
  const Soup soup = closed(6, true);
  std::vector<Vec3> larger = soup.vertices;
  for (Vec3& v : larger) v *= 2;
  DeformingMesh mesh(soup.mesh());
  mesh.replace_vertices(larger);
  const Vec3* where = mesh.vertices().data();
  mesh.replace_vertices(soup.vertices);
  EXPECT_EQ(mesh.vertices().data(), where) << "in place";
  (void)collide(at(mesh), at(mesh, Pose::at({3, 0, 0})));
  mesh.replace_vertices(larger);
  EXPECT_EQ(mesh.vertices().data(), where) << "a temporary does not hold the state";
  const Mesh held = mesh.mesh();
  const Mesh copy = held;
  mesh.replace_vertices(soup.vertices);
  EXPECT_NE(mesh.vertices().data(), where);
  EXPECT_EQ(copy.bounds().max.x(), 2);
  // A state outlives its owner.
  Mesh last;
  {
    DeformingMesh shortly(held);
    shortly.replace_vertices(soup.vertices);
    last = shortly.mesh();
  }
  EXPECT_EQ(last.validate(), "");
  EXPECT_EQ(last.stamp(), soup.mesh().stamp());
}

// Readers on other threads see complete states while the writer continues.
TEST(ConcurrentDeformingMesh, GivesCompleteStates) {
  const Soup soup = closed(6, true);
  DeformingMesh mesh(soup.mesh(true));
  std::vector<std::uint64_t> stamps;
  std::vector<std::vector<Vec3>> shapes;
  for (int i = 0; i < 4; ++i) {
    shapes.push_back(soup.vertices);
    for (Vec3& v : shapes.back()) v *= 1 + 0.25 * i;
    stamps.push_back(Mesh(shapes.back(), soup.triangles, {.solid = true}).stamp());
  }
  std::mutex mutex;
  Mesh published = mesh.mesh();
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0}, read{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&] {
      while (!stop) {
        Mesh mine;
        {
          const std::scoped_lock lock(mutex);
          mine = published;
        }
        const double size = mine.bounds().max.x();
        for (const Vec3& v : mine.vertices()) torn += v.norm() > size + 1e-9 ? 1 : 0;
        ++read;
      }
    });
  }
  for (int i = 0, n = scaled(2000); i < n || read < 10; ++i) {
    mesh.replace_vertices(shapes[static_cast<std::size_t>(i) % 4], {.threads = 1});
    const Mesh next = mesh.mesh();
    ASSERT_EQ(next.stamp(), stamps[static_cast<std::size_t>(i) % 4]);
    const std::scoped_lock lock(mutex);
    published = next;
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace mesh_values_test
}  // namespace graze_test
