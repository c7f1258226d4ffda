#include "query/map_walk.h"

#include <cmath>

namespace graze {
namespace {

using detail::OctreeNode;

double outside(double low, double high, double from, double to) { return std::max({low - to, from - high, 0.0}); }

}  // namespace

MapCells::MapCells(const MapView& view, const Aabb& near, const Vec3& center, double radius)
    : data_(data_of(view)), map_(detail::OccupancyData::of(data_.map)), leaf_{} {
  body_.near = near;
  body_.center = center;
  body_.radius = radius;
  body_.threshold = data_.log_odds;
  // Sides are rounded products; and what the few sums here round.
  if (const Aabb& box = map_.bounds; !box.empty()) {
    body_.slack = 16 * kEpsilon * (size_of(box.min) + size_of(box.max) + size_of(center) + radius);
  }
}

void MapCells::open(const Place& place, double limit, bool ordered, Children<double>& children) const {
  const double r = map_.resolution;
  const double reach = limit + body_.slack + 16 * kEpsilon * (std::abs(limit) + body_.radius);
  // What is near the middle comes first: where the box of the body overlaps many cells, their gaps are all alike.
  children.order = children.other;
  if (!(reach >= 0)) return;
  if (place.level == kAll) {
    for (unsigned k = 0; k < 8; ++k) {
      const detail::OctreeRoot& root = map_.roots[k];
      if (!root.exists) continue;
      const Aabb box = data_.map.box(root.key, root.level);
      bool near = true;
      double center_sq = 0;
      for (int a = 0; a < 3; ++a) {
        near = near && outside(box.min[a], box.max[a], body_.near.min[a], body_.near.max[a]) <= reach;
        const double from = outside(box.min[a], box.max[a], body_.center[a], body_.center[a]);
        center_sq += from * from;
      }
      children.bound[k] = -kInfinity;
      children.other[k] = center_sq;
      (near ? children.near : children.apart) |= 1U << k;
    }
    return;
  }
  const std::int64_t half = std::int64_t{1} << static_cast<unsigned>(place.level - 1);
  std::array<std::array<double, 3>, 3> sides;
  const std::array<std::int64_t, 3> first{place.key.x, place.key.y, place.key.z};
  for (std::size_t a = 0; a < 3; ++a) {
    sides[a] = {static_cast<double>(first[a]) * r, static_cast<double>(first[a] + half) * r,
                static_cast<double>(first[a] + 2 * half) * r};
  }
  const OctreeNode& node = *place.node;
  children.near =
      node.known & near_cubes(body_, sides, node.value.data(), reach, ordered, children.bound, children.other);
  children.apart = node.known & ~children.near;
}

MapCells::Place MapCells::child(const Place& place, std::size_t k) const {
  if (place.level == kAll) {
    const detail::OctreeRoot& root = map_.roots[k];
    return {&root.node, map_.nodes.data(), root.key, root.level};
  }
  const OctreeNode& node = *place.node;
  const auto i = static_cast<int>(k);
  Place below{nullptr, place.pool, detail::child_key(place.key, place.level, i), place.level - 1};
  if ((node.inner >> k & 1U) == 0) return below;
  if (node.in_chunks != 0) {
    const detail::OctreeChunk& chunk = *map_.chunks[node.index(i)];
    below.node = &chunk.root;
    below.pool = chunk.nodes.data();
  } else {
    below.node = &place.pool[node.index(i)];
  }
  return below;
}

Aabb MapCells::bounds(Node) const {
  const Aabb box = data_.map.box(leaf_.key, leaf_.level);
  return box.grown(kEpsilon * (size_of(box.min) + size_of(box.max)));
}

Block MapCells::primitive(std::size_t) const {
  const Aabb box = data_.map.box(leaf_.key, leaf_.level);
  Block b;
  b.count = 8;
  b.slack = kEpsilon * std::max(box.min.cwiseAbs().maxCoeff(), box.max.cwiseAbs().maxCoeff());
  for (std::size_t k = 0; k < 8; ++k) {
    b.corners[k] = {(k & 1U) != 0 ? box.max.x() : box.min.x(), (k & 2U) != 0 ? box.max.y() : box.min.y(),
                    (k & 4U) != 0 ? box.max.z() : box.min.z()};
  }
  return b;
}

}  // namespace graze
