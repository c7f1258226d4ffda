// Bytes → two sets of triangles at two poses → every verb, a move of the vertices, and every verb
// again: the answers must be those of all pairs of triangles, in both orders, with and without a cache.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
#include "graze/graze.h"
#include "support/meshes.h"

namespace {

using graze::Distance;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_fuzz::expect;
using graze_test::Soup;

constexpr std::size_t kMostTriangles = 24;

class Choices : public graze_fuzz::Bytes {
 public:
  using Bytes::Bytes;

  // Mostly small lattice numbers, which meet each other exactly; also other scales, and any bits at all.
  double number() {
    const std::uint8_t how = byte();
    if (how < 220) return small() / 8.0;
    if (how < 245) {
      const double digits = small();
      return digits * std::ldexp(1.0, small() / 4);
    }
    return any_double();
  }
  Vec3 vector() {
    const double x = number(), y = number();
    return {x, y, number()};
  }
  // Either along the axes, where all is exact, or anywhere.
  Pose pose() {
    const Vec3 at = vector();
    if (byte() % 2 == 0) return Pose::at(at);
    const double w = number(), x = number(), y = number();
    return Pose::from_wxyz(at, w, x, y, number());
  }
};

Soup soup_from(Choices& bytes) {
  Soup soup;
  const std::size_t vertices = 3 + bytes.byte() % 30, triangles = bytes.byte() % (kMostTriangles + 1);
  for (std::size_t i = 0; i < vertices; ++i) soup.vertices.push_back(bytes.vector());
  for (std::size_t i = 0; i < triangles; ++i) {
    const auto corner = [&] { return static_cast<std::uint32_t>(bytes.byte() % vertices); };
    const std::uint32_t a = corner(), b = corner();
    soup.triangles.push_back({a, b, corner()});
  }
  return soup;
}

// Triangle by triangle.
struct Truth {
  Distance nearest;
  bool hit = false;
};

Truth truth_of(const Soup& a, const Pose& pose_a, const Soup& b, const Pose& pose_b) {
  Truth truth;
  truth.nearest.beyond = true;
  for (std::size_t i = 0; i < a.triangles.size(); ++i) {
    for (std::size_t j = 0; j < b.triangles.size(); ++j) {
      const Placed one = at(a.triangle(i), pose_a), other = at(b.triangle(j), pose_b);
      const Distance d = distance(one, other);
      if (truth.nearest.beyond || d.value < truth.nearest.value) truth.nearest = d;
      truth.hit = truth.hit || d.value + d.tolerance < 0;
    }
  }
  return truth;
}

double reach_of(const Soup& soup, const Pose& pose) {
  double reach = pose.translation().cwiseAbs().maxCoeff();
  for (const Vec3& v : soup.vertices) reach = std::max(reach, v.cwiseAbs().maxCoeff());
  return reach;
}

void check(const Soup& a, const Mesh& mesh_a, const Pose& pose_a, const Soup& b, const Mesh& mesh_b, const Pose& pose_b,
           graze::PairCache& cache) {
  const Placed first = at(mesh_a, pose_a), second = at(mesh_b, pose_b);
  const Truth truth = truth_of(a, pose_a, b, pose_b);
  const Distance d = distance(first, second), e = distance(second, first);
  expect(d.beyond == truth.nearest.beyond, "empty meshes, and only they, are infinitely far");
  expect(d.value == e.value, "both orders give the same distance");
  expect(d.value == distance(first, second, {.cache = &cache}).value, "a cache does not change the distance");
  const bool hit = collide(first, second);
  expect(hit == collide(second, first), "both orders collide alike");
  expect(hit == collide(first, second, {.cache = &cache}), "a cache does not change a collision");
  if (d.beyond) {
    expect(!hit, "nothing does not collide");
    return;
  }
  // Beside edges of 1e7 m, those of a metre are little more than rounding: answers may be too near, never too far.
  const double reach = reach_of(a, pose_a) + reach_of(b, pose_b);
  const double rounding =
      256 * graze::kEpsilon * reach + truth.nearest.tolerance + 1e-9 * std::abs(truth.nearest.value) + d.tolerance;
  expect(!(d.value > truth.nearest.value + rounding), "no pair of triangles is nearer than the distance");
  if (reach > 1e7) return;
  expect(!(d.value < truth.nearest.value - rounding), "some pair of triangles is as near as the distance");
  expect(hit || !truth.hit, "no collision is missed");
  expect(!hit || truth.nearest.value <= rounding, "only what meets collides");
  std::vector<graze::Contact> buffer(kMostTriangles * kMostTriangles * 8);
  const auto found = contacts(first, second, buffer, {.max = buffer.size()});
  if (d.value < -rounding) expect(!found.empty(), "what overlaps has contacts");
  if (d.value > rounding) expect(found.empty(), "what is apart has none");
  std::string flaw = mesh_a.validate();
  expect(flaw.empty(), "the mesh is valid", flaw.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices bytes(data, size);
  try {
    Soup a = soup_from(bytes);
    const Soup b = soup_from(bytes);
    Mesh first(a.vertices, a.triangles, {.threads = 1});
    const Mesh second(b.vertices, b.triangles, {.threads = 1});
    const Pose pose_a = bytes.pose(), pose_b = bytes.pose();
    graze::PairCache cache;
    check(a, first, pose_a, b, second, pose_b, cache);

    for (Vec3& v : a.vertices) v += bytes.vector();
    first.replace_vertices(a.vertices, 1);
    check(a, first, pose_a, b, second, pose_b, cache);
    const Mesh fresh(a.vertices, a.triangles, {.threads = 1});
    expect(
        distance(at(fresh, pose_a), at(second, pose_b)).value == distance(at(first, pose_a), at(second, pose_b)).value,
        "a refitted mesh answers as a new one");
    std::vector<graze::FoldedPair> some(kMostTriangles * kMostTriangles), others(some.size());
    expect(self_collisions(first, some) == self_collisions(fresh, others) && some == others,
           "a refitted mesh folds as a new one");
    expect(self_collide(first) == (self_collisions(first, some) > 0), "folds are what is counted");
    first.rebuild(1);
    check(a, first, pose_a, b, second, pose_b, cache);
  } catch (const graze::Error&) {
    // Vertices and poses that are refused at the door.
  }
  return 0;
}
