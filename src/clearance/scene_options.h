// What the scenes demand of their options.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "graze/base/error.h"
#include "graze/base/vec.h"

namespace graze {

inline constexpr double kFarthestOrigin = 1e9;  ///< metres
inline constexpr std::uint64_t kMostScenePoints = 1'000'000'000'000;

inline void check_scene(std::uint64_t points, const Vec3& origin) {
  if (points > kMostScenePoints) throw Error("points", fmt::format("must be at most 1e12, got {}", points));
  if (!(origin.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() <= kFarthestOrigin)) {
    throw Error("origin",
                fmt::format("must be finite and within 1e9 m, got ({}, {}, {})", origin.x(), origin.y(), origin.z()));
  }
}

}  // namespace graze
