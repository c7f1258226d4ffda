// The cells that rays pass.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "map/frame_marks.h"

namespace graze::map {

/// A ray from the cell `from` to the cell `to`, as liboctomap walks it: across the nearest face each time, z before y
/// before x where several are equally near.
struct Ray {
  Vec3 origin, end;
  CellKey from, to;
};

/// Distances along a ray are whole multiples of a unit that is at most 2^-51 of its length. Sums of such distances are
/// exact: a ray is as well started anywhere as marched to there. A number that this is added to and subtracted from is
/// rounded to such a multiple.
inline double ray_rounder(double length) {
  constexpr std::uint64_t kExponent = std::uint64_t{0x7FF} << 52U;
  return 2 * std::bit_cast<double>(std::bit_cast<std::uint64_t>(length) & kExponent);
}

/// Marks the cells of a ray as missed, from that of its origin on up to, not with, that of its end.
void march(const Ray& ray, double resolution, FrameMarks& marks);

/// Where the rays of a frame start, and where those end that are too long.
struct RayPlan {
  Vec3 origin = Vec3::Zero();
  CellKey from;
  double resolution = 0, max_range = 0;

  double length_to(const Vec3& target) const {
    const Vec3 along = target - origin;
    return std::sqrt(along.x() * along.x() + along.y() * along.y() + along.z() * along.z());
  }
  /// The end of the ray towards something beyond the range.
  Vec3 cut(const Vec3& target) const { return origin + (target - origin) / length_to(target) * max_range; }
};

/// Rays that are to be marched together: what they aim at, up to which part of the way there they only pass cells that
/// are marked, and which of them are cut at the range before they are there.
struct RayBatch {
  static constexpr std::size_t kSize = 1024;

  std::size_t count = 0;
  alignas(64) std::array<std::array<double, kSize>, 3> target{};
  alignas(64) std::array<double, kSize> crossed{};
  std::array<std::uint8_t, kSize / 8> cut{};  // bits

  bool full() const { return count == kSize; }
  void add(const Vec3& aim, bool beyond, double crossed_to = 0) {
    for (std::size_t a = 0; a < 3; ++a) target[a][count] = aim[static_cast<Eigen::Index>(a)];
    crossed[count] = crossed_to;
    const auto bit = static_cast<std::uint8_t>(1U << (count & 7U));
    if ((count & 7U) == 0) cut[count >> 3U] = 0;
    if (beyond) cut[count >> 3U] |= bit;
    ++count;
  }
};

}  // namespace graze::map
