#include "map/ray_march.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace graze::map {
namespace {

// The bits of each axis in the number of a cell in its brick.
constexpr std::array<unsigned, 3> kAxisBits{0b001001001, 0b010010010, 0b100100100};

}  // namespace

void march(const Ray& ray, double resolution, FrameMarks& marks) {
  if (ray.from == ray.to) return;
  const Vec3 along = ray.end - ray.origin;
  const double length = std::sqrt(along.x() * along.x() + along.y() * along.y() + along.z() * along.z());
  const std::array<std::int32_t, 3> from{ray.from.x, ray.from.y, ray.from.z};
  const double rounder = ray_rounder(length);
  std::array<double, 3> next{}, step{};  // distance along the ray to the next face across each axis, and between them
  std::array<bool, 3> up{};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto axis = static_cast<Eigen::Index>(a);
    const double direction = along[axis] / length;
    next[a] = step[a] = std::numeric_limits<double>::max();
    if (direction == 0) continue;
    up[a] = direction > 0;
    const double to_face = (double(from[a]) + (up[a] ? 1 : 0)) * resolution - ray.origin[axis];
    next[a] = to_face / direction + rounder - rounder;
    step[a] = resolution / std::abs(direction) + rounder - rounder;
  }

  CellKey brick = detail::corner_of(ray.from, detail::kBrickLevel);
  const CellKey last_brick = detail::corner_of(ray.to, detail::kBrickLevel);
  const unsigned last = cell_in_brick(ray.to.x, ray.to.y, ray.to.z);
  unsigned cell = cell_in_brick(ray.from.x, ray.from.y, ray.from.z);
  bool in_last = brick == last_brick;
  BrickBits* bits = &marks[marks.brick(brick)].misses;
  for (;;) {
    (*bits)[cell >> 6U] |= std::uint64_t{1} << (cell & 63U);
    const std::size_t a = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : (next[1] < next[2] ? 1 : 2);
    next[a] += step[a];
    const unsigned axis = kAxisBits[a];
    bool leaves = false;
    if (up[a]) {
      leaves = (cell & axis) == axis;
      cell = (cell & ~axis) | (((cell | ~axis) + 1) & axis);
    } else {
      leaves = (cell & axis) == 0;
      cell = (cell & ~axis) | (((cell & axis) - 1) & axis);
    }
    const bool done = !leaves && in_last && cell == last;
    if (done || (!leaves && std::min({next[0], next[1], next[2]}) > length)) return;
    if (!leaves) continue;
    std::int32_t& key = a == 0 ? brick.x : a == 1 ? brick.y : brick.z;
    if (up[a] ? key > std::numeric_limits<std::int32_t>::max() - 8
              : key < std::numeric_limits<std::int32_t>::min() + 8) {
      return;  // rounding took it to the border of key space
    }
    key += up[a] ? 8 : -8;
    in_last = brick == last_brick;
    if ((in_last && cell == last) || std::min({next[0], next[1], next[2]}) > length) return;
    bits = &marks[marks.brick(brick)].misses;
  }
}

}  // namespace graze::map
