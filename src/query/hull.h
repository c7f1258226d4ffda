// The convex hulls of meshes and clouds, without being built: known by their support points, which the trees find.
#pragma once

#include "geometry/mesh_data.h"
#include "query/cloud_tree.h"

namespace graze {

struct MeshHull {
  const mesh::Data& data;
};
struct CloudHull {
  const Cloud& cloud;
  Aabb box;  // around the points
  explicit CloudHull(const Cloud& c) : cloud(c), box(c.bounds()) {}
};

/// How far a box reaches along n, also one without end: then across what n has no part in does not count.
inline double farthest_of(const Aabb& box, const Vec3& n) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    if (n[i] != 0) sum += n[i] * (n[i] > 0 ? box.max[i] : box.min[i]);
  }
  return sum;
}

/// The farthest vertex along `direction`, in the frame of the geometry; there must be one.
Vec3 support_point(const mesh::Data& mesh, const Vec3& direction);
Vec3 support_point(const Cloud& cloud, const Vec3& direction);

struct HullCore {
  static constexpr bool kCentered = false;
  static constexpr bool kCurved = false;
  static constexpr bool kSmooth = false;
  static constexpr bool kLine = false;
  Ridge ridge(std::span<const Vec3> points) const { return corner_ridge(points); }
  void line(const Vec3&, const Ridge& r, Vec3& start, Vec3& end) const { start = r.start, end = r.end; }
  Vec3 facing(const Vec3& p, const Vec3&) const { return p; }
  Bend bend(const Vec3&, const Vec3&, const Vec3&, const Vec3&) const { return {}; }
  // The middle need not lie inside.
  bool holds_center() const { return false; }
  double inner() const { return -kInfinity; }
};

struct MeshHullCore : HullCore {
  const mesh::Data& data;
  explicit MeshHullCore(const mesh::Data& d) : data(d) {}
  Vec3 support(const Vec3& d) const { return minus(support_point(data, d), data.tree.origin); }
  const Vec3& center() const { return data.tree.origin; }
  double reach() const { return data.radius; }
  double extent() const { return data.radius; }
  std::uint64_t stamp() const { return data.stamp; }
};

struct CloudHullCore : HullCore {
  const Cloud& cloud;
  Vec3 middle;
  double radius;
  explicit CloudHullCore(const CloudHull& hull)
      : cloud(hull.cloud),
        middle(hull.box.center()),
        radius(std::sqrt(norm_sq(hull.box.half())) * (1 + 8 * kEpsilon)) {}
  Vec3 support(const Vec3& d) const { return minus(support_point(cloud, d), middle); }
  const Vec3& center() const { return middle; }
  double reach() const { return radius; }
  double extent() const { return radius; }
  std::uint64_t stamp() const { return stamp_of(99, {middle.x(), middle.y(), middle.z(), radius}); }
};

inline MeshHullCore core(const MeshHull& hull) { return MeshHullCore(hull.data); }
inline CloudHullCore core(const CloudHull& hull) { return CloudHullCore(hull); }
inline double rounding_radius(const CloudHull& hull) { return hull.cloud.radius(); }

}  // namespace graze
