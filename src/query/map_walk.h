// The cells of a map that a body may be near, nearest first: the octree alone is walked.
#pragma once

#include "geometry/map_view_data.h"
#include "geometry/occupancy_data.h"
#include "graze/query/traverse.h"
#include "query/block.h"
#include "query/map_lanes.h"
#include "query/pair_query.h"

namespace graze {

/// Of a view to which unknown space is free. As a hierarchy it is the one cell that was selected last.
class MapCells {
 public:
  struct Node {};
  static constexpr std::size_t kMaxDepth = 0, kMaxChildren = 1;

  /// A cube of the octree; without a node, a cell that counts, of any level.
  struct Place {
    const detail::OctreeNode* node;
    const detail::OctreeNode* pool;  // what the node counts its children in; null: the chunks of the map
    CellKey key;
    std::int32_t level;  // kAll: the roots of the octants are its children
  };
  static constexpr std::int32_t kAll = OccupancyMap::kTopLevel + 1;

  /// `near` is a box around a body in the map's frame, and the ball around `center` has all of the body, too.
  MapCells(const MapView& view, const Aabb& near, const Vec3& center, double radius);

  Place top() const { return {&detail::OccupancyData::of(data_.map).roots[0].node, nullptr, {}, kAll}; }
  /// `ordered`: bounds are wanted; otherwise only which children are within the limit.
  void open(const Place& place, double limit, bool ordered, Children<double>& children) const;
  Place child(const Place& place, std::size_t k) const;
  void select(const Place& leaf) const { leaf_ = leaf; }

  bool empty() const { return false; }
  Node root() const { return {}; }
  Aabb bounds(Node) const;
  bool is_leaf(Node) const { return true; }
  std::size_t children(Node) const { return 0; }
  Node child(Node, std::size_t) const { return {}; }
  std::size_t first(Node) const { return 0; }
  std::size_t last(Node) const { return 1; }
  Block primitive(std::size_t) const;
  Feature feature(std::size_t) const { return data_.feature_of(leaf_.key); }

 private:
  const map_view::Data& data_;
  const detail::OccupancyData& map_;
  BesideCubes body_;
  mutable Place leaf_;
};

/// Asks `query` about a bounded body, as a hierarchy, and the cells of a view to which unknown space is free.
template <class A, class Q>
class CellWalk {
 public:
  using Place = MapCells::Place;
  using Bound = double;

  CellWalk(const A& body, const MapCells& cells, Q& query) : body_(body), cells_(cells), query_(query) {}

  bool is_leaf(const Place& place) const { return place.node == nullptr; }
  Place child(const Place& place, std::size_t k) const { return cells_.child(place, k); }
  void open(const Place& place, Children<double>& children) const {
    // Until it is answered, the limit of a collision stays what it is.
    cells_.open(place, query_.limit(), !std::same_as<Q, CollideQuery>, children);
  }
  void leaf(const Place& place) {
    cells_.select(place);
    if constexpr (A::kMaxDepth == 0) query_.leaf(body_, 0, cells_, 0);
    else traverse(body_, cells_, query_);
  }
  bool beyond(double bound) const { return bound > query_.limit(); }

 private:
  const A& body_;
  const MapCells& cells_;
  Q& query_;
};

template <class A, class Q>
void walk_cells(const A& body, const MapCells& cells, Q& query) {
  CellWalk<A, Q> walk(body, cells, query);
  NearStack<MapCells::Place, double, OccupancyMap::kTopLevel + 1> open({-kInfinity, cells.top()});
  near_first(walk, open);
}

}  // namespace graze
