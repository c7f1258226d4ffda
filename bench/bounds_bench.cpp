// The kinds of bounds beside each other and beside FCL's of the same kind: bumpy spheres, randomly turned.
#include "graze/graze.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "claims.h"
#include "meshes_fcl.h"
#include "meshes_scene.h"
#include "query/bounded.h"
#include "timing.h"

#if GRAZE_HAVE_FCL
#include <fcl/fcl.h>
#endif

namespace bounds_bench {
namespace {

using namespace graze;
using bench::Claims;
using bench::compare;
using bench::keep;
using meshes_bench::bumpy_sphere;
using meshes_bench::pairs_at;
using meshes_bench::PosePair;
using meshes_bench::Soup;
#if GRAZE_HAVE_FCL
using meshes_bench::refit;
using meshes_bench::to_fcl;
#endif

template <class Bound>
struct Counting : BoundedQuery<CollideQuery, Bound> {
  using BoundedQuery<CollideQuery, Bound>::BoundedQuery;
  std::size_t nodes = 0, leaves = 0;
  double bound(const Bound& a, const Bound& b) {
    ++nodes;
    return BoundedQuery<CollideQuery, Bound>::bound(a, b);
  }
  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    ++leaves;
    CollideQuery::leaf(a, i, b, j);
  }
};

struct Row {
  std::string name;
  double build = 0, refit = 0, collide = 0, turned_alike = 0, distance = 0, nodes = 0, leaves = 0, bytes = 0;
};

void print(const std::vector<Row>& rows) {
  fmt::print(
      "| bounds | build ms | refit ms | collide us | not turned us | distance us | node tests | triangle pairs | bytes "
      "per triangle |\n");
  for (const Row& r : rows) {
    fmt::print("| {} | {:.1f} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |\n", r.name,
               r.build / 1e6, r.refit / 1e6, r.collide / 1e3, r.turned_alike / 1e3, r.distance / 1e3, r.nodes, r.leaves,
               r.bytes);
  }
}

template <class Bound>
Row measured(const std::string& name, const Soup& soup, const std::vector<PosePair>& pairs,
             const std::vector<PosePair>& alike, typename BoundedMesh<Bound>::Options options, bool& agree) {
  const auto count = static_cast<double>(pairs.size());
  Row row{.name = name};
  row.build = bench::time_of([&] { keep(BoundedMesh<Bound>(soup.vertices, soup.triangles, options).size()); });
  BoundedMesh<Bound> mesh(soup.vertices, soup.triangles, options);
  row.refit = bench::time_of([&] { mesh.replace_vertices(soup.vertices); });
  row.bytes = static_cast<double>(mesh.memory_bytes()) / static_cast<double>(mesh.size());
  const Mesh usual(soup.vertices, soup.triangles);
  const BoundedTree<Bound> tree(mesh);
  for (const PosePair& p : pairs) {
    const Relative relative(p.a, p.b);
    Counting<Bound> query(relative, 0.0, nullptr);
    traverse(tree, tree, query);
    row.nodes += static_cast<double>(query.nodes) / count, row.leaves += static_cast<double>(query.leaves) / count;
    agree = agree && collide(mesh, p.a, mesh, p.b) == collide(at(usual, p.a), at(usual, p.b)) &&
            distance(mesh, p.a, mesh, p.b).value == distance(at(usual, p.a), at(usual, p.b)).value;
  }
  const auto asking = [&](const std::vector<PosePair>& poses) {
    const auto ask = [&] {
      for (const PosePair& p : poses) keep(collide(mesh, p.a, mesh, p.b));
    };
    return compare(
               poses.size(), ask, [] {}, 3)
        .ours;
  };
  row.collide = asking(pairs), row.turned_alike = asking(alike);
  row.distance = compare(
                     pairs.size(),
                     [&] {
                       for (const PosePair& p : pairs) keep(distance(mesh, p.a, mesh, p.b).value);
                     },
                     [] {}, 2)
                     .ours;
  return row;
}

Row usual(const Soup& soup, const std::vector<PosePair>& pairs, const std::vector<PosePair>& alike) {
  Row row{.name = "Mesh (the default)"};
  row.build = bench::time_of([&] { keep(Mesh(soup.vertices, soup.triangles, {.threads = 1}).size()); });
  const Mesh mesh(soup.vertices, soup.triangles);
  DeformingMesh deforming(mesh);
  deforming.replace_vertices(soup.vertices, {.threads = 1});
  row.refit = bench::time_of([&] { deforming.replace_vertices(soup.vertices, {.threads = 1}); });
  row.bytes = static_cast<double>(mesh.memory_bytes()) / static_cast<double>(mesh.size());
  const auto asking = [&](const std::vector<PosePair>& poses, const auto& verb) {
    std::vector<Placed> a, b;
    for (const PosePair& p : poses) a.push_back(at(mesh, p.a)), b.push_back(at(mesh, p.b));
    const auto ask = [&] {
      for (std::size_t i = 0; i < a.size(); ++i) verb(a[i], b[i]);
    };
    return compare(
               poses.size(), ask, [] {}, 5)
        .ours;
  };
  const auto hit = [](const Placed& a, const Placed& b) { keep(collide(a, b)); };
  row.collide = asking(pairs, hit), row.turned_alike = asking(alike, hit);
  row.distance = asking(pairs, [](const Placed& a, const Placed& b) { keep(distance(a, b).value); });
  return row;
}

#if GRAZE_HAVE_FCL

template <class Theirs, class Bound>
void against_fcl(Claims& claims, const std::string& name, const Soup& soup, const std::vector<PosePair>& pairs) {
  const auto built = compare(
      1, [&] { keep(BoundedMesh<Bound>(soup.vertices, soup.triangles).size()); },
      [&] { keep(to_fcl<Theirs>(soup)->num_tris); }, 3);
  BoundedMesh<Bound> mesh(soup.vertices, soup.triangles);
  const auto model = to_fcl<Theirs>(soup);
  const auto refitted = compare(
      1, [&] { mesh.replace_vertices(soup.vertices); }, [&] { refit(*model, soup.vertices); }, 3);
  std::vector<char> hit(pairs.size()), peer_hit(pairs.size());
  const fcl::CollisionRequestd boolean(1, false);
  const auto collided = compare(
      pairs.size(),
      [&] {
        for (std::size_t i = 0; i < pairs.size(); ++i) hit[i] = collide(mesh, pairs[i].a, mesh, pairs[i].b);
      },
      [&] {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          fcl::CollisionResultd result;
          fcl::collide(model.get(), to_fcl(pairs[i].a), model.get(), to_fcl(pairs[i].b), boolean, result);
          peer_hit[i] = result.isCollision();
        }
      },
      3);
  const auto add = [&](const char* what, const bench::Times& times, double unit, const char* of) {
    claims.add({.id = fmt::format("bounds/{} {}", what, name),
                .ours = times.ours / unit,
                .peer_name = "FCL " + name,
                .peer = times.peer / unit,
                .unit = of,
                .goal = 1,
                .agree = hit == peer_hit});
  };
  add("build", built, 1e6, "ms"), add("refit", refitted, 1e6, "ms"), add("collide", collided, 1e3, "us");
}

