#include "graze/shape/convex.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <tuple>

#include "graze/base/error.h"
#include "shape/hull.h"
#include "shape/lanes.h"

namespace graze {
namespace {

// Qhull counts points and coordinates in int.
constexpr std::size_t kMaxPoints = 100'000'000;

// A point that stands out of the hull of the others by no more than this part of its half size may be left out: the
// heights that decide it are not known better.
constexpr double kDropTolerance = 8 * kEpsilon;

// Below this many vertices a plain loop beats the dispatch.
constexpr std::size_t kFewVertices = 8;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

double along(const Vec3& p, const Vec3& d) { return (p.x() * d.x() + p.y() * d.y()) + p.z() * d.z(); }

void check(const Vec3& p, std::size_t i) {
  // The name is only spelt out for the point that needs it.
  if (!is_finite(p) || p.cwiseAbs().maxCoeff() > kLargestLength) {
    checked_point(fmt::format("convex hull point {}", i).c_str(), p);
  }
}

auto coordinates_of(const std::vector<Vec3>& points) {
  return [&points](std::size_t i) { return std::array{points[i].x(), points[i].y(), points[i].z()}; };
}

template <class Lane>
std::size_t highest(const std::vector<Lane>& vertex_lanes, const Vec3& direction) {
  return lanes::highest_vertex(vertex_lanes[0].values, vertex_lanes.size() / 3, direction);
}

template <class Lane>
lanes::Highest highest_plane(const std::vector<Lane>& face_lanes, const Vec3& p) {
  return lanes::highest_plane(face_lanes[0].values, face_lanes.size() / 4, p);
}

Vec3 mean(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

std::vector<Vec3> distinct(std::span<const Vec3> points) {
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto tie = [&](std::uint32_t i) { return std::tie(points[i].x(), points[i].y(), points[i].z()); };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t i, std::uint32_t j) { return tie(i) != tie(j) ? tie(i) < tie(j) : i < j; });
  order.erase(std::unique(order.begin(), order.end(), [&](auto i, auto j) { return tie(i) == tie(j); }), order.end());
  std::sort(order.begin(), order.end());
  std::vector<Vec3> kept;
  kept.reserve(order.size());
  for (const std::uint32_t i : order) kept.push_back(points[i]);
  return kept;
}

std::uint64_t stamp_of(const std::vector<Vec3>& points) {
  std::uint64_t hash = points.size();
  for (const Vec3& p : points) {
    for (const double x : p) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29U;
    }
  }
  return hash;
}

// Twice the area of a triangle along its normal. From the corner opposite the longest edge: the cross product of the
// two short edges keeps its digits in long thin triangles.
Vec3 area_of(const Vec3& a, const Vec3& b, const Vec3& c, double size) {
  const Vec3 ab = (b - a) / size, bc = (c - b) / size, ca = (a - c) / size;
  const double longest = std::max({ab.squaredNorm(), bc.squaredNorm(), ca.squaredNorm()});
  if (ab.squaredNorm() == longest) return bc.cross(ca);
  return bc.squaredNorm() == longest ? ca.cross(ab) : ab.cross(bc);
}

// Unit outward normals of the surface's faces: the vector area of a face is little disturbed by slivers in it. From the
// caller's coordinates, since moving and scaling has rounded the others.
std::vector<Vec3> face_normals(const HullSurface& surface, const std::vector<Vec3>& points, double size) {
  std::vector<Vec3> areas(surface.normals.size(), Vec3::Zero());
  for (const auto& [corners, face] : surface.triangles) {
    const auto& [i, j, k] = corners;
    areas[index(face)] += area_of(points[index(i)], points[index(j)], points[index(k)], size);
  }
  for (std::size_t face = 0; face < areas.size(); ++face) {
    const Vec3 normal = unit(areas[face]);
    // A face of nothing but slivers: qhull's plane is the better guess. Either bounds the hull, as the offset is
    // measured afterwards.
    areas[face] = normal.dot(surface.normals[face]) > 0.5 ? normal : unit(surface.normals[face]);
  }
  return areas;
}

struct Solid {
  std::vector<char> is_vertex;
  std::vector<std::array<int, 3>> triangles;
  std::vector<Vec3> normals;
};

