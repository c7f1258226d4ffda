#include "query/deforming_body.h"

#include <algorithm>
#include <cmath>

#include "graze/query/collide.h"
#include "query/approach.h"
#include "query/box_tree.h"
#include "query/moving_walk.h"
#include "query/pair.h"
#include "query/step_contact.h"

namespace graze::moving {
namespace {

// The rigid body.
struct Body {
  const Moving& moving;
  // No point that can meet the mesh is farther from the origin of the moving frame, and none comes nearer to it or
  // farther from it. Infinite only where the motion is.
  double radius = 0;
  double size = 0;  // no coordinate of the motion is larger, or of what is near the mesh
  bool convex;

  // `mesh` holds the mesh at all times.
  Body(const Moving& body, const Aabb& mesh) : moving(body), convex(is_shape(body.geometry)) {
    const Aabb box = bounds(body.geometry, body.local);
    if (box.empty()) return;
    radius = box.min.cwiseAbs().cwiseMax(box.max.cwiseAbs()).norm() * (1 + 8 * kEpsilon) + body.uncertainty;
    const Vec3 far = body.motion.at(0).translation() - mesh.center();
    const double seen = (far.norm() + mesh.half().norm() + body.motion.reach(0, 0, 1)) * (1 + 1e-12);
    if (!(radius < seen)) radius = seen;
    for (const double t : {0.0, 1.0}) size = std::max(size, size_of(body.motion.at(t).translation()));
    if (std::isfinite(radius)) size += radius;
  }

  // What does not turn does not, however far it reaches.
  static double turning(double spin, double reach) { return spin > 0 ? spin * reach : 0; }

  // How fast any point is from t on, up to `end`, which becomes earlier where the motion changes.
  double speed(double t, double& end) const {
    const auto piece = moving.motion.piece(t);
    if (!piece) return t < end ? moving.motion.reach(radius, t, end) / (end - t) : 0;
    end = std::min(end, piece->end);
    return piece->velocity.norm() + turning(piece->spin, piece->arm + radius);
  }
  // The same along a unit direction, n from the mesh to the body: how fast the body comes.
  double speed_along(const Vec3& n, double t, double fastest) const {
    const auto piece = moving.motion.piece(t);
    if (!piece) return fastest;
    const double turns = turning(piece->spin * n.cross(piece->axis).norm(), piece->arm + radius);
    return std::min(fastest, -piece->velocity.dot(n) + turns * (1 + 1e-12));
  }
};

class TriangleQuery {
 public:
  TriangleQuery(const Deforming& a, const Moving& b, const SweepOptions& options)
      : mesh_(a.mesh),
        pose_(a.pose),
        uncertainty_(a.uncertainty),
        b_(b, transformed(a.mesh.bounds(), a.pose.rotation(), a.pose.translation())),
        options_(options),
        start_(placed(b, 0)) {
    s_.pose_a = a.pose, s_.pose_b = b.motion.at(1);
    s_.last_free = 1;
  }

  // 0 unless the body is out of reach of the box up to the limit.
  double bound(const Aabb& box) const {
    const double reach = b_.moving.motion.reach(b_.radius, 0, limit_);
    if (!std::isfinite(reach)) return 0;
    const double far = options_.margin + reach * (1 + 1e-12) + rounding(box);
    const Vec3 half = box.half() + Vec3::Constant(rounding(box) + 1e-300);
    return collide(at(Box{.half = half}, pose_ * Pose::at(box.center())), start_, {.margin = far}) ? 0 : kInfinity;
  }
  double limit() const { return limit_; }
  void leaf(const BoxTree& tree, std::size_t slot) { advance(tree.feature(slot)); }
  const Sweep& found() const { return s_; }

 private:
  double rounding(const Aabb& box) const {
    return uncertainty_ +
           64 * kEpsilon * (size_of(box.min) + size_of(box.max) + size_of(pose_.translation()) + b_.size);
  }

