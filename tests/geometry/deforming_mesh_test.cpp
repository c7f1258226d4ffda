// Everything derived from the vertices follows them: after any sequence of moves a mesh equals a new one.
#include "graze/geometry/deforming_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "geometry/mesh_data.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace deforming_mesh_test {

using graze::DeformingMesh;
using graze::Distance;
using graze::Mesh;
using graze::MeshTriangle;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Random;

// The pieces by brute force: triangles are joined while any two have a corner in common.
std::size_t count_pieces(const Soup& soup) {
  std::vector<std::size_t> label(soup.triangles.size());
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = i;
  const auto touch = [&](std::size_t i, std::size_t j) {
    for (const std::uint32_t u : soup.triangles[i]) {
      for (const std::uint32_t v : soup.triangles[j]) {
        if (soup.vertices[u] == soup.vertices[v]) return true;
      }
    }
    return false;
  };
  std::size_t count = label.size();
  for (std::size_t i = 0; i < label.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (label[i] == label[j] || !touch(i, j)) continue;
      const std::size_t from = label[i], to = label[j];
      for (std::size_t& l : label) l = l == from ? to : l;
      --count;
    }
  }
  return count;
}

template <class T>
bool same_bits(const graze::Buffer<T>& a, const graze::Buffer<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Everything derived, except for how the tree divides the triangles.
void expect_as_new(const Mesh& mesh, const Mesh& fresh) {
  const auto &a = data_of(mesh), &b = data_of(fresh);
  EXPECT_EQ(mesh.validate(), "");
  EXPECT_EQ(a.pieces, b.pieces);
  EXPECT_EQ(a.weld, b.weld);
  EXPECT_EQ(a.facing, b.facing);
  EXPECT_EQ(a.solid, b.solid);
  EXPECT_EQ(a.all_used, b.all_used);
  EXPECT_EQ(a.connected, b.connected);
  EXPECT_EQ(a.closed, b.closed);
  EXPECT_EQ(a.bounds, b.bounds);
  EXPECT_EQ(a.extent, b.extent);
  EXPECT_EQ(a.radius, b.radius);
  EXPECT_EQ(a.stamp, b.stamp);
  EXPECT_EQ(a.tree.origin, b.tree.origin);
  EXPECT_EQ(a.tree.rounding, b.tree.rounding);
  EXPECT_EQ(0, std::memcmp(&a.tree.root, &b.tree.root, sizeof a.tree.root));
}

void expect_as_built(const Mesh& mesh, const Mesh& fresh) {
  const auto &a = data_of(mesh), &b = data_of(fresh);
  EXPECT_EQ(a.tree_stamp, b.tree_stamp);
  EXPECT_TRUE(same_bits(a.tree.nodes, b.tree.nodes) && same_bits(a.tree.order, b.tree.order));
  EXPECT_EQ(a.tree.cost, b.tree.cost);
  EXPECT_EQ(a.tree.cost_at_build, b.tree.cost_at_build);
  EXPECT_TRUE(same_bits(a.blocks, b.blocks) && same_bits(a.wide, b.wide));
}

// Depths of non-convex solids may depend on the tree, but both intervals contain the truth: it is between
// value - rounding and value + tolerance of either.
void expect_same_distance(const Placed& a, const Placed& b, const Placed& other) {
  const Distance to_a = distance(a, other), to_b = distance(b, other);
  EXPECT_EQ(to_a.value > 0, to_b.value > 0);
  if (to_a.value > 0) {
    EXPECT_EQ(to_a.value, to_b.value);
    return;
  }
  const double rounding =
      1e-9 * (1 + bounds(a.geometry).half().norm() + bounds(a.geometry).center().cwiseAbs().maxCoeff());
  EXPECT_LE(to_a.value - rounding, to_b.value + to_b.tolerance);
  EXPECT_LE(to_b.value - rounding, to_a.value + to_a.tolerance);
}

void expect_answers_as_new(const Mesh& mesh, const Mesh& fresh, const Mesh& solid, Random& random) {
  const Vec3 middle = mesh.bounds().center();
  for (int i = 0; i < 2; ++i) {
    const Vec3 p = middle + Vec3(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2));
    EXPECT_EQ(mesh.winding(p), fresh.winding(p));
    const Placed ball = at(graze::Sphere{.radius = 0.3}, Pose::at(p));
    expect_same_distance(at(mesh), at(fresh), ball);
    EXPECT_EQ(collide(at(mesh), ball), collide(at(fresh), ball));
    const Placed other = at(solid, Pose::at(p));
    expect_same_distance(at(mesh), at(fresh), other);
    EXPECT_EQ(collide(at(mesh), other), collide(at(fresh), other));
  }
}

