#include "shape/solid_hull.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <numbers>

#include "graze/base/elementary.h"
#include "shape/cross.h"
#include "shape/hull.h"
#include "shape/lanes.h"

// Qhull leaves out what it takes for coplanar. In a thin hull that is not harmless: a point beyond the rim of a lens
// is within rounding of its faces and yet far outside. So nothing is taken on trust; what is used of its answer is
// measured:
//
// The triangles are a closed surface that winds around a point c. Each lies in a slab above a plane (its face's normal,
// its face's lowest corner), and c lies below all slabs. Any other point p below all slabs is then in the hull of the
// corners: from c to p no triangle is crossed, so the surface winds around p as well, and what it winds around is in
// the hull of its corners. Points that are not below all slabs, nor after a move by a few roundings, become vertices.

namespace graze {
namespace {

// More than the roundings of two heights in [-1, 1]³ that are compared, shifted coordinates included.
constexpr double kHeightRounding = 6 * kEpsilon;

// Faces whose corners and the points above them are farther apart than this bound the hull too loosely to measure
// depths by.
constexpr double kFaceTolerance = 256 * kEpsilon;

struct alignas(64) Lane {
  double values[lanes::kBlock];
};

std::size_t index(int i) { return static_cast<std::size_t>(i); }

double along(const Vec3& p, const Vec3& d) { return (p.x() * d.x() + p.y() * d.y()) + p.z() * d.z(); }

// Twice the area of a triangle along its normal. Hulls like needles have long triangles with next to no area, whose
// normals would be lost in the roundings of an ordinary cross product.
Vec3 area_of(const Vec3& a, const Vec3& b, const Vec3& c, double size) {
  return accurate_cross((b - a) / size, (c - a) / size);
}

// Unit outward normals of the surface's faces: the vector area of a face is little disturbed by slivers in it. From the
// caller's coordinates, since moving and scaling has rounded the others.
std::vector<Vec3> face_normals(const HullSurface& surface, const std::vector<Vec3>& originals, double size) {
  std::vector<Vec3> areas(surface.normals.size(), Vec3::Zero());
  for (const auto& [corners, face] : surface.triangles) {
    const auto& [i, j, k] = corners;
    areas[index(face)] += area_of(originals[index(i)], originals[index(j)], originals[index(k)], size);
  }
  for (std::size_t face = 0; face < areas.size(); ++face) {
    const Vec3 normal = unit_vector(areas[face]);
    // A face of nothing but slivers: qhull's plane is the better guess. Either will do, as the heights are measured.
    areas[face] = normal.dot(surface.normals[face]) > 0.5 ? normal : unit_vector(surface.normals[face]);
  }
  return areas;
}

// Whether every edge is passed once in each direction.
bool closed(const std::vector<HullSurface::Triangle>& triangles) {
  std::vector<std::uint64_t> forth, back;
  for (const auto& [corners, face] : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto from = static_cast<std::uint64_t>(corners[i]), to = static_cast<std::uint64_t>(corners[(i + 1) % 3]);
      forth.push_back(from << 32U | to);
      back.push_back(to << 32U | from);
    }
  }
  std::sort(forth.begin(), forth.end());
  std::sort(back.begin(), back.end());
  return forth == back && std::adjacent_find(forth.begin(), forth.end()) == forth.end();
}

// The part of the directions from c in which the surface lies, counted by its orientation: a whole number for a closed
// surface, here to within rounding.
double winding_number(const std::vector<HullSurface::Triangle>& triangles, const std::vector<Vec3>& points,
                      const Vec3& c) {
  double half_angles = 0;
  for (const auto& [corners, face] : triangles) {
    const Vec3 p = points[index(corners[0])] - c, q = points[index(corners[1])] - c, r = points[index(corners[2])] - c;
    const double pn = p.norm(), qn = q.norm(), rn = r.norm();
    half_angles += elementary::atan2(p.dot(q.cross(r)), pn * qn * rn + p.dot(q) * rn + q.dot(r) * pn + r.dot(p) * qn);
  }
  return half_angles / (2 * std::numbers::pi);
}

// Whether p, or a point within kDropTolerance of it, is on the lower side of all planes: projected to the highest plane
// in turn, which ends where they meet unless they meet at a very sharp edge.
bool below_all(const std::vector<Lane>& plane_lanes, const std::vector<Vec3>& normals, const Vec3& p) {
  constexpr int kProjections = 16;
  Vec3 q = p;
  for (int i = 0; i < kProjections; ++i) {
    const lanes::Highest highest = lanes::highest_plane(plane_lanes[0].values, plane_lanes.size() / 4, q);
    if (!(highest.value > 0)) return true;
    q -= (highest.value + kEpsilon) * normals[highest.index];
    if (!((q - p).norm() <= kDropTolerance)) return false;
  }
  return false;
}

std::optional<SolidHull> proven(const HullSurface& surface, const std::vector<Vec3>& points,
                                const std::vector<Vec3>& originals, double size, double thickness) {
  if (!closed(surface.triangles)) return std::nullopt;
  SolidHull hull{.is_vertex = std::vector<char>(points.size(), 0),
                 .triangles = {},
                 .face_of = {},
                 .normals = face_normals(surface, originals, size),
                 .center = Vec3::Zero()};
  std::vector<double> lowest(hull.normals.size(), kInfinity);
  for (const auto& [corners, face] : surface.triangles) {
    hull.triangles.push_back(corners);
    hull.face_of.push_back(face);
    for (const int corner : corners) {
      hull.is_vertex[index(corner)] = 1;
      const double height = along(points[index(corner)], hull.normals[index(face)]);
      lowest[index(face)] = std::min(lowest[index(face)], height - kHeightRounding);
    }
  }

  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!hull.is_vertex[i]) continue;
    corners.push_back(points[i]);
    hull.center += points[i];
  }
  hull.center /= static_cast<double>(corners.size());

  double inner_radius = kInfinity;
  for (std::size_t face = 0; face < lowest.size(); ++face) {
    inner_radius = std::min(inner_radius, lowest[face] - along(hull.center, hull.normals[face]));
  }
  // Written so that not-a-number is flat.
  if (!(inner_radius > thickness) || !(winding_number(surface.triangles, points, hull.center) > 0.5))
    return std::nullopt;

  const auto plane_lanes = lanes::arranged<Lane, 4>(lowest.size(), [&](std::size_t face) {
    const Vec3& n = hull.normals[face];
    return std::array{n.x(), n.y(), n.z(), lowest[face]};
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (hull.is_vertex[i] || (points[i] - hull.center).norm() < inner_radius - kHeightRounding) continue;
    if (below_all(plane_lanes, hull.normals, points[i])) continue;
    hull.is_vertex[i] = 1;
    corners.push_back(points[i]);
  }

  const auto corner_lanes = lanes::arranged<Lane, 3>(corners.size(), [&](std::size_t i) {
    return std::array{corners[i].x(), corners[i].y(), corners[i].z()};
  });
  for (std::size_t face = 0; face < lowest.size(); ++face) {
    const Vec3& n = hull.normals[face];
    const std::size_t highest = lanes::highest_vertex(corner_lanes[0].values, corner_lanes.size() / 3, n);
    if (!(along(corners[highest], n) - lowest[face] <= kFaceTolerance)) return std::nullopt;
  }
  return hull;
}

}  // namespace

std::optional<SolidHull> solid_hull(const std::vector<Vec3>& points, const std::vector<Vec3>& originals, double size,
                                    double thickness) {
  for (const HullMethod method : {HullMethod::merged, HullMethod::joggled}) {
    const std::optional<HullSurface> surface = hull_surface(points, method);
    if (!surface) continue;
    if (surface->triangles.empty()) return std::nullopt;
    if (auto hull = proven(*surface, points, originals, size, thickness)) return hull;
  }
  return std::nullopt;
}

}  // namespace graze
