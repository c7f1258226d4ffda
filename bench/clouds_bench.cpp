// Shapes and meshes against clouds, single and in batches of 1000 poses, on one thread: beside nanoflann's tree with an
// exact kernel per point and beside FCL's tree of one ball per point, whichever is faster.
//
//     bench_clouds [--json PATH]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "clouds_peer.h"
#include "graze/geometry/cloud.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "graze/query/each.h"

namespace clouds_bench {
namespace {

using graze::at;
using graze::Cloud;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;
using graze::bench::time_of;
using graze::bench::Times;
using graze_test::Points;

constexpr double kPointRadius = 0.005;
constexpr std::size_t kPoses = 1000;
constexpr std::size_t kProbes = 30;
constexpr double kPeerTime = 1e9;  // ns that a round of the peer may take; as many of the poses are asked
constexpr double kGoal = 4;
// Where a pair touches, others may say either; overlaps have no common measure.
constexpr double kFuzzy = 1e-6;
// FCL's distances of hulls and meshes from balls are up to a fifth of a millimetre too large.
constexpr double kOverstated = 2e-4;

double reach_of(const meshes_bench::Soup& soup) {
  double reach = 0;
  for (const Vec3& v : soup.vertices) reach = std::max(reach, v.norm());
  return reach * (1 + 1e-12);
}

std::vector<Body> make_bodies() {
  std::vector<Body> bodies;
  bodies.push_back({.name = "sphere", .geometry = graze::Sphere{0.05}, .reach = 0.05, .radius = 0.05});
  bodies.push_back(
      {.name = "capsule", .geometry = graze::Capsule{0.04, 0.1}, .reach = 0.14, .radius = 0.04, .half = {0, 0, 0.1}});
  const Vec3 half(0.05, 0.03, 0.1);
  bodies.push_back({.name = "box", .geometry = graze::Box{half}, .reach = half.norm() + 1e-12, .half = half});
  meshes_bench::Random random(4);
  std::vector<Vec3> corners;
  for (int i = 0; i < 32; ++i) corners.emplace_back(random.direction().cwiseProduct(Vec3(0.06, 0.06, 0.12)));
  const auto hull = graze::Convex::hull_of(corners);
  meshes_bench::Soup faces{{hull.vertices().begin(), hull.vertices().end()}, {}};
  for (const auto& t : hull.triangles()) {
    faces.triangles.push_back(
        {static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]), static_cast<std::uint32_t>(t[2])});
  }
  bodies.push_back({.name = "convex", .geometry = hull, .reach = reach_of(faces), .surface = faces});
  const meshes_bench::Soup link = meshes_bench::link(5000, 0.3, 0.05, 7);
  bodies.push_back({.name = "mesh",
                    .geometry = graze::Mesh(link.vertices, link.triangles),
                    .reach = reach_of(link),
                    .surface = link});
  return bodies;
}

// Up to 20 cm from a point of the cloud.
std::vector<Pose> make_poses(const Points& points) {
  meshes_bench::Random random(5);
  std::vector<Pose> poses;
  while (poses.size() < kPoses) {
    const auto& p = points[static_cast<std::size_t>(random.uniform(0, static_cast<double>(points.size())))];
    poses.push_back(random.turned(Vec3(p[0], p[1], p[2]) + random.uniform(0, 0.2) * random.direction()));
  }
  return poses;
}

struct Answer {
  bool hit;
  double distance;
};

