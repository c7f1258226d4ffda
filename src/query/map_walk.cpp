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

// From the lower and the upper half of a cube along one axis.
struct MapCells::Halves {
  double apart[2], from_center[2];  // from the box and from the center
};

void MapCells::put(unsigned k, const Halves& x, const Halves& y, const Halves& z, double limit, bool ordered,
                   Children<double>& children) const {
  const unsigned i = k & 1U, j = k >> 1U & 1U, l = k >> 2U;
  const double center_sq = x.from_center[i] * x.from_center[i] + y.from_center[j] * y.from_center[j] +
                           z.from_center[l] * z.from_center[l];
  const double apart_sq = x.apart[i] * x.apart[i] + y.apart[j] * y.apart[j] + z.apart[l] * z.apart[l];
  const double reach = limit + slack_ + 16 * kEpsilon * (limit + radius_), ball = reach + radius_;
  // What is near the middle comes first: where the box of the body overlaps many cells, their gaps are all alike.
  children.other[k] = center_sq;
  if (!(reach >= 0) || apart_sq > reach * reach || center_sq > ball * ball) {
    children.bound[k] = kInfinity;
    children.apart |= 1U << k;
    return;
  }
  children.near |= 1U << k;
  children.bound[k] = -kInfinity;
  if (ordered) {
    const double bound = std::max(std::sqrt(apart_sq), std::sqrt(center_sq) - radius_);
    children.bound[k] = bound * (1 - 8 * kEpsilon) - slack_;
  }
}

void MapCells::open(const Place& place, double limit, bool ordered, Children<double>& children) const {
  const double r = map_.resolution;
  children.order = children.other;
  const auto halves = [&](int a, double low, double middle, double high) {
    return Halves{{outside(low, middle, near_.min[a], near_.max[a]), outside(middle, high, near_.min[a], near_.max[a])},
                  {outside(low, middle, center_[a], center_[a]), outside(middle, high, center_[a], center_[a])}};
  };
  if (place.level == kAll) {
    for (unsigned k = 0; k < 8; ++k) {
      const detail::OctreeRoot& root = map_.roots[k];
      if (!root.exists || counting(root.node, data_.log_odds) == 0) continue;
      const Aabb box = data_.map.box(root.key, root.level);
      const auto whole = [&](int a) { return halves(a, box.min[a], box.max[a], box.max[a]); };
      const auto own = [&](Halves h) {  // both halves are all of it
        h.apart[1] = h.apart[0], h.from_center[1] = h.from_center[0];
        return h;
      };
      put(k, own(whole(0)), own(whole(1)), own(whole(2)), limit, ordered, children);
    }
    return;
  }
  const std::int64_t half = std::int64_t{1} << static_cast<unsigned>(place.level - 1);
  const std::int64_t first[3] = {place.key.x, place.key.y, place.key.z};
  const auto along = [&](int a) {
    return halves(a, static_cast<double>(first[a]) * r, static_cast<double>(first[a] + half) * r,
                  static_cast<double>(first[a] + 2 * half) * r);
  };
  const Halves x = along(0), y = along(1), z = along(2);
  // What is too far along one axis is too far.
  const double reach = limit + slack_ + 16 * kEpsilon * std::abs(limit);
  const auto within = [&](const Halves& h, unsigned low, unsigned high) {
    return (h.apart[0] <= reach ? low : 0U) | (h.apart[1] <= reach ? high : 0U);
  };
  const unsigned near = within(x, 0x55, 0xAA) & within(y, 0x33, 0xCC) & within(z, 0x0F, 0xF0);
  for (unsigned left = near == 0 ? 0 : near & counting(*place.node, data_.log_odds); left != 0; left &= left - 1) {
    put(static_cast<unsigned>(std::countr_zero(left)), x, y, z, limit, ordered, children);
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
