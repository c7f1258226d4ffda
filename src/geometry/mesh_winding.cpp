// Is a point inside of a closed mesh? How often the surface winds around it, by the triangles that a ray runs through.
//
// Rays run along an axis. Seen along it, the point is in a triangle or not by rules that depend on single edges only:
// an edge belongs to the scan line of the point by exact comparisons with its ends, and which side of it the point lies
// on is computed from its ends in a fixed order, so that both triangles of an edge agree, rounding or not. Thus the
// triangles cover every point the right number of times. What remains is which of them lie ahead: where rounding hides
// that, another axis is asked, and at last the sum of all solid angles. Where cells are known (mesh_cells.h), a ray
// ends in the nearest one.
#include <Eigen/Geometry>
#include <cmath>

#include "geometry/mesh_cells.h"
#include "geometry/mesh_data.h"
#include "geometry/mesh_reach.h"
#include "graze/base/elementary.h"

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

// The triangles that the ray may run through, as long as all of them can be told.
struct Crossings {
  const Data& data;
  const Vec3& p;
  const Ray& ray;
  const Vec3* until = nullptr;  // on the ray: what lies ahead of it, too, does not count
  int sum = 0;
  bool known = true;

  bool triangle(std::uint32_t t) {
    const Vec3 &a = data.corner(t, 0), &b = data.corner(t, 1), &c = data.corner(t, 2);
    int beyond = 0;
    known = count(a - p, b - p, c - p, ray, sum) &&
            (until == nullptr || count(a - *until, b - *until, c - *until, ray, beyond));
    sum -= beyond;
    return known;
  }
};

// What the triangles between p and a place farther along the ray add, or all ahead of p; false if it cannot be told.
bool along(const Data& data, const Vec3& p, const Ray& ray, const Vec3* until, int& sum) {
  Crossings crossings{data, p, ray, until};
  const Vec3 q = p - data.tree.origin;
  const double slack = 8 * kEpsilon * (q.cwiseAbs().sum() + data.extent + data.tree.origin.cwiseAbs().maxCoeff());
  Vec3 low = q - Vec3::Constant(slack), high = q + Vec3::Constant(slack);
  double& end = (ray.sign > 0 ? high : low)[ray.ahead];
  end = ray.sign * kInfinity;
  if (until != nullptr) end = (*until)[ray.ahead] - data.tree.origin[ray.ahead] + ray.sign * slack;
  visit_reach(data, Reach(low, high),
              {&crossings, [](void* self, std::uint32_t t) { return static_cast<Crossings*>(self)->triangle(t); }});
  // Seen against the ray's axis, outward faces turn the other way.
  sum = ray.sign < 0 ? -crossings.sum : crossings.sum;
  return crossings.known;
}

Ray ray_along(int axis, double sign) { return {axis, (axis + 1) % 3, (axis + 2) % 3, sign}; }

// From a point near the surface to the nearest cells that are known, along the axes: what lies between makes the
// difference. Both ends see the same triangles beside them, since they differ in the coordinate along the ray alone.
bool from_cells(const Data& data, const Cells& cells, const Vec3& p, int& number) {
  constexpr int kFarthest = 4, kAttempts = 3;
  std::int64_t cell[3];
  for (int i = 0; i < 3; ++i) cell[i] = static_cast<std::int64_t>((p[i] - cells.origin[i]) * cells.per_metre);
  int attempts = 0;
  for (int step = 1; step <= kFarthest; ++step) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const int sign : {1, -1}) {
        Vec3 q = p;
        q[axis] = cells.origin[axis] + (static_cast<double>(cell[axis] + sign * step) + 0.5) * cells.size;
        const std::int8_t there = cells.at(q);
        if (there == Cells::kUnknown) continue;
        int between = 0;
        if (along(data, p, ray_along(axis, sign), &q, between)) {
          number = there + between;
          return true;
        }
        if (++attempts == kAttempts) return false;
      }
    }
  }
  return false;
}

double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double down = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  return 2 * elementary::atan2(a.dot(b.cross(c)), down);
}

}  // namespace

int winding(const Data& data, const Vec3& p) {
  if (data.triangles.empty() || !data.bounds.contains(p)) return 0;
  if (data.cells != nullptr) {
    int number = data.cells->at(p);
    if (number != Cells::kUnknown || from_cells(data, *data.cells, p, number)) return number;
  }
  return winding_by_rays(data, p);
}

int winding_by_rays(const Data& data, const Vec3& p) {
  if (data.triangles.empty() || !data.bounds.contains(p)) return 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      int sum = 0;
      if (along(data, p, ray_along(axis, sign), nullptr, sum)) return sum;
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < data.triangles.size(); ++i)
    sum += solid_angle(data.corner(i, 0) - p, data.corner(i, 1) - p, data.corner(i, 2) - p);
  return static_cast<int>(std::lround(sum / (4 * M_PI)));
}

}  // namespace graze::mesh