// The hull of `originals`; `points` are the same shifted and scaled by 1/size to about unit size around the origin.
template <class Lane>
std::optional<Solid> solid_hull(const std::vector<Vec3>& originals, double size, const std::vector<Vec3>& points) {
  const std::optional<HullSurface> surface = hull_surface(points);
  if (!surface) return std::nullopt;

  Solid solid;
  solid.is_vertex.assign(points.size(), 0);
  solid.normals = face_normals(*surface, originals, size);
  for (const auto& triangle : surface->triangles) {
    solid.triangles.push_back(triangle.corners);
    for (const int corner : triangle.corners) solid.is_vertex[index(corner)] = 1;
  }

  std::vector<Vec3> vertices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (solid.is_vertex[i]) vertices.push_back(points[i]);
  }
  const auto vertex_lanes = lanes::arranged<Lane, 3>(vertices.size(), coordinates_of(vertices));
  std::vector<double> offsets;
  for (const Vec3& n : solid.normals) offsets.push_back(along(vertices[highest(vertex_lanes, n)], n));

  // A surface whose planes do not enclose the mean of its own vertices is an artefact of rounding.
  const Vec3 inside = mean(vertices);
  double inner_radius = kInfinity;
  for (std::size_t face = 0; face < offsets.size(); ++face) {
    inner_radius = std::min(inner_radius, offsets[face] - along(inside, solid.normals[face]));
  }
  if (!(inner_radius > kDropTolerance)) return std::nullopt;

  // Qhull leaves out what it takes for coplanar, and its merged facets may be wider than rounding. Whatever stands
  // out of the planes becomes a vertex, so that nothing rests on its tolerances.
  const auto face_lanes = lanes::arranged<Lane, 4>(offsets.size(), [&](std::size_t face) {
    const Vec3& n = solid.normals[face];
    return std::array{n.x(), n.y(), n.z(), offsets[face]};
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (solid.is_vertex[i] || (points[i] - inside).norm() < inner_radius) continue;
    if (highest_plane(face_lanes, points[i]).value > kDropTolerance) solid.is_vertex[i] = 1;
  }
  return solid;
}

}  // namespace

Convex Convex::hull_of(std::span<const Vec3> points) {
  if (points.empty()) throw Error("convex hull", "needs at least one point, got none");
  if (points.size() > kMaxPoints) {
    throw Error("convex hull", fmt::format("takes at most {} points, got {}", kMaxPoints, points.size()));
  }
  Aabb box;
  for (std::size_t i = 0; i < points.size(); ++i) {
    box.extend(points[i]);
    check(points[i], i);
  }

  auto data = std::make_shared<Data>();
  std::vector<Vec3> candidates = distinct(points);
  // Far and tiny hulls have all their digits in the differences from a point near by; these are exact or nearly so.
  const Vec3 middle = box.center();
  const double size = box.half().maxCoeff();
  std::vector<Vec3> scaled;
  scaled.reserve(candidates.size());
  for (const Vec3& p : candidates) scaled.emplace_back(size > 0 ? Vec3((p - middle) / size) : Vec3::Zero());

  if (const std::optional<Solid> solid = solid_hull<Lane>(candidates, size, scaled)) {
    std::vector<int> place(candidates.size(), -1);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!solid->is_vertex[i]) continue;
      place[i] = static_cast<int>(data->vertices.size());
      scaled[data->vertices.size()] = scaled[i];
      data->vertices.push_back(candidates[i]);
    }
    scaled.resize(data->vertices.size());
    for (const auto& [a, b, c] : solid->triangles) {
      data->triangles.push_back({place[index(a)], place[index(b)], place[index(c)]});
    }
    const auto vertex_lanes = lanes::arranged<Lane, 3>(data->vertices.size(), coordinates_of(data->vertices));
    for (const Vec3& n : solid->normals) {
      data->faces.push_back({n, along(data->vertices[highest(vertex_lanes, n)], n)});
    }
  } else {
    data->vertices = std::move(candidates);
  }

  data->center = middle + size * mean(scaled);
  for (const Vec3& v : data->vertices) {
    data->centered.push_back(v - data->center);
    data->radius = std::max(data->radius, data->centered.back().norm());
  }
  data->radius *= 1 + 8 * kEpsilon;
  data->vertex_lanes = lanes::arranged<Lane, 3>(data->centered.size(), coordinates_of(data->centered));
  if (!data->faces.empty()) {
    std::vector<double> offsets;
    for (const Face& f : data->faces) {
      offsets.push_back(along(data->centered[highest(data->vertex_lanes, f.normal)], f.normal));
    }
    data->face_lanes = lanes::arranged<Lane, 4>(data->faces.size(), [&](std::size_t i) {
      const Vec3& n = data->faces[i].normal;
      return std::array{n.x(), n.y(), n.z(), offsets[i]};
    });
    const double nearest = *std::min_element(offsets.begin(), offsets.end());
    data->inner_radius = std::max(0.0, nearest - 8 * kEpsilon * data->radius);
  }
  data->stamp = stamp_of(data->vertices);
  return Convex(std::move(data));
}

std::size_t Convex::support_index(const Vec3& direction) const {
  const std::vector<Vec3>& vertices = data_->centered;
  if (vertices.size() > kFewVertices) return highest(data_->vertex_lanes, direction);
  double best = -kInfinity;
  std::size_t best_index = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const double value = along(vertices[i], direction);
    if (value > best) {
      best = value;
      best_index = i;
    }
  }
  return best_index;
}

std::pair<double, std::size_t> Convex::highest_face(const Vec3& p) const {
  const lanes::Highest highest = highest_plane(data_->face_lanes, p - data_->center);
  return {highest.value, highest.index};
}

}  // namespace graze
