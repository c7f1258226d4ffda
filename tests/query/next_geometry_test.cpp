// What a new geometry and a new question need: a terrain that graze does not know, and a question that it does not
// have. The terrain presents itself as a hierarchy and gets every verb; the question handles boxes and primitives and
// is answered for every hierarchy. Neither traverses a tree itself. See docs/architecture.md.
#include <gtest/gtest.h>

#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "query/cloud_tree.h"
#include "query/contact_query.h"
#include "query/mesh_ask.h"
#include "support/scale.h"

namespace graze_test {
namespace next_geometry_test {

using namespace graze;
using graze_oracle::Random;

// ---- The geometry: heights on a square grid, two triangles per cell, a tree of four children per node ------------

class Terrain {
 public:
  static constexpr int kCells = 16;
  static constexpr std::size_t kMaxDepth = 4, kMaxChildren = 4;
  struct Node {
    int x, y, size;  // cells
  };

  explicit Terrain(Random& random) {
    for (double& z : heights_) z = random.uniform(0, 2);
  }

  bool empty() const { return false; }
  Node root() const { return {0, 0, kCells}; }
  bool is_leaf(Node node) const { return node.size == 1; }
  std::size_t children(Node) const { return 4; }
  Node child(Node node, std::size_t i) const {
    const int half = node.size / 2;
    return {node.x + (i % 2 == 0 ? 0 : half), node.y + (i < 2 ? 0 : half), half};
  }
  Aabb bounds(Node node) const {
    Aabb box;
    for (int x = node.x; x <= node.x + node.size; ++x) {
      for (int y = node.y; y <= node.y + node.size; ++y) box.extend(corner(x, y));
    }
    return box;
  }
  std::size_t first(Node leaf) const { return 2 * static_cast<std::size_t>(leaf.y * kCells + leaf.x); }
  std::size_t last(Node leaf) const { return first(leaf) + 2; }

  Triangle primitive(std::size_t i) const {
    const int x = static_cast<int>(i / 2) % kCells, y = static_cast<int>(i / 2) / kCells;
    if (i % 2 == 0) return {corner(x, y), corner(x + 1, y), corner(x + 1, y + 1)};
    return {corner(x, y), corner(x + 1, y + 1), corner(x, y + 1)};
  }
  static constexpr std::size_t size() { return 2 * kCells * kCells; }

