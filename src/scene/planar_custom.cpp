// Obstacles of which only the nearest points are known.
#include "scene/planar_shapes.h"

namespace graze::planar {
namespace {

constexpr int kSteps = 10000;
// Metres. Nearer than this, a contact ahead that is as near ends the search: the path is free up to here, and touches
// within what nobody can see.
constexpr double kClose = 1e-9;
constexpr int kProbes = 10;

// How far the disc gets before it could pass the line behind which a convex obstacle lies, seen from q. The direction
// of the line is known up to what rounding does to the nearest point.
double to_line(const Path& path, const Vec2& q, const NearestPoint& near, double radius, double rounding) {
  const Vec2 out = q - near.point;
  const double far = norm(out);
  const double tilt = 4 * (rounding + near.tolerance) / far;
  if (path.is_arc() || !(near.distance > 0) || !(tilt < 1)) return 0;
  const double gap = near.distance - near.tolerance - rounding - radius - tilt * (radius + far);
  const double fall = tilt - dot(out, path.way()) / (far * path.length());
  if (!(gap > 0)) return 0;
  return fall > 0 ? gap / fall : kInfinity;
}

}  // namespace

Hit sweep_of(const Custom& custom, const Path& path, double radius) {
  if (const auto own = custom.sweep(path, radius)) return *own;
  Hit hit;
  // After a turn the positions repeat.
  const double length = path.is_arc() ? std::min(path.length(), path.radius() * entry::kTurn * entry::kLater)
                                      : path.length() * entry::kLater;
  const double whole = path.length();
  const auto fraction_at = [&](double at) { return whole > 0 ? std::clamp(at / whole, 0.0, 1.0) : 0; };
  const double rounding = 16 * kEpsilon * (norm1(path.from()) + norm1(path.center()) + norm1(path.spoke()) + radius);
  const auto gap_at = [&](const NearestPoint& near) { return near.distance - near.tolerance - rounding - radius; };
  double at = 0;
  NearestPoint near;
  for (int step = 0; step <= kSteps; ++step) {
    const Vec2 q = path.at(fraction_at(at));
    near = custom.nearest(q);
    const double gap = gap_at(near);
    bool touching = !(gap > 0) || (step == 0 && custom.collide(q, radius).value_or(false));
    if (!touching && gap < kClose) {
      double ahead = gap;
      for (int i = 0; i < kProbes && !touching && at + ahead < length; ++i, ahead *= 2)
        touching = near.distance > 0 && !(custom.nearest(path.at(fraction_at(at + ahead))).distance > radius);
    }
    if (touching || step == kSteps) {
      hit.fraction = fraction_at(at) * entry::kEarlier;
      hit.center = path.at(hit.fraction);
      hit.point = near.point;
      hit.certain = touching;
      return hit;
    }
    double by = gap;
    if (custom.convex()) by = std::max(by, to_line(path, q, near, radius, rounding));
    at += std::max(by, 0.0) * entry::kEarlier;
    if (at > length || !(whole > 0)) return hit;
  }
  return hit;
}

}  // namespace graze::planar
