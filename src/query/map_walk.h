// The cells of a map that a body may be near, nearest first: bits alone are walked.
#pragma once

#include "geometry/map_view_data.h"
#include "graze/query/traverse.h"
#include "query/block.h"
#include "query/cell_scan.h"
#include "query/map_lanes.h"
#include "query/mesh_ask.h"
#include "query/pair_query.h"

namespace graze {

/// Of a view to which unknown space is free. As a hierarchy it is the one cell that was selected last.
class MapCells {
 public:
  struct Node {};
  static constexpr std::size_t kMaxDepth = 0, kMaxChildren = 1;

  /// A cube of cells. Eight bits of a block, or of a brick, are a cube of half its side.
  struct Place {
    const map_view::CellBlock* block;  // of this level, or of the one above, which is even; null for bricks
    std::uint64_t brick;
    CellKey key;
    std::int32_t level;  // kAll: the roots are its children
    bool whole;          // all of it counts
  };
  static constexpr std::int32_t kAll = OccupancyMap::kTopLevel + 1;

  /// `near` is a box around a body in the map's frame, and the ball around `center` has all of the body, too.
  MapCells(const MapView& view, const Aabb& near, const Vec3& center, double radius);

  Place top() const { return {nullptr, 0, {}, kAll, false}; }
  /// Children within the limit.
  void open(const Place& place, double limit, Children<double>& children) const;
  Place child(const Place& place, std::size_t k) const;
  /// The cube of 2^level cells per side.
  void select(const CellKey& key, int level) const;

  /// How far a child may be from the box and from the ball: what rounds in between included.
  double reach(double limit) const { return limit + body_.slack + 16 * kEpsilon * (std::abs(limit) + body_.radius); }
  /// What rounding may add to a gap.
  double slack() const { return body_.slack; }
  const map_view::Data& data() const { return data_; }
  const BesideCubes& body() const { return body_; }

  bool empty() const { return false; }
  Node root() const { return {}; }
  const Aabb& bounds(Node) const { return box_; }
  bool is_leaf(Node) const { return true; }
  std::size_t children(Node) const { return 0; }
  Node child(Node, std::size_t) const { return {}; }
  std::size_t first(Node) const { return 0; }
  std::size_t last(Node) const { return 1; }
  const Block& primitive(std::size_t) const { return block_; }
  Feature feature(std::size_t) const { return data_.feature_of(key_); }

 private:
  const map_view::Data& data_;
  double resolution_;
  BesideCubes body_;
  mutable CellKey key_;
  mutable Aabb box_;
  mutable Block block_;
};

/// Asks `query` about a shape and the selected cell.
template <class A, class Q>
void ask_cell(const ShapeLeaf<A>& body, const MapCells& cells, const Relative&, Q& query) {
  query.leaf(body, 0, cells, 0);
}
/// The same about the triangles of a mesh that may be near enough.
template <class Q>
void ask_cell(const MeshTree& mesh, const MapCells& cells, const Relative& relative, Q& query) {
  const MeshParts parts(mesh);
  const Aabb& cell = cells.bounds({});
  const walk::MeshAndBox pair(mesh.data(), cell.center(), cell.half(), relative);
  if (!pair.fits()) return traverse(mesh, cells, query);
  struct Asked {
    const MeshParts& parts;
    const MapCells& cells;
    Q& query;
  } asked{parts, cells, query};
  const walk::Visitor visitor{&asked, [](void* self, std::uint32_t triangle) {
                                Asked& x = *static_cast<Asked*>(self);
                                x.query.leaf(x.parts, triangle, x.cells, 0);
                                return walk_limit(x.query);
                              }};
  walk::visit(pair, walk_limit(query), 0, visitor);
}

/// Asks `query` about a bounded body, as a hierarchy, and the cells of a view to which unknown space is free.
template <class A, class Q>
class CellWalk {
 public:
  using Place = MapCells::Place;
  using Bound = double;

  CellWalk(const A& body, const MapCells& cells, const Relative& relative, Q& query)
      : body_(body), cells_(cells), relative_(relative), query_(query) {}

  bool is_leaf(const Place& place) const { return place.whole; }
  Place child(const Place& place, std::size_t k) const { return cells_.child(place, k); }
  void open(const Place& place, Children<double>& children) const { cells_.open(place, query_.limit(), children); }
  void leaf(const Place& place) {
    cells_.select(place.key, place.level);
    ask_cell(body_, cells_, relative_, query_);
  }
  bool beyond(double bound) const { return bound > query_.limit(); }