// Two triangles with a common corner; then one of them leaves.
TEST(DeformingMesh, NoticesThatConnectedPartsSeparate) {
  const Mesh cube = closed(1, false).moved(Vec3::Zero(), 10).mesh(true);
  std::vector<Vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {-1, 0, 0}, {0, -1, 0}};
  DeformingMesh two(vertices, std::vector<MeshTriangle>{{0, 1, 2}, {3, 4, 5}});
  EXPECT_EQ(data_of(two.mesh()).pieces.size(), 1u);
  for (std::size_t i = 0; i < 3; ++i) vertices[i].x() += 19;
  two.replace_vertices(vertices);
  EXPECT_EQ(data_of(two.mesh()).pieces.size(), 2u);
  EXPECT_TRUE(collide(at(two), at(cube))) << "one of them is still inside";
  EXPECT_LT(distance(at(two), at(cube)).value, 0);
  two.rebuild();
  EXPECT_LT(distance(at(two), at(cube)).value, 0);
  for (std::size_t i = 0; i < 3; ++i) vertices[i].x() -= 19;
  two.replace_vertices(vertices);
  EXPECT_EQ(data_of(two.mesh()).pieces.size(), 1u) << "they came together again";
}

TEST(DeformingMesh, FacesOutwardsAfterMirroring) {
  Soup box = closed(4, false);
  DeformingMesh mesh(box.mesh(true));
  for (Vec3& v : box.vertices) v.x() = -v.x();
  mesh.replace_vertices(box.vertices);
  EXPECT_EQ(data_of(mesh.mesh()).facing, -1);
  const Placed ball = at(graze::Sphere{.radius = 0.1}, Pose::at({1.05, 0.1, 0.2}));
  const Distance d = distance(at(mesh), ball), fresh = distance(at(box.mesh(true)), ball);
  EXPECT_EQ(d.value, fresh.value);
  EXPECT_EQ(d.normal, fresh.normal);
  mesh.rebuild();
  EXPECT_EQ(distance(at(mesh), ball).value, fresh.value);
}

TEST(DeformingMesh, RejectsMovesThatOpenASolid) {
  const Soup loose = loosened(closed(2, false));
  DeformingMesh mesh(loose.mesh(true));
  std::vector<Vec3> bent = loose.vertices;
  for (Vec3& v : bent) v = Vec3(v.x() + 0.2 * v.y(), v.y(), v.z());
  mesh.replace_vertices(bent);
  EXPECT_EQ(mesh.validate(), "");
  const std::uint64_t stamp = mesh.mesh().stamp();
  bent[4].z() += 0.01;
  const std::string why = refusal([&] { mesh.replace_vertices(bent); });
  EXPECT_NE(why.find("cannot stay solid"), std::string::npos) << why;
  EXPECT_NE(why.find("open at the edge of vertices"), std::string::npos) << why;
  EXPECT_EQ(mesh.mesh().stamp(), stamp) << "unchanged";
  EXPECT_EQ(mesh.validate(), "");
  // A shell may open.
  DeformingMesh shell(loose.mesh());
  shell.replace_vertices(bent);
  EXPECT_EQ(shell.validate(), "");
}

// One step of a random sequence. Returns false if the next vertices must be rejected.
bool bend(std::vector<Vec3>& v, const std::vector<Vec3>& start, Random& random) {
  const auto any = [&] { return static_cast<std::size_t>(random.integer(0, static_cast<int>(v.size()) - 1)); };
  switch (random.integer(0, 11)) {
    case 0:  // mirrored
      for (Vec3& p : v) p.y() = -p.y();
      break;
    case 1:  // one vertex leaves: coincident vertices separate
      v[any()] += Vec3(0.1, 0.2, random.uniform(-0.1, 0.1));
      break;
    case 2:  // vertices meet
      v[any()] = v[any()];
      break;
    case 3:  // some lattice: many meet
      for (Vec3& p : v) p = (2 * p).array().round().matrix() / 2;
      break;
    case 4:  // collapses to a point, a line or a plane
      for (Vec3& p : v) p.z() = 0.25;
      if (random.chance(0.5)) {
        for (Vec3& p : v) p.x() = -1;
      }
      if (random.chance(0.3)) {
        for (Vec3& p : v) p.y() = 0;
      }
      break;
    case 5:  // every vertex moves by itself
      for (Vec3& p : v) p += Vec3(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2));
      break;
    case 6:  // far away
      for (Vec3& p : v) p += Vec3(random.integer(-3, 3), 1e5 * random.integer(-1, 1), 0);
      break;
    case 7:  // the signs of zeros do not count
      for (Vec3& p : v) {
        if (p.x() == 0) p.x() = -p.x();
      }
      break;
    case 8:
      v = start;
      break;
    case 9:
      v[any()].y() = random.chance(0.5) ? std::nan("") : 1e16;
      return false;
    default:  // turned and scaled
      for (Vec3& p : v) p = Vec3(0.8 * p.x() - 0.6 * p.z(), 1.1 * p.y(), 0.6 * p.x() + 0.8 * p.z());
  }
  return true;
}

