// Points and rays against one closed mesh, in batches on one thread, beside Open3D's RaycastingScene (Embree, float32).
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "claims.h"
#include "graze/graze.h"
#include "meshes_scene.h"
#include "points_in_meshes_peer.h"
#include "timing.h"

namespace points_in_meshes_bench {
namespace {

using graze::Mesh;
using graze::Ray;
using graze::RayHit;
using graze::bench::Claims;
using graze::bench::keep;
using graze::bench::time_of;
using meshes_bench::bumpy_sphere;
using meshes_bench::Random;
using meshes_bench::Soup;

constexpr std::size_t kContains = 100000, kDistances = 10000, kRays = 100000;
constexpr double kContainsGoal = 1.2, kDistanceGoal = 3, kRaysGoal = 0.8;
// How uncertain float32 coordinates of about a metre and a traversal in float32 are, in metres.
constexpr double kFloat = 2e-6;

// Both get the float32 numbers of the peer.
Vec3 rounded(const Vec3& p) { return p.cast<float>().cast<double>(); }

std::vector<Vec3> in_box(const Mesh& mesh, std::size_t count, Random& random) {
  const graze::Aabb box = mesh.bounds().grown(0.1);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = random.uniform(box.min[k], box.max[k]);
    points.push_back(rounded(p));
  }
  return points;
}

// Within a hundredth of the mesh's size of its surface.
std::vector<Vec3> near_surface(const Soup& soup, std::size_t count, Random& random) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const auto which = static_cast<std::size_t>(random.uniform(0, static_cast<double>(soup.triangles.size())));
    const auto& t = soup.triangles[std::min(which, soup.triangles.size() - 1)];
    double u = random.uniform(0, 1), v = random.uniform(0, 1);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const Vec3 &a = soup.vertices[t[0]], &b = soup.vertices[t[1]], &c = soup.vertices[t[2]];
    points.push_back(rounded(a + u * (b - a) + v * (c - a) + random.uniform(0, 0.01) * random.direction()));
  }
  return points;
}

// The fastest of some rounds, ns per question.
template <class Work>
double fastest(std::size_t count, const Work& work) {
  work();
  double best = graze::kInfinity;
  for (int i = 0; i < 7; ++i) best = std::min(best, time_of(work));
  return best / static_cast<double>(count);
}

// Inside or not by the sum of all solid angles, a method that neither of the two uses.
bool inside_by_angles(const Soup& soup, const Vec3& p) {
  double sum = 0;
  for (const auto& t : soup.triangles) {
    const Vec3 a = soup.vertices[t[0]] - p, b = soup.vertices[t[1]] - p, c = soup.vertices[t[2]] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum > 2 * M_PI;
}

struct Differences {
  std::size_t near = 0;  // where float32 cannot decide
  std::size_t peer = 0;  // where a second method proves the peer wrong
  std::size_t ours = 0;

  bool agree() const { return ours == 0; }
  void say(const std::string& id) const {
    if (near + peer + ours == 0) return;
    fmt::print(
        "{}: {} answers differ within float32 of the surface, {} elsewhere where the peer is wrong, {} where graze "
        "is\n",
        id, near, peer, ours);
  }
};

struct Subject {
  std::string name;
  Soup soup;
  Mesh solid, shell;
  std::string points;  // where they are
  Questions questions;
};

void contains(Claims& claims, const Subject& s, const PeerAnswers& peer) {
  const std::string id = fmt::format("points_in_meshes/contains {}, {}", s.name, s.points);
  const auto& points = s.questions.contains;
  const auto inside = std::make_unique<bool[]>(points.size());
  const double ours = fastest(points.size(), [&] {
    contains_each(at(s.solid), graze::PointView(points), {inside.get(), points.size()}, {.threads = 1});
    keep(inside[0]);
  });
  Differences differ;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool theirs = peer.contains[i] != 0;
    if (theirs == inside[i]) continue;
    if (std::abs(closest_point(at(s.shell), points[i]).distance) <= kFloat) ++differ.near;
    else if (inside_by_angles(s.soup, points[i]) == inside[i]) ++differ.peer;
    else ++differ.ours;
  }
  differ.say(id);
  claims.add({.id = id,
              .ours = ours,
              .peer_name = peer.name,
              .peer = peer.contains_ns,
              .goal = kContainsGoal,
              .agree = differ.agree()});
}

