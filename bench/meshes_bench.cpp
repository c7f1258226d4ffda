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
#include "meshes_alone.h"
#include "meshes_fcl.h"
#include "meshes_scene.h"
#include "timing.h"

#if GRAZE_HAVE_FCL
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#endif

namespace meshes_bench {
namespace {

using graze::DeformingMesh;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;

#if GRAZE_HAVE_FCL

using Model = fcl::BVHModel<fcl::OBBRSSd>;

void building(Claims& claims, const std::string& name, const Soup& soup, int rounds) {
  const auto [ours, peer] = compare(
      1, [&] { keep(Mesh(soup.vertices, soup.triangles, {.threads = 1}).size()); },
      [&] { keep(to_fcl<fcl::OBBRSSd>(soup)->num_tris); }, rounds);
  claims.add({.id = "meshes/build " + name,
              .ours = ours / 1e6,
              .peer_name = "FCL OBBRSS",
              .peer = peer / 1e6,
              .unit = "ms",
              .goal = 6});
  const Mesh mesh(soup.vertices, soup.triangles);
  DeformingMesh deforming(mesh);
  const auto model = to_fcl<fcl::OBBRSSd>(soup);
  std::vector<Vec3> moved = soup.vertices;
  int frame = 0;
  const auto move = [&] {
    ++frame;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = soup.vertices[i] * (1 + 0.01 * (frame % 3));
  };
  const auto refitted = compare(
      1,
      [&] {
        deforming.replace_vertices(moved, {.threads = 1});
        keep(deforming.cost_ratio());
      },
      [&] {
        refit(*model, moved);
        move();
      },
      rounds);
  claims.add({.id = "meshes/refit " + name,
              .ours = refitted.ours / 1e6,
              .peer_name = "FCL OBBRSS",
              .peer = refitted.peer / 1e6,
              .unit = "ms",
              .goal = 30});
  // What FCL keeps after building: nodes, the order of the triangles, the triangles and their vertices.
  const double peer_bytes = static_cast<double>(model->getNumBVs()) * sizeof(fcl::BVNode<fcl::OBBRSSd>) +
                            static_cast<double>(soup.triangles.size()) * (sizeof(fcl::Triangle) + sizeof(unsigned)) +
                            static_cast<double>(soup.vertices.size()) * sizeof(Vec3);
  claims.add({.id = "meshes/memory " + name,
              .ours = static_cast<double>(mesh.memory_bytes()) / 1e6,
              .peer_name = "FCL OBBRSS",
              .peer = peer_bytes / 1e6,
              .unit = "MB",
              .goal = 2});
}

void asking(Claims& claims, const std::string& name, const Soup& soup, int count) {
  const Mesh mesh(soup.vertices, soup.triangles);
  const auto model = to_fcl<fcl::OBBRSSd>(soup);
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
    claims.add({.id = fmt::format("meshes/collide {} {}", name, set.name),
                .ours = collided.ours / 1e3,
                .peer_name = "FCL OBBRSS",
                .peer = collided.peer / 1e3,
                .unit = "us",
                .goal = 4,
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
      claims.add({.id = fmt::format("meshes/distance {} {}", name, set.name),
                  .ours = measured.ours / 1e3,
                  .peer_name = "FCL OBBRSS",
                  .peer = measured.peer / 1e3,
                  .unit = "us",
                  .goal = 4,
                  .agree = agree});
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
      claims.add({.id = fmt::format("meshes/all contacts {} {}", name, set.name),
                  .ours = counted.ours / 1e3,
                  .peer_name = "FCL OBBRSS",
                  .peer = counted.peer / 1e3,
                  .unit = "us",
                  .goal = 3,
                  .agree = agree});
    }
  }
}

// 90 links of 64 k triangles in all against 100 obstacles, pair by pair: until the first hit, and the min distance.
struct Obstacles {
  std::string name;
  std::vector<graze::Geometry> ours;
  std::vector<std::shared_ptr<fcl::CollisionGeometryd>> theirs;
};

Obstacles obstacles(const std::string& name, Random& random) {
  Obstacles o{name, {}, {}};
  const Soup soup = bumpy_sphere(6, 3);
  const Mesh mesh(soup.vertices, soup.triangles);
  const auto model = to_fcl<fcl::OBBRSSd>(soup);
  for (int i = 0; i < 100; ++i) {
    const double x = random.uniform(0.05, 0.3), y = random.uniform(0.05, 0.3), z = random.uniform(0.05, 0.3);
    if (name == "boxes") {
      o.ours.emplace_back(graze::Box{.half = {x, y, z}});
      o.theirs.push_back(std::make_shared<fcl::Boxd>(2 * x, 2 * y, 2 * z));
    } else if (name == "spheres") {
      o.ours.emplace_back(graze::Sphere{.radius = x});
      o.theirs.push_back(std::make_shared<fcl::Sphered>(x));
    } else if (name == "cylinders") {
      o.ours.emplace_back(graze::Cylinder{.radius = x, .half_length = z});
      o.theirs.push_back(std::make_shared<fcl::Cylinderd>(x, 2 * z));
    } else {
      o.ours.emplace_back(mesh);
      o.theirs.push_back(model);
    }
  }
  return o;
}

void robot(Claims& claims, const std::string& kind) {
  Random random(11);
  std::vector<Mesh> links;
  std::vector<std::shared_ptr<Model>> models;
  for (std::uint32_t i = 0; i < 90; ++i) {
    const Soup soup = link(711, 0.2 + 0.002 * i, 0.05, i);
    links.emplace_back(soup.vertices, soup.triangles);
    models.push_back(to_fcl<fcl::OBBRSSd>(soup));
  }
  const Obstacles o = obstacles(kind, random);
  std::vector<Placed> b;
  std::vector<fcl::Transform3d> tb;
  for (const graze::Geometry& g : o.ours) {
    const Pose pose = random.turned(random.direction() * random.uniform(2, 6));
    b.push_back({g, pose}), tb.push_back(to_fcl(pose));
  }
  // Links scattered about: a few configurations hit late or not at all.
  constexpr std::size_t kConfigurations = 10;
  std::vector<std::vector<Placed>> a(kConfigurations);
  std::vector<std::vector<fcl::Transform3d>> ta(kConfigurations);
  for (std::size_t c = 0; c < kConfigurations; ++c) {
    for (const Mesh& mesh : links) {
      const Pose pose = random.turned(random.direction() * random.uniform(0, c % 2 == 0 ? 1.5 : 2.5));
      a[c].push_back(graze::at(mesh, pose)), ta[c].push_back(to_fcl(pose));
    }
  }
  std::vector<int> hit(kConfigurations), peer_hit(kConfigurations);
  const fcl::CollisionRequestd boolean(1, false);
  const auto first = compare(
      kConfigurations,
      [&] {
        for (std::size_t c = 0; c < kConfigurations; ++c) {
          hit[c] = -1;
          for (std::size_t i = 0; i < 90 && hit[c] < 0; ++i) {
            for (std::size_t j = 0; j < 100 && hit[c] < 0; ++j) {
              if (collide(a[c][i], b[j])) hit[c] = static_cast<int>(100 * i + j);
            }
          }
        }
      },
      [&] {
        for (std::size_t c = 0; c < kConfigurations; ++c) {
          peer_hit[c] = -1;
          for (std::size_t i = 0; i < 90 && peer_hit[c] < 0; ++i) {
            for (std::size_t j = 0; j < 100 && peer_hit[c] < 0; ++j) {
              fcl::CollisionResultd result;
              if (fcl::collide(models[i].get(), ta[c][i], o.theirs[j].get(), tb[j], boolean, result) > 0)
                peer_hit[c] = static_cast<int>(100 * i + j);
            }
          }
        }
      },
      15);
  claims.add({.id = "meshes/robot first hit, " + kind,
              .ours = first.ours / 1e3,
              .peer_name = "FCL OBBRSS",
              .peer = first.peer / 1e3,
              .unit = "us",
              .goal = 3,
              .agree = hit == peer_hit});

  // FCL's distance of a mesh and a shape is slow: two of the configurations that are free, four links apart.
  std::vector<double> apart, peer_apart;
  std::size_t asked = 0;
  const auto free_ones = [&](const auto& body) {
    for (std::size_t c = 0, n = 0; c < kConfigurations && n < 2; ++c) {
      if (hit[c] < 0) ++n, body(c);
    }
  };
  const auto nearest = compare(
      1,
      [&] {
        apart.clear(), asked = 0;
        free_ones([&](std::size_t c) {
          double shortest = graze::kInfinity;
          for (std::size_t i = 0; i < 90; i += 4) {
            for (std::size_t j = 0; j < 100; ++j)
              shortest = std::min(shortest, distance(a[c][i], b[j], {.limit = shortest}).value);
          }
          apart.push_back(shortest), ++asked;
        });
      },
      [&] {
        peer_apart.clear();
        free_ones([&](std::size_t c) {
          double shortest = graze::kInfinity;
          for (std::size_t i = 0; i < 90; i += 4) {
            for (std::size_t j = 0; j < 100; ++j) {
              fcl::DistanceResultd result(shortest);
              shortest = std::min(shortest, fcl::distance(models[i].get(), ta[c][i], o.theirs[j].get(), tb[j],
                                                          fcl::DistanceRequestd(false), result));
            }
          }
          peer_apart.push_back(shortest);
        });
      },
      9);
  if (asked == 0) {
    claims.missing("meshes/robot distance, " + kind, "no configuration is free");
    return;
  }
  bool agree = true;
  for (std::size_t i = 0; i < apart.size(); ++i)
    agree = agree && std::abs(apart[i] - peer_apart[i]) < 1e-3 * (1 + peer_apart[i]);
  const double per = 1e3 * static_cast<double>(asked);
  claims.add({.id = "meshes/robot distance, " + kind,
              .ours = nearest.ours / per,
              .peer_name = "FCL OBBRSS",
              .peer = nearest.peer / per,
              .unit = "us",
              .goal = 4,
              .agree = agree});
}

#endif

}  // namespace
}  // namespace meshes_bench

int main(int argc, char** argv) {
  graze::bench::Claims claims(argc, argv);
  using namespace meshes_bench;
  const Soup small = bumpy_sphere(22, 1), large = bumpy_sphere(71, 1);
#if GRAZE_HAVE_FCL
  building(claims, "10 k", small, 15);
  building(claims, "100 k", large, 9);
  asking(claims, "10 k", small, 50);
  asking(claims, "100 k", large, 40);
  for (const char* kind : {"boxes", "spheres", "cylinders", "meshes"}) robot(claims, kind);
#else
  claims.missing("meshes", "FCL is not installed");
#endif
  again(claims, "10 k", small);
  again(claims, "100 k", large);
  threads(claims);
  growth();
  return claims.finish();
}
