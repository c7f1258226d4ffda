#include "shape/solid_hull.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <numbers>

#include "graze/base/elementary.h"
#include "shape/cross.h"
#include "shape/hull.h"
#include "shape/lanes.h"
#include "shape/support_table.h"

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

// Qhull merges faces in time that grows with the square of their corners: of more points than this, faces are merged
// here.
constexpr std::size_t kManyPoints = 4096;
// Corners that are off a plane by no more than this belong to it.
constexpr double kCoplanar = 32 * kEpsilon;

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

// Which of many planes is violated most, in parts of its distance from the centre: that of the farthest of the points
// normal / distance (the polar body). Decides about most points what below_all would.
class Polar {
 public:
  Polar(const std::vector<Vec3>& normals, const std::vector<double>& levels, const Vec3& center, double inner_radius)
      : normals_(normals),
        levels_(levels),
        center_(center),
        points_(polar_of(normals, levels, center)),
        farthest_(points_),
        // Of both coordinates and products, relative to the largest polar point; the points are within [-1, 1].
        rounding_(64 * kEpsilon / inner_radius) {}

  /// Surely below all planes, surely not even after a move of kDropTolerance, or neither.
  std::optional<bool> below_all(const Vec3& p) const {
    const Vec3 q = p - center_;
    const std::size_t plane = farthest_(q);
    if (along(p, normals_[plane]) - levels_[plane] > kDropTolerance + kHeightRounding) return false;
    if (along(q, points_[plane]) < 1 - rounding_) return true;
    return std::nullopt;
  }

 private:
  static std::vector<Vec3> polar_of(const std::vector<Vec3>& normals, const std::vector<double>& levels,
                                    const Vec3& center) {
    std::vector<Vec3> points;
    points.reserve(normals.size());
    for (std::size_t i = 0; i < normals.size(); ++i)
      points.emplace_back(normals[i] / (levels[i] - along(center, normals[i])));
    return points;
  }

  const std::vector<Vec3>& normals_;
  const std::vector<double>& levels_;
  const Vec3& center_;
  std::vector<Vec3> points_;
  Farthest farthest_;
  double rounding_;
};

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
  const Polar polar(hull.normals, lowest, hull.center, inner_radius);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (hull.is_vertex[i] || (points[i] - hull.center).norm() < inner_radius - kHeightRounding) continue;
    const std::optional<bool> known = polar.below_all(points[i]);
    if (known ? *known : below_all(plane_lanes, hull.normals, points[i])) continue;
    hull.is_vertex[i] = 1;
    corners.push_back(points[i]);
  }

  const Farthest farthest(corners);
  for (std::size_t face = 0; face < lowest.size(); ++face) {
    const Vec3& n = hull.normals[face];
    if (!(along(corners[farthest(n)], n) - lowest[face] <= kFaceTolerance)) return std::nullopt;
  }
  return hull;
}

// The triangle on the other side of each edge, three per triangle. Of a closed surface.
std::vector<std::size_t> neighbours_of(const std::vector<HullSurface::Triangle>& triangles) {
  struct Edge {
    std::uint64_t ends;
    std::size_t place;
  };
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [low, high] = std::minmax(triangles[t].corners[i], triangles[t].corners[(i + 1) % 3]);
      edges.push_back({static_cast<std::uint64_t>(low) << 32U | static_cast<std::uint64_t>(high), 3 * t + i});
    }
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& x, const Edge& y) { return x.ends != y.ends ? x.ends < y.ends : x.place < y.place; });
  std::vector<std::size_t> neighbours(edges.size());
  for (std::size_t i = 0; i + 1 < edges.size(); i += 2) {
    neighbours[edges[i].place] = edges[i + 1].place / 3;
    neighbours[edges[i + 1].place] = edges[i].place / 3;
  }
  return neighbours;
}