 private:
  Vec3 corner(int x, int y) const {
    return {static_cast<double>(x), static_cast<double>(y), heights_[static_cast<std::size_t>(y * (kCells + 1) + x)]};
  }
  std::vector<double> heights_ = std::vector<double>((kCells + 1) * (kCells + 1));
};

const Terrain& hierarchy_of(const Terrain& terrain) { return terrain; }

Mesh mesh_of(const Terrain& terrain) {
  std::vector<Vec3> corners;
  std::vector<MeshTriangle> triangles;
  for (std::size_t i = 0; i < Terrain::size(); ++i) {
    const Triangle t = terrain.primitive(i);
    const auto at = static_cast<std::uint32_t>(corners.size());
    corners.insert(corners.end(), {t.a(), t.b(), t.c()});
    triangles.push_back({at, at + 1, at + 2});
  }
  return Mesh(corners, triangles);
}

Pose any_pose(Random& random) {
  return Pose::from_rpy({random.uniform(-2, 18), random.uniform(-2, 18), random.uniform(-1, 4)}, random.uniform(-3, 3),
                        random.uniform(-1, 1), random.uniform(-3, 3));
}

// `body` at a pose in the terrain's frame: the traversal against the same terrain as a mesh.
template <class Body>
void expect_verbs(const Terrain& terrain, const Mesh& mesh, const Body& body, const Pose& pose) {
  const Relative relative(pose, Pose());  // the terrain as the body sees it
  const Distance expected = distance(at(body, pose), at(mesh), {.depth = false});

  CollideQuery collides(relative, 0, nullptr);
  ask(body, terrain, relative, collides);
  EXPECT_EQ(collides.hit(), collide(at(body, pose), at(mesh)));

  DistanceQuery nearest(relative, {.depth = false});
  ask(body, terrain, relative, nearest);
  if (expected.value > 0) {
    EXPECT_NEAR(nearest.best().value, expected.value, nearest.best().tolerance + expected.tolerance + 1e-12);
  } else {
    EXPECT_LE(nearest.best().value, expected.tolerance);
  }

  constexpr double kMargin = 0.2;
  ContactQuery touching(relative, kMargin, nullptr);
  ask(body, terrain, relative, touching);
  EXPECT_EQ(touching.empty(), !collide(at(body, pose), at(mesh), {.margin = kMargin}));
}

TEST(NextGeometry, GetsEveryVerbWithoutItsOwnTraversal) {
  Random random(1);
  int hits = 0;
  for (int i = 0, n = scaled(60); i < n; ++i) {
    const Terrain terrain(random);
    const Mesh mesh = mesh_of(terrain);
    const Pose pose = any_pose(random);
    hits += collide(at(Sphere{.radius = 0.5}, pose), at(mesh)) ? 1 : 0;
    expect_verbs(terrain, mesh, Sphere{.radius = 0.5}, pose);
    expect_verbs(terrain, mesh, Capsule{.radius = 0.3, .half_length = 0.5}, pose);
    expect_verbs(terrain, mesh, Box{.half = {0.5, 1, 0.25}}, pose);
    expect_verbs(terrain, mesh, Cylinder{.radius = 0.4, .half_length = 0.5}, pose);
    expect_verbs(terrain, mesh, Cone{.radius = 0.4, .half_length = 0.5}, pose);
    expect_verbs(terrain, mesh, Ellipsoid{.radii = {0.2, 0.5, 1}}, pose);
    std::vector<Vec3> points;
    for (int k = 0; k < 40; ++k)
      points.push_back({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
    expect_verbs(terrain, mesh, Convex::hull_of(points), pose);
    if (HasFailure()) FAIL() << "round " << i;
  }
  EXPECT_GT(hits, 0);
}

TEST(NextGeometry, WorksWithItsOwnKindAndOthersMadeOfParts) {
  Random random(2);
  for (int i = 0, n = scaled(20); i < n; ++i) {
    const Terrain a(random), b(random);
    const Mesh mesh_a = mesh_of(a), mesh_b = mesh_of(b);
    const Pose pose = any_pose(random);
    const Relative relative(Pose(), pose);
    CollideQuery query(relative, 0, nullptr);
    ask(a, b, relative, query);
    EXPECT_EQ(query.hit(), collide(at(mesh_a), at(mesh_b, pose)));

    std::vector<Vec3> points;
    for (int k = 0; k < 50; ++k)
      points.push_back({random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)});
    const Cloud cloud(std::span<const Vec3>(points), {.radius = 0.1});
    DistanceQuery nearest(relative, {.depth = false});
    ask(a, cloud, relative, nearest);
    const Distance expected = distance(at(mesh_a), at(cloud, pose), {.depth = false});
    if (expected.value > 0) EXPECT_NEAR(nearest.best().value, expected.value, 1e-9);
    else EXPECT_LE(nearest.best().value, expected.tolerance);
  }
}

// ---- The question: how far does a geometry reach along a direction? -------------------------------------------------

struct Farthest {
  Vec3 n;
  double reach = -kInfinity;

  // One shrinking number: minus how far.
  double bound(const Aabb& box) const { return -(n.dot(box.center()) + n.cwiseAbs().dot(box.half())) - 1e-12; }
  double limit() const { return -reach; }
  void take(const Triangle& t) { reach = std::max({reach, n.dot(t.a()), n.dot(t.b()), n.dot(t.c())}); }
  template <class H>
  void leaf(const H& h, std::size_t i) {
    const auto& part = h.primitive(i);
    if constexpr (requires { part.triangle; }) take(part.triangle);
    else if constexpr (requires { part.center; }) reach = std::max(reach, n.dot(part.center) + part.sphere.radius);
    else take(part);
  }
};

template <class Body>
double farthest(const Body& body, const Vec3& n) {
  Farthest query{n};
  traverse(hierarchy_of(body), query);
  return query.reach;
}

TEST(NextQuestion, IsAnsweredAboutEveryHierarchy) {
  Random random(3);
  for (int i = 0, rounds = scaled(30); i < rounds; ++i) {
    const Terrain terrain(random);
    const Vec3 n = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)).normalized();
    std::vector<Vec3> corners;
    double expected = -kInfinity;
    for (std::size_t k = 0; k < Terrain::size(); ++k) {
      for (const Vec3& p : {terrain.primitive(k).a(), terrain.primitive(k).b(), terrain.primitive(k).c()}) {
        corners.push_back(p);
        expected = std::max(expected, n.dot(p));
      }
    }
    EXPECT_DOUBLE_EQ(farthest(terrain, n), expected);
    EXPECT_DOUBLE_EQ(farthest(mesh_of(terrain), n), expected);
    EXPECT_NEAR(farthest(Cloud(std::span<const Vec3>(corners), {.radius = 0.25}), n), expected + 0.25, 1e-12);
  }
}

}  // namespace next_geometry_test
}  // namespace graze_test
