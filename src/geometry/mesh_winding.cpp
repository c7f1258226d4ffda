// Is a point inside of a closed mesh? How often the surface winds around it, by the triangles that a ray runs through.
//
// Rays run along an axis. Seen along it, the point is in a triangle or not by rules that depend on single edges only:
// an edge belongs to the scan line of the point by exact comparisons with its ends, and which side of it the point lies
// on is computed from its ends in a fixed order, so that both triangles of an edge agree, rounding or not. Thus the
// triangles cover every point the right number of times. What remains is which of them lie ahead: where rounding hides
// that, another axis is asked, and at last the sum of all solid angles.
#include <Eigen/Geometry>
#include <cmath>

#include "geometry/mesh_data.h"

namespace graze::mesh {
namespace {

struct Ray {
  int ahead, u, v;  // axes: that of the ray and the other two, right-handed
  double sign;      // +1: towards larger coordinates
};

// Which way the edge from a to b crosses the half-line u > 0 of the line v = 0, p being the origin: 0 for not at all.
int crossing(const Vec3& a, const Vec3& b, const Ray& ray) {
  const bool above_a = a[ray.v] > 0, above_b = b[ray.v] > 0;
  if (above_a == above_b) return 0;
  const Vec3 &low = above_a ? b : a, &high = above_a ? a : b;
  const double side = low[ray.u] * high[ray.v] - low[ray.v] * high[ray.u];
  if (!(side > 0)) return 0;
  return above_b ? 1 : -1;
}

// The signed count for one triangle about the point; false if it cannot be told.
bool count(const Vec3& a, const Vec3& b, const Vec3& c, const Ray& ray, int& sum) {
  const int around = crossing(a, b, ray) + crossing(b, c, ray) + crossing(c, a, ray);
  if (around == 0) return true;
  // The point sees the plane ahead of it or behind: the sign of a · (b × c), over that of the area seen along the ray.
  const Vec3 n = b.cross(c);
  const double det = a.dot(n);
  const double size = a.cwiseAbs().sum() * b.cwiseAbs().sum() * c.cwiseAbs().sum();
  if (!(std::abs(det) > 32 * kEpsilon * size)) return false;
  // Turned counter-clockwise about the ray's axis (around = 1), the plane's crossing has the sign of det.
  const bool ahead = (det > 0) == (around > 0) ? ray.sign > 0 : ray.sign < 0;
  if (ahead) sum += around;
  return true;
}

bool along(const Data& data, const Vec3& p, const Ray& ray, int& sum) {
  const bvh::Tree& tree = data.tree;
  const Vec3 q = p - tree.origin;
  const double slack = 8 * kEpsilon * (q.cwiseAbs().sum() + data.extent + tree.origin.cwiseAbs().maxCoeff());
  std::array<std::uint32_t, bvh::kMaxDepth*(kWidth - 1) + kWidth> stack;
  std::size_t open = 0;
  stack[open++] = 0;
  sum = 0;
  const auto u = static_cast<std::size_t>(ray.u), v = static_cast<std::size_t>(ray.v);
  const auto w = static_cast<std::size_t>(ray.ahead);
  while (open > 0) {
    const bvh::Node& node = tree.nodes[stack[--open]];
    for (std::size_t k = 0; k < kWidth && node.child[k] != kNone; ++k) {
      const bool missed = double{node.min[u][k]} - slack > q[ray.u] || double{node.max[u][k]} + slack < q[ray.u] ||
                          double{node.min[v][k]} - slack > q[ray.v] || double{node.max[v][k]} + slack < q[ray.v] ||
                          (ray.sign > 0 ? double{node.max[w][k]} + slack < q[ray.ahead]
                                        : double{node.min[w][k]} - slack > q[ray.ahead]);
      if (missed) continue;
      if ((node.child[k] & bvh::kLeafBit) == 0) {
        stack[open++] = node.child[k];
        continue;
      }
      const Block& block = data.blocks[node.child[k] & ~bvh::kLeafBit];
      for (std::size_t lane = 0; lane < kWidth && block.triangle[lane] != kNone; ++lane) {
        const std::size_t t = block.triangle[lane];
        if (!count(data.corner(t, 0) - p, data.corner(t, 1) - p, data.corner(t, 2) - p, ray, sum)) return false;
      }
    }
  }
  // Seen against the ray's axis, outward faces turn the other way.
  if (ray.sign < 0) sum = -sum;
  return true;
}

double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double down = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  return 2 * std::atan2(a.dot(b.cross(c)), down);
}

}  // namespace

int winding(const Data& data, const Vec3& p) {
  if (data.triangles.empty() || !data.bounds.contains(p)) return 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      int sum = 0;
      if (along(data, p, {axis, (axis + 1) % 3, (axis + 2) % 3, sign}, sum)) return sum;
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < data.triangles.size(); ++i)
    sum += solid_angle(data.corner(i, 0) - p, data.corner(i, 1) - p, data.corner(i, 2) - p);
  return static_cast<int>(std::lround(sum / (4 * M_PI)));
}

}  // namespace graze::mesh