 private:
  const A& body_;
  const MapCells& cells_;
  const Relative& relative_;
  Q& query_;
};

template <class A, class Q>
void walk_cells(const A& body, const MapCells& cells, const Relative& relative, Q& query) {
  CellWalk<A, Q> walk(body, cells, relative, query);
  NearStack<MapCells::Place, double, OccupancyMap::kTopLevel + 1> open({-kInfinity, cells.top()});
  near_first(walk, open);
}

/// Whether a point of the body's frame, known up to `error`, is certainly in the body.
inline bool holds(const Sphere& s, const Vec3& p, double error) {
  return s.radius > error && within(norm_sq(p), s.radius - error);
}
inline bool holds(const Box& b, const Vec3& p, double error) {
  const Vec3 half = b.half;
  return std::abs(p.x()) <= half.x() - error && std::abs(p.y()) <= half.y() - error &&
         std::abs(p.z()) <= half.z() - error;
}
inline bool holds(const Cylinder& c, const Vec3& p, double error) {
  return c.radius > error && p.x() * p.x() + p.y() * p.y() <= (c.radius - error) * (c.radius - error) &&
         std::abs(p.z()) <= c.half_length - error;
}
inline bool holds(const Capsule& c, const Vec3& p, double error) {
  return c.radius > error && within(norm_sq({p.x(), p.y(), p.z() - clamped(p.z(), c.half_length)}), c.radius - error);
}
template <class A>
bool holds(const A&, const Vec3&, double) {
  return false;
}

/// Whether a body, which is in `box` in its frame, touches any of the cells: those that the box around it in the map's
/// frame reaches, in the order of the curve.
template <class Body, class A>
class CellTouch {
 public:
  using Corner = std::array<std::int64_t, 3>;

  CellTouch(const Body& body, const A& parts, const Aabb& box, const MapCells& cells, const Relative& relative,
            CollideQuery& query)
      : body_(body),
        parts_(parts),
        cells_(cells),
        relative_(relative),
        query_(query),
        resolution_(cells.data().map.resolution()),
        center_(box.center()) {
    const double reach = cells.reach(query.limit());
    const Aabb& all = cells.data().bounds;
    error_ = cells.slack() + relative.placing_error(std::max(size_of(all.min), size_of(all.max))) +
             16 * kEpsilon * (size_of(relative.translation) + size_of(box.min) + size_of(box.max));
    ball_ = reach + cells.body().radius;
    half_ = box.half().array() + (reach + error_);
    for (int a = 0; a < 3; ++a) shadow_[a] = relative.rotation.row(a).cwiseAbs().sum();
  }

  void run() {
    const double reach = cells_.reach(query_.limit());
    if (!(reach >= 0)) return;
    const map_view::CellBits& bits = cells_.data().bits;
    CellScan<CellTouch>(bits, cells_around(cells_.body().near.grown(reach), resolution_, bits), *this).run();
  }
  bool enter(const Corner& corner, int level) {
    Vec3 nearest;
    return near(corner, level, nearest);
  }
  bool cell(const Corner& corner, int level) {
    Vec3 nearest;
    if (!near(corner, level, nearest)) return true;
    if (holds(body_, relative_.to_a(nearest), error_)) {
      query_.hit_something();
      return false;
    }
    cells_.select({static_cast<std::int32_t>(corner[0]), static_cast<std::int32_t>(corner[1]),
                   static_cast<std::int32_t>(corner[2])},
                  level);
    ask_cell(parts_, cells_, relative_, query_);
    return !query_.hit();
  }

 private:
  // Whether a cube may be near enough for the ball and the box of the body; the point of it that is nearest to the
  // ball's center.
  bool near(const Corner& corner, int level, Vec3& nearest) const {
    const auto side = std::int64_t{1} << static_cast<unsigned>(level);
    Vec3 middle;
    double gap_sq = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto axis = static_cast<Eigen::Index>(a);
      const double c = cells_.body().center[axis];
      const double low = static_cast<double>(corner[a]) * resolution_,
                   high = static_cast<double>(corner[a] + side) * resolution_;
      nearest[axis] = std::min(std::max(c, low), high);
      middle[axis] = low + (high - low) / 2;
      gap_sq += (nearest[axis] - c) * (nearest[axis] - c);
    }
    if (gap_sq > ball_ * ball_) return false;
    if constexpr (!std::same_as<Body, Sphere>) {
      const Vec3 from = minus(relative_.to_a(middle), center_);
      const double half = static_cast<double>(side) * resolution_ / 2;
      for (int a = 0; a < 3; ++a) {
        if (std::abs(from[a]) > half_[a] + half * shadow_[a]) return false;
      }
    }
    return true;
  }

  const Body& body_;
  const A& parts_;
  const MapCells& cells_;
  const Relative& relative_;
  CollideQuery& query_;
  double resolution_, error_, ball_;
  Vec3 center_, half_, shadow_;  // of the body's box; half the shadow of a cube of side 2 along each axis of the body
};

}  // namespace graze
