// The smallest ball around points, as an LP-type problem with the farthest point as the pivot (Gärtner, "Fast and
// robust smallest enclosing balls", 1999, section 3). The ball of a handful of points is not updated but found anew
// among all of their subsets by its dual value: nothing accumulates, and ties and degenerate subsets cannot mislead it.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "geometry/bounding_search.h"

namespace graze::bounding {
namespace {

// A ball through up to four points with its centre among them.
struct Basis {
  std::array<Vec3, 4> points;
  std::size_t count = 0;
  Vec3 center = Vec3::Zero();
  double lower_sq = -1;  // a proven lower bound for the squared radius of any ball around the points
};

// An edge counts as dependent on others if no more than this part of it is not.
constexpr double kDependent = 1e-13;

// A larger subset has to be better than a smaller one by this factor: on ties the smaller one is better conditioned.
constexpr double kBetter = 1 + 8 * kEpsilon;

// More rounds than any input needs: every one raises the lower bound.
constexpr int kMaxRounds = 10'000;

// Fills in the centre, the point of the affine hull that is equally far from all points, and the lower bound. False if
// the points are affinely dependent.
bool solve(Basis& b) {
  const std::size_t n = b.count - 1;
  // Modified Gram-Schmidt of unit edges, done twice each: E = Q R.
  std::array<Vec3, 3> edge, q;
  std::array<std::array<double, 3>, 3> r{};
  std::array<double, 3> z{}, y{}, length{};
  for (std::size_t i = 0; i < n; ++i) {
    edge[i] = b.points[i + 1] - b.points[0];
    length[i] = edge[i].norm();
    if (!(length[i] > 0)) return false;
    edge[i] /= length[i];
    q[i] = edge[i];
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < i; ++j) {
        const double part = q[j].dot(q[i]);
        r[j][i] += part;
        q[i] -= part * q[j];
      }
    }
    r[i][i] = q[i].norm();
    if (!(r[i][i] > kDependent)) return false;
    q[i] /= r[i][i];
    // edge · (center - point 0) = length / 2
    z[i] = length[i] / 2;
    for (std::size_t j = 0; j < i; ++j) z[i] -= r[j][i] * z[j];
    z[i] /= r[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    y[i] = z[i];
    for (std::size_t j = i + 1; j < n; ++j) y[i] -= r[i][j] * y[j];
    y[i] /= r[i][i];
  }
  // Barycentric coordinates. Any that are not negative and add up to 1 prove a bound: that is the dual problem.
  std::array<double, 4> weight{};
  double sum = 0;
  weight[0] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    weight[i + 1] = y[i] / length[i];
    weight[0] -= weight[i + 1];
  }
  for (std::size_t i = 0; i < b.count; ++i) sum += weight[i] = std::max(weight[i], 0.0);
  b.center = b.points[0];
  for (std::size_t i = 0; i < n; ++i) b.center += weight[i + 1] / sum * (length[i] * edge[i]);
  Vec3 mean = Vec3::Zero();
  double spread = 0;
  for (std::size_t i = 0; i < b.count; ++i) {
    const Vec3 d = b.points[i] - b.center;
    mean += weight[i] / sum * d;
    spread += weight[i] / sum * d.squaredNorm();
  }
  b.lower_sq = spread - mean.squaredNorm();
  return true;
}

// The ball of the basis and one more point outside of it.
Basis grown(const Basis& old, const Vec3& p) {
  Basis best;
  for (int size = 0; size <= 3; ++size) {  // the smaller ones first
    for (unsigned chosen = 0; chosen < 1U << old.count; ++chosen) {
      if (std::popcount(chosen) != size) continue;
      Basis tried;
      tried.points[tried.count++] = p;
      for (std::size_t i = 0; i < old.count; ++i) {
        if ((chosen >> i & 1U) != 0) tried.points[tried.count++] = old.points[i];
      }
      if (solve(tried) && tried.lower_sq > kBetter * best.lower_sq) best = tried;
    }
  }
  return best;
}

}  // namespace

EnclosingBall smallest_ball(std::span<const Vec3> points) {
  Basis basis;
  basis.points[0] = basis.center = points[0];
  basis.count = 1;
  basis.lower_sq = 0;
  EnclosingBall best{points[0], kInfinity, 0};
  for (int round = 0; round < kMaxRounds; ++round) {
    double farthest_sq = -1;
    std::size_t farthest = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 d = points[i] - basis.center;
      const double sq = d.x() * d.x() + d.y() * d.y() + d.z() * d.z();
      if (sq > farthest_sq) farthest_sq = sq, farthest = i;
    }
    if (farthest_sq < best.radius) best.center = basis.center, best.radius = farthest_sq;
    best.lower = std::max(best.lower, basis.lower_sq);
    if (farthest_sq <= basis.lower_sq * kBetter) break;
    const Basis next = grown(basis, points[farthest]);
    if (!(next.lower_sq > basis.lower_sq)) break;
    basis = next;
  }
  best.radius = std::sqrt(best.radius);
  best.lower = std::sqrt(best.lower);
  return best;
}

}  // namespace graze::bounding
