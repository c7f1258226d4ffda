// Any question about a mesh and something else: which triangles are worth asking about, from the walks in float32.
#pragma once

#include <array>
#include <bit>

#include "query/cloud_tree.h"
#include "query/mesh_front.h"
#include "query/mesh_tree.h"
#include "query/mesh_walk.h"

namespace graze {

/// A part of the first one by its own name.
template <class A>
class OnePart {
 public:
  explicit OnePart(const A& shape) : shape_(shape) {}
  const A& primitive(std::size_t) const { return shape_; }

 private:
  const A& shape_;
};

/// The limit that a walk goes on with: overlaps of any depth are found among what is not apart; below that it ends.
template <class Q>
double walk_limit(const Q& query) {
  const double limit = query.limit();
  if constexpr (requires { query.done(); }) {
    if (query.done()) return -1;
  }
  return limit == -kInfinity ? -1 : std::max(limit, 0.0);
}

/// Whether balls about two points are farther apart than the limit: all that most pairs of a scene need.
inline bool balls_apart(const Vec3& between, double radii, double limit, double lengths) {
  const double reach = radii + std::max(limit, 0.0) + 32 * kEpsilon * (lengths + radii);
  return norm_sq(between) > reach * reach;
}

template <Unbounded A, class Q>
void ask_mesh(const A& a, const Mesh& mesh, const Relative& relative, Q& query) {
  // Nodes against the plane, in double: support points of boxes.
  const MeshTree tree(mesh);
  const MeshParts parts(tree);
  const OnePart<A> one(a);
  const Vec3 n = relative.rotation.transpose() * a.normal();
  const double level = a.offset() - a.normal().dot(relative.translation);
  const auto lower = [&](const Aabb& box) {
    const double at = n.dot(box.center()) - level, reach = n.cwiseAbs().dot(box.half());
    const double slack =
        32 * kEpsilon * (size_of(box.center()) + size_of(box.half()) + std::abs(level) + size_of(relative.translation));
    return (std::same_as<A, Plane> ? std::abs(at) : at) - reach - slack;
  };
  struct Walk {
    const decltype(lower)& of;
    const OnePart<A>& one;
    const MeshParts& parts;
    Q& query;
    double bound(const Aabb& box) const { return of(box); }
    double limit() const { return query.limit(); }
    void leaf(const MeshTree& h, std::size_t slot) { query.leaf(one, 0, parts, h.feature(slot)); }
  } walk{lower, one, parts, query};
  traverse(tree, walk);
}

template <Bounded A, class Q>
void ask_mesh(const A& a, const Mesh& mesh, const Relative& relative, Q& query) {
  const MeshTree tree(mesh);
  const MeshParts parts(tree);
  if (tree.empty()) return;
  struct Asked {
    const OnePart<A> one;
    const MeshParts& parts;
    Q& query;
  } asked{OnePart<A>(a), parts, query};
  const walk::Visitor visitor{&asked, [](void* self, std::uint32_t triangle) {
                                Asked& x = *static_cast<Asked*>(self);
                                x.query.leaf(x.one, 0, x.parts, triangle);
                                return walk_limit(x.query);
                              }};
  // The box of the core; the radius is part of the limit.
  const double radius = rounding_radius(a);
  const Aabb box = core_box(a);
  const Vec3 center = box.center(), half = box.half();
  const mesh::Data& data = data_of(mesh);
  if (balls_apart(minus(relative.to_a(data.tree.origin), center), data.radius + std::sqrt(norm_sq(half)) + radius,
                  query.limit(), size_of(data.tree.origin) + size_of(center) + size_of(relative.translation)))
    return;
  const walk::MeshAndBox pair(data, center, half, relative.inverse());
  if (!pair.fits()) {
    for (std::size_t i = 0; i < mesh.size() && walk_limit(query) >= 0; ++i) query.leaf(asked.one, 0, parts, i);
    return;
  }
  walk::visit(pair, walk_limit(query), radius, visitor);
}

/// A question about two meshes, as the walk asks it. Turned round, the walk's a is the question's b.
template <class Q>
struct AskedMeshes {
  const MeshParts a, b;
  const Relative& relative;
  Q& query;
  bool turned_round = false;
  Vec3 toward = Vec3::Zero();