  void advance(std::size_t triangle) {
    const MeshTriangle& t3 = mesh_.from().triangles()[triangle];
    Corners corners;
    double fastest = 0, size = size_of(pose_.translation()) + b_.size;
    for (std::size_t k = 0; k < 3; ++k) {
      corners.from[k] = mesh_.from().vertices()[t3[k]];
      corners.to[k] = mesh_.to()[t3[k]];
      fastest = std::max(fastest, (corners.to[k] - corners.from[k]).norm());
      size += size_of(corners.from[k]) + size_of(corners.to[k]);
    }
    const double rounding = uncertainty_ + 64 * kEpsilon * size;
    double t = 0;
    for (int step = 0; step < options_.max_steps; ++step) {
      const Placed a = at(corners.triangle(t), pose_), b = placed(b_.moving, t);
      double end = limit_;
      const double speed_b = b_.speed(t, end), speed = (fastest + speed_b) / kRoundDown;
      // Up to the end of this piece of the motion, no farther.
      const Distance d = distance(a, b, {.limit = options_.margin + rounding + speed * (end - t), .depth = false});
      double apart_until = kInfinity;
      if (!d.beyond) {
        const double beyond_margin = d.value - options_.margin, off = d.tolerance + rounding, gap = beyond_margin - off;
        if (!(gap > options_.tolerance / 2)) {
          const bool certain = beyond_margin <= 0 || beyond_margin + off <= options_.tolerance;
          return take(t, certain, triangle, d);
        }
        apart_until = t + time_apart(gap, off, corners, a, b, d, t, speed_b, speed, size);
      }
      if (apart_until > end) {
        if (end >= limit_) return;
        apart_until = end;
      }
      if (!(apart_until > t)) break;  // in double they stand still
      t = apart_until;
    }
    take(t, false, triangle, distance(at(corners.triangle(t), pose_), placed(b_.moving, t), {.depth = false}));
  }

  // How long a gap lasts while nothing gets faster; `off` is what of the distance is not certain.
  double time_apart(double gap, double off, const Corners& corners, const Placed& a, const Placed& b, const Distance& d,
                    double t, double speed_b, double speed, double size) const {
    const double in_all = speed > 0 ? gap / speed : kInfinity;
    if (!b_.convex) return in_all;
    const double across = std::min(gap, gap_across(a, b, d.normal) - off - options_.margin);
    const Vec3 n = turned_back(pose_.rotation(), d.normal);
    double closing = -kInfinity;
    for (std::size_t k = 0; k < 3; ++k) closing = std::max(closing, dot(n, minus(corners.to[k], corners.from[k])));
    closing += b_.speed_along(d.normal, t, speed_b) + 16 * kEpsilon * (speed + size);
    if (!(across > 0)) return in_all;
    return std::max(in_all, closing > 0 ? across / closing * kRoundDown : kInfinity);
  }

  void take(double t, bool certain, std::size_t triangle, const Distance& d) {
    if (s_.hit && (t > s_.time || (t == s_.time && triangle > s_.contact.a))) return;
    s_.hit = true;
    s_.time = limit_ = t;
    s_.certain = certain;
    s_.last_free = t > 0 ? std::nextafter(t, 0.0) : -1;
    s_.pose_b = b_.moving.motion.at(t);
    s_.contact = d;
    s_.contact.a = triangle;
  }

  static constexpr double kRoundDown = 1 - 1e-12;

  const MovingMesh& mesh_;
  const Pose& pose_;
  const double uncertainty_;
  const Body b_;
  const SweepOptions& options_;
  const Placed start_;
  double limit_ = 1;  // of the time
  Sweep s_;
};

}  // namespace

Placed placed(const Moving& body, double t) {
  Placed p = at(body.geometry, body.motion.at(t), body.local);
  p.uncertainty += body.uncertainty;
  return p;
}

Placed start_of(const Deforming& body) { return {body.mesh.from(), body.pose, body.uncertainty}; }

Sweep touching_at_start(const Placed& a, const Placed& b, const SweepOptions& options) {
  Sweep s;
  s.hit = true;
  s.time = 0;
  s.pose_a = a.pose, s.pose_b = b.pose;
  s.contact = distance(a, b, {.depth = false});
  const double beyond_margin = s.contact.value - options.margin;
  s.certain = beyond_margin <= 0 || beyond_margin + s.contact.tolerance <= options.tolerance;
  return s;
}

Sweep sweep_triangles(const Deforming& a, const Moving& b, const SweepOptions& options) {
  const Placed start_a = start_of(a), start_b = placed(b, 0);
  if (collide(start_a, start_b, {.margin = options.margin})) {
    Sweep s = touching_at_start(start_a, start_b, options);
    s.pose_b = b.motion.at(0);
    return s;
  }
  TriangleQuery query(a, b, options);
  traverse(BoxTree(sweep_of(a.mesh).tree), query);
  return query.found();
}

}  // namespace graze::moving