void ask(Claims& claims, const std::string& where, const Cloud& cloud, const Points& points, const Body& body) {
  const std::vector<Pose> poses = make_poses(points);
  const graze::Placed scan = at(cloud);
  std::vector<graze::Placed> placed;
  for (const Pose& pose : poses) placed.push_back(at(body.geometry, pose));
  std::vector<Answer> ours;
  for (const graze::Placed& p : placed) ours.push_back({collide(p, scan), distance(p, scan, {.depth = false}).value});
  const auto ours_collide = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keep(collide(placed[i], scan));
  };
  const auto ours_distance = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keep(distance(placed[i], scan, {.depth = false}).value);
  };
  const std::unique_ptr<bool[]> hits(new bool[kPoses]);
  std::vector<graze::Distance> distances(kPoses);
  const auto ours_collide_each = [&](std::size_t count) {
    collide_each(scan, body.geometry, std::span(poses).first(count), {hits.get(), count}, {.threads = 1});
  };
  const auto ours_distance_each = [&](std::size_t count) {
    distance_each(scan, body.geometry, std::span(poses).first(count), std::span(distances).first(count),
                  {.depth = false, .threads = 1});
  };

  std::vector<std::unique_ptr<Peer>> peers;
  for (const auto& make : {make_nanoflann, make_fcl}) {
    if (std::unique_ptr<Peer> peer = make(points, kPointRadius, body)) peers.push_back(std::move(peer));
  }
  const std::string what = body.name + " × " + where;
  if (peers.empty()) {
    claims.missing("clouds/" + what, "neither nanoflann with Coal nor FCL is installed");
    return;
  }

  // Some poses tell which of the others is faster, and all others must agree there; that one is asked everything.
  const auto beside = [&](const std::string& verb, const auto& single, const auto& batch, const auto& ask_peer,
                          const auto& same) {
    bool agree = true;
    std::size_t fastest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < peers.size(); ++i) {
      for (std::size_t k = 0; k < kProbes; ++k) agree = same(k, ask_peer(*peers[i], poses[k])) && agree;
      const double time = time_of([&] {
        for (std::size_t k = 0; k < kProbes; ++k) keep(ask_peer(*peers[i], poses[k]));
      });
      if (time < least) least = time, fastest = i;
    }
    Peer& peer = *peers[fastest];
    const auto count = static_cast<std::size_t>(
        std::clamp(kPeerTime / (least / kProbes), static_cast<double>(kProbes), static_cast<double>(kPoses)));
    for (std::size_t k = 0; k < count; ++k) agree = same(k, ask_peer(peer, poses[k])) && agree;
    const auto all = [&] {
      for (std::size_t k = 0; k < count; ++k) keep(ask_peer(peer, poses[k]));
    };
    const Times one = compare(
        count, [&] { single(count); }, all, 3);
    const Times many = compare(
        count, [&] { batch(count); }, [] {}, 3);
    claims.add({fmt::format("clouds/{}, {}", verb, what), one.ours, peer.name(), one.peer, "ns", kGoal, agree});
    claims.add({fmt::format("clouds/{} each, {}", verb, what), many.ours, peer.name(), one.peer, "ns", kGoal, agree});
  };
  beside(
      "collide", ours_collide, ours_collide_each, [](Peer& peer, const Pose& pose) { return peer.collide(pose); },
      [&](std::size_t k, bool theirs) { return std::abs(ours[k].distance) < kFuzzy || ours[k].hit == theirs; });
  beside(
      "distance", ours_distance, ours_distance_each, [](Peer& peer, const Pose& pose) { return peer.distance(pose); },
      [&](std::size_t k, double theirs) {
        const double d = ours[k].distance;
        if (theirs < kFuzzy) return d < kFuzzy;
        return std::abs(d) < kFuzzy || (d - theirs < kFuzzy && theirs - d < kOverstated);
      });
}

void run(Claims& claims) {
  Points frame;
  for (const auto& p : graze_test::depth_frame(graze_test::table_and_shelf(true))) {
    if (std::isfinite(p[0])) frame.push_back(p);
  }
  const std::pair<std::string, Points> clouds[] = {
      {"surface 16 k", graze_test::surface_samples(graze_test::table_and_shelf(false), 16384, 1)},
      {"frame 306 k", std::move(frame)}};
  for (const auto& [name, points] : clouds) {
    const Cloud cloud(graze_test::floats(points), {.radius = kPointRadius});
    cloud.prepare();
    for (const Body& body : make_bodies()) ask(claims, name, cloud, points, body);
  }
}

}  // namespace
}  // namespace clouds_bench

int main(int argc, char** argv) {
  graze::bench::Claims claims(argc, argv);
  clouds_bench::run(claims);
  return claims.finish();
}
