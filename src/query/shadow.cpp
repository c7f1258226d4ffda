#include "query/shadow.h"

#include "query/depth_search.h"
#include "query/hull.h"
#include "query/mesh_tree.h"

namespace graze {
namespace {

MeshTree tree_of(const Mesh& mesh) { return MeshTree(mesh); }
CloudTree tree_of(const Cloud& cloud) { return CloudTree(cloud); }
Aabb box_of(const Mesh& mesh) { return mesh.bounds(); }
Aabb box_of(const Cloud& cloud) { return cloud.bounds().grown(cloud.radius()); }
// The farthest point along the unit n.
Vec3 farthest(const Mesh& mesh, const Vec3& n) { return support_point(data_of(mesh), n); }
Vec3 farthest(const Cloud& cloud, const Vec3& n) { return along(support_point(cloud, n), cloud.radius(), n); }

// A mesh or a cloud, seen along a direction.
template <Composite B>
class Shadow {
 public:
  Shadow(const B& body, const Vec3& n) : body_(body), n_(n) {}

  Vec3 lowest() const { return farthest(body_, times(-1, n_)); }
  // From `level` upwards, the first that nothing reaches across. `room`: what rounding may close.
  double next_free(double level, double room) const {
    constexpr int kWalks = 64;
    for (int i = 0; i < kWalks; ++i) {
      Walk walk{n_, level, room, level};
      traverse(tree_of(body_), walk);
      if (!(walk.up > level)) return level;
      level = walk.up;
    }
    return dot(n_, farthest(body_, n_));
  }
  // The corner, or point of a ball, nearest to the level; of balls the upper or lower end.
  Vec3 corner_at(double level, bool upper) const {
    NearestWalk walk{n_, level, upper ? 1.0 : -1.0};
    traverse(tree_of(body_), walk);
    return walk.point;
  }

 private:
  struct Walk {
    const Vec3& n;
    double level, room, up;
    double bound(const Aabb& box) const {
      const double at = n.dot(box.center()), reach = n.cwiseAbs().dot(box.half());
      return std::max(at - reach - level, level - at - reach) - room;
    }
    double limit() const { return room; }
    void take(double low, double high) {
      if (low <= level + room && high > level + room) up = std::max(up, high);
    }
    void leaf(const MeshTree& h, std::size_t slot) {
      const Triangle t = h.primitive(slot).triangle;
      const double a = dot(n, t.a()), b = dot(n, t.b()), c = dot(n, t.c());
      take(std::min({a, b, c}), std::max({a, b, c}));
    }
    void leaf(const CloudTree& h, std::size_t i) {
      const Ball ball = h.primitive(i);
      const double at = dot(n, ball.center);
      take(at - ball.sphere.radius, at + ball.sphere.radius);
    }
  };

  struct NearestWalk {
    const Vec3& n;
    double level, side;
    double off = kInfinity;
    Vec3 point = Vec3::Zero();
    double bound(const Aabb& box) const {
      const double rounding = 8 * kEpsilon * (size_of(box.center()) + size_of(box.half()) + std::abs(level));
      return std::abs(n.dot(box.center()) - level) - n.cwiseAbs().dot(box.half()) - rounding;
    }
    double limit() const { return off; }
    void take(const Vec3& p) {
      if (const double o = std::abs(dot(n, p) - level); o < off) off = o, point = p;
    }
    void leaf(const MeshTree& h, std::size_t slot) {
      const Triangle t = h.primitive(slot).triangle;
      take(t.a()), take(t.b()), take(t.c());
    }
    void leaf(const CloudTree& h, std::size_t i) {
      const Ball ball = h.primitive(i);
      take(along(ball.center, side * ball.sphere.radius, n));
    }
  };

  const B& body_;
  Vec3 n_;
};

}  // namespace

template <Unbounded A, Composite B>
PartsDistance depth_along_normal(const A& a, const B& b, const Relative& relative) {
  PartsDistance r;
  PairDistance& d = r.distance;
  const Vec3 n = turned_back(relative.rotation, a.normal());
  const double level = a.offset() - dot(a.normal(), relative.translation);
  const Aabb box = box_of(b);
  d.tolerance = 32 * kEpsilon *
                (size_of(box.center()) + size_of(box.half()) + std::abs(a.offset()) + std::abs(level) +
                 size_of(relative.translation));
  if constexpr (std::same_as<A, HalfSpace>) {
    const Vec3 lowest = Shadow(b, n).lowest();
    d.value = dot(n, lowest) - level, d.normal = a.normal();
    d.on_a = along(relative.to_a(lowest), -d.value, d.normal);
  } else {
    // The plane gives way upwards or downwards; b goes the other way.
    const Shadow up(b, n), down(b, times(-1, n));
    const double above = up.next_free(level, d.tolerance) - level;
    const double below = down.next_free(-level, d.tolerance) + level;
    const bool upwards = above <= below;
    d.value = -std::min(above, below);
    d.normal = upwards ? Vec3(-a.normal()) : a.normal();
    // The point of b that is the last to leave.
    const double last = upwards ? level + above : level - below;
    Vec3 p = up.corner_at(last, upwards);
    p = along(p, last - dot(n, p), n);
    d.on_a = along(relative.to_a(p), -d.value, d.normal);
    d.tolerance *= 2;
  }
  r.b = nearest_feature(b, relative.to_b(along(d.on_a, d.value, d.normal)));
  r.below = d.tolerance;
  return r;
}

template PartsDistance depth_along_normal(const HalfSpace&, const Mesh&, const Relative&);
template PartsDistance depth_along_normal(const HalfSpace&, const Cloud&, const Relative&);
template PartsDistance depth_along_normal(const Plane&, const Mesh&, const Relative&);
template PartsDistance depth_along_normal(const Plane&, const Cloud&, const Relative&);

}  // namespace graze
