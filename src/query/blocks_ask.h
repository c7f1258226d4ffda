// Any question about a solid made of blocks and something else.
#pragma once

#include "query/cloud_tree.h"
#include "query/field_tree.h"
#include "query/map_tree.h"
#include "query/mesh_tree.h"

namespace graze {

/// What a solid without end is cut down to for another body: the boxes in the frames of the two, beyond which nothing
/// can matter. Either may be empty, where nothing is to be cut.
struct NearBoxes {
  Aabb of_a;  ///< where b is, in a's frame
  Aabb of_b;  ///< where a is, in b's frame
};

/// Around a body, in its frame; of what has no end, around where it ends.
inline Aabb finite_box(const Mesh& mesh) { return mesh.bounds(); }
inline Aabb finite_box(const Cloud& cloud) {
  return cloud.bounds().empty() ? cloud.bounds() : cloud.bounds().grown(cloud.radius());
}
inline Aabb finite_box(const HeightField& field) { return field.surface_bounds().grown(data_of(field).rounding); }
inline Aabb finite_box(const MapView& view) {
  const map_view::Data& data = data_of(view);
  return data.unknown_occupied ? data.map.bounds() : data.bounds;
}
template <Bounded A>
Aabb finite_box(const A& a) {
  return bounds(a);
}

template <class A, BlockKind B>
NearBoxes near_boxes(const A& a, const B& b, const Relative& relative) {
  const auto in_other = [](const Relative& to, const Aabb& box) { return box.empty() ? box : to.box_to_a(box); };
  const Relative inverse = relative.inverse();
  Aabb box_a = finite_box(a), box_b = finite_box(b);
  if constexpr (std::same_as<A, HeightField> && std::same_as<B, HeightField>) {
    // Columns that lean towards each other may meet far below, no farther than this.
    if (const double lean = 1 - relative.rotation(2, 2) * relative.rotation(2, 2);
        relative.rotation(2, 2) > 0 && lean > 0) {
      const double size = size_of(box_a.min) + size_of(box_a.max) + size_of(box_b.min) + size_of(box_b.max) +
                          size_of(relative.translation);
      const double deep = 4 * size / lean;
      box_a.min.z() -= deep, box_b.min.z() -= deep;
    }
  }
  return {in_other(relative, box_b), in_other(inverse, box_a)};
}

/// Where a plane crosses the rectangle of a field, in the field's frame; n · x = level.
inline Aabb near_box(const HeightField& field, const Vec3& n, double level) {
  const Aabb& surface = field.surface_bounds();
  Aabb box = surface;
  if (n.z() == 0) return box;
  for (const double x : {surface.min.x(), surface.max.x()}) {
    for (const double y : {surface.min.y(), surface.max.y()})
      box.extend(Vec3(x, y, (level - n.x() * x - n.y() * y) / n.z()));
  }
  return box.grown(1e-9 * (size_of(box.min) + size_of(box.max)));
}
inline Aabb near_box(const MapView&, const Vec3&, double) { return {}; }

/// Asks `query` about a plane or half-space: nodes by their support points.
template <Unbounded A, BlockKind B, class Q>
void ask_blocks(const A& a, const B& b, const Relative& relative, Q& query) {
  const Vec3 n = turned_back(relative.rotation, a.normal());
  const double level = a.offset() - dot(a.normal(), relative.translation);
  const auto tree = tree_of(b, near_box(b, n, level));
  struct Walk {
    const ShapeLeaf<A> one;
    const Vec3& n;
    double level, lengths;
    Q& query;
    double bound(const Aabb& box) const {
      if (box.empty()) return kInfinity;
      const double at = n.dot(box.center()) - level, reach = n.cwiseAbs().dot(box.half());
      const double slack = 64 * kEpsilon * (size_of(box.center()) + size_of(box.half()) + std::abs(level) + lengths);
      return (std::same_as<A, Plane> ? std::abs(at) : at) - reach - slack;
    }
    double limit() const { return query.limit(); }
    void leaf(const decltype(tree)& h, std::size_t i) { query.leaf(one, 0, h, i); }
  } walk{ShapeLeaf<A>(a), n, level, size_of(relative.translation) + std::abs(a.offset()), query};
  traverse(tree, walk);
}

/// Asks `query` about two solids made of blocks.
template <BlockKind A, BlockKind B, class Q>
void ask_blocks(const A& a, const B& b, const Relative& relative, Q& query) {
  const NearBoxes near = near_boxes(a, b, relative);
  traverse(tree_of(a, near.of_a), tree_of(b, near.of_b), query);
}

/// Asks `query` about anything else, in canonical order; `relative` maps coordinates of b to those of a.
template <class A, BlockKind B, class Q>
void ask_blocks(const A& a, const B& b, const Relative& relative, Q& query) {
  const NearBoxes near = near_boxes(a, b, relative);
  if (near.of_b.empty()) return;
  traverse(hierarchy_of(a), tree_of(b, near.of_b), query);
}

/// How many kinds of geometry are solids made of blocks.
template <class... Kinds>
constexpr std::size_t block_kinds(const std::variant<Kinds...>*) {
  return (std::size_t{BlockKind<Kinds>} + ...);
}

/// Calls body(b) with what the geometry holds, a solid made of blocks.
template <class Body>
decltype(auto) with_block(const Geometry& b, const Body& body) {
  static_assert(block_kinds(static_cast<const Geometry*>(nullptr)) == 2, "a kind made of blocks is missing here");
  const auto* field = std::get_if<HeightField>(&b);
  return field != nullptr ? body(*field) : body(*std::get_if<MapView>(&b));
}
/// The same, with what a holds before it.
template <class Body>
decltype(auto) with_blocks(const Geometry& a, const Geometry& b, const Body& body) {
  return with_block(
      b, [&](const auto& solid) { return std::visit([&](const auto& first) { return body(first, solid); }, a); });
}

}  // namespace graze
