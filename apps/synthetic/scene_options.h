// What the scenes demand of their options.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "graze/base/error.h"
#include "graze/base/vec.h"

namespace graze::synthetic {

inline constexpr double kFarthestOrigin = 1e9;  ///< metres
inline constexpr std::uint64_t kMaxScenePoints = 1'000'000'000'000;
inline constexpr double kMaxPoses = 67108864;  ///< 8 GiB of them; a step that asks for more is a mistake of units

inline void check_scene(std::uint64_t points, const Vec3& origin) {
  if (points > kMaxScenePoints) throw Error("points", fmt::format("must be at most 1e12, got {}", points));
  if (!(origin.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() <= kFarthestOrigin)) {
    throw Error("origin",
                fmt::format("must be finite and within 1e9 m, got ({}, {}, {})", origin.x(), origin.y(), origin.z()));
  }
}

}  // namespace graze::synthetic
