// Sweeps of a disc or a ball among obstacles of which only the nearest points are known.
#pragma once

#include <algorithm>
#include <cmath>

#include "graze/base/vec.h"

namespace graze::scene {

/// What steps need to know of a path beside where it is.
template <class Vec>
struct Walk {
  double length = 0;                  ///< metres, of the part that can meet anything new
  double whole = 0;                   ///< metres, of all of it
  const Vec* displacement = nullptr;  ///< of a straight path: from the start to the end
  double rounding = 0;                ///< metres, by which positions, and distances from them, may be off
};

template <class Vec>
double inner(const Vec& a, const Vec& b) {
  double sum = a[0] * b[0];
  for (int k = 1; k < Vec::RowsAtCompileTime; ++k) sum += a[k] * b[k];
  return sum;
}

/// How far the disc gets before it could pass the line (or plane) behind which a convex obstacle lies, seen from q. The
/// direction of the line is known up to what rounding does to the nearest point.
template <class Vec, class NearestPoint>
double length_to_plane(const Walk<Vec>& walk, const Vec& q, const NearestPoint& near, double radius) {
  const Vec out = q - near.point;
  const double far = std::sqrt(inner(out, out));
  const double tilt = 4 * (walk.rounding + near.tolerance) / far;
  if (walk.displacement == nullptr || !(near.distance > 0) || !(tilt < 1)) return 0;
  const double gap = near.distance - near.tolerance - walk.rounding - radius - tilt * (radius + far);
  const double fall = tilt - inner(out, *walk.displacement) / (far * walk.whole);
  if (!(gap > 0)) return 0;
  return fall > 0 ? gap / fall : kInfinity;
}

/// The first contact, by steps of the gap: what is free by a gap is free as long as it has not moved by as much. Where
/// the gap falls below a nanometre, a contact ahead that is as near ends the search: the path is free up to here, and
/// touches within what nobody can see. Table 3.7 of the motion planning thesis steps by √(f² − r²), which passes the
/// first contact; it neither looks at the end of the path nor ends for a radius of 0.
template <class Hit, class Path, class Vec, class Custom>
Hit certified_steps(const Custom& custom, const Path& path, const Walk<Vec>& walk, double radius) {
  constexpr int kSteps = 10000, kProbes = 10;
  constexpr double kClose = 1e-9;  // metres
  constexpr double kEarlier = 1 - 4 * kEpsilon;
  Hit hit;
  const auto fraction_at = [&](double at) { return walk.whole > 0 ? std::clamp(at / walk.whole, 0.0, 1.0) : 0; };
  double at = 0;
  for (int step = 0; step <= kSteps; ++step) {
    const Vec q = path.at(fraction_at(at));
    const auto near = custom.nearest(q);
    const double gap = near.distance - near.tolerance - walk.rounding - radius;
    bool touching = !(gap > 0) || (step == 0 && custom.collide(q, radius).value_or(false));
    if (!touching && gap < kClose) {
      double ahead = gap;
      for (int i = 0; i < kProbes && !touching && at + ahead < walk.length; ++i, ahead *= 2)
        touching = near.distance > 0 && !(custom.nearest(path.at(fraction_at(at + ahead))).distance > radius);
    }
    if (touching || step == kSteps) {
      hit.fraction = fraction_at(at) * kEarlier;
      hit.center = path.at(hit.fraction);
      hit.point = near.point;
      hit.certain = touching;
      return hit;
    }
    double by = gap;
    if (custom.convex()) by = std::max(by, length_to_plane(walk, q, near, radius));
    at += std::max(by, 0.0) * kEarlier;
    if (at > walk.length || !(walk.whole > 0)) return hit;
  }
  return hit;
}

}  // namespace graze::scene
