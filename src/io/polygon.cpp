#include "io/polygon.h"

#include <algorithm>
#include <cmath>

namespace graze::io {

double PolygonCutter::turn(std::size_t a, std::size_t b, std::size_t c) const {
  const Point u = flat_[b] - flat_[a], v = flat_[c] - flat_[a];
  return u.x() * v.y() - u.y() * v.x();
}

// Seen against the mean normal, so that the polygon runs counter-clockwise; false if it has none.
bool PolygonCutter::project(std::span<const Vec3> vertices, std::span<const std::uint32_t> corners) {
  const Vec3& origin = vertices[corners[0]];
  Vec3 normal = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    normal += (vertices[corners[i]] - origin).cross(vertices[corners[i + 1]] - origin);
  }
  Eigen::Index away = 0;
  const double largest = normal.cwiseAbs().maxCoeff(&away);
  if (!std::isfinite(largest) || largest == 0) return false;
  Eigen::Index u = (away + 1) % 3, v = (away + 2) % 3;
  if (normal[away] < 0) std::swap(u, v);
  flat_.clear();
  for (const std::uint32_t corner : corners) {
    const Vec3 p = vertices[corner] - origin;
    flat_.emplace_back(p[u], p[v]);
  }
  return true;
}

// Turns left everywhere and runs around once: what runs around more often changes between left and right more often.
bool PolygonCutter::convex() const {
  const std::size_t n = flat_.size();
  int changes = 0, first = 0, last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(turn(i, (i + 1) % n, (i + 2) % n) >= 0)) return false;
    const double step = flat_[(i + 1) % n].x() - flat_[i].x();
    const int sign = step > 0 ? 1 : step < 0 ? -1 : 0;
    if (sign == 0) continue;
    if (first == 0) first = sign;
    if (last != 0 && sign != last) ++changes;
    last = sign;
  }
  return changes + (first != last ? 1 : 0) <= 2;
}

bool PolygonCutter::is_ear(std::size_t i) {
  const std::size_t a = before_[i], c = next_[i];
  if (!(turn(a, i, c) > 0)) return false;
  for (std::size_t k = next_[c]; k != a; k = next_[k]) {
    if (work_left_ > 0) --work_left_;
    const Point& p = flat_[k];
    if (p == flat_[a] || p == flat_[i] || p == flat_[c]) continue;
    if (turn(a, i, k) >= 0 && turn(i, c, k) >= 0 && turn(c, a, k) >= 0) return false;
  }
  return true;
}

bool PolygonCutter::cut(std::span<const Vec3> vertices, std::span<const std::uint32_t> corners,
                        std::vector<MeshTriangle>& to) {
  const std::size_t n = corners.size();
  if (n == 3) {
    to.push_back({corners[0], corners[1], corners[2]});
    return true;
  }
  work_left_ += kWork * n;
  const bool seen = project(vertices, corners);
  bool well = seen;
  next_.resize(n);
  before_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    next_[i] = (i + 1) % n;
    before_[i] = (i + n - 1) % n;
  }
  std::size_t left = n, at = 0;
  if (seen && !convex()) {
    const auto clip = [&](std::size_t i) {
      to.push_back({corners[before_[i]], corners[i], corners[next_[i]]});
      next_[before_[i]] = next_[i];
      before_[next_[i]] = before_[i];
      --left;
    };
    std::size_t tried = 0;
    at = 1;
    while (left > 3 && tried < left && work_left_ > 0) {
      const std::size_t next = next_[at];
      if (is_ear(at)) {
        clip(at);
        tried = 0;
      } else {
        ++tried;
      }
      at = next;
    }
    // The last three of a polygon that crosses itself may run the wrong way around.
    well = left == 3 && !(turn(before_[at], at, next_[at]) < 0);
  }
  // What is left, from one corner.
  for (std::size_t b = next_[at]; left > 2; --left, b = next_[b]) {
    to.push_back({corners[at], corners[b], corners[next_[b]]});
  }
  return well;
}

}  // namespace graze::io