  walk::PairVisitor visitor() {
    walk::PairVisitor v{this, [](void* self, std::uint32_t of_a, std::uint32_t of_b) {
                          AskedMeshes& x = *static_cast<AskedMeshes*>(self);
                          if (x.turned_round) std::swap(of_a, of_b);
                          x.query.leaf(x.a, of_a, x.b, of_b);
                          return walk_limit(x.query);
                        }};
    if constexpr (std::same_as<Q, DistanceQuery>) {
      v.toward = [](void* self) -> const Vec3* {
        AskedMeshes& x = *static_cast<AskedMeshes*>(self);
        const PairDistance& best = x.query.so_far();
        if (best.beyond || best.value <= 0) return nullptr;
        if (!x.turned_round) return &best.normal;
        x.toward = times(-1, turned_back(x.relative.rotation, best.normal));
        return &x.toward;
      };
    } else {
      v.apart = [](void* self, std::uint32_t of_a, std::uint32_t of_b) {
        AskedMeshes& x = *static_cast<AskedMeshes*>(self);
        if (x.turned_round) std::swap(of_a, of_b);
        const PairDistance d = measure(x.a.primitive(of_a), x.b.primitive(of_b), x.relative, {});
        return d.value - d.tolerance;
      };
    }
    return v;
  }
};

template <class Q>
void ask_mesh(const Mesh& a, const Mesh& b, const Relative& relative, Q& query, PairMemory* cache = nullptr) {
  const MeshTree tree_a(a), tree_b(b);
  if (tree_a.empty() || tree_b.empty()) return;
  const Vec3 &origin_a = data_of(a).tree.origin, &origin_b = data_of(b).tree.origin;
  if (balls_apart(minus(relative.to_a(origin_b), origin_a), data_of(a).radius + data_of(b).radius, query.limit(),
                  size_of(origin_a) + size_of(origin_b) + size_of(relative.translation)))
    return;
  AskedMeshes<Q> asked{MeshParts(tree_a), MeshParts(tree_b), relative, query};
  constexpr bool kNearest = std::same_as<Q, DistanceQuery>;
  const walk::MeshPair pair(data_of(a), data_of(b), relative);
  if (!pair.fits()) {
    traverse(tree_a, tree_b, query);
    return;
  }
  if (cache != nullptr && !cache->front.entries.empty()) {
    const FrontUse use = use_front(cache->front, data_of(a), data_of(b), relative);
    asked.turned_round = use.turned_round;
    const auto walked = [&](const walk::MeshPair& in_order) {
      return walk::visit(in_order, walk_limit(query), kNearest, cache->front, asked.visitor());
    };
    if (use.worth_it &&
        (use.turned_round ? walked(walk::MeshPair(data_of(b), data_of(a), relative.inverse())) : walked(pair)))
      return;
    if (use.worth_it) cache->front.idle = kIdle;
    asked.turned_round = false;
    if (walk_limit(query) < 0) return;
  }
  walk::visit(pair, walk_limit(query), kNearest, asked.visitor());
}

template <class A, class Q>
void ask_mesh(const A& a, const Mesh& b, const Relative& relative, Q& query, PairMemory*) {
  ask_mesh(a, b, relative, query);
}
/// The points of a leaf of a cloud and the triangles near them. The points that lie nowhere near a triangle are not
/// asked about.
template <class Q>
class LeafAndMesh {
 public:
  LeafAndMesh(const Mesh& mesh, const Cloud& cloud, const Relative& relative, Q& query)
      : mesh_(mesh), parts_(mesh_), cloud_(cloud), radius_(cloud.radius()), relative_(relative), query_(query) {}

  double ask(std::size_t first, unsigned near) {
    Aabb box;
    count_ = 0;
    for (; near != 0; near &= near - 1) {
      const std::size_t place = first + static_cast<std::size_t>(std::countr_zero(near));
      const Vec3 p = cloud_.primitive(place).center;
      box.extend(p);
      points_[count_++] = {relative_.to_a(p), place};
    }
    const double size = std::max(size_of(box.min), size_of(box.max));
    slack_ = relative_.placing_error(size) + 32 * kEpsilon * (size + size_of(relative_.translation));
    const walk::MeshAndBox pair(mesh_.data(), box.center(), box.half(), relative_);
    if (pair.fits()) {
      const walk::Visitor visitor{this, [](void* self, std::uint32_t triangle) {
                                    return static_cast<LeafAndMesh*>(self)->ask_triangle(triangle);
                                  }};
      walk::visit(pair, walk_limit(query_), radius_, visitor);
    } else {
      for (std::size_t i = 0; i < mesh_.data().triangles.size() && limit() > -kInfinity; ++i) ask_triangle(i);
    }
    return limit();
  }

