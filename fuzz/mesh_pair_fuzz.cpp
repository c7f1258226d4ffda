// Bytes → two sets of triangles, shells or solids, at two poses → every verb; then vertices move, meet and separate,
// and every verb runs again. The answers must be those of all pairs of triangles in exact arithmetic, in both orders,
// with and without a cache; and a mesh whose vertices moved must equal a new one.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fuzz/exact_soup.h"
#include "fuzz/fuzz.h"
#include "geometry/mesh_data.h"
#include "graze/base/error.h"
#include "graze/graze.h"
#include "support/refusal.h"

namespace {

using graze::DeformingMesh;
using graze::Distance;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_fuzz::ExactSoup;
using graze_fuzz::expect;
using graze_fuzz::PoseNumbers;
using graze_test::Soup;

constexpr std::size_t kMaxTriangles = 12;

class Choices : public graze_fuzz::Bytes {
 public:
  using Bytes::Bytes;

  // Mostly small lattice numbers, which meet each other exactly; also other scales, and any bits at all.
  double number() {
    const std::uint8_t how = byte();
    if (how < 240) return small() / 32.0;
    if (how < 252) {
      const double digits = small();
      return digits * std::ldexp(1.0, small() / 4);
    }
    return any_double();
  }
  // Of a coarse lattice: faces of different bodies lie in one plane, edges on each other, corners in corners.
  double coarse() { return small() / 32; }
  Vec3 vector() {
    const double x = number(), y = number();
    return {x, y, number()};
  }
  Vec3 coarse_vector() {
    const double x = coarse(), y = coarse();
    return {x, y, coarse()};
  }
  // Either along the axes, where everything is exact, or any rotation.
  PoseNumbers pose() {
    const std::uint8_t how = byte();
    const Vec3 at = how % 4 < 2 ? coarse_vector() : vector();
    PoseNumbers p;
    p.xyz = {at.x(), at.y(), at.z()};
    if (how % 2 == 0) return p;
    for (double& q : p.wxyz) q = how < 200 ? small() : number();
    if (p.wxyz == std::array<double, 4>{}) p.wxyz[0] = 1;
    return p;
  }
};

// A set of triangles that may be solid, at a pose.
struct Body {
  Soup soup;
  bool solid = false;
  bool convex = false;  // closed, and not flat
  PoseNumbers pose;
};

Soup box_from(Choices& bytes) {
  Soup box = graze_test::closed(1, false);
  const Vec3 a = bytes.coarse_vector(), b = bytes.coarse_vector();
  for (Vec3& v : box.vertices) {
    for (int k = 0; k < 3; ++k) v[k] = v[k] < 0 ? std::min(a[k], b[k]) : std::max(a[k], b[k]);
  }
  return box;
}

Soup any_triangles(Choices& bytes) {
  Soup soup;
  const std::size_t vertices = 3 + bytes.byte() % 30, triangles = bytes.byte() % (kMaxTriangles + 1);
  for (std::size_t i = 0; i < vertices; ++i) soup.vertices.push_back(bytes.vector());
  for (std::size_t i = 0; i < triangles; ++i) {
    const auto corner = [&] { return static_cast<std::uint32_t>(bytes.byte() % vertices); };
    const std::uint32_t a = corner(), b = corner();
    soup.triangles.push_back({a, b, corner()});
  }
  return soup;
}

Body body_from(Choices& bytes) {
  Body body;
  const std::uint8_t kind = bytes.byte() % 10, how = bytes.byte();
  body.solid = kind >= 2 && kind <= 8 && how % 4 != 0;
  switch (kind) {
    case 2:
    case 3:
    case 4: {
      body.soup = box_from(bytes);
      graze::Aabb all;
      for (const Vec3& v : body.soup.vertices) all.extend(v);
      body.convex = (all.max - all.min).minCoeff() > 0;
      break;
    }
    case 5:
    case 6: {  // a tetrahedron
      for (int i = 0; i < 4; ++i) body.soup.vertices.push_back(bytes.coarse_vector());
      body.soup.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
      const std::vector<Vec3>& v = body.soup.vertices;
      body.convex = (v[1] - v[0]).cross(v[2] - v[0]).dot(v[3] - v[0]) != 0;  // exact on this lattice
      break;
    }
    case 7:  // two that may overlap, touch or contain each other, with the same or opposite orientation
      body.soup = box_from(bytes);
      body.soup.add(how % 8 < 6 ? box_from(bytes) : box_from(bytes).turned_inside_out());
      break;
    case 8: {  // every triangle with vertices of its own
      const Soup box = box_from(bytes);
      for (const graze::MeshTriangle& t : box.triangles)
        body.soup.add({{box.vertices[t[0]], box.vertices[t[1]], box.vertices[t[2]]}, {{0, 1, 2}}});
      break;
    }
    default:
      body.soup = any_triangles(bytes);
  }
  if (how >= 200) body.soup = body.soup.turned_inside_out();
  body.pose = bytes.pose();
  // Tenths, which are not doubles: bodies touch only up to rounding. And far from its own origin, moved back by its
  // pose.
  if (how % 8 == 2 || how % 8 == 3) {
    const double far = how % 8 == 2 ? 0 : std::pow(10.0, bytes.byte() % 8);
    const Vec3 by = 0.3 * far * bytes.coarse_vector();
    for (Vec3& v : body.soup.vertices) v = 0.1 * v + by;
    for (std::size_t k = 0; k < 3; ++k) body.pose.xyz[k] = 0.1 * body.pose.xyz[k] - by[static_cast<Eigen::Index>(k)];
  }
  return body;
}

double reach_of(const Body& body) {
  double reach = std::max({std::abs(body.pose.xyz[0]), std::abs(body.pose.xyz[1]), std::abs(body.pose.xyz[2])});
  for (const Vec3& v : body.soup.vertices) reach = std::max(reach, v.cwiseAbs().maxCoeff());
  return reach;
}

// Whether all its numbers are multiples of 2^-60.
bool is_coarse(const Body& body) {
  const auto coarse = [](double x) { return std::ldexp(x, 60) == std::round(std::ldexp(x, 60)); };
  bool all = true;
  for (const Vec3& v : body.soup.vertices) all = all && coarse(v.x()) && coarse(v.y()) && coarse(v.z());
  for (const double x : body.pose.wxyz) all = all && coarse(x) && std::abs(x) < 1e6;
  for (const double x : body.pose.xyz) all = all && coarse(x);
  return all;
}

// What holds for every contact of solids: it is on both, not deeper than the overlap, and moving b by its depth along
// its normal leads out of a at that point, or along it.
void check_contacts(const Placed& a, const Placed& b, const Distance& d, std::span<const graze::Contact> found,
                    double slack) {
  expect(d.value < -slack ? !found.empty() : true, "an overlap has contacts");
  for (const graze::Contact& c : found) {
    expect(std::abs(c.normal.norm() - 1) < 1e-9, "normals are unit");
    expect(c.depth <= std::max(0.0, -d.value) + slack, "no contact is deeper than the overlap");
    const Placed at_contact = at(graze::Sphere{.radius = std::max(0.0, c.depth) / 2 + slack}, Pose::at(c.point));
    expect(collide(a, at_contact) && collide(b, at_contact), "contacts are on both");
  }
}

void check(const Body& a, const Mesh& mesh_a, const Body& b, const Mesh& mesh_b, graze::PairCache& cache,
           bool exactly) {
  const Placed first = at(mesh_a, a.pose.pose()), second = at(mesh_b, b.pose.pose());
  if (!exactly) {
    const Distance d = distance(first, second, {.depth = false});
    expect(d.value == distance(second, first, {.depth = false}).value, "both orders give the same distance");
    expect(collide(first, second) == collide(second, first, {.cache = &cache}), "both orders agree on collisions");
    return;
  }
  const Distance d = distance(first, second), e = distance(second, first);
  expect(d.beyond == (mesh_a.empty() || mesh_b.empty()), "empty meshes, and only they, are infinitely far");
  expect(d.value == e.value, "both orders give the same distance");
  expect(d.value == distance(first, second, {.cache = &cache}).value, "a cache does not change the distance");
  const bool hit = collide(first, second);
  expect(hit == collide(second, first), "both orders agree on collisions");
  expect(hit == collide(first, second, {.cache = &cache}), "a cache does not change a collision");
  if (d.beyond) {
    expect(!hit, "empty meshes do not collide");
    return;
  }
  expect(std::isfinite(d.value) && d.tolerance >= 0, "the distance is a number");
  // Larger numbers take too long in rational arithmetic.
  const double reach = reach_of(a) + reach_of(b);
  if (!(reach < 1e9) || !is_coarse(a) || !is_coarse(b)) return;
  const ExactSoup exact_a(a.soup, a.pose), exact_b(b.soup, b.pose);
  const graze_oracle::Rational gap_sq = *exact_a.distance_sq(exact_b);
  const double gap = std::sqrt(gap_sq.get_d());
  // The error of the square root and its conversion, not of the answer itself.
  const double slack = 8 * graze::kEpsilon * gap;
  const double rounding = 256 * graze::kEpsilon * reach + 1e-9 * gap + d.tolerance;
  const bool meet = sgn(gap_sq) == 0;
  const bool inside =
      !meet && ((a.solid && exact_a.holds_a_corner_of(exact_b)) || (b.solid && exact_b.holds_a_corner_of(exact_a)));
  expect(hit || !(meet || inside), "no collision is missed");
  expect(!meet || d.value <= d.tolerance, "triangles that meet are not apart");
  expect(!inside || d.value <= d.tolerance, "bodies inside each other are not apart");
  expect(d.value <= gap + slack + d.tolerance, "no pair of triangles is nearer than the distance");
  if (!meet && !inside) {
    expect(d.value >= gap - rounding, "some pair of triangles is as near as the distance");
    expect(!hit || gap <= rounding, "only triangles that meet collide");
  }
  // What separates two convex solids is known exactly, whether their surfaces meet or not.
  if ((meet || inside) && a.convex && a.solid && b.convex && b.solid) {
    const double depth = std::sqrt(graze_oracle::depth_sq(exact_a.points(), exact_b.points()).get_d());
    const double off = 256 * graze::kEpsilon * reach + d.tolerance;
    expect(d.value <= -depth + off, "no translation shorter than the depth separates");
    expect(d.value >= -depth - off, "the depth is that of the shortest translation");
  }
  std::vector<graze::Contact> buffer(kMaxTriangles * kMaxTriangles * 8);
  const auto found = contacts(first, second, buffer, {.max = buffer.size()});
  if (d.value > rounding) expect(found.empty(), "separate meshes have no contacts");
  if (d.value < -rounding && !a.solid && !b.solid) expect(!found.empty(), "an overlap has contacts");
  if (a.solid || b.solid) check_contacts(first, second, d, found, rounding + 1e-7 * reach);
}

// Which vertices go where: anywhere, or into each other.
void bend(std::vector<Vec3>& vertices, Choices& bytes) {
  const auto some = [&]() -> Vec3& { return vertices[bytes.byte() % vertices.size()]; };
  switch (bytes.byte() % 8) {
    case 0:
      for (Vec3& v : vertices) v += bytes.vector();
      break;
    case 1:
      for (Vec3& v : vertices) v.y() = -v.y();
      break;
    case 2:  // to the position of another one
      some() = Vec3(some());
      break;
    case 3:  // away from it
      some() += bytes.coarse_vector();
      break;
    case 4:  // three at a time: a triangle that had vertices of its own leaves
      for (std::size_t i = 3 * (bytes.byte() % (vertices.size() / 3)), n = i + 3; i < n; ++i) vertices[i].x() += 4;
      break;
    case 5:
      for (Vec3& v : vertices) v.z() = 0;
      break;
    case 6:
      for (Vec3& v : vertices) v = v.array().round().matrix();
      break;
    default:
      for (Vec3& v : vertices) v = Vec3(v.z(), v.x(), 2 * v.y());
  }
}

void expect_as_new(const Mesh& mesh, const Mesh& fresh) {
  const std::string flaw = mesh.validate();
  expect(flaw.empty(), "the mesh is valid", flaw.c_str());
  expect(data_of(mesh).pieces == data_of(fresh).pieces, "a moved mesh has the pieces of a new one");
  expect(data_of(mesh).facing == data_of(fresh).facing, "a moved mesh is oriented like a new one");
  expect(mesh.stamp() == fresh.stamp() && mesh.bounds() == fresh.bounds(),
         "a moved mesh has the bounds and the stamp of a new one");
  // Room for all pairs: if there are more, the tree decides which ones are kept.
  std::vector<graze::FoldedPair> some(mesh.size() * mesh.size()), others(some.size());
  expect(self_collisions(mesh, some) == self_collisions(fresh, others) && some == others,
         "a moved mesh collides with itself like a new one");
  expect(self_collide(mesh) == (self_collisions(mesh, some) > 0),
         "self_collide agrees with the number of self-collisions");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices bytes(data, size);
  try {
    Body a = body_from(bytes);
    const Body b = body_from(bytes);
    DeformingMesh moving(a.soup.vertices, a.soup.triangles, {.solid = a.solid, .threads = 1});
    const Mesh second(b.soup.vertices, b.soup.triangles, {.solid = b.solid, .threads = 1});
    graze::PairCache cache;
    cache.keep_front(256);
    // Rational arithmetic takes nearly all of the time: it checks only one of the states of the meshes.
    const std::uint8_t plan = bytes.byte();
    const int steps = 1 + plan % 3, examined = plan / 3 % (2 * steps + 1);
    int state = 0;
    check(a, moving.mesh(), b, second, cache, state++ == examined);
    for (int step = 0; step < steps; ++step) {
      state = 1 + 2 * step;
      std::vector<Vec3> next = a.soup.vertices;
      bend(next, bytes);
      const auto make = [&] { return Mesh(next, a.soup.triangles, {.solid = a.solid, .threads = 1}); };
      const bool refused = !graze_test::refusal(make).empty();
      const std::uint64_t before = moving.mesh().stamp();
      expect(refused == !graze_test::refusal([&] { moving.replace_vertices(next, {.threads = 1}); }).empty(),
             "a move is rejected exactly if a new mesh is");
      if (refused) {
        expect(moving.mesh().stamp() == before && moving.validate().empty(), "a rejected move changes nothing");
        continue;
      }
      a.soup.vertices = next, a.convex = false;
      const Mesh fresh = make();
      expect_as_new(moving.mesh(), fresh);
      check(a, moving.mesh(), b, second, cache, state++ == examined);
      const Placed other = at(second, b.pose.pose());
      // Depths that are only bounded may depend on the tree, within their bounds.
      const graze::Distance moved = distance(at(moving, a.pose.pose()), other, {.depth = false});
      const graze::Distance made = distance(at(fresh, a.pose.pose()), other, {.depth = false});
      expect((moved.value > 0) == (made.value > 0), "a moved mesh touches what a new one touches");
      expect(!(moved.value > 0) || moved.value == made.value, "a moved mesh answers like a new one");
      if (bytes.byte() % 2 == 0) continue;
      moving.rebuild({.threads = 1});
      expect_as_new(moving.mesh(), fresh);
      check(a, moving.mesh(), b, second, cache, state++ == examined);
    }
  } catch (const graze::Error&) {
    // Vertices and poses that are rejected at construction.
  }
  return 0;
}
