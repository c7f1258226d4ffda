#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk_point.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <array>
#include <limits>

#include "base/lane_function.h"

#include "query/mesh_search-inl.h"
#include "query/mesh_walk.h"
#include "query/simplex.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

// As the walk with a box, for a box that is a point: its bounds cost a third of that and are nearly the distances.
// `visit(triangle)` gives the new limit.
template <class Visit>
class PointWalk : public MeshSearch {
 public:
  PointWalk(const MeshAndPoint& pair, double limit, double radius, Visit& visit)
      : MeshSearch(pair.mesh, radius + pair.slack, limit), pair_(pair), visit_(visit) {}

  void run() {
    Open open({0, 0});
    near_first(*this, open);
  }

  void open(Place place, Children<float>& children) const {
    const Wide& boxes = node(place);
    const Lanes zero = all(0);
    const Lanes3 d = load3(boxes.center) - all3(point());
    Lanes bounds = zero;
    for (std::size_t k = 0; k < 3; ++k) {
      const Lanes gap = max(abs(dot(load3(boxes.axis[k]), d)) - load(boxes.half[k]), zero);
      bounds = bounds + gap * gap;
    }
    children.near = not_above(bounds, all(limit_sq_));
    if (children.near != 0) store(bounds, children.bound);
  }

  void leaf(Place place) {
    const Block& triangles = block(place);
    visit_nearest_first(triangles, bounds_of(triangles), visit_);
  }

 private:
  const float* point() const { return pair_.at; }

  // The triangle is farther than what separates the point from it along its normal and, orthogonal to that, along the
  // outward normal of an edge. Where the directions are spoilt by rounding they are no longer than 1 and still
  // orthogonal, and their bounds remain true.
  GRAZE_LANE_FUNCTION Lanes bounds_of(const Block& block) const {
    const Lanes zero = all(0);
    const Lanes3 p = all3(point());
    const Lanes3 a = load3(block.at[0]) - p, b = load3(block.at[1]) - p, c = load3(block.at[2]) - p;
    const Lanes3 normal = unit_vector(cross(b - a, c - a));
    const auto above = [&](const Lanes3& direction) {
      const Lanes x = dot(direction, a), y = dot(direction, b), z = dot(direction, c);
      return max(min(min(x, y), z), zero - max(max(x, y), z));
    };
    const auto beside = [&](const Lanes3& from, const Lanes3& to) {
      const Lanes3 outward = cross(unit_vector(to - from), normal);
      return zero - max(max(dot(outward, a), dot(outward, b)), dot(outward, c));
    };
    const Lanes high = max(above(normal), zero);
    const Lanes wide = max(max(max(beside(a, b), beside(b, c)), beside(c, a)), zero);
    return high * high + wide * wide;
  }

  const MeshAndPoint& pair_;
  Visit& visit_;
};

void visit_point(const MeshAndPoint& pair, double limit, double radius, const Visitor& visitor) {
  const auto visit = [&](std::uint32_t triangle) { return visitor.call(visitor.self, triangle); };
  PointWalk walk(pair, limit, radius, visit);
  walk.run();
}

// The nearest triangle so far, as the leaf kernel measures it.
class NearestTriangle {
 public:
  NearestTriangle(const Data& mesh, const Vec3& p, std::uint32_t first, double limit)
      : mesh_(mesh), p_(p), limit_(limit), triangle_(first) {
    if (first != kNone) measure(first);
  }

  double operator()(std::uint32_t triangle) {
    if (triangle != triangle_) measure(triangle);
    return limit_;
  }
  double limit() const { return limit_; }
  double square() const { return square_; }
  std::uint32_t triangle() const { return triangle_; }

 private:
  void measure(std::uint32_t triangle) {
    const std::array<Vec3, 4> corners = {minus(mesh_.corner(triangle, 0), p_), minus(mesh_.corner(triangle, 1), p_),
                                         minus(mesh_.corner(triangle, 2), p_), Vec3::Zero()};
    Nearest nearest;
    consider_triangle(corners, 0, 1, 2, 0, nearest);
    if (!(nearest.distance_sq < square_)) return;
    square_ = nearest.distance_sq, triangle_ = triangle;
    limit_ = std::min(limit_, std::sqrt(square_));
  }

  const Data& mesh_;
  const Vec3& p_;
  double limit_, square_ = kInfinity;
  std::uint32_t triangle_;
};

void nearest_points(const Data& mesh, std::span<const Vec3> points, double limit, std::span<double> values) {
  std::uint32_t last = kNone;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const MeshAndPoint pair(mesh, points[i]);
    if (!pair.fits()) {
      values[i] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    NearestTriangle nearest(mesh, points[i], last, limit);
    PointWalk walk(pair, nearest.limit(), 0, nearest);
    walk.run();
    values[i] = nearest.square();
    last = nearest.triangle();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::walk {

HWY_EXPORT(visit_point);
HWY_EXPORT(nearest_points);

void visit_about_point(const MeshAndPoint& pair, double limit, double radius, const Visitor& visitor) {
  HWY_DYNAMIC_DISPATCH(visit_point)(pair, limit, radius, visitor);
}

void nearest_squares(const mesh::Data& mesh, std::span<const Vec3> points, double limit, std::span<double> values) {
  if (mesh.tree.size == 0) std::fill(values.begin(), values.end(), kInfinity);
  else HWY_DYNAMIC_DISPATCH(nearest_points)(mesh, points, limit, values);
}

}  // namespace graze::walk
#endif
