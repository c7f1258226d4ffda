#include <fmt/format.h>

#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/scene/scene_query.h"
#include "query/each.h"
#include "scene/questions.h"

namespace graze {

using scene::data_of;

namespace {

// answer(body, i) with the geometry at each of the poses; it is copied once for all poses of a chunk.
template <class Answer>
void at_each(const Geometry& geometry, std::span<const Pose> poses, int threads, const Answer& answer) {
  parallel_chunks(poses.size(),
                  [&](std::size_t begin, std::size_t end) {
                    scene::Body body{.placed = {geometry, Pose()}};
                    for (std::size_t i = begin; i < end; ++i) {
                      body.placed.pose = poses[i];
                      body.box = scene::box_of(body.placed, 0, 0);
                      answer(static_cast<const scene::Body&>(body), i);
                    }
                  },
                  {.threads = threads});
}

}  // namespace

void collide_each(const Scene& scene, const Geometry& geometry, std::span<const Pose> poses, std::span<bool> hits,
                  const SceneCollideEachOptions& options) {
  check_room("hits", poses.size(), hits.size());
  const scene::Data& data = data_of(scene);
  at_each(geometry, poses, options.threads, [&](const scene::Body& body, std::size_t i) {
    scene::CollideQuestion question(options.margin);
    ask_with(data, body, options.as, question);
    hits[i] = question.hit();
  });
}

void distance_each(const Scene& scene, const Geometry& geometry, std::span<const Pose> poses,
                   std::span<SceneDistance> distances, const SceneDistanceEachOptions& options) {
  check_room("distances", poses.size(), distances.size());
  const scene::Data& data = data_of(scene);
  at_each(geometry, poses, options.threads, [&](const scene::Body& body, std::size_t i) {
    scene::DistanceQuestion question({.limit = options.limit, .depth = options.depth});
    ask_with(data, body, options.as, question);
    distances[i] = question.best();
  });
}

void collide_each(const Scene& scene, const SpheresView& spheres, std::span<bool> hits,
                  const SceneCollideEachOptions& options) {
  check_room("hits", spheres.size(), hits.size());
  for_each_sphere(spheres, options.threads, [&](const Placed& sphere, std::size_t i) {
    hits[i] = collide(scene, sphere, {.margin = options.margin, .as = options.as});
  });
}

void sweep_sphere_each(const Scene& scene, std::span<const SphereMove> moves, std::span<SceneSphereHit> hits,
                       const SceneCollideEachOptions& options) {
  check_room("hits", moves.size(), hits.size());
  parallel_for(
      moves.size(),
      [&](std::size_t i) { hits[i] = sweep_sphere(scene, moves[i], {.margin = options.margin, .as = options.as}); },
      {.threads = options.threads});
}

void raycast_each(const Scene& scene, std::span<const Ray> rays, std::span<SceneRayHit> hits,
                  const RaycastEachOptions& options) {
  check_room("hits", rays.size(), hits.size());
  parallel_for(rays.size(), [&](std::size_t i) { hits[i] = raycast(scene, rays[i]); }, {.threads = options.threads});
}

void closest_point_each(const Scene& scene, const PointView& points, std::span<SceneClosestPoint> closest,
                        const PointsEachOptions& options) {
  check_room("closest points", points.size(), closest.size());
  parallel_for(points.size(),
               [&](std::size_t i) {
                 const Vec3 point = points[i];
                 closest[i] = {};
                 if (is_finite(point)) closest[i] = closest_point(scene, point, options.limit);
                 else closest[i].distance = std::numeric_limits<double>::quiet_NaN();
               },
               {.threads = options.threads});
}

}  // namespace graze
