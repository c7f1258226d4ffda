// Volumes made ready for the lanes, and what becomes of the points that are found.
#include <algorithm>
#include <cmath>

#include "graze/base/elementary.h"
#include "index/kd_tree_lanes.h"
#include "index/kd_tree_search.h"

namespace graze::kd_tree {

FromAxis::FromAxis(const Vec3& from, const Vec3& direction, double t_first, double t_last, double largest)
    : first(t_first), last(t_last) {
  for (int i = 0; i < 3; ++i) {
    at[i] = from[i];
    v[i] = direction[i];
  }
  vv = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
  if (vv == 0) vv = 1;  // a segment of one point: t is 0
  const bool bounded = std::isfinite(first) && std::isfinite(last);
  double reach = largest + from.cwiseAbs().maxCoeff();
  if (bounded) reach += direction.cwiseAbs().maxCoeff();
  // Each of the some twenty operations rounds by half of kEpsilon at most, relative to coordinates up to `reach`.
  slack = 64 * kEpsilon * reach;
  for (int i = 0; i < 3; ++i) {
    const double begin = v[i] == 0 ? at[i] : at[i] + first * v[i], end = v[i] == 0 ? at[i] : at[i] + last * v[i];
    min[i] = std::min(begin, end);
    max[i] = std::max(begin, end);
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double length = elementary::hypot(v[j], v[k]);
    across[i][i] = 0;
    across[i][j] = length > 0 ? v[k] / length : 0;
    across[i][k] = length > 0 ? -v[j] / length : 0;
  }
}

InCapsule prepared(const region::AroundAxis& a, double largest) {
  return {FromAxis(a.from(), a.direction(), a.first(), a.last(), largest), a.radius(), a.radius() * a.radius()};
}

InBox prepared(const region::Box& b, double) {
  InBox box{};
  for (int i = 0; i < 3; ++i) {
    box.min[i] = b.min()[i];
    box.max[i] = b.max()[i];
  }
  return box;
}

InOrientedBox prepared(const region::OrientedBox& b, double largest) {
  InOrientedBox box{};
  const Mat3& rotation = b.pose().rotation();
  const Vec3& center = b.pose().translation();
  const double reach = largest + center.cwiseAbs().maxCoeff() + b.half().maxCoeff();
  // Rotations are orthonormal to within 1e-9 (Pose); a point in the box is at most that much farther out.
  constexpr double kSkew = 4e-9;
  for (int i = 0; i < 3; ++i) {
    box.at[i] = center[i];
    box.half[i] = b.half()[i];
    for (int j = 0; j < 3; ++j) box.axis[i][j] = rotation(j, i);
    const double extent = rotation.row(i).cwiseAbs().dot(b.half()) * (1 + kSkew) + kSkew * b.half().maxCoeff();
    const double slack = 64 * kEpsilon * reach;
    box.min[i] = center[i] - extent - slack;
    box.max[i] = center[i] + extent + slack;
  }
  return box;
}

InCylinder prepared(const region::Cylinder& c, double largest) {
  return {FromAxis(c.from(), c.direction(), -kInfinity, kInfinity, largest), c.radius(), c.radius() * c.radius()};
}

void Gather::take(std::size_t index, double distance_sq) {
  ++total;
  const Neighbor found{index, std::sqrt(distance_sq)};
  if (visit != nullptr) {
    if (!visit(body, found)) {
      stopped = true;
      limit_sq = -1;
    }
    return;
  }
  if (size < capacity) {
    buffer[size++] = found;
    if (size < capacity) return;
    std::make_heap(buffer, buffer + size);
  } else if (capacity > 0 && found < buffer[0]) {
    std::pop_heap(buffer, buffer + size);
    buffer[size - 1] = found;
    std::push_heap(buffer, buffer + size);
  }
  // Up by some roundings: squares a little larger may have the same root.
  if (shrinking) limit_sq = buffer[0].distance * buffer[0].distance * (1 + 4 * kEpsilon) + 1e-320;
}

std::span<Neighbor> Gather::finish() {
  std::sort(buffer, buffer + size);
  return {buffer, size};
}

}  // namespace graze::kd_tree
