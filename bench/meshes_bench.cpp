// Meshes beside FCL's OBBRSS trees: building, refitting, and the verbs on bumpy spheres and a robot's links.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "claims.h"
#include "graze/graze.h"
#include "meshes_scene.h"
#include "timing.h"

#if GRAZE_HAVE_FCL
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#endif

namespace meshes_bench {
namespace {

using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform(double low, double high) {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return low + (high - low) * static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 v(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
      if (v.norm() > 0.1 && v.norm() <= 1) return v.normalized();
    }
  }
  Pose turned(const Vec3& at) {
    return Pose::from_wxyz(at, uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(0.1, 1));
  }

 private:
  std::uint64_t state_;
};

#if GRAZE_HAVE_FCL

using Model = fcl::BVHModel<fcl::OBBRSSd>;

std::shared_ptr<Model> to_fcl(const Soup& soup) {
  auto model = std::make_shared<Model>();
  std::vector<fcl::Triangle> triangles;
  for (const MeshTriangle& t : soup.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  model->beginModel();
  model->addSubModel(soup.vertices, triangles);
  model->endModel();
  return model;
}

fcl::Transform3d to_fcl(const Pose& pose) {
  fcl::Transform3d t = fcl::Transform3d::Identity();
  t.linear() = pose.rotation();
  t.translation() = pose.translation();
  return t;
}

struct PosePair {
  Pose a, b;
};

// Random rotations, moved together until the surfaces are `gap` apart; negative: so much farther along the same way.
std::vector<PosePair> pairs_at(const Mesh& mesh, double gap, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<PosePair> pairs;
  for (int i = 0; i < count; ++i) {
    const Vec3 direction = random.direction();
    const Pose a = random.turned(Vec3::Zero());
    double at = 2;
    Pose b = random.turned(at * direction);
    for (int step = 0; step < 500; ++step) {
      const double d = distance(graze::at(mesh, a), graze::at(mesh, b)).value - std::max(gap, 1e-6);
      if (d < 1e-7) break;
      at -= d;
      b = b.moved_to(at * direction);
    }
    if (gap < 0) b = b.moved_to((at + gap) * direction);
    pairs.push_back({a, b});
  }
  return pairs;
}

void building(Claims& claims, const std::string& name, const Soup& soup, int rounds) {
  const auto [ours, peer] = compare(
      1, [&] { keep(Mesh(soup.vertices, soup.triangles, {.threads = 1}).size()); }, [&] { keep(to_fcl(soup)->num_tris); },
      rounds);
  claims.add({.id = "meshes/build " + name, .ours = ours / 1e6, .peer_name = "FCL OBBRSS", .peer = peer / 1e6,
              .unit = "ms", .goal = 6});
  Mesh mesh(soup.vertices, soup.triangles);
  const auto model = to_fcl(soup);
  std::vector<Vec3> moved = soup.vertices;
  int frame = 0;
  const auto move = [&] {
    ++frame;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = soup.vertices[i] * (1 + 0.01 * (frame % 3));
  };
  const auto refit = compare(
      1,
      [&] {
        mesh.replace_vertices(moved, 1);
        keep(mesh.decay());
      },
      [&] {
        model->beginReplaceModel();
        model->replaceSubModel(moved);
        model->endReplaceModel(true, true);
        move();
      },
      rounds);
  claims.add({.id = "meshes/refit " + name, .ours = refit.ours / 1e6, .peer_name = "FCL OBBRSS",
              .peer = refit.peer / 1e6, .unit = "ms", .goal = 30});
  claims.add({.id = "meshes/memory " + name, .ours = static_cast<double>(mesh.memory_bytes()) / 1e6,
              .peer_name = "FCL OBBRSS", .peer = static_cast<double>(model->memUsage(false)) / 1e6, .unit = "MB",
              .goal = 2});
}

void asking(Claims& claims, const std::string& name, const Soup& soup, int count) {
  const Mesh mesh(soup.vertices, soup.triangles);
  const auto model = to_fcl(soup);
  struct Set {
    const char* name;
    double gap;
  };
  for (const Set& set : {Set{"10 mm gap", 0.01}, Set{"1 mm gap", 0.001}, Set{"10 mm overlap", -0.01}}) {
    const std::vector<PosePair> poses = pairs_at(mesh, set.gap, count, 7);
    std::vector<Placed> a, b;
    std::vector<fcl::Transform3d> ta, tb;
    for (const PosePair& p : poses) {
      a.push_back(graze::at(mesh, p.a)), b.push_back(graze::at(mesh, p.b));
      ta.push_back(to_fcl(p.a)), tb.push_back(to_fcl(p.b));
    }
    std::vector<char> hit(poses.size()), peer_hit(poses.size());
    const fcl::CollisionRequestd boolean(1, false);
    const auto collided = compare(
        poses.size(),
        [&] {
          for (std::size_t i = 0; i < poses.size(); ++i) hit[i] = collide(a[i], b[i]);
        },
        [&] {
          for (std::size_t i = 0; i < poses.size(); ++i) {
            fcl::CollisionResultd result;
            fcl::collide(model.get(), ta[i], model.get(), tb[i], boolean, result);
            peer_hit[i] = result.isCollision();
          }
        },
        5);
    claims.add({.id = fmt::format("meshes/collide {} {}", name, set.name), .ours = collided.ours / 1e3,
                .peer_name = "FCL OBBRSS", .peer = collided.peer / 1e3, .unit = "us", .goal = 4,
                .agree = hit == peer_hit});
    if (set.gap > 0) {
      std::vector<double> apart(poses.size()), peer_apart(poses.size());
      const fcl::DistanceRequestd request(true);
      const auto measured = compare(
          poses.size(),
          [&] {
            for (std::size_t i = 0; i < poses.size(); ++i) apart[i] = distance(a[i], b[i]).value;
          },
          [&] {
            for (std::size_t i = 0; i < poses.size(); ++i) {
              fcl::DistanceResultd result;
              peer_apart[i] = fcl::distance(model.get(), ta[i], model.get(), tb[i], request, result);
            }
          },
          3);
      bool agree = true;
      for (std::size_t i = 0; i < poses.size(); ++i) agree = agree && std::abs(apart[i] - peer_apart[i]) < 1e-9;
      claims.add({.id = fmt::format("meshes/distance {} {}", name, set.name), .ours = measured.ours / 1e3,
                  .peer_name = "FCL OBBRSS", .peer = measured.peer / 1e3, .unit = "us", .goal = 4, .agree = agree});
    } else {
      // All contacts: the same pairs of triangles.
      constexpr std::size_t kMany = 100000;
      const fcl::CollisionRequestd all(kMany, true);
      std::vector<graze::Contact> buffer(kMany);
      std::vector<std::size_t> found(poses.size()), peer_found(poses.size());
      const auto counted = compare(
          poses.size(),
          [&] {
            for (std::size_t i = 0; i < poses.size(); ++i) {
              std::set<std::pair<std::size_t, std::size_t>> unused;
              found[i] = contacts(a[i], b[i], buffer, {.max = kMany}).size();
            }
          },
          [&] {
            for (std::size_t i = 0; i < poses.size(); ++i) {
              fcl::CollisionResultd result;
              fcl::collide(model.get(), ta[i], model.get(), tb[i], all, result);
              peer_found[i] = result.numContacts();
            }
          },
          3);
      bool agree = true;
      std::size_t pairs = 0, peer_pairs = 0;
      for (std::size_t i = 0; i < poses.size(); ++i) {
        std::set<std::pair<std::size_t, std::size_t>> ours, theirs;
        for (const graze::Contact& c : contacts(a[i], b[i], buffer, {.max = kMany})) ours.emplace(c.a, c.b);
        fcl::CollisionResultd result;
        fcl::collide(model.get(), ta[i], model.get(), tb[i], all, result);
        for (std::size_t k = 0; k < result.numContacts(); ++k)
          theirs.emplace(result.getContact(k).b1, result.getContact(k).b2);
        pairs += ours.size(), peer_pairs += theirs.size();
        agree = agree && std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end());
      }
      fmt::print("all contacts {}: {} pairs of triangles, FCL {}\n", name, pairs, peer_pairs);
      claims.add({.id = fmt::format("meshes/all contacts {} {}", name, set.name), .ours = counted.ours / 1e3,
                  .peer_name = "FCL OBBRSS", .peer = counted.peer / 1e3, .unit = "us", .goal = 3, .agree = agree});
    }
  }
}

#endif

}  // namespace
}  // namespace meshes_bench

int main(int argc, char** argv) {
  graze::bench::Claims claims(argc, argv);
#if GRAZE_HAVE_FCL
  using namespace meshes_bench;
  const Soup small = bumpy_sphere(22, 1), large = bumpy_sphere(71, 1);
  building(claims, "10 k", small, 5);
  building(claims, "100 k", large, 3);
  asking(claims, "10 k", small, 50);
  asking(claims, "100 k", large, 10);
#else
  claims.missing("meshes", "FCL is not installed");
#endif
  return claims.finish();
}