Soup start_of(int round, Random& random, bool& solid) {
  Soup soup;
  solid = round % 3 == 1;  // whose surface takes longer than everything else
  switch (round % 7) {
    case 0:
      soup = closed(1 + round % 2, true, 0.2);
      break;
    case 1:
      soup = loosened(closed(1 + round % 2, false));
      break;
    case 2:  // several, some of which touch
      soup = closed(1, false);
      soup.add(closed(1, false).moved({2, 0, 0}));
      soup.add(closed(1, true).moved({0, 5, 0}));
      break;
    case 3:
      soup = closed(1, true).turned_inside_out();
      soup.add(loosened(closed(1, false).moved({3, 0, 0})));
      break;
    case 4:  // with vertices that nothing uses
      soup = closed(1, false);
      soup.vertices.push_back({9, 9, 9});
      soup.vertices.push_back(soup.vertices[0]);
      break;
    default:
      solid = false;
      soup = random_soup(kLooks[static_cast<std::size_t>(round / 7) % std::size(kLooks)], 1 + round % 40, random);
  }
  return soup;
}

TEST(DeformingMesh, EqualsANewMeshAfterAnyMoves) {
  Random random(5);
  int refused = 0, opened = 0, parted = 0, turned = 0;
  const Mesh cube = closed(1, false).mesh(true);
  for (int round = 0, n = scaled(300); round < n && !HasFailure(); ++round) {
    bool solid = false;
    Soup soup = start_of(round, random, solid);
    const std::vector<Vec3> start = soup.vertices;
    DeformingMesh mesh(soup.mesh(solid));
    std::vector<std::pair<Mesh, std::uint64_t>> kept;
    for (int step = 0; step < 8 && !HasFailure(); ++step) {
      SCOPED_TRACE(testing::Message() << "round " << round << ", step " << step);
      std::vector<Vec3> next = soup.vertices;
      const std::vector<std::uint32_t> pieces = data_of(mesh.mesh()).pieces;
      const double facing = data_of(mesh.mesh()).facing;
      const std::uint64_t stamp = mesh.mesh().stamp();
      if (random.chance(0.5)) kept.emplace_back(mesh.mesh(), stamp);  // else the change is made in place
      const bool right = bend(next, start, random);
      const std::string no = refusal([&] { Mesh m(next, soup.triangles, {.solid = solid}); });
      EXPECT_TRUE(right || !no.empty());
      const std::string why = refusal([&] { mesh.replace_vertices(next, {.threads = 1 + step % 2}); });
      ASSERT_EQ(why.empty(), no.empty()) << why << " / " << no << ": a new mesh and a moved one are rejected alike";
      if (!why.empty()) {
        EXPECT_EQ(mesh.mesh().stamp(), stamp);
        EXPECT_EQ(mesh.validate(), "");
        ++(right ? opened : refused);
        continue;
      }
      soup.vertices = next;
      const Mesh fresh = soup.mesh(solid), now = mesh.mesh();
      expect_as_new(now, fresh);
      if (soup.triangles.size() < 60) {
        EXPECT_EQ(data_of(now).pieces.size(), count_pieces(soup));
      }
      parted += data_of(now).pieces != pieces ? 1 : 0;
      turned += data_of(now).facing != facing ? 1 : 0;
      expect_answers_as_new(now, fresh, cube, random);
      if (!random.chance(0.3)) continue;
      mesh.rebuild({.threads = 1 + step % 3});
      expect_as_new(mesh.mesh(), fresh);
      expect_as_built(mesh.mesh(), fresh);
    }
    for (const auto& [old, was] : kept) {
      EXPECT_EQ(old.stamp(), was);
      EXPECT_EQ(old.validate(), "") << "a state that a reader held was changed";
    }
  }
  EXPECT_GT(std::min({refused, opened, parted, turned}), scaled(15));
}

}  // namespace deforming_mesh_test
}  // namespace graze_test
