#include "oracle/certify.h"

#include <algorithm>
#include <queue>

namespace graze_oracle {
namespace {

// A spherical triangle of directions, with the farthest point of the difference body a - b along each corner.
struct Cell {
  std::array<Vec, 3> corner, point;
  Real bound = 0;
  bool operator<(const Cell& other) const { return bound > other.bound; }  // the lowest bound first
};

// Every point q of the difference body bounds its support function from below: h(n) >= n · q. Over the flat triangle of
// the corners, whose points are no longer than unit, n · q is smallest at a corner.
Real bound_by(const Cell& cell, const Vec& q) {
  return std::min({dot(cell.corner[0], q), dot(cell.corner[1], q), dot(cell.corner[2], q)});
}

// Tries the points themselves and the combinations that serve two or three corners equally.
Real best_bound(const Cell& cell) {
  Real best = 0;
  Real g[3][3];
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) g[i][k] = dot(cell.corner[i], cell.point[k]);
    best = std::max(best, bound_by(cell, cell.point[i]));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t m = (k + 1) % 3;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = i + 1; j < 3; ++j) {
        const Real across = (g[i][k] - g[j][k]) - (g[i][m] - g[j][m]);
        if (across == 0) continue;
        const Real w = clamp(-(g[i][m] - g[j][m]) / across, 0, 1);
        best = std::max(best, bound_by(cell, w * cell.point[k] + (1 - w) * cell.point[m]));
      }
    }
  }
  // G mu = constant, by Cramer's rule.
  const Vec r0{g[0][0], g[0][1], g[0][2]}, r1{g[1][0], g[1][1], g[1][2]}, r2{g[2][0], g[2][1], g[2][2]};
  const Vec mu = cross(r1, r2) + cross(r2, r0) + cross(r0, r1);
  const Real sum = mu.x + mu.y + mu.z;
  if (sum != 0 && mu.x / sum >= 0 && mu.y / sum >= 0 && mu.z / sum >= 0) {
    best = std::max(best, bound_by(cell, (mu.x / sum) * cell.point[0] + (mu.y / sum) * cell.point[1] +
                                             (mu.z / sum) * cell.point[2]));
  }
  return best;
}

}  // namespace

Real depth_at_least(const Body& a, const Body& b, Real deepest, Real accuracy, int max_cells) {
  const auto farthest = [&](const Vec& n) { return support(a, n) - support(b, -n); };
  std::priority_queue<Cell> queue;
  const auto push = [&](const Vec& p, const Vec& q, const Vec& r, const Vec& fp, const Vec& fq, const Vec& fr) {
    Cell cell{{p, q, r}, {fp, fq, fr}};
    cell.bound = best_bound(cell);
    queue.push(cell);
  };
  for (int octant = 0; octant < 8; ++octant) {
    const Vec x{octant & 1 ? -1.0L : 1.0L, 0, 0}, y{0, octant & 2 ? -1.0L : 1.0L, 0},
        z{0, 0, octant & 4 ? -1.0L : 1.0L};
    push(x, y, z, farthest(x), farthest(y), farthest(z));
  }
  for (int cells = 0; cells < max_cells && queue.top().bound < deepest * (1 - accuracy); ++cells) {
    const Cell cell = queue.top();
    queue.pop();
    const auto &c = cell.corner, &f = cell.point;
    const Vec xy = unit(c[0] + c[1]), yz = unit(c[1] + c[2]), zx = unit(c[2] + c[0]);
    const Vec fxy = farthest(xy), fyz = farthest(yz), fzx = farthest(zx);
    push(c[0], xy, zx, f[0], fxy, fzx);
    push(xy, c[1], yz, fxy, f[1], fyz);
    push(zx, yz, c[2], fzx, fyz, f[2]);
    push(xy, yz, zx, fxy, fyz, fzx);
  }
  return queue.top().bound;
}

}  // namespace graze_oracle
