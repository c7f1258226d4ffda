#include "graze/query/each.h"

#include <fmt/format.h>

#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "query/cloud_ask.h"
#include "query/cloud_sphere.h"
#include "query/each.h"

namespace graze {
namespace {

// answer(b, i) with b at each of the poses; b's geometry is copied once for all poses of a chunk.
template <class Answer>
void at_each(const Geometry& b, std::span<const Pose> poses, int threads, const Answer& answer) {
  parallel_chunks(poses.size(),
                  [&](std::size_t begin, std::size_t end) {
                    Placed moved{b, Pose()};
                    for (std::size_t i = begin; i < end; ++i) {
                      moved.pose = poses[i];
                      answer(static_cast<const Placed&>(moved), i);
                    }
                  },
                  {.threads = threads});
}

// Bodies of which the nearest points of a cloud are found in float32: their searches take turns.
template <class B>
void distance_in_turn(const Placed& a, const Cloud& cloud, const B& b, std::span<const Pose> poses,
                      std::span<Distance> distances, const DistanceOptions& single, int threads) {
  const double limit = single.limit + a.uncertainty;
  const PairQuestion question{.limit = std::isnan(limit) ? kInfinity : limit, .depth = single.depth};
  const AskedAs asked{.swapped = true, .uncertainty = a.uncertainty};
  parallel_chunks(poses.size(),
                  [&](std::size_t begin, std::size_t end) {
                    const std::span<const Pose> some = poses.subspan(begin, end - begin);
                    const std::span<Distance> found = distances.subspan(begin, end - begin);
                    const PlacedCloud scan{cloud, a.pose};
                    std::uint32_t answered = 0;
                    if constexpr (std::same_as<B, Sphere>)
                      answered = sphere_distance_each(b, some, scan, question, asked, found);
                    else answered = cloud_distance_each(b, some, scan, question, asked, found);
                    for (std::size_t i = 0; i < some.size(); ++i) {
                      if ((answered >> i & 1U) == 0) found[i] = distance(a, {b, some[i]}, single);
                    }
                  },
                  {.threads = threads, .grain = kBodiesAtATime});
}

}  // namespace

void collide_each(const Placed& a, const Geometry& b, std::span<const Pose> poses, std::span<bool> hits,
                  const CollideEachOptions& options) {
  check_room("hits", poses.size(), hits.size());
  const auto* cloud = std::get_if<Cloud>(&a.geometry);
  const auto* sphere = std::get_if<Sphere>(&b);
  if (cloud != nullptr && sphere != nullptr && options.margin >= 0) {
    parallel_chunks(poses.size(),
                    [&](std::size_t begin, std::size_t end) {
                      sphere_collides_each(*sphere, poses.subspan(begin, end - begin), {*cloud, a.pose},
                                           options.margin + a.uncertainty, hits.subspan(begin, end - begin));
                    },
                    {.threads = options.threads, .grain = 64});
    return;
  }
  at_each(b, poses, options.threads,
          [&](const Placed& moved, std::size_t i) { hits[i] = collide(a, moved, {.margin = options.margin}); });
}

void distance_each(const Placed& a, const Geometry& b, std::span<const Pose> poses, std::span<Distance> distances,
                   const DistanceEachOptions& options) {
  check_room("distances", poses.size(), distances.size());
  const DistanceOptions single{.limit = options.limit, .depth = options.depth};
  if (const auto* cloud = std::get_if<Cloud>(&a.geometry)) {
    const auto in_turn = [&](const auto* body) {
      return body != nullptr && (distance_in_turn(a, *cloud, *body, poses, distances, single, options.threads), true);
    };
    if (in_turn(std::get_if<Sphere>(&b)) || in_turn(std::get_if<Capsule>(&b)) || in_turn(std::get_if<Box>(&b))) return;
  }
  at_each(b, poses, options.threads,
          [&](const Placed& moved, std::size_t i) { distances[i] = distance(a, moved, single); });
}

void contacts_each(const Placed& a, const Geometry& b, std::span<const Pose> poses, std::span<Contacts> found,
                   const ContactsEachOptions& options) {
  check_room("contacts", poses.size(), found.size());
  at_each(b, poses, options.threads, [&](const Placed& moved, std::size_t i) {
    found[i] = contacts(a, moved, {.max = options.max, .margin = options.margin});
  });
}

void penetration_each(const Placed& a, const Geometry& b, std::span<const Pose> poses,
                      std::span<Penetration> penetrations, const PenetrationEachOptions& options) {
  check_room("penetrations", poses.size(), penetrations.size());
  at_each(b, poses, options.threads,
          [&](const Placed& moved, std::size_t i) { penetrations[i] = penetration(a, moved); });
}

void collide_each(const Placed& a, const SpheresView& spheres, std::span<bool> hits,
                  const CollideEachOptions& options) {
  check_room("hits", spheres.size(), hits.size());
  for_each_sphere(spheres, options.threads, [&](const Placed& sphere, std::size_t i) {
    hits[i] = collide(a, sphere, {.margin = options.margin});
  });
}

void distance_each(const Placed& a, const SpheresView& spheres, std::span<Distance> distances,
                   const DistanceEachOptions& options) {
  check_room("distances", spheres.size(), distances.size());
  for_each_sphere(spheres, options.threads, [&](const Placed& sphere, std::size_t i) {
    distances[i] = distance(a, sphere, {.limit = options.limit, .depth = options.depth});
  });
}

}  // namespace graze