#endif

}  // namespace
}  // namespace bounds_bench

int main(int argc, char** argv) {
  using namespace bounds_bench;
  Claims claims(argc, argv);
  const Soup soup = bumpy_sphere(22, 1);
  const Mesh mesh(soup.vertices, soup.triangles);
  const std::vector<PosePair> pairs = pairs_at(mesh, 0.001, 20, 7), alike = pairs_at(mesh, 0.001, 20, 7, false);
  bool agree = true;
  std::vector<Row> rows{usual(soup, pairs, alike)};
  rows.push_back(measured<Aabb>("Aabb", soup, pairs, alike, {}, agree));
  rows.push_back(measured<Obb>("Obb", soup, pairs, alike, {}, agree));
  rows.push_back(measured<Rss>("Rss", soup, pairs, alike, {}, agree));
  rows.push_back(measured<KDop<16>>("KDop<16>", soup, pairs, alike, {}, agree));
  rows.push_back(measured<KDop<18>>("KDop<18>", soup, pairs, alike, {}, agree));
  rows.push_back(measured<KDop<24>>("KDop<24>", soup, pairs, alike, {}, agree));
  fmt::print("{} triangles, 1 mm apart, randomly turned, {} pairs; one triangle per leaf\n", soup.triangles.size(),
             pairs.size());
  print(rows);

  rows.clear();
  rows.push_back(measured<Obb>("split::middle", soup, pairs, alike, {.split = split::middle}, agree));
  rows.push_back(measured<Obb>("split::mean", soup, pairs, alike, {.split = split::mean}, agree));
  rows.push_back(measured<Obb>("split::median", soup, pairs, alike, {.split = split::median}, agree));
  rows.push_back(measured<Obb>("split::principal", soup, pairs, alike, {.split = split::principal}, agree));
  rows.push_back(measured<Obb>("fit::frame", soup, pairs, alike, {.fit = fit::frame}, agree));
  rows.push_back(measured<Obb>("fit::smallest", soup, pairs, alike, {.fit = fit::smallest}, agree));
  rows.push_back(measured<Obb>("2 per leaf", soup, pairs, alike, {.leaf_size = 2}, agree));
  rows.push_back(measured<Obb>("4 per leaf", soup, pairs, alike, {.leaf_size = 4}, agree));
  fmt::print("Obb, with other splits and fits\n");
  print(rows);
  if (!agree) {
    fmt::print(stderr, "the kinds do not agree with the default\n");
    return 1;
  }
#if GRAZE_HAVE_FCL
  against_fcl<fcl::AABBd, Aabb>(claims, "AABB", soup, pairs);
  against_fcl<fcl::OBBd, Obb>(claims, "OBB", soup, pairs);
  against_fcl<fcl::RSSd, Rss>(claims, "RSS", soup, pairs);
  against_fcl<fcl::KDOP<double, 18>, KDop<18>>(claims, "18-DOP", soup, pairs);
#else
  claims.missing("bounds", "FCL is not installed");
#endif
  return claims.finish();
}
