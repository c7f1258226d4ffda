#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "clearance/report_cells.h"
#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "graze/clearance/report_view.h"

namespace graze::clearance {
namespace {

// The first point of each voxel; the voxels are made larger until there are few enough.
std::vector<Vec3> thinned(std::vector<Vec3> points, std::size_t max_points) {
  std::erase_if(points, [](const Vec3& p) { return !is_finite(p); });
  if (points.size() <= max_points) return points;
  Aabb box;
  for (const Vec3& p : points) box.extend(p);
  double edge = (box.max - box.min).maxCoeff() / 1024;
  if (!(edge > 0)) return {points.front()};
  for (;; edge *= 1.25) {
    std::unordered_set<CellKey, CellHash> taken;
    std::vector<Vec3> out;
    for (const Vec3& p : points) {
      const Vec3 at = (p - box.min) / edge;
      if (taken
              .insert({static_cast<std::int64_t>(at.x()), static_cast<std::int64_t>(at.y()),
                       static_cast<std::int64_t>(at.z())})
              .second) {
        out.push_back(p);
        if (out.size() > max_points) break;
      }
    }
    if (out.size() <= max_points) return out;
  }
}

void append_triangles(ReportModel& model, std::span<const Vec3> vertices, std::span<const MeshTriangle> triangles,
                      const Pose& pose) {
  const auto first = static_cast<std::uint32_t>(model.vertices.size());
  for (const Vec3& v : vertices) model.vertices.push_back(pose * v);
  for (const MeshTriangle& t : triangles) model.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

// The hull of the points farthest in evenly spread directions.
template <class S>
void append_shape(ReportModel& model, const S& shape, const Pose& pose) {
  constexpr int kDirections = 400;
  std::vector<Vec3> farthest;
  if constexpr (std::is_same_v<S, Box>) {
    for (int k = 0; k < 8; ++k) {
      const Vec3 sign((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1);
      farthest.push_back(shape.half.value().cwiseProduct(sign));
    }
  } else {
    for (int k = 0; k < kDirections; ++k) {
      const double z = 1 - (2.0 * k + 1) / kDirections, r = std::sqrt(1 - z * z), angle = 2.399963229728653 * k;
      farthest.push_back(support(shape, Vec3(r * elementary::cos(angle), r * elementary::sin(angle), z)));
    }
  }
  const Convex hull = Convex::hull_of(farthest);
  std::vector<MeshTriangle> triangles;
  for (const std::array<int, 3>& t : hull.triangles()) {
    const auto corner = [&t](std::size_t k) { return static_cast<std::uint32_t>(t[k]); };
    triangles.push_back({corner(0), corner(1), corner(2)});
  }
  append_triangles(model, hull.vertices(), triangles, pose);
  if (triangles.empty()) {
    for (const Vec3& p : hull.vertices()) model.points.push_back(pose * p);
  }
}

void append(ReportModel& model, const Geometry& geometry, const Pose& pose, const ReportModelOptions& options) {
  std::visit(
      [&](const auto& g) {
        using G = std::decay_t<decltype(g)>;
        if constexpr (std::is_same_v<G, Mesh>) {
          if (g.size() <= options.triangles) return append_triangles(model, g.vertices(), g.triangles(), pose);
          for (const Vec3& p : thinned({g.vertices().begin(), g.vertices().end()}, options.points)) {
            model.points.push_back(pose * p);
          }
        } else if constexpr (std::is_same_v<G, Cloud>) {
          std::vector<Vec3> points(g.size());
          for (std::size_t i = 0; i < points.size(); ++i) points[i] = g.point(i);
          for (const Vec3& p : thinned(std::move(points), options.points)) model.points.push_back(pose * p);
        } else if constexpr (std::is_same_v<G, Triangle>) {
          append_triangles(model, g.vertices(), std::array<MeshTriangle, 1>{{{0, 1, 2}}}, pose);
        } else if constexpr (std::is_same_v<G, HalfSpace> || std::is_same_v<G, Plane> ||
                             std::is_same_v<G, HeightField> || std::is_same_v<G, MapView>) {
          throw Error("model", "has a part without end, which cannot be drawn");
        } else {
          append_shape(model, g, pose);
        }
      },
      geometry);
}

}  // namespace

ReportModel report_model(std::span<const Placed> parts, const ReportModelOptions& options) {
  ReportModel model;
  for (const Placed& part : parts) append(model, part.geometry, part.pose, options);
  return model;
}

}  // namespace graze::clearance
