// What stands in the plane: circles, rectangles, convex polygons, grids, and obstacles of one's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graze/base/aabb2.h"
#include "graze/scene/custom_obstacle.h"
#include "graze/scene/planar_path.h"

namespace graze::planar {

/// The point of an obstacle's boundary that is nearest to a point.
struct NearestPoint {
  double distance = kInfinity;  ///< metres; inside the obstacle minus the distance from the boundary
  Vec2 point = Vec2::Zero();    ///< on the boundary
  double tolerance = 0;         ///< metres; the distance exceeds the truth by no more
};

/// The first contact of a disc on a path.
struct Hit {
  /// The fraction of the path that is free for certain, 0 … 1: never later than the truth. Infinite if all of it is
  /// free.
  double fraction = kInfinity;
  Vec2 center = Vec2::Zero();  ///< of the disc then
  Vec2 point = Vec2::Zero();   ///< of the obstacle's boundary, the nearest one then
  /// The disc touches the obstacle there, up to rounding. False: the steps were used up before, and all that is known
  /// is that the path is free up to `fraction`.
  bool certain = true;

  /// Whether it touches anything. If not, that is proven for the whole path.
  bool found() const { return fraction < kInfinity; }
};

/// Where the two tangents from a point touch; the boundary is that of the obstacle grown by the radius of the disc: the
/// center of a disc that goes there straight grazes the obstacle.
struct Tangents {
  Vec2 left = Vec2::Zero();   ///< on the left, seen from the point
  Vec2 right = Vec2::Zero();  ///< on the right
};

/// A disc that stands.
class Circle {
 public:
  /// Throws Error for a center that is not finite or beyond 1e50, and for a radius that is neither 0 nor between 1e-50
  /// and 1e50. A radius of 0 is a point.
  Circle(const Vec2& center, double radius);
  const Vec2& center() const { return center_; }  ///< metres
  double radius() const { return radius_; }       ///< metres

 private:
  Vec2 center_;
  double radius_;
};

/// A rectangle, turned about its center.
class Rectangle {
 public:
  /// Half extents may be 0: a segment, a point. The angle is in radians, counter-clockwise. Throws Error as Circle
  /// does.
  Rectangle(const Vec2& center, const Vec2& half, double angle = 0);
  const Vec2& center() const { return center_; }  ///< metres
  const Vec2& half() const { return half_; }      ///< half extents, metres
  double angle() const { return angle_; }         ///< radians
  const Vec2& axis() const { return axis_; }      ///< of the first extent, unit
  /// From the center, counter-clockwise.
  std::span<const Vec2> corners() const { return corners_; }

 private:
  Vec2 center_, half_, axis_;
  double angle_;
  std::array<Vec2, 4> corners_;
};

/// A convex polygon. Copies share the corners.
class Polygon {
 public:
  /// Counter-clockwise; corners in a row and repeated ones are kept out. Throws Error, which names the corner, for
  /// polygons that are clockwise, concave, cross themselves or have no area, and for coordinates as Circle does.
  explicit Polygon(std::span<const Vec2> corners);
  /// Counter-clockwise, three at least.
  std::span<const Vec2> corners() const { return *corners_; }

 private:
  std::shared_ptr<const std::vector<Vec2>> corners_;
};

/// Cells of one size, each free or occupied: closed rectangles, so that touching one is a collision. Outside of the
/// grid all is free. Copies share the cells. Takes a sixth of a byte per cell.
class Grid {
 public:
  /// Row j of `occupied` has the cells between origin.y + j · cell.y and origin.y + (j + 1) · cell.y, column i those
  /// from origin.x + i · cell.x. Throws Error unless there are columns × rows values, at least one and less than 2³¹,
  /// and for sizes and coordinates as Circle does; sizes are not 0.
  Grid(const Vec2& origin, const Vec2& cell, std::size_t columns, std::size_t rows, std::span<const bool> occupied);
  /// The same from text: '#' is occupied, '.' and ' ' are free; the first row is the lowest. Throws Error for other
  /// letters, for rows of different lengths and for none.
  static Grid from_text(const Vec2& origin, const Vec2& cell, std::span<const std::string_view> rows);

  const Vec2& origin() const { return origin_; }    ///< the lower left corner of cell (0, 0)
  const Vec2& cell() const { return cell_; }        ///< metres
  std::size_t columns() const { return columns_; }  ///< along x
  std::size_t rows() const { return rows_; }        ///< along y
  /// Whether a cell of the grid is occupied.
  bool occupied(std::size_t column, std::size_t row) const;
  /// How many are.
  std::size_t occupied() const;
  /// Bytes on the heap.
  std::size_t memory_bytes() const;

  struct Tables;
  /// What the queries look at.
  const Tables& tables() const { return *tables_; }

 private:
  Vec2 origin_, cell_;
  std::size_t columns_, rows_;
  std::shared_ptr<const Tables> tables_;
};

/// What obstacles of one's own are made of.
struct Plane {
  using Vec = Vec2;                           ///< a point
  using Box = Aabb2;                          ///< around it
  using Path = planar::Path;                  ///< where it is asked along
  using NearestPoint = planar::NearestPoint;  ///< of its boundary
  using Hit = planar::Hit;                    ///< a first contact
};
/// Holds an obstacle of one's own, which needs nothing but `NearestPoint nearest(const Vec2& q) const`: see
/// CustomObstacle.
///
///     struct Wall { NearestPoint nearest(const Vec2& q) const { return {q.x() - 2, {2, q.y()}}; } };
///     World world({Obstacle(Custom(Wall()))});
using Custom = CustomObstacle<Plane>;

/// Anything that stands in the plane.
using Obstacle = std::variant<Circle, Rectangle, Polygon, Grid, Custom>;

/// Around the obstacle, rounded outwards; empty if it has no points.
Aabb2 bounds(const Obstacle& obstacle);
/// The nearest point of the boundary; infinitely far if there is none. What is not a number has the distance NaN.
NearestPoint nearest(const Obstacle& obstacle, const Vec2& point);
/// Whether a disc touches the obstacle. False is proof; what is not a number touches.
bool collide(const Obstacle& obstacle, const Vec2& point, double radius);
/// The first contact of a disc (radius ≥ 0) on a path: closed forms for all but Custom. Start in contact: fraction 0.
Hit sweep(const Obstacle& obstacle, const Path& path, double radius);
/// The two tangents to a circle, rectangle or polygon, grown by the radius; none from a disc that touches it, nor to
/// other obstacles.
std::optional<Tangents> tangents(const Obstacle& obstacle, const Vec2& point, double radius = 0);

}  // namespace graze::planar
