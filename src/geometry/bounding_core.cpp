#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "geometry/bounding_search.h"
#include "graze/base/elementary.h"
#include "graze/shape/shape.h"

namespace graze::bounding {
namespace {

// So many points at most, two per direction, are searched for good directions.
constexpr std::size_t kCorePoints = 512;
// Of so many edges all pairs are tried.
constexpr std::size_t kCoreEdges = 32;

// What rounding may add to the volume or the surface of a hull in [-1, 1]: its corners are off by an epsilon at most,
// its surface is at most 24, and sums over a thousand triangles round.
constexpr double kHullRounding = 1e-12;

struct Principal {
  Mat3 axes;
  Vec3 deviation;
};

Principal principal_of(std::span<const Vec3> points) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p;
  mean /= static_cast<double>(points.size());
  Mat3 covariance = Mat3::Zero();
  for (const Vec3& p : points) covariance += (p - mean) * (p - mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(covariance / static_cast<double>(points.size()));
  Mat3 axes = solver.eigenvectors();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return {axes, solver.eigenvalues().cwiseMax(0).cwiseSqrt()};
}

// The points that reach farthest, both ways, along directions that are spread evenly for a body as long as wide: those
// of a long one are squeezed like it.
std::vector<Vec3> extreme_points(std::span<const Vec3> points, const Principal& principal) {
  constexpr std::size_t kDirections = kCorePoints / 2;
  const double golden_angle = std::numbers::pi * (3 - std::sqrt(5.0));
  const Vec3 scale = principal.deviation.cwiseMax(1e-6 * principal.deviation.maxCoeff());
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < kDirections; ++i) {
    const double z = (static_cast<double>(i) + 0.5) / static_cast<double>(kDirections);
    const double angle = golden_angle * static_cast<double>(i), r = std::sqrt(1 - z * z);
    const Vec3 even(r * elementary::cos(angle), r * elementary::sin(angle), z);
    const Vec3 along = unit_vector(principal.axes * even.cwiseQuotient(scale));
    std::size_t lowest = 0, highest = 0;
    double min = kInfinity, max = -kInfinity;
    for (std::size_t j = 0; j < points.size(); ++j) {
      const double at = points[j].x() * along.x() + points[j].y() * along.y() + points[j].z() * along.z();
      if (at < min) min = at, lowest = j;
      if (at > max) max = at, highest = j;
    }
    kept.insert(kept.end(), {lowest, highest});
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<Vec3> extreme;
  for (const std::size_t i : kept) extreme.push_back(points[i]);
  return extreme;
}

// The edges between different faces, the longest first.
std::vector<Vec3> longest_edges(const Convex& hull) {
  std::map<std::pair<int, int>, std::size_t> face_of;
  std::vector<std::pair<int, int>> found;
  for (std::size_t face = 0; face < hull.faces().size(); ++face) {
    for (const auto& t : hull.triangles_of(face)) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::pair<int, int> edge = std::minmax(t[k], t[(k + 1) % 3]);
        const auto [known, fresh] = face_of.try_emplace(edge, face);
        if (!fresh && known->second != face) found.push_back(edge);
      }
    }
  }
  std::vector<Vec3> edges;
  for (const auto& [a, b] : found) {
    edges.emplace_back(hull.vertices()[static_cast<std::size_t>(a)] - hull.vertices()[static_cast<std::size_t>(b)]);
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Vec3& a, const Vec3& b) { return a.squaredNorm() > b.squaredNorm(); });
  edges.resize(std::min(edges.size(), kCoreEdges));
  return edges;
}

double surface_of(const Convex& hull) {
  double area = 0;
  const auto corner = [&](int i) -> const Vec3& { return hull.vertices()[static_cast<std::size_t>(i)]; };
  for (const auto& [a, b, c] : hull.triangles()) {
    area += (corner(b) - corner(a)).cross(corner(c) - corner(a)).norm() / 2;
  }
  return area;
}

}  // namespace

Core core_of(std::span<const Vec3> points, double noise) {
  const Principal principal = principal_of(points);
  Core core;
  core.principal = principal.axes;
  core.floor = noise;
  const Convex hull = Convex::hull_of(points.size() <= kCorePoints ? std::vector<Vec3>(points.begin(), points.end())
                                                                   : extreme_points(points, principal));
  core.points.assign(hull.vertices().begin(), hull.vertices().end());
  for (const Convex::Face& face : hull.faces()) core.normals.push_back(face.normal);
  core.edges = longest_edges(hull);
  core.volume = std::max(0.0, volume(hull) - kHullRounding);
  core.area = std::max(0.0, surface_of(hull) - kHullRounding);
  return core;
}

}  // namespace graze::bounding
