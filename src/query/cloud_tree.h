// A cloud as a hierarchy: its k-d tree, with the points as balls.
#pragma once

#include "geometry/cloud_index.h"
#include "graze/query/traverse.h"
#include "index/kd_tree_data.h"
#include "query/ball.h"
#include "query/cloud_walk.h"
#include "query/shape_leaf.h"

namespace graze {

class CloudTree {
 public:
  /// `level` counts from the leaves, which are 0.
  struct Node {
    std::uint32_t level, index;
  };
  static constexpr std::size_t kMaxDepth = kd_tree::kMaxLevels + 1, kMaxChildren = kd_tree::kFan;

  explicit CloudTree(const Cloud& cloud)
      : floats_(floats_of(search_tree(cloud))),
        doubles_(doubles_of(search_tree(cloud))),
        sphere_{.radius = cloud.radius()} {}

  bool empty() const { return size() == 0; }
  Node root() const { return {static_cast<std::uint32_t>(floats_ != nullptr ? floats_->levels : doubles_->levels), 0}; }
  Aabb bounds(Node node) const {
    return (floats_ != nullptr ? box_of(*floats_, node) : box_of(*doubles_, node)).grown(sphere_.radius);
  }
  bool is_leaf(Node node) const { return node.level == 0; }
  std::size_t children(Node node) const {
    const std::size_t below =
        floats_ != nullptr ? floats_->children(node.level - 1) : doubles_->children(node.level - 1);
    return std::min(kd_tree::kFan, below - kd_tree::kFan * node.index);
  }
  Node child(Node node, std::size_t i) const {
    return {node.level - 1, static_cast<std::uint32_t>(kd_tree::kFan * node.index + i)};
  }
  /// How many points are below the node.
  std::size_t points(Node node) const {
    std::size_t each = kd_tree::kLeaf;
    for (std::uint32_t level = 0; level < node.level; ++level) each *= kd_tree::kFan;
    return std::min(size(), each * (node.index + std::size_t{1})) - each * node.index;
  }
  std::size_t first(Node leaf) const { return kd_tree::kLeaf * leaf.index; }
  std::size_t last(Node leaf) const { return std::min(size(), kd_tree::kLeaf * (leaf.index + std::size_t{1})); }

  Ball primitive(std::size_t i) const {
    return {floats_ != nullptr ? point_of(*floats_, i) : point_of(*doubles_, i), sphere_};
  }
  /// The caller's index of the primitive.
  std::size_t feature(std::size_t i) const {
    return floats_ != nullptr ? floats_->leaves[i / kd_tree::kLeaf].index[i % kd_tree::kLeaf]
                              : doubles_->leaves[i / kd_tree::kLeaf].index[i % kd_tree::kLeaf];
  }

 private:
  std::size_t size() const {
    if (floats_ != nullptr) return floats_->size;
    return doubles_ != nullptr ? doubles_->size : 0;
  }
  template <class T>
  static Vec3 point_of(const kd_tree::Tree<T>& tree, std::size_t i) {
    const auto& leaf = tree.leaves[i / kd_tree::kLeaf];
    const std::size_t k = i % kd_tree::kLeaf;
    return {static_cast<double>(leaf.at[0][k]), static_cast<double>(leaf.at[1][k]), static_cast<double>(leaf.at[2][k])};
  }
  // A node's box is kept by its parent.
  template <class T>
  static Aabb box_of(const kd_tree::Tree<T>& tree, Node node) {
    if (node.level == tree.levels) return tree.bounds;
    const auto& parent = tree.nodes[tree.first[node.level] + node.index / kd_tree::kFan];
    const std::size_t k = node.index % kd_tree::kFan;
    return {{static_cast<double>(parent.min[0][k]), static_cast<double>(parent.min[1][k]),
             static_cast<double>(parent.min[2][k])},
            {static_cast<double>(parent.max[0][k]), static_cast<double>(parent.max[1][k]),
             static_cast<double>(parent.max[2][k])}};
  }

  const kd_tree::Tree<float>* floats_;
  const kd_tree::Tree<double>* doubles_;
  Sphere sphere_;
};

inline CloudTree hierarchy_of(const Cloud& cloud) { return CloudTree(cloud); }

template <Bounded A>
cloud_walk::Outline outline_of(const A& a) {
  constexpr bool kRound = std::same_as<A, Cylinder> || std::same_as<A, Cone>;
  constexpr bool kSwept = std::same_as<A, Box> || std::same_as<A, Capsule> || std::same_as<A, Cylinder>;
  const auto core_of_a = core(a);
  cloud_walk::Outline outline{.box = core_box(a), .radius = rounding_radius(a), .swept = kSwept};
  if constexpr (kRound) outline.disc = a.radius;
  if constexpr (std::same_as<A, Convex>) {
    // To look at more sides costs more than to ask about some points in vain.
    constexpr std::size_t kMany = 256;
    if (a.faces().size() <= kMany) outline.sides = a.faces();
  }
  outline.inner_center = core_of_a.center();
  outline.inner = core_of_a.inner() + outline.radius;
  return outline;
}

/// Asks `query` about two geometries in canonical order; `relative` maps coordinates of b to those of a.
template <class A, class B, class Q>
void ask(const A& a, const B& b, const Relative&, Q& query) {
  traverse(hierarchy_of(a), hierarchy_of(b), query);
}

template <Bounded A, class Q>
void ask(const A& a, const Cloud& b, const Relative& relative, Q& query) {
  struct Asked {
    const ShapeLeaf<A> leaf;
    const CloudTree tree;
    Q& query;
    double cap = kInfinity;  // something is within this
    double limit() const {
      if constexpr (requires { query.done(); }) {
        if (query.done()) return -kInfinity;
      }
      return std::min(query.limit(), cap);
    }
  } asked{ShapeLeaf<A>(a), CloudTree(b), query};
  const cloud_walk::Visitor visitor{.self = &asked, .point = [](void* self, std::size_t place) {
                                      Asked& x = *static_cast<Asked*>(self);
                                      x.query.leaf(x.leaf, 0, x.tree, place);
                                      return x.limit();
                                    }};
  const cloud_walk::Outline outline = outline_of(a);
  const cloud_walk::Body body(outline, b, relative);
  if constexpr (requires { query.hit_something(); }) {
    const PointGrid::Verdict verdict = cloud_walk::verdict(b, body, asked.limit());
    if (verdict == PointGrid::Verdict::hit) query.hit_something();
    if (verdict != PointGrid::Verdict::undecided) return;
  } else if constexpr (requires { query.so_far(); }) {
    asked.cap = cloud_walk::distance_at_most(b, body);
  }
  cloud_walk::visit(b, body, asked.limit(), visitor);
}

}  // namespace graze
