// Discs in the plane before points, segments and convex polygons: rational on straight paths, with 64 bits on arcs.
#pragma once

#include <gmpxx.h>

#include <array>
#include <vector>

#include "oracle/real.h"

namespace graze_oracle {

struct PlanarPoint {
  mpq_class x, y;
};

/// A convex polygon, counter-clockwise, or a single point, grown by a radius.
struct PlanarBody {
  std::vector<PlanarPoint> corners;
  mpq_class radius;
};
/// A rectangle about a center, turned by an angle whose sine and cosine are right to 80 digits.
PlanarBody planar_rectangle(const std::array<double, 2>& center, const std::array<double, 2>& half, double angle);

/// Squared distance of a segment from the polygon, without the radius; 0 where they meet.
mpq_class planar_distance_sq(const PlanarBody& body, const PlanarPoint& a, const PlanarPoint& b);
/// Squared distance of a point from the boundary of the polygon, without the radius.
mpq_class planar_boundary_sq(const PlanarBody& body, const PlanarPoint& p);
/// Whether a point is inside of the polygon, or on its boundary.
bool planar_contains(const PlanarBody& body, const PlanarPoint& p);
/// The root of a rational number, to 80 digits.
mpf_class planar_root(const mpq_class& square);

/// The distance of an arc about a center, from a point on by an angle, from the polygon, without the radius.
Real planar_arc_distance(const PlanarBody& body, const std::array<double, 2>& center, const std::array<double, 2>& from,
                         Real angle);

}  // namespace graze_oracle
