// Two meshes with bounds of every kind: the same answers as the default tree.
#include "graze/query/bounded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/graze.h"
#include "support/allocations.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace bounded_test {

using namespace graze;
using graze_oracle::Random;

template <class Bound>
class BoundedMeshes : public testing::Test {};
using Kinds = testing::Types<Aabb, Obb, Rss, KDop<16>, KDop<18>, KDop<24>>;
TYPED_TEST_SUITE(BoundedMeshes, Kinds);

template <class Bound>
typename BoundedMesh<Bound>::Options options_of(int i) {
  const SplitRule splits[] = {split::surface_area, split::middle, split::mean, split::median, split::principal};
  typename BoundedMesh<Bound>::Options options{.split = splits[i % 5],
                                               .leaf_size = 1 + static_cast<std::size_t>(i % 3)};
  if constexpr (BoundsTree<Bound>::kOriented) {
    const FitRule fits[] = {fit::principal, fit::frame, fit::smallest};
    options.fit = fits[i % 3];
  }
  return options;
}

TYPED_TEST(BoundedMeshes, AnswerLikeMeshes) {
  Random random(1);
  int hits = 0, frees = 0;
  for (int i = 0, n = scaled(90); i < n && !this->HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Look look = kLooks[static_cast<std::size_t>(i) % std::size(kLooks)];
    const Soup a = random_soup(look, i % 20 == 19 ? 0 : 1 + i * 7 % 90, random);
    Soup b = random_soup(i % 2 == 0 ? Look::ball : Look::soup, 40, random);
    if (look == Look::tiny) b = b.moved(Vec3::Zero(), 1e-6);
    const Mesh mesh_a = a.mesh(), mesh_b = b.mesh();
    const BoundedMesh<TypeParam> bounded_a(a.vertices, a.triangles, options_of<TypeParam>(i)),
        bounded_b(b.vertices, b.triangles, options_of<TypeParam>(i + 1));
    const Vec3 center = mesh_a.empty() ? Vec3(Vec3::Zero()) : mesh_a.bounds().center();
    const double size = mesh_a.empty() ? 1 : (mesh_a.bounds().max - mesh_a.bounds().min).norm();
    const Pose pose_a = random_pose_near(random, Vec3::Zero(), 1);
    const Pose pose_b = random_pose_near(random, pose_a * center, i % 3 == 0 ? size / 3 : 1.5 * size);
    const Placed placed_a = at(mesh_a, pose_a), placed_b = at(mesh_b, pose_b);
    for (const double margin : {0.0, 0.1 * size}) {
      const bool hit = collide(placed_a, placed_b, {.margin = margin});
      EXPECT_EQ(collide(bounded_a, pose_a, bounded_b, pose_b, margin), hit) << "margin " << margin;
      EXPECT_EQ(collide(bounded_b, pose_b, bounded_a, pose_a, margin), hit) << "margin " << margin;
      (hit ? hits : frees) += 1;
    }
    const double deep = -0.01 * size;
    EXPECT_LE(collide(bounded_a, pose_a, bounded_b, pose_b, deep), collide(placed_a, placed_b, {.margin = deep}));
    const Distance d = distance(placed_a, placed_b), e = distance(bounded_a, pose_a, bounded_b, pose_b),
                   f = distance(bounded_b, pose_b, bounded_a, pose_a);
    EXPECT_EQ(e.beyond, d.beyond);
    EXPECT_EQ(e.value, d.value);
    EXPECT_EQ(e.a, d.a);
    EXPECT_EQ(e.b, d.b);
    EXPECT_EQ(f.value, e.value);
    EXPECT_EQ(f.a, e.b);
    EXPECT_EQ(f.on_a, e.on_b);
    EXPECT_NEAR((e.on_a - d.on_a).norm() + (e.on_b - d.on_b).norm(), 0, 1e-9 * (1 + pose_b.translation().norm()));
    // For overlaps, Mesh derives its tolerance from the boxes around both, these from the triangles.
    EXPECT_LE(e.tolerance, d.tolerance + 1e-9 * (1 + d.tolerance + pose_b.translation().norm()));
    if (d.value > 0) {
      EXPECT_EQ(e.tolerance, d.tolerance);
    }
    if (d.value > 0 && !d.beyond) {
      EXPECT_TRUE(distance(bounded_a, pose_a, bounded_b, pose_b, 0.99 * d.value).beyond);
      EXPECT_EQ(distance(bounded_a, pose_a, bounded_b, pose_b, 1.01 * d.value).value, d.value);
    }
  }
  EXPECT_GT(hits, scaled(30));
  EXPECT_GT(frees, scaled(30));
}

TYPED_TEST(BoundedMeshes, FollowTheirVertices) {
  Random random(2);
  const Soup soup = closed(6, true, 0.2);
  BoundedMesh<TypeParam> bounded(soup.vertices, soup.triangles);
  Soup bent = soup;
  for (Vec3& v : bent.vertices) v = Vec3(v.x() + 0.5 * v.z() * v.z(), 0.3 * v.y(), v.z());
  bounded.replace_vertices(bent.vertices);
  EXPECT_EQ(bounded.validate(), "");
  const Mesh mesh = bent.mesh();
  for (int rebuilt = 0; rebuilt < 2; ++rebuilt) {
    for (int i = 0; i < scaled(20); ++i) {
      const Pose pose = random_pose_near(random, Vec3::Zero(), 2);
      EXPECT_EQ(distance(bounded, {}, bounded, pose).value, distance(at(mesh), at(mesh, pose)).value);
    }
    bounded.rebuild();
    EXPECT_EQ(bounded.cost_ratio(), 1);
  }
}

// The same corners at the same positions, with different triangles.
TYPED_TEST(BoundedMeshes, OfTheSameVerticesAnswerAlikeInBothOrders) {
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0.1}, {0, 1, 0.2}, {0.3, 0.4, 1}, {0.2, 0.3, 0.5}, {1, 1, 0.6}};
  const std::vector<graze::MeshTriangle> low{{0, 1, 2}, {3, 4, 5}}, high{{3, 4, 0}, {5, 1, 2}};
  const BoundedMesh<TypeParam> a(corners, low), b(corners, high);
  const Distance d = distance(a, {}, b, {}), e = distance(b, {}, a, {});
  EXPECT_EQ(d.value, e.value);
  EXPECT_EQ(d.a, e.b);
  EXPECT_EQ(d.b, e.a);
  EXPECT_EQ(d.on_a, e.on_b);
  EXPECT_EQ(d.normal, -e.normal);
}

TYPED_TEST(BoundedMeshes, DoNotAllocateInQueries) {
  const Soup soup = closed(5, true, 0.1);
  const BoundedMesh<TypeParam> mesh(soup.vertices, soup.triangles);
  const Pose pose = Pose::from_rpy({2.1, 0.1, 0}, 0.1, 0.7, 0.3);
  EXPECT_EQ(allocations_of([&] {
              EXPECT_FALSE(collide(mesh, {}, mesh, pose));
              EXPECT_GT(distance(mesh, {}, mesh, pose).value, 0);
            }),
            0);
  EXPECT_TRUE(collide(mesh, {}, mesh, pose, std::nan(""))) << "a margin that is not a number";
}

}  // namespace bounded_test
}  // namespace graze_test
