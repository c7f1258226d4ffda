// A view of an occupancy map as a hierarchy: its octree, with the cells that count as blocks.
#pragma once

#include "geometry/map_view_data.h"
#include "query/block.h"

namespace graze {

/// One walk's own: it remembers the node that was opened last.
class MapTree {
 public:
  using Node = OccupancyNode;
  static constexpr std::size_t kMaxDepth = OccupancyMap::kTopLevel, kMaxChildren = 8;

  /// `near`: the other body's box in the map's frame. Unknown space without end is cut off beyond it and all that is
  /// known, which changes no answer: what is beyond that box is farther away.
  MapTree(const MapView& view, const Aabb& near) : data_(data_of(view)), region_(near) {
    region_.extend(data_.map.bounds());
    region_ = region_.grown(data_.map.resolution());
  }

  bool empty() const { return !counts(data_.map.root()); }
  Node root() const { return data_.map.root(); }
  bool is_leaf(const Node& node) const { return node.is_leaf(); }
  std::size_t children(const Node& node) const { return open(node); }
  Node child(const Node& node, std::size_t k) const {
    open(node);
    return below_[k];
  }
  Aabb bounds(const Node& node) const {
    const Aabb box = data_.map.box(node);
    return Aabb{box.min.cwiseMax(region_.min), box.max.cwiseMin(region_.max)}.grown(slack_of(box));
  }
  std::size_t first(const Node& leaf) const {
    leaf_ = leaf;
    return 0;
  }
  std::size_t last(const Node& leaf) const {
    const Aabb box = data_.map.box(leaf);
    return (box.min.array() <= region_.max.array()).all() && (region_.min.array() <= box.max.array()).all() ? 1 : 0;
  }
  /// Of the leaf that was asked for its first last.
  Block primitive(std::size_t) const {
    const Aabb whole = data_.map.box(leaf_);
    const Vec3 low = whole.min.cwiseMax(region_.min), high = whole.max.cwiseMin(region_.max);
    Block b;
    b.count = 8, b.slack = slack_of(whole);
    for (std::size_t k = 0; k < 8; ++k)
      b.corners[k] = {(k & 1U) != 0 ? high.x() : low.x(), (k & 2U) != 0 ? high.y() : low.y(),
                      (k & 4U) != 0 ? high.z() : low.z()};
    return b;
  }
  Feature feature(std::size_t) const { return data_.feature_of(leaf_); }

 private:
  bool counts(const Node& node) const { return node.may_be_occupied(data_.log_odds, data_.unknown_occupied); }
  // Sides are rounded products.
  static double slack_of(const Aabb& box) {
    return kEpsilon * std::max(box.min.cwiseAbs().maxCoeff(), box.max.cwiseAbs().maxCoeff());
  }
  std::size_t open(const Node& node) const {
    if (has_open_ && open_.level() == node.level() && open_.key() == node.key()) return count_;
    std::array<Node, 8> all;
    int count = 8;
    if (data_.unknown_occupied) data_.map.children(node, all);
    else count = data_.map.known_children(node, all);
    count_ = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      if (counts(all[k])) below_[count_++] = all[k];
    }
    open_ = node, has_open_ = true;
    return count_;
  }

  const map_view::Data& data_;
  Aabb region_;
  mutable Node leaf_, open_;
  mutable bool has_open_ = false;
  mutable std::size_t count_ = 0;
  mutable std::array<Node, 8> below_;
};

inline MapTree tree_of(const MapView& view, const Aabb& near) { return {view, near}; }

}  // namespace graze