void distances(Claims& claims, const Subject& s, const PeerAnswers& peer) {
  const std::string id = fmt::format("points_in_meshes/signed distance {}, {}", s.name, s.points);
  const auto& points = s.questions.distance;
  std::vector<double> found(points.size());
  const double ours = fastest(points.size(), [&] {
    signed_distance_each(at(s.solid), graze::PointView(points), found, {.threads = 1});
    keep(found[0]);
  });
  Differences differ;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double theirs = double{peer.distance[i]};
    if (std::abs(theirs - found[i]) <= kFloat) continue;
    if (std::abs(std::abs(theirs) - std::abs(found[i])) <= kFloat) {
      if (std::abs(found[i]) <= kFloat) ++differ.near;
      else if (inside_by_angles(s.soup, points[i]) == (found[i] < 0)) ++differ.peer;
      else ++differ.ours;
    } else {
      ++differ.ours;
    }
  }
  differ.say(id);
  claims.add({.id = id,
              .ours = ours / 1e3,
              .peer_name = peer.name,
              .peer = peer.distance_ns / 1e3,
              .unit = "µs",
              .goal = kDistanceGoal,
              .agree = differ.agree()});
}

void rays(Claims& claims, const Subject& s, const PeerAnswers& peer) {
  const std::string id = fmt::format("points_in_meshes/rays {}", s.name);
  std::vector<Ray> asked;
  for (std::size_t i = 0; i < s.questions.origins.size(); ++i)
    asked.emplace_back(s.questions.origins[i], s.questions.directions[i]);
  std::vector<RayHit> hits(asked.size());
  const double ours = fastest(asked.size(), [&] {
    raycast_each(at(s.shell), asked, hits, {.threads = 1});
    keep(hits[0].distance);
  });
  Differences differ;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const double theirs = double{peer.rays[i]};
    if (std::isfinite(theirs) == hits[i].found()) {
      // At a small angle float32 is less certain.
      const double slope = std::abs(hits[i].normal.dot(asked[i].direction()));
      if (!hits[i].found() || std::abs(theirs - hits[i].distance) <= 10 * kFloat / std::max(slope, 1e-3)) continue;
    }
    // One of the two misses at an outline or an edge: the hit of the other must be real, and within float32 of a miss.
    const double nearer = std::min(theirs, hits[i].distance);
    const Vec3 there = asked[i].at(nearer);
    if (std::isfinite(nearer) && closest_point(at(s.shell), there).distance <= 10 * kFloat) ++differ.near;
    else ++differ.ours;
  }
  differ.say(id);
  const bool few = differ.near <= asked.size() / 1000;
  claims.add({.id = id,
              .ours = ours,
              .peer_name = peer.name,
              .peer = peer.rays_ns,
              .goal = kRaysGoal,
              .agree = differ.agree() && few});
}

void run(Claims& claims, const std::string& name, int frequency) {
  Soup soup = bumpy_sphere(frequency, 1);
  for (Vec3& v : soup.vertices) v = rounded(v);
  const Mesh solid(soup.vertices, soup.triangles, {.solid = true}), shell(soup.vertices, soup.triangles);
  Random random(7);
  for (const bool near : {false, true}) {
    Questions q;
    q.contains = near ? near_surface(soup, kContains, random) : in_box(shell, kContains, random);
    q.distance.assign(q.contains.begin(), q.contains.begin() + kDistances);
    q.origins = in_box(shell, kRays, random);
    for (std::size_t i = 0; i < kRays; ++i) q.directions.push_back(rounded(random.direction()));
    std::string reason;
    const Subject subject{name, soup, solid, shell, near ? "points near the surface" : "points all over", q};
    const auto peer = ask_open3d(soup, q, reason);
    if (!peer) {
      claims.missing("points_in_meshes/" + name, reason);
      continue;
    }
    contains(claims, subject, *peer);
    distances(claims, subject, *peer);
    if (!near) rays(claims, subject, *peer);
  }
}

}  // namespace
}  // namespace points_in_meshes_bench

int main(int argc, char** argv) {
  graze::bench::Claims claims(argc, argv);
  points_in_meshes_bench::run(claims, "20 k triangles", 32);
  points_in_meshes_bench::run(claims, "82 k triangles", 64);
  return claims.finish();
}
