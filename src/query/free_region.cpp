#include "query/free_region.h"

namespace graze {
namespace {

// The point of one, two or three planes nearest to the origin; false if they have none. `size`: of the terms that it is
// the sum of. Planes at sharp angles meet far from the origin, and what is rounded grows with that.
bool corner(const FreePlane* const* p, int count, Vec3& x, double& size) {
  constexpr double kParallel = 1e-12;
  const FreePlane& a = *p[0];
  size = std::abs(a.level);
  if (count == 1) {
    x = times(a.level, a.normal);
    return true;
  }
  const FreePlane& b = *p[1];
  const double c = dot(a.normal, b.normal), det = 1 - c * c;
  if (!(det > kParallel)) return false;
  const double on_a = (a.level - c * b.level) / det, on_b = (b.level - c * a.level) / det;
  x = plus(times(on_a, a.normal), times(on_b, b.normal));
  size = std::abs(on_a) + std::abs(on_b);
  if (count == 2) return true;
  const Vec3 line = cross(a.normal, b.normal);
  const double slope = dot(p[2]->normal, line);
  if (!(slope * slope > kParallel * det)) return false;
  const double on_line = (p[2]->level - dot(p[2]->normal, x)) / slope;
  x = along(x, on_line, line);
  size = (size + std::abs(on_line)) / std::abs(slope);
  return true;
}

}  // namespace

bool FreeRegion::add(const FreePlane& plane, const Vec3& x) {
  constexpr double kSame = 1e-9;
  int last = count_;
  for (int i = 0; i < count_; ++i) {
    FreePlane& p = planes_[static_cast<std::size_t>(i)];
    if (size_of(minus(p.normal, plane.normal)) > kSame) continue;
    if (!(plane.level > p.level)) return false;
    p.level = plane.level;
    return true;
  }
  if (count_ < kCapacity) {
    ++count_;
  } else {
    double widest = -kInfinity;
    for (int i = 0; i < count_; ++i) {
      if (room(i, x) > widest) widest = room(i, x), last = i;
    }
  }
  planes_[static_cast<std::size_t>(last)] = plane;
  return true;
}

void FreeRegion::push(const Vec3& x, double by) {
  for (int i = 0; i < count_; ++i) {
    if (room(i, x) <= by) planes_[static_cast<std::size_t>(i)].level += by;
  }
}

// The planes that hold the point back are at most three. The one violated most joins them; of the points of these four
// planes the shortest that satisfies them all is next. It gets longer with every step, so this ends.
bool FreeRegion::nearest(Vec3& x) const {
  x = Vec3::Zero();
  std::array<const FreePlane*, 3> active{};
  int held = 0;
  double largest = 0;
  for (int i = 0; i < count_; ++i) largest = std::max(largest, std::abs(plane(i).level));
  double slack = 16 * kEpsilon * largest;  // what rounding may take from a plane at x
  for (int step = 0; step < 4 * kCapacity; ++step) {
    int worst = -1;
    double violation = slack;
    for (int i = 0; i < count_; ++i) {
      if (-room(i, x) > violation) violation = -room(i, x), worst = i;
    }
    if (worst < 0) return true;
    const FreePlane* all[4] = {&plane(worst), nullptr, nullptr, nullptr};
    for (int i = 0; i < held; ++i) all[i + 1] = active[static_cast<std::size_t>(i)];
    double shortest = kInfinity, next_slack = slack;
    Vec3 next = Vec3::Zero();
    std::array<const FreePlane*, 3> kept{};
    int keep = 0;
    const auto offer = [&](int i, int j) {
      const FreePlane* chosen[3] = {all[0], i > 0 ? all[i] : nullptr, j > 0 ? all[j] : nullptr};
      const int n = 1 + (i > 0 ? 1 : 0) + (j > 0 ? 1 : 0);
      Vec3 y;
      double size;
      if (!corner(chosen, n, y, size)) return;
      const double slack_y = 16 * kEpsilon * std::max(largest, size);
      const double length = norm_sq(y);
      if (!(length < shortest)) return;
      for (int k = 1; k <= held; ++k) {
        if (dot(all[k]->normal, y) < all[k]->level - 2 * slack_y) return;
      }
      shortest = length, next = y, next_slack = slack_y, keep = n;
      for (int k = 0; k < n; ++k) kept[static_cast<std::size_t>(k)] = chosen[k];
    };
    offer(0, 0);
    for (int i = 1; i <= held; ++i) {
      offer(i, 0);
      for (int j = 1; j < i; ++j) offer(i, j);
    }
    if (keep == 0) return false;
    x = next, slack = next_slack, active = kept, held = keep;
  }
  return false;
}

}  // namespace graze
