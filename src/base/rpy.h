// Roll, pitch and yaw as a quaternion.
#pragma once

#include "graze/base/elementary.h"

namespace graze {

struct Wxyz {
  double w, x, y, z;
};

/// About the fixed x, then y, then z axis, in radians.
inline Wxyz quaternion_of_rpy(double roll, double pitch, double yaw) {
  const auto [sr, cr] = elementary::sin_cos(roll / 2);
  const auto [sp, cp] = elementary::sin_cos(pitch / 2);
  const auto [sy, cy] = elementary::sin_cos(yaw / 2);
  // Yaw and pitch first.
  const double w = cy * cp, x = -sy * sp, y = cy * sp, z = sy * cp;
  return {w * cr - x * sr, w * sr + x * cr, y * cr + z * sr, z * cr - y * sr};
}

}  // namespace graze