  double limit() const { return walk_limit(query_) < 0 ? -kInfinity : query_.limit(); }

 private:
  struct Point {
    Vec3 in_mesh;
    std::size_t place;
  };

  double ask_triangle(std::size_t triangle) {
    Aabb box;
    for (std::size_t k = 0; k < 3; ++k) box.extend(mesh_.data().corner(triangle, k));
    for (std::size_t i = 0; i < count_; ++i) {
      const double limit = walk_limit(query_);
      if (limit < 0) break;
      const double reach = (limit + radius_ + slack_) * (1 + 4 * kEpsilon);
      const Vec3 off = (box.min - points_[i].in_mesh).cwiseMax(points_[i].in_mesh - box.max).cwiseMax(0);
      if (norm_sq(off) > reach * reach) continue;
      query_.leaf(parts_, triangle, cloud_, points_[i].place);
    }
    return walk_limit(query_);
  }

  const MeshTree mesh_;
  const MeshParts parts_;
  const CloudTree cloud_;
  double radius_;
  const Relative& relative_;
  Q& query_;
  double slack_ = 0;
  std::size_t count_ = 0;
  std::array<Point, kd_tree::kLeaf> points_;
};

template <class Q>
void ask_mesh(const Mesh& a, const Cloud& b, const Relative& relative, Q& query, PairMemory* = nullptr) {
  if (a.empty()) return;
  LeafAndMesh<Q> leaves(a, b, relative, query);
  const cloud_walk::Visitor visitor{.self = &leaves, .block = [](void* self, std::size_t first, unsigned near) {
                                      return static_cast<LeafAndMesh<Q>*>(self)->ask(first, near);
                                    }};
  const cloud_walk::Outline outline{.box = a.bounds()};
  cloud_walk::visit(b, cloud_walk::Body(outline, b, relative), leaves.limit(), visitor);
}

/// Asks first about the parts that the cache remembers, if they are parts of this pair. Any pair of parts may be asked
/// at any time: the answer stays the same.
template <class A, class B, class Q>
void ask_remembered(const A& a, const B& b, Q& query, const PairMemory* cache) {
  if constexpr (std::same_as<B, Mesh>) {
    if (cache == nullptr || !cache->has_parts || b.empty()) return;
    const std::uint64_t stamp_a = stamp(Geometry(a)), stamp_b = b.stamp();
    std::size_t part_a = cache->part_a, part_b = cache->part_b;
    if (cache->whole_a == stamp_b && cache->whole_b == stamp_a) std::swap(part_a, part_b);
    else if (cache->whole_a != stamp_a || cache->whole_b != stamp_b) return;
    const MeshTree tree_b(b);
    if (part_b >= b.size()) return;
    if constexpr (std::same_as<A, Mesh>) {
      if (part_a >= a.size()) return;
      const MeshTree tree_a(a);
      query.leaf(MeshParts(tree_a), part_a, MeshParts(tree_b), part_b);
    } else {
      query.leaf(OnePart<A>(a), 0, MeshParts(tree_b), part_b);
    }
  }
}

inline void remember(PairMemory* cache, const Geometry& first, const Geometry& second, Feature a, Feature b) {
  if (cache == nullptr || std::holds_alternative<Cloud>(second)) return;
  cache->has_parts = true;
  cache->whole_a = stamp(first), cache->whole_b = stamp(second);
  cache->part_a = a, cache->part_b = b;
}

/// Asks `query` about a pair with a mesh or a cloud, in canonical order.
template <class A, Composite B, class Q>
void ask_parts(const A& a, const B& b, const Relative& relative, Q& query, PairMemory* cache = nullptr) {
  if constexpr (WithMesh<A, B>) ask_mesh(a, b, relative, query, cache);
  else ask(a, b, relative, query);
}

}  // namespace graze
