// What all questions about many things refuse.
#pragma once

#include <fmt/format.h>

#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/geometry/geometry.h"
#include "graze/index/points.h"

namespace graze {

inline void check_room(const char* name, std::size_t wanted, std::size_t room) {
  if (wanted != room) throw Error(name, fmt::format("needs room for one answer each: {}, got {}", wanted, room));
}

/// answer(sphere, i) for spheres of the world as bodies, on several threads.
template <class Answer>
void for_each_sphere(const SpheresView& spheres, int threads, const Answer& answer) {
  const std::size_t count = spheres.size();
  if (spheres.x.size() != count || spheres.y.size() != count || spheres.z.size() != count) {
    throw Error("spheres", fmt::format("have arrays of different lengths: x {}, y {}, z {}, radius {}",
                                       spheres.x.size(), spheres.y.size(), spheres.z.size(), count));
  }
  parallel_chunks(count,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      const auto sphere = [&] {
                        try {
                          return at(Sphere{.radius = spheres.radius[i]}, Pose::at(spheres.center(i)));
                        } catch (const Error& error) {
                          throw Error(fmt::format("spheres[{}]", i), error.what());
                        }
                      }();
                      answer(sphere, i);
                    }
                  },
                  {.threads = threads});
}

}  // namespace graze
