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
#include "shape/lanes.h"
#include "shape/solid_hull.h"
#include "shape/support_table.h"

namespace graze {
namespace {

// Qhull counts points and coordinates in int.
constexpr std::size_t kMaxPoints = 100'000'000;

// Below this many vertices a plain loop beats the dispatch.
constexpr std::size_t kFewVertices = 8;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

double along(const Vec3& p, const Vec3& d) { return (p.x() * d.x() + p.y() * d.y()) + p.z() * d.z(); }

void check(const Vec3& p, std::size_t i) {
  // The name is only spelt out for the point that needs it.
  if (!is_finite(p) || p.cwiseAbs().maxCoeff() > kLargestLength) {
    checked::point(fmt::format("convex hull point {}", i).c_str(), p);
  }
}

auto coordinates_of(const std::vector<Vec3>& points) {
  return [&points](std::size_t i) { return std::array{points[i].x(), points[i].y(), points[i].z()}; };
}

std::size_t highest_of_few(const std::vector<Vec3>& vertices, const Vec3& direction) {
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
  // Far and tiny hulls have all their digits in the differences from a point near by; these are exact or nearly so, and
  // scaling by a power of two is.
  const Vec3 middle = box.center();
  int exponent = 0;
  std::frexp(box.half().maxCoeff(), &exponent);
  const double size = std::ldexp(1.0, exponent);
  std::vector<Vec3> scaled;
  scaled.reserve(candidates.size());
  for (const Vec3& p : candidates) scaled.emplace_back((p - middle) / size);

  // Thinner than the rounding of its coordinates is flat.
  const double thickness = 32 * kEpsilon * (1 + middle.cwiseAbs().maxCoeff() / size);
  const std::optional<SolidHull> solid = solid_hull(scaled, candidates, size, thickness);
  if (solid) {
    std::vector<int> place(candidates.size(), -1);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!solid->is_vertex[i]) continue;
      place[i] = static_cast<int>(data->vertices.size());
      data->vertices.push_back(candidates[i]);
    }
    for (const auto& [a, b, c] : solid->triangles) {
      data->triangles.push_back({place[index(a)], place[index(b)], place[index(c)]});
    }
    data->first_triangle.assign(solid->normals.size() + 1, 0);
    for (const int face : solid->face_of) ++data->first_triangle[index(face) + 1];
    std::partial_sum(data->first_triangle.begin(), data->first_triangle.end(), data->first_triangle.begin());
    const Farthest farthest(data->vertices);
    for (const Vec3& n : solid->normals) data->faces.push_back({n, along(data->vertices[farthest(n)], n)});
  } else {
    data->vertices = std::move(candidates);
  }

  data->center = middle + size * (solid ? solid->center : mean(scaled));
  for (const Vec3& v : data->vertices) {
    data->centered.push_back(v - data->center);
    data->radius = std::max(data->radius, data->centered.back().norm());
  }
  data->radius *= 1 + 8 * kEpsilon;
  data->vertex_lanes = lanes::arranged<Lane, 3>(data->centered.size(), coordinates_of(data->centered));
  data->table = SupportTable::of(data->centered, data->radius);
  data->stamp = stamp_of(data->vertices);
  if (solid) {
    const Farthest farthest(data->centered);
    std::vector<double> offsets;
    for (const Face& f : data->faces) offsets.push_back(along(data->centered[farthest(f.normal)], f.normal));
    data->face_lanes = lanes::arranged<Lane, 4>(data->faces.size(), [&](std::size_t i) {
      const Vec3& n = data->faces[i].normal;
      return std::array{n.x(), n.y(), n.z(), offsets[i]};
    });
    // Measured to the lowest corners of the faces: what lies below all of them is in the hull (see solid_hull.cpp).
    data->inner_radius = kInfinity;
    for (std::size_t i = 0; i < data->triangles.size(); ++i) {
      for (const int corner : data->triangles[i]) {
        const double height = along(data->centered[index(corner)], solid->normals[index(solid->face_of[i])]);
        data->inner_radius = std::min(data->inner_radius, height);
      }
    }
    data->inner_radius = std::max(0.0, data->inner_radius - 8 * kEpsilon * data->radius);
  }
  return Convex(std::move(data));
}

std::size_t Convex::support_index(const Vec3& direction) const {
  if (data_->centered.size() <= kFewVertices) return highest_of_few(data_->centered, direction);
  if (data_->table != nullptr) {
    const SupportTable::Candidates near = data_->table->candidates(direction);
    if (near.blocks > 0) return near.vertices[lanes::highest_vertex(near.lanes, near.blocks, direction)];
  }
  return highest(data_->vertex_lanes, direction);
}

Vec3 Convex::centered_support(const Vec3& direction) const {
  if (data_->centered.size() <= kFewVertices) return data_->centered[highest_of_few(data_->centered, direction)];
  const double* lanes = data_->vertex_lanes[0].values;
  std::size_t blocks = data_->vertex_lanes.size() / 3;
  if (data_->table != nullptr) {
    const SupportTable::Candidates near = data_->table->candidates(direction);
    if (near.blocks > 0) lanes = near.lanes, blocks = near.blocks;
  }
  const std::size_t i = lanes::highest_vertex(lanes, blocks, direction);
  lanes += i / lanes::kBlock * 3 * lanes::kBlock + i % lanes::kBlock;
  return {lanes[0], lanes[lanes::kBlock], lanes[2 * lanes::kBlock]};
}

std::pair<double, std::size_t> Convex::highest_face(const Vec3& p) const {
  const lanes::Highest highest = highest_plane(data_->face_lanes, p - data_->center);
  return {highest.value, highest.index};
}

}  // namespace graze
