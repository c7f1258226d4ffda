#include "query/map_walk.h"

#include <cmath>

namespace graze {
namespace {

using detail::OctreeNode;

// The children that have something of at least the threshold.
unsigned counting(const OctreeNode& node, float threshold) {
  unsigned bits = 0;
  for (unsigned k = 0; k < 8; ++k) bits |= (node.value[k] >= threshold ? 1U : 0U) << k;
  return bits & node.known;
}

double outside(double low, double high, double from, double to) { return std::max({low - to, from - high, 0.0}); }

}  // namespace

MapCells::MapCells(const MapView& view, const Aabb& near, const Vec3& center, double radius)
    : data_(data_of(view)),
      map_(detail::OccupancyData::of(data_.map)),
      near_(near),
      center_(center),
      radius_(radius),
      // Sides are rounded products; and what the few sums here round.
      slack_(16 * kEpsilon *
             (map_.bounds.empty() ? 0 : size_of(map_.bounds.min) + size_of(map_.bounds.max) + size_of(center) + radius)),
      leaf_{} {}

double MapCells::bound(const Vec3& apart, const Vec3& from_center) const {
  const double by_box = std::sqrt(norm_sq(apart)), by_ball = std::sqrt(norm_sq(from_center)) - radius_;
  return std::max(by_box, by_ball) * (1 - 8 * kEpsilon) - slack_;
}

void MapCells::open(const Place& place, double limit, Children<double>& children) const {
  const double r = map_.resolution;
  if (place.level == kAll) {
    for (unsigned k = 0; k < 8; ++k) {
      const detail::OctreeRoot& root = map_.roots[k];
      if (!root.exists || counting(root.node, data_.log_odds) == 0) continue;
      const Aabb box = data_.map.box(root.key, root.level);
      Vec3 apart, from_center;
      for (int a = 0; a < 3; ++a) {
        apart[a] = outside(box.min[a], box.max[a], near_.min[a], near_.max[a]);
        from_center[a] = outside(box.min[a], box.max[a], center_[a], center_[a]);
      }
      children.bound[k] = bound(apart, from_center);
      (children.bound[k] > limit ? children.apart : children.near) |= 1U << k;
    }
    return;
  }
  // Of the lower and the upper half along each axis: how far from the box and from the center.
  double apart[3][2], from_center[3][2];
  const std::int64_t half = std::int64_t{1} << static_cast<unsigned>(place.level - 1);
  const std::int64_t first[3] = {place.key.x, place.key.y, place.key.z};
  for (int a = 0; a < 3; ++a) {
    const double side[3] = {static_cast<double>(first[a]) * r, static_cast<double>(first[a] + half) * r,
                            static_cast<double>(first[a] + 2 * half) * r};
    for (int h = 0; h < 2; ++h) {
      apart[a][h] = outside(side[h], side[h + 1], near_.min[a], near_.max[a]);
      from_center[a][h] = outside(side[h], side[h + 1], center_[a], center_[a]);
    }
  }
  for (unsigned left = counting(*place.node, data_.log_odds); left != 0; left &= left - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(left));
    const unsigned x = k & 1U, y = k >> 1U & 1U, z = k >> 2U;
    children.bound[k] = bound({apart[0][x], apart[1][y], apart[2][z]},
                              {from_center[0][x], from_center[1][y], from_center[2][z]});
    (children.bound[k] > limit ? children.apart : children.near) |= 1U << k;
  }
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