// Triangles that lie in one plane become one face: around the largest, whose plane is known best. Returns the number of
// triangles of the largest face.
std::size_t merge_coplanar(HullSurface& surface, const std::vector<Vec3>& points) {
  auto& triangles = surface.triangles;
  if (!closed(triangles)) return 0;
  const std::vector<std::size_t> neighbours = neighbours_of(triangles);
  std::vector<Vec3> areas;
  areas.reserve(triangles.size());
  for (const auto& [corners, face] : triangles)
    areas.push_back(area_of(points[index(corners[0])], points[index(corners[1])], points[index(corners[2])], 1));
  std::vector<std::size_t> order(triangles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const double x = areas[i].squaredNorm(), y = areas[j].squaredNorm();
    return x != y ? x > y : i < j;
  });
  constexpr int kNone = -1;
  for (auto& t : triangles) t.face = kNone;
  std::vector<Vec3> normals;
  std::vector<std::size_t> open;
  std::size_t largest = 0;
  for (const std::size_t seed : order) {
    if (triangles[seed].face != kNone) continue;
    const int face = static_cast<int>(normals.size());
    normals.push_back(unit_vector(areas[seed]));
    const Vec3 n = normals.back(), base = points[index(triangles[seed].corners[0])];
    triangles[seed].face = face;
    open.assign(1, seed);
    std::size_t count = 0;
    while (!open.empty()) {
      const std::size_t t = open.back();
      open.pop_back();
      ++count;
      for (std::size_t i = 0; i < 3; ++i) {
        auto& next = triangles[neighbours[3 * t + i]];
        const auto in_plane = [&](int corner) { return std::abs(along(points[index(corner)] - base, n)) <= kCoplanar; };
        if (next.face != kNone || !std::all_of(next.corners.begin(), next.corners.end(), in_plane)) continue;
        // A sliver may lie in the plane and face in the opposite direction.
        if (along(areas[neighbours[3 * t + i]], n) < 0) continue;
        next.face = face;
        open.push_back(neighbours[3 * t + i]);
      }
    }
    largest = std::max(largest, count);
  }
  std::stable_sort(triangles.begin(), triangles.end(), [](const auto& x, const auto& y) { return x.face < y.face; });
  surface.normals = std::move(normals);
  return largest;
}

// The points where three faces or more meet: others lie on a face or an edge.
std::vector<int> corners_of(const HullSurface& surface, std::size_t points) {
  constexpr std::array<int, 2> kNone{-1, -1};
  std::vector<std::array<int, 2>> faces(points, kNone);
  std::vector<char> is_corner(points, 0);
  for (const auto& [corners, face] : surface.triangles) {
    for (const int corner : corners) {
      auto& [first, second] = faces[index(corner)];
      if (first < 0 || first == face) first = face;
      else if (second < 0 || second == face) second = face;
      else is_corner[index(corner)] = 1;
    }
  }
  std::vector<int> found;
  for (std::size_t i = 0; i < points; ++i) {
    if (is_corner[i] != 0) found.push_back(static_cast<int>(i));
  }
  return found;
}

struct MergedSurface {
  HullSurface surface;
  std::size_t largest_face = 0;  // triangles of it
};

// Joggling makes corners of points that lie on faces and edges. So twice: of all points, and of what are corners then.
std::optional<MergedSurface> merged_surface(const std::vector<Vec3>& points) {
  std::optional<HullSurface> all = hull_surface(points, HullMethod::joggled);
  if (!all) return std::nullopt;
  MergedSurface r{std::move(*all)};
  r.largest_face = merge_coplanar(r.surface, points);
  const std::vector<int> corners = corners_of(r.surface, points.size());
  if (r.largest_face == 0 || corners.size() < 4 || corners.size() > points.size() - points.size() / 8) return r;
  std::vector<Vec3> kept;
  kept.reserve(corners.size());
  for (const int i : corners) kept.push_back(points[index(i)]);
  const bool many = kept.size() > kManyPoints;
  std::optional<HullSurface> fewer = hull_surface(kept, many ? HullMethod::joggled : HullMethod::merged);
  if (!fewer || fewer->triangles.empty()) return r;
  if (many) merge_coplanar(*fewer, kept);
  for (auto& triangle : fewer->triangles) {
    for (int& corner : triangle.corners) corner = corners[index(corner)];
  }
  r.surface = std::move(*fewer);
  return r;
}

}  // namespace

std::optional<SolidHull> solid_hull(const std::vector<Vec3>& points, const std::vector<Vec3>& originals, double size,
                                    double thickness) {
  if (points.size() > kManyPoints) {
    const std::optional<MergedSurface> merged = merged_surface(points);
    if (merged && merged->surface.triangles.empty()) return std::nullopt;
    if (merged) {
      if (auto hull = proven(merged->surface, points, originals, size, thickness)) return hull;
      if (merged->largest_face > kManyPoints) return std::nullopt;
    }
  }
  for (const HullMethod method : {HullMethod::merged, HullMethod::joggled}) {
    const std::optional<HullSurface> surface = hull_surface(points, method);
    if (!surface) continue;
    if (surface->triangles.empty()) return std::nullopt;
    if (auto hull = proven(*surface, points, originals, size, thickness)) {
      hull->merged_by_qhull = method == HullMethod::merged;
      return hull;
    }
  }
  return std::nullopt;
}

}  // namespace graze
