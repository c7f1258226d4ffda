#include "graze/query/point.h"

#include <limits>

#include "graze/base/parallel.h"
#include "graze/query/collide.h"
#include "query/each.h"
#include "query/mesh_points.h"

namespace graze {
namespace {

const Sphere kPoint{.radius = 0};

// answer(p, i) for the finite points, otherwise(i) for the others.
template <class Answer, class Otherwise>
void each_point(const PointView& points, int threads, const Answer& answer, const Otherwise& otherwise) {
  parallel_for(points.size(),
               [&](std::size_t i) {
                 const Vec3 p = points[i];
                 if (is_finite(p)) answer(p, i);
                 else otherwise(i);
               },
               {.threads = threads});
}

const Mesh* mesh_of(const Placed& body) {
  const auto* mesh = std::get_if<Mesh>(&body.geometry);
  return mesh != nullptr && !mesh->empty() ? mesh : nullptr;
}

}  // namespace

bool contains(const Placed& body, const Vec3& point) { return collide(body, at(kPoint, Pose::at(point))); }

ClosestPoint closest_point(const Placed& body, const Vec3& point, double limit) {
  const Distance d = distance(body, at(kPoint, Pose::at(point)), {.limit = limit});
  if (d.beyond) return {};
  return {d.value, d.tolerance, d.on_a, d.normal, d.a};
}

void contains_each(const Placed& body, const PointView& points, std::span<bool> inside,
                   const PointsEachOptions& options) {
  check_room("inside", points.size(), inside.size());
  if (const Mesh* mesh = mesh_of(body)) return mesh_contains_each(body, *mesh, points, inside, options);
  each_point(
      points, options.threads, [&](const Vec3& p, std::size_t i) { inside[i] = contains(body, p); },
      [&](std::size_t i) { inside[i] = true; });
}

void signed_distance_each(const Placed& body, const PointView& points, std::span<double> distances,
                          const PointsEachOptions& options) {
  check_room("distances", points.size(), distances.size());
  if (const Mesh* mesh = mesh_of(body)) return mesh_signed_distance_each(body, *mesh, points, distances, options);
  each_point(
      points, options.threads,
      [&](const Vec3& p, std::size_t i) { distances[i] = closest_point(body, p, options.limit).distance; },
      [&](std::size_t i) { distances[i] = std::numeric_limits<double>::quiet_NaN(); });
}

void closest_point_each(const Placed& body, const PointView& points, std::span<ClosestPoint> closest,
                        const PointsEachOptions& options) {
  check_room("closest", points.size(), closest.size());
  each_point(
      points, options.threads,
      [&](const Vec3& p, std::size_t i) { closest[i] = closest_point(body, p, options.limit); },
      [&](std::size_t i) {
        closest[i] = {};
        closest[i].distance = std::numeric_limits<double>::quiet_NaN();
      });
}

}  // namespace graze
