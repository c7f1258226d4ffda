// A wagon through a narrow rail tunnel, after section 6 of the kd-CD paper: a scan, a model and a path of any length.
#pragma once

#include <cstddef>
#include <vector>

#include "graze/base/pose.h"

namespace graze::bench {

struct ClearanceScene {
  std::vector<Vec3> scan;   ///< profile by profile
  std::vector<Vec3> wagon;  ///< surface samples; x forward, y left, z up, 1.5 m above the rails
  std::vector<Pose> path;   ///< both bogies, 20 m apart, on the track; sampled every centimetre or two
};

std::vector<Vec3> make_wagon(std::size_t count);

/// 1144 m of track and 18.92 million points at scale 1; the density stays the same. `offset` is added to scan and path.
ClearanceScene make_clearance_scene(double scale, std::size_t wagon_points, const Vec3& offset = Vec3::Zero());

}  // namespace graze::bench
